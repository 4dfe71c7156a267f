/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_RELAY_H
#define TORSOR_RESULTS_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

/** A thread that takes blocks of numbers off the hands of its caller, one after the other in their order. */
typedef struct relay relay;

/** For blocks of so many numbers; `take` is called by the thread.  NULL where there is no thread to be had. */
relay *relay_create(size_t values, torsor_status (*take)(void *data, const double *value),
                    void *data);

/** Hand over a copy of the block; waits where two are still on their way.  The first failure of `take`,
 *  which may be that of an earlier block. */
torsor_status relay_hand(relay *r, const double *value);

/** Until all blocks are taken. */
torsor_status relay_wait(relay *r);

/** The same, and the thread ends.  NULL is fine. */
void relay_destroy(relay *r);

#endif
