/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/touching.h"

#include "elements/faces.h"

/* Default rounding in parts of the smallest extent. */
#define ROUNDING 0.01

static double smallest_of(v3 half) {
  return fmin(half.x, fmin(half.y, half.z));
}

bool touching_shape(touch_shape *out, const torsor_solid *solid, double rounding) {
  const v3 half = v3_scale(solid->size, 0.5);
  const bool round = solid->kind == TORSOR_SOLID_SPHERE || solid->kind == TORSOR_SOLID_CAPSULE;
  double r = rounding;
  if (!round && torsor_absent_number(r)) r = 2 * ROUNDING * smallest_of(half);
  switch (solid->kind) {
  case TORSOR_SOLID_SPHERE:
    *out = (touch_shape){.kind = TOUCH_SPHERE, .radius = half.x};
    return half.x == half.y && half.y == half.z;
  case TORSOR_SOLID_CAPSULE:
    *out = (touch_shape){TOUCH_CAPSULE, {0, 0, half.z - half.x}, half.x, NULL, 0};
    return true;
  case TORSOR_SOLID_BOX:
    *out = (touch_shape){TOUCH_BOX, {half.x - r, half.y - r, half.z - r}, r, NULL, 0};
    return true;
  case TORSOR_SOLID_CYLINDER:
    *out = (touch_shape){TOUCH_CYLINDER, {half.x - r, half.x - r, half.z - r}, r, NULL, 0};
    return true;
  default:
    return false;
  }
}

static const twist still = {{0, 0, 0}, {0, 0, 0}};

/* Mean over root mean square of the distances from the middle of a uniform pressure: 0.937 of
 * squares, 0.943 of circles.  The mean is the lever of friction against spinning. */
#define SPIN 0.94

/* The law of faces with the dissipation of the present blow. */
static face_law foundation(const touching_pair *data, const contact_pair *pair) {
  const penalty wall = contact_law_wall(data->law, pair->state, 0);
  return (face_law){data->face_stiffness, wall.dissipation};
}

/* Where the shapes are nearest; those of boxes that overlap are at their middles. */
static touch_point find_nearest(const touching_pair *data, const contact_pair *pair) {
  touch_point at[TOUCH_POINTS];
  if (touch_find(at, data->a, data->b, &pair->R, pair->p)) return at[0];
  return (touch_point){.n = {0, 0, 1}, .b = v3_scale(pair->p, 0.5), .part = 1};
}

/* Faces are one point at the centre of their pressure. */
static void find_faces(touching *t, const touching_pair *data) {
  const contact_pair *pair = &t->pair;
  const face_law law = foundation(data, pair);
  faces_contact x;
  faces_eval(&x, &law, data->a, data->b, &pair->R, pair->p, pair->motion, still, still);
  t->count = 1;
  if (!(x.depth > 0)) {
    t->at[0] = find_nearest(data, pair);
    t->force[0] = (contact_force){.c = t->at[0].b};
    return;
  }
  t->at[0] = (touch_point){
      .gap = -x.depth, .n = x.n, .a = x.centre, .b = x.centre, .part = 1, .spin = SPIN * x.reach};
  t->force[0] = (contact_force){.c = x.centre,
                                .force = x.force,
                                .couple = v3_sub(x.moment, v3_cross(x.centre, x.force)),
                                .push = x.push,
                                .energy = x.energy};
  contact_add_friction(&t->force[0], data->law, pair, &t->at[0]);
}

static contact_change change_faces(const touching *t, const touching_pair *data,
                                   const contact_moved *moved) {
  const contact_pair *pair = &t->pair;
  const face_law law = foundation(data, pair);
  faces_contact x;
  faces_eval(&x, &law, data->a, data->b, &pair->R, pair->p, pair->motion, moved->e, moved->motion);
  const contact_pressing by = {
      .n = x.n_by, .c = x.centre_by, .push = x.push_by, .spin = SPIN * x.reach_by};
  const v3 turned = v3_add(v3_cross(x.centre_by, x.force), v3_cross(x.centre, x.force_by));
  const contact_rubbing rub =
      contact_friction_change(data->law, pair, &t->at[0], &t->force[0], moved, &by);
  return (contact_change){.force = v3_add(x.force_by, rub.force),
                          .c = x.centre_by,
                          .couple = v3_add(v3_sub(x.moment_by, turned), rub.couple)};
}

/* Cores that come nearer than this part of the radii about them may have passed through each other
 * at the end of the next step, where the normal would be the opposite. */
#define NEAREST_CORES 0.05

static bool is_too_deep(const touch_point *at, const touching_pair *data) {
  return !at->flat && at->apart < NEAREST_CORES * (data->a->radius + data->b->radius);
}

torsor_status touching_find(touching *t, const touching_pair *data, const torsor_relative_in *in) {
  t->pair = contact_find_pair(in);
  if (data->faced) {
    find_faces(t, data);
    return TORSOR_OK;
  }
  t->count = touch_find(t->at, data->a, data->b, &in->R, in->p);
  bool deep = t->count == 0;
  for (int i = 0; i < t->count; ++i) {
    t->force[i] = contact_eval(data->law, &t->pair, &t->at[i], 0.5);
    deep |= is_too_deep(&t->at[i], data);
  }
  return deep ? TORSOR_DOMAIN : TORSOR_OK;
}

void touching_add_change(torsor_law_out *out, const touching *t, const touching_pair *data,
                         const torsor_relative_in *in, int k) {
  const contact_moved moved = contact_move_pair(&t->pair, in, k);
  for (int i = 0; i < t->count; ++i) {
    const contact_force *f = &t->force[i];
    if (!(f->push > 0)) continue;
    const contact_change change =
        data->faced ? change_faces(t, data, &moved)
                    : contact_eval_change(data->law, &t->pair, &t->at[i], 0.5, f, &moved);
    double column[6];
    tw_store(column, contact_wrench_change(&t->pair, f, &change, &moved));
    for (int j = 0; j < 6; ++j) (k < 6 ? out->H : out->V)[j][k % 6] += column[j];
  }
}

/* The power of the dissipation of faces, and that of their friction. */
static double faces_loss(const touching *t, const touching_pair *data) {
  const contact_pair *pair = &t->pair;
  const face_law law = foundation(data, pair);
  faces_contact x, rest;
  faces_eval(&x, &law, data->a, data->b, &pair->R, pair->p, pair->motion, still, still);
  faces_eval(&rest, &law, data->a, data->b, &pair->R, pair->p, still, pair->motion, still);
  if (!(x.depth > 0)) return 0;
  const v3 force = v3_sub(x.force, rest.force), moment = v3_sub(x.moment, rest.moment);
  return contact_friction_loss(data->law, pair, &t->at[0], &t->force[0]) -
         v3_dot(force, pair->motion.lin) - v3_dot(moment, pair->motion.ang);
}

double touching_loss(const touching *t, const touching_pair *data) {
  if (data->faced) return faces_loss(t, data);
  double power = 0;
  for (int i = 0; i < t->count; ++i)
    power += contact_loss(data->law, &t->pair, &t->at[i], &t->force[i]);
  return power;
}

/* A point that is no longer among those of the pair begins anew. */
void touching_keep(double *state, int states, const touching *t, const touching_pair *data) {
  for (int i = 0; i < states; ++i) state[i] = 0;
  contact_keep_pair(state, &t->pair, t->force, t->count);
  for (int i = 0; i < t->count; ++i)
    contact_keep_point(state, data->law, &t->pair, &t->at[i], &t->force[i]);
}

int touching_points(touch_kind a, touch_kind b) {
  if (a == TOUCH_PLANE)
    return b == TOUCH_BOX ? 8 : b == TOUCH_CYLINDER ? 4 : b == TOUCH_CAPSULE ? 2 : 1;
  return a == TOUCH_CAPSULE && b == TOUCH_CAPSULE ? 3 : 1;
}

/* Capsules along faces have no pair function that shares the force. */
bool touching_is_offered(touch_kind a, touch_kind b) {
  if (faces_are_known(a, b)) return true;
  return touch_is_known(a, b) && (a == TOUCH_PLANE || b == TOUCH_SPHERE || a == TOUCH_CAPSULE);
}
