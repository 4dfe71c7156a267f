/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_JAY_7_1_H
#define TORSOR_PROBLEMS_JAY_7_1_H

/** Jay's test problem of index 2 (S0 eq. 7.1): a mass matrix that depends on t and q and is not
 *  symmetric, a nonholonomic row that is not linear in v, forces that are not linear in its
 *  multiplier. q = (e^t, e^-2t), psi = e^-t. */

#include <torsor/integrator.h>

torsor_dense jay_7_1_dense(void);

/** q [2], v [2], v' [2], psi [1]. */
void jay_7_1_exact(double t, double *q, double *v, double *a, double *psi);

#endif
