/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/touch.h"

/* Sine of 2 degrees: capsules whose axes are nearer to parallel share the force between the ends of
 * where they overlap. */
#define NEARLY_PARALLEL 0.03489949670250097

/* Sine below which the axis of a cylinder is upright within rounding: all points of the rim are
 * equally low. */
#define UPRIGHT 1e-12

static const v3 up = {0, 0, 1};

/* A point whose normal is that of a face of a; `foot` belongs to the core of b. */
static touch_point on_face(v3 n, double gap, v3 b, int id) {
  return (touch_point){.gap = gap,
                       .n = n,
                       .a = v3_axpy(-gap, n, b),
                       .b = b,
                       .id = id,
                       .part = 1,
                       .flat = true,
                       .core_b = b};
}

/* A point between points of the cores that are apart. */
static touch_point between(v3 core_a, v3 core_b, double radius_a, double radius_b, int id) {
  const v3 v = v3_sub(core_b, core_a);
  const double apart = v3_norm(v);
  const v3 n = apart > 0 ? v3_scale(v, 1 / apart) : up;
  return (touch_point){.gap = apart - radius_a - radius_b,
                       .n = n,
                       .a = v3_axpy(radius_a, n, core_a),
                       .b = v3_axpy(-radius_b, n, core_b),
                       .id = id,
                       .part = 1,
                       .apart = apart,
                       .core_a = core_a,
                       .core_b = core_b};
}

/* Lets the cores' points slide along directions without curvature. */
static void set_slides(touch_point *at, int slides) {
  double G[2][2] = {{1, 0}, {0, 1}};
  at->slides = slides;
  for (int i = 0; i < slides; ++i)
    for (int j = 0; j < slides; ++j)
      G[i][j] =
          v3_dot(v3_sub(at->along_b[i], at->along_a[i]), v3_sub(at->along_b[j], at->along_a[j]));
  const double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
  at->hold[0][0] = G[1][1] / det;
  at->hold[1][1] = G[0][0] / det;
  at->hold[0][1] = at->hold[1][0] = -G[0][1] / det;
}

/* ---- planes ------------------------------------------------------------------------------ */

/* The vertices of b that are lowest: all that a box, a capsule or a sphere has. */
static int plane_vertices(touch_point *out, const touch_shape *b, const m3 *R, v3 p) {
  int count = 0;
  for (int i = 0; i < touch_vertices(b); ++i) {
    const v3 x = v3_add(p, m3_mulv(*R, touch_vertex(b, i)));
    const double gap = x.z - b->radius;
    int at = count < TOUCH_POINTS ? count++ : TOUCH_POINTS;
    for (; at > 0 && out[at - 1].gap > gap; --at)
      if (at < TOUCH_POINTS) out[at] = out[at - 1];
    if (at < TOUCH_POINTS) {
      out[at] = on_face(up, gap, v3_axpy(-b->radius, up, x), i);
      out[at].core_b = x;
    }
  }
  return count;
}

/* A point of the rim of a cylinder in the direction `way` of its radius, which glides along the
 * rim as the lowest point does, by `steer` . (rotation). */
static touch_point rim_point(const touch_shape *b, v3 centre, v3 axis, v3 way, v3 steer, int id) {
  const v3 core = v3_axpy(b->half.x, way, centre);
  touch_point at = on_face(up, core.z - b->radius, v3_axpy(-b->radius, up, core), id);
  at.core_b = core;
  at.glide = v3_scale(steer, b->half.x * v3_dot(up, v3_cross(axis, way)));
  return at;
}

/* The lowest point of both rims, and two more of the lower one at 120 degrees from it: three points
 * resist tilting about all axes alike, so that it does not matter which is lowest. */
static int plane_cylinder(touch_point *out, const touch_shape *b, const m3 *R, v3 p) {
  const v3 axis = m3_column(*R, 2), down = v3_axpy(axis.z, axis, v3_neg(up));
  const double sine = v3_norm(down), low = axis.z > 0 ? -b->half.z : b->half.z;
  const v3 way = sine > UPRIGHT ? v3_scale(down, 1 / sine) : m3_column(*R, 0);
  const v3 tangent = v3_cross(axis, way);
  const v3 steer = v3_scale(v3_cross(up, tangent), 1 / fmax(sine, UPRIGHT));
  const v3 lower = v3_axpy(low, axis, p), upper = v3_axpy(-low, axis, p);
  const double root = 0.8660254037844386;
  const v3 half = v3_scale(way, -0.5);
  out[0] = rim_point(b, lower, axis, way, v3_zero(), 0);
  out[1] = rim_point(b, lower, axis, v3_axpy(root, tangent, half), steer, 1);
  out[2] = rim_point(b, lower, axis, v3_axpy(-root, tangent, half), steer, 2);
  out[3] = rim_point(b, upper, axis, way, v3_zero(), 3);
  return 4;
}

/* ---- spheres ----------------------------------------------------------------------------- */

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* A sphere whose centre is above a face of the box, or inside: out through the nearest face. */
static touch_point through_face(const touch_shape *a, double radius, v3 c) {
  double centre[3], half[3], n[3] = {0};
  int face = 0;
  v3_store(centre, c);
  v3_store(half, a->half);
  for (int i = 1; i < 3; ++i)
    if (half[i] - fabs(centre[i]) < half[face] - fabs(centre[face])) face = i;
  n[face] = centre[face] < 0 ? -1 : 1;
  const v3 normal = v3_load(n);
  const double gap = fabs(centre[face]) - half[face] - a->radius - radius;
  touch_point at = on_face(normal, gap, v3_axpy(-radius, normal, c), 0);
  at.core_b = c;
  return at;
}

static int box_sphere(touch_point *out, const touch_shape *a, const touch_shape *b, v3 c) {
  double centre[3], half[3], nearest[3];
  v3 free[3];
  int slides = 0;
  v3_store(centre, c);
  v3_store(half, a->half);
  for (int i = 0; i < 3; ++i) {
    double unit[3] = {0};
    unit[i] = 1;
    nearest[i] = clamp(centre[i], -half[i], half[i]);
    if (fabs(centre[i]) < half[i]) free[slides++] = v3_load(unit);
  }
  if (slides > 1 || v3_norm2(v3_sub(c, v3_load(nearest))) == 0) {
    *out = through_face(a, b->radius, c);
    return 1;
  }
  *out = between(v3_load(nearest), c, a->radius, b->radius, 0);
  for (int i = 0; i < slides; ++i) out->along_a[i] = free[i];
  set_slides(out, slides);
  return 1;
}

/* Above the end of a cylinder. */
static touch_point on_end(const touch_shape *a, const touch_shape *b, v3 c) {
  const v3 n = {0, 0, c.z < 0 ? -1 : 1};
  const double gap = fabs(c.z) - a->half.z - a->radius - b->radius;
  touch_point at = on_face(n, gap, v3_axpy(-b->radius, n, c), 0);
  at.core_b = c;
  return at;
}

static int cylinder_sphere(touch_point *out, const touch_shape *a, const touch_shape *b, v3 c) {
  const double rho = a->half.x, s = sqrt(c.x * c.x + c.y * c.y), out_side = s - rho,
               out_end = fabs(c.z) - a->half.z;
  if (out_side > 0 && out_end > 0) { /* beside the rim */
    const v3 way = {c.x / s, c.y / s, 0};
    const v3 rim = {rho * way.x, rho * way.y, c.z < 0 ? -a->half.z : a->half.z};
    *out = between(rim, c, a->radius, b->radius, 0);
    out->slides = 1;
    out->along_a[0] = v3_cross(up, way);
    out->hold[0][0] = rho / s;
    return 1;
  }
  if (out_end >= out_side || !(s > 0)) {
    *out = on_end(a, b, c);
    return 1;
  }
  *out = between((v3){0, 0, c.z}, c, rho + a->radius, b->radius, 0);
  out->along_a[0] = up;
  set_slides(out, 1);
  return 1;
}

/* ---- segments ---------------------------------------------------------------------------- */

/* The point of the segment from -half to half along `u` about `centre` that is nearest to x: its
 * place, and whether it is inside. */
static double foot(bool *inside, v3 x, v3 centre, v3 u, double half) {
  const double along = v3_dot(v3_sub(x, centre), u);
  *inside = fabs(along) < half;
  return clamp(along, -half, half);
}

/* Axis of b, where it is and how long both are. */
typedef struct axes {
  const touch_shape *a, *b;
  v3 u, p; /* direction and middle of b; a is along z about 0 */
} axes;

/* Points at s and t of the axes; those that may slide do. */
static touch_point between_axes(const axes *x, double s, double t, bool slides_a, bool slides_b,
                                int id) {
  touch_point at = between((v3){0, 0, s}, v3_axpy(t, x->u, x->p), x->a->radius, x->b->radius, id);
  int slides = 0;
  if (slides_a) at.along_a[slides++] = up;
  if (slides_b) at.along_b[slides++] = x->u;
  set_slides(&at, slides);
  return at;
}

/* The end `end` of a against b, or of b against a. */
static touch_point end_of_a(const axes *x, double end, int id) {
  bool inside;
  const double t = foot(&inside, (v3){0, 0, end}, x->p, x->u, x->b->half.z);
  return between_axes(x, end, t, false, inside, id);
}

static touch_point end_of_b(const axes *x, double end, int id) {
  bool inside;
  const double s = foot(&inside, v3_axpy(end, x->u, x->p), v3_zero(), up, x->a->half.z);
  return between_axes(x, s, end, inside, false, id);
}

static touch_point nearer(touch_point a, touch_point b) {
  return b.gap < a.gap ? b : a;
}

/* The nearest points: where the axes cross, if that is inside of both, else at one of the ends. */
static touch_point nearest_axes(const axes *x) {
  const double c = x->u.z, square = 1 - c * c, along = x->p.z, across = v3_dot(x->p, x->u);
  const double s = (along - c * across) / square, t = (c * along - across) / square;
  if (square > 0 && fabs(s) < x->a->half.z && fabs(t) < x->b->half.z)
    return between_axes(x, s, t, true, true, 0);
  return nearer(nearer(end_of_a(x, -x->a->half.z, 0), end_of_a(x, x->a->half.z, 0)),
                nearer(end_of_b(x, -x->b->half.z, 0), end_of_b(x, x->b->half.z, 0)));
}

/* The part `share` w or 1/2 (1 - w) of the force, w a smooth step over c. */
static void set_part(touch_point *at, const axes *x, double share, double constant) {
  const double whole = NEARLY_PARALLEL * NEARLY_PARALLEL, c = 1 - x->u.z * x->u.z, r = c / whole;
  at->part = constant + share * r * r * (3 - 2 * r);
  at->share = share;
  at->slope = 6 * r * (1 - r) / whole;
  at->curve = 6 * (1 - 2 * r) / (whole * whole);
  at->axis_a = up;
  at->axis_b = x->u;
}

static int capsule_capsule(touch_point *out, const touch_shape *a, const touch_shape *b,
                           const m3 *R, v3 p) {
  axes x = {a, b, m3_column(*R, 2), p};
  const double square = x.u.x * x.u.x + x.u.y * x.u.y;
  out[0] = nearest_axes(&x);
  if (square >= NEARLY_PARALLEL * NEARLY_PARALLEL) return 1;
  set_part(&out[0], &x, 1, 0);
  for (int k = 0; k < 2; ++k) { /* the ends of a, each beside one of b */
    const double end = k ? a->half.z : -a->half.z, same = x.u.z > 0 ? 1 : -1;
    const double other = (k ? same : -same) * b->half.z;
    out[1 + k] = nearer(end_of_a(&x, end, 1 + k), end_of_b(&x, other, 1 + k));
    set_part(&out[1 + k], &x, -0.5, 0.5);
  }
  return 3;
}

/* ---- all --------------------------------------------------------------------------------- */

static int by_vertices(touch_point *out, const touch_shape *a, const touch_shape *b, const m3 *R,
                       v3 p) {
  touch_simplex s;
  v3 on_a = v3_zero(), on_b = v3_zero();
  touch_nearest(&s, a, b, R, p);
  if (!s.count) return 0;
  for (int i = 0; i < s.count; ++i) {
    on_a = v3_axpy(s.weight[i], s.a[i], on_a);
    on_b = v3_axpy(s.weight[i], s.b[i], on_b);
  }
  *out = between(on_a, on_b, a->radius, b->radius, 0);
  for (int i = 1; i < s.count; ++i) {
    out->along_a[i - 1] = v3_sub(s.a[i], s.a[0]);
    out->along_b[i - 1] = v3_sub(s.b[i], s.b[0]);
  }
  set_slides(out, s.count - 1);
  return 1;
}

bool touch_is_known(touch_kind a, touch_kind b) {
  if (a > b) return touch_is_known(b, a);
  if (a == TOUCH_PLANE) return b != TOUCH_PLANE;
  if (a == TOUCH_CYLINDER || b == TOUCH_CYLINDER) return b == TOUCH_SPHERE;
  return true;
}

bool touch_is_smooth(touch_kind a, touch_kind b) {
  return a != TOUCH_PLANE || b != TOUCH_CYLINDER;
}

int touch_find(touch_point out[TOUCH_POINTS], const touch_shape *a, const touch_shape *b,
               const m3 *R, v3 p) {
  switch (a->kind) {
  case TOUCH_PLANE:
    return b->kind == TOUCH_CYLINDER ? plane_cylinder(out, b, R, p) : plane_vertices(out, b, R, p);
  case TOUCH_BOX:
    return b->kind == TOUCH_SPHERE ? box_sphere(out, a, b, p) : by_vertices(out, a, b, R, p);
  case TOUCH_CYLINDER:
    return cylinder_sphere(out, a, b, p);
  case TOUCH_CAPSULE:
    if (b->kind == TOUCH_SPHERE) {
      *out = end_of_b(&(axes){a, b, m3_column(*R, 2), p}, 0, 0);
      return 1;
    }
    return capsule_capsule(out, a, b, R, p);
  case TOUCH_SPHERE:
    *out = between(v3_zero(), p, a->radius, b->radius, 0);
    return 1;
  default:
    return by_vertices(out, a, b, R, p);
  }
}

/* ---- changes ----------------------------------------------------------------------------- */

v3 touch_turn(const touch_point *at) {
  const double cosine = v3_dot(at->axis_a, at->axis_b);
  return v3_scale(v3_cross(at->axis_b, at->axis_a), -2 * at->share * at->slope * cosine);
}

/* D of touch_turn, and of the part. */
static void move_part(touch_change *out, const touch_point *at, v3 turn) {
  const v3 axis = v3_cross(turn, at->axis_b), side = v3_cross(at->axis_b, at->axis_a);
  const double cosine = v3_dot(at->axis_a, at->axis_b), change = v3_dot(at->axis_a, axis);
  const double c = -2 * cosine * change;
  out->part = at->share * at->slope * c;
  out->turn = v3_scale(side, -2 * at->share * (at->curve * c * cosine + at->slope * change));
  out->turn = v3_axpy(-2 * at->share * at->slope * cosine, v3_cross(axis, at->axis_a), out->turn);
}

touch_change touch_move(const touch_point *at, twist motion) {
  touch_change out = {0};
  const v3 moving = v3_add(motion.lin, v3_cross(motion.ang, at->core_b));
  double slope[TOUCH_SLIDES], slide[TOUCH_SLIDES] = {0};
  for (int i = 0; i < at->slides; ++i) {
    const v3 along = v3_sub(at->along_b[i], at->along_a[i]);
    slope[i] =
        v3_dot(along, moving) + at->apart * v3_dot(v3_cross(motion.ang, at->along_b[i]), at->n);
  }
  v3 a = v3_zero(), b = moving;
  for (int i = 0; i < at->slides; ++i) {
    for (int j = 0; j < at->slides; ++j) slide[i] -= at->hold[i][j] * slope[j];
    a = v3_axpy(slide[i], at->along_a[i], a);
    b = v3_axpy(slide[i], at->along_b[i], b);
  }
  out.gap = v3_dot(at->n, moving);
  if (at->share != 0) move_part(&out, at, motion.ang);
  if (at->flat) {
    out.b = b;
    out.a = v3_axpy(-out.gap, at->n, b);
    return out;
  }
  const v3 v = v3_sub(b, a);
  out.n = v3_scale(v3_axpy(-v3_dot(at->n, v), at->n, v), at->apart > 0 ? 1 / at->apart : 0);
  const double radius_a = v3_dot(at->n, v3_sub(at->a, at->core_a)),
               radius_b = v3_dot(at->n, v3_sub(at->core_b, at->b));
  out.a = v3_axpy(radius_a, out.n, a);
  out.b = v3_axpy(-radius_b, out.n, b);
  return out;
}
