/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/hht.h"

#include <math.h>
#include <string.h>

/* ---- section 5.1 -------------------------------------------------------------------------- */

static void unit_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t;
  g[0] = -(q[0] * v[1] + 2 * q[1] * v[0]);
  g[1] = -(q[1] * v[1] / 2 - 2 * q[0] * v[0] * q[1] * v[1]);
}

static void reaction(void *data, double t, const double *q, const double *v, const double *lambda,
                     double *out) {
  (void)data, (void)v;
  out[0] = -exp(t) * q[0] * lambda[0];
  out[1] = -q[1] * lambda[0] * lambda[0];
}

static void constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = q[0] * q[0] * q[1] - 1;
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = 2 * q[0] * q[1];
  B[1] = q[0] * q[0];
}

torsor_dense hht_5_1_dense(void) {
  static const double lambda0[1] = {1};
  return (torsor_dense){.nq = 2,
                        .nv = 2,
                        .nl = 1,
                        .length = 1,
                        .mass = unit_mass,
                        .force = force,
                        .constraint = constraint,
                        .gradient = gradient,
                        .reaction = reaction,
                        .lambda0 = lambda0};
}

void hht_5_1_exact(double t, double *q, double *v, double *f, double *lambda) {
  q[0] = v[0] = exp(t);
  q[1] = exp(-2 * t);
  v[1] = -2 * q[1];
  f[0] = q[0] * v[1] + 2 * q[1] * v[0];
  f[1] = q[1] * v[1] / 2 - 2 * q[0] * v[0] * q[1] * v[1];
  lambda[0] = exp(-t);
}

/* ---- section 5.2 -------------------------------------------------------------------------- */

static const double MASS = 5, LENGTH = 2, STIFFNESS = 3000, DAMPING = 100, GRAVITY = 9.81;
static const double REST = 4.71238898038468985769; /* 3 pi/2 */

static void bar_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = MASS;
  M[8] = MASS * LENGTH * LENGTH / 3;
}

static void bar_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t;
  g[0] = 0;
  g[1] = MASS * GRAVITY;
  g[2] = DAMPING * v[2] + STIFFNESS * (q[2] - REST);
}

static void bar_constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = q[0] - LENGTH * cos(q[2]);
  phi[1] = q[1] - LENGTH * sin(q[2]);
}

static void bar_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = B[4] = 1;
  B[1] = B[3] = 0;
  B[2] = LENGTH * sin(q[2]);
  B[5] = -LENGTH * cos(q[2]);
}

torsor_dense hht_pendulum_dense(void) {
  return (torsor_dense){.nq = 3,
                        .nv = 3,
                        .nl = 2,
                        .length = LENGTH,
                        .mass = bar_mass,
                        .force = bar_force,
                        .constraint = bar_constraint,
                        .gradient = bar_gradient};
}

void hht_pendulum_initial(double q[3], double v[3]) {
  const double rate = 10;
  q[2] = REST;
  q[0] = LENGTH * cos(REST);
  q[1] = LENGTH * sin(REST);
  v[0] = -LENGTH * sin(REST) * rate;
  v[1] = LENGTH * cos(REST) * rate;
  v[2] = rate;
}

/* (4 m L^2/3) y'' + c y' + k (y - 3 pi/2) + m g L cos y = 0. */
static long double bar_acceleration(long double y, long double rate) {
  const long double m = (long double)MASS, l = (long double)LENGTH, g = (long double)GRAVITY;
  const long double c = (long double)DAMPING, k = (long double)STIFFNESS;
  const long double moment = c * rate + k * (y - (long double)REST) + m * g * l * cosl(y);
  return -moment / (4 * m * l * l / 3);
}

static void bar_advance(long double y[2], long double h) {
  const long double k1 = bar_acceleration(y[0], y[1]), v2 = y[1] + h / 2 * k1;
  const long double k2 = bar_acceleration(y[0] + h / 2 * y[1], v2), v3 = y[1] + h / 2 * k2;
  const long double k3 = bar_acceleration(y[0] + h / 2 * v2, v3), v4 = y[1] + h * k3;
  const long double k4 = bar_acceleration(y[0] + h * v3, v4);
  y[0] += h / 6 * (y[1] + 2 * (v2 + v3) + v4);
  y[1] += h / 6 * (k1 + 2 * (k2 + k3) + k4);
}

void hht_pendulum_reference(double *q, double *v, double *a, double *lambda, int count, double h,
                            int substeps) {
  double q0[3], v0[3];
  hht_pendulum_initial(q0, v0);
  long double y[2] = {(long double)q0[2], (long double)v0[2]};
  for (int n = 0; n < count; ++n, q += 3, v += 3, a += 3, lambda += 2) {
    const double c = (double)cosl(y[0]), s = (double)sinl(y[0]), rate = (double)y[1];
    const double second = (double)bar_acceleration(y[0], y[1]);
    q[0] = LENGTH * c;
    q[1] = LENGTH * s;
    q[2] = (double)y[0];
    v[0] = -LENGTH * s * rate;
    v[1] = LENGTH * c * rate;
    v[2] = rate;
    a[0] = -LENGTH * (s * second + c * rate * rate);
    a[1] = LENGTH * (c * second - s * rate * rate);
    a[2] = second;
    lambda[0] = -MASS * a[0];
    lambda[1] = -MASS * (a[1] + GRAVITY);
    for (int k = 0; k < substeps; ++k) bar_advance(y, (long double)h / substeps);
  }
}
