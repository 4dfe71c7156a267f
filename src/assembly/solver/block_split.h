/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_SPLIT_H
#define TORSOR_ASSEMBLY_BLOCK_SPLIT_H

/** Pivots in groups that threads eliminate at once: whole subtrees of the elimination tree (Liu
 * 1990), whose pivots change no other group's.  Those above them all, the top, come last. */

#include "base/arena.h"

#include <torsor/base.h>

/** Most groups: more threads than these find nothing to do. */
enum { BLOCK_GROUPS = 8 };

typedef struct block_tree {
  int count;    /* pivots in the order of elimination */
  int *parent;  /* [count] first pivot of those that k changes; count: none */
  double *work; /* [count] */
} block_tree;

typedef struct block_split {
  int groups;     /* 0: nothing to share out */
  int *group;     /* [count] of a pivot; `groups` = the top */
  double longest; /* of the top and the busiest group together, in parts of all work */
} block_split;

/** The split that ends soonest. MEMORY. */
torsor_status block_split_find(block_split *out, const block_tree *tree, arena *memory);

/** On the way down, always to where most work is, the first pivot with no more than this part of
 * all work at and below it: what it changes separates the tree there.  -1 without pivots, or
 * memory. */
int block_split_place(const block_tree *tree, double part, arena *scratch);

#endif
