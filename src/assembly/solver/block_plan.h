/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_PLAN_H
#define TORSOR_ASSEMBLY_BLOCK_PLAN_H

/** A block plan says how the unknowns of a model fall into dense blocks, called parts, and in which
 * order these may be eliminated without exchanging rows between blocks.
 *
 * A part is the velocities of one node or the multipliers of one element.  The plan grows a
 * spanning tree of nodes from the ground along the elements with constraint rows.  The rows of a
 * tree element are eliminated together with the node at its lower end: the saddle-point block [[S,
 * B^T], [B, 0]] of a body and the joint that connects it to its parent is regular.  The rows of an
 * element outside the tree close a loop.  They wait for the nodes of that loop below its top: the
 * rows that are eliminated by then are those of a mechanism by itself, and they are independent if
 * the rows of the model are. */

#include "assembly/model/model.h"

typedef struct block_plan {
  const torsor_model *model;
  bool stabilised;
  bool apart; /* rows wait for their own nodes alone, which are eliminated by themselves */
  int parts;
  int *of;                   /* [n] part of each unknown */
  int *partner;              /* [parts] of constraint rows: node to eliminate them with; else -1 */
  int *first_wait;           /* [parts + 1] start of each part's list in `wait` */
  int *wait;                 /* parts that have to be eliminated before it */
  const unsigned char *last; /* [parts] 1: eliminated after all others; NULL: none is */
  bool coupled; /* elements other than joints couple velocities of several nodes, as beams do */
  bool strict;  /* set by the caller: no order of a plan with rows apart is wanted */
  /* Set by the caller: the layout of a matrix with the same pattern and plan, or NULL. */
  struct block_layout *layout;
  bool usable; /* false where so many parts would wait that other solvers are cheaper */
} block_plan;

/** Makes the plan for the unknowns (u, y) or, stabilised, (u, y, s).  Fails with MEMORY. */
torsor_status block_plan_create(block_plan *out, const torsor_model *model, bool stabilised,
                                arena *memory);

/** Makes the plan in which no node is eliminated together with rows: these wait for their own nodes
 * alone, and may then come in any order, since their pivots are parts of B S^-1 B^T. */
torsor_status block_plan_apart(block_plan *out, const torsor_model *model, bool stabilised,
                               arena *memory);

/** Makes the plan in which the parts marked in `last` come last and so cut the tree (a separator of
 * nested dissection).  A piece that the cut leaves without a connection to the ground gets its root
 * at its far end, since a tree is cheapest to eliminate towards its root.  `last` must outlive the
 * plan. */
torsor_status block_plan_cut(block_plan *out, const block_plan *plan, const unsigned char *last,
                             arena *memory);

#endif
