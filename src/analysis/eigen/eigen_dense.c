/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/eigen/null_space.h"

/* ---- no velocities, no damping --------------------------------------------------------------- */

static bool is_undamped(const null_space *r) {
  const pencil *p = r->p;
  if (r->G || p->reactive) return false;
  for (int j = 0; j < p->nv; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k)
      if (p->A1[k] != 0) return false;
  return true;
}

static torsor_status solve_symmetric(eigen_list *out, null_space *r) {
  const int nv = r->nv, n = r->n;
  double *KN = null_space_take(r, nv, n), *K = null_space_take(r, n, n),
         *w = null_space_take(r, n, 1), *X = null_space_take(r, nv, n);
  if (!KN || !K || !w || !X) return TORSOR_MEMORY;
  null_space_apply(KN, r->p, r->p->A0, false, r->N, n);
  lapack_multiply(K, r->N, true, KN, n, nv, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) K[j * n + i] = (K[j * n + i] + K[i * n + j]) / 2;
  torsor_status status = lapack_eigen_symmetric(w, K, n);
  if (status) return status;
  lapack_multiply(X, r->N, false, K, nv, n, n);
  for (int i = 0; i < n; ++i) eigen_list_add_square(out, r->p, -w[i], X + (size_t)i * (size_t)nv);
  out->real = true;
  return TORSOR_OK;
}

/* ---- the general case: (x, y / s)' = A (x, y / s) -------------------------------------------- */

/* Finds F [nv x f], whose transpose times the forces of the constraints is zero. */
static torsor_status find_test_space(double **F, null_space *r) {
  const pencil *p = r->p;
  const int nv = r->nv;
  *F = null_space_take(r, nv, nv);
  if (!*F) return TORSOR_MEMORY;
  if (!p->reactive) {
    if (r->G)
      lapack_multiply(*F, r->N, false, r->U, nv, r->n, r->f);
    else
      memcpy(*F, r->N, (size_t)nv * (size_t)r->n * sizeof **F);
    return TORSOR_OK;
  }
  int m = 0;
  for (int i = 0; i < p->nl; ++i) {
    if (p->dropped[i]) continue;
    for (int k = p->p->Ap[nv + i]; k < p->p->Ap[nv + i + 1]; ++k)
      if (p->p->Ai[k] < nv) (*F)[(size_t)m * (size_t)nv + (size_t)p->p->Ai[k]] = p->A0[k];
    ++m;
  }
  const torsor_status status = lapack_complement(*F, NULL, nv, m);
  *F += (size_t)nv * (size_t)m;
  return status;
}

/* The products of F^T with A2 x'' + A1 x' + A0 x, where x'' = G x' + U y'. */
typedef struct products {
  double *m; /* [f x f]  F^T A2 N U */
  double *x; /* [f x n]  F^T (A2 N G G + A1 N G + A0 N) */
  double *y; /* [f x f]  F^T (A2 N G U + A1 N U) */
} products;

/* out [f x c] = F^T A N X [n x c] or, X = NULL, F^T A N. */
static torsor_status project(double *out, null_space *r, const double *F, const double *A,
                             const double *X, int c) {
  double *NX = X ? null_space_take(r, r->nv, c) : r->N, *AX = null_space_take(r, r->nv, c);
  if (!NX || !AX) return TORSOR_MEMORY;
  if (X) lapack_multiply(NX, r->N, false, X, r->nv, r->n, c);
  null_space_apply(AX, r->p, A, false, NX, c);
  lapack_multiply(out, F, true, AX, r->f, r->nv, c);
  return TORSOR_OK;
}

static torsor_status add_projected(double *sum, null_space *r, const double *F, const double *A,
                                   const double *X, int c) {
  double *part = null_space_take(r, r->f, c);
  const torsor_status status = part ? project(part, r, F, A, X, c) : TORSOR_MEMORY;
  for (int i = 0; !status && i < r->f * c; ++i) sum[i] += part[i];
  return status;
}

static torsor_status find_products(products *out, null_space *r) {
  const pencil *p = r->p;
  const int n = r->n, f = r->f;
  double *F, *GG = r->G ? null_space_take(r, n, n) : NULL,
             *GU = r->G ? null_space_take(r, n, f) : NULL;
  *out = (products){
      .m = null_space_take(r, f, f), .x = null_space_take(r, f, n), .y = null_space_take(r, f, f)};
  if (!out->m || !out->x || !out->y || (r->G && (!GG || !GU))) return TORSOR_MEMORY;
  torsor_status status = find_test_space(&F, r);
  if (!status) status = project(out->m, r, F, p->A2, r->U, f);
  if (!status) status = project(out->x, r, F, p->A0, NULL, n);
  if (!status) status = project(out->y, r, F, p->A1, r->U, f);
  if (status || !r->G) return status;
  lapack_multiply(GG, r->G, false, r->G, n, n, n);
  lapack_multiply(GU, r->G, false, r->U, n, n, f);
  status = add_projected(out->x, r, F, p->A2, GG, n);
  if (!status) status = add_projected(out->x, r, F, p->A1, r->G, n);
  if (!status) status = add_projected(out->y, r, F, p->A2, GU, f);
  return status;
}

/* Finds the state matrix *A [(n + f) x (n + f)]. */
static torsor_status find_state_matrix(double **A, null_space *r) {
  const int n = r->n, f = r->f, size = n + f;
  products s;
  double *right = null_space_take(r, f, size);
  *A = null_space_take(r, size, size);
  torsor_status status = *A && right ? find_products(&s, r) : TORSOR_MEMORY;
  if (status) return status;
  memcpy(right, s.x, (size_t)(f * n) * sizeof *right);
  memcpy(right + (size_t)(f * n), s.y, (size_t)(f * f) * sizeof *right);
  if ((status = lapack_solve(right, s.m, f, size))) return status;
  double largest = 0;
  for (int i = 0; i < f * n; ++i) largest = fmax(largest, fabs(right[i]));
  const double scale = largest > 0 ? sqrt(largest) : 1;
  for (int j = 0; j < size; ++j) {
    double *column = *A + (size_t)j * (size_t)size;
    for (int i = 0; i < n; ++i) {
      if (j < n)
        column[i] = r->G ? r->G[j * n + i] : 0;
      else
        column[i] = scale * (r->G ? r->U[(j - n) * n + i] : (i == j - n));
    }
    for (int i = 0; i < f; ++i) column[n + i] = -right[j * f + i] / (j < n ? scale : 1);
  }
  return TORSOR_OK;
}

/* Deflation of the eigenvalue 0 from A: the null space of A is removed, then that of the remainder,
 * and so on, which takes Jordan chains link by link, whereas round-off would spread the eigenvalues
 * of a chain on a circle with the radius of its root.  W [size x left]: W^T A W is the
 * remainder. */
typedef struct deflation {
  double *A, *W, *null; /* [left x left], [size x left], [size x nulls] */
  int size, left, stages, nulls;
} deflation;

static torsor_status find_stage(deflation *d, null_space *r, double threshold, bool *ended) {
  const int left = d->left;
  double *copy = null_space_take(r, left, left), *V = null_space_take(r, left, left),
         *s = null_space_take(r, left, 1);
  if (!copy || !V || !s) return TORSOR_MEMORY;
  memcpy(copy, d->A, (size_t)left * (size_t)left * sizeof *copy);
  torsor_status status = lapack_singular(s, V, copy, left);
  if (status) return status;
  int rank = left;
  while (rank > 0 && s[rank - 1] <= threshold) --rank;
  *ended = rank == left;
  if (*ended) return TORSOR_OK;
  if (!d->stages++) {
    d->null = V + (size_t)rank * (size_t)left;
    d->nulls = left - rank;
  }
  double *AV = null_space_take(r, left, rank), *A = null_space_take(r, rank, rank),
         *W = null_space_take(r, d->size, rank);
  if (!AV || !A || !W) return TORSOR_MEMORY;
  lapack_multiply(AV, d->A, false, V, left, left, rank);
  lapack_multiply(A, V, true, AV, rank, left, rank);
  if (d->W)
    lapack_multiply(W, d->W, false, V, d->size, left, rank);
  else
    memcpy(W, V, (size_t)left * (size_t)rank * sizeof *W);
  d->A = A;
  d->W = W;
  d->left = rank;
  return TORSOR_OK;
}

static torsor_status deflate(deflation *d, null_space *r) {
  double norm = 0;
  for (int i = 0; i < d->size * d->size; ++i) norm = hypot(norm, d->A[i]);
  const double threshold =
      d->size * DBL_EPSILON * norm; /* threshold for the rank of a rounded matrix */
  bool ended = d->size == 0;
  torsor_status status = TORSOR_OK;
  while (!status && !ended && d->left) status = find_stage(d, r, threshold, &ended);
  return status;
}

/* Recovers vectors of A from those of the remainder, columns z [size x count]: z <- A z once for
 * each stage, which removes all parts of the chains. */
static torsor_status restore(double **out, const double *A, const deflation *d, const double *z,
                             null_space *r) {
  const int size = d->size, left = d->left;
  double *now = null_space_take(r, size, left), *next = null_space_take(r, size, left);
  if (!now || !next) return TORSOR_MEMORY;
  if (d->W)
    lapack_multiply(now, d->W, false, z, size, left, left);
  else
    memcpy(now, z, (size_t)size * (size_t)left * sizeof *now);
  for (int stage = 0; stage < d->stages; ++stage) {
    lapack_multiply(next, A, false, now, size, size, left);
    double *swap = now;
    now = next;
    next = swap;
  }
  *out = now;
  return TORSOR_OK;
}

static torsor_status list_modes(eigen_list *out, null_space *r, const double *A,
                                const deflation *d) {
  const int nv = r->nv, n = r->n, size = d->size, left = d->left;
  double *re = null_space_take(r, left, 1), *im = null_space_take(r, left, 1),
         *z = null_space_take(r, left, left), *full;
  double *copy = null_space_take(r, left, left), *shape = null_space_take(r, nv, 2);
  if (!re || !im || !z || !copy || !shape) return TORSOR_MEMORY;
  memcpy(copy, d->A, (size_t)left * (size_t)left * sizeof *copy);
  torsor_status status = lapack_eigen(re, im, z, copy, left);
  if (!status) status = restore(&full, A, d, z, r);
  if (status) return status;
  for (int i = 0; i < d->nulls; ++i) {
    lapack_multiply(shape, r->N, false, d->null + (size_t)i * (size_t)size, nv, n, 1);
    eigen_list_add(out, r->p, 0, 0, shape, NULL);
    eigen_list_drop_repeated(out, r->p, shape);
  }
  out->zeros = size - left;
  for (int i = 0; i < left; ++i) {
    const bool pair = im[i] != 0 && i + 1 < left;
    lapack_multiply(shape, r->N, false, full + (size_t)i * (size_t)size, nv, n, 1);
    if (pair)
      lapack_multiply(shape + nv, r->N, false, full + (size_t)(i + 1) * (size_t)size, nv, n, 1);
    eigen_list_add(out, r->p, re[i], fabs(im[i]), shape, pair ? shape + nv : NULL);
    i += pair;
    if (out->re[out->count - 1] != 0 || out->im[out->count - 1] != 0) continue;
    out->zeros += pair ? 2 : 1;
    eigen_list_drop_repeated(out, r->p, shape);
  }
  return TORSOR_OK;
}

static torsor_status solve_general(eigen_list *out, null_space *r) {
  double *A;
  torsor_status status = find_state_matrix(&A, r);
  if (status) return status;
  deflation d = {.A = A, .size = r->n + r->f, .left = r->n + r->f};
  status = deflate(&d, r);
  return status ? status : list_modes(out, r, A, &d);
}

torsor_status eigen_dense(eigen_list *out, const pencil *p, arena *memory) {
  arena scratch = {0};
  null_space r;
  torsor_status status = eigen_list_create(out, p->nv, 2 * p->nv, memory);
  if (!status) status = null_space_find(&r, p, &scratch);
  bool symmetric = false;
  if (!status && is_undamped(&r)) {
    status = solve_symmetric(out, &r);
    if (!status) status = eigen_list_sort(out);
    if (!status) status = eigen_list_is_symmetric(&symmetric, out, p);
    if (!status && symmetric) status = eigen_list_mirror(out, p);
  }
  if (!status && !symmetric) {
    const int room = out->room;
    memset(out->shape, 0, 2 * (size_t)room * (size_t)p->nv * sizeof *out->shape);
    out->count = out->zeros = 0;
    out->real = false;
    status = solve_general(out, &r);
    if (!status) status = eigen_list_sort(out);
  }
  arena_release(&scratch);
  return status;
}
