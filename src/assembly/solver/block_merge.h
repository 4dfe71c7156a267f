/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_MERGE_H
#define TORSOR_ASSEMBLY_BLOCK_MERGE_H

/** Merges pivots with their parents in the elimination tree where their neighbours are the same, or
 * nearly so (supernodes and their amalgamation: Ashcraft and Grimes, ACM Trans. Math. Softw. 15
 * (1989) 291-309).  Products of larger blocks take fewer memory accesses an operation, and there
 * are fewer blocks to list.  Pivots with constraint rows stay alone. */

#include "assembly/solver/block_search.h"
#include "assembly/solver/block_split.h"

/** Sets head [pivots] to the pivot that each is merged into, itself where it stays alone.  Only
 * pivots of one group are merged; group = NULL: all are of one.  Fails with MEMORY. */
torsor_status block_merge_find(int *head, const block_search *s, const block_tree *tree,
                               const int *group, arena *scratch);

#endif
