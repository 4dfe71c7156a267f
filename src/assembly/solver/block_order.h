/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_ORDER_H
#define TORSOR_ASSEMBLY_BLOCK_ORDER_H

#include "assembly/solver/block_plan.h"
#include "assembly/solver/block_split.h"
#include "assembly/solver/pattern.h"

/** Parts that are eliminated together, and the neighbours that they have left then. */
typedef struct block_pivot {
  int first, size; /* places in the order */
  int width;       /* sizes of the neighbours together */
  int first_neighbour, neighbours;
} block_pivot;

typedef struct block_neighbour {
  int first, size; /* places in the order, ascending within a pivot */
  int offset;      /* sizes of the neighbours before it */
} block_neighbour;

/** Order of elimination of a matrix whose diagonal blocks need no exchange of rows between them. */
typedef struct block_order {
  int count;
  block_pivot *pivot;         /* [count] */
  block_neighbour *neighbour; /* of all pivots */
  int *unknown;               /* [n] unknown at a place */
  int *place;                 /* [n] place of an unknown */
  int *pivot_of;              /* [n] pivot at a place */
  double flops;               /* of a factorisation */
  int groups;                 /* of pivots that threads can eliminate at once, 0 = none... */
  int first_pivot[BLOCK_GROUPS +
                  1]; /* ... where each begins, and then the pivots that come after all */
} block_order;

/** Least width first, ties by number; but large trees that would end as one long chain are cut in
 * two halves, and pivots are then grouped.  The order depends on the model alone.  *found = false,
 * and no order, where it would cost much more than sparse columns without blocks.  MEMORY. */
torsor_status block_order_find(block_order *out, bool *found, const pattern *p,
                               const block_plan *plan, arena *memory);

#endif
