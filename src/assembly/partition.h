/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PARTITION_H
#define TORSOR_ASSEMBLY_PARTITION_H

/** Partition of a model's nodes and elements for threads (domain decomposition).  There are several
 * subdomains for each thread, so that a faster thread takes more of them.
 *
 * Each node has one subdomain as its owner, which sums up what acts on it, and the rows of an
 * element belong to the owner of its first node.  An element between several owners is evaluated by
 * each of them, and each keeps what is its own.  So the sums are those of a single thread, term by
 * term, for any number of subdomains. */

#include "assembly/model/model.h"

/* One subdomain. */
typedef struct subdomain {
  int nodes, elements;
  int *node;    /* [nodes] nodes that it owns, ascending */
  int *element; /* [elements] elements that use one of these nodes, ascending */
} subdomain;

typedef struct partition {
  int threads;   /* number of threads that pay */
  int count;     /* number of subdomains: a multiple of `threads`, at most TEAM_MOST */
  subdomain *of; /* [count] the subdomains */
  int *owner;    /* [nodes] subdomain that owns a node */
} partition;

/** Partitions a model for at most so many threads, and for fewer, down to one, where more would not
 * pay.  Fails with MEMORY. */
torsor_status partition_create(partition *out, const torsor_model *model, int threads,
                               arena *memory);

#endif
