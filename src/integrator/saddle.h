/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_SADDLE_H
#define TORSOR_INTEGRATOR_SADDLE_H

/** The saddle-point (KKT) systems of a problem, with a regularisation where constraint rows depend
 * on each other.
 *
 * The rows of forces are divided by `mass`, the scale of masses, so that the entries of M and B
 * have similar sizes whatever the bodies weigh.  With independent rows e = 0, and the systems are
 * those of the problem.  Otherwise e is a plain number, and the matrix A = A0 + e D is regular: D
 * is diagonal on (constraint, y) or, stabilised, on (velocity constraint, y) and (constraint, s),
 * and contains minus the squares of the rows' scales, so that rows of any unit in models of any
 * size are treated alike.  A^-1 amplifies only the parts of y and s that cause no force. */

#include <torsor/integrator.h>

#include "base/tape.h"

typedef struct saddle {
  const torsor_problem *problem;
  double e, mass;
  torsor_scales scales;   /* scales while e > 0 */
  double *moved, *turned; /* [nl] sizes of the rows (row_sizes of torsor_problem) */
  bool aside; /* factorisations do not overwrite that of the steps, to which `recall` returns */
  double *b, *y, *x; /* work: [nv + nl], [nl], [nv + 2 nl] */
} saddle;

/** Initialises it without regularisation; saddle_walk takes its memory. */
void saddle_init(saddle *out, const torsor_problem *problem);
/** Walks over everything that changes during a run (base/tape.h). */
void saddle_walk(saddle *s, tape *t);
/** Initialises it and takes its memory from `memory`. */
torsor_status saddle_create(saddle *out, const torsor_problem *problem, arena *memory);

/** Finds the scale of masses and the sizes of the rows at `p`, and sets e = 0. */
void saddle_scale(saddle *s, const torsor_point *p);

/** Regularises from now on, with the scale of masses at `p`. */
void saddle_regularise(saddle *s, const torsor_point *p);

/** Sets the regularisation in the weights of a matrix. */
void saddle_weigh(const saddle *s, torsor_weights *w);

/** Factors [[M, B^T], [B, 0]] at p: system ACCELERATION, where reactive problems have B^T + L, or
 * VELOCITY, for projections. */
torsor_status saddle_factor(saddle *s, const torsor_point *p, torsor_system system);

/** Finds v' = a and lambda at p by the problem's `accelerate`; saddle_solve then solves with the
 * matrix of this place.  SINGULAR where that does not serve, and saddle_factor is to be used. */
torsor_status saddle_accelerate(const saddle *s, const torsor_point *p, double *a, double *lambda);

/** Solves [[M, B^T], [B, 0]] x = x [nv + nl] with the last saddle_factor or
 * saddle_accelerate.  With dependent rows this
 * is one of the solutions, found by iterative refinement; `left` (may be NULL) receives the largest
 * residual of the constraint rows over their largest term, which is not small where they contradict
 * each other. */
torsor_status saddle_solve(saddle *s, double *x, double *left);

/** Filters y [nl] and s [nl] (NULL: there is none): removes the parts that cause no force in the
 * matrix factored last, (0, y, s) - A^-1 e D (0, y, s).  The remaining parts are smaller by the
 * factor of e over the smallest eigenvalue of B (M/mass)^-1 B^T. */
torsor_status saddle_filter(saddle *s, double *y, double *other);

/** Solves with the matrix of a stage that the problem has factored, with the weights of
 * saddle_weigh, and filters y and, where x has it, s. */
torsor_status saddle_solve_stage(saddle *s, double *x, bool corrected);

/** Filters the multipliers y [nl] of corrections by halves, with their matrix. */
torsor_status saddle_filter_correction(saddle *s, double *y);

/** Returns the largest distance by which errors `phi` of constraints can move positions while a
 * dead centre is passed. */
double saddle_noise(double phi);

#endif
