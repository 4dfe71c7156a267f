/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CURVE_H
#define TORSOR_CURVE_H

/** Smooth curves through points, for elements that have a TORSOR_PARAM_CURVE.
 *
 *  x(u) is a cubic spline over u, the length (m) of the polygon through the points: natural, or
 *  periodic when closed, with two continuous derivatives.  Beyond the ends an open curve goes on
 *  straight. */

#include <math.h>

#include <torsor/element.h>

TORSOR_BEGIN_DECLS

/** Position and derivatives by u; a vector across the curve. */
typedef struct torsor_curve_point {
  v3 x, d1, d2, d3;          /* at a point of the curve d3 is that of the segment */
  v3 side, side_d1, side_d2; /* not along d1, of length about 1 */
} torsor_curve_point;

/** Largest u. */
static inline double torsor_curve_end(const torsor_curve *curve) {
  return curve->knot[curve->count - 1].u;
}

/** Length of the whole curve, m. */
static inline double torsor_curve_length(const torsor_curve *curve) {
  return curve->knot[curve->count - 1].s;
}

/** Returns the segment that contains u or, with `arc`, the length s; values beyond the ends belong
 *  to the first or last segment. */
static inline int torsor_curve_segment(const torsor_curve *curve, double at, bool arc) {
  int low = 0, high = curve->count - 2;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if ((arc ? curve->knot[middle].s : curve->knot[middle].u) <= at)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/** u of a closed curve brought to 0 <= u < end. */
static inline double torsor_curve_wrap(const torsor_curve *curve, double u) {
  const double end = torsor_curve_end(curve);
  return curve->closed ? u - end * floor(u / end) : u;
}

/* Weights of the values and second derivatives at both ends for one point of a segment. */
typedef struct torsor_curve_weights {
  double y[2], z[2];
} torsor_curve_weights;

static inline v3 torsor_curve_blend(const torsor_curve_weights *w, v3 y0, v3 y1, v3 z0, v3 z1) {
  const v3 straight = v3_axpy(w->y[1], y1, v3_scale(y0, w->y[0]));
  return v3_axpy(w->z[1], z1, v3_axpy(w->z[0], z0, straight));
}

/** Point of segment k at u (the first and the last of an open curve: also beyond its end). */
static inline torsor_curve_point torsor_curve_in(const torsor_curve *curve, int k, double u) {
  const torsor_curve_knot *p = &curve->knot[k], *q = p + 1;
  const double h = q->u - p->u, beyond = curve->closed ? 0
                                         : u < p->u    ? u - p->u
                                                       : fmax(0, u - q->u);
  const double b = (u - beyond - p->u) / h, a = 1 - b, c = h * h / 6;
  const torsor_curve_weights value = {{a, b}, {(a * a * a - a) * c, (b * b * b - b) * c}};
  const torsor_curve_weights slope = {{-1 / h, 1 / h},
                                      {(1 - 3 * a * a) * h / 6, (3 * b * b - 1) * h / 6}};
  torsor_curve_point at = {.x = torsor_curve_blend(&value, p->x, q->x, p->x2, q->x2),
                           .d1 = torsor_curve_blend(&slope, p->x, q->x, p->x2, q->x2),
                           .d2 = v3_axpy(a, p->x2, v3_scale(q->x2, b)),
                           .side = torsor_curve_blend(&value, p->side, q->side, p->side2, q->side2),
                           .side_d1 =
                               torsor_curve_blend(&slope, p->side, q->side, p->side2, q->side2),
                           .side_d2 = v3_axpy(a, p->side2, v3_scale(q->side2, b))};
  if (beyond == 0) at.d3 = v3_scale(v3_sub(q->x2, p->x2), 1 / h);
  at.x = v3_axpy(beyond, at.d1, at.x);
  at.side = v3_axpy(beyond, at.side_d1, at.side);
  return at;
}

/** Point at u, any u on a closed curve. */
static inline torsor_curve_point torsor_curve_at(const torsor_curve *curve, double u) {
  const double wrapped = torsor_curve_wrap(curve, u);
  return torsor_curve_in(curve, torsor_curve_segment(curve, wrapped, false), wrapped);
}

/** Length of the curve from 0 to u of segment k, m: Gauss-Legendre, 8 points. */
static inline double torsor_curve_arc(const torsor_curve *curve, int k, double u) {
  static const double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363};
  static const double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                  0.1012285362903763};
  const double from = curve->knot[k].u, middle = (from + u) / 2, half = (u - from) / 2;
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    for (int side = -1; side <= 1; side += 2)
      sum += weight[i] * v3_norm(torsor_curve_in(curve, k, middle + side * node[i] * half).d1);
  return curve->knot[k].s + half * sum;
}

TORSOR_END_DECLS

#endif
