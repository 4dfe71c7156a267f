/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_HHT_H
#define TORSOR_PROBLEMS_HHT_H

/** The two test problems of S3. */

#include <torsor/integrator.h>

/** Section 5.1: one holonomic row, forces that are not linear in its multiplier.  q = (e^t, e^-2t),
 *  lambda = e^-t. */
torsor_dense hht_5_1_dense(void);

/** q [2], v [2], forces without the multiplier f [2], lambda [1]. */
void hht_5_1_exact(double t, double *q, double *v, double *f, double *lambda);

/** Section 5.2: a bar of length 2 L on a pin with a torsional spring and damper, q = (x, y,
 *  angle). */
torsor_dense hht_pendulum_dense(void);
void hht_pendulum_initial(double q[3], double v[3]);

/** q, v, v' and lambda at n h for n = 0 .. count - 1, [count x 3] and [count x 2]: classical
 *  Runge-Kutta of order 4 in long double on the angle with `substeps` a step. */
void hht_pendulum_reference(double *q, double *v, double *a, double *lambda, int count, double h,
                            int substeps);

#endif
