/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_HEAVY_TOP_H
#define TORSOR_PROBLEMS_HEAVY_TOP_H

/** Heavy top of S4 section 5 with hand-coded equations on three groups.  lambda is the paper's: the
 *  force at the centre of mass in inertial axes, Phi = -x + R X. */

#include <torsor/integrator.h>
#include <torsor/lie/types.h>

typedef enum heavy_top_group {
  HEAVY_TOP_R3SO3, /* q = (x, quaternion), v = (x', Omega)                      */
  HEAVY_TOP_SE3,   /* q = (x, quaternion), v = (R^T x', Omega)                  */
  HEAVY_TOP_SO3    /* q = quaternion, v = Omega: no constraints, about the pivot */
} heavy_top_group;

/** Problem of the group; no data needed. */
torsor_dense heavy_top_dense(heavy_top_group group);

/** Initial values: R = I, Omega = (0, 150, -4.61538). */
void heavy_top_initial(double q[7], double v[6], heavy_top_group group);

/** Motion of the top. */
typedef struct heavy_top_motion {
  so3 R;
  v3 x, velocity, omega, lambda;     /* velocity inertial, omega in body axes */
  v3 acceleration, omega_derivative; /* of the reference only: x'' and Omega' */
} heavy_top_motion;

/** Motion that a state of the problem describes (lambda from the state, not for SO3). */
heavy_top_motion heavy_top_from_state(const torsor_state *state, heavy_top_group group);

/** Reference at n h for n = 0 .. count - 1: classical Runge-Kutta of order 4 in long double on the
 *  equations about the pivot with `substeps` a step. */
void heavy_top_reference(heavy_top_motion *out, int count, double h, int substeps);

#endif
