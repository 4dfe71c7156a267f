/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct arena_block {
  struct arena_block *previous;
  size_t used, size;
  unsigned char *bytes; /* [size] */
} arena_block;

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 64 };

/* The system's own zeros: pages of large blocks are not touched before they are used. */
static arena_block *add_block(arena *a, size_t bytes) {
  const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
  if (size > SIZE_MAX - sizeof(arena_block) - ALIGNMENT) return NULL;
  arena_block *block = calloc(1, sizeof *block + size + ALIGNMENT);
  if (!block) return NULL;
  block->previous = a->last;
  block->size = size;
  block->bytes = (unsigned char *)(block + 1);
  block->bytes += (ALIGNMENT - (uintptr_t)block->bytes % ALIGNMENT) % ALIGNMENT;
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
