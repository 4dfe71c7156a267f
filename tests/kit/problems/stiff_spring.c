/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/stiff_spring.h"

#include <math.h>
#include <string.h>

static void unit_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = M[8] = 1;
}

static void spring(void *data, double t, const double *q, const double *v, double *g) {
  (void)t, (void)v;
  const double length = hypot(q[0], q[1]), pull = *(const double *)data * (length - 1) / length;
  g[0] = pull * q[0];
  g[1] = pull * q[1] + 9.81;
  g[2] = 0;
}

static void surface(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = q[2] - q[0] * q[1];
}

static void surface_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = -q[1];
  B[1] = -q[0];
  B[2] = 1;
}

torsor_dense stiff_spring_dense(double *stiffness) {
  return (torsor_dense){.data = stiffness,
                        .nq = 3,
                        .nv = 3,
                        .nl = 1,
                        .length = 1,
                        .mass = unit_mass,
                        .force = spring,
                        .constraint = surface,
                        .gradient = surface_gradient};
}
