/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/symmetric.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cholmod.h>

/* ---- entries --------------------------------------------------------------------------------- */

typedef struct entry {
  int row;
  double value;
} entry;

static int compare_rows(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

/* Sorts the entries of each column by rows and adds up those of the same row. */
static void sum_columns(symmetric *A, entry *list) {
  long to = 0;
  for (int j = 0; j < A->n; ++j) {
    const long begin = A->first[j], end = A->first[j + 1];
    qsort(list + begin, (size_t)(end - begin), sizeof *list, compare_rows);
    A->first[j] = to;
    for (long k = begin; k < end; ++k) {
      if (to > A->first[j] && A->row[to - 1] == list[k].row) {
        A->value[to - 1] += list[k].value;
        continue;
      }
      A->row[to] = list[k].row;
      A->value[to++] = list[k].value;
    }
  }
  A->first[A->n] = to;
}

static torsor_status take(symmetric *out, int n, long count) {
  *out = (symmetric){.n = n};
  out->first = calloc((size_t)n + 2, sizeof *out->first);
  out->row = malloc(((size_t)count + 1) * sizeof *out->row);
  out->value = malloc(((size_t)count + 1) * sizeof *out->value);
  return out->first && out->row && out->value ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status symmetric_build(symmetric *out, int n, long count, const int *row, const int *column,
                              const double *value) {
  const torsor_status status = take(out, n, count);
  entry *list = malloc(((size_t)count + 1) * sizeof *list);
  if (status || !list) {
    free(list);
    return TORSOR_MEMORY;
  }
  /* first[j + 1] is where the next entry of column j goes, so that it ends where j + 1 begins */
  for (long k = 0; k < count; ++k) ++out->first[column[k] + 2];
  for (int j = 0; j <= n; ++j) out->first[j + 1] += out->first[j];
  for (long k = 0; k < count; ++k) list[out->first[column[k] + 1]++] = (entry){row[k], value[k]};
  sum_columns(out, list);
  free(list);
  return TORSOR_OK;
}

void symmetric_release(symmetric *A) {
  free(A->first);
  free(A->row);
  free(A->value);
  *A = (symmetric){0};
}

torsor_status symmetric_rest(symmetric *out, const symmetric *A, int from) {
  const long begin = A->first[from], count = A->first[A->n] - begin;
  const torsor_status status = take(out, A->n - from, count);
  if (status) return status;
  for (int j = from; j <= A->n; ++j) out->first[j - from] = A->first[j] - begin;
  for (long k = 0; k < count; ++k) {
    out->row[k] = A->row[begin + k] - from;
    out->value[k] = A->value[begin + k];
  }
  return TORSOR_OK;
}

torsor_status symmetric_sum(symmetric *out, const symmetric *A, double s, const symmetric *B) {
  const torsor_status status = take(out, A->n, A->first[A->n] + B->first[B->n]);
  long to = 0;
  if (status) return status;
  for (int j = 0; j < A->n; ++j) {
    long a = A->first[j], b = B->first[j];
    const long ends[] = {A->first[j + 1], B->first[j + 1]};
    out->first[j] = to;
    while (a < ends[0] || b < ends[1]) {
      const int rows[] = {a < ends[0] ? A->row[a] : A->n, b < ends[1] ? B->row[b] : A->n};
      const int row = rows[0] < rows[1] ? rows[0] : rows[1];
      out->row[to] = row;
      out->value[to] = 0;
      if (rows[0] == row) out->value[to] += A->value[a++];
      if (rows[1] == row) out->value[to] += s * B->value[b++];
      ++to;
    }
  }
  out->first[A->n] = to;
  return TORSOR_OK;
}

void symmetric_multiply(double *y, const symmetric *A, const double *x) {
  memset(y, 0, (size_t)A->n * sizeof *y);
  for (int j = 0; j < A->n; ++j)
    for (long k = A->first[j]; k < A->first[j + 1]; ++k) {
      y[A->row[k]] += A->value[k] * x[j];
      if (A->row[k] != j) y[j] += A->value[k] * x[A->row[k]];
    }
}

void symmetric_multiply_absolute(double *y, const symmetric *A, const double *x) {
  memset(y, 0, (size_t)A->n * sizeof *y);
  for (int j = 0; j < A->n; ++j)
    for (long k = A->first[j]; k < A->first[j + 1]; ++k) {
      y[A->row[k]] += fabs(A->value[k] * x[j]);
      if (A->row[k] != j) y[j] += fabs(A->value[k] * x[A->row[k]]);
    }
}

/* ---- CHOLMOD --------------------------------------------------------------------------------- */

struct cholesky {
  cholmod_common c;
  cholmod_factor *L;
  int n;
};

/* A copy in CHOLMOD's long integers. */
static cholmod_sparse *copy_matrix(const symmetric *A, cholmod_common *c) {
  const long count = A->first[A->n];
  cholmod_sparse *out = cholmod_l_allocate_sparse((size_t)A->n, (size_t)A->n, (size_t)count, 1, 1,
                                                  -1, CHOLMOD_REAL, c);
  if (!out) return NULL;
  SuiteSparse_long *p = out->p, *i = out->i;
  for (int j = 0; j <= A->n; ++j) p[j] = A->first[j];
  for (long k = 0; k < count; ++k) i[k] = A->row[k];
  if (count) memcpy(out->x, A->value, (size_t)count * sizeof(double));
  return out;
}

static torsor_status failure(const cholmod_common *c) {
  return c->status == CHOLMOD_NOT_POSDEF ? TORSOR_SINGULAR : TORSOR_MEMORY;
}

static cholesky *start(bool supernodal) {
  cholesky *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  cholmod_l_start(&f->c);
  f->c.print = 0;
  f->c.supernodal = supernodal ? CHOLMOD_AUTO : CHOLMOD_SIMPLICIAL;
  f->c.final_ll = supernodal;
  f->c.quick_return_if_not_posdef = supernodal;
  return f;
}

static torsor_status factor(cholesky *f, const symmetric *A, int *bad) {
  cholmod_sparse *copy = copy_matrix(A, &f->c);
  if (copy) f->L = cholmod_l_analyze(copy, &f->c);
  if (f->L) cholmod_l_factorize(copy, f->L, &f->c);
  f->n = A->n;
  const bool good = f->L && f->c.status == CHOLMOD_OK && f->L->minor == (size_t)A->n;
  if (!good && f->L && bad && f->L->minor < (size_t)A->n)
    *bad = (int)((const SuiteSparse_long *)f->L->Perm)[f->L->minor];
  cholmod_l_free_sparse(&copy, &f->c);
  if (good) return TORSOR_OK;
  return f->L && f->L->minor < (size_t)A->n ? TORSOR_SINGULAR : failure(&f->c);
}

torsor_status cholesky_factor(cholesky **out, const symmetric *A, int *bad) {
  *out = start(true);
  if (!*out) return TORSOR_MEMORY;
  const torsor_status status = factor(*out, A, bad);
  if (!status) return TORSOR_OK;
  cholesky_release(*out);
  *out = NULL;
  return status;
}

void cholesky_release(cholesky *f) {
  if (!f) return;
  cholmod_l_free_factor(&f->L, &f->c);
  cholmod_l_finish(&f->c);
  free(f);
}

torsor_status cholesky_solve(cholesky *f, double *X, int columns) {
  cholmod_dense given = {.nrow = (size_t)f->n,
                         .ncol = (size_t)columns,
                         .nzmax = (size_t)f->n * (size_t)columns,
                         .d = (size_t)f->n,
                         .x = X,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
  if (!columns || !f->n) return TORSOR_OK;
  cholmod_dense *x = cholmod_l_solve(CHOLMOD_A, f->L, &given, &f->c);
  if (!x) return failure(&f->c);
  memcpy(X, x->x, given.nzmax * sizeof *X);
  cholmod_l_free_dense(&x, &f->c);
  return TORSOR_OK;
}

double cholesky_entries(const cholesky *f) {
  return f->c.lnz;
}

torsor_status symmetric_count_negative(int *count, const symmetric *A) {
  cholesky *f = start(false);
  if (!f) return TORSOR_MEMORY;
  const torsor_status status = factor(f, A, NULL);
  *count = 0;
  if (!status) {
    const SuiteSparse_long *p = f->L->p;
    const double *x = f->L->x;
    for (int j = 0; j < A->n; ++j) *count += x[p[j]] < 0;
  }
  cholesky_release(f);
  return status;
}
