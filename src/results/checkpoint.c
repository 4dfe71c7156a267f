/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/checkpoint.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/tape.h"
#include "base/text.h"
#include "results/file.h"

/* Stands before the content, which is a tape; numbers are those of the machine. */
typedef struct header {
  char magic[8];
  uint32_t format;   /* version of the file format */
  uint32_t order;    /* byte order */
  uint8_t sizes[8];  /* sizes of types */
  char version[32];  /* version of the program */
  uint64_t length;   /* bytes of the content */
  uint64_t checksum; /* XXH3-64 of the content, its seed that of all before */
} header;

enum { FORMAT = 5 };

static header make_header(size_t length) {
  header h = {.magic = {'T', 'O', 'R', 'S', 'O', 'R', 'C', 'P'},
              .format = FORMAT,
              .order = 0x01020304,
              .sizes = {sizeof(int), sizeof(long), sizeof(long long), sizeof(double),
                        sizeof(void *), sizeof(torsor_status)},
              .length = length};
  snprintf(h.version, sizeof h.version, "%s", torsor_version());
  return h;
}

static uint64_t find_checksum(const header *h, const void *content) {
  const uint64_t seed = XXH3_64bits(h, offsetof(header, checksum));
  return XXH3_64bits_withSeed(content, h->length, seed);
}

/* Lists all members but the arrays on the tape. */
static void walk(checkpoint *c, tape *t) {
  TAPE_VALUE(t, c->scene);
  TAPE_VALUE(t, c->hash);
  TAPE_VALUE(t, c->method);
  TAPE_VALUE(t, c->t);
  TAPE_VALUE(t, c->trajectory);
  TAPE_VALUE(t, c->states);
  TAPE_VALUE(t, c->frames);
  TAPE_VALUE(t, c->event_count);
  TAPE_VALUE(t, c->warning_count);
  TAPE_VALUE(t, c->warning_size);
  TAPE_VALUE(t, c->size);
}

static void walk_arrays(checkpoint *c, tape *t) {
  TAPE_ARRAY(t, c->event, c->event_count);
  TAPE_ARRAY(t, c->warning, c->warning_size);
  c->state = tape_block(t, "c->state", c->state, c->size, 1);
}

/* Usual size in bytes of everything besides the state. */
enum { BESIDE_STATE = 1 << 14 };

torsor_status checkpoint_write(const char *file, const checkpoint *c, bool surely,
                               torsor_error *error) {
  checkpoint copy = *c;
  tape t = {.mode = TAPE_WRITE};
  torsor_status status;
  /* the state is nearly all of it; the header goes in front when the rest is known */
  tape_reserve(&t, sizeof(header) + c->size + BESIDE_STATE);
  t.length = sizeof(header);
  walk(&copy, &t);
  walk_arrays(&copy, &t);
  if (t.status) {
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  } else {
    header h = make_header(t.length - sizeof h);
    h.checksum = find_checksum(&h, t.data + sizeof h);
    memcpy(t.data, &h, sizeof h);
    status =
        (surely ? file_replace_surely : file_replace)(file, (const char *)t.data, t.length, error);
  }
  tape_release(&t);
  return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static torsor_status check_header(const text *whole, torsor_error *error) {
  const header expected = make_header(0);
  header h = {0};
  if (whole->length >= sizeof h) memcpy(&h, whole->data, sizeof h);
  if (memcmp(h.magic, expected.magic, sizeof h.magic) != 0)
    return torsor_fail(error, TORSOR_FILE, "is no checkpoint");
  if (h.order != expected.order || memcmp(h.sizes, expected.sizes, sizeof h.sizes) != 0) {
    torsor_fail(error, TORSOR_FILE, "was written on a machine of another kind");
    torsor_hint(error, "continue the run where the checkpoint was written, or run the scene again");
    return TORSOR_FILE;
  }
  if (h.format != expected.format || strncmp(h.version, expected.version, sizeof h.version) != 0) {
    torsor_fail(error, TORSOR_FILE,
                "was written by torsor %.31s (format %u), this is torsor %s (format %u)", h.version,
                (unsigned)h.format, expected.version, (unsigned)expected.format);
    torsor_hint(error, "continue the run with that version, or run the scene again");
    return TORSOR_FILE;
  }
  const size_t found = whole->length - sizeof h;
  if (found != h.length) {
    torsor_fail(error, TORSOR_FILE, "has %zu bytes behind its head instead of %llu", found,
                (unsigned long long)h.length);
    torsor_hint(error, "run the scene again, as the checkpoint has too few or too many bytes");
    return TORSOR_FILE;
  }
  if (h.checksum == find_checksum(&h, whole->data + sizeof h)) return TORSOR_OK;
  torsor_fail(error, TORSOR_FILE, "is damaged, as its checksum is wrong");
  torsor_hint(error, "run the scene again");
  return TORSOR_FILE;
}

static torsor_status locate(torsor_error *error, const char *file, torsor_status status) {
  if (status && error) snprintf(error->file, sizeof error->file, "%s", file);
  return status;
}

/* Sizes are right where the checksum holds. */
static torsor_status read_content(checkpoint *out, const text *whole, torsor_error *error) {
  tape t = {.mode = TAPE_READ,
            .data = (unsigned char *)whole->data + sizeof(header),
            .length = whole->length - sizeof(header)};
  walk(out, &t);
  if (!t.status) {
    out->event = calloc((size_t)out->event_count + 1, sizeof *out->event);
    out->warning = calloc(out->warning_size + 1, 1);
    out->state = malloc(out->size + 1);
    if (!out->event || !out->warning || !out->state) t.status = TORSOR_MEMORY;
  }
  walk_arrays(out, &t);
  tape_end(&t);
  return t.status ? torsor_fail(error, t.status, "%s", torsor_status_text(t.status)) : TORSOR_OK;
}

torsor_status checkpoint_read(checkpoint *out, const char *file, torsor_error *error) {
  *out = (checkpoint){0};
  text whole = {0};
  torsor_status status = file_read(&whole, file, error);
  if (!status) status = check_header(&whole, error);
  if (!status) status = read_content(out, &whole, error);
  text_release(&whole);
  return locate(error, file, status);
}

void checkpoint_release(checkpoint *c) {
  free(c->event);
  free(c->warning);
  free(c->state);
  *c = (checkpoint){0};
}
