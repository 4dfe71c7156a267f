/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_RANK_H
#define TORSOR_ASSEMBLY_RANK_H

#include "assembly/assembly.h"

/** Distance below which a constraint row (scaled to length 1) counts as a combination of the rows
 *  before it.  Far above round-off (1e-16 times the size of the model), far below any angle that a
 *  mechanism would be built with. */
#define RANK_THRESHOLD 1e-9

/** A dependent row: row = sum of factor_i * with_i over the rows `with`, the earlier ones where
 * there are no more than 1,000 rows in all (rows of length 1). */
typedef struct dependent_row {
  int row, count;
  int *with;
  double *factor;
} dependent_row;

typedef struct row_rank {
  int rank, dependent_count;
  dependent_row *dependent; /* [dependent_count] by ascending rows */
} row_rank;

/** A wider threshold for rows that are nearly dependent.  Such rows make a mechanism hard to
 * integrate: a dead centre (change point) is within about this many radians. */
#define RANK_NEAR 0.03

/** Finds the rank of the constraint gradient, with one of these thresholds, by a sparse QR
 * factorisation (SuiteSparseQR: Davis, ACM Trans. Math. Softw. 38 (2011) 8) in the order of the
 * rows, so that of dependent rows the later one is named.  More than 1,000 rows are factored in an
 * order of little fill (AMD), the same for all thresholds: any one of the rows that depend on each
 * other is named then.  Fails with MEMORY, NONFINITE, or ARGUMENT where `B` is no valid matrix (it
 * has a column twice in a row). */
torsor_status row_rank_find(row_rank *out, const gradient_rows *B, double threshold);
void row_rank_release(row_rank *rank);

#endif
