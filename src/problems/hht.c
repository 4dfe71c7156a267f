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
