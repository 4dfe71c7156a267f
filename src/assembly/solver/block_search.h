/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_SEARCH_H
#define TORSOR_ASSEMBLY_BLOCK_SEARCH_H

/** The search for an order in which the parts of a matrix are eliminated, and the neighbours that
 * each pivot then has (the fill). */

#include "assembly/solver/block_plan.h"
#include "assembly/solver/pattern.h"

typedef struct int_list {
  int *item, count, size;
} int_list;

/** A candidate for the next pivot in the heap; it is stale when its version is not the leader's any
 * more. */
typedef struct block_candidate {
  int width, leader, version;
} block_candidate;

/** The search for an elimination order: the minimum-degree heuristic (Tinney's scheme 2; Rose 1972;
 * George and Liu 1989) on the quotient graph of parts, which are blocks of unknowns, with the width
 * of a front as the degree. Each pivot has a leader, the part that names it: a node, or constraint
 * rows that go with no node. */
typedef struct block_search {
  arena *memory;
  const block_plan *plan;
  int parts;
  const int_list *graph; /* [parts] each part's neighbours by the matrix pattern */
  int_list *next;        /* [parts] neighbours in the graph with fill; some may be eliminated */
  int *size, *joined,
      *version;     /* [parts] unknowns; rows eliminated together with it, or -1; version */
  int *mark, stamp; /* [parts] */
  int *waits;       /* [parts] number of parts that have to be eliminated before it */
  int *first_waiter, *waiter; /* the parts that wait for a part */
  unsigned char *gone;        /* [parts] */
  block_candidate *heap;
  int heap_count, heap_size;
  int *leader;               /* the leaders in the order of elimination, */
  int_list neighbours, ends; /* their neighbours, and the end of each list */
  int count;
  double flops, *work; /* number of operations in all, and for each pivot */
  const int *rank;     /* [parts] where a leader comes as soon as it may; NULL: by the width */
  bool ending;         /* it is the turn of the separator's parts, which come last */
} block_search;

/** Appends to a list. The memory that a list leaves behind when it grows stays in the arena, which
 * lasts as long as the search.  Returns false without memory. */
bool int_list_add(int_list *list, int value, arena *memory);

/** Eliminates all parts; *found = false where that would take more operations than any computer
 * affords.  Fails with MEMORY. */
torsor_status block_search_run(block_search *s, bool *found, const pattern *p);

/** Returns the leader of the pivot that a part belongs to. */
int block_search_leader(const block_search *s, int part);

/** Returns the number of unknowns of the k-th eliminated pivot. */
int block_search_size(const block_search *s, int k);

/** Returns the parts that are neighbours of the k-th eliminated pivot. */
const int *block_search_neighbours(int *count, const block_search *s, int k);

#endif
