/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions_private.h"

#include <math.h>
#include <stdlib.h>

#include <torsor/curve.h>

#include "scene/splines.h"

enum { LEAST_POINTS = 4 };

/* A curve that turns more than this between points is not smooth: its direction across comes close
 * to its direction along (sine of the angle), or its speed to zero. */
#define LEAST_ACROSS 0.3
#define LEAST_SPEED  0.1
enum { SAMPLES = 8 };

/* ---- splines ------------------------------------------------------------------------------- */

typedef struct spline {
  gsl_interp *interp;
  double *u, *y; /* [count] */
} spline;

/* Second derivatives of one component of `from` into that of `to`, both members of the knots. */
static void find_second(torsor_curve_knot *knot, int count, spline *s, size_t from, size_t to) {
  for (int k = 0; k < count; ++k) s->y[k] = *(double *)((char *)&knot[k] + from);
  gsl_interp_init(s->interp, s->u, s->y, (size_t)count);
  for (int k = 0; k < count; ++k)
    *(double *)((char *)&knot[k] + to) =
        gsl_interp_eval_deriv2(s->interp, s->u, s->y, s->u[k], NULL);
}

static void find_seconds(torsor_curve_knot *knot, int count, spline *s, size_t from, size_t to) {
  static const size_t part[] = {offsetof(v3, x), offsetof(v3, y), offsetof(v3, z)};
  for (int i = 0; i < 3; ++i) find_second(knot, count, s, from + part[i], to + part[i]);
}

/* ---- the direction across -------------------------------------------------------------------- */

static v3 tangent(const torsor_curve *curve, int k) {
  const int segment = k < curve->count - 1 ? k : k - 1;
  return v3_unit(torsor_curve_in(curve, segment, curve->knot[k].u).d1);
}

/* The smallest rotation that takes `from` to `to` (unit vectors), applied to v across `from`. */
static v3 carry(v3 from, v3 to, v3 v) {
  const v3 turned = v3_sub(v, v3_scale(v3_add(from, to), v3_dot(to, v) / (1 + v3_dot(from, to))));
  return v3_unit(v3_axpy(-v3_dot(to, turned), to, turned));
}

static v3 turn_about(v3 axis, double angle, v3 v) {
  return m3_mulv(so3_rodrigues(v3_scale(axis, angle)), v);
}

/* A direction across the curve that turns as little as possible; on a closed curve the mismatch at
 * the end is distributed over the whole length. */
static void find_sides(const torsor_curve *curve, torsor_curve_knot *knot) {
  const int last = curve->count - 1;
  knot[0].side = v3_across(tangent(curve, 0));
  for (int k = 1; k <= last; ++k)
    knot[k].side = carry(tangent(curve, k - 1), tangent(curve, k), knot[k - 1].side);
  if (!curve->closed) return;
  const v3 t = tangent(curve, 0), first = knot[0].side;
  const double s = v3_dot(v3_cross(first, knot[last].side), t);
  const double back = -atan2(s, v3_dot(first, knot[last].side));
  for (int k = 1; k < last; ++k)
    knot[k].side = turn_about(tangent(curve, k), back * knot[k].u / knot[last].u, knot[k].side);
  knot[last].side = first;
}

/* The segment in which the curve is not smooth, or -1. */
static int find_sharp(const torsor_curve *curve) {
  for (int k = 0; k + 1 < curve->count; ++k)
    for (int i = 0; i <= SAMPLES; ++i) {
      const double part = (double)i / SAMPLES;
      const double u = (1 - part) * curve->knot[k].u + part * curve->knot[k + 1].u;
      const torsor_curve_point p = torsor_curve_in(curve, k, u);
      const double speed = v3_norm(p.d1), across = v3_norm(v3_cross(p.side, p.d1));
      if (!(speed > LEAST_SPEED) || !(across > LEAST_ACROSS * speed)) return k;
    }
  return -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Length of the polygon up to knot k > 0; it must increase, since splines divide by the
 * increment. */
static torsor_status measure(torsor_curve_knot *knot, int k, const reader *r,
                             const json_node *point) {
  knot[k].u = knot[k - 1].u + v3_norm(v3_sub(knot[k].x, knot[k - 1].x));
  if (!isfinite(knot[k].u))
    return reader_fail(r, point, NULL, "is too far from the point before it");
  if (knot[k].u > knot[k - 1].u) return TORSOR_OK;
  return reader_fail(r, point, "leave one of them out",
                     "is too near to the point before it for a curve of this length");
}

static torsor_status read_points(torsor_curve *curve, torsor_curve_knot *knot, const reader *r,
                                 const json_node *points) {
  const cJSON *item;
  int k = 0;
  cJSON_ArrayForEach(item, points->item) {
    const json_node point = json_item(points, item, k);
    torsor_status status = reader_vector(&knot[k].x, r, &point);
    if (status) return status;
    const double way = k ? v3_norm(v3_sub(knot[k].x, knot[k - 1].x)) : 1;
    if (!(way > 0)) return reader_fail(r, &point, NULL, "repeats the point before it");
    if (k) status = measure(knot, k, r, &point);
    if (status) return status;
    ++k;
  }
  if (k < LEAST_POINTS)
    return reader_fail(r, points, "points that the curve goes through, in order",
                       "a curve needs at least %d points, but has %d", LEAST_POINTS, k);
  if (curve->closed) {
    const double way = v3_norm(v3_sub(knot[0].x, knot[k - 1].x));
    const json_node point = json_item(points, points->item->child->prev, k - 1);
    if (!(way > 0))
      return reader_fail(r, &point, "leave it out: a closed curve goes back to its first point",
                         "repeats the first point");
    knot[k].x = knot[0].x;
    const torsor_status status = measure(knot, k, r, &point);
    if (status) return status;
    ++k;
  }
  curve->count = k;
  return TORSOR_OK;
}

/* Splines through the points, the direction across, and the length. */
static torsor_status make_curve(const torsor_curve *curve, function *f, const reader *r,
                                const json_node *points) {
  const size_t count = (size_t)curve->count;
  f->spline = spline_alloc(curve->closed ? gsl_interp_cspline_periodic : gsl_interp_cspline, count);
  f->x = calloc(count, sizeof *f->x);
  f->y = calloc(count, sizeof *f->y);
  if (!f->spline || !f->x || !f->y) return function_out_of_memory(r);
  spline s = {f->spline, f->x, f->y};
  for (size_t k = 0; k < count; ++k) s.u[k] = f->knot[k].u;
  find_seconds(f->knot, curve->count, &s, offsetof(torsor_curve_knot, x),
               offsetof(torsor_curve_knot, x2));
  find_sides(curve, f->knot);
  find_seconds(f->knot, curve->count, &s, offsetof(torsor_curve_knot, side),
               offsetof(torsor_curve_knot, side2));
  const int sharp = find_sharp(curve);
  /* "closed" may be set behind the points */
  if (sharp >= 0 && !curve->closed && reader_postpones(r)) return TORSOR_SCENE;
  if (sharp >= 0)
    return reader_fail(r, points, "add points where it bends: no turn above some 60 degrees",
                       "the curve turns too sharply behind point %d", sharp);
  for (int k = 1; k < curve->count; ++k)
    f->knot[k].s = torsor_curve_arc(curve, k - 1, f->knot[k].u);
  return TORSOR_OK;
}

torsor_status curve_read(torsor_curve *out, function_list *list, const reader *r,
                         const json_node *node) {
  static const char *const keys[] = {"points", "closed"};
  const json_node points = json_member(node, "points"), closed = json_member(node, "closed");
  char shown[96];
  *out = (torsor_curve){0};
  if (!cJSON_IsObject(node->item))
    return reader_fail(r, node, "{\"points\": [[x, y, z], ..], \"closed\": true}",
                       node->item ? "must be a curve, but is %s" : "is %s: a curve is needed",
                       reader_show(node->item, shown));
  torsor_status status = reader_object(r, node, "a curve", keys, 2);
  if (!status) status = reader_array(r, &points, "the points");
  if (!status && closed.item) status = reader_boolean(&out->closed, r, &closed);
  function *f = NULL;
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  f->knot = calloc((size_t)cJSON_GetArraySize(points.item) + 1, sizeof *f->knot);
  if (!f->knot) return function_out_of_memory(r);
  out->knot = f->knot;
  status = read_points(out, f->knot, r, &points);
  return status ? status : make_curve(out, f, r, &points);
}
