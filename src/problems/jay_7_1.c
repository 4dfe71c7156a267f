/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/jay_7_1.h"

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
  g[0] = -exp(t) * (q[0] * v[1] + 2 * q[1] * v[0]);
  g[1] = -exp(-t) * (q[1] * v[1] / 2 - 2 * q[0] * v[0] * q[1] * v[1]);
}

static void reaction(void *data, double t, const double *q, const double *v, const double *psi,
                     double *out) {
  (void)data, (void)v;
  out[0] = -exp(2 * t) * q[0] * psi[0];
  out[1] = -exp(-t) * q[1] * psi[0] * psi[0];
}

static void rate(void *data, double t, const double *q, const double *v, double *k) {
  (void)data, (void)t;
  k[0] = v[0] * v[0] * v[1] + 6 * q[0] * q[1] * v[0] - 4;
}

torsor_dense jay_7_1_dense(void) {
  static const double psi0[1] = {1};
  return (torsor_dense){.nq = 2,
                        .nv = 2,
                        .nl = 1,
                        .nonholonomic = 1,
                        .length = 1,
                        .mass = mass,
                        .force = force,
                        .rate = rate,
                        .reaction = reaction,
                        .lambda0 = psi0};
}

void jay_7_1_exact(double t, double *q, double *v, double *a, double *psi) {
  q[0] = v[0] = a[0] = exp(t);
  q[1] = exp(-2 * t);
  v[1] = -2 * q[1];
  a[1] = 4 * q[1];
  psi[0] = exp(-t);
}
