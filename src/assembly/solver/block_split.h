/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_SPLIT_H
#define TORSOR_ASSEMBLY_BLOCK_SPLIT_H

/** Splits the elimination tree (Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134-172) into groups of
 * whole subtrees, which threads eliminate at the same time: a pivot of one group changes no pivot
 * of another.  The pivots above all subtrees form the top, which one thread eliminates
 * afterwards. */

#include "base/arena.h"

#include <torsor/base.h>

/** The largest number of groups: more threads than that find nothing to do. */
enum { BLOCK_GROUPS = 8 };

typedef struct block_tree {
  int count;    /* number of pivots, which are numbered in the order of elimination */
  int *parent;  /* [count] parent of pivot k: the first pivot that k changes; `count` where there is
                   none */
  double *work; /* [count] operations of each pivot */
} block_tree;

typedef struct block_split {
  int groups;     /* 0 where there is nothing to share between threads */
  int *group;     /* [count] group of each pivot; `groups` means the top */
  double longest; /* critical path: work of the top and of the busiest group, as a fraction of all
                     work */
} block_split;

/** Finds the split with the shortest critical path.  Fails with MEMORY. */
torsor_status block_split_find(block_split *out, const block_tree *tree, arena *memory);

/** Finds a separator of the tree.  The search walks from the root down, always into the child with
 * most work, to the first pivot that has no more than the fraction `part` of all work at and below
 * it; the unknowns which that pivot changes separate the tree there.  Returns the index of the
 * pivot, or -1 where there are no pivots or no memory. */
int block_split_place(const block_tree *tree, double part, arena *scratch);

#endif
