/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/decoupling.h"

/* Does the node have a rotation?  Its three components are then the last velocities of the node. */
static bool has_rotation(const model_node *node) {
  return node->init.group != TORSOR_GROUP_R3;
}

static const model_node *seeing_node(const torsor_model *model, const model_element *e) {
  return &model->node[e->node[e->seen_from]];
}

static void number_joints(decoupling *n, const torsor_model *model) {
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    n->of[i] = -1;
    if (!is_decoupled_joint(e) || !has_rotation(seeing_node(model, e))) continue;
    const model_node *node = seeing_node(model, e);
    n->of[i] = n->joints;
    n->joint[n->joints++] = (decoupling_joint){.theta = node->first_v + node->group->nv - 3,
                                               .row = model->nv + e->first_row};
  }
}

/* Returns the part of the unknowns with which a joint is transformed.  Before a solution L changes
 * the rows of theta, so this is the part of theta.  After a solution C changes the multipliers,
 * which needs both theta and the multipliers: they are of one part, or one of them is of the last
 * part, which is read last and written first; so this is the part that is not the last. */
static int part_of(const decoupling_joint *joint, const linear_solver *solver, bool back) {
  const int theta = linear_solver_part_of(solver, joint->theta);
  const int row = linear_solver_part_of(solver, joint->row);
  return back && row < theta ? row : theta;
}

/* Sorts the joints by parts.  Counts are stored two entries ahead, so that filling leaves the
 * begins. */
static torsor_status list_joints(decoupling_list *out, const decoupling *n,
                                 const linear_solver *solver, bool back, arena *memory) {
  int next[SOLVER_PARTS + 2] = {0};
  out->joint = arena_take(memory, (size_t)n->joints, sizeof *out->joint);
  if (!out->joint) return TORSOR_MEMORY;
  for (int i = 0; i < n->joints; ++i) ++next[part_of(&n->joint[i], solver, back) + 2];
  for (int i = 2; i < SOLVER_PARTS + 2; ++i) next[i] += next[i - 1];
  for (int i = 0; i < n->joints; ++i)
    out->joint[next[part_of(&n->joint[i], solver, back) + 1]++] = i;
  for (int i = 0; i <= SOLVER_PARTS; ++i) out->first[i] = next[i];
  return TORSOR_OK;
}

torsor_status decoupling_create(decoupling *out, const torsor_model *model,
                                const linear_solver *solver, arena *memory) {
  size_t most = 0;
  *out = (decoupling){0};
  for (int i = 0; i < model->element_count; ++i) most += is_decoupled_joint(&model->element[i]);
  if (!most) return TORSOR_OK;
  out->of = arena_take(memory, (size_t)model->element_count, sizeof *out->of);
  out->joint = arena_take(memory, most, sizeof *out->joint);
  if (!out->of || !out->joint) return TORSOR_MEMORY;
  number_joints(out, model);
  const torsor_status status = list_joints(&out->before, out, solver, false, memory);
  return status ? status : list_joints(&out->after, out, solver, true, memory);
}

void decoupling_walk(decoupling *n, tape *t) {
  if (n->joints) TAPE_ARRAY(t, n->map, n->joints);
}

m3 decoupling_force(const model_element *e, const double *lambda) {
  const v3 force = lambda ? v3_load(lambda) : v3_zero();
  if (!e->seen_axes) return m3_skew(force);
  return m3_mul_skew(m3_transpose(*e->seen_axes), m3_mulv(*e->seen_axes, force));
}

static void add(double *to, v3 part) {
  v3_store(to, v3_add(v3_load(to), part));
}

void decoupling_apply(double *x, const decoupling *n, int part, bool back) {
  const decoupling_list *list = back ? &n->after : &n->before;
  const bool all = part == SOLVER_PARTS;
  const int end = list->first[all ? part : part + 1];
  for (int i = list->first[all ? 0 : part]; i < end; ++i) {
    const decoupling_joint *joint = &n->joint[list->joint[i]];
    const decoupling_map *map = &n->map[list->joint[i]];
    double *theta = x + joint->theta, *row = x + joint->row;
    if (back)
      add(row, m3_mulv(map->right, v3_load(theta)));
    else
      add(theta, m3_mulv(map->left, v3_load(row)));
  }
}
