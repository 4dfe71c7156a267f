/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct arena_block {
  struct arena_block *previous;
  size_t used, size;
  alignas(64) unsigned char bytes[];
} arena_block;

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 64 };

static arena_block *add_block(arena *a, size_t bytes) {
  const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
  if (size > SIZE_MAX - sizeof(arena_block) - ALIGNMENT) return NULL;
  const size_t whole = (sizeof(arena_block) + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  arena_block *block = aligned_alloc(ALIGNMENT, whole);
  if (!block) return NULL;
  block->previous = a->last;
  block->used = 0;
  block->size = size;
  a->last = block;
  return block;
}

void *arena_take(arena *a, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - ALIGNMENT) / size) return NULL;
  const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  arena_block *block = a->last;
  if (!block || block->size - block->used < bytes) block = add_block(a, bytes);
  if (!block) return NULL;
  void *taken = block->bytes + block->used;
  block->used += bytes;
  memset(taken, 0, bytes);
  return taken;
}

char *arena_string(arena *a, const char *text) {
  const size_t length = strlen(text) + 1;
  char *copy = arena_take(a, length, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

void arena_release(arena *a) {
  while (a->last) {
    arena_block *previous = a->last->previous;
    free(a->last);
    a->last = previous;
  }
}
