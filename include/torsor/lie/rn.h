/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_RN_H
#define TORSOR_LIE_RN_H

/** R^n with addition: exp and log are the identity, T = I, ad = 0.  Vectors are double[n], matrices
 *  row-major double[n*n]; outputs first and allowed to be one of the vector inputs. */

static inline void rn_fill(double *out, double value, int n) {
  for (int i = 0; i < n; i++) out[i] = value;
}

static inline void rn_copy(double *out, const double *a, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i];
}

/** n x n matrix s I. */
static inline void rn_scalar_matrix(double *out, double s, int n) {
  rn_fill(out, 0, n * n);
  for (int i = 0; i < n; i++) out[i * n + i] = s;
}

static inline void rn_identity(double *out, int n) {
  rn_fill(out, 0, n);
}

static inline void rn_compose(double *out, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] + b[i];
}

static inline void rn_inverse(double *out, const double *a, int n) {
  for (int i = 0; i < n; i++) out[i] = -a[i];
}

static inline void rn_exp(double *out, const double *v, int n) {
  rn_copy(out, v, n);
}

static inline void rn_log(double *out, const double *a, int n) {
  rn_copy(out, a, n);
}

/** hat(v) = [[0, v], [0, 0]], (n+1) x (n+1) row-major: the algebra of the matrices
 *  [[I, a], [0, 1]]. */
static inline void rn_hat(double *out, const double *v, int n) {
  rn_fill(out, 0, (n + 1) * (n + 1));
  for (int i = 0; i < n; i++) out[i * (n + 1) + n] = v[i];
}

/** v with hat(v) = A. */
static inline void rn_vee(double *out, const double *A, int n) {
  for (int i = 0; i < n; i++) out[i] = A[i * (n + 1) + n];
}

/** a exp(v) = a + v. */
static inline void rn_plus(double *out, const double *a, const double *v, int n) {
  rn_compose(out, a, v, n);
}

/** log(b^-1 a) = a - b. */
static inline void rn_minus(double *out, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] - b[i];
}

/** T, T^-1 and Ad are the identity; ad and the derivatives of T are zero. */
static inline void rn_tan(double *out, int n) {
  rn_scalar_matrix(out, 1, n);
}

static inline void rn_taninv(double *out, int n) {
  rn_scalar_matrix(out, 1, n);
}

static inline void rn_dtan(double *out, int n) {
  rn_scalar_matrix(out, 0, n);
}

static inline void rn_dtaninvT(double *out, int n) {
  rn_scalar_matrix(out, 0, n);
}

static inline void rn_ad(double *out, int n) {
  rn_scalar_matrix(out, 0, n);
}

static inline void rn_adjoint(double *out, int n) {
  rn_scalar_matrix(out, 1, n);
}

/** [a, b] = 0. */
static inline void rn_bracket(double *out, int n) {
  rn_fill(out, 0, n);
}

#endif
