/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/faces.h"

/* Terms below are for the body that enters, seen from the body that has the face.  With the normal
 * n of the face, d(x) = m . (x - q)/(m . n) is the depth of an entering face through q with the
 * normal m, and its points are y = x - d n.  As the body moves by the velocity field v, d grows by
 * -t . v(y), t = m/(m . n), and the outline moves by v along its own normal nu: W = k/2 int d^2 dA,
 * force = int k d t dA - k/2 int d^2 nu dl,   moment with y x. Edges between two entering faces
 * have the second term twice with opposite signs.  Steep faces count in part, w(m . n), and have
 * the moment -W w' m x n besides.  All integrands are polynomials over triangles and edges,
 * integrated exactly. */

/* Faces whose normals are this near to across n are seen as lines: the outline has their force. */
#define ACROSS 1e-9

/* A face that is steeper, by the cosine of its angle to the one that it enters, counts only in
 * part, and not at all where it is across: else the energy had a kink, of the third power of the
 * depth, in every box that lies flat. */
#define STEEP 0.1

/* The face is on a unless that of b separates the bodies by more than this part of their size: so
 * it does not alternate between two that are alike. */
#define PREFERENCE 1e-3

enum { VERTICES = 8, FACES = 6, LOOP = 4, CORNERS = 2 * LOOP + 2 };

/* ---- numbers with a change --------------------------------------------------------------- */

typedef struct dual {
  double x, by;
} dual;

typedef struct dual3 {
  v3 x, by;
} dual3;

static inline dual plus(dual a, dual b) {
  return (dual){a.x + b.x, a.by + b.by};
}

static inline dual minus(dual a, dual b) {
  return (dual){a.x - b.x, a.by - b.by};
}

static inline dual times(dual a, dual b) {
  return (dual){a.x * b.x, a.x * b.by + a.by * b.x};
}

static inline dual scaled(double s, dual a) {
  return (dual){s * a.x, s * a.by};
}

static inline dual over(dual a, dual b) {
  const double x = a.x / b.x;
  return (dual){x, (a.by - x * b.by) / b.x};
}

static inline dual along(dual3 a, dual3 b) {
  return (dual){v3_dot(a.x, b.x), v3_dot(a.x, b.by) + v3_dot(a.by, b.x)};
}

static inline dual3 plus3(dual3 a, dual3 b) {
  return (dual3){v3_add(a.x, b.x), v3_add(a.by, b.by)};
}

static inline dual3 times3(dual s, dual3 a) {
  return (dual3){v3_scale(a.x, s.x), v3_axpy(s.by, a.x, v3_scale(a.by, s.x))};
}

static inline dual3 cross3(dual3 a, dual3 b) {
  return (dual3){v3_cross(a.x, b.x), v3_add(v3_cross(a.x, b.by), v3_cross(a.by, b.x))};
}

static inline dual3 fixed(v3 a) {
  return (dual3){a, v3_zero()};
}

/* ---- polyhedra ---------------------------------------------------------------------------- */

/* Vertices of each face of a box, in the order of touch_vertex, against the clock from outside. */
static const int box_loop[FACES][LOOP] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                          {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static v3 box_normal(int face) {
  double n[3] = {0};
  n[face / 2] = face % 2 ? 1 : -1;
  return v3_load(n);
}

static double box_level(const touch_shape *box, int face) {
  const double half[3] = {box->half.x, box->half.y, box->half.z};
  return half[face / 2];
}

bool faces_are_known(touch_kind a, touch_kind b) {
  return a == TOUCH_BOX && b == TOUCH_BOX;
}

/* The body that enters, seen from the one that has the face. */
typedef struct entering {
  m3 R;
  dual3 vertex[VERTICES];
  twist e;        /* its motion under a change */
  dual3 lin, ang; /* twist about the origin of the other, in its axes */
} entering;

/* The distance by which the best face of `shape` parts the bodies. */
static double part(int *best, const touch_shape *shape, const entering *other) {
  double most = -HUGE_VAL;
  for (int face = 0; face < FACES; ++face) {
    const v3 n = box_normal(face);
    double least = HUGE_VAL;
    for (int i = 0; i < VERTICES; ++i) least = fmin(least, v3_dot(n, other->vertex[i].x));
    const double apart = least - box_level(shape, face);
    if (!(apart > most)) continue;
    most = apart;
    *best = face;
  }
  return most;
}

/* ---- polygons on the face ----------------------------------------------------------------- */

/* The face: its normal, axes along it and level. */
typedef struct plane {
  v3 n, s, t;
  double level;
  double low[2], high[2]; /* what it covers along s and t */
} plane;

static plane find_plane(const touch_shape *box, int face) {
  const double half[3] = {box->half.x, box->half.y, box->half.z};
  const int i = (face / 2 + 1) % 3, j = (face / 2 + 2) % 3;
  double s[3] = {0};
  plane out = {.n = box_normal(face), .level = box_level(box, face)};
  s[i] = 1;
  out.s = v3_load(s);
  out.t = v3_cross(out.n, out.s);
  out.high[0] = half[i];
  out.high[1] = half[j];
  for (int k = 0; k < 2; ++k) out.low[k] = -out.high[k];
  return out;
}

/* A corner of a polygon: place along s and t, depth, and whether the edge that begins here is one
 * of the body that enters. */
typedef struct corner {
  dual at[2], depth;
  bool moves;
} corner;

static corner seen(const plane *on, dual3 y, bool moves) {
  const dual level = along(fixed(on->n), y);
  return (corner){
      {along(fixed(on->s), y), along(fixed(on->t), y)}, {on->level - level.x, -level.by}, moves};
}

static corner between(const corner *a, const corner *b, dual part) {
  corner out = {.moves = a->moves};
  for (int k = 0; k < 2; ++k) out.at[k] = plus(a->at[k], times(part, minus(b->at[k], a->at[k])));
  out.depth = plus(a->depth, times(part, minus(b->depth, a->depth)));
  return out;
}

/* A bound of a polygon: sign (value - limit) <= 0 for a place along s or t, or the depth. */
typedef struct bound {
  int which; /* 0: s, 1: t, 2: depth */
  double sign, limit;
} bound;

static dual beyond(const corner *c, const bound *by) {
  const dual x = by->which < 2 ? c->at[by->which] : c->depth;
  return (dual){by->sign * (x.x - by->limit), by->sign * x.by};
}

/* The part of the polygon within the bound (Sutherland and Hodgman 1974); returns its number of
 * corners. */
static int clip(corner *out, const corner *in, int count, const bound *by) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const corner *a = &in[i], *b = &in[(i + 1) % count];
    const dual from = beyond(a, by), to = beyond(b, by);
    if (from.x <= 0) out[kept++] = *a;
    if ((from.x <= 0) == (to.x <= 0)) continue;
    out[kept] = between(a, b, over(from, minus(from, to)));
    out[kept].moves = from.x > 0 && a->moves;
    ++kept;
  }
  return kept;
}

/* ---- integrals ---------------------------------------------------------------------------- */

typedef struct sums {
  dual3 force, moment, place;
  dual push, energy, spread; /* spread: of the push times the squared place */
  double depth;
} sums;

static dual3 place_of(const plane *on, const corner *c) {
  const dual level = {on->level - c->depth.x, -c->depth.by};
  const dual3 along_s = times3(c->at[0], fixed(on->s)), along_t = times3(c->at[1], fixed(on->t));
  return plus3(plus3(along_s, along_t), times3(level, fixed(on->n)));
}

static void add_force(sums *sum, dual3 y, dual3 force) {
  sum->force = plus3(sum->force, force);
  sum->moment = plus3(sum->moment, cross3(y, force));
}

/* The pressure at one point, which stands for `area`. */
static void add_pressure(sums *sum, const face_law *law, const plane *on, const entering *body,
                         const corner *at, dual3 t, dual area) {
  const dual3 y = place_of(on, at);
  const dual rate = along(t, plus3(body->lin, cross3(body->ang, y)));
  const dual loading = {1 - law->dissipation * rate.x, -law->dissipation * rate.by};
  const dual square = times(at->depth, at->depth);
  sum->energy = plus(sum->energy, scaled(law->stiffness / 2, times(area, square)));
  if (!(loading.x > 0)) return;
  const dual push = scaled(law->stiffness, times(times(area, at->depth), loading));
  sum->push = plus(sum->push, push);
  sum->place = plus3(sum->place, times3(push, y));
  sum->spread = plus(sum->spread, times(push, along(y, y)));
  add_force(sum, y, times3(push, t));
}

static const dual half = {0.5, 0};

/* The polygon by triangles from its first corner, each by the middles of its edges: exact for what
 * is of degree 2. */
static void add_polygon(sums *sum, const face_law *law, const plane *on, const entering *body,
                        const corner *c, int count, dual3 t) {
  for (int i = 1; i + 1 < count; ++i) {
    const corner *const at[3] = {&c[0], &c[i], &c[i + 1]};
    const dual u = minus(at[1]->at[0], at[0]->at[0]), v = minus(at[1]->at[1], at[0]->at[1]);
    const dual x = minus(at[2]->at[0], at[0]->at[0]), y = minus(at[2]->at[1], at[0]->at[1]);
    const dual third = scaled(1.0 / 6, minus(times(u, y), times(v, x)));
    for (int k = 0; k < 3; ++k) {
      const corner middle = between(at[k], at[(k + 1) % 3], half);
      add_pressure(sum, law, on, body, &middle, t, third);
    }
  }
}

/* The force on an edge of the outline, by Simpson's rule: exact for degree 3. */
static void add_edge(sums *sum, const face_law *law, const plane *on, const corner *a,
                     const corner *b) {
  const corner middle = between(a, b, half);
  const corner *const at[3] = {a, &middle, b};
  const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  const dual3 outward = plus3(times3(minus(b->at[1], a->at[1]), fixed(on->s)),
                              times3(minus(a->at[0], b->at[0]), fixed(on->t)));
  for (int k = 0; k < 3; ++k) {
    const dual square = times(at[k]->depth, at[k]->depth);
    add_force(sum, place_of(on, at[k]),
              times3(scaled(-law->stiffness / 2 * weight[k], square), outward));
  }
}

/* Adds the part w(c) of a face's sums, c = m . n, and the moment of the change of w. */
static void add_part(sums *sum, const sums *one, dual3 normal, dual3 n, dual facing) {
  const dual unit = {1, 0}, three = {3, 0};
  const dual r = facing.x <= -STEEP ? unit : scaled(-1 / STEEP, facing);
  const dual w = times(times(r, r), minus(three, scaled(2, r)));
  const dual slope = scaled(-6 / STEEP, times(r, minus(unit, r)));
  const dual3 turn = times3(scaled(-1, times(slope, one->energy)), cross3(normal, n));
  sum->force = plus3(sum->force, times3(w, one->force));
  sum->moment = plus3(sum->moment, plus3(times3(w, one->moment), turn));
  sum->place = plus3(sum->place, times3(w, one->place));
  sum->push = plus(sum->push, times(w, one->push));
  sum->spread = plus(sum->spread, times(w, one->spread));
  sum->energy = plus(sum->energy, times(w, one->energy));
  sum->depth = fmax(sum->depth, one->depth);
}

/* One face of the body that enters. */
static void add_face(sums *sum, const face_law *law, const plane *on, const entering *body,
                     int face) {
  corner polygon[2][CORNERS];
  sums one = {0};
  const v3 m = m3_mulv(body->R, box_normal(face));
  const dual3 normal = {m, v3_cross(body->e.ang, m)};
  const dual facing = along(normal, fixed(on->n));
  if (!(facing.x < -ACROSS)) return;
  int count = LOOP;
  for (int i = 0; i < LOOP; ++i) /* backwards: it is seen from behind */
    polygon[0][i] = seen(on, body->vertex[box_loop[face][LOOP - 1 - i]], true);
  const bound bounds[5] = {{0, -1, on->low[0]},
                           {0, 1, on->high[0]},
                           {1, -1, on->low[1]},
                           {1, 1, on->high[1]},
                           {2, -1, 0}};
  for (int k = 0; k < 5; ++k) count = clip(polygon[(k + 1) % 2], polygon[k % 2], count, &bounds[k]);
  const corner *c = polygon[5 % 2];
  if (count < 3) return;
  add_polygon(&one, law, on, body, c, count, times3(over((dual){1, 0}, facing), normal));
  for (int i = 0; i < count; ++i) {
    if (c[i].moves) add_edge(&one, law, on, &c[i], &c[(i + 1) % count]);
    one.depth = fmax(one.depth, c[i].depth.x);
  }
  add_part(sum, &one, normal, fixed(on->n), facing);
}

/* ---- both bodies -------------------------------------------------------------------------- */

static void find_entering(entering *out, const touch_shape *box, const m3 *R, v3 p, twist motion,
                          twist e, twist faster) {
  out->R = *R;
  out->e = e;
  out->lin = (dual3){motion.lin, faster.lin};
  out->ang = (dual3){motion.ang, faster.ang};
  for (int i = 0; i < VERTICES; ++i) {
    const v3 y = v3_add(p, m3_mulv(*R, touch_vertex(box, i)));
    out->vertex[i] = (dual3){y, v3_add(e.lin, v3_cross(e.ang, y))};
  }
}

/* A twist of b about the origin of a, in the axes of a, as the one of a about the origin of b. */
static twist seen_from_b(const m3 *R, v3 p, twist V) {
  const v3 lin = v3_add(V.lin, v3_cross(V.ang, p));
  return (twist){v3_neg(m3_tmulv(*R, lin)), v3_neg(m3_tmulv(*R, V.ang))};
}

static void sum_up(sums *sum, const face_law *law, const touch_shape *shape, int face,
                   const entering *body) {
  const plane on = find_plane(shape, face);
  for (int i = 0; i < FACES; ++i) add_face(sum, law, &on, body, i);
}

/* The mean square of the distance from the centre does not depend on the origin. */
static void set_push(faces_contact *out, const sums *s) {
  out->push = s->push.x;
  out->push_by = s->push.by;
  if (!(s->push.x > 0)) return;
  const dual3 middle = times3(over((dual){1, 0}, s->push), s->place);
  const dual square = minus(over(s->spread, s->push), along(middle, middle));
  out->reach = sqrt(fmax(0, square.x));
  out->reach_by = out->reach > 0 ? square.by / (2 * out->reach) : 0;
}

static void set_centre(faces_contact *out, dual push, dual3 place) {
  const dual3 centre = push.x > 0 ? times3(over((dual){1, 0}, push), place) : fixed(v3_zero());
  out->centre = centre.x;
  out->centre_by = centre.by;
}

/* The face is one of a. */
static void set_on_a(faces_contact *out, const sums *s, v3 n) {
  out->n = n;
  out->force = s->force.x;
  out->force_by = s->force.by;
  out->moment = s->moment.x;
  out->moment_by = s->moment.by;
  set_centre(out, s->push, s->place);
}

/* A vector in the axes of b, which turns by `ang`. */
static dual3 to_a(const m3 *R, v3 ang, dual3 x) {
  const v3 turned = m3_mulv(*R, x.x);
  return (dual3){turned, v3_add(m3_mulv(*R, x.by), v3_cross(ang, turned))};
}

/* The face is one of b, and the sums are forces on a. */
static void set_on_b(faces_contact *out, const sums *s, v3 n, const m3 *R, v3 p, twist e) {
  const dual3 origin = {p, v3_add(e.lin, v3_cross(e.ang, p))};
  const dual back = {-1, 0};
  const dual3 force = times3(back, to_a(R, e.ang, s->force));
  const dual3 moment = plus3(times3(back, to_a(R, e.ang, s->moment)), cross3(origin, force));
  const dual3 normal = to_a(R, e.ang, fixed(v3_neg(n)));
  out->n = normal.x;
  out->n_by = normal.by;
  out->force = force.x;
  out->force_by = force.by;
  out->moment = moment.x;
  out->moment_by = moment.by;
  set_centre(out, s->push, plus3(to_a(R, e.ang, s->place), times3(s->push, origin)));
}

void faces_eval(faces_contact *out, const face_law *law, const touch_shape *a, const touch_shape *b,
                const m3 *R, v3 p, twist motion, twist e, twist faster) {
  entering body, other;
  sums sum = {0};
  int on_a = 0, on_b = 0;
  const m3 back = m3_transpose(*R);
  const v3 from_b = v3_neg(m3_mulv(back, p));
  const double size = fmin(v3_norm(a->half), v3_norm(b->half));
  *out = (faces_contact){0};
  find_entering(&body, b, R, p, motion, e, faster);
  /* d(Ad(H^-1) V) = Ad(H^-1)(dV - ad(e) V) */
  find_entering(&other, a, &back, from_b, seen_from_b(R, p, motion), seen_from_b(R, p, e),
                seen_from_b(R, p, tw_sub(faster, se3_ad_apply(e, motion))));
  const double by_a = part(&on_a, a, &body), by_b = part(&on_b, b, &other);
  if (by_a > 0 || by_b > 0) return;
  const bool first = by_a > by_b - PREFERENCE * size;
  if (first)
    sum_up(&sum, law, a, on_a, &body);
  else
    sum_up(&sum, law, b, on_b, &other);
  set_push(out, &sum);
  out->energy = sum.energy.x;
  out->depth = sum.depth;
  if (first)
    set_on_a(out, &sum, box_normal(on_a));
  else
    set_on_b(out, &sum, box_normal(on_b), R, p, e);
}
