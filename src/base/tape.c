/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/tape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Header of every block, by which blocks of another build or model are detected. */
typedef struct label {
  uint64_t bytes, name;
} label;

/* FNV-1a. */
static uint64_t hash_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

static bool grow(tape *t, size_t room) {
  unsigned char *moved = realloc(t->data, room);
  if (!moved) return false;
  t->data = moved;
  t->room = room;
  return true;
}

void tape_reserve(tape *t, size_t bytes) {
  if (t->room < bytes && !grow(t, bytes)) t->status = TORSOR_MEMORY;
}

static unsigned char *make_room(tape *t, size_t bytes) {
  if (bytes > SIZE_MAX / 2 - t->length) return NULL;
  const size_t needed = t->length + bytes;
  if (t->fixed && needed > t->room) return NULL;
  return needed <= t->room || grow(t, 2 * needed) ? t->data + t->length : NULL;
}

static void write_block(tape *t, const label *here, const void *bytes) {
  unsigned char *to = make_room(t, sizeof *here + here->bytes);
  if (!to && !t->fixed) {
    t->status = TORSOR_MEMORY;
    return;
  }
  if (to) memcpy(to, here, sizeof *here);
  if (to && here->bytes) memcpy(to + sizeof *here, bytes, here->bytes);
  t->length += sizeof *here + here->bytes;
}

static void read_block(tape *t, const label *here, const char *name, void *bytes) {
  label found = {0};
  const size_t left = t->length - t->at;
  if (left >= sizeof found) memcpy(&found, t->data + t->at, sizeof found);
  if (left < sizeof found || found.bytes != here->bytes || found.name != here->name ||
      left - sizeof found < here->bytes) {
    t->status = TORSOR_FILE;
    t->failed = name;
    return;
  }
  if (here->bytes) memcpy(bytes, t->data + t->at + sizeof found, here->bytes);
  t->at += sizeof found + here->bytes;
}

void tape_value(tape *t, const char *name, void *value, size_t size) {
  const label here = {size, hash_name(name)};
  if (t->status) return;
  if (t->mode == TAPE_WRITE) write_block(t, &here, value);
  if (t->mode == TAPE_READ) read_block(t, &here, name, value);
}

static void *take(tape *t, size_t count, size_t size) {
  void *taken = t->status ? NULL : arena_take(t->memory, count, size);
  if (!taken) t->status = TORSOR_MEMORY;
  return taken;
}

void *tape_block(tape *t, const char *name, void *block, size_t count, size_t size) {
  if (t->mode == TAPE_TAKE) return take(t, count, size);
  tape_value(t, name, block, count * size);
  return block;
}

void *tape_work(tape *t, void *block, size_t count, size_t size) {
  if (t->mode == TAPE_TAKE) return take(t, count, size);
  if (t->mode == TAPE_SPOIL) memset(block, 0xff, count * size); /* NaN, and no valid index */
  return block;
}

void tape_end(tape *t) {
  if (t->status || t->mode != TAPE_READ || t->at == t->length) return;
  t->status = TORSOR_FILE;
  t->failed = "the end";
}

void tape_rewind(tape *t) {
  t->length = t->at = 0;
  t->status = TORSOR_OK;
}

void tape_release(tape *t) {
  free(t->data);
  *t = (tape){0};
}
