/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/shifted.h"

#include <math.h>
#include <string.h>

/* A solution whose first correction is larger than this part of it is corrected: eigenvalues are
 * wanted to ten digits and more. */
static const double ACCURATE = 1e-13;

/* Factors with small pivots, which are taken where others cannot be afforded, leave no larger part:
 * one correction leaves its square.  Other factors may be those of a singular matrix, as of a free
 * structure, whose solutions the search for steady motions judges itself. */
static const double MENDED = 1e-6;

torsor_status shifted_create(shifted *out, const pencil *p, const char *solver, arena *memory) {
  const size_t n = (size_t)(p->nv + p->nl);
  *out = (shifted){.p = p,
                   .scale = 1,
                   .Ax = arena_take(memory, (size_t)p->p->nonzeros, sizeof *out->Ax),
                   .left = arena_take(memory, n, sizeof *out->left),
                   .given = arena_take(memory, n, sizeof *out->given),
                   .trial = arena_take(memory, n, sizeof *out->trial)};
  if (!out->Ax || !out->left || !out->given || !out->trial) return TORSOR_MEMORY;
  const torsor_status status = linear_solver_create(&out->solver, solver, p->p, &p->plan);
  if (!status) linear_solver_trust(out->solver);
  return status;
}

void shifted_release(shifted *s) {
  linear_solver_destroy(s->solver);
  s->solver = NULL;
}

/* The power of 2 below the largest entry of rows and columns of velocities. */
static double find_scale(const shifted *s) {
  const pattern *p = s->p->p;
  double largest = 0;
  int exponent;
  for (int j = 0; j < s->p->nv; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k)
      if (p->Ai[k] < s->p->nv) largest = fmax(largest, fabs(s->Ax[k]));
  if (!(largest > 0) || !isfinite(largest)) return 1;
  frexp(largest, &exponent);
  return ldexp(1, exponent - 1);
}

/* x <- the solution by the factors: with rows of velocities divided, multipliers are as well. */
static torsor_status solve_once(const shifted *s, double *x) {
  for (int i = 0; i < s->p->nv; ++i) x[i] /= s->scale;
  return linear_solver_solve(s->solver, x);
}

/* left = b - P x, in rows as they are factored but for the scale. */
static void find_left(const shifted *s, const double *b, const double *x) {
  const pattern *p = s->p->p;
  const int n = p->n, nv = s->p->nv;
  memset(s->left, 0, (size_t)n * sizeof *s->left);
  for (int j = 0; j < n; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) s->left[p->Ai[k]] += s->Ax[k] * x[j];
  for (int i = 0; i < n; ++i) s->left[i] = b[i] - (i < nv ? s->scale : 1) * s->left[i];
}

/* x, the solution for b by the factors, corrected once; *part = the correction of velocities as a
 * part of them. */
static torsor_status refine(const shifted *s, double *x, const double *b, double *part) {
  double largest = 0, change = 0;
  find_left(s, b, x);
  const torsor_status status = solve_once(s, s->left);
  for (int i = 0; i < s->p->p->n; ++i) {
    if (i < s->p->nv) largest = fmax(largest, fabs(x[i]));
    if (i < s->p->nv) change = fmax(change, fabs(s->left[i]));
    x[i] += s->left[i];
  }
  *part = largest > 0 ? change / largest : 0;
  return status;
}

/* One solution tells whether those that follow are to be corrected. */
static torsor_status try_factors(shifted *s) {
  const int n = s->p->p->n;
  double part = 0, *b = s->given, *x = s->trial;
  for (int i = 0; i < n; ++i) b[i] = i < s->p->nv ? (i % 3 ? s->scale : -s->scale) : 0;
  memcpy(x, b, (size_t)n * sizeof *x);
  torsor_status status = solve_once(s, x);
  if (!status) status = refine(s, x, b, &part);
  s->refines = !(part <= ACCURATE);
  const bool poor = linear_solver_takes_any(s->solver) && !(part <= MENDED);
  return status || !poor ? status : TORSOR_SINGULAR;
}

torsor_status shifted_factor(shifted *s, double at) {
  const pattern *p = s->p->p;
  const int nv = s->p->nv;
  pencil_shift(s->Ax, s->p, at);
  s->scale = find_scale(s);
  for (int j = 0; j < p->n; ++j)
    for (int k = p->Ap[j]; j < nv && k < p->Ap[j + 1]; ++k)
      if (p->Ai[k] < nv) s->Ax[k] /= s->scale;
  const torsor_status status = linear_solver_factor(s->solver, s->Ax);
  return status ? status : try_factors(s);
}

torsor_status shifted_solve(shifted *s, double *x) {
  const size_t n = (size_t)s->p->p->n;
  double part;
  if (s->refines) memcpy(s->given, x, n * sizeof *x);
  torsor_status status = solve_once(s, x);
  if (!status && s->refines) status = refine(s, x, s->given, &part);
  for (int i = s->p->nv; i < s->p->p->n; ++i) x[i] *= s->scale;
  return status;
}
