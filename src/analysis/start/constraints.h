/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONSTRAINTS_H
#define TORSOR_ANALYSIS_CONSTRAINTS_H

#include <torsor/base.h>

#include "assembly/assembly.h"
#include "assembly/rank.h"

/** Finds the rank of the constraint gradient at t = 0 and q. */
torsor_status constraints_rank(row_rank *out, assembly *a, const double *q);
/** Does the same at the time and the configuration of p. */
torsor_status constraints_rank_at(row_rank *out, assembly *a, const torsor_point *p);

/** Values typed with six digits are off by 1e-6 of their size: what is closer counts as meant to
 * fit and is moved onto the constraints (and reported); what is farther is refused. */
#define DECIMAL_ROUNDING 1e-6

/** Returns the largest |x_i|/scale_i [n] and its index; an entry that is not zero where the scale
 * is 0 is infinite. */
double constraints_largest(const double *x, const double *scale, int n, int *at);

/** Refuses initial values with INCONSISTENT: the initial `what` ("positions") violate constraint
 * `row` by `value`. */
torsor_status constraints_refuse(const torsor_model *model, int row, double value, const char *what,
                                 const char *hint, torsor_error *error);

/** Returns a constraint row that nearly depends on earlier ones, since a dead centre is near, at
 * `p` or on the way on which velocities and accelerations lead within a time h.  Where rows are
 * `redundant` from the start, those that depend on others exactly do not count.  -1 = none (or no
 * memory). */
int constraints_nearly_dependent_ahead(assembly *a, const torsor_point *p, double h,
                                       bool redundant);

/** Describes the redundant rows of an assembly, but for those that it ignores, in out [size]: "k of
 * m constraint rows are redundant, ...".  Returns false where there are none. */
bool constraints_describe(char *out, size_t size, const row_rank *rank, const assembly *a);

#endif
