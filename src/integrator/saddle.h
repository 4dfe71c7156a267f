/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_SADDLE_H
#define TORSOR_INTEGRATOR_SADDLE_H

/** The linear systems of a problem, also where constraint rows depend on each other.
 *
 *  The rows of forces are divided by `mass`, the scale of masses, so that the entries of M are in
 * the size of those of B whatever the bodies weigh.  With independent rows e = 0, and this is the
 * problem as it is.  Otherwise e is a plain number, and the matrix A = A0 + e D is regular: D is
 * diagonal on (constraint, y) or, stabilised, on (velocity constraint, y) and (constraint, s), and
 * has there minus the squares of the rows' scales, so that rows of any unit in models of any size
 * are told apart alike.  What A^-1 makes large are parts of y and s that no force comes from. */

#include <torsor/integrator.h>

#include "base/tape.h"

typedef struct saddle {
  const torsor_problem *problem;
  double e, mass;
  torsor_scales scales;   /* while e > 0 */
  double *moved, *turned; /* [nl] sizes of the rows: see torsor_problem */
  bool aside;        /* factorisations leave that of the steps alone, which `recall` goes back to */
  double *b, *y, *x; /* work: [nv + nl], [nl], [nv + 2 nl] */
} saddle;

/** Not regularised yet; saddle_walk takes its memory. */
void saddle_init(saddle *out, const torsor_problem *problem);
/** All that moves. */
void saddle_walk(saddle *s, tape *t);
/** Both, with memory from `memory`. */
torsor_status saddle_create(saddle *out, const torsor_problem *problem, arena *memory);

/** Take the scale of masses and the sizes of the rows at `p`, and e = 0. */
void saddle_scale(saddle *s, const torsor_point *p);

/** Regularise from now on, with the scale of masses at `p`. */
void saddle_regularise(saddle *s, const torsor_point *p);

/** Regularise a matrix as the others are. */
void saddle_weigh(const saddle *s, torsor_weights *w);

/** Factor [[M, B^T], [B, 0]] at p: system ACCELERATION, where reactive problems have B^T + L, or
 *  VELOCITY, for projections. */
torsor_status saddle_factor(saddle *s, const torsor_point *p, torsor_system system);

/** Solve [[M, B^T], [B, 0]] x = x [nv + nl] with the last saddle_factor.  Dependent rows: of all
 *  solutions one; `left` (may be NULL) receives the largest residual of the constraint rows over
 * their largest term, which is not small when they contradict each other. */
torsor_status saddle_solve(saddle *s, double *x, double *left);

/** Take the parts out of y [nl] and s [nl] (NULL: there is none) that the matrix last factored
 * makes no force of: (0, y, s) - A^-1 e D (0, y, s).  What remains is smaller by e over the
 * smallest eigenvalue of B (M/mass)^-1 B^T. */
torsor_status saddle_filter(saddle *s, double *y, double *other);

/** Solve with the matrix of a stage that the problem has factored, weighed by saddle_weigh, and
 * filter y and, where x has it, s. */
torsor_status saddle_solve_stage(saddle *s, double *x, bool corrected);

/** The same of multipliers y [nl] of corrections by halves, with the matrix that solves for
 * these. */
torsor_status saddle_filter_correction(saddle *s, double *y);

/** How far errors `phi` of constraints move positions at most while a dead centre is passed, as far
 * as it can be. */
double saddle_noise(double phi);

#endif
