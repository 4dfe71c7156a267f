/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PATTERN_H
#define TORSOR_ASSEMBLY_PATTERN_H

#include <stdbool.h>

#include "base/arena.h"

/** Sparsity pattern of a square matrix by compressed columns, rows ascending. */
typedef struct pattern {
  int n, nonzeros;
  int *Ap; /* [n + 1] */
  int *Ai; /* [nonzeros] */
} pattern;

/** A block of the matrix, which is dense or, of two parts of one size, its diagonal alone. */
typedef struct block_entry {
  int row, column; /* parts: unknowns that follow each other and have the same blocks */
  bool diagonal;
} block_entry;

/** Blocks collected before the pattern is known, in any order, repeated at will.  A failed
 * allocation is remembered and reported by pattern_build. */
typedef struct block_list {
  int count, size;
  block_entry *entry;
  bool failed;
} block_list;

void block_list_add(block_list *list, int row, int column);
void block_list_add_diagonal(block_list *list, int row, int column);
void block_list_release(block_list *list);

/** Where a block is among the nonzeros: its entry (i, j) at corner + i + j * stride, entry i of a
 * diagonal at corner + i * stride. */
typedef struct pattern_place {
  int corner, stride;
} pattern_place;

/** Pattern of all blocks, and the place of each of the list's.  Part k has the unknowns first[k] to
 *  first[k + 1] - 1, maybe none.  Memory comes from `memory`.  0, or -1 when memory is short. */
int pattern_build(pattern *out, pattern_place *place, const int *first, int parts,
                  const block_list *list, arena *memory);

#endif
