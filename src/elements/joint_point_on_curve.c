/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

#include <torsor/curve.h>

#include <float.h>

typedef struct joint_point_on_curve_data {
  torsor_joint joint;
  torsor_curve curve;
  torsor_coordinate_ref travel; /* its own: selects the branch of the curve */
} joint_point_on_curve_data;

static const torsor_param params[] = {TORSOR_JOINT_PARAMS_OF_POINT(joint_point_on_curve_data),
                                      {"curve", TORSOR_PARAM_CURVE,
                                       offsetof(joint_point_on_curve_data, curve), "m", NULL,
                                       "curve through points in the frame of marker a", NULL, 0},
                                      {0}};

/* The nearest point: u, the curve there, and g = d(x - p).x'/du. */
typedef struct nearest {
  double u, g;
  torsor_curve_point at;
} nearest;

enum { MOST_ITERATIONS = 60, SAMPLES = 4 };

/* A point farther from the curve than this part of its length is not where it was expected. */
#define NEAR 0.05

/* (x(u) - p).x'(u) = 0 by Newton from `u`; false where the distance is no minimum. */
static bool find_from(nearest *out, const torsor_curve *curve, v3 p, double u) {
  const double end = torsor_curve_end(curve);
  for (int i = 0; i < MOST_ITERATIONS; ++i) {
    const torsor_curve_point at = torsor_curve_at(curve, u);
    const v3 off = v3_sub(at.x, p);
    const double speed = v3_dot(at.d1, at.d1), g = speed + v3_dot(off, at.d2);
    const bool convex = g > 0.1 * speed;
    const double step = -v3_dot(off, at.d1) / (convex ? g : speed);
    *out = (nearest){.u = u, .g = g, .at = at};
    if (fabs(step) <= 4 * DBL_EPSILON * end) return convex;
    u += fmax(-end / 8, fmin(end / 8, step));
  }
  return false;
}

/* Finds the nearest point globally, starting Newton's iteration from the nearest of several samples
 * on every segment. */
static bool find_anywhere(nearest *out, const torsor_curve *curve, v3 p) {
  double best = HUGE_VAL, from = 0;
  for (int k = 0; k + 1 < curve->count; ++k)
    for (int i = 0; i < SAMPLES + (k + 2 == curve->count); ++i) {
      const double h = curve->knot[k + 1].u - curve->knot[k].u,
                   u = curve->knot[k].u + i * h / SAMPLES;
      const double off = v3_norm(v3_sub(torsor_curve_in(curve, k, u).x, p));
      if (!(off < best)) continue;
      best = off;
      from = u;
    }
  return find_from(out, curve, p, from);
}

/* Estimates the parameter u at the length s along the curve. */
static double find_start(const torsor_curve *curve, double s) {
  const double length = torsor_curve_length(curve);
  if (curve->closed) s -= length * floor(s / length);
  const torsor_curve_knot *k = &curve->knot[torsor_curve_segment(curve, s, true)];
  return k->u + (s - k->s) * (k[1].u - k->u) / (k[1].s - k->s);
}

/* Finds the point of the curve nearest to p: near the expected travel, which distinguishes branches
 * that cross, or else the nearest of all. */
static bool find_point(nearest *out, const joint_point_on_curve_data *data, v3 p,
                       const double *coordinate) {
  const torsor_curve *curve = &data->curve;
  if (coordinate && find_from(out, curve, p, find_start(curve, coordinate[data->travel.place])) &&
      v3_norm(v3_sub(out->at.x, p)) <= NEAR * torsor_curve_end(curve))
    return true;
  return find_anywhere(out, curve, p);
}

/* A vector and its first two derivatives by u. */
typedef struct curve_jet {
  v3 v, d1, d2;
} curve_jet;

static curve_jet jet_cross(const curve_jet *a, const curve_jet *b) {
  const v3 mixed = v3_cross(a->d1, b->d1);
  return (curve_jet){v3_cross(a->v, b->v), v3_add(v3_cross(a->d1, b->v), v3_cross(a->v, b->d1)),
                     v3_axpy(2, mixed, v3_add(v3_cross(a->d2, b->v), v3_cross(a->v, b->d2)))};
}

/* y = v/|v|: with s = |v|, v = s y gives y' = (v' - s' y)/s and y'' = (v'' - s'' y - 2 s' y')/s,
 * where s' = y.v' and s'' = y'.v' + y.v''. */
static curve_jet jet_unit(const curve_jet *a) {
  const double s = v3_norm(a->v);
  curve_jet y = {.v = v3_scale(a->v, 1 / s)};
  const double s1 = v3_dot(y.v, a->d1);
  y.d1 = v3_scale(v3_axpy(-s1, y.v, a->d1), 1 / s);
  const double s2 = v3_dot(y.d1, a->d1) + v3_dot(y.v, a->d2);
  y.d2 = v3_scale(v3_axpy(-2 * s1, y.d1, v3_axpy(-s2, y.v, a->d2)), 1 / s);
  return y;
}

/* Unit normals: the tangent across the side, and that across the tangent. */
static void find_normals(curve_jet n[2], const torsor_curve_point *at) {
  const curve_jet along = {at->d1, at->d2, at->d3}, side = {at->side, at->side_d1, at->side_d2};
  const curve_jet t = jet_unit(&along), level = jet_cross(&t, &side);
  n[1] = jet_unit(&level);
  n[0] = jet_cross(&n[1], &t);
}

/* Derivative of g = x'.x' - off.x'' by u, off = p - x. */
static double denominator_slope(const nearest *near, v3 off) {
  return 3 * v3_dot(near->at.d1, near->at.d2) - v3_dot(off, near->at.d3);
}

/* Second derivative by p of n.off, whose gradient is n + a x', a = n'.off/g: (n' + a' x' + a x'')
 * x'^T/g + x' n'^T/g + a x' x''^T/g, with a' = (n''.off - n'.x' - a g')/g. */
static m3 row_curvature(const nearest *near, const curve_jet *n, v3 off) {
  const torsor_curve_point *at = &near->at;
  const double g = near->g, a = v3_dot(n->d1, off) / g;
  const double slope =
      (v3_dot(n->d2, off) - v3_dot(n->d1, at->d1) - a * denominator_slope(near, off)) / g;
  const v3 moving = v3_axpy(a, at->d2, v3_axpy(slope, at->d1, n->d1));
  const m3 fixed = m3_outer(at->d1, v3_axpy(a, at->d2, n->d1));
  return m3_scale(m3_add(m3_outer(moving, at->d1), fixed), 1 / g);
}

/* H seen from b. */
static m3 turn_curvature(const m3 *R, m3 H) {
  return m3_mul(m3_tmul(*R, H), *R);
}

/* D u = x'/g . dp;  D(n.(p - x)) = (n + (n'.(p - x)) x'/g) . dp. */
static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_point_on_curve_data *data = self;
  nearest near;
  curve_jet n[2];
  if (!find_point(&near, data, in->p, in->coordinate)) return TORSOR_DOMAIN;
  find_normals(n, &near.at);
  const v3 off = v3_sub(in->p, near.at.x);
  for (int i = 0; i < 2; ++i) {
    torsor_coordinate_out row = {.second = out->second};
    const v3 gradient = v3_axpy(v3_dot(n[i].d1, off) / near.g, near.at.d1, n[i].v);
    const v3 seen = m3_tmulv(in->R, gradient);
    tw_store(row.J, (twist){.lin = seen});
    if (out->second)
      torsor_coordinate_bend(&row, seen, turn_curvature(&in->R, row_curvature(&near, &n[i], off)));
    out->phi[i] = v3_dot(n[i].v, off);
    relative_add_coordinate(out, i, 1, &row, in);
  }
  return TORSOR_OK;
}

/* Second derivative by p of the travel, whose gradient is x' |x'|/g. */
static m3 travel_curvature(const nearest *near, v3 p) {
  const torsor_curve_point *at = &near->at;
  const double speed = v3_norm(at->d1), g = near->g;
  const double stretch =
      v3_dot(at->d1, at->d2) / (speed * speed) - denominator_slope(near, v3_sub(p, at->x)) / g;
  const v3 moving = v3_axpy(stretch, at->d1, at->d2);
  const m3 sum = m3_add(m3_outer(moving, at->d1), m3_outer(at->d1, at->d2));
  return m3_scale(sum, speed / (g * g));
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const joint_point_on_curve_data *data = self;
  const torsor_curve *curve = &data->curve;
  nearest near;
  (void)index;
  find_point(&near, data, in->p, in->coordinate);
  const double u = torsor_curve_wrap(curve, near.u), speed = v3_norm(near.at.d1);
  out->value = torsor_curve_arc(curve, torsor_curve_segment(curve, u, false), u);
  const v3 gradient = m3_tmulv(in->R, v3_scale(near.at.d1, speed / near.g));
  tw_store(out->J, (twist){.lin = gradient});
  if (out->second)
    torsor_coordinate_bend(out, gradient, turn_curvature(&in->R, travel_curvature(&near, in->p)));
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_point_on_curve_data *data = self;
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  const double length = torsor_curve_length(&data->curve);
  data->joint.period = data->curve.closed ? length : 0;
  data->joint.highest = data->curve.closed ? 0 : length;
  data->travel.place = setup->first_coordinate;
  const torsor_status status = torsor_joint_prepare(&data->joint, setup, 2, relative, false, error);
  for (int k = 0; k < data->curve.count; ++k)
    setup->length = fmax(setup->length, v3_norm(data->curve.knot[k].x));
  return status;
}

static const torsor_coordinate coordinates[] = {{"travel", "speed", "m", 0}, {0}};

const torsor_element_type joint_point_on_curve = {
    TORSOR_JOINT_TABLE(joint_point_on_curve_data),
    .name = "point_on_curve",
    .title = "a point of b stays on a smooth curve of a: bead on a wire, cam, rail",
    .doc =
        "phi = (n1.(p - x), n2.(p - x)) [2] (m): distance of marker b from the curve's nearest\n"
        "point x(u), (x - p).x' = 0, along two normals n of the curve there.  The curve is a "
        "cubic\n"
        "spline through the points over the length of their polygon, natural (straight at the\n"
        "ends) or, when closed, periodic; curvature is continuous.  Of branches that cross, the\n"
        "one is meant that the motion so far leads to.  It ends a simulation when the point "
        "leaves\n"
        "the ends of an open curve or comes as far from it as its radius of curvature.\n"
        "Coordinate: travel (m) along the curve from the first point, on a closed one counted "
        "over\n"
        "many rounds; speed (m/s).  lambda: forces on a along the normals (N).",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"bead\", \"type\": \"point_mass\","
        " \"mass\": 0.2, \"position\": [3, 0, 0]}], \"joints\": [{\"name\": \"wire\","
        " \"type\": \"point_on_curve\", \"a\": \"ground\", \"b\": \"bead\", \"curve\": {\"points\":"
        " [[3, 0, 0], [2.1, 2.1, 0.4], [0, 3, 0.5], [-2.1, 2.1, 0.2], [-3, 0, 0],"
        " [-2.1, -2.1, 0.4], [0, -3, 0.5], [2.1, -2.1, 0.2]], \"closed\": true}}]}",
    .coordinates.list = coordinates,
    .limits.range =
        "points within the ends of its curve, nearer to it than its radius of curvature",
    .limits.advice = "give the curve more points beyond its ends, or close it; take a smaller step "
                     "where it bends",
};
