/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <SuiteSparseQR_C.h>

/* Factors below this do not count as "with": they are round-off of the QR factorisation. */
#define SMALL_FACTOR 1e-7

/* Returns B^T with columns scaled to length 1, in CHOLMOD's long integers. */
static cholmod_sparse *scaled_transpose(const gradient_rows *B, cholmod_common *c) {
  const size_t entries = (size_t)B->first[B->rows];
  cholmod_sparse *A = cholmod_l_allocate_sparse((size_t)B->columns, (size_t)B->rows, entries, 0, 1,
                                                0, CHOLMOD_REAL, c);
  if (!A) return NULL;
  SuiteSparse_long *Ap = A->p, *Ai = A->i;
  double *Ax = A->x;
  for (int row = 0; row <= B->rows; ++row) Ap[row] = B->first[row];
  for (int row = 0; row < B->rows; ++row) {
    double norm = 0;
    for (int k = B->first[row]; k < B->first[row + 1]; ++k) norm = hypot(norm, B->value[k]);
    for (int k = B->first[row]; k < B->first[row + 1]; ++k) {
      Ai[k] = B->column[k];
      Ax[k] = norm > 0 ? B->value[k] / norm : 0;
    }
  }
  return A;
}

/* Solves R11 x = column `dead` of R over the live columns before it, by back substitution; x
 * [live_count]. */
static void find_factors(double *x, const cholmod_sparse *R, const int *live, int live_count,
                         int dead) {
  const SuiteSparse_long *Rp = R->p, *Ri = R->i;
  const double *Rx = R->x;
  memset(x, 0, (size_t)live_count * sizeof *x);
  for (SuiteSparse_long k = Rp[dead]; k < Rp[dead + 1]; ++k)
    if (Ri[k] < live_count) x[Ri[k]] = Rx[k];
  for (int j = live_count - 1; j >= 0; --j) {
    double diagonal = 0;
    for (SuiteSparse_long k = Rp[live[j]]; k < Rp[live[j] + 1]; ++k)
      if (Ri[k] == j) diagonal = Rx[k];
    if (diagonal != 0) x[j] /= diagonal;
    for (SuiteSparse_long k = Rp[live[j]]; k < Rp[live[j] + 1]; ++k)
      if (Ri[k] < j) x[Ri[k]] -= x[j] * Rx[k];
  }
}

/* Stores the factors that are not small. */
static torsor_status keep_factors(dependent_row *out, const double *x, const int *live,
                                  int live_count) {
  int count = 0;
  for (int j = 0; j < live_count; ++j) count += fabs(x[j]) >= SMALL_FACTOR;
  out->with = malloc(((size_t)count + 1) * sizeof *out->with);
  out->factor = malloc(((size_t)count + 1) * sizeof *out->factor);
  if (!out->with || !out->factor) return TORSOR_MEMORY;
  for (int j = live_count - 1; j >= 0; --j) {
    if (fabs(x[j]) < SMALL_FACTOR) continue;
    out->with[out->count] = live[j];
    out->factor[out->count++] = x[j];
  }
  return TORSOR_OK;
}

/* Is the column live: does it begin a new row of the squeezed R? */
static bool starts_row(const cholmod_sparse *R, int column, int row) {
  const SuiteSparse_long *Rp = R->p, *Ri = R->i;
  const double *Rx = R->x;
  for (SuiteSparse_long k = Rp[column]; k < Rp[column + 1]; ++k)
    if (Ri[k] == row && Rx[k] != 0) return true;
  return false;
}

static torsor_status read_rank(row_rank *out, const cholmod_sparse *R, int rows) {
  int *live = malloc(((size_t)rows + 1) * sizeof *live);
  double *x = malloc(((size_t)rows + 1) * sizeof *x);
  out->dependent = calloc((size_t)rows + 1, sizeof *out->dependent);
  torsor_status status = live && x && out->dependent ? TORSOR_OK : TORSOR_MEMORY;
  for (int column = 0; !status && column < rows; ++column) {
    if (starts_row(R, column, out->rank)) {
      live[out->rank++] = column;
      continue;
    }
    dependent_row *row = &out->dependent[out->dependent_count++];
    row->row = column;
    find_factors(x, R, live, out->rank, column);
    status = keep_factors(row, x, live, out->rank);
  }
  free(live);
  free(x);
  return status;
}

/* Translates CHOLMOD's status: a matrix that it refuses is no lack of memory. */
static torsor_status failure_status(const cholmod_common *c) {
  return c->status == CHOLMOD_OUT_OF_MEMORY || c->status == CHOLMOD_TOO_LARGE ? TORSOR_MEMORY
                                                                              : TORSOR_ARGUMENT;
}

static bool is_finite(const gradient_rows *B) {
  for (int k = 0; k < B->first[B->rows]; ++k)
    if (!isfinite(B->value[k])) return false;
  return true;
}

torsor_status row_rank_find(row_rank *out, const gradient_rows *B, double threshold) {
  *out = (row_rank){0};
  if (!B->rows) return TORSOR_OK;
  if (!is_finite(B)) return TORSOR_NONFINITE;
  cholmod_common c;
  cholmod_l_start(&c);
  c.print = 0;
  cholmod_sparse *A = scaled_transpose(B, &c), *R = NULL;
  if (A) {
    SuiteSparse_long *E = NULL;
    SuiteSparseQR_C(SPQR_ORDERING_FIXED, threshold, B->columns, 0, A, NULL, NULL, NULL, NULL, &R,
                    &E, NULL, NULL, NULL, &c);
    if (E) cholmod_l_free((size_t)B->rows, sizeof *E, E, &c);
  }
  torsor_status status = R ? read_rank(out, R, B->rows) : failure_status(&c);
  cholmod_l_free_sparse(&R, &c);
  cholmod_l_free_sparse(&A, &c);
  cholmod_l_finish(&c);
  if (status) row_rank_release(out);
  return status;
}

void row_rank_release(row_rank *rank) {
  for (int i = 0; rank->dependent && i < rank->dependent_count; ++i) {
    free(rank->dependent[i].with);
    free(rank->dependent[i].factor);
  }
  free(rank->dependent);
  *rank = (row_rank){0};
}
