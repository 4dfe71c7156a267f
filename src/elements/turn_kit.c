/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/turn_kit.h"

static const v3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void put(turn_state *out, int row, const torsor_turned *t) {
  v3_store(out->S.m[row], t->g);
  out->G[row] = t->G;
}

/* ---- rotation vector ------------------------------------------------------------------------- */

/* S = T^-1(y); its row i changes by D(T^-T e_i), with D y = S theta. */
static bool find_vector(turn_state *out, const m3 *R, bool second) {
  out->y = so3_log_matrix(*R);
  if (!(v3_norm(out->y) <= TURN_LARGEST)) return false;
  out->S = so3_taninv(out->y);
  for (int i = 0; second && i < 3; ++i) out->G[i] = m3_mul(so3_dtaninvT(out->y, axes[i]), out->S);
  return true;
}

/* ---- an axle --------------------------------------------------------------------------------- */

/* f(c) = acos(c)/sqrt(1 - c^2) with its derivatives: (1 - c^2) f' = c f - 1, and that derived
 * again; near c = 1 the series of 2^k (k!)^2/(2k + 1)! x^k in x = 1 - c. */
static void find_factor(double f[3], double c) {
  const double x = 1 - c, w = x * (1 + c);
  if (x > 0.1) {
    f[0] = acos(c) / sqrt(w);
    f[1] = (c * f[0] - 1) / w;
    f[2] = (f[0] + 3 * c * f[1]) / w;
    return;
  }
  double term = 1, power[3] = {1, 0, 0}; /* x^k and its derivatives by x */
  f[0] = f[1] = f[2] = 0;
  for (int k = 0; k < 16; ++k) {
    f[0] += term * power[0];
    f[1] -= term * power[1];
    f[2] += term * power[2];
    power[2] = x * power[2] + 2 * power[1];
    power[1] = x * power[1] + power[0];
    power[0] *= x;
    term *= (k + 1.0) / (2 * k + 3.0);
  }
}

/* f(c) s for two functions c and s of the rotation. */
static torsor_turned multiply(const double f[3], const torsor_turned *c, const torsor_turned *s) {
  const m3 mixed = m3_add(m3_outer(c->g, s->g), m3_outer(s->g, c->g));
  const m3 square = m3_scale(m3_outer(c->g, c->g), f[2] * s->y);
  return (torsor_turned){
      f[0] * s->y, v3_axpy(f[1] * s->y, c->g, v3_scale(s->g, f[0])),
      m3_axpy(f[1], mixed, m3_axpy(f[1] * s->y, c->G, m3_axpy(f[0], s->G, square)))};
}

void turn_spin(torsor_coordinate_out *out, v3 n, const m3 *R) {
  const so3 q = so3_from_matrix(*R);
  const v3 v = {q.x, q.y, q.z};
  const m3 turned = m3_axpy(q.w, m3_identity(), m3_skew(v)); /* D v = turned theta/2 */
  const m3 by_n = m3_sub(m3_mul(m3_skew(n), turned), m3_outer(n, v));
  const torsor_turned w = {q.w, v3_scale(v, -0.5), m3_scale(turned, -0.25)};
  const torsor_turned s = {v3_dot(n, v), v3_scale(v3_axpy(q.w, n, v3_cross(n, v)), 0.5),
                           m3_scale(by_n, 0.25)};
  torsor_coordinate_turn(out, &s, &w, 2);
}

static torsor_turned find_spin(v3 n, const m3 *R) {
  torsor_coordinate_out out = {.second = true};
  turn_spin(&out, n, R);
  torsor_turned spin = {out.value, v3_load(out.J + 3), m3_zero()};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) spin.G.m[i][j] = out.K[3 + i][3 + j];
  return spin;
}

/* The axis n goes to R n = c n + s1 e1 + s2 e2, by the rotation vector f(c) n x R n = f (s1 e2 - s2
 * e1). */
static bool find_axle(turn_state *out, int axis, const m3 *R) {
  const int first = (axis + 1) % 3, second = (axis + 2) % 3;
  const v3 n = axes[axis];
  const torsor_turned c = torsor_turned_cosine(m3_tmulv(*R, n), n);
  const torsor_turned s1 = torsor_turned_cosine(m3_tmulv(*R, axes[first]), n);
  const torsor_turned s2 = torsor_turned_cosine(m3_tmulv(*R, v3_neg(axes[second])), n);
  if (!(c.y >= cos(TURN_LARGEST))) return false;
  double f[3], y[3] = {0};
  find_factor(f, c.y);
  const torsor_turned about_first = multiply(f, &c, &s2), about_second = multiply(f, &c, &s1),
                      spin = find_spin(n, R);
  put(out, first, &about_first);
  put(out, second, &about_second);
  put(out, axis, &spin);
  y[first] = about_first.y;
  y[second] = about_second.y;
  out->y = v3_load(y);
  return true;
}

/* ---- free ------------------------------------------------------------------------------------ */

/* The axes of a seen from b, which turn with them. */
static void find_free(turn_state *out, const m3 *R) {
  out->y = v3_zero();
  out->S = *R;
  for (int i = 0; i < 3; ++i) out->G[i] = m3_skew(m3_tmulv(*R, axes[i]));
}

bool turn_find(turn_state *out, turn_measure measure, int axis, const m3 *R, bool second) {
  if (measure == TURN_VECTOR) return find_vector(out, R, second);
  if (measure == TURN_AXLE) return find_axle(out, axis, R);
  find_free(out, R);
  return true;
}
