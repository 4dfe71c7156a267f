/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/zip.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "results/file.h"

/* Least significant byte first. */
static void put(text *t, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    text_append_bytes(t, (const char[]){(char)(unsigned char)(value >> (8 * i))}, 1);
}

enum {
  VERSION = 20,     /* 2.0, which knows deflate */
  MADE_BY = 3 << 8, /* Unix: the upper half of the attributes is a mode */
  MODE = 0100755,   /* an ordinary file, which may be executed as libraries are */
  DAY = 1 << 5 | 1, /* the first day that a member can have, 1 January 1980 */
  UTF8 = 1 << 11,   /* names */
  DEFLATED = 8
};

/* Numbers that the head of a member and its entry in the directory share. */
typedef struct member {
  uint32_t sum, packed, size;
  const char *name;
} member;

static void put_member(text *t, const member *m) {
  put(t, VERSION, 2);
  put(t, UTF8, 2);
  put(t, DEFLATED, 2);
  put(t, 0, 2); /* time */
  put(t, DAY, 2);
  put(t, m->sum, 4);
  put(t, m->packed, 4);
  put(t, m->size, 4);
  put(t, (uint32_t)strlen(m->name), 2);
  put(t, 0, 2); /* no extra field */
}

/* A stream of deflate without the head of zlib; NULL when memory is short. */
static unsigned char *deflated(uint32_t *length, const char *bytes, size_t size) {
  z_stream s = {0};
  if (size > UINT_MAX || deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9,
                                      Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  const uLong room = deflateBound(&s, (uLong)size);
  unsigned char *out = malloc(room + 1);
  s.next_in = (z_const Bytef *)bytes;
  s.avail_in = (uInt)size;
  s.next_out = out;
  s.avail_out = (uInt)room;
  const bool done = out && deflate(&s, Z_FINISH) == Z_STREAM_END;
  *length = (uint32_t)s.total_out;
  deflateEnd(&s);
  if (done) return out;
  free(out);
  return NULL;
}

unsigned long zip_sum(const char *bytes, size_t size) {
  return crc32(0, (const Bytef *)bytes, (uInt)size);
}

void zip_add(zip *z, const char *name, const char *bytes, size_t size) {
  member m = {.name = name, .size = (uint32_t)size};
  m.sum = (uint32_t)zip_sum(bytes, size);
  unsigned char *packed = deflated(&m.packed, bytes, size);
  if (!packed) {
    z->bytes.failed = true;
    return;
  }
  const uint32_t place = (uint32_t)z->bytes.length;
  put(&z->bytes, 0x04034b50, 4);
  put_member(&z->bytes, &m);
  text_append(&z->bytes, name);
  text_append_bytes(&z->bytes, (const char *)packed, m.packed);
  free(packed);
  put(&z->directory, 0x02014b50, 4);
  put(&z->directory, MADE_BY | VERSION, 2);
  put_member(&z->directory, &m);
  put(&z->directory, 0, 2); /* no comment */
  put(&z->directory, 0, 2); /* disk */
  put(&z->directory, 0, 2); /* binary */
  put(&z->directory, (uint32_t)MODE << 16, 4);
  put(&z->directory, place, 4);
  text_append(&z->directory, name);
  ++z->count;
}

void zip_add_text(zip *z, const char *name, const char *words) {
  zip_add(z, name, words, strlen(words));
}

torsor_status zip_add_file(zip *z, const char *name, const char *file, torsor_error *error) {
  text content = {0};
  const torsor_status status = file_read(&content, file, error);
  if (!status) zip_add(z, name, content.data ? content.data : "", content.length);
  text_release(&content);
  return status;
}

torsor_status zip_write(zip *z, const char *name, torsor_error *error) {
  const uint32_t place = (uint32_t)z->bytes.length, length = (uint32_t)z->directory.length;
  if (!z->directory.failed && z->directory.data)
    text_append_bytes(&z->bytes, z->directory.data, z->directory.length);
  put(&z->bytes, 0x06054b50, 4);
  put(&z->bytes, 0, 4); /* the only disk */
  put(&z->bytes, (uint32_t)z->count, 2);
  put(&z->bytes, (uint32_t)z->count, 2);
  put(&z->bytes, length, 4);
  put(&z->bytes, place, 4);
  put(&z->bytes, 0, 2); /* no comment */
  torsor_status status = TORSOR_OK;
  if (z->bytes.failed || z->directory.failed)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  else
    status = file_replace(name, z->bytes.data, z->bytes.length, error);
  zip_release(z);
  return status;
}

void zip_release(zip *z) {
  text_release(&z->bytes);
  text_release(&z->directory);
}
