/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_SE3_H
#define TORSOR_LIE_SE3_H

/** SE(3): frames (R, x).  Twists are body-fixed, translation first: h = (u, w); wrenches l = (f, m)
 *  likewise.  D exp(h)[e] = exp(h) hat(T(h) e).
 *
 *  se(3) is so(3) over dual numbers w + epsilon u, so every 6x6 function of h below has the blocks
 *  F(w) on the diagonal and the derivative of F along u off it, with the 3x3 maps of so3.h.
 *  No function fails or allocates; input that is not finite gives NaN. */

#include <stdbool.h>
#include <torsor/lie/types.h>
#include <torsor/lie/vec.h>
#include <torsor/lie/coefficients.h>
#include <torsor/lie/so3.h>

static inline se3 se3_identity(void) {
  return (se3){{1, 0, 0, 0}, {0, 0, 0}};
}

/** Frame of stored x (3) and quaternion w, x, y, z (4). */
static inline se3 se3_load(const double q[7]) {
  return (se3){so3_load(q + 3), v3_load(q)};
}

static inline void se3_store(double out[7], se3 H) {
  v3_store(out, H.x);
  so3_store(out + 3, H.R);
}

static inline se3 se3_compose(se3 a, se3 b) {
  return (se3){so3_compose(a.R, b.R), v3_add(a.x, so3_rotate(a.R, b.x))};
}

static inline se3 se3_inverse(se3 H) {
  return (se3){so3_inverse(H.R), v3_neg(so3_rotate_inverse(H.R, H.x))};
}

/** Point p of the body in inertial axes: x + R p. */
static inline v3 se3_point(se3 H, v3 p) {
  return v3_add(H.x, so3_rotate(H.R, p));
}

/** [[R, x], [0, 1]]. */
static inline void se3_matrix(double out[4][4], se3 H) {
  m3 R = so3_matrix(H.R);
  double x[3];
  v3_store(x, H.x);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[i][j] = R.m[i][j];
    out[i][3] = x[i];
    out[3][i] = 0;
  }
  out[3][3] = 1;
}

/** hat(h) = [[skew(w), u], [0, 0]]. */
static inline void se3_hat(double out[4][4], twist h) {
  m3 W = m3_skew(h.ang);
  double u[3];
  v3_store(u, h.lin);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[i][j] = W.m[i][j];
    out[i][3] = u[i];
    out[3][i] = 0;
  }
  out[3][3] = 0;
}

/** h with hat(h) = A. */
static inline twist se3_vee(double A[4][4]) {
  m3 W;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) W.m[i][j] = A[i][j];
  return (twist){{A[0][3], A[1][3], A[2][3]}, m3_vee(W)};
}

/** exp(h) = (exp w, T(w)^T u). */
static inline se3 se3_exp(twist h) {
  double x = v3_norm2(h.ang);
  lie_half half = lie_half_at(x);
  lie_trig s = lie_trig_from(x, half);
  v3 w = h.ang;
  lie_map transposed = {.a = s.s2, .b = s.s3};
  return (se3){{half.c, half.h * w.x, half.h * w.y, half.h * w.z},
               so3_map_apply(w, transposed, h.lin)};
}

/** log(H) = (T^-T(w) x, w), w = log R with |w| <= pi and the sign of so3_log at pi. */
static inline twist se3_log(se3 H) {
  v3 w = so3_log(H.R);
  lie_map inverse_transposed = lie_map_transpose(lie_map_taninv(v3_norm2(w)));
  return (twist){so3_map_apply(w, inverse_transposed, H.x), w};
}

/** [[F(w), DF(w)[u]], [0, F(w)]] for F = I + a W + b W^2. */
static inline m6 se3_map(twist h, lie_map m) {
  m3 F = so3_map(h.ang, m);
  return m6_blocks(F, so3_map_along(h.ang, h.lin, m), m3_zero(), F);
}

/** T(h) = sum (-ad_h)^i/(i+1)! = [[T(w), T_uw], [0, T(w)]]. */
static inline m6 se3_tan(twist h) {
  return se3_map(h, lie_map_tan(v3_norm2(h.ang)));
}

/** True where T^-1(h) can be computed, see so3_taninv_defined. */
static inline bool se3_taninv_defined(twist h) {
  return so3_taninv_defined(h.ang);
}

/** T^-1(h); its blocks are NaN unless se3_taninv_defined(h). */
static inline m6 se3_taninv(twist h) {
  return se3_map(h, lie_map_taninv(v3_norm2(h.ang)));
}

/** D_h (F(h) k), 6x6, for F(h) the matrix se3_map(h, m). */
static inline m6 se3_map_gradient(twist h, twist k, lie_map m) {
  m3 G = so3_map_gradient(h.ang, k.ang, m);
  m3 U = m3_add(so3_map_gradient(h.ang, k.lin, m), so3_map_gradient2(h.ang, h.lin, k.ang, m));
  return m6_blocks(G, U, m3_zero(), G);
}

/** D_h (F(h)^T l), 6x6, for a wrench l. */
static inline m6 se3_map_gradientT(twist h, twist l, lie_map m) {
  m = lie_map_transpose(m);
  m3 G = so3_map_gradient(h.ang, l.lin, m);
  m3 L = m3_add(so3_map_gradient(h.ang, l.ang, m), so3_map_gradient2(h.ang, h.lin, l.lin, m));
  return m6_blocks(m3_zero(), G, G, L);
}

/** Derivative of F(h) along e, 6x6. */
static inline m6 se3_map_along(twist h, twist e, lie_map m) {
  m3 F = so3_map_along(h.ang, e.ang, m);
  m3 U = m3_add(so3_map_along(h.ang, e.lin, m), so3_map_along2(h.ang, h.lin, e.ang, m));
  return m6_blocks(F, U, m3_zero(), F);
}

/** D_h (se3_map_along(h, e, m) k), 6x6. */
static inline m6 se3_map_gradient2(twist h, twist e, twist k, lie_map m) {
  m3 G = so3_map_gradient2(h.ang, e.ang, k.ang, m);
  m3 U =
      m3_add(so3_map_gradient2(h.ang, e.ang, k.lin, m), so3_map_gradient2(h.ang, e.lin, k.ang, m));
  U = m3_add(U, so3_map_gradient3(h.ang, h.lin, e.ang, k.ang, m));
  return m6_blocks(G, U, m3_zero(), G);
}

/** D_h (T(h) k), 6x6. */
static inline m6 se3_dtan(twist h, twist k) {
  return se3_map_gradient(h, k, lie_map_tan(v3_norm2(h.ang)));
}

/** D_h (T^-T(h) l), 6x6, for a wrench l; NaN unless se3_taninv_defined(h). */
static inline m6 se3_dtaninvT(twist h, twist l) {
  return se3_map_gradientT(h, l, lie_map_taninv(v3_norm2(h.ang)));
}

/** ad(h) = [[W, U], [0, W]]. */
static inline m6 se3_ad(twist h) {
  m3 W = m3_skew(h.ang);
  return m6_blocks(W, m3_skew(h.lin), m3_zero(), W);
}

/** ad(h) k, the bracket [h, k]. */
static inline twist se3_ad_apply(twist h, twist k) {
  return (twist){v3_add(v3_cross(h.ang, k.lin), v3_cross(h.lin, k.ang)), v3_cross(h.ang, k.ang)};
}

/** ad(h)^T l for a wrench l. */
static inline twist se3_adT_apply(twist h, twist l) {
  return (twist){v3_cross(l.lin, h.ang), v3_add(v3_cross(l.lin, h.lin), v3_cross(l.ang, h.ang))};
}

/** breve(l) = [[0, skew(f)], [skew(f), skew(m)]]: ad(h)^T l = breve(l) h. */
static inline m6 se3_breve(twist l) {
  m3 F = m3_skew(l.lin);
  return m6_blocks(m3_zero(), F, F, m3_skew(l.ang));
}

/** Ad(H) = [[R, skew(x) R], [0, R]]. */
static inline m6 se3_adjoint(se3 H) {
  m3 R = so3_matrix(H.R);
  return m6_blocks(R, m3_mul(m3_skew(H.x), R), m3_zero(), R);
}

/** Ad(H)^-1 = Ad(H^-1) = [[R^T, -R^T skew(x)], [0, R^T]]. */
static inline m6 se3_adjoint_inverse(se3 H) {
  m3 Rt = so3_matrix(so3_inverse(H.R));
  return m6_blocks(Rt, m3_mul(Rt, m3_skew(v3_neg(H.x))), m3_zero(), Rt);
}

/** Ad(H) h. */
static inline twist se3_adjoint_apply(se3 H, twist h) {
  v3 w = so3_rotate(H.R, h.ang);
  return (twist){v3_add(so3_rotate(H.R, h.lin), v3_cross(H.x, w)), w};
}

/** Ad(H)^-1 h. */
static inline twist se3_adjoint_inverse_apply(se3 H, twist h) {
  v3 u = v3_sub(h.lin, v3_cross(H.x, h.ang));
  return (twist){so3_rotate_inverse(H.R, u), so3_rotate_inverse(H.R, h.ang)};
}

/** Ad(H)^T l: wrench l at the origin, inertial axes, seen from H. */
static inline twist se3_adjoint_transpose_apply(se3 H, twist l) {
  v3 m = v3_sub(l.ang, v3_cross(H.x, l.lin));
  return (twist){so3_rotate_inverse(H.R, l.lin), so3_rotate_inverse(H.R, m)};
}

/** Ad(H)^-T l: wrench l in H seen from the origin, inertial axes. */
static inline twist se3_adjoint_inverse_transpose_apply(se3 H, twist l) {
  v3 f = so3_rotate(H.R, l.lin);
  return (twist){f, v3_add(so3_rotate(H.R, l.ang), v3_cross(H.x, f))};
}

/** H exp(h), rotation kept at unit length. */
static inline se3 se3_plus(se3 H, twist h) {
  se3 G = se3_compose(H, se3_exp(h));
  G.R = so3_normalise(G.R);
  return G;
}

/** log(b^-1 a): the h with se3_plus(b, h) = a. */
static inline twist se3_minus(se3 a, se3 b) {
  so3 R = so3_compose(so3_inverse(b.R), a.R);
  return se3_log((se3){R, so3_rotate_inverse(b.R, v3_sub(a.x, b.x))});
}

#endif
