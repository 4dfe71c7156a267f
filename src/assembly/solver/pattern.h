/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PATTERN_H
#define TORSOR_ASSEMBLY_PATTERN_H

#include <stdbool.h>

#include "base/arena.h"

/** Sparsity pattern of a square matrix in compressed columns, with ascending rows. */
typedef struct pattern {
  int n, nonzeros;
  int *Ap; /* [n + 1] */
  int *Ai; /* [nonzeros] */
} pattern;

/** A block of the matrix: dense or, between two parts of one size, its diagonal alone. */
typedef struct block_entry {
  int row, column; /* parts, which are ranges of consecutive unknowns that have the same blocks */
  bool diagonal;
} block_entry;

/** Blocks that are collected before the pattern is known, in any order and repeated at will.  A
 * failed allocation is remembered and reported by pattern_build. */
typedef struct block_list {
  int count, size;
  block_entry *entry;
  bool failed;
} block_list;

void block_list_add(block_list *list, int row, int column);
void block_list_add_diagonal(block_list *list, int row, int column);
void block_list_release(block_list *list);

/** Indices of a block among the nonzeros: entry (i, j) of a dense block is at corner + i + j *
 * stride, entry i of a diagonal block at corner + i * stride. */
typedef struct pattern_place {
  int corner, stride;
} pattern_place;

/** Builds the pattern of all blocks and finds the indices of each block of the list.  Part k has
 * the unknowns first[k] to first[k + 1] - 1, possibly none.  Memory comes from `memory`.  Returns
 * 0, or -1 without memory. */
int pattern_build(pattern *out, pattern_place *place, const int *first, int parts,
                  const block_list *list, arena *memory);

#endif
