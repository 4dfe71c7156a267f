/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_STAGE_KIT_H
#define TORSOR_INTEGRATOR_STAGE_KIT_H

/** Shared by methods whose stages have accelerations or forces and multipliers as unknowns, y [nv +
 * nl], and saddle-point matrices. */

#include "integrator/extrapolation.h"
#include "integrator/newton.h"
#include "integrator/saddle.h"

/** Sets the lengths of the past values from which a stage is predicted. */
void stage_set_past(extrapolation *past, const torsor_problem *problem);

/** Sets the corrections x [nv + nl] of a stage, in two blocks, for Newton's iteration. */
void stage_set_newton(newton *n, double *x, const torsor_problem *problem);

/** Starts Newton's iteration and the past values anew; the first past value is (a, lambda). */
void stage_begin(newton *n, extrapolation *past, const double *a, const double *lambda);

/** Adds the correction x of the matrix k M to y; the rows of forces were divided by the scale of
 * masses. */
void stage_add(double *y, const double *x, const saddle *systems, double k);

/** `measure` of a newton_system for which nothing is measured. */
void stage_measure_nothing(void *self, const double *x);

#endif
