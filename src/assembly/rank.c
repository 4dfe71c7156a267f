/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/rank.h"

#include <math.h>
#include <stdlib.h>

#include <SuiteSparseQR_C.h>

#include "base/arena.h"

/* Factors below this do not count as "with": they are round-off of the QR factorisation. */
#define SMALL_FACTOR 1e-7

/* Entries below this are zero but for round-off, and are not passed on within a substitution. */
#define ROUND_OFF 1e-13

/* Up to so many rows are factored as they come, so that the row that closes a loop is the one that
 * is named.  Beyond that the fill of this order would take most of the time of a set-up. */
#define MANY_ROWS 1000

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

/* The triangle R11 of the live columns of R, and a vector of which most entries are zero. */
typedef struct triangle {
  const cholmod_sparse *R;
  int *live; /* [rank] column of R that begins a row */
  int rank;
  double *x;           /* [rank] */
  unsigned char *used; /* [rank] whether the entry has been put on the heap */
  int *heap, heaped;   /* rows whose entries are still to be divided, the last one on top */
  int *found, count;   /* rows that were divided, in falling order */
} triangle;

static void push(triangle *t, int row) {
  if (t->used[row]) return;
  t->used[row] = 1;
  int at = t->heaped++;
  for (; at > 0 && t->heap[(at - 1) / 2] < row; at = (at - 1) / 2)
    t->heap[at] = t->heap[(at - 1) / 2];
  t->heap[at] = row;
}

static int pop(triangle *t) {
  const int top = t->heap[0], last = t->heap[--t->heaped];
  int at = 0;
  for (int child = 1; child < t->heaped; child = 2 * at + 1) {
    if (child + 1 < t->heaped && t->heap[child + 1] > t->heap[child]) ++child;
    if (t->heap[child] <= last) break;
    t->heap[at] = t->heap[child];
    at = child;
  }
  t->heap[at] = last;
  return top;
}

/* Solves R11 x = column `dead` of R over the live columns before it, by back substitution that
 * passes only entries that are not zero: the rows of these are left in `found`. */
static void find_factors(triangle *t, int dead) {
  const SuiteSparse_long *Rp = t->R->p, *Ri = t->R->i;
  const double *Rx = t->R->x;
  t->count = 0;
  for (SuiteSparse_long k = Rp[dead]; k < Rp[dead + 1]; ++k) {
    const int row = (int)Ri[k];
    if (row >= t->rank) continue;
    t->x[row] = Rx[k];
    push(t, row);
  }
  while (t->heaped) {
    const int j = pop(t);
    const SuiteSparse_long begin = Rp[t->live[j]], end = Rp[t->live[j] + 1];
    double diagonal = 0;
    for (SuiteSparse_long k = begin; k < end; ++k)
      if (Ri[k] == j) diagonal = Rx[k];
    if (diagonal != 0) t->x[j] /= diagonal;
    t->found[t->count++] = j;
    if (fabs(t->x[j]) < ROUND_OFF) continue;
    for (SuiteSparse_long k = begin; k < end; ++k) {
      if (Ri[k] >= j) continue;
      push(t, (int)Ri[k]);
      t->x[Ri[k]] -= t->x[j] * Rx[k];
    }
  }
}

/* Stores the factors that are not small, and clears the vector.  The columns of R are the rows of B
 * in the order E (NULL: their own). */
static torsor_status keep_factors(dependent_row *out, triangle *t, const SuiteSparse_long *E) {
  int count = 0;
  for (int i = 0; i < t->count; ++i) count += fabs(t->x[t->found[i]]) >= SMALL_FACTOR;
  out->with = malloc(((size_t)count + 1) * sizeof *out->with);
  out->factor = malloc(((size_t)count + 1) * sizeof *out->factor);
  if (!out->with || !out->factor) return TORSOR_MEMORY;
  for (int i = 0; i < t->count; ++i) {
    const int row = t->found[i], column = t->live[row];
    if (fabs(t->x[row]) >= SMALL_FACTOR) {
      out->with[out->count] = E ? (int)E[column] : column;
      out->factor[out->count++] = t->x[row];
    }
    t->x[row] = 0;
    t->used[row] = 0;
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

static int compare_rows(const void *a, const void *b) {
  const dependent_row *first = a, *second = b;
  return (first->row > second->row) - (first->row < second->row);
}

static torsor_status read_rank(row_rank *out, triangle *t, const SuiteSparse_long *E, int rows) {
  for (int column = 0; column < rows; ++column) {
    if (starts_row(t->R, column, t->rank)) {
      t->live[t->rank++] = column;
      continue;
    }
    dependent_row *row = &out->dependent[out->dependent_count++];
    row->row = E ? (int)E[column] : column;
    find_factors(t, column);
    const torsor_status status = keep_factors(row, t, E);
    if (status) return status;
  }
  out->rank = t->rank;
  if (E) qsort(out->dependent, (size_t)out->dependent_count, sizeof *out->dependent, compare_rows);
  return TORSOR_OK;
}

/* Takes memory for the triangle, and reads it. */
static torsor_status read_triangle(row_rank *out, const cholmod_sparse *R,
                                   const SuiteSparse_long *E, int rows) {
  arena memory = {0};
  const size_t n = (size_t)rows;
  triangle t = {.R = R,
                .live = arena_take(&memory, n, sizeof *t.live),
                .x = arena_take(&memory, n, sizeof *t.x),
                .used = arena_take(&memory, n, 1),
                .heap = arena_take(&memory, n, sizeof *t.heap),
                .found = arena_take(&memory, n, sizeof *t.found)};
  out->dependent = calloc(n + 1, sizeof *out->dependent);
  const bool enough = t.live && t.x && t.used && t.heap && t.found && out->dependent;
  const torsor_status status = enough ? read_rank(out, &t, E, rows) : TORSOR_MEMORY;
  arena_release(&memory);
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
  SuiteSparse_long *E = NULL;
  if (A) {
    const int ordering = B->rows > MANY_ROWS ? SPQR_ORDERING_AMD : SPQR_ORDERING_FIXED;
    SuiteSparseQR_C(ordering, threshold, B->columns, 0, A, NULL, NULL, NULL, NULL, &R, &E, NULL,
                    NULL, NULL, &c);
  }
  const torsor_status status = R ? read_triangle(out, R, E, B->rows) : failure_status(&c);
  if (E) cholmod_l_free((size_t)B->rows, sizeof *E, E, &c);
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
