/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/soi2.h"

#include <math.h>

static void mass(void *data, double t, const double *q, double *M) {
  (void)data;
  M[0] = q[0];
  M[1] = q[1] - exp(-2 * t);
  M[2] = sin(q[0] - exp(t));
  M[3] = q[0] * q[1];
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data;
  g[0] = -(exp(t) * (q[0] * v[1] + 2 * q[1] * v[0]) - 2);
  g[1] = -(exp(-t) * (q[1] * v[1] / 2 - 2 * q[0] * v[0] * q[1] * v[1]) + exp(4 * t));
}

static void reaction(void *data, double t, const double *q, const double *v, const double *lambda,
                     double *out) {
  (void)data;
  out[0] = -(exp(2 * t) * q[0] * lambda[0] - q[0] * v[1] * lambda[1]);
  out[1] = -(exp(-t) * q[1] * lambda[0] * lambda[0] - q[0] * v[0] * lambda[1] * lambda[1]);
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

static void rate(void *data, double t, const double *q, const double *v, double *k) {
  (void)data, (void)t;
  k[0] = q[0] * v[0] * v[1] + 2;
}

torsor_dense soi2_dense(void) {
  static const double lambda0[2] = {1, 1};
  return (torsor_dense){.nq = 2,
                        .nv = 2,
                        .nl = 2,
                        .nonholonomic = 1,
                        .length = 1,
                        .mass = mass,
                        .force = force,
                        .constraint = constraint,
                        .gradient = gradient,
                        .rate = rate,
                        .reaction = reaction,
                        .lambda0 = lambda0};
}

void soi2_exact(double t, double *q, double *v, double *a, double *lambda) {
  q[0] = v[0] = a[0] = exp(t);
  q[1] = exp(-2 * t);
  v[1] = -2 * q[1];
  a[1] = 4 * q[1];
  lambda[0] = exp(-t);
  lambda[1] = exp(t);
}
