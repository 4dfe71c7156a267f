/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerations by the matrix of the multipliers (accelerator.h): each element is evaluated once,
 * with its forces, its constraint gradient and phi_a together. */
#include "assembly/assembly_private.h"

#include <string.h>

/* M of the nodes, where no matrix of an element depends on the motion. */
static torsor_status find_masses(assembly *a, const torsor_point *p) {
  const torsor_model *model = a->model;
  double(*M)[36] = a->accelerator.M;
  memset(M, 0, (size_t)model->node_count * sizeof *M);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!(e->type->tangents.has & TORSOR_HAS_M)) continue;
    const torsor_element_in in = element_in(a, i, p);
    torsor_element_out out = {.M = M[e->node[0]]};
    const torsor_status status = assembly_eval(a, i, &in, &out);
    if (status) return assembly_fail(a, i, status);
  }
  return accelerator_weigh(&a->accelerator, model) ? TORSOR_OK : TORSOR_SINGULAR;
}

static void add_wrenches(assembly *a, const model_element *e, const double *r) {
  for (int k = 0; k < e->nodes; ++k)
    for (int i = 0; i < 6; ++i) a->wrench[e->node[k]][i] += r[6 * k + i];
}

/* Forces of an element without constraints. */
static torsor_status add_forces(assembly *a, int i, const torsor_point *p) {
  const model_element *e = &a->model->element[i];
  const torsor_element_in in = element_in(a, i, p);
  double r[6 * e->nodes + 1];
  torsor_element_out out = {.r = r};
  if (e->nodes == 1)
    out.r = a->wrench[e->node[0]];
  else
    memset(r, 0, 6 * (size_t)e->nodes * sizeof *r);
  const torsor_status status = e->type->eval(e->instance, &in, &out);
  if (!status && e->nodes > 1) add_wrenches(a, e, r);
  return status;
}

static torsor_status add_rows(assembly *a, const accelerator_rows *rows, const torsor_point *p) {
  const model_element *e = &a->model->element[rows->element];
  const int n = 6 * e->nodes;
  const torsor_element_in in = element_in(a, rows->element, p);
  double r[n + 1], B[e->rows * n + 1];
  double *phi_a = a->accelerator.x + rows->first;
  memset(r, 0, (size_t)n * sizeof *r);
  memset(phi_a, 0, (size_t)e->rows * sizeof *phi_a);
  memset(B, 0, (size_t)(e->rows * n) * sizeof *B);
  torsor_element_out out = {.r = r, .phi_a = phi_a, .B = B};
  const torsor_status status = e->type->eval(e->instance, &in, &out);
  if (status) return status;
  accelerator_put(&a->accelerator, rows, B, e->nodes);
  add_wrenches(a, e, r);
  return TORSOR_OK;
}

static torsor_status evaluate(assembly *a, const torsor_point *p) {
  const torsor_model *model = a->model;
  const accelerator_rows *rows = a->accelerator.rows;
  memset(a->wrench, 0, (size_t)model->node_count * sizeof *a->wrench);
  for (int i = 0; i < model->element_count; ++i) {
    if (!a->active[i]) continue;
    const torsor_status status =
        model->element[i].rows ? add_rows(a, rows++, p) : add_forces(a, i, p);
    if (status) return assembly_fail(a, i, status);
  }
  return TORSOR_OK;
}

/* Multipliers, and rows given, by their places in the elimination. */
static void read_rows(assembly *a, const double *given, double factor) {
  const accelerator *s = &a->accelerator;
  for (int i = 0; i < s->blocks; ++i) {
    const double *from = given + a->model->element[s->rows[i].element].first_row;
    for (int k = 0; k < s->rows[i].rows; ++k) s->x[s->rows[i].first + k] = factor * from[k];
  }
}

static void write_rows(const assembly *a, double *lambda) {
  const accelerator *s = &a->accelerator;
  for (int i = 0; i < s->blocks; ++i)
    memcpy(lambda + a->model->element[s->rows[i].element].first_row, s->x + s->rows[i].first,
           (size_t)s->rows[i].rows * sizeof *lambda);
}

/* The unknowns are accelerations V' of the bodies, so that forces and rows are those at V' = 0. */
static void rest(assembly *a) {
  for (int i = 0; i < a->model->node_count; ++i) a->motion[i].A = tw_zero();
}

/* v' of V' = P v' + Q v: only on R^3 x SO(3) there is a Q, (Q v).lin = -Omega x U. */
static void subtract_turning(assembly *a) {
  for (int i = 0; i < a->model->node_count; ++i) {
    if (a->model->node[i].init.group != TORSOR_GROUP_R3SO3) continue;
    const twist V = a->motion[i].V;
    double *w = a->wrench[i];
    v3_store(w, v3_add(v3_load(w), v3_cross(V.ang, V.lin)));
  }
}

static void write_accelerations(const assembly *a, double *v) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    node_wrench(v + node->first_v, node, &a->motion[i], a->wrench[i]);
  }
}

static torsor_status find_accelerations(assembly *a, const torsor_point *point, double *v,
                                        double *lambda) {
  accelerator *s = &a->accelerator;
  torsor_point p = *point;
  p.a = p.lambda = NULL;
  assembly_set_motion(a, &p);
  rest(a);
  torsor_status status = s->weighed ? TORSOR_OK : find_masses(a, &p);
  if (!status) status = evaluate(a, &p);
  if (!status) status = accelerator_factor(s);
  if (status) return status;
  accelerator_solve(s, a->model, a->wrench);
  subtract_turning(a);
  write_accelerations(a, v);
  write_rows(a, lambda);
  return TORSOR_OK;
}

torsor_status assembly_accelerate(assembly *a, const torsor_point *p, double *v, double *lambda,
                                  double m) {
  accelerator *s = &a->accelerator;
  s->ready = false;
  if (!s->usable || a->ignores || a->released) return TORSOR_SINGULAR;
  stopwatch_enter(a->watch, TORSOR_PHASE_FACTOR);
  const torsor_status status = find_accelerations(a, p, v, lambda);
  stopwatch_leave(a->watch);
  s->m = m;
  s->ready = !status;
  return status;
}

/* A force of the group is P^T times a wrench, and P^-T = P as P turns. */
static void read_forces(assembly *a, const double *f) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const double *from = f + node->first_v;
    twist w = tw_zero();
    switch (node->init.group) {
    case TORSOR_GROUP_R3:
      w.lin = v3_load(from);
      break;
    case TORSOR_GROUP_SO3:
      w.ang = v3_load(from);
      break;
    case TORSOR_GROUP_R3SO3:
      w = tw_load(from);
      w.lin = m3_tmulv(a->motion[i].R, w.lin);
      break;
    case TORSOR_GROUP_SE3:
      w = tw_load(from);
      break;
    }
    tw_store(a->wrench[i], tw_neg(w));
  }
}

void assembly_solve_accelerated(assembly *a, double *x) {
  const torsor_model *model = a->model;
  accelerator *s = &a->accelerator;
  read_forces(a, x);
  read_rows(a, x + model->nv, -s->m);
  accelerator_solve(s, model, a->wrench);
  write_accelerations(a, x);
  for (int i = 0; i < model->nv; ++i) x[i] /= s->m;
  write_rows(a, x + model->nv);
}
