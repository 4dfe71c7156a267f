/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_SO3_H
#define TORSOR_LIE_SO3_H

/** SO(3) as unit quaternions that take body axes to inertial axes.  Vectors of the algebra are
 *  rotation vectors (rad) in body axes: d/dt exp(v) = exp(v) hat(T(v) v').
 *  No function fails or allocates; input that is not finite gives NaN. */

#include <math.h>
#include <stdbool.h>
#include <torsor/lie/types.h>
#include <torsor/lie/vec.h>
#include <torsor/lie/coefficients.h>

static inline so3 so3_identity(void) {
  return (so3){1, 0, 0, 0};
}

/** Rotation of a stored quaternion w, x, y, z (unit). */
static inline so3 so3_load(const double q[4]) {
  return (so3){q[0], q[1], q[2], q[3]};
}

static inline void so3_store(double out[4], so3 a) {
  out[0] = a.w;
  out[1] = a.x;
  out[2] = a.y;
  out[3] = a.z;
}

/** a b: first b, then a. */
static inline so3 so3_compose(so3 a, so3 b) {
  return (so3){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline so3 so3_inverse(so3 a) {
  return (so3){a.w, -a.x, -a.y, -a.z};
}

/** R v. */
static inline v3 so3_rotate(so3 R, v3 v) {
  v3 q = {R.x, R.y, R.z};
  v3 p = v3_scale(v3_cross(q, v), 2);
  return v3_add(v3_axpy(R.w, p, v), v3_cross(q, p));
}

/** R^T v. */
static inline v3 so3_rotate_inverse(so3 R, v3 v) {
  return so3_rotate(so3_inverse(R), v);
}

/** One Newton step towards |q| = 1: for a quaternion that is off by d, the result is off by
 *  1.5 d^2.  Enough after a product of unit quaternions; see so3_from_quaternion for any other. */
static inline so3 so3_normalise(so3 q) {
  double s = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (so3){s * q.w, s * q.x, s * q.y, s * q.z};
}

/** Unit quaternion along any (w, x, y, z) but 0, of any size; NaN for 0. */
static inline so3 so3_from_quaternion(double w, double x, double y, double z) {
  double largest = fmax(fmax(fabs(w), fabs(x)), fmax(fabs(y), fabs(z)));
  so3 q = {w / largest, x / largest, y / largest, z / largest};
  double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return so3_normalise((so3){s * q.w, s * q.x, s * q.y, s * q.z});
}

/** Rotation matrix R, columns = body axes. */
static inline m3 so3_matrix(so3 q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (m3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (zx + wy)},
               {2 * (xy + wz), 1 - 2 * (zz + xx), 2 * (yz - wx)},
               {2 * (zx - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/** Quaternion of a rotation matrix, w >= 0.  R may be orthonormal to a few digits only: the result
 *  is a unit quaternion.  Whether R is a rotation is for the caller to check.
 *  Source: Shepperd 1978, dividing by the largest component, so it is accurate at every angle. */
static inline so3 so3_from_matrix(m3 R) {
  double xx = R.m[0][0], yy = R.m[1][1], zz = R.m[2][2], trace = xx + yy + zz;
  double yz = R.m[2][1] + R.m[1][2], zx = R.m[0][2] + R.m[2][0], xy = R.m[1][0] + R.m[0][1];
  double wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0], wz = R.m[1][0] - R.m[0][1];
  so3 q;
  if (trace >= xx && trace >= yy && trace >= zz)
    q = so3_from_quaternion(1 + trace, wx, wy, wz);
  else if (xx >= yy && xx >= zz)
    q = so3_from_quaternion(wx, 1 + xx - yy - zz, xy, zx);
  else if (yy >= zz)
    q = so3_from_quaternion(wy, xy, 1 + yy - zz - xx, yz);
  else
    q = so3_from_quaternion(wz, zx, yz, 1 + zz - xx - yy);
  return q.w < 0 ? (so3){-q.w, -q.x, -q.y, -q.z} : q;
}

/** hat(v) = skew(v), an element of the Lie algebra. */
static inline m3 so3_hat(v3 v) {
  return m3_skew(v);
}

/** v with hat(v) = V; a symmetric part of V is ignored. */
static inline v3 so3_vee(m3 V) {
  return m3_vee(V);
}

/** exp(v); v of any length, exact for v = 0 and for tiny v. */
static inline so3 so3_exp(v3 v) {
  lie_half half = lie_half_at(v3_norm2(v));
  return (so3){half.c, half.h * v.x, half.h * v.y, half.h * v.z};
}

/** log(R), |log| <= pi.  At exactly pi both signs are logarithms: the one whose first non-zero
 *  component is positive is returned.  Does not need |q| = 1. */
static inline v3 so3_log(so3 q) {
  v3 v = {q.x, q.y, q.z};
  double w = q.w, s = sqrt(v3_norm2(v));
  double first = v.x != 0 ? v.x : v.y != 0 ? v.y : v.z;
  if (w < 0 || (w == 0 && first < 0)) {
    w = -w;
    v = v3_neg(v);
  }
  return v3_scale(v, s > 0 ? 2 * atan2(s, w) / s : 2 / w);
}

/** log of a rotation matrix. */
static inline v3 so3_log_matrix(m3 R) {
  return so3_log(so3_from_matrix(R));
}

/* ---- matrix functions I + a W + b W^2 of W = skew(w) and their derivatives ---- */

/** The matrix. */
static inline m3 so3_map(v3 w, lie_map m) {
  double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  double xy = m.b * (w.x * w.y), yz = m.b * (w.y * w.z), zx = m.b * (w.z * w.x);
  v3 a = v3_scale(w, m.a);
  return (m3){{{1 - m.b * (yy + zz), xy - a.z, zx + a.y},
               {xy + a.z, 1 - m.b * (zz + xx), yz - a.x},
               {zx - a.y, yz + a.x, 1 - m.b * (xx + yy)}}};
}

/** The matrix times c. */
static inline v3 so3_map_apply(v3 w, lie_map m, v3 c) {
  v3 wc = v3_cross(w, c);
  return v3_axpy(m.a, wc, v3_axpy(m.b, v3_cross(w, wc), c));
}

/** W U + U W of two vectors: w u^T + u w^T - 2 (w.u) I. */
static inline m3 so3_map_anticommutator(v3 w, v3 u) {
  double xx = w.x * u.x, yy = w.y * u.y, zz = w.z * u.z;
  double xy = w.x * u.y + w.y * u.x, yz = w.y * u.z + w.z * u.y, zx = w.z * u.x + w.x * u.z;
  return (m3){{{-2 * (yy + zz), xy, zx}, {xy, -2 * (zz + xx), yz}, {zx, yz, -2 * (xx + yy)}}};
}

/** Derivative of the matrix along u: a U + b (U W + W U) + (w.u)(a1 W + b1 W^2). */
static inline m3 so3_map_along(v3 w, v3 u, lie_map m) {
  double wu = v3_dot(w, u);
  v3 odd = v3_axpy(m.a1 * wu, w, v3_scale(u, m.a));
  /* W^2 is half an anticommutator of w with itself, so both even terms are one of w with a
   * vector */
  v3 even = v3_axpy(0.5 * m.b1 * wu, w, v3_scale(u, m.b));
  return m3_add(m3_skew(odd), so3_map_anticommutator(w, even));
}

/** The matrix e -> e x (w x c) + w x (e x c). */
static inline m3 so3_map_double_cross(v3 w, v3 c) {
  m3 A = m3_add(m3_outer(w, c), m3_scale(m3_outer(c, w), -2));
  double wc = v3_dot(w, c);
  A.m[0][0] += wc;
  A.m[1][1] += wc;
  A.m[2][2] += wc;
  return A;
}

/** Gradient with respect to w of (matrix times c), 3x3. */
static inline m3 so3_map_gradient(v3 w, v3 c, lie_map m) {
  v3 wc = v3_cross(w, c);
  v3 radial = v3_axpy(m.a1, wc, v3_scale(v3_cross(w, wc), m.b1));
  m3 A = m3_axpy(m.b, so3_map_double_cross(w, c), m3_skew(v3_scale(c, -m.a)));
  return m3_add(A, m3_outer(radial, w));
}

/** Gradient with respect to w of (so3_map_gradient(w, c, m) u), 3x3, symmetric in u and the
 *  direction. */
static inline m3 so3_map_gradient2(v3 w, v3 u, v3 c, lie_map m) {
  double wu = v3_dot(w, u);
  v3 wc = v3_cross(w, c), uc = v3_cross(u, c), wwc = v3_cross(w, wc);
  v3 mixed = v3_add(v3_cross(u, wc), v3_cross(w, uc));
  v3 radial = v3_axpy(m.a1, wc, v3_scale(wwc, m.b1));
  v3 along = v3_axpy(m.a1, uc, v3_scale(mixed, m.b1));
  v3 radial2 = v3_axpy(m.a2, wc, v3_scale(wwc, m.b2));
  m3 A = m3_axpy(m.b, so3_map_double_cross(u, c), m3_skew(v3_scale(c, -m.a1 * wu)));
  A = m3_axpy(m.b1 * wu, so3_map_double_cross(w, c), A);
  A = m3_add(A, m3_outer(v3_axpy(wu, radial2, along), w));
  return m3_add(A, m3_outer(radial, u));
}

/** Second derivative of the matrix along u and v. */
static inline m3 so3_map_along2(v3 w, v3 u, v3 v, lie_map m) {
  const double wu = v3_dot(w, u), wv = v3_dot(w, v), uv = v3_dot(u, v);
  const double first = m.a1 * uv + m.a2 * wu * wv;
  const v3 odd = v3_axpy(first, w, v3_axpy(m.a1 * wu, v, v3_scale(u, m.a1 * wv)));
  const double even = (m.b1 * uv + m.b2 * wu * wv) / 2;
  const v3 with_w = v3_axpy(even, w, v3_axpy(m.b1 * wu, v, v3_scale(u, m.b1 * wv)));
  return m3_add(m3_skew(odd), m3_add(so3_map_anticommutator(w, with_w),
                                     so3_map_anticommutator(u, v3_scale(v, m.b))));
}

/** Gradient with respect to w of (so3_map_along2(w, u, v, m) c), 3x3, symmetric in u, v and the
 *  direction. */
static inline m3 so3_map_gradient3(v3 w, v3 u, v3 v, v3 c, lie_map m) {
  const double wu = v3_dot(w, u), wv = v3_dot(w, v), uv = v3_dot(u, v), both = wu * wv;
  const v3 wc = v3_cross(w, c), uc = v3_cross(u, c), vc = v3_cross(v, c), wwc = v3_cross(w, wc);
  const v3 uw = v3_add(v3_cross(u, wc), v3_cross(w, uc));
  const v3 vw = v3_add(v3_cross(v, wc), v3_cross(w, vc));
  const v3 vu = v3_add(v3_cross(v, uc), v3_cross(u, vc));
  const v3 radial = v3_axpy(m.a2, wc, v3_scale(wwc, m.b2));
  const v3 by_u = v3_axpy(wv, radial, v3_axpy(m.a1, vc, v3_scale(vw, m.b1)));
  const v3 by_v = v3_axpy(wu, radial, v3_axpy(m.a1, uc, v3_scale(uw, m.b1)));
  const v3 turned = v3_axpy(wu, vc, v3_axpy(wv, uc, v3_scale(wc, uv)));
  const v3 doubled = v3_axpy(wu, vw, v3_axpy(wv, uw, v3_scale(wwc, uv)));
  const v3 third = v3_axpy(m.a3, wc, v3_scale(wwc, m.b3));
  v3 by_w = v3_axpy(m.b1, vu, v3_axpy(both, third, v3_scale(turned, m.a2)));
  by_w = v3_axpy(m.b2, doubled, by_w);
  const double even = m.b1 * uv + m.b2 * both;
  const v3 with_c = v3_axpy(even, w, v3_axpy(m.b1 * wu, v, v3_scale(u, m.b1 * wv)));
  m3 A = m3_skew(v3_scale(c, -m.a1 * uv - m.a2 * both));
  A = m3_add(A, so3_map_double_cross(with_c, c));
  A = m3_add(A, m3_outer(by_u, u));
  A = m3_add(A, m3_outer(by_v, v));
  return m3_add(A, m3_outer(by_w, w));
}

/* ---- exponential as a matrix, tangent ---- */

/** exp(v) as a matrix (Rodrigues). */
static inline m3 so3_rodrigues(v3 v) {
  return so3_map(v, lie_map_exp(v3_norm2(v)));
}

/** T(v): D exp(v)[e] = exp(v) hat(T(v) e);  T = sum (-ad_v)^i/(i+1)!. */
static inline m3 so3_tan(v3 v) {
  return so3_map(v, lie_map_tan(v3_norm2(v)));
}

/** True where T^-1(v) can be computed: |v| < 2 pi (1 - 2^-25), see lie_taninv_defined. */
static inline bool so3_taninv_defined(v3 v) {
  return lie_taninv_defined(v3_norm2(v));
}

/** T^-1(v); all NaN unless so3_taninv_defined(v). */
static inline m3 so3_taninv(v3 v) {
  return so3_map(v, lie_map_taninv(v3_norm2(v)));
}

/** D_v (T(v) w), 3x3. */
static inline m3 so3_dtan(v3 v, v3 w) {
  return so3_map_gradient(v, w, lie_map_tan(v3_norm2(v)));
}

/** D_v (T^-T(v) m), 3x3; NaN unless so3_taninv_defined(v). */
static inline m3 so3_dtaninvT(v3 v, v3 m) {
  return so3_map_gradient(v, m, lie_map_transpose(lie_map_taninv(v3_norm2(v))));
}

/** ad(v) w = v x w. */
static inline m3 so3_ad(v3 v) {
  return m3_skew(v);
}

/** Ad(R) w = R w. */
static inline m3 so3_adjoint(so3 R) {
  return so3_matrix(R);
}

/** Ad(R)^-1 = R^T. */
static inline m3 so3_adjoint_inverse(so3 R) {
  return so3_matrix(so3_inverse(R));
}

/** R exp(v), kept at unit length. */
static inline so3 so3_plus(so3 R, v3 v) {
  return so3_normalise(so3_compose(R, so3_exp(v)));
}

/** log(b^-1 a): the v with so3_plus(b, v) = a. */
static inline v3 so3_minus(so3 a, so3 b) {
  return so3_log(so3_compose(so3_inverse(b), a));
}

#endif
