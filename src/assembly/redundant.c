/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependent constraint rows: multipliers are not unique, and the matrices are singular without help. */
#include "assembly/assembly_private.h"

#include <string.h>

/* Regularisation of the least-norm system, against B^T B of order 1, and the iterations that remove
 * its effect: each gains the factor of it over the smallest singular value squared. */
#define LEAST_NORM_REGULARISATION 1e-8
enum { ITERATIONS = 4 };

torsor_status assembly_allow_redundant(assembly *a, const char *solver) {
  const torsor_model *model = a->model;
  const size_t nv = (size_t)model->nv, nl = (size_t)model->nl;
  a->least_work = arena_take(&a->memory, 3 * nv + 2 * nl, sizeof *a->least_work);
  if (!a->least_work) return TORSOR_MEMORY;
  const torsor_status status = kkt_create(&a->least_norm, model, false, solver, &a->memory);
  if (status) return status;
  double *q = a->least_work; /* nq is at most 7/6 nv */
  unsigned char *given = arena_take(&a->memory, nv, 1);
  if (!given) return TORSOR_MEMORY;
  assembly_initial(a, q, q + model->nq, given);
  const torsor_point p = {.q = q};
  a->mass_scale = assembly_mass_scale(a, &p);
  a->regularisation = REDUNDANT_REGULARISATION;
  a->problem.least_norm = assembly_least_norm;
  return TORSOR_OK;
}

torsor_status assembly_solve(assembly *a, double *x) {
  if (!a->factored) return TORSOR_SINGULAR;
  torsor_status status = linear_solver_solve(a->factored->solver, x);
  if (!(a->regularisation > 0) || a->system != TORSOR_SYSTEM_ACCELERATION) return status;
  /* The exact matrix lacks -e: what is left of the right-hand side is (0, -e y). */
  const int nv = a->model->nv, nl = a->model->nl;
  double *d = a->least_work;
  memcpy(d + nv, x + nv, (size_t)nl * sizeof *d);
  for (int k = 0; !status && k < ITERATIONS; ++k) {
    memset(d, 0, (size_t)nv * sizeof *d);
    for (int i = nv; i < nv + nl; ++i) d[i] *= -a->regularisation / a->mass_scale;
    status = linear_solver_solve(a->factored->solver, d);
    for (int i = 0; i < nv + nl; ++i) x[i] += d[i];
  }
  return status;
}

/* [[-e I, B^T], [B, I]] from the pinned gradient. */
static void fill_least_norm(assembly *a) {
  kkt *k = &a->least_norm;
  const double *B0 = a->B0;
  memset(k->Ax, 0, (size_t)k->p.nonzeros * sizeof *k->Ax);
  for (int i = 0; i < a->model->node_count; ++i) {
    const int nv = a->model->node[i].group->nv;
    for (int j = 0; j < nv; ++j) k->Ax[k->node[i][j * nv + j]] = -LEAST_NORM_REGULARISATION;
  }
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    const element_slots *slots = &k->element[i];
    for (int row = 0; row < e->rows; ++row) {
      k->Ax[slots->E[row]] = 1;
      for (int j = 0; j < e->dofs; ++j, ++B0) {
        k->Ax[slots->Bt[row * e->dofs + j]] += *B0;
        k->Ax[slots->B[row * e->dofs + j]] += *B0;
      }
    }
  }
}

/* lambda' = B w with B^T B w = f = B^T lambda: of all multipliers with this force the shortest. */
torsor_status assembly_least_norm(void *self, double t, const double *q, double *lambda) {
  assembly *a = self;
  const int nv = a->model->nv, nl = a->model->nl;
  double *x = a->least_work, *f = x + nv + nl, *now = f + nv;
  torsor_status status = assembly_pin(a, t, q);
  if (status) return status;
  fill_least_norm(a);
  status = linear_solver_factor(a->least_norm.solver, a->least_norm.Ax);
  assembly_pinned_force(a, f, lambda);
  memset(lambda, 0, (size_t)nl * sizeof *lambda);
  for (int k = 0; !status && k < ITERATIONS; ++k) {
    assembly_pinned_force(a, now, lambda);
    for (int i = 0; i < nv; ++i) x[i] = f[i] - now[i];
    memset(x + nv, 0, (size_t)nl * sizeof *x);
    status = linear_solver_solve(a->least_norm.solver, x);
    for (int i = 0; i < nl; ++i) lambda[i] += x[nv + i];
  }
  return status;
}
