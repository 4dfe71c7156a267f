/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/rank.h"

#include <math.h>
#include <stdlib.h>

#include <SuiteSparseQR_C.h>

/* Factors below this do not count as "with": they are round-off of the QR factorisation. */
#define SMALL_FACTOR 1e-7

/* B^T with columns of length 1; cholmod's long integers. */
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

/* Solve R11 x = column `dead` of R over the live columns before it, and keep what is not small. */
static torsor_status find_factors(dependent_row *out, const cholmod_sparse *R, const int *live,
                                  int live_count, int dead) {
  const SuiteSparse_long *Rp = R->p, *Ri = R->i;
  const double *Rx = R->x;
  double *x = calloc((size_t)live_count + 1, sizeof *x);
  out->row = dead;
  out->with = calloc((size_t)live_count + 1, sizeof *out->with);
  out->factor = calloc((size_t)live_count + 1, sizeof *out->factor);
  if (!x || !out->with || !out->factor) {
    free(x);
    return TORSOR_MEMORY;
  }
  for (SuiteSparse_long k = Rp[dead]; k < Rp[dead + 1]; ++k)
    if (Ri[k] < live_count) x[Ri[k]] = Rx[k];
  for (int j = live_count - 1; j >= 0; --j) {
    double diagonal = 0;
    for (SuiteSparse_long k = Rp[live[j]]; k < Rp[live[j] + 1]; ++k)
      if (Ri[k] == j) diagonal = Rx[k];
    if (diagonal != 0) x[j] /= diagonal;
    for (SuiteSparse_long k = Rp[live[j]]; k < Rp[live[j] + 1]; ++k)
      if (Ri[k] < j) x[Ri[k]] -= x[j] * Rx[k];
    if (fabs(x[j]) < SMALL_FACTOR) continue;
    out->with[out->count] = live[j];
    out->factor[out->count++] = x[j];
  }
  free(x);
  return TORSOR_OK;
}

/* A column of the squeezed R is live when it starts a new row. */
static bool starts_row(const cholmod_sparse *R, int column, int row) {
  const SuiteSparse_long *Rp = R->p, *Ri = R->i;
  const double *Rx = R->x;
  for (SuiteSparse_long k = Rp[column]; k < Rp[column + 1]; ++k)
    if (Ri[k] == row && Rx[k] != 0) return true;
  return false;
}

static torsor_status read_rank(row_rank *out, const cholmod_sparse *R, int rows) {
  int *live = malloc(((size_t)rows + 1) * sizeof *live);
  out->dependent = calloc((size_t)rows + 1, sizeof *out->dependent);
  torsor_status status = live && out->dependent ? TORSOR_OK : TORSOR_MEMORY;
  for (int column = 0; !status && column < rows; ++column) {
    if (starts_row(R, column, out->rank))
      live[out->rank++] = column;
    else
      status =
          find_factors(&out->dependent[out->dependent_count++], R, live, out->rank, column);
  }
  free(live);
  return status;
}

torsor_status row_rank_find(row_rank *out, const gradient_rows *B) {
  *out = (row_rank){0};
  if (!B->rows) return TORSOR_OK;
  cholmod_common c;
  cholmod_l_start(&c);
  c.print = 0;
  cholmod_sparse *A = scaled_transpose(B, &c), *R = NULL;
  torsor_status status = TORSOR_MEMORY;
  if (A) {
    SuiteSparse_long *E = NULL;
    SuiteSparseQR_C(SPQR_ORDERING_FIXED, RANK_THRESHOLD, B->columns, 0, A, NULL, NULL, NULL, NULL,
                    &R, &E, NULL, NULL, NULL, &c);
    if (E) cholmod_l_free((size_t)B->rows, sizeof *E, E, &c);
    if (R) status = read_rank(out, R, B->rows);
  }
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
