/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/linear_private.h"

#include <math.h>
#include <string.h>

/* The matrix [[A2, B^T + L], [B, 0]]: rows that are left out are those of the identity. */
static void fill(double *Ax, const pencil *p) {
  const int nv = p->nv;
  for (int j = 0; j < p->p->n; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k];
      const bool velocity_row = i >= nv && p->nonholonomic && p->nonholonomic[i - nv];
      Ax[k] = i < nv && j < nv ? p->A2[k] : velocity_row ? p->A1[k] : p->A0[k];
      if ((i >= nv && p->dropped[i - nv]) || (j >= nv && p->dropped[j - nv])) Ax[k] = i == j;
    }
}

static torsor_status solve(torsor_linear *l, double *x) {
  const pattern *p = l->pencil.p;
  double *rest = l->rest, *first = rest + p->n;
  memcpy(rest, x, (size_t)p->n * sizeof *x);
  torsor_status status = linear_solver_solve(l->solver, x);
  memcpy(first, x, (size_t)p->n * sizeof *x);
  for (int j = 0; j < p->n && !status; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) rest[p->Ai[k]] -= l->Ax[k] * first[j];
  if (!status) status = linear_solver_solve(l->solver, rest);
  for (int i = 0; i < p->n && !status; ++i) x[i] = first[i] + rest[i];
  return status;
}

/* Finds the column of B^T of row `row`, x [nv + nl]. */
static void take_row(double *x, const pencil *p, int row) {
  memset(x, 0, (size_t)p->p->n * sizeof *x);
  for (int k = p->p->Ap[p->nv + row]; k < p->p->Ap[p->nv + row + 1]; ++k)
    if (p->p->Ai[k] < p->nv) x[p->p->Ai[k]] = p->A0[k];
}

/* A row d that repeats others, B_d = sum c_i B_i, gives the idle multipliers (1 at d, -c_i): c
 * follows from the forces B_d^T, which the others balance without accelerations. */
static torsor_status find_idle(torsor_linear *l) {
  const pencil *p = &l->pencil;
  const size_t nl = (size_t)p->nl;
  int count = 0;
  for (int i = 0; i < p->nl; ++i) count += p->dropped[i];
  double *x = arena_take(&l->memory, (size_t)p->p->n, sizeof *x);
  l->idle.basis = arena_take(&l->memory, (size_t)count * nl, sizeof *x);
  torsor_status status = x && l->idle.basis ? TORSOR_OK : TORSOR_MEMORY;
  for (int i = 0; i < p->nl && !status; ++i) {
    if (!p->dropped[i]) continue;
    double *z = l->idle.basis + (size_t)l->idle.count * nl, norm = 0;
    take_row(x, p, i);
    status = solve(l, x);
    for (size_t k = 0; k < nl; ++k) z[k] = (int)k == i ? 1 : -x[p->nv + (int)k];
    idle_remove(&l->idle, z, p->nl, 1);
    idle_remove(&l->idle, z, p->nl, 1); /* again, since the first time leaves round-off */
    for (size_t k = 0; k < nl; ++k) norm = hypot(norm, z[k]);
    for (size_t k = 0; k < nl; ++k) z[k] /= norm;
    ++l->idle.count;
  }
  return status;
}

void idle_remove(const idle_multipliers *idle, double *lambda, int nl, int stride) {
  for (int i = 0; i < idle->count; ++i) {
    const double *z = idle->basis + (size_t)i * (size_t)nl;
    double part = 0;
    for (int k = 0; k < nl; ++k) part += z[k] * lambda[stride * k];
    for (int k = 0; k < nl; ++k) lambda[stride * k] -= part * z[k];
  }
}

torsor_status accelerations_create(torsor_linear *l) {
  const pencil *p = &l->pencil;
  l->Ax = arena_take(&l->memory, (size_t)p->p->nonzeros, sizeof *l->Ax);
  l->rest = arena_take(&l->memory, 2 * (size_t)p->p->n, sizeof *l->rest);
  if (!l->Ax || !l->rest) return TORSOR_MEMORY;
  fill(l->Ax, p);
  torsor_status status =
      linear_solver_create(&l->solver, l->settings.linear_solver, p->p, &p->plan);
  if (!status) status = linear_solver_factor(l->solver, l->Ax);
  return status ? status : find_idle(l);
}

torsor_status accelerations_solve(torsor_linear *l, double *x) {
  for (int i = 0; i < l->pencil.nl; ++i)
    if (l->pencil.dropped[i]) x[l->pencil.nv + i] = 0;
  const torsor_status status = solve(l, x);
  if (!status && !l->pencil.reactive) idle_remove(&l->idle, x + l->pencil.nv, l->pencil.nl, 1);
  return status;
}
