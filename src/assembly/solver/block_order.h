/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_ORDER_H
#define TORSOR_ASSEMBLY_BLOCK_ORDER_H

#include "assembly/solver/block_plan.h"
#include "assembly/solver/block_split.h"
#include "assembly/solver/pattern.h"

/** A pivot (a supernode): parts that are eliminated together, with the neighbours that the
 * elimination has left them by then. */
typedef struct block_pivot {
  int first, size; /* positions in the order of elimination */
  int width;       /* number of unknowns in the neighbours together (width of the front) */
  int first_neighbour, neighbours;
} block_pivot;

typedef struct block_neighbour {
  int first, size; /* positions in the order of elimination, ascending within a pivot */
  int offset;      /* number of unknowns in the neighbours before it */
} block_neighbour;

/** Order of elimination for a matrix whose diagonal blocks need no exchange of rows between
 * them. */
typedef struct block_order {
  int count;
  block_pivot *pivot;         /* [count] */
  block_neighbour *neighbour; /* of all pivots, one pivot after the other */
  int *unknown;               /* [n] unknown at a position of the order */
  int *place;                 /* [n] position of an unknown */
  int *pivot_of;              /* [n] pivot at a position */
  double flops;               /* operations of a factorisation */
  bool apart;                 /* of a plan with rows apart, see block_plan_apart */
  int groups; /* number of groups of pivots that threads can eliminate at the same time, or 0 */
  int first_pivot[BLOCK_GROUPS + 1]; /* first pivot of each group, then of the top */
} block_order;

/** Finds the order by the minimum-degree rule (George and Liu, SIAM Review 31 (1989) 1-19): the
 * pivot with the narrowest front is eliminated first, ties by number.  Where the elimination tree
 * is large and would end as one long chain, it is cut in two halves (one step of nested
 * dissection), and pivots are then grouped for threads.  Where that takes many operations other
 * orders are tried, and pivots merged.  The order depends on the model alone.
 * *found = false, without an order, where blocks would cost much more than a factorisation by
 * sparse columns.  Fails with MEMORY. */
torsor_status block_order_find(block_order *out, bool *found, const pattern *p,
                               const block_plan *plan, arena *memory);

#endif
