/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_LOCK_H
#define TORSOR_RESULTS_LOCK_H

#include <stdbool.h>

/** Take the lock of the open file or folder, which its descriptor keeps: it ends when this is
 *  closed, at the latest with the process, however that ends.  False where another process has it;
 *  *holder is then its number, 0 where that is not known.  A file system that has no locks lets
 *  everybody through. */
bool lock_take(int file, long *holder);

/** The words "process 123", or "another process". */
const char *lock_holder(char out[32], long holder);

#endif
