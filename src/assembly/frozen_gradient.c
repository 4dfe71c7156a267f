/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

/* The constraint gradient B0 that is frozen at the beginning of a step of the GGL form
 * (docs/theory.md).
 *
 * A correction B0^T s of the positions should be as small as possible in the metric of the masses,
 * at least nearly, as are the corrections that index 3 makes with its multipliers.  So the matrix
 * that is kept is B W, where W is the inverse of the weights from assembly_find_inertias.  Similar
 * models then have similar corrections whatever their size, wherever they are and however their
 * joints are built. */
/* Finds the weights of one node's velocities in this metric. */
static void find_weights(double out[6], const model_node *node, const node_inertia *inertia) {
  const int nv = node->group->nv;
  const int turns = node->init.group == TORSOR_GROUP_R3 ? 0 : 3;
  for (int j = 0; j < nv - turns; ++j) out[j] = inertia->mass;
  for (int j = 0; j < turns; ++j) out[nv - turns + j] = inertia->moment[j];
}

/* Transforms a row of a constraint gradient from the body twist of a node (B) to the node's
 * velocities (out). */
static inline void turn_row(double *out, const model_node *node, const torsor_motion *motion,
                            const double *B) {
  if (node->init.group == TORSOR_GROUP_R3SO3) {
    v3_store(out, m3_mulv(motion->R, v3_load(B)));
    v3_store(out + 3, v3_load(B + 3));
  } else
    node_wrench(out, node, motion, B);
}

/* Does so with rows that are `stride` and `row_length` apart, and divides them by `weight` where
 * that is given. */
static void keep_rows(double *out, int stride, const assembly *a, int number, const double *B,
                      int row_length, int rows, const double *weight) {
  const model_node *node = &a->model->node[number];
  const torsor_motion *motion = &a->motion[number];
  const int nv = node->group->nv;
  for (int row = 0; row < rows; ++row, out += stride, B += row_length) {
    turn_row(out, node, motion, B);
    if (weight && nv == 6)
      for (int j = 0; j < 6; ++j) out[j] /= weight[j];
    else if (weight)
      for (int j = 0; j < nv; ++j) out[j] /= weight[j];
  }
}

/* Stores the square roots of the weights of all velocities. */
static void set_metric(assembly *a) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const node_inertia *of = &a->inertia[i];
    const int nv = node->group->nv, turns = node->init.group == TORSOR_GROUP_R3 ? 0 : 3;
    double *out = a->metric + node->first_v;
    for (int j = 0; j < nv; ++j)
      out[j] =
          node->init.abstract ? 1 : sqrt(j < nv - turns ? of->mass : of->moment[j - nv + turns]);
  }
  a->weighs = true;
}

/* Evaluates B of one element for node velocities, [rows x dofs], with the weights above if
 * `weighed`. */
static torsor_status find_gradient(double *out, const assembly *a, int element,
                                   const torsor_point *p, bool weighed) {
  const model_element *e = &a->model->element[element];
  const torsor_element_in in = element_in(a, element, p);
  double B[e->rows * e->nodes * 6 + 1];
  memset(B, 0, (size_t)(e->rows * e->nodes * 6) * sizeof *B);
  torsor_element_out wanted = {.B = B};
  const torsor_status status = e->type->eval(e->instance, &in, &wanted);
  if (status) return status;
  if (a->ignores) assembly_clear_ignored(a, e, &wanted);
  for (int k = 0; k < e->nodes; ++k) {
    const model_node *node = &a->model->node[e->node[k]];
    const bool counts = weighed && !node->init.abstract;
    double weight[6];
    if (counts) find_weights(weight, node, &a->inertia[e->node[k]]);
    keep_rows(out, e->dofs, a, e->node[k], B + 6 * k, 6 * e->nodes, e->rows,
              counts ? weight : NULL);
    out += node->group->nv;
  }
  return TORSOR_OK;
}

/* Arguments of freeze_subdomain: the point at which the gradient is evaluated and kept. */
typedef struct pinning {
  assembly *a;
  const torsor_point *p;
  bool weighed;
} pinning;

static void freeze_subdomain(void *self, int s) {
  const pinning *w = self;
  assembly *a = w->a;
  const subdomain *mine = &a->partition.of[s];
  a->work[s].failed = -1;
  for (int k = 0; k < mine->elements; ++k) {
    const int i = mine->element[k];
    const model_element *e = &a->model->element[i];
    if (!e->rows || !assembly_owns(a, s, e->node[0])) continue;
    if (!a->active[i]) {
      memset(a->B0 + a->first_gradient[i], 0, (size_t)(e->rows * e->dofs) * sizeof *a->B0);
      continue;
    }
    const torsor_status status =
        find_gradient(a->B0 + a->first_gradient[i], a, i, w->p, w->weighed);
    if (status) {
      work_fail(&a->work[s], i, status);
      return;
    }
  }
}

void assembly_find_metric(assembly *a, const torsor_point *p) {
  if (a->weighs) return;
  assembly_find_inertias(a->inertia, a, p);
  set_metric(a);
}

torsor_status assembly_freeze_gradient(assembly *a, double t, const double *q, bool weighed) {
  const torsor_point p = {.t = t, .q = q};
  pinning w = {a, &p, weighed};
  if (weighed) assembly_find_metric(a, &p);
  assembly_set_motion(a, &p);
  assembly_run(a, freeze_subdomain, &w);
  return assembly_first_failure(a);
}

void assembly_correct_plainly(assembly *a) {
  for (int i = 0; i < a->model->node_count; ++i) a->inertia[i] = (node_inertia){1, {1, 1, 1}};
  set_metric(a);
}

/* Arguments of push_subdomain: out = B0^T s. */
typedef struct pushing {
  const assembly *a;
  double *out;
  const double *s;
} pushing;

/* out [n] += B0^T s for the rows of B0, which are `stride` apart; n is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void push(double *out, const double *B0, int stride,
                                                       const double *s, int rows, int n) {
  double sum[6];
  for (int j = 0; j < n; ++j) sum[j] = out[j];
  for (int row = 0; row < rows; ++row, B0 += stride)
    for (int j = 0; j < n; ++j) sum[j] += B0[j] * s[row];
  for (int j = 0; j < n; ++j) out[j] = sum[j];
}

/* Adds the part of one element, row by row, to the nodes that the subdomain owns. */
static void push_element(const pushing *w, int of, int i) {
  const torsor_model *model = w->a->model;
  const model_element *e = &model->element[i];
  const double *B0 = w->a->B0 + w->a->first_gradient[i], *s = w->s + e->first_row;
  for (int k = 0; k < e->nodes; ++k) {
    const model_node *node = &model->node[e->node[k]];
    double *out = w->out + node->first_v;
    const int nv = node->group->nv;
    if (!assembly_owns(w->a, of, e->node[k]))
      ;
    else if (nv == 6)
      push(out, B0, e->dofs, s, e->rows, 6);
    else
      push(out, B0, e->dofs, s, e->rows, nv);
    B0 += nv;
  }
}

static void push_subdomain(void *self, int s) {
  const pushing *w = self;
  const torsor_model *model = w->a->model;
  const subdomain *mine = &w->a->partition.of[s];
  for (int k = 0; k < mine->nodes; ++k) {
    const model_node *node = &model->node[mine->node[k]];
    memset(w->out + node->first_v, 0, (size_t)node->group->nv * sizeof *w->out);
  }
  for (int k = 0; k < mine->elements; ++k)
    if (model->element[mine->element[k]].rows) push_element(w, s, mine->element[k]);
}

void assembly_gradient_force(const assembly *a, double *out, const double *s) {
  pushing w = {a, out, s};
  assembly_run(a, push_subdomain, &w);
}
