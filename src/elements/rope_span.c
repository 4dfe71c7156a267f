/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rope_span.h"

#include <math.h>
#include <string.h>

/* ---- where it leaves and arrives ------------------------------------------------------------ */

static v3 rim_point(const rope_wheel *wheel, double angle) {
  return (v3){wheel->radius * cos(angle), wheel->radius * sin(angle), 0};
}

/* The angle of the point where a rope from or to `other` touches the wheel, `side` 1 where it
 * arrives from there and -1 where it leaves to there; false where `other` is inside. */
static bool touch_rim(double *angle, const rope_wheel *wheel, v3 other, int side) {
  const double away = hypot(other.x, other.y);
  if (!(away > wheel->radius)) return false;
  *angle = atan2(other.y, other.x) + side * wheel->sense * acos(wheel->radius / away);
  return true;
}

/* Passes from one sheave to the other: sheaves of one plane take 3, and those that are tilted by
 * 0.3 rad take 7. */
enum { MOST_PASSES = 60 };
/* Changes of the angles that are round-off, and that may remain after all passes. */
static const double SETTLED = 1e-15, LOOSE = 1e-12;

static bool find_rims(rope_span *out, const rope_wheel *a, const rope_wheel *b, const m3 *R, v3 p) {
  double *leaves = &out->value[ROPE_LEAVES], *arrives = &out->value[ROPE_ARRIVES], change = 1;
  *leaves = *arrives = 0;
  out->from = out->to = v3_zero();
  for (int pass = 0; pass < MOST_PASSES && change > SETTLED; ++pass) {
    const double before[2] = {*leaves, *arrives};
    const v3 seen_b = v3_add(p, m3_mulv(*R, out->to));
    if (a->radius > 0 && !touch_rim(leaves, a, seen_b, -1)) return false;
    if (a->radius > 0) out->from = rim_point(a, *leaves);
    const v3 seen_a = m3_tmulv(*R, v3_sub(out->from, p));
    if (b->radius > 0 && !touch_rim(arrives, b, seen_a, 1)) return false;
    if (b->radius > 0) out->to = rim_point(b, *arrives);
    change = fmax(fabs(*leaves - before[0]), fabs(*arrives - before[1]));
    if (pass == 0) change = 1;
  }
  return change <= LOOSE;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Numbers and vectors with their derivatives along one direction. */
typedef struct dual {
  double x, d;
} dual;
typedef struct dual3 {
  v3 x, d;
} dual3;

static dual mul(dual a, dual b) {
  return (dual){a.x * b.x, a.d * b.x + a.x * b.d};
}
static dual sub(dual a, dual b) {
  return (dual){a.x - b.x, a.d - b.d};
}
static dual over(dual a, dual b) {
  return (dual){a.x / b.x, (a.d - a.x / b.x * b.d) / b.x};
}
static dual dot(dual3 a, dual3 b) {
  return (dual){v3_dot(a.x, b.x), v3_dot(a.d, b.x) + v3_dot(a.x, b.d)};
}
static dual3 cross(dual3 a, dual3 b) {
  return (dual3){v3_cross(a.x, b.x), v3_add(v3_cross(a.d, b.x), v3_cross(a.x, b.d))};
}
static dual3 minus(dual3 a, dual3 b) {
  return (dual3){v3_sub(a.x, b.x), v3_sub(a.d, b.d)};
}
static dual3 times(dual s, dual3 a) {
  return (dual3){v3_scale(a.x, s.x), v3_axpy(s.d, a.x, v3_scale(a.d, s.x))};
}

/* A gradient by (u, theta). */
typedef struct gradient {
  dual3 u, theta;
} gradient;

static gradient combine(dual s, gradient a, dual t, gradient b) {
  const dual3 u[2] = {times(s, a.u), times(t, b.u)};
  const dual3 theta[2] = {times(s, a.theta), times(t, b.theta)};
  return (gradient){{v3_add(u[0].x, u[1].x), v3_add(u[0].d, u[1].d)},
                    {v3_add(theta[0].x, theta[1].x), v3_add(theta[0].d, theta[1].d)}};
}

/* A span in the axes of b: the span d from the first tangent point to the second, the places of
 * these about the centres and their derivatives by the angles. */
typedef struct layout {
  dual3 d, place_a, place_b, along_a, along_b;
  bool wheel_a, wheel_b;
} layout;

/* The places about the centres are at right angles with the span: g_a = d . place_a = 0 and g_b =
 * d . place_b = 0, which gives the changes of the angles.  Of the gradients of g_a, g_b and the
 * length at constant angles a point's are 0. */
static void differentiate(gradient out[ROPE_NUMBERS], const layout *s) {
  const dual one = {1, 0}, none = {0, 0};
  const dual length = {sqrt(dot(s->d, s->d).x), 0};
  const dual size = {length.x, dot(s->d, s->d).d / (2 * length.x)};
  const dual3 direction = times(over(one, size), s->d), to_a = minus(s->d, s->place_b);
  const gradient by_frame = {direction, cross(s->place_b, direction)};
  const gradient g_a = {s->place_a, cross(s->place_b, s->place_a)};
  const gradient g_b = {s->place_b, cross(s->place_b, to_a)};
  const dual aa = s->wheel_a ? dot(s->d, s->along_a) : one;
  const dual bb = s->wheel_b ? dot(s->d, s->along_b) : one;
  const dual ab = dot(s->along_b, s->place_a);
  const dual ba = sub(none, dot(s->along_a, s->place_b));
  const dual minus_inverse = over((dual){-1, 0}, sub(mul(aa, bb), mul(ab, ba)));
  const gradient no_wheel = {0}, of_a = s->wheel_a ? g_a : no_wheel,
                 of_b = s->wheel_b ? g_b : no_wheel;
  out[ROPE_LEAVES] = combine(mul(minus_inverse, bb), of_a, mul(minus_inverse, sub(none, ab)), of_b);
  out[ROPE_ARRIVES] =
      combine(mul(minus_inverse, sub(none, ba)), of_a, mul(minus_inverse, aa), of_b);
  const gradient by_rims = combine(dot(direction, s->along_b), out[ROPE_ARRIVES],
                                   sub(none, dot(direction, s->along_a)), out[ROPE_LEAVES]);
  out[ROPE_LENGTH] = combine(one, by_frame, one, by_rims);
}

/* The derivatives of the layout as b moves by (u, theta) in its axes. */
static void move(layout *s, v3 u, v3 theta, double leaves, double arrives) {
  const v3 to_a = v3_sub(s->d.x, s->place_b.x);
  s->place_a.d = v3_axpy(leaves, s->along_a.x, v3_cross(s->place_a.x, theta));
  s->along_a.d = v3_axpy(-leaves, s->place_a.x, v3_cross(s->along_a.x, theta));
  s->place_b.d = v3_scale(s->along_b.x, arrives);
  s->along_b.d = v3_scale(s->place_b.x, -arrives);
  s->d.d = v3_add(u, v3_cross(to_a, theta));
  s->d.d = v3_axpy(arrives, s->along_b.x, v3_axpy(-leaves, s->along_a.x, s->d.d));
}

static v3 along_rim(v3 place) {
  return (v3){-place.y, place.x, 0};
}

static void find_second(rope_span *out, layout s) {
  for (int k = 0; k < 6; ++k) {
    double e[6] = {0};
    gradient moved[ROPE_NUMBERS];
    e[k] = 1;
    move(&s, v3_load(e), v3_load(e + 3), out->J[ROPE_LEAVES][k], out->J[ROPE_ARRIVES][k]);
    differentiate(moved, &s);
    for (int i = 0; i < ROPE_NUMBERS; ++i) {
      const twist column = {moved[i].u.d, moved[i].theta.d};
      tw_store(e, column);
      for (int j = 0; j < 6; ++j) out->K[i][j][k] = e[j];
    }
  }
}

bool rope_span_find(rope_span *out, const rope_wheel *a, const rope_wheel *b, const m3 *R, v3 p,
                    bool second) {
  if (!find_rims(out, a, b, R, p)) return false;
  const v3 d = v3_sub(v3_add(p, m3_mulv(*R, out->to)), out->from);
  const double length = v3_norm(d);
  layout s = {.wheel_a = a->radius > 0, .wheel_b = b->radius > 0};
  gradient first[ROPE_NUMBERS];
  if (!(length > 0)) return false;
  s.d.x = m3_tmulv(*R, d);
  s.place_a.x = m3_tmulv(*R, out->from);
  s.along_a.x = m3_tmulv(*R, along_rim(out->from));
  s.place_b.x = out->to;
  s.along_b.x = along_rim(out->to);
  out->value[ROPE_LENGTH] = length;
  out->fleet = fmax(s.wheel_a ? fabs(d.z) : 0, s.wheel_b ? fabs(s.d.x.z) : 0) / length;
  differentiate(first, &s);
  for (int i = 0; i < ROPE_NUMBERS; ++i)
    tw_store(out->J[i], (twist){first[i].u.x, first[i].theta.x});
  if (second) find_second(out, s);
  return true;
}
