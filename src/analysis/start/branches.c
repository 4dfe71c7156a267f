/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/branches.h"

#include <torsor/joint.h>

static const char *how_astray(const assembly *a, const torsor_model *model, const double *q, int i,
                              m3 *turn) {
  const model_element *e = &model->element[i];
  const torsor_point p = {.q = q};
  const torsor_element_in in = assembly_element_in(a, i, &p);
  return e->type->limits.astray ? e->type->limits.astray(e->instance, &in, turn) : NULL;
}

torsor_status branches_check(assembly *a, const torsor_model *model, const double *q,
                             torsor_error *error) {
  const torsor_point p = {.q = q};
  const int i = assembly_astray(a, &p);
  if (i < 0) return TORSOR_OK;
  const model_element *e = &model->element[i];
  torsor_fail(error, TORSOR_INCONSISTENT,
              "the initial positions satisfy the rows of joint \"%s\" (%s) on a branch that the "
              "joint does not mean: %s",
              e->name, e->type->name, how_astray(a, model, q, i, NULL));
  torsor_hint(error, "rotate a body or a marker of the joint, or give \"placement\": \"guess\" to "
                     "the body, which is then rotated");
  torsor_blame(error, e->name);
  return TORSOR_INCONSISTENT;
}

static bool can_turn(const torsor_model *model, const torsor_marker *marker) {
  return marker->node >= 0 && model->node[marker->node].init.guess &&
         model->node[marker->node].init.group != TORSOR_GROUP_R3;
}

/* Rotates a marker, with its body, about the origin of the marker. */
static void turn_marker(double *q, const torsor_model *model, const torsor_marker *marker,
                        m3 turn) {
  const model_node *node = &model->node[marker->node];
  const bool placed = node->init.group != TORSOR_GROUP_SO3;
  double *frame = q + node->first_q, *rotation = frame + (placed ? 3 : 0);
  const m3 before = so3_matrix(so3_load(rotation));
  const m3 local = m3_mul(m3_mul(marker->R, turn), m3_transpose(marker->R));
  const m3 after = m3_mul(before, local);
  so3_store(rotation, so3_from_matrix(after));
  if (!placed) return;
  const v3 arm = v3_sub(m3_mulv(before, marker->x), m3_mulv(after, marker->x));
  v3_store(frame, v3_add(v3_load(frame), arm));
}

/* Rotates one body of a joint so that the relative rotation R = R_a^T R_b becomes R T: by a
 * rotation T of b, or by one of a, whose axes then are R_a R T^T R^T. */
static bool turn_joint(double *guess, const torsor_model *model, const torsor_joint *joint, m3 R,
                       m3 turn) {
  if (can_turn(model, &joint->b)) {
    turn_marker(guess, model, &joint->b, turn);
    return true;
  }
  if (!can_turn(model, &joint->a)) return false;
  turn_marker(guess, model, &joint->a, m3_mul(R, m3_mul(m3_transpose(turn), m3_transpose(R))));
  return true;
}

static m3 marker_axes(const assembly *a, const torsor_marker *marker) {
  return marker->node < 0 ? marker->R0 : m3_mul(assembly_motion(a, marker->node)->R, marker->R);
}

bool branches_turn(double *guess, assembly *a, const torsor_model *model, const double *q) {
  bool turned = false;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    const torsor_point there = {.q = q}, here = {.q = guess};
    m3 turn = m3_identity();
    if (!e->type->limits.astray) continue;
    const torsor_joint *joint = e->instance;
    assembly_set_motion(a, &there);
    if (!how_astray(a, model, q, i, &turn)) continue;
    assembly_set_motion(a, &here);
    how_astray(a, model, guess, i,
               &turn); /* from the present frames, if the joint is on the wrong branch there */
    const m3 R = m3_tmul(marker_axes(a, &joint->a), marker_axes(a, &joint->b));
    turned |= turn_joint(guess, model, joint, R, turn);
  }
  return turned;
}
