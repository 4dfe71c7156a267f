/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/contact_group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Default margin in parts of the radius of the smallest shape. */
#define MARGIN 0.1

/* Room for candidates of each shape where none is given. */
#define PAIRS_OF_A_SHAPE 8

/* Bodies among which a group may have blocks of any two: 12 MB for each of K and C. */
#define COUPLED 200

/* A list holds for about this many steps. */
#define STEPS 4

/* ---- shapes -------------------------------------------------------------------------------- */

static const torsor_member *member_of(const contact_group *g, int i) {
  return i < g->between.count ? &g->between.member[i] : &g->against.member[i - g->between.count];
}

/* The node of shape i among those of the element. */
static int side_of(const contact_group *g, int i) {
  const int side = i < g->shapes ? member_of(g, i)->side : -1;
  return side >= 0 && i >= g->between.count ? g->between.nodes + side : side;
}

/* Frame of shape i in its node, or of what stands still in space. */
static void offset_of(m3 *R, v3 *x, const contact_group *g, int i) {
  *R = i < g->shapes ? member_of(g, i)->R : g->plane.R0;
  *x = i < g->shapes ? member_of(g, i)->x : g->plane.x0;
}

static void make_shape(touch_shape *out, const contact_group *g, int i) {
  if (i < g->shapes)
    touching_shape(out, member_of(g, i)->solid, g->rounding);
  else
    *out = (touch_shape){.kind = TOUCH_PLANE};
}

/* Radius of the ball about a shape. */
static double ball_of(const touch_shape *shape) {
  const v3 h = shape->half;
  if (shape->kind == TOUCH_BOX) /* of a box with sharp edges */
    return v3_norm(v3_add(h, (v3){shape->radius, shape->radius, shape->radius}));
  if (shape->kind == TOUCH_CYLINDER) return hypot(h.x, h.z) + shape->radius;
  return v3_norm(h) + shape->radius;
}

/* Middle of shape i, and its speed. */
static v3 middle_of(double *speed, const contact_group *g, const torsor_element_in *in, int i) {
  const int side = side_of(g, i);
  const torsor_motion *m = side >= 0 ? in->node[side] : NULL;
  m3 R;
  v3 x;
  offset_of(&R, &x, g, i);
  if (speed) *speed = m ? v3_norm(v3_add(m->V.lin, v3_cross(m->V.ang, x))) : 0;
  return m ? v3_add(m->x, m3_mulv(m->R, x)) : x;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static double *shape_states(double *state, int i) {
  return state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
}

static size_t order_at(const contact_group *g) {
  return GROUP_HEAD + (size_t)g->shapes * GROUP_SHAPE_STATES;
}

static size_t keys_at(const contact_group *g) {
  return order_at(g) + (size_t)g->shapes;
}

static size_t pair_at(const contact_group *g, int k) {
  return keys_at(g) + (size_t)g->pairs + (size_t)k * (size_t)g->pair_states;
}

int contact_group_states(const contact_group *g) {
  return (int)pair_at(g, g->pairs);
}

int contact_group_count(const double *state) {
  return state ? (int)state[GROUP_COUNT] : 0;
}

static double key_of(const contact_group *g, int i, int j) {
  return (double)(i < j ? i : j) * (g->shapes + 1.0) + (i < j ? j : i);
}

static void shapes_of(int *i, int *j, const contact_group *g, double key) {
  *i = (int)(key / (g->shapes + 1.0));
  *j = (int)(key - *i * (g->shapes + 1.0));
}

/* May the two shapes touch by what the scene says? */
static bool may_touch(const contact_group *g, int i, int j) {
  const torsor_member *a = member_of(g, i), *b = member_of(g, j);
  if (a->node == b->node) return false;
  if (g->against.count && (i < g->between.count) == (j < g->between.count)) return false;
  for (int k = 0; !g->joined && k < a->links; ++k)
    if (a->linked[k] == b->node) return false;
  return true;
}

static double along(v3 x, int axis) {
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

/* Where the fat ball about shape i begins along the axis. */
static double begin_of(const contact_group *g, const double *state, int i) {
  const double *own = state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
  return along(v3_load(own), g->axis) - own[SHAPE_BALL] - own[SHAPE_FAT];
}

/* Two shapes that overlap are in the same strip or in two that are side by side, as no ball is
 * wider than a strip. */
static double strip_of(const contact_group *g, const double *state, int i, double width) {
  const double *own = state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
  return floor(along(v3_load(own), g->across) / width);
}

static double width_of_strips(const contact_group *g, const double *state) {
  double most = 0;
  for (int i = 0; i < g->shapes; ++i) {
    const double *own = state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
    most = fmax(most, own[SHAPE_BALL] + own[SHAPE_FAT]);
  }
  return 2 * most;
}

/* Sorts the shapes by strips and by where they begin along the axis, from the order of the last
 * time. */
static void sort_shapes(const contact_group *g, double *state, double width) {
  double *order = state + order_at(g);
  for (int k = 1; k < g->shapes; ++k) {
    const double moved = order[k], begin = begin_of(g, state, (int)moved);
    const double strip = strip_of(g, state, (int)moved, width);
    int to = k;
    for (; to > 0; --to) {
      const int before = (int)order[to - 1];
      const double other = strip_of(g, state, before, width);
      if (other < strip || (other == strip && begin_of(g, state, before) <= begin)) break;
      order[to] = order[to - 1];
    }
    order[to] = moved;
  }
}

static void note(const contact_group *g, double *state, int i, int j) {
  const int count = (int)state[GROUP_NEEDED];
  if (count < g->pairs) state[keys_at(g) + (size_t)count] = key_of(g, i, j);
  state[GROUP_NEEDED] = count + 1;
}

/* Notes what overlaps with shape `i` among those from place `from` of one strip on. */
static void sweep_strip(const contact_group *g, double *state, int i, int from, double strip,
                        double width) {
  const double *order = state + order_at(g);
  const double *own = shape_states(state, i);
  const double reach = own[SHAPE_BALL] + own[SHAPE_FAT], end = along(v3_load(own), g->axis) + reach;
  for (int l = from; l < g->shapes; ++l) {
    const int j = (int)order[l];
    const double *other = shape_states(state, j);
    const double far = other[SHAPE_BALL] + other[SHAPE_FAT];
    if (along(v3_load(other), g->axis) - far > end) return;
    if (strip_of(g, state, j, width) != strip) return;
    if (v3_norm(v3_sub(v3_load(own), v3_load(other))) > reach + far) continue;
    if (may_touch(g, i, j)) note(g, state, i, j);
  }
}

/* Notes all pairs that overlap.  `next` is the first shape of the strip beside that may reach to
 * the present one; it grows from shape to shape. */
static void sweep(const contact_group *g, double *state, double width) {
  const double *order = state + order_at(g);
  int next = 0;
  for (int k = 0; k < g->shapes; ++k) {
    const int i = (int)order[k];
    const double strip = strip_of(g, state, i, width), from = begin_of(g, state, i) - width;
    for (; next < g->shapes; ++next) {
      const double other = strip_of(g, state, (int)order[next], width);
      if (other > strip + 1) break;
      if (other == strip + 1 && begin_of(g, state, (int)order[next]) >= from) break;
    }
    sweep_strip(g, state, i, k + 1, strip, width);
    sweep_strip(g, state, i, next, strip + 1, width);
  }
}

/* Notes the shapes that are near the plane. */
static void sweep_plane(const contact_group *g, double *state) {
  const v3 n = {g->plane.R0.m[0][2], g->plane.R0.m[1][2], g->plane.R0.m[2][2]};
  for (int i = 0; i < g->shapes; ++i) {
    const double *own = shape_states(state, i);
    const double height = v3_dot(n, v3_sub(v3_load(own), g->plane.x0));
    if (side_of(g, i) >= 0 && height < own[SHAPE_BALL] + own[SHAPE_FAT])
      note(g, state, i, g->shapes);
  }
}

/* Heap sort: in place, and the same whatever the order was. */
static void sink(double *x, int root, int count) {
  for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
    child += child + 1 < count && x[child + 1] > x[child];
    if (x[root] >= x[child]) return;
    const double upper = x[root];
    x[root] = x[child];
    x[child] = upper;
    root = child;
  }
}

static void sort(double *x, int count) {
  for (int i = count / 2 - 1; i >= 0; --i) sink(x, i, count);
  for (int end = count - 1; end > 0; --end) {
    const double last = x[end];
    x[end] = x[0];
    x[0] = last;
    sink(x, 0, end);
  }
}

/* Places the shapes anew, each fatter by its margin and what it moves in some steps of length h. */
static void place_shapes(const contact_group *g, const torsor_element_in *in, double *state,
                         double h) {
  for (int i = 0; i < g->shapes; ++i) {
    double *own = shape_states(state, i), speed;
    v3_store(own, middle_of(&speed, g, in, i));
    own[SHAPE_FAT] = side_of(g, i) < 0 ? 0 : g->margin + STEPS * speed * h;
    touch_shape shape;
    make_shape(&shape, g, i);
    own[SHAPE_BALL] = ball_of(&shape);
  }
}

static void list_candidates(const contact_group *g, double *state) {
  state[GROUP_NEEDED] = 0;
  if (g->between.count) {
    const double width = width_of_strips(g, state);
    sort_shapes(g, state, width);
    sweep(g, state, width);
  }
  if (!torsor_absent_number(g->plane.R.m[0][0])) sweep_plane(g, state);
  const double needed = state[GROUP_NEEDED];
  state[GROUP_COUNT] = fmin(needed, g->pairs);
  sort(state + keys_at(g), (int)state[GROUP_COUNT]);
}

/* Will a shape leave its fat ball in a step of length h? */
static bool leaves(const contact_group *g, const torsor_element_in *in, const double *state,
                   double h) {
  for (int i = 0; i < g->shapes; ++i) {
    const double *own = state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
    double speed;
    const v3 x = middle_of(&speed, g, in, i);
    if (own[SHAPE_FAT] > 0 && v3_norm(v3_sub(x, v3_load(own))) + 2 * speed * h > own[SHAPE_FAT])
      return true;
  }
  return false;
}

bool contact_group_is_outdated(const contact_group *g, const torsor_element_in *in) {
  if (in->state[GROUP_NEEDED] > g->pairs) return true;
  for (int i = 0; i < g->shapes; ++i) {
    const double *own = in->state + GROUP_HEAD + (size_t)i * GROUP_SHAPE_STATES;
    if (!(own[SHAPE_FAT] > 0)) continue; /* it stands still, or no motion has begun */
    const v3 moved = v3_sub(middle_of(NULL, g, in, i), v3_load(own));
    if (v3_dot(moved, moved) > own[SHAPE_FAT] * own[SHAPE_FAT]) return true;
  }
  return false;
}

/* ---- pairs ------------------------------------------------------------------------------------
 */

/* The frames of two shapes, the relative one and its twist. */
static void find_relative(relative_state *s, const contact_group *g, const torsor_element_in *in,
                          int i, int j) {
  const int side[2] = {side_of(g, i), side_of(g, j)};
  m3 R[2], own[2];
  v3 x[2], off[2];
  for (int k = 0; k < 2; ++k) {
    const torsor_motion *m = side[k] >= 0 ? in->node[side[k]] : NULL;
    offset_of(&own[k], &off[k], g, k ? j : i);
    R[k] = m ? m3_mul(m->R, own[k]) : own[k];
    x[k] = m ? v3_add(m->x, m3_mulv(m->R, off[k])) : off[k];
  }
  *s = (relative_state){.in = {.now = in->now,
                               .R = m3_tmul(R[0], R[1]),
                               .p = m3_tmulv(R[0], v3_sub(x[1], x[0])),
                               .hold = in->hold},
                        .Rb = own[1],
                        .xb = off[1],
                        .side_a = side[0],
                        .side_b = side[1]};
  s->Ra = m3_mul(own[0], s->in.R);
  s->xa = v3_add(off[0], m3_mulv(own[0], s->in.p));
}

/* Least distance that the balls about two shapes leave. */
static double reach_of(const contact_group *g, const torsor_element_in *in, const group_pair *p,
                       int i, int j) {
  const v3 apart = v3_sub(middle_of(NULL, g, in, j), middle_of(NULL, g, in, i));
  if (p->shape_a.kind != TOUCH_PLANE)
    return v3_norm(apart) - ball_of(&p->shape_a) - ball_of(&p->shape_b);
  const v3 n = {g->plane.R0.m[0][2], g->plane.R0.m[1][2], g->plane.R0.m[2][2]};
  return v3_dot(n, apart) - ball_of(&p->shape_b);
}

void contact_group_pair(group_pair *out, const contact_group *g, const torsor_element_in *in,
                        const double *state, int k) {
  int i, j;
  shapes_of(&i, &j, g, state[keys_at(g) + (size_t)k]);
  make_shape(&out->shape_a, g, i);
  make_shape(&out->shape_b, g, j);
  if (out->shape_a.kind > out->shape_b.kind) {
    const touch_shape shape = out->shape_a;
    const int other = i;
    out->shape_a = out->shape_b;
    out->shape_b = shape;
    i = j;
    j = other;
  }
  out->a = i;
  out->b = j;
  out->reach = reach_of(g, in, out, i, j);
  out->state = in->state && g->pair_states && state == in->state ? state + pair_at(g, k) : NULL;
}

void contact_group_relate(group_pair *out, const contact_group *g, const torsor_element_in *in) {
  touch_shape *a = &out->shape_a, *b = &out->shape_b;
  find_relative(&out->at, g, in, out->a, out->b);
  out->pair = (touching_pair){&g->law, g->face_stiffness, a, b,
                              a->kind == TOUCH_BOX && b->kind == TOUCH_BOX};
  for (int side = 0; out->pair.faced && side < 2; ++side) {
    touch_shape *box = side ? b : a; /* faces end at sharp edges */
    box->half = v3_add(box->half, (v3){box->radius, box->radius, box->radius});
    box->radius = 0;
  }
  out->at.in.state = out->state;
  relative_velocity(&out->at, in);
}

/* ---- from step to step ------------------------------------------------------------------------
 */

/* The numbers of each pair of the new list go on from those of the old one; both are in the same
 * order.  The losses of pairs that are no longer listed remain. */
static void keep_pairs(const contact_group *g, const torsor_element_in *in, double *state) {
  const double *old = in->state;
  const int before = contact_group_count(old), count = contact_group_count(state);
  int from = 0;
  for (int k = 0; k < count; ++k) {
    const double key = state[keys_at(g) + (size_t)k];
    for (; from < before && old[keys_at(g) + (size_t)from] < key; ++from)
      if (g->pair_states) state[GROUP_LOST] += old[pair_at(g, from) + CONTACT_PUT_IN];
    const bool known = from < before && old[keys_at(g) + (size_t)from] == key;
    if (!g->pair_states) continue;
    group_pair p;
    touching t;
    contact_group_pair(&p, g, in, state, k);
    contact_group_relate(&p, g, in);
    if (known) p.at.in.state = old + pair_at(g, from);
    touching_find(&t, &p.pair, &p.at.in);
    touching_keep(state + pair_at(g, k), g->pair_states, &t, &p.pair);
    from += known;
  }
  for (; from < before; ++from)
    if (g->pair_states) state[GROUP_LOST] += old[pair_at(g, from) + CONTACT_PUT_IN];
}

void contact_group_keep(const contact_group *g, const torsor_element_in *in, double *state) {
  const double *old = in->state;
  const double t = in->now->t, h = old ? t - old[GROUP_TIME] : 0;
  if (old)
    memcpy(state, old, (keys_at(g) + (size_t)g->pairs) * sizeof *state);
  else
    memset(state, 0, (size_t)contact_group_states(g) * sizeof *state);
  for (int i = 0; !old && i < g->shapes; ++i) state[order_at(g) + (size_t)i] = i;
  state[GROUP_TIME] = t;
  if (!old || leaves(g, in, state, h)) {
    place_shapes(g, in, state, h);
    list_candidates(g, state);
  }
  keep_pairs(g, in, state);
}

/* ---- preparation ------------------------------------------------------------------------------
 */

static torsor_status fail(torsor_error *error, const char *name, const char *what,
                          const char *advice) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" %s", name, what);
  torsor_hint(error, "%s", advice);
  return TORSOR_SCENE;
}

/* How many shapes of each kind there are in both lists and on bodies that move, and the plane. */
typedef struct kinds {
  int between[TOUCH_KINDS], against[TOUCH_KINDS], moving[TOUCH_KINDS];
  bool plane;
} kinds;

static torsor_status look_at_shapes(contact_group *g, kinds *found, const char *name,
                                    torsor_error *error) {
  char text[160];
  g->smallest = HUGE_VAL;
  for (int i = 0; i < g->shapes; ++i) {
    touch_shape shape;
    if (!touching_shape(&shape, member_of(g, i)->solid, g->rounding)) {
      snprintf(text, sizeof text, "has the body \"%.60s\", whose shape has no contact yet",
               member_of(g, i)->body);
      return fail(error, name, text, "shapes with contact: sphere, capsule, cylinder, box");
    }
    if (!(shape.half.x >= 0 && shape.half.y >= 0 && shape.half.z >= 0))
      return fail(error, name, "has a rounding larger than half of an extent",
                  "\"rounding\" is the radius of edges, such as 1 % of the smallest extent");
    g->smallest = fmin(g->smallest, ball_of(&shape));
    ++(i < g->between.count ? found->between : found->against)[shape.kind];
    found->moving[shape.kind] += side_of(g, i) >= 0;
  }
  return TORSOR_OK;
}

/* Do two shapes of these kinds meet in the group? */
static bool meet(const contact_group *g, const kinds *k, int a, int b) {
  if (a == TOUCH_PLANE) return k->plane && k->moving[b];
  if (g->against.count) return (k->between[a] && k->against[b]) || (k->between[b] && k->against[a]);
  if (!k->moving[a] && !k->moving[b]) return false;
  return k->between[a] && k->between[b] && (a != b || k->between[a] > 1);
}

/* Which pairs of kinds meet: all of them have contact, and numbers enough. */
static torsor_status look_at_pairs(contact_group *g, const kinds *found, bool *faced, bool *pointed,
                                   const char *name, torsor_error *error) {
  int points = 1;
  for (int a = 0; a < TOUCH_KINDS; ++a)
    for (int b = a; b < TOUCH_KINDS; ++b) {
      if (!meet(g, found, a, b)) continue;
      if (!touching_is_offered((touch_kind)a, (touch_kind)b))
        return fail(error, name, "has shapes that have no contact with each other yet",
                    "spheres touch all shapes, capsules also capsules, boxes boxes, and all of "
                    "them planes");
      const bool boxes = a == TOUCH_BOX && b == TOUCH_BOX;
      *faced |= boxes;
      *pointed |= !boxes;
      const int own = touching_points((touch_kind)a, (touch_kind)b);
      points = own > points ? own : points;
    }
  g->pair_states = contact_law_keeps(&g->law) ? contact_states(points) : 0;
  return TORSOR_OK;
}

static torsor_status check_stiffness(contact_group *g, bool faced, bool pointed, const char *name,
                                     torsor_error *error) {
  if (faced && torsor_absent_number(g->face_stiffness))
    return fail(error, name, "has boxes, which meet each other at faces, but no \"face_stiffness\"",
                "give it in N/m^3, pressure over depth");
  if (pointed && torsor_absent_number(g->law.wall.stiffness))
    return fail(error, name, "has no stiffness",
                "give \"stiffness\" in N/m^n, force over depth^n, n = \"exponent\"");
  if (torsor_absent_number(g->law.wall.stiffness)) g->law.wall.stiffness = 0;
  if (torsor_absent_number(g->law.wall.exponent)) g->law.wall.exponent = 1.5;
  return TORSOR_OK;
}

static torsor_status check_lists(const contact_group *g, const char *name, torsor_error *error) {
  const bool plane = !torsor_absent_number(g->plane.R.m[0][0]);
  char text[160];
  if (!g->shapes)
    return fail(error, name, "has no bodies", "name them in \"between\": [\"ball*\", \"ground\"]");
  if (plane && g->plane.node != TORSOR_GROUND)
    return fail(error, name, "has a plane on a body", "planes of groups stand on the ground");
  if (!plane && g->shapes < 2)
    return fail(error, name, "has one shape alone", "name another body, or a \"plane\"");
  if (!plane && !g->between.count)
    return fail(error, name, "has bodies in \"against\" alone", "name them in \"between\"");
  for (int i = 0; i < g->between.count; ++i)
    for (int j = 0; j < g->against.count; ++j) {
      if (g->between.member[i].node != g->against.member[j].node) continue;
      snprintf(text, sizeof text, "has \"%.60s\" in both of its lists", g->between.member[i].body);
      return fail(error, name, text, "\"between\" alone is all pairs within the list");
    }
  return TORSOR_OK;
}

/* The axis in which the shapes stand furthest apart at the start is that along which they are
 * sorted, the next one that across the strips. */
static void choose_axes(contact_group *g) {
  double extent[3];
  for (int axis = 0; axis < 3; ++axis) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < g->shapes; ++i) {
      const double x = along(member_of(g, i)->x0, axis);
      low = fmin(low, x);
      high = fmax(high, x);
    }
    extent[axis] = high - low;
  }
  g->axis = extent[1] > extent[0] ? 1 : 0;
  if (extent[2] > extent[g->axis]) g->axis = 2;
  g->across = g->axis == 0 ? 1 : 0;
  for (int axis = 0; axis < 3; ++axis)
    if (axis != g->axis && extent[axis] > extent[g->across]) g->across = axis;
}

torsor_status contact_group_prepare(contact_group *g, const char *name, torsor_error *error) {
  const bool plane = !torsor_absent_number(g->plane.R.m[0][0]);
  kinds found = {.plane = plane};
  bool faced = false, pointed = false;
  g->shapes = g->between.count + g->against.count;
  torsor_status status = check_lists(g, name, error);
  if (!status) status = look_at_shapes(g, &found, name, error);
  if (!status) status = look_at_pairs(g, &found, &faced, &pointed, name, error);
  if (!status) status = check_stiffness(g, faced, pointed, name, error);
  if (!status) status = contact_law_prepare(&g->law, name, error);
  if (status) return status;
  if (g->law.friction > 0 && !contact_law_sticks(&g->law))
    return fail(error, name, "has friction, but no spring of what sticks",
                "add \"tangential_stiffness\" in N/m: about 0.8 of the stiffness across the "
                "surfaces at the usual load");
  if (g->coupled && g->between.nodes + g->against.nodes > COUPLED)
    return fail(error, name, "couples more than 200 bodies",
                "its matrix would have a block for any two of them: leave \"coupled\" out, and "
                "simulate until all rests");
  choose_axes(g);
  if (torsor_absent_number(g->margin)) g->margin = MARGIN * g->smallest;
  const double between = g->between.count, among = between * (between - 1) / 2;
  const double all =
      (g->against.count ? between * g->against.count : among) + (plane ? g->shapes : 0);
  const double room = g->max_pairs > 0 ? g->max_pairs : PAIRS_OF_A_SHAPE * (double)g->shapes;
  g->pairs = (int)fmin(all, room);
  return TORSOR_OK;
}
