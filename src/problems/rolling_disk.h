/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_ROLLING_DISK_H
#define TORSOR_PROBLEMS_ROLLING_DISK_H

/** Rolling disk of S0 eq. 7.2 in five coordinates with two nonholonomic rows: the equations of the
 *  Lagrangian that is printed there.  The printed f4 lacks I2 z5 cos(y3) in the bracket times
 *  -z3. */

#include <torsor/integrator.h>

enum { ROLLING_DISK_Q = 5, ROLLING_DISK_ROWS = 2 };

torsor_dense rolling_disk_dense(void);

/** q [5], v [5] at t = 0. */
void rolling_disk_initial(double *q, double *v);

/** A state of the motion. */
typedef struct rolling_disk_state {
  double q[ROLLING_DISK_Q], v[ROLLING_DISK_Q], a[ROLLING_DISK_Q], psi[ROLLING_DISK_ROWS];
} rolling_disk_state;

/** Motion at n h for n = 0 .. count - 1: classical Runge-Kutta of order 4 in long double on the
 *  accelerations of the index-1 form with `substeps` a step. */
void rolling_disk_reference(rolling_disk_state *out, int count, double h, int substeps);

#endif
