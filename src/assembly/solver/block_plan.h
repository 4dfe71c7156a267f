/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_PLAN_H
#define TORSOR_ASSEMBLY_BLOCK_PLAN_H

/** How the unknowns of a model fall into dense blocks, and in which order these may be eliminated.
 *
 *  Parts are the velocities of a node and the multipliers of an element.  A tree of nodes hangs
 * from the ground by elements with constraint rows; each of these rows goes with its lower node:
 *  [[S, B^T], [B, 0]] of a body and the joint that holds it is regular.  Rows that close a loop
 * wait for the nodes of the loop below its top: then the rows that are already eliminated are those
 * of a mechanism by itself, and independent if those of the model are. */

#include "assembly/model/model.h"

typedef struct block_plan {
  const torsor_model *model;
  bool stabilised;
  int parts;
  int *of;         /* [n] part of an unknown */
  int *partner;    /* [parts] of constraint rows: part that they are eliminated with; else -1 */
  int *first_wait; /* [parts + 1] ... */
  int *wait;       /* ... parts that have to be eliminated before */
  const unsigned char *last; /* [parts] 1: after all others; NULL: none */
  bool usable;               /* false: too much would wait */
} block_plan;

/** Plan for the unknowns (u, y) or, stabilised, (u, y, s).  MEMORY. */
torsor_status block_plan_create(block_plan *out, const torsor_model *model, bool stabilised,
                                arena *memory);

/** The same with parts that come last, which cut the tree: what a cut leaves hanging on nothing has
 * its root at the far end, as a tree on the ground is cheapest from its root.  `last` must outlive
 * the plan. */
torsor_status block_plan_cut(block_plan *out, const block_plan *plan, const unsigned char *last,
                             arena *memory);

#endif
