/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/rolling_disk.h"

#include <math.h>
#include <string.h>

enum { N = ROLLING_DISK_Q, ROWS = ROLLING_DISK_ROWS, SIZE = N + ROWS };

typedef long double real;

/* r = 1 is left out of the products. */
static const real MASS = 2, INERTIA = 2, INERTIA_AXIS = 2, GRAVITY = 10;

/* The sines and cosines of y3 and y4. */
typedef struct angles {
  real s3, c3, s4, c4;
} angles;

static angles angles_of(const real *q) {
  return (angles){sinl(q[2]), cosl(q[2]), sinl(q[3]), cosl(q[3])};
}

static void mass_matrix(real M[N][N], const real *q) {
  const angles x = angles_of(q);
  const real m = MASS, I1 = INERTIA, I2 = INERTIA_AXIS;
  memset(M, 0, N * sizeof *M);
  M[0][0] = M[1][1] = m;
  M[0][2] = M[2][0] = -m * x.c3 * x.s4;
  M[0][3] = M[3][0] = -m * x.s3 * x.c4;
  M[1][2] = M[2][1] = m * x.c3 * x.c4;
  M[1][3] = M[3][1] = -m * x.s3 * x.s4;
  M[2][2] = m + I1;
  M[3][3] = m * x.s3 * x.s3 + I1 * x.c3 * x.c3 + I2 * x.s3 * x.s3;
  M[3][4] = M[4][3] = I2 * x.s3;
  M[4][4] = I2;
}

static void applied(real f[N], const real *q, const real *v) {
  const angles x = angles_of(q);
  const real m = MASS, I1 = INERTIA, I2 = INERTIA_AXIS, g = GRAVITY;
  const real z3 = v[2], z4 = v[3], z5 = v[4];
  f[0] = m * (-(z3 * z3 + z4 * z4) * x.s3 * x.s4 + 2 * z3 * z4 * x.c3 * x.c4);
  f[1] = m * ((z3 * z3 + z4 * z4) * x.s3 * x.c4 + 2 * z3 * z4 * x.c3 * x.s4);
  f[2] = (I2 - I1 + m) * z4 * z4 * x.s3 * x.c3 + I2 * z4 * z5 * x.c3 + m * g * x.s3;
  f[3] = z3 * x.c3 * (2 * (I1 - I2 - m) * z4 * x.s3 - I2 * z5);
  f[4] = -I2 * z3 * z4 * x.c3;
}

static void rows(real B[ROWS][N], const real *q) {
  const angles x = angles_of(q);
  memset(B, 0, ROWS * sizeof *B);
  B[0][0] = B[1][1] = 1;
  B[0][4] = -x.c4;
  B[1][4] = -x.s4;
}

/* ---- as a dense problem ------------------------------------------------------------------- */

static void widen(real *out, const double *x) {
  for (int i = 0; i < N; ++i) out[i] = (real)x[i];
}

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t;
  real y[N], wide[N][N];
  widen(y, q);
  mass_matrix(wide, y);
  for (int i = 0; i < N * N; ++i) M[i] = (double)wide[i / N][i % N];
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t;
  real y[N], z[N], f[N];
  widen(y, q);
  widen(z, v);
  applied(f, y, z);
  for (int i = 0; i < N; ++i) g[i] = -(double)f[i];
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  real y[N], wide[ROWS][N];
  widen(y, q);
  rows(wide, y);
  for (int i = 0; i < ROWS * N; ++i) B[i] = (double)wide[i / N][i % N];
}

torsor_dense rolling_disk_dense(void) {
  return (torsor_dense){.nq = N,
                        .nv = N,
                        .nl = ROWS,
                        .nonholonomic = ROWS,
                        .length = 1,
                        .mass = mass,
                        .force = force,
                        .gradient = gradient};
}

void rolling_disk_initial(double *q, double *v) {
  static const double q0[N] = {0.1, 0, 0.3, 0, 1}, v0[N] = {0.1, 0, 0.02, -0.02, 0.1};
  memcpy(q, q0, sizeof q0);
  memcpy(v, v0, sizeof v0);
}

/* ---- reference ---------------------------------------------------------------------------- */

/* x = A^-1 x with partial pivoting. */
static void eliminate(real A[SIZE][SIZE], real x[SIZE]) {
  for (int k = 0; k < SIZE; ++k) {
    int pivot = k;
    for (int i = k + 1; i < SIZE; ++i)
      if (fabsl(A[i][k]) > fabsl(A[pivot][k])) pivot = i;
    for (int j = 0; j < SIZE; ++j) {
      const real swap = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = swap;
    }
    const real swap = x[k];
    x[k] = x[pivot];
    x[pivot] = swap;
    for (int i = k + 1; i < SIZE; ++i) {
      const real factor = A[i][k] / A[k][k];
      for (int j = k; j < SIZE; ++j) A[i][j] -= factor * A[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = SIZE - 1; k >= 0; --k) {
    for (int j = k + 1; j < SIZE; ++j) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
}

/* x = (v', psi) from [[M, B^T], [B, 0]] x = (f, -B' v). */
static void accelerations(real x[SIZE], const real *q, const real *v) {
  real A[SIZE][SIZE] = {{0}}, M[N][N], B[ROWS][N];
  const angles at = angles_of(q);
  mass_matrix(M, q);
  rows(B, q);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) A[i][j] = M[i][j];
    for (int j = 0; j < ROWS; ++j) A[i][N + j] = A[N + j][i] = B[j][i];
  }
  applied(x, q, v);
  x[N] = -at.s4 * v[3] * v[4];
  x[N + 1] = at.c4 * v[3] * v[4];
  eliminate(A, x);
}

static void derivative(real out[2 * N], const real y[2 * N]) {
  real x[SIZE];
  accelerations(x, y, y + N);
  memcpy(out, y + N, N * sizeof *out);
  memcpy(out + N, x, N * sizeof *out);
}

static void runge_kutta(real y[2 * N], real h) {
  real k1[2 * N], k2[2 * N], k3[2 * N], k4[2 * N], z[2 * N];
  derivative(k1, y);
  for (int i = 0; i < 2 * N; ++i) z[i] = y[i] + h / 2 * k1[i];
  derivative(k2, z);
  for (int i = 0; i < 2 * N; ++i) z[i] = y[i] + h / 2 * k2[i];
  derivative(k3, z);
  for (int i = 0; i < 2 * N; ++i) z[i] = y[i] + h * k3[i];
  derivative(k4, z);
  for (int i = 0; i < 2 * N; ++i) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

void rolling_disk_reference(rolling_disk_state *out, int count, double h, int substeps) {
  double q[N], v[N];
  real y[2 * N], x[SIZE];
  rolling_disk_initial(q, v);
  widen(y, q);
  widen(y + N, v);
  for (int n = 0; n < count; ++n) {
    accelerations(x, y, y + N);
    for (int i = 0; i < N; ++i) {
      out[n].q[i] = (double)y[i];
      out[n].v[i] = (double)y[N + i];
      out[n].a[i] = (double)x[i];
    }
    for (int i = 0; i < ROWS; ++i) out[n].psi[i] = (double)x[N + i];
    for (int k = 0; k < substeps; ++k) runge_kutta(y, (real)h / substeps);
  }
}
