/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/cubic.h"

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = 1;
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  g[0] = 0;
}

static void constraint(void *data, double t, const double *q, double *phi) {
  (void)data;
  phi[0] = q[0] - t * t * t;
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t, (void)q;
  B[0] = 1;
}

static void constraint_rate(void *data, double t, const double *q, double *phi_t) {
  (void)data, (void)q;
  phi_t[0] = -3 * t * t;
}

static void hidden(void *data, double t, const double *q, const double *v, double *phi_a) {
  (void)data, (void)q, (void)v;
  phi_a[0] = -6 * t;
}

torsor_dense cubic_dense(void) {
  return (torsor_dense){.nq = 1,
                        .nv = 1,
                        .nl = 1,
                        .length = 1,
                        .conservative = true,
                        .mass = mass,
                        .force = force,
                        .constraint = constraint,
                        .gradient = gradient,
                        .constraint_rate = constraint_rate,
                        .hidden = hidden};
}
