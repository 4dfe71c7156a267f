/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_ARENA_H
#define TORSOR_BASE_ARENA_H

#include <stddef.h>

/** Memory that is released all at once: models, simulations and integrators own one each. */
typedef struct arena {
  struct arena_block *last;
} arena;

/** `count` * `size` zeroed bytes, aligned for any type; NULL when memory is short or the product
 *  overflows.  A count of 0 gives a valid pointer. */
void *arena_take(arena *a, size_t count, size_t size);

/** Copy of a string; NULL when memory is short. */
char *arena_string(arena *a, const char *text);

/** Release everything taken. */
void arena_release(arena *a);

#endif
