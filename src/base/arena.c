/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct arena_block {
  struct arena_block *previous;
  size_t used, size;
  size_t whole;         /* sizes of this block and all before it */
  unsigned char *bytes; /* [size] */
} arena_block;

/* LARGE is a huge page of most machines. */
enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 64, LARGE = 1 << 21 };

static size_t largest(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Requests huge pages: a step traverses all memory of a model, but the TLB has entries for some
 * thousand pages only.  The pages at both ends may be shared with other blocks, which does no harm
 * as this is only advice. */
static void advise(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t from = (uintptr_t)block / page * page;
  madvise((void *)from, (uintptr_t)block + size - from, MADV_HUGEPAGE); /* refused: as before */
#else
  (void)block, (void)size;
#endif
}

/* The system's own zeros: pages of large blocks are not touched before they are used.  Blocks grow
 * with the arena, so that the vectors of a large model lie together in huge pages, and an eighth of
 * it at most is not used. */
static arena_block *add_block(arena *a, size_t bytes) {
  const size_t before = a->last ? a->last->whole : 0;
  const size_t size = largest(largest(bytes, BLOCK_BYTES), before / 8);
  if (size > SIZE_MAX - sizeof(arena_block) - ALIGNMENT) return NULL;
  arena_block *block = calloc(1, sizeof *block + size + ALIGNMENT);
  if (!block) return NULL;
  if (size >= LARGE) advise(block, sizeof *block + size + ALIGNMENT);
  block->previous = a->last;
  block->whole = before + size;
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
