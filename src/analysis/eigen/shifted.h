/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SHIFTED_H
#define TORSOR_ANALYSIS_SHIFTED_H

/** Solutions with the pencil at one value of mu, P(s) = s^2 A2 + s A1 + A0. */

#include "analysis/eigen/pencil.h"

typedef struct shifted {
  const pencil *p;
  linear_solver *solver;
  double *Ax;   /* [nonzeros] what is factored: the rows of velocities are divided by `scale` */
  double scale; /* a power of 2 near the largest stiffness: stiffnesses of 1e9 beside gradients of
                   size 1 would hide the pivots of the latter */
  bool refines; /* solutions are corrected once, as the factors alone leave too much */
  double *left, *given, *trial; /* [nv + nl] work */
} shifted;

/** `solver`: see linear_solver_create.  Memory from `memory`; ends with shifted_release. */
torsor_status shifted_create(shifted *out, const pencil *p, const char *solver, arena *memory);
void shifted_release(shifted *s);

/** Factors P(s). */
torsor_status shifted_factor(shifted *s, double at);

/** x [nv + nl] <- P(s)^-1 x. */
torsor_status shifted_solve(shifted *s, double *x);

#endif
