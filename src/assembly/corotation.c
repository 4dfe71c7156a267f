/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/corotation.h"

static bool has_inertial_velocity(const model_node *node) {
  return node->init.group == TORSOR_GROUP_R3SO3;
}

torsor_status corotation_create(corotation *out, const torsor_model *model, arena *memory) {
  *out = (corotation){.nodes = model->node_count};
  tape take = {.memory = memory};
  corotation_walk(out, &take);
  return take.status;
}

void corotation_walk(corotation *turns, tape *t) {
  TAPE_ARRAY(t, turns->R0, turns->nodes);
}

/* Adds the vector to the list of its part, or only counts it as long as the list has no memory. */
static void add_vector(corotation_list *list, const linear_solver *solver,
                       corotation_vector vector) {
  int *next = &list->first[linear_solver_part_of(solver, vector.place) + 1];
  if (list->vector) list->vector[*next] = vector;
  ++*next;
}

/* Lists the vectors of velocities, then those of multipliers. */
static void list_vectors(corotation_list *list, const torsor_model *model, int blocks,
                         const linear_solver *solver) {
  for (int i = 0; i < model->node_count; ++i)
    if (has_inertial_velocity(&model->node[i]))
      add_vector(list, solver, (corotation_vector){i, model->node[i].first_v, NULL});
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int block = 0; e->ground_axes && block < blocks; ++block)
      add_vector(list, solver,
                 (corotation_vector){e->node[0], model->nv + block * model->nl + e->first_row,
                                     e->ground_axes});
  }
}

/* Counts the vectors first (one entry ahead), then fills each part from where the one before
 * ends. */
torsor_status corotation_list_create(corotation_list *out, const torsor_model *model, int blocks,
                                     const linear_solver *solver, arena *memory) {
  *out = (corotation_list){0};
  list_vectors(out, model, blocks, solver);
  int count = 0;
  for (int i = 1; i <= SOLVER_PARTS; ++i) {
    const int here = out->first[i];
    out->first[i] = count;
    count += here;
  }
  out->vector = arena_take(memory, (size_t)count, sizeof *out->vector);
  if (!out->vector) return TORSOR_MEMORY;
  list_vectors(out, model, blocks, solver);
  return TORSOR_OK;
}

void corotation_keep(corotation *t, const torsor_model *model, const torsor_motion *motion) {
  for (int i = 0; i < model->node_count; ++i) t->R0[i] = motion[i].R;
}

/* Rotates a vector that is fixed to a body from the orientation `from` to the orientation `to`. */
static v3 carry(const m3 *to, const m3 *from, v3 a) {
  return m3_mulv(*to, m3_tmulv(*from, a));
}

/* Rotates the vectors from `begin` to `end` - 1; `back` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void turn(double *x, const corotation *t,
                                                       const corotation_list *list,
                                                       const torsor_motion *motion, int begin,
                                                       int end, bool back) {
  for (int i = begin; i < end; ++i) {
    const corotation_vector *vector = &list->vector[i];
    const m3 *now = &motion[vector->node].R, *then = &t->R0[vector->node];
    const m3 *to = back ? now : then, *from = back ? then : now;
    double *u = x + vector->place;
    if (vector->axes)
      v3_store(u, m3_tmulv(*vector->axes, carry(to, from, m3_mulv(*vector->axes, v3_load(u)))));
    else
      v3_store(u, carry(to, from, v3_load(u)));
  }
}

void corotation_apply(double *x, const corotation *t, const corotation_list *list,
                      const torsor_motion *motion, int part, bool back) {
  const bool all = part == SOLVER_PARTS;
  const int begin = list->first[all ? 0 : part], end = list->first[all ? part : part + 1];
  if (back)
    turn(x, t, list, motion, begin, end, true);
  else
    turn(x, t, list, motion, begin, end, false);
}

void corotation_turn(double *y, const corotation *t, const torsor_motion *motion, int node,
                     const m3 *axes, bool back) {
  const m3 *now = &motion[node].R, *then = &t->R0[node];
  const m3 *to = back ? now : then, *from = back ? then : now;
  v3_store(y, m3_tmulv(*axes, carry(to, from, m3_mulv(*axes, v3_load(y)))));
}
