/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_RANK_H
#define TORSOR_ASSEMBLY_RANK_H

#include "assembly/assembly.h"

/** Distance below which a constraint row (scaled to length 1) counts as a combination of the rows
 *  before it.  Far above round-off (1e-16 times the size of the model), far below any angle that a
 *  mechanism would be built with. */
#define RANK_THRESHOLD 1e-9

/** Row `row` repeats the earlier rows `with`: row = sum of factor_i * with_i (rows of length 1). */
typedef struct dependent_row {
  int row, count;
  int *with;
  double *factor;
} dependent_row;

typedef struct row_rank {
  int rank, dependent_count;
  dependent_row *dependent;
} row_rank;

/** Rows as near as this to a combination of others make a mechanism hard to integrate: its dead
 * centre is within about this many radians. */
#define RANK_NEAR 0.03

/** Rank, with one of these thresholds, of the constraint gradient by a sparse QR factorisation
 * (SPQR) in the order of the rows: of dependent rows the later one is named.  MEMORY, NONFINITE, or
 * ARGUMENT when `B` is no matrix (a column twice in a row). */
torsor_status row_rank_find(row_rank *out, const gradient_rows *B, double threshold);
void row_rank_release(row_rank *rank);

#endif
