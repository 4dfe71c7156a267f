/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PATTERN_H
#define TORSOR_ASSEMBLY_PATTERN_H

#include "base/arena.h"

/** Sparsity pattern of a square matrix by compressed columns, rows ascending. */
typedef struct pattern {
  int n, nonzeros;
  int *Ap; /* [n + 1] */
  int *Ai; /* [nonzeros] */
} pattern;

/** Entries collected before the pattern is known: (row, column) pairs in any order, repeated at
 *  will.  A failed allocation is remembered and reported by pattern_build. */
typedef struct entry_list {
  int count, size;
  int *row, *column;
  int failed;
} entry_list;

void entry_list_add(entry_list *list, int row, int column);
void entry_list_release(entry_list *list);

/** Pattern of all entries; slot[k] is the place of entry k among the nonzeros, so that assembly is
 *  x[slot[k]] += value[k].  Memory comes from `memory`.  0, or -1 when memory is short. */
int pattern_build(pattern *out, int *slot, int n, const entry_list *entries, arena *memory);

#endif
