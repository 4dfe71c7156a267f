/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/heavy_top.h"

#include <string.h>

#include <torsor/lie/r3so3.h>
#include <torsor/lie/se3.h>
#include <torsor/lie/so3.h>

static const double MASS = 15;
static const double INERTIA[3] = {0.234375, 0.46875, 0.234375};
/* About the pivot, one unit below the centre along the spin axis. */
static const double INERTIA_PIVOT[3] = {15.234375, 0.46875, 15.234375};
static const v3 ARM = {0, 1, 0};
static const double GRAVITY = -9.81;
static const double SPIN[3] = {0, 150, -4.61538};

static void put_block(double *M, int stride, int row, int column, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[(row + i) * stride + column + j] = block.m[i][j];
}

static void put_m6(double *M, m6 A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) M[i * 6 + j] = A.m[i][j];
}

static twist load_twist(const double *u) {
  return (twist){v3_load(u), v3_load(u + 3)};
}

static void store_twist(double *out, twist t) {
  v3_store(out, t.lin);
  v3_store(out + 3, t.ang);
}

static v3 times_diagonal(const double d[3], v3 a) {
  return (v3){d[0] * a.x, d[1] * a.y, d[2] * a.z};
}

static v3 gyroscopic(const double inertia[3], v3 w) {
  return v3_cross(w, times_diagonal(inertia, w));
}

static v3 weight(void) {
  return (v3){0, 0, MASS * GRAVITY};
}

/* ---- both groups of dimension 6 ------------------------------------------------------------ */

static void mass6(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 36 * sizeof *M);
  for (int i = 0; i < 3; ++i) {
    M[i * 7] = MASS;
    M[(i + 3) * 7] = INERTIA[i];
  }
}

static void constraint6(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  const se3 H = se3_load(q);
  v3_store(phi, v3_sub(so3_rotate(H.R, ARM), H.x));
}

/* ---- R^3 x SO(3) ----------------------------------------------------------------------------- */

static void force_r3so3(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q;
  v3_store(g, v3_neg(weight()));
  v3_store(g + 3, gyroscopic(INERTIA, v3_load(v + 3)));
}

static void gradient_r3so3(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  const m3 R = so3_matrix(se3_load(q).R);
  put_block(B, 6, 0, 0, m3_scale(m3_identity(), -1));
  put_block(B, 6, 0, 3, m3_scale(m3_mul(R, m3_skew(ARM)), -1));
}

static void hidden_r3so3(void *data, double t, const double *q, const double *v, double *phi_a) {
  (void)data, (void)t;
  const v3 w = v3_load(v + 3);
  v3_store(phi_a, so3_rotate(se3_load(q).R, v3_cross(w, v3_cross(w, ARM))));
}

static void plus_r3so3(void *data, double *q1, const double *q, const double *u) {
  (void)data;
  se3_store(q1, r3so3_plus(se3_load(q), load_twist(u)));
}

static void minus_r3so3(void *data, double *u, const double *q1, const double *q0) {
  (void)data;
  store_twist(u, r3so3_minus(se3_load(q1), se3_load(q0)));
}

static void tan_r3so3(void *data, double *T, const double *u) {
  (void)data;
  put_m6(T, r3so3_tan(load_twist(u)));
}

static void bracket_r3so3(void *data, double *out, const double *a, const double *b) {
  (void)data;
  store_twist(out, r3so3_ad_apply(load_twist(a), load_twist(b)));
}

/* ---- SE(3) ----------------------------------------------------------------------------------- */

static void force_se3(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t;
  const twist V = load_twist(v);
  const v3 inertial = v3_scale(v3_cross(V.ang, V.lin), MASS);
  v3_store(g, v3_sub(inertial, so3_rotate_inverse(se3_load(q).R, weight())));
  v3_store(g + 3, gyroscopic(INERTIA, V.ang));
}

static void gradient_se3(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  const m3 R = so3_matrix(se3_load(q).R);
  put_block(B, 6, 0, 0, m3_scale(R, -1));
  put_block(B, 6, 0, 3, m3_scale(m3_mul(R, m3_skew(ARM)), -1));
}

static void hidden_se3(void *data, double t, const double *q, const double *v, double *phi_a) {
  (void)data, (void)t;
  const twist V = load_twist(v);
  const v3 slip = v3_sub(v3_cross(V.ang, ARM), V.lin);
  v3_store(phi_a, so3_rotate(se3_load(q).R, v3_cross(V.ang, slip)));
}

static void plus_se3(void *data, double *q1, const double *q, const double *u) {
  (void)data;
  se3_store(q1, se3_plus(se3_load(q), load_twist(u)));
}

static void minus_se3(void *data, double *u, const double *q1, const double *q0) {
  (void)data;
  store_twist(u, se3_minus(se3_load(q1), se3_load(q0)));
}

static void tan_se3(void *data, double *T, const double *u) {
  (void)data;
  put_m6(T, se3_tan(load_twist(u)));
}

static void bracket_se3(void *data, double *out, const double *a, const double *b) {
  (void)data;
  store_twist(out, se3_ad_apply(load_twist(a), load_twist(b)));
}

/* ---- SO(3) ----------------------------------------------------------------------------------- */

static void mass_so3(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  for (int i = 0; i < 3; ++i) M[i * 4] = INERTIA_PIVOT[i];
}

static void force_so3(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t;
  const v3 moment = v3_cross(ARM, so3_rotate_inverse(so3_load(q), weight()));
  v3_store(g, v3_sub(gyroscopic(INERTIA_PIVOT, v3_load(v)), moment));
}

static void plus_so3(void *data, double *q1, const double *q, const double *u) {
  (void)data;
  so3_store(q1, so3_plus(so3_load(q), v3_load(u)));
}

static void minus_so3(void *data, double *u, const double *q1, const double *q0) {
  (void)data;
  v3_store(u, so3_minus(so3_load(q1), so3_load(q0)));
}

static void tan_so3(void *data, double *T, const double *u) {
  (void)data;
  put_block(T, 3, 0, 0, so3_tan(v3_load(u)));
}

static void bracket_so3(void *data, double *out, const double *a, const double *b) {
  (void)data;
  v3_store(out, v3_cross(v3_load(a), v3_load(b)));
}

/* ---- outside --------------------------------------------------------------------------------- */

torsor_dense heavy_top_dense(heavy_top_group group) {
  torsor_dense d = {.nq = 7,
                    .nv = 6,
                    .nl = 3,
                    .length = 1,
                    .conservative = true,
                    .mass = mass6,
                    .force = force_r3so3,
                    .constraint = constraint6,
                    .gradient = gradient_r3so3,
                    .hidden = hidden_r3so3,
                    .plus = plus_r3so3,
                    .tan = tan_r3so3,
                    .bracket = bracket_r3so3,
                    .minus = minus_r3so3};
  if (group == HEAVY_TOP_SE3) {
    d.force = force_se3;
    d.gradient = gradient_se3;
    d.hidden = hidden_se3;
    d.plus = plus_se3;
    d.tan = tan_se3;
    d.bracket = bracket_se3;
    d.minus = minus_se3;
  } else if (group == HEAVY_TOP_SO3) {
    d = (torsor_dense){.nq = 4,
                       .nv = 3,
                       .length = 1,
                       .conservative = true,
                       .mass = mass_so3,
                       .force = force_so3,
                       .plus = plus_so3,
                       .tan = tan_so3,
                       .bracket = bracket_so3,
                       .minus = minus_so3};
  }
  return d;
}

void heavy_top_initial(double q[7], double v[6], heavy_top_group group) {
  const v3 w = v3_load(SPIN);
  const se3 H = {so3_identity(), ARM};
  if (group == HEAVY_TOP_SO3) {
    so3_store(q, H.R);
    v3_store(v, w);
  } else {
    se3_store(q, H);
    v3_store(v, v3_cross(w, ARM));
    v3_store(v + 3, w);
  }
}

heavy_top_motion heavy_top_from_state(const torsor_state *state, heavy_top_group group) {
  heavy_top_motion m = {0};
  if (group == HEAVY_TOP_SO3) {
    m.R = so3_load(state->q);
    m.omega = v3_load(state->v);
    m.x = so3_rotate(m.R, ARM);
    m.velocity = so3_rotate(m.R, v3_cross(m.omega, ARM));
    return m;
  }
  const se3 H = se3_load(state->q);
  const twist V = load_twist(state->v);
  m.R = H.R;
  m.x = H.x;
  m.omega = V.ang;
  m.velocity = group == HEAVY_TOP_SE3 ? so3_rotate(H.R, V.lin) : V.lin;
  m.lambda = v3_load(state->lambda);
  return m;
}

/* ---- reference ------------------------------------------------------------------------------- */

/* y = quaternion, Omega. */
static void derivative(long double out[7], const long double y[7]) {
  const long double w = y[0], a = y[1], b = y[2], c = y[3], p = y[4], q = y[5], r = y[6];
  out[0] = -(a * p + b * q + c * r) / 2;
  out[1] = (w * p + b * r - c * q) / 2;
  out[2] = (w * q + c * p - a * r) / 2;
  out[3] = (w * r + a * q - b * p) / 2;
  /* Weight in body axes is the third row of R times it; its moment is ARM x that. */
  const long double W = (long double)MASS * (long double)GRAVITY;
  const long double wx = W * 2 * (a * c - w * b), wz = W * (1 - 2 * (a * a + b * b));
  const long double A = (long double)INERTIA_PIVOT[0], B = (long double)INERTIA_PIVOT[1];
  out[4] = (wz - (A - B) * q * r) / A;
  out[5] = 0;
  out[6] = (-wx + (A - B) * p * q) / A;
}

static void runge_kutta(long double y[7], long double h) {
  long double k1[7], k2[7], k3[7], k4[7], z[7];
  derivative(k1, y);
  for (int i = 0; i < 7; ++i) z[i] = y[i] + h / 2 * k1[i];
  derivative(k2, z);
  for (int i = 0; i < 7; ++i) z[i] = y[i] + h / 2 * k2[i];
  derivative(k3, z);
  for (int i = 0; i < 7; ++i) z[i] = y[i] + h * k3[i];
  derivative(k4, z);
  for (int i = 0; i < 7; ++i) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

static heavy_top_motion motion_at(const long double y[7]) {
  long double d[7];
  derivative(d, y);
  heavy_top_motion m;
  m.R = so3_from_quaternion((double)y[0], (double)y[1], (double)y[2], (double)y[3]);
  m.omega = (v3){(double)y[4], (double)y[5], (double)y[6]};
  m.x = so3_rotate(m.R, ARM);
  m.velocity = so3_rotate(m.R, v3_cross(m.omega, ARM));
  m.omega_derivative = (v3){(double)d[4], (double)d[5], (double)d[6]};
  const v3 centripetal = v3_cross(m.omega, v3_cross(m.omega, ARM));
  m.acceleration = so3_rotate(m.R, v3_add(v3_cross(m.omega_derivative, ARM), centripetal));
  m.lambda = v3_sub(v3_scale(m.acceleration, MASS), weight());
  return m;
}

void heavy_top_reference(heavy_top_motion *out, int count, double h, int substeps) {
  long double y[7] = {1, 0, 0, 0, (long double)SPIN[0], (long double)SPIN[1], (long double)SPIN[2]};
  const long double substep = (long double)h / substeps;
  for (int n = 0; n < count; ++n) {
    out[n] = motion_at(y);
    for (int k = 0; k < substeps; ++k) runge_kutta(y, substep);
  }
}
