/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_RELAY_H
#define TORSOR_RESULTS_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

/** A background thread that processes blocks of numbers in the order in which they were handed
 *  over.  It is woken for several blocks at a time, since waking it costs as much as a short
 *  block. */
typedef struct relay relay;

/** There is room for blocks of so many bytes together, but for two of them at least and for not too
 *  many. */
enum { RELAY_BYTES = 1 << 21 };

/** For blocks of so many numbers; `take` is called by the thread and may change them.  NULL where
 *  there is no thread to be had. */
relay *relay_create(size_t values, torsor_status (*take)(void *data, double *value), void *data);

/** Returns the buffer for the next block; waits when all are in use. */
double *relay_room(relay *r);

/** Hand over the block that was put there.  The first failure of `take`, which may be that of an
 *  earlier block. */
torsor_status relay_hand(relay *r);

/** Wake the thread where a block has waited for so many seconds. */
void relay_hurry_old(relay *r, double seconds);

/** Waits until all blocks are processed. */
torsor_status relay_wait(relay *r);

/** Waits until all blocks are processed and ends the thread.  NULL is fine. */
void relay_destroy(relay *r);

#endif
