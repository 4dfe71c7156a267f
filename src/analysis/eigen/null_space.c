/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/null_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/eigen/lapack.h"

double *null_space_take(const null_space *r, int rows, int columns) {
  return arena_take(r->memory, (size_t)rows * (size_t)columns, sizeof(double));
}

void null_space_apply(double *out, const pencil *p, const double *A, bool of_constraints,
                      const double *X, int columns) {
  const size_t nv = (size_t)p->nv, rows = (size_t)(of_constraints ? p->nl : p->nv);
  for (size_t j = 0; j < (size_t)columns; ++j)
    (of_constraints ? pencil_multiply_rows : pencil_multiply)(out + j * rows, p, A, X + j * nv);
}

bool null_space_counts(const pencil *p, int row, bool nonholonomic) {
  const bool is = p->nonholonomic && p->nonholonomic[row];
  return !p->dropped[row] && is == nonholonomic;
}

int null_space_count_rows(const pencil *p, bool nonholonomic) {
  int count = 0;
  for (int i = 0; i < p->nl; ++i) count += null_space_counts(p, i, nonholonomic);
  return count;
}

/* ---- free variations --------------------------------------------------------------------- */

/* Finds N, a basis of the null space of the position constraints. */
static torsor_status find_null_space(null_space *r) {
  const pencil *p = r->p;
  const int nv = r->nv, m = null_space_count_rows(p, false);
  double *Q = null_space_take(r, nv, nv);
  if (!Q || m > nv) return Q ? TORSOR_SINGULAR : TORSOR_MEMORY;
  int *place = arena_take(r->memory, (size_t)p->nl, sizeof *place);
  if (!place) return TORSOR_MEMORY;
  for (int i = 0, k = 0; i < p->nl; ++i) place[i] = null_space_counts(p, i, false) ? k++ : -1;
  for (int j = 0; j < nv; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k] - nv;
      if (i >= 0 && place[i] >= 0) Q[(size_t)place[i] * (size_t)nv + (size_t)j] = p->A0[k];
    }
  const torsor_status status = lapack_complement(Q, NULL, nv, m);
  r->N = Q + (size_t)nv * (size_t)m;
  r->n = nv - m;
  return status;
}

/* Orthonormalises N in A2: N <- N V w^-1/2 with the eigenvalues w and vectors V of N^T A2 N. */
static torsor_status make_orthonormal(null_space *r) {
  const int nv = r->nv, n = r->n;
  double *MN = null_space_take(r, nv, n), *m = null_space_take(r, n, n),
         *w = null_space_take(r, n, 1), *N = null_space_take(r, nv, n);
  if (!MN || !m || !w || !N) return TORSOR_MEMORY;
  null_space_apply(MN, r->p, r->p->A2, false, r->N, n);
  lapack_multiply(m, r->N, true, MN, n, nv, n);
  const torsor_status status = lapack_eigen_symmetric(w, m, n);
  if (status) return status;
  if (n && !(w[0] > n * DBL_EPSILON * w[n - 1])) return TORSOR_SINGULAR;
  lapack_multiply(N, r->N, false, m, nv, n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < nv; ++i) N[(size_t)j * (size_t)nv + (size_t)i] /= sqrt(w[j]);
  r->N = N;
  return TORSOR_OK;
}

/* Multiplies the rows of A that constrain velocities (of A1: B, of A0: D(B V)) by N: out [m x n].
 */
static torsor_status velocity_rows(double *out, const null_space *r, const double *A, int m) {
  double *all = null_space_take(r, r->p->nl, r->n);
  if (!all) return TORSOR_MEMORY;
  null_space_apply(all, r->p, A, true, r->N, r->n);
  for (int j = 0; j < r->n; ++j)
    for (int i = 0, k = 0; i < r->p->nl; ++i)
      if (null_space_counts(r->p, i, true))
        out[(size_t)j * (size_t)m + (size_t)k++] = all[(size_t)j * (size_t)r->p->nl + (size_t)i];
  return TORSOR_OK;
}

/* Finds the velocities that nonholonomic constraints leave: B x' + Z x = 0 with B^T = Q1 R gives x'
 * = -Q1 R^-T Z x + U y. */
static torsor_status find_velocities(null_space *r) {
  const int n = r->n, m = null_space_count_rows(r->p, true);
  r->f = n - m;
  if (!m) return TORSOR_OK;
  double *B = null_space_take(r, m, n), *Z = null_space_take(r, m, n),
         *Q = null_space_take(r, n, n), *R = null_space_take(r, m, m);
  double *Rt = null_space_take(r, m, m);
  r->G = null_space_take(r, n, n);
  if (!B || !Z || !Q || !R || !Rt || !r->G) return TORSOR_MEMORY;
  if (m > n) return TORSOR_SINGULAR;
  torsor_status status = velocity_rows(B, r, r->p->A1, m);
  if (!status) status = velocity_rows(Z, r, r->p->A0, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      Q[(size_t)i * (size_t)n + (size_t)j] = B[(size_t)j * (size_t)m + (size_t)i];
  if (!status) status = lapack_complement(Q, R, n, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) Rt[i * m + j] = R[j * m + i];
  if (!status) status = lapack_solve(Z, Rt, m, n);
  if (status) return status;
  lapack_multiply(r->G, Q, false, Z, n, m, n);
  for (int i = 0; i < n * n; ++i) r->G[i] = -r->G[i];
  r->U = Q + (size_t)n * (size_t)m;
  return TORSOR_OK;
}

torsor_status null_space_find(null_space *out, const pencil *p, arena *memory) {
  *out = (null_space){.p = p, .memory = memory, .nv = p->nv};
  torsor_status status = find_null_space(out);
  if (!status) status = make_orthonormal(out);
  return status ? status : find_velocities(out);
}
