/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_STEP_ERRORS_H
#define TORSOR_INTEGRATOR_STEP_ERRORS_H

/** The local errors of steps of order 2, as the step and the next one leave them, for the sum of
 * these (error_sum.h). */

#include "method.h"

/** A step that has been found, and the matrix that its errors are sent through. */
typedef struct step_errors {
  torsor_integrator *it;
  double h;
  torsor_point end; /* t, q, v and u there; a and lambda are any that the forces are defined with */
  const double *v0, *a0, *a1; /* [nv] v at its begin, and v' of the motion at both ends */
  double m;     /* weight of M in the matrix that is factored, divided by systems.mass */
  double third; /* local errors of the velocities are third h^3 v'''... */
  bool known;   /* ... where the last steps were of this size */
} step_errors;

/** Steps of any method end their sums with this: the step of size h to t1 that was taken by the
 * increment u, between the motions at its ends.  The method's own numbers are left to it. */
step_errors step_errors_of(torsor_integrator *it, double t1, double h, const double *u);

/** errors.x [nv] of the integrator = what the increment u [nv] of the positions is off the cubic by
 * that v and v' at the ends make. */
void step_errors_find(const step_errors *e, const double *u);

/** Add the errors of the positions that are in errors.x, and those of the velocities, for `window`
 * steps (error_sum_window). */
void step_errors_add(const step_errors *e, long window);

/** Both, with the matrix that is factored. */
void step_errors_end(const step_errors *e, long window);

/** Add, of a driven motion, what its positions do within steps and velocities at the ends do not
 * say. */
void step_errors_add_unseen(const step_errors *e, long window);

#endif
