/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_PENDULUM_H
#define TORSOR_PROBLEMS_PENDULUM_H

/** Mathematical pendulum of S4 example 1: q = (x, y), Phi = (x^2 + y^2 - 1)/2, m = l = 1, g = 9.81,
 *  energy 1/2 - g, positive x'. */

#include <torsor/integrator.h>

#define PENDULUM_GRAVITY 9.81

torsor_dense pendulum_dense(void);

void pendulum_initial(double q[2], double v[2], double x0);

/** lambda at time t after the start at x0, by Jacobi's elliptic functions. */
double pendulum_lambda(double t, double x0);

/** (x, y) and (x', y') there. */
void pendulum_motion(double q[2], double v[2], double t, double x0);

#endif
