/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <string.h>

/* Arguments of eval_subdomain: the outputs of all elements at a point; NULL stands for outputs that
 * are not wanted. */
typedef struct wanted {
  assembly *a;
  const torsor_point *p;
  double *r, *phi, *phi_v;
} wanted;

/* The evaluation of one element: its inputs, and where its outputs go. */
typedef struct evaluation {
  const model_element *e;
  bool own; /* its rows belong to the subdomain, too */
  torsor_element_in in;
  torsor_element_out out;
} evaluation;

/* Returns where an element's residual goes: directly to its node, or to a block for several
 * nodes. */
static double *residual_target(assembly *a, residual_block *block, const model_element *e) {
  if (e->nodes == 1) return a->wrench[e->node[0]];
  memset(block->r, 0, (size_t)e->nodes * 6 * sizeof(double));
  return block->r;
}

/* Returns where an element's rows go: to the result where the subdomain owns them, or to a block
 * that nobody reads where another subdomain does. */
static double *rows_target(double *rows, double *block, const model_element *e, bool own) {
  if (!rows) return NULL;
  double *target = own ? rows + e->first_row : block;
  memset(target, 0, (size_t)e->rows * sizeof *target);
  return target;
}

static void begin_element(evaluation *out, const wanted *w, int s, int i, residual_block *block) {
  assembly *a = w->a;
  const model_element *e = &a->model->element[i];
  out->e = e;
  out->own = assembly_owns(a, s, e->node[0]);
  out->in = element_in(a, i, w->p);
  out->out = (torsor_element_out){.r = w->r ? residual_target(a, block, e) : NULL,
                                  .phi = rows_target(w->phi, block->phi, e, out->own),
                                  .phi_v = rows_target(w->phi_v, block->phi_v, e, out->own)};
}

static void end_element(evaluation *v, const wanted *w, int s) {
  assembly *a = w->a;
  const model_element *e = v->e;
  for (int k = 0; w->r && e->nodes > 1 && k < e->nodes; ++k) {
    if (!assembly_owns(a, s, e->node[k])) continue;
    for (int i = 0; i < 6; ++i) a->wrench[e->node[k]][i] += v->out.r[6 * k + i];
  }
  for (int row = e->rows - e->nonholonomic; w->phi && v->own && row < e->rows; ++row)
    w->phi[e->first_row + row] = 0;
  if (a->ignores) assembly_clear_ignored(a, e, &v->out);
}

static torsor_status eval_element(const wanted *w, int s, int i) {
  evaluation v;
  begin_element(&v, w, s, i, w->a->work[s].residual);
  const torsor_status status = v.e->type->eval(v.e->instance, &v.in, &v.out);
  if (!status) end_element(&v, w, s);
  return status;
}

static bool is_wanted(const wanted *w, int i) {
  return (w->r || w->a->model->element[i].rows) && w->a->active[i];
}

/* Clears the rows of a joint that does not act. */
static void clear_rows(const wanted *w, int s, int i) {
  const model_element *e = &w->a->model->element[i];
  if (w->a->active[i] || !e->rows || !assembly_owns(w->a, s, e->node[0])) return;
  if (w->phi) memset(w->phi + e->first_row, 0, (size_t)e->rows * sizeof *w->phi);
  if (w->phi_v) memset(w->phi_v + e->first_row, 0, (size_t)e->rows * sizeof *w->phi_v);
}

/* Can the two elements be evaluated at once (eval_pair)?  Elements at one node cannot: they add to
 * the node directly, which could not be undone where one of them fails. */
static bool go_together(const wanted *w, int i, int next) {
  const model_element *first = &w->a->model->element[i], *second = &w->a->model->element[next];
  return first->type == second->type && first->type->chain.eval_pair && first->nodes > 1 &&
         second->nodes > 1 && is_wanted(w, next);
}

/* Evaluates two elements at once.  Returns false where one of them fails; which one, a single
 * evaluation shows. */
static bool eval_both(const wanted *w, int s, int i, int next) {
  evaluation v[2];
  begin_element(&v[0], w, s, i, &w->a->work[s].residual[0]);
  begin_element(&v[1], w, s, next, &w->a->work[s].residual[1]);
  const void *const self[2] = {v[0].e->instance, v[1].e->instance};
  const torsor_element_in *const in[2] = {&v[0].in, &v[1].in};
  torsor_element_out *const out[2] = {&v[0].out, &v[1].out};
  if (v[0].e->type->chain.eval_pair(self, in, out)) return false;
  for (int k = 0; k < 2; ++k) end_element(&v[k], w, s);
  return true;
}

static void eval_subdomain(void *self, int s) {
  const wanted *w = self;
  assembly *a = w->a;
  const torsor_model *model = a->model;
  const subdomain *mine = &a->partition.of[s];
  for (int k = 0; w->r && k < mine->nodes; ++k)
    memset(a->wrench[mine->node[k]], 0, sizeof *a->wrench);
  a->work[s].failed = -1;
  for (int k = 0; k < mine->elements; ++k) {
    const int i = mine->element[k], next = k + 1 < mine->elements ? mine->element[k + 1] : -1;
    if (!is_wanted(w, i)) {
      clear_rows(w, s, i);
      continue;
    }
    if (next >= 0 && go_together(w, i, next) && eval_both(w, s, i, next)) {
      ++k;
      continue;
    }
    const torsor_status status = eval_element(w, s, i);
    if (status) {
      work_fail(&a->work[s], i, status);
      return;
    }
  }
  for (int k = 0; w->r && k < mine->nodes; ++k) {
    const model_node *node = &model->node[mine->node[k]];
    node_wrench(w->r + node->first_v, node, &a->motion[mine->node[k]], a->wrench[mine->node[k]]);
  }
}

torsor_status assembly_residual(assembly *a, const torsor_point *p, double *r, double *phi,
                                double *phi_v) {
  wanted w = {a, p, r, phi, phi_v};
  assembly_set_motion(a, p);
  assembly_run(a, eval_subdomain, &w);
  return assembly_first_failure(a);
}
