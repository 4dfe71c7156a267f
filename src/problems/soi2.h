/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_SOI2_H
#define TORSOR_PROBLEMS_SOI2_H

/** Jay and Negrut's test problem for overdetermined index 2 (S1 section 8, with the print's damage
 *  mended): a mass matrix that depends on t and q and is not symmetric, a holonomic row that
 *  depends on no t, a nonholonomic one that is not linear in v, forces that are not linear in the
 *  multipliers. q = (e^t, e^-2t), lambda = e^-t, psi = e^t. */

#include <torsor/integrator.h>

torsor_dense soi2_dense(void);

/** q [2], v [2], v' [2], (lambda, psi) [2]. */
void soi2_exact(double t, double *q, double *v, double *a, double *lambda);

#endif
