/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_SHARES_H
#define TORSOR_ASSEMBLY_SHARES_H

/** How a model's nodes and elements are shared out among threads, some shares for each: who is
 * faster takes more of them.
 *
 *  Each node has a share as its owner, which adds up what acts on it, and an element's rows belong
 * to the owner of its first node. An element between owners is evaluated for each of them, who keep
 * what is theirs: so sums are those of one thread, term by term, whatever the number of shares. */

#include "assembly/model/model.h"

typedef struct share {
  int nodes, elements;
  int *node;    /* [nodes] its own, ascending */
  int *element; /* [elements] that use one of them, ascending */
} share;

typedef struct shares {
  int threads; /* that pay */
  int count;   /* a multiple of it, at most TEAM_MOST */
  share *of;   /* [count] */
  int *owner;  /* [nodes] */
} shares;

/** Shares for at most so many threads: fewer, down to one, where more would not pay.  MEMORY. */
torsor_status shares_create(shares *out, const torsor_model *model, int threads, arena *memory);

#endif
