/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_RELAY_H
#define TORSOR_RESULTS_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

/** A thread that takes blocks of numbers off the hands of its caller, one after the other in their
 *  order.  It is woken for some of them together: that costs as much as a short block. */
typedef struct relay relay;

/** There is room for blocks of so many bytes together, but for two of them at least and for not too
 *  many. */
enum { RELAY_BYTES = 1 << 21 };

/** For blocks of so many numbers; `take` is called by the thread and may change them.  NULL where
 *  there is no thread to be had. */
relay *relay_create(size_t values, torsor_status (*take)(void *data, double *value), void *data);

/** Where the next block is to be put; waits where there is no room left. */
double *relay_room(relay *r);

/** Hand over the block that was put there.  The first failure of `take`, which may be that of an
 *  earlier block. */
torsor_status relay_hand(relay *r);

/** Wake the thread where a block has waited for so many seconds. */
void relay_hurry_old(relay *r, double seconds);

/** Until all blocks are taken. */
torsor_status relay_wait(relay *r);

/** The same, and the thread ends.  NULL is fine. */
void relay_destroy(relay *r);

#endif
