/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/turning.h"

static bool has_inertial_velocity(const model_node *node) {
  return node->init.group == TORSOR_GROUP_R3SO3;
}

torsor_status turning_create(turning *out, const torsor_model *model, arena *memory) {
  *out = (turning){.nodes = model->node_count};
  tape take = {.memory = memory};
  turning_walk(out, &take);
  for (int i = 0; i < model->node_count; ++i)
    out->velocities += has_inertial_velocity(&model->node[i]);
  for (int i = 0; i < model->element_count; ++i) out->rows += model->element[i].ground_axes != NULL;
  out->velocity = arena_take(memory, (size_t)out->velocities, sizeof *out->velocity);
  out->row = arena_take(memory, (size_t)out->rows, sizeof *out->row);
  if (!out->velocity || !out->row || take.status) return TORSOR_MEMORY;
  turning_vector *next = out->velocity;
  for (int i = 0; i < model->node_count; ++i)
    if (has_inertial_velocity(&model->node[i]))
      *next++ = (turning_vector){i, model->node[i].first_v, m3_identity()};
  next = out->row;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (e->ground_axes) *next++ = (turning_vector){e->node[0], e->first_row, *e->ground_axes};
  }
  return TORSOR_OK;
}

void turning_walk(turning *turns, tape *t) {
  TAPE_ARRAY(t, turns->R0, turns->nodes);
}

void turning_keep(turning *t, const torsor_model *model, const torsor_motion *motion) {
  for (int i = 0; i < model->node_count; ++i) t->R0[i] = motion[i].R;
}

/* A vector that a turning body carries: from where it is at `from` to where it is at `to`. */
static v3 carry(const m3 *to, const m3 *from, v3 a) {
  return m3_mulv(*to, m3_tmulv(*from, a));
}

/* Where part k of `parts` of `count` things begins. */
static int part_of(int count, int k, int parts) {
  return (int)((long long)count * k / parts);
}

void turning_apply(double *x, const turning *t, const torsor_model *model,
                   const torsor_motion *motion, int blocks, bool back, int part, int parts) {
  const int end = part_of(t->velocities, part + 1, parts), rows = part_of(t->rows, part + 1, parts);
  for (int i = part_of(t->velocities, part, parts); i < end; ++i) {
    const turning_vector *vector = &t->velocity[i];
    const m3 *now = &motion[vector->node].R, *then = &t->R0[vector->node];
    double *u = x + vector->place;
    v3_store(u, carry(back ? now : then, back ? then : now, v3_load(u)));
  }
  for (int block = 0; block < blocks; ++block)
    for (int i = part_of(t->rows, part, parts); i < rows; ++i) {
      const turning_vector *vector = &t->row[i];
      const m3 *now = &motion[vector->node].R, *then = &t->R0[vector->node];
      double *y = x + model->nv + block * model->nl + vector->place;
      const v3 inertial = m3_mulv(vector->axes, v3_load(y));
      v3_store(y, m3_tmulv(vector->axes, carry(back ? now : then, back ? then : now, inertial)));
    }
}
