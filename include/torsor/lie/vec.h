/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_VEC_H
#define TORSOR_LIE_VEC_H

/** Vectors, 3x3 matrices, twists and 6x6 matrices, by value.  No function fails or allocates. */

#include <math.h>
#include <stdbool.h>
#include <torsor/lie/types.h>

/* ---- v3: vectors of R^3 ---- */

static inline v3 v3_zero(void) {
  return (v3){0, 0, 0};
}

static inline v3 v3_load(const double a[3]) {
  return (v3){a[0], a[1], a[2]};
}

static inline void v3_store(double out[3], v3 a) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

static inline v3 v3_add(v3 a, v3 b) {
  return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline v3 v3_sub(v3 a, v3 b) {
  return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline v3 v3_neg(v3 a) {
  return (v3){-a.x, -a.y, -a.z};
}

static inline v3 v3_scale(v3 a, double s) {
  return (v3){s * a.x, s * a.y, s * a.z};
}

/** s a + b. */
static inline v3 v3_axpy(double s, v3 a, v3 b) {
  return (v3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline double v3_dot(v3 a, v3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline v3 v3_cross(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/** |a|^2; squares leave the range of double below 1e-154 and above 1e154. */
static inline double v3_norm2(v3 a) {
  return v3_dot(a, a);
}

/** |a|, free of overflow and underflow; NaN when a component is. */
static inline double v3_norm(v3 a) {
  double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  bool safe = largest > 0x1p-480 && largest < 0x1p500;
  if (safe || !(largest > 0) || isinf(largest)) return sqrt(v3_norm2(a));
  double scale = largest < 1 ? 0x1p600 : 0x1p-600;
  return sqrt(v3_norm2(v3_scale(a, scale))) / scale;
}

/** a/|a|; NaN for a = 0. */
static inline v3 v3_unit(v3 a) {
  double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  v3 b = {a.x / largest, a.y / largest, a.z / largest};
  return v3_scale(b, 1 / sqrt(v3_norm2(b)));
}

/** A unit vector across the unit vector n: the coordinate axis that is farthest from n, made
 *  perpendicular; e.g. x for n = z. */
static inline v3 v3_across(v3 n) {
  const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  const v3 far = x <= y && x <= z ? (v3){1, 0, 0} : y <= z ? (v3){0, 1, 0} : (v3){0, 0, 1};
  return v3_unit(v3_sub(far, v3_scale(n, v3_dot(n, far))));
}

/* ---- m3: 3x3 matrices ---- */

static inline m3 m3_zero(void) {
  return (m3){{{0}}};
}

static inline m3 m3_diagonal(v3 d) {
  return (m3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

static inline m3 m3_identity(void) {
  return m3_diagonal((v3){1, 1, 1});
}

/** Rows to matrix.  The 3x3 functions spell their entries out, so that compilers keep them in
 *  registers also where they do not unroll loops. */
static inline m3 m3_rows(v3 a, v3 b, v3 c) {
  return (m3){{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
}

static inline v3 m3_row(m3 A, int i) {
  return (v3){A.m[i][0], A.m[i][1], A.m[i][2]};
}

static inline v3 m3_column(m3 A, int j) {
  return (v3){A.m[0][j], A.m[1][j], A.m[2][j]};
}

static inline m3 m3_scale(m3 A, double s) {
  return m3_rows(v3_scale(m3_row(A, 0), s), v3_scale(m3_row(A, 1), s), v3_scale(m3_row(A, 2), s));
}

/** s A + B. */
static inline m3 m3_axpy(double s, m3 A, m3 B) {
  return m3_rows(v3_axpy(s, m3_row(A, 0), m3_row(B, 0)), v3_axpy(s, m3_row(A, 1), m3_row(B, 1)),
                 v3_axpy(s, m3_row(A, 2), m3_row(B, 2)));
}

static inline m3 m3_add(m3 A, m3 B) {
  return m3_axpy(1, A, B);
}

static inline m3 m3_sub(m3 A, m3 B) {
  return m3_axpy(-1, B, A);
}

static inline m3 m3_transpose(m3 A) {
  return m3_rows(m3_column(A, 0), m3_column(A, 1), m3_column(A, 2));
}

/** A^T a. */
static inline v3 m3_tmulv(m3 A, v3 a) {
  return v3_axpy(a.x, m3_row(A, 0), v3_axpy(a.y, m3_row(A, 1), v3_scale(m3_row(A, 2), a.z)));
}

static inline m3 m3_mul(m3 A, m3 B) {
  return m3_rows(m3_tmulv(B, m3_row(A, 0)), m3_tmulv(B, m3_row(A, 1)), m3_tmulv(B, m3_row(A, 2)));
}

/** A^T B. */
static inline m3 m3_tmul(m3 A, m3 B) {
  return m3_mul(m3_transpose(A), B);
}

/** A a. */
static inline v3 m3_mulv(m3 A, v3 a) {
  return (v3){v3_dot(m3_row(A, 0), a), v3_dot(m3_row(A, 1), a), v3_dot(m3_row(A, 2), a)};
}

static inline double m3_trace(m3 A) {
  return A.m[0][0] + A.m[1][1] + A.m[2][2];
}

static inline double m3_det(m3 A) {
  return v3_dot(m3_row(A, 0), v3_cross(m3_row(A, 1), m3_row(A, 2)));
}

/** Inverse by the adjugate; not finite when A is singular. */
static inline m3 m3_inverse(m3 A) {
  v3 a = m3_row(A, 0), b = m3_row(A, 1), c = m3_row(A, 2);
  v3 bc = v3_cross(b, c), ca = v3_cross(c, a), ab = v3_cross(a, b);
  m3 adjugate = {{{bc.x, ca.x, ab.x}, {bc.y, ca.y, ab.y}, {bc.z, ca.z, ab.z}}};
  return m3_scale(adjugate, 1 / v3_dot(a, bc));
}

/** The matrix of the cross product: skew(a) b = a x b. */
static inline m3 m3_skew(v3 a) {
  return (m3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

/** skew(a) B and A skew(b), without the products by zero. */
static inline m3 m3_skew_mul(v3 a, m3 B) {
  m3 C;
  for (int j = 0; j < 3; ++j) {
    C.m[0][j] = a.y * B.m[2][j] - a.z * B.m[1][j];
    C.m[1][j] = a.z * B.m[0][j] - a.x * B.m[2][j];
    C.m[2][j] = a.x * B.m[1][j] - a.y * B.m[0][j];
  }
  return C;
}
static inline m3 m3_mul_skew(m3 A, v3 b) {
  m3 C;
  for (int i = 0; i < 3; ++i) {
    C.m[i][0] = A.m[i][1] * b.z - A.m[i][2] * b.y;
    C.m[i][1] = A.m[i][2] * b.x - A.m[i][0] * b.z;
    C.m[i][2] = A.m[i][0] * b.y - A.m[i][1] * b.x;
  }
  return C;
}

/** a with skew(a) = the skew-symmetric part of A. */
static inline v3 m3_vee(m3 A) {
  return (v3){0.5 * (A.m[2][1] - A.m[1][2]), 0.5 * (A.m[0][2] - A.m[2][0]),
              0.5 * (A.m[1][0] - A.m[0][1])};
}

/** a b^T. */
static inline m3 m3_outer(v3 a, v3 b) {
  return m3_rows(v3_scale(b, a.x), v3_scale(b, a.y), v3_scale(b, a.z));
}

/* ---- tw: twists and wrenches ---- */

static inline twist tw_zero(void) {
  return (twist){{0, 0, 0}, {0, 0, 0}};
}

static inline twist tw_load(const double a[6]) {
  return (twist){v3_load(a), v3_load(a + 3)};
}

static inline void tw_store(double out[6], twist a) {
  v3_store(out, a.lin);
  v3_store(out + 3, a.ang);
}

static inline twist tw_add(twist a, twist b) {
  return (twist){v3_add(a.lin, b.lin), v3_add(a.ang, b.ang)};
}

static inline twist tw_sub(twist a, twist b) {
  return (twist){v3_sub(a.lin, b.lin), v3_sub(a.ang, b.ang)};
}

static inline twist tw_neg(twist a) {
  return (twist){v3_neg(a.lin), v3_neg(a.ang)};
}

static inline twist tw_scale(twist a, double s) {
  return (twist){v3_scale(a.lin, s), v3_scale(a.ang, s)};
}

/** s a + b. */
static inline twist tw_axpy(double s, twist a, twist b) {
  return (twist){v3_axpy(s, a.lin, b.lin), v3_axpy(s, a.ang, b.ang)};
}

/** Pairing, e.g. power of a wrench on a twist. */
static inline double tw_dot(twist a, twist b) {
  return v3_dot(a.lin, b.lin) + v3_dot(a.ang, b.ang);
}

/* ---- m6: 6x6 matrices on twists ---- */

static inline m6 m6_zero(void) {
  return (m6){{{0}}};
}

static inline m6 m6_identity(void) {
  m6 A = {{{0}}};
  for (int i = 0; i < 6; i++) A.m[i][i] = 1;
  return A;
}

/** [[A, B], [C, D]]. */
static inline m6 m6_blocks(m3 A, m3 B, m3 C, m3 D) {
#define M6_ROW(P, Q, i)                                                                            \
  { P.m[i][0], P.m[i][1], P.m[i][2], Q.m[i][0], Q.m[i][1], Q.m[i][2] }
  return (m6){{M6_ROW(A, B, 0), M6_ROW(A, B, 1), M6_ROW(A, B, 2), M6_ROW(C, D, 0), M6_ROW(C, D, 1),
               M6_ROW(C, D, 2)}};
#undef M6_ROW
}

/** 3x3 block of A: row, column = 0 (translation) or 1 (rotation). */
static inline m3 m6_block(m6 A, int row, int column) {
  m3 B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B.m[i][j] = A.m[3 * row + i][3 * column + j];
  return B;
}

static inline m6 m6_scale(m6 A, double s) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) A.m[i][j] *= s;
  return A;
}

/** s A + B. */
static inline m6 m6_axpy(double s, m6 A, m6 B) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) B.m[i][j] += s * A.m[i][j];
  return B;
}

static inline m6 m6_add(m6 A, m6 B) {
  return m6_axpy(1, A, B);
}

static inline m6 m6_sub(m6 A, m6 B) {
  return m6_axpy(-1, B, A);
}

static inline m6 m6_transpose(m6 A) {
  m6 B;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) B.m[i][j] = A.m[j][i];
  return B;
}

static inline m6 m6_mul(m6 A, m6 B) {
  m6 C = {{{0}}};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 6; j++) C.m[i][j] += A.m[i][k] * B.m[k][j];
  return C;
}

/** A^T B. */
static inline m6 m6_tmul(m6 A, m6 B) {
  m6 C = {{{0}}};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) C.m[i][j] += A.m[k][i] * B.m[k][j];
  return C;
}

/** A a. */
static inline twist m6_mulv(m6 A, twist a) {
  double x[6], y[6] = {0};
  tw_store(x, a);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) y[i] += A.m[i][j] * x[j];
  return tw_load(y);
}

/** A^T a. */
static inline twist m6_tmulv(m6 A, twist a) {
  double x[6], y[6] = {0};
  tw_store(x, a);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) y[j] += A.m[i][j] * x[i];
  return tw_load(y);
}

#endif
