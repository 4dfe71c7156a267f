/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/least_norm.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Regularisation of w.  Iterative refinement removes its effect, by the factor of it over the
 * smallest eigenvalue of B (M/m)^-1 B^T in each pass. */
#define REGULARISATION 1e-8
enum { PASSES = 12 };

/* Moments of inertia of small bodies are negligible beside masses.  Where the matrix is singular,
 * the regularisation is increased by this factor, and its effect takes more passes to remove. */
#define MORE                100
#define MOST_REGULARISATION 0.05
#define ROUND_OFF           (16 * DBL_EPSILON)

torsor_status least_norm_create(least_norm *out, const torsor_model *model, const char *solver,
                                arena *memory, torsor_error *error) {
  const size_t nv = (size_t)model->nv, nl = (size_t)model->nl;
  *out = (least_norm){0};
  double *work = arena_take(memory, 4 * nv + 5 * nl, sizeof *work);
  if (!work) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  out->lambda = work;
  out->n = out->lambda + nl;
  out->rate = out->n + nl;
  out->rate_at_rest = out->rate + nl;
  out->x = out->rate_at_rest + nl;
  out->w = out->x + nv + nl;
  out->force = out->w + nv;
  out->at_rest = out->force + nv;
  return assembly_create(&out->assembly, model, solver, false, error);
}

void least_norm_release(least_norm *l) {
  assembly_destroy(l->assembly);
  l->assembly = NULL;
}

void least_norm_walk(least_norm *l, tape *t) {
  const torsor_problem *pr = assembly_problem(l->assembly);
  TAPE_WORK(t, l->lambda, 4 * pr->nv + 5 * pr->nl);
  assembly_walk(l->assembly, t);
}

/* l->x = residual of B^T n = 0, B w - n = lambda at (w, n). */
static torsor_status find_residual(least_norm *l, const torsor_point *p) {
  const torsor_problem *pr = assembly_problem(l->assembly);
  const torsor_point balance = {.t = p->t, .q = p->q, .lambda = l->n};
  const torsor_point moving = {.t = p->t, .q = p->q, .v = l->w};
  torsor_status status = pr->residual(pr->self, &balance, l->force, NULL, NULL);
  if (!status) status = pr->residual(pr->self, &moving, NULL, NULL, l->rate);
  for (int i = 0; i < pr->nv; ++i) l->x[i] = l->at_rest[i] - l->force[i];
  for (int i = 0; i < pr->nl; ++i)
    l->x[pr->nv + i] = p->lambda[i] - (l->rate[i] - l->rate_at_rest[i]) + l->n[i];
  return status;
}

static torsor_status factor(least_norm *l, const torsor_point *rest) {
  const torsor_problem *pr = assembly_problem(l->assembly);
  const double scale = assembly_mass_scale(l->assembly, rest);
  torsor_status status = TORSOR_SINGULAR;
  for (double e = REGULARISATION; status == TORSOR_SINGULAR && e < MOST_REGULARISATION; e *= MORE) {
    const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY, .m = e / scale, .e = 1};
    status = pr->factor(pr->self, rest, &weights);
  }
  return status;
}

/* Solves the augmented system of a least-squares problem: lambda = B w - n with B^T n = 0, whose
 * part -n causes no force (Bjorck, Numerical Methods for Least Squares Problems, 1996). */
torsor_status least_norm_find(least_norm *l, const torsor_point *p) {
  const torsor_problem *pr = assembly_problem(l->assembly);
  const int nv = pr->nv, nl = pr->nl;
  memset(l->w, 0, (size_t)nv * sizeof *l->w);
  memset(l->n, 0, (size_t)nl * sizeof *l->n);
  const torsor_point rest = {.t = p->t, .q = p->q, .v = l->w, .lambda = l->n};
  torsor_status status = factor(l, &rest);
  if (!status) status = pr->residual(pr->self, &rest, l->at_rest, NULL, l->rate_at_rest);
  double before = HUGE_VAL;
  for (int k = 0; !status && k < PASSES; ++k) {
    if ((status = find_residual(l, p))) break;
    const double off = vec_largest(l->x, nv + nl);
    if (off <= ROUND_OFF * vec_largest(p->lambda, nl) || (k > 1 && off > before / 2)) break;
    before = off;
    status = pr->solve(pr->self, l->x);
    for (int i = 0; i < nv; ++i) l->w[i] += l->x[i];
    for (int i = 0; i < nl; ++i) l->n[i] += l->x[nv + i];
  }
  for (int i = 0; i < nl; ++i) l->lambda[i] = p->lambda[i] + l->n[i];
  return status;
}
