/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_R3SO3_H
#define TORSOR_LIE_R3SO3_H

/** R^3 x SO(3), the direct product: frames (R, x) as in se3.h, but velocities h = (u, w) with
 *  u = x' in inertial axes and w in body axes.  No function fails or allocates. */

#include <stdbool.h>
#include <torsor/lie/types.h>
#include <torsor/lie/vec.h>
#include <torsor/lie/so3.h>
#include <torsor/lie/se3.h>

static inline r3so3 r3so3_identity(void) {
  return se3_identity();
}

static inline r3so3 r3so3_compose(r3so3 a, r3so3 b) {
  return (r3so3){so3_compose(a.R, b.R), v3_add(a.x, b.x)};
}

static inline r3so3 r3so3_inverse(r3so3 a) {
  return (r3so3){so3_inverse(a.R), v3_neg(a.x)};
}

/** Faithful matrix diag(R, [[I, x], [0, 1]]). */
static inline void r3so3_matrix(double out[7][7], r3so3 a) {
  m3 R = so3_matrix(a.R);
  double x[3];
  v3_store(x, a.x);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++) out[i][j] = i < 3 && j < 3 ? R.m[i][j] : (i == j);
  for (int i = 0; i < 3; i++) out[3 + i][6] = x[i];
}

/** hat(h) = diag(skew(w), [[0, u], [0, 0]]), the algebra of r3so3_matrix. */
static inline void r3so3_hat(double out[7][7], twist h) {
  m3 W = m3_skew(h.ang);
  double u[3];
  v3_store(u, h.lin);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++) out[i][j] = i < 3 && j < 3 ? W.m[i][j] : 0;
  for (int i = 0; i < 3; i++) out[3 + i][6] = u[i];
}

/** h with hat(h) = A. */
static inline twist r3so3_vee(double A[7][7]) {
  m3 W;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) W.m[i][j] = A[i][j];
  return (twist){{A[3][6], A[4][6], A[5][6]}, m3_vee(W)};
}

/** exp(h) = (exp w, u). */
static inline r3so3 r3so3_exp(twist h) {
  return (r3so3){so3_exp(h.ang), h.lin};
}

/** log(a) = (x, log R), see so3_log. */
static inline twist r3so3_log(r3so3 a) {
  return (twist){a.x, so3_log(a.R)};
}

/** T(h) = diag(I, T(w)). */
static inline m6 r3so3_tan(twist h) {
  return m6_blocks(m3_identity(), m3_zero(), m3_zero(), so3_tan(h.ang));
}

/** True where T^-1(h) can be computed, see so3_taninv_defined. */
static inline bool r3so3_taninv_defined(twist h) {
  return so3_taninv_defined(h.ang);
}

/** T^-1(h) = diag(I, T^-1(w)); NaN in the rotation block unless r3so3_taninv_defined(h). */
static inline m6 r3so3_taninv(twist h) {
  return m6_blocks(m3_identity(), m3_zero(), m3_zero(), so3_taninv(h.ang));
}

/** D_h (T(h) k), 6x6. */
static inline m6 r3so3_dtan(twist h, twist k) {
  return m6_blocks(m3_zero(), m3_zero(), m3_zero(), so3_dtan(h.ang, k.ang));
}

/** D_h (T^-T(h) l), 6x6; NaN in the rotation block unless r3so3_taninv_defined(h). */
static inline m6 r3so3_dtaninvT(twist h, twist l) {
  return m6_blocks(m3_zero(), m3_zero(), m3_zero(), so3_dtaninvT(h.ang, l.ang));
}

/** ad(h) = diag(0, skew(w)). */
static inline m6 r3so3_ad(twist h) {
  return m6_blocks(m3_zero(), m3_zero(), m3_zero(), m3_skew(h.ang));
}

/** ad(h) k, the bracket [h, k]. */
static inline twist r3so3_ad_apply(twist h, twist k) {
  return (twist){{0, 0, 0}, v3_cross(h.ang, k.ang)};
}

/** ad(h)^T l. */
static inline twist r3so3_adT_apply(twist h, twist l) {
  return (twist){{0, 0, 0}, v3_cross(l.ang, h.ang)};
}

/** Ad(a) = diag(I, R). */
static inline m6 r3so3_adjoint(r3so3 a) {
  return m6_blocks(m3_identity(), m3_zero(), m3_zero(), so3_matrix(a.R));
}

/** Ad(a)^-1 = diag(I, R^T). */
static inline m6 r3so3_adjoint_inverse(r3so3 a) {
  return r3so3_adjoint(r3so3_inverse(a));
}

/** Ad(a) h. */
static inline twist r3so3_adjoint_apply(r3so3 a, twist h) {
  return (twist){h.lin, so3_rotate(a.R, h.ang)};
}

/** Ad(a)^-1 h, also Ad(a)^T h. */
static inline twist r3so3_adjoint_inverse_apply(r3so3 a, twist h) {
  return (twist){h.lin, so3_rotate_inverse(a.R, h.ang)};
}

/** a exp(h), rotation kept at unit length. */
static inline r3so3 r3so3_plus(r3so3 a, twist h) {
  return (r3so3){so3_plus(a.R, h.ang), v3_add(a.x, h.lin)};
}

/** log(b^-1 a): the h with r3so3_plus(b, h) = a. */
static inline twist r3so3_minus(r3so3 a, r3so3 b) {
  return (twist){v3_sub(a.x, b.x), so3_minus(a.R, b.R)};
}

#endif
