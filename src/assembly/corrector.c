/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Corrections of positions by the matrix of the multipliers (accelerator.h).
 *
 * In body axes B of the joints hardly changes while the bodies rotate, and the metric W of the
 * corrections is diagonal.  So [[1, W^-1 B^T], [B, 0]] (u - W^-1 B^T s, s) = (u, phi) is
 *
 *      S s = B u - phi,   S = B W^-1 B^T,
 *
 * whose factors take a fraction of those with the velocities among the unknowns. */
#include <string.h>

#include "assembly/assembly_private.h"

/* Lists the index of each element's rows, in the order in which the corrector lists them. */
static torsor_status list_rows(assembly *a) {
  a->corrector_rows =
      arena_take(&a->memory, (size_t)a->model->element_count, sizeof *a->corrector_rows);
  if (!a->corrector_rows) return TORSOR_MEMORY;
  for (int i = 0; i < a->corrector.blocks; ++i) a->corrector_rows[a->corrector.rows[i].element] = i;
  return TORSOR_OK;
}

torsor_status assembly_make_corrector(assembly *a) {
  a->corrects = true;
  if (a->nonholonomic || strcmp(a->solver, "block") != 0) return TORSOR_OK;
  const double most = linear_solver_work(a->plain.solver);
  const torsor_status status =
      corrector_create(&a->corrector, a->model, most, &a->accelerator, &a->memory);
  return status || !a->corrector.usable ? status : list_rows(a);
}

void assembly_weigh_corrector(assembly *a) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const node_inertia *of = &a->inertia[i];
    double weight[6] = {1, 1, 1, 1, 1, 1};
    for (int j = 0; j < 3 && !node->init.abstract; ++j) {
      weight[j] = of->mass;
      weight[3 + j] = of->moment[j];
    }
    corrector_weigh(&a->corrector, node, i, weight);
  }
}

/* y = the displacement u of a node in body axes times the roots of the weights, 1/h. */
static void read_node(double y[6], const double *u, const model_node *node, const m3 *R,
                      const double *h) {
  const bool turns = node->init.group == TORSOR_GROUP_R3SO3;
  const int first = node->init.group == TORSOR_GROUP_SO3 ? 3 : 0;
  double body[6] = {0};
  for (int i = 0; i < node->group->nv; ++i) body[first + i] = u[i];
  if (turns) v3_store(body, m3_tmulv(*R, v3_load(body)));
  for (int i = 0; i < 6; ++i) y[i] = h[7 * i] > 0 ? body[i] / h[7 * i] : 0;
}

static void write_node(double *u, const double y[6], const model_node *node, const m3 *R,
                       const double *h) {
  double body[6];
  for (int i = 0; i < 6; ++i) body[i] = h[7 * i] * y[i];
  switch (node->init.group) {
  case TORSOR_GROUP_R3:
    v3_store(u, v3_load(body));
    break;
  case TORSOR_GROUP_SO3:
    v3_store(u, v3_load(body + 3));
    break;
  case TORSOR_GROUP_R3SO3:
    v3_store(u, m3_mulv(*R, v3_load(body)));
    v3_store(u + 3, v3_load(body + 3));
    break;
  case TORSOR_GROUP_SE3:
    tw_store(u, tw_load(body));
    break;
  }
}

static void read_nodes(assembly *a, const double *x) {
  const torsor_model *model = a->model;
  accelerator *s = &a->corrector;
  for (int i = 0; i < model->node_count; ++i)
    read_node(s->y[i], x + model->node[i].first_v, &model->node[i], &a->motion[i].R, s->mass[i].h);
}

static void write_nodes(const assembly *a, double *x) {
  const torsor_model *model = a->model;
  const accelerator *s = &a->corrector;
  for (int i = 0; i < model->node_count; ++i)
    write_node(x + model->node[i].first_v, s->y[i], &model->node[i], &a->motion[i].R, s->mass[i].h);
}

/* Reads phi, or writes s, whose signs differ.  The rows of a joint with the ground are rotated to
 * where B was evaluated, or back. */
static void read_rows(assembly *a, const double *phi) {
  const accelerator *s = &a->corrector;
  for (int i = 0; i < s->blocks; ++i) {
    const model_element *e = &a->model->element[s->rows[i].element];
    double *to = s->x + s->rows[i].first;
    for (int k = 0; k < e->rows; ++k) to[k] = phi[e->first_row + k];
    if (e->ground_axes)
      corotation_turn(to, &a->corotation, a->motion, e->node[0], e->ground_axes, false);
  }
}

static void write_rows(const assembly *a, double *multipliers) {
  const accelerator *s = &a->corrector;
  for (int i = 0; i < s->blocks; ++i) {
    const model_element *e = &a->model->element[s->rows[i].element];
    double *to = multipliers + e->first_row;
    for (int k = 0; k < e->rows; ++k) to[k] = -s->x[s->rows[i].first + k];
    if (e->ground_axes)
      corotation_turn(to, &a->corotation, a->motion, e->node[0], e->ground_axes, true);
  }
}

void assembly_solve_corrector(assembly *a, double *x, torsor_correction wanted) {
  const torsor_model *model = a->model;
  accelerator *s = &a->corrector;
  if (wanted != TORSOR_CORRECTION_STILL) read_nodes(a, x);
  read_rows(a, x + model->nv);
  corrector_solve(s, model->node_count, wanted);
  if (wanted != TORSOR_CORRECTION_FIT) write_nodes(a, x);
  write_rows(a, x + model->nv);
}

void assembly_walk_corrector(assembly *a, tape *t) {
  accelerator *s = &a->corrector;
  if (!s->usable) return;
  TAPE_ARRAY(t, s->mass, a->model->node_count);
  TAPE_ARRAY(t, s->G, s->length);
  TAPE_ARRAY(t, s->value, s->S.values);
}
