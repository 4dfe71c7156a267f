/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/pendulum.h"

#include <math.h>

#include <gsl/gsl_sf_ellint.h>
#include <gsl/gsl_sf_elljac.h>

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  g[0] = 0;
  g[1] = PENDULUM_GRAVITY;
}

static void constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = q[0];
  B[1] = q[1];
}

static void hidden(void *data, double t, const double *q, const double *v, double *phi_a) {
  (void)data, (void)t, (void)q;
  phi_a[0] = v[0] * v[0] + v[1] * v[1];
}

torsor_dense pendulum_dense(void) {
  return (torsor_dense){.nq = 2,
                        .nv = 2,
                        .nl = 1,
                        .length = 1,
                        .conservative = true,
                        .mass = mass,
                        .force = force,
                        .constraint = constraint,
                        .gradient = gradient,
                        .hidden = hidden};
}

/* sin(angle/2) = k sn(sqrt(g) t + phase | k^2) with k^2 = 1/(4 g); the angle is 0 below. */
static void angle_at(double *angle, double *rate, double t, double x0) {
  const double k = 0.5 / sqrt(PENDULUM_GRAVITY);
  const double phase = gsl_sf_ellint_F(asin(sin(asin(x0) / 2) / k), k, GSL_PREC_DOUBLE);
  double sn, cn, dn;
  gsl_sf_elljac_e(sqrt(PENDULUM_GRAVITY) * t + phase, k * k, &sn, &cn, &dn);
  *angle = 2 * asin(k * sn);
  *rate = cn; /* 2 k sqrt(g) cn */
}

void pendulum_motion(double q[2], double v[2], double t, double x0) {
  double angle, rate;
  angle_at(&angle, &rate, t, x0);
  q[0] = sin(angle);
  q[1] = -cos(angle);
  v[0] = -q[1] * rate;
  v[1] = q[0] * rate;
}

void pendulum_initial(double q[2], double v[2], double x0) {
  q[0] = x0;
  q[1] = -sqrt(1 - x0 * x0);
  const double rate = sqrt(1 - 2 * PENDULUM_GRAVITY * (1 + q[1]));
  v[0] = -q[1] * rate;
  v[1] = q[0] * rate;
}

double pendulum_lambda(double t, double x0) {
  double q[2], v[2];
  pendulum_motion(q, v, t, x0);
  return v[0] * v[0] + v[1] * v[1] - PENDULUM_GRAVITY * q[1];
}
