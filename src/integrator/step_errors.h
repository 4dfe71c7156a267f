/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_STEP_ERRORS_H
#define TORSOR_INTEGRATOR_STEP_ERRORS_H

/** Local errors of steps of methods of order 2, after the step and the next one have damped them,
 * for the sum of these (error_sum.h). */

#include "method.h"

/** A completed step, with the matrix that filters its errors. */
typedef struct step_errors {
  torsor_integrator *it;
  double h;
  /* Point at its end: t, q, v and u; a and lambda are any for which the forces are defined. */
  torsor_point end;
  const double *v0, *a0, *a1; /* [nv] v at its start, and v' of the motion at both ends */
  double m;                   /* weight of M in the factored matrix, divided by systems.mass */
  double third;               /* local errors of the velocities are third h^3 v''' */
  bool known;                 /* the last steps had this size, so that v''' is known */
} step_errors;

/** Returns the description of a completed step of any method: of size h to t1, by the increment u,
 * between the motions at its ends.  Numbers that depend on the method are left to it. */
step_errors step_errors_of(torsor_integrator *it, double t1, double h, const double *u);

/** Finds the local error of the positions, errors.x [nv] of the integrator: the difference between
 * the increment u [nv] and the cubic to which v and v' at the ends integrate. */
void step_errors_find(const step_errors *e, const double *u);

/** Adds the errors of the positions, which are in errors.x, and those of the velocities, for
 * `window` steps (error_sum_window). */
void step_errors_add(const step_errors *e, long window);

/** Finds and adds the errors, with the factored matrix. */
void step_errors_end(const step_errors *e, long window);

/** Adds the errors of a driven motion that come from movements of its positions within steps which
 * the velocities at the ends do not show. */
void step_errors_add_unseen(const step_errors *e, long window);

#endif
