/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/lapack.h"
#include "analysis/linear/linear_private.h"
#include "analysis/linear/scaled.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Zeros by the method of Emami-Naeini and Van Dooren (Automatica 18 (1982) 415): states that
 * outputs determine at once are removed until D has full row rank, then the same is done to the
 * transposed system.  D is square and regular then, and the zeros are the eigenvalues of A - B D^-1
 * C. */

typedef struct reducing {
  scaled s;
  arena *memory;
  double tiny; /* singular values below it are 0 */
} reducing;

static double *take(const reducing *r, int rows, int columns) {
  return arena_take(r->memory, (size_t)rows * (size_t)columns, sizeof(double));
}

static int rank_of(const double *s, int count, double tiny) {
  int rank = 0;
  while (rank < count && s[rank] > tiny) ++rank;
  return rank;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Rows from .. from + count of X [rows x columns]. */
static double *rows_of(const reducing *r, const double *X, int rows, int from, int count,
                       int columns) {
  double *out = take(r, count, columns);
  for (int j = 0; j < columns && out; ++j)
    for (int i = 0; i < count; ++i) out[j * count + i] = X[j * rows + from + i];
  return out;
}

/* The first `a` rows of X [.. x columns] above those of Y [b x columns]. */
static double *stack(const reducing *r, const double *X, int rows, int a, const double *Y, int b,
                     int columns) {
  double *out = take(r, a + b, columns);
  for (int j = 0; j < columns && out; ++j) {
    for (int i = 0; i < a; ++i) out[j * (a + b) + i] = X[j * rows + i];
    for (int i = 0; i < b; ++i) out[j * (a + b) + a + i] = Y[j * b + i];
  }
  return out;
}

static double *product(const reducing *r, const double *A, bool transposed, const double *B, int m,
                       int k, int n) {
  double *out = take(r, m, n);
  if (out) lapack_multiply(out, A, transposed, B, m, k, n);
  return out;
}

static double *copy(const reducing *r, const double *X, int rows, int columns) {
  double *out = take(r, rows, columns);
  if (out && X) memcpy(out, X, (size_t)rows * (size_t)columns * sizeof *out);
  return out;
}

/* Removes the states that the outputs C2 x = 0, in which no input is, determine.  VT [n x n]: its
 * first t rows span those of C2. */
static torsor_status remove_states(reducing *r, const double *VT, int t, int rank) {
  scaled *s = &r->s;
  const int n = s->n, left = n - t, m = s->m;
  double *V = take(r, n, n);
  if (!V) return TORSOR_MEMORY;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) V[j * n + i] = VT[i * n + j];
  const double *V1 = V + (size_t)t * (size_t)n;
  const double *AV = product(r, s->A, false, V1, n, n, left);
  const double *CV = product(r, s->C, false, V1, s->p, n, left);
  if (!AV || !CV) return TORSOR_MEMORY;
  const double *fast = product(r, V, true, AV, t, n, left);
  const double *into = product(r, V, true, s->B, t, n, m);
  s->A = product(r, V1, true, AV, left, n, left);
  s->B = product(r, V1, true, s->B, left, n, m);
  if (!fast || !into || !s->A || !s->B) return TORSOR_MEMORY;
  s->C = stack(r, CV, s->p, rank, fast, t, left);
  s->D = stack(r, s->D, s->p, rank, into, t, m);
  s->n = left;
  s->p = rank + t;
  return s->C && s->D ? TORSOR_OK : TORSOR_MEMORY;
}

/* Turns the outputs so that D has `rank` rows that are not 0. */
static torsor_status turn_outputs(reducing *r, int *rank) {
  scaled *s = &r->s;
  const int p = s->p, m = s->m;
  double *D = copy(r, s->D, p, m), *U = take(r, p, p), *VT = take(r, m, m);
  double *value = take(r, least(p, m), 1);
  if (!D || !U || !VT || !value) return TORSOR_MEMORY;
  const torsor_status status = lapack_singular_both(U, value, VT, D, p, m);
  *rank = rank_of(value, least(p, m), r->tiny);
  if (status || *rank == p) return status;
  s->C = product(r, U, true, s->C, p, p, s->n);
  s->D = product(r, U, true, s->D, p, p, m);
  return s->C && s->D ? TORSOR_OK : TORSOR_MEMORY;
}

/* Removes states until D has full row rank. */
static torsor_status remove_outputs(reducing *r) {
  scaled *s = &r->s;
  for (;;) {
    int rank;
    const torsor_status status = turn_outputs(r, &rank);
    if (status || rank == s->p) return status;
    const int n = s->n, idle = s->p - rank;
    double *C2 = rows_of(r, s->C, s->p, rank, idle, n);
    double *U = take(r, idle, idle), *VT = take(r, n, n), *value = take(r, least(idle, n), 1);
    if (!C2 || !U || !VT || !value) return TORSOR_MEMORY;
    const torsor_status split = lapack_singular_both(U, value, VT, C2, idle, n);
    const int t = rank_of(value, least(idle, n), r->tiny);
    const torsor_status removed = split ? split : remove_states(r, VT, t, rank);
    if (removed || t == 0) return removed;
  }
}

static torsor_status transpose(reducing *r) {
  scaled *s = &r->s;
  const scaled old = *s;
  const int n = old.n;
  *s = (scaled){.n = n,
                .m = old.p,
                .p = old.m,
                .A = take(r, n, n),
                .B = take(r, n, old.p),
                .C = take(r, old.m, n),
                .D = take(r, old.m, old.p)};
  if (!s->A || !s->B || !s->C || !s->D) return TORSOR_MEMORY;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) s->A[j * n + i] = old.A[i * n + j];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < old.p; ++j) s->B[j * n + i] = old.C[i * old.p + j];
  for (int i = 0; i < old.m; ++i)
    for (int j = 0; j < n; ++j) s->C[j * old.m + i] = old.B[i * n + j];
  for (int i = 0; i < old.m; ++i)
    for (int j = 0; j < old.p; ++j) s->D[j * old.m + i] = old.D[i * old.p + j];
  return TORSOR_OK;
}

/* A <- A - B D^-1 C. */
static torsor_status close_loop(reducing *r) {
  scaled *s = &r->s;
  if (s->p != s->m) return TORSOR_SINGULAR;
  double *D = copy(r, s->D, s->p, s->p), *X = copy(r, s->C, s->p, s->n);
  if (!D || !X) return TORSOR_MEMORY;
  const torsor_status status = lapack_solve(X, D, s->p, s->n);
  const double *BX = status ? NULL : product(r, s->B, false, X, s->n, s->m, s->n);
  if (status || !BX) return status ? status : TORSOR_MEMORY;
  for (int i = 0; i < s->n * s->n; ++i) s->A[i] -= BX[i];
  return TORSOR_OK;
}

static double norm_of(const scaled *s) {
  double sum = 0;
  for (int i = 0; i < s->n * s->n; ++i) sum += s->A[i] * s->A[i];
  return sqrt(sum);
}

torsor_status zeros_find(torsor_state_space *out, arena *memory) {
  arena scratch = {0};
  reducing r = {.memory = &scratch};
  torsor_status status = TORSOR_OK;
  out->zeros = 0;
  out->zero_re = out->zero_im = NULL;
  if (out->states && out->inputs && out->outputs) {
    status = scaled_create(&r.s, out, NULL, &scratch);
    if (!status) scaled_channels(&r.s, norm_of(&r.s));
    const int size = r.s.n + r.s.m + r.s.p;
    r.tiny = 10 * size * DBL_EPSILON * norm_of(&r.s);
    if (!status) status = remove_outputs(&r);
    if (!status) status = transpose(&r);
    if (!status) status = remove_outputs(&r);
    if (!status) status = close_loop(&r);
    const int n = r.s.n;
    double *re = arena_take(memory, 2 * (size_t)n, sizeof *re), *vectors = take(&r, n, n);
    if (!status && (!re || !vectors)) status = TORSOR_MEMORY;
    if (!status) status = lapack_eigen(re, re + n, vectors, r.s.A, n);
    if (!status) poles_sort(re, re + n, n, &scratch);
    if (!status) {
      out->zeros = n;
      out->zero_re = re;
      out->zero_im = re + n;
    }
  }
  arena_release(&scratch);
  return status;
}
