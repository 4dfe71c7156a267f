/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <string.h>

/* What is wanted of all elements at a point; NULL = not wanted. */
typedef struct wanted {
  assembly *a;
  const torsor_point *p;
  double *r, *phi, *phi_v;
} wanted;

/* Where an element's residual goes: straight to its node, or to the block of several nodes. */
static double *residual_target(assembly *a, share_work *work, const model_element *e) {
  if (e->nodes == 1) return a->wrench[e->node[0]];
  memset(work->blocks.r, 0, (size_t)e->nodes * 6 * sizeof(double));
  return work->blocks.r;
}

static void spread_residual(assembly *a, int s, const model_element *e) {
  const double *r = a->work[s].blocks.r;
  if (e->nodes == 1) return;
  for (int k = 0; k < e->nodes; ++k) {
    if (!assembly_owns(a, s, e->node[k])) continue;
    for (int i = 0; i < 6; ++i) a->wrench[e->node[k]][i] += r[6 * k + i];
  }
}

/* Rows of an element, which another share may have, too: those of its own, or a block that nobody reads. */
static double *rows_target(double *rows, double *block, const model_element *e, bool own) {
  if (!rows) return NULL;
  double *target = own ? rows + e->first_row : block;
  memset(target, 0, (size_t)e->rows * sizeof *target);
  return target;
}

static torsor_status eval_element(const wanted *w, int s, int i) {
  assembly *a = w->a;
  share_work *work = &a->work[s];
  const model_element *e = &a->model->element[i];
  const bool own = assembly_owns(a, s, e->node[0]);
  const torsor_element_in in = element_in(a, i, w->p);
  torsor_element_out out = {.r = w->r ? residual_target(a, work, e) : NULL,
                            .phi = rows_target(w->phi, work->blocks.phi, e, own),
                            .phi_v = rows_target(w->phi_v, work->blocks.phi_v, e, own)};
  const torsor_status status = e->type->eval(e->instance, &in, &out);
  if (status) return status;
  if (w->r) spread_residual(a, s, e);
  for (int row = e->rows - e->nonholonomic; w->phi && own && row < e->rows; ++row)
    w->phi[e->first_row + row] = 0;
  return TORSOR_OK;
}

static void eval_share(void *self, int s) {
  const wanted *w = self;
  assembly *a = w->a;
  const torsor_model *model = a->model;
  const share *mine = &a->shares.of[s];
  for (int k = 0; w->r && k < mine->nodes; ++k)
    memset(a->wrench[mine->node[k]], 0, sizeof *a->wrench);
  a->work[s].failed = -1;
  for (int k = 0; k < mine->elements; ++k) {
    const int i = mine->element[k];
    if ((!w->r && !model->element[i].rows) || !a->active[i]) continue;
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
  assembly_run(a, eval_share, &w);
  return assembly_first_failure(a);
}
