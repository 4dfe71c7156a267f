/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A checkpoint with any contents comes back as it was; with bytes that were changed, as the input
 * says, or cut off, it is refused. */
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "results/checkpoint.h"
#include "results/file.h"

enum { ROOM = 4096 };

static void fill(checkpoint *c, checkpoint_event event[4], char warning[64], const uint8_t *bytes,
                 size_t size) {
  *c = (checkpoint){.t = (double)size, .trajectory = (long long)size, .states = 0, .frames = 0};
  snprintf(c->scene, sizeof c->scene, "%.*s", (int)(size < 100 ? size : 100), (const char *)bytes);
  snprintf(c->hash, sizeof c->hash, "%032zu", size);
  snprintf(c->method, sizeof c->method, "any");
  c->event = event;
  c->event_count = size ? bytes[0] % 5 : 0;
  for (int i = 0; i < 4; ++i) event[i] = (checkpoint_event){i, 0.5 * i, i, i & 1};
  c->warning = warning;
  c->warning_count = size > 1 ? bytes[1] % 3 : 0;
  c->warning_size = (size_t)c->warning_count * 8;
  memset(warning, 0, 64);
  c->state = (void *)bytes;
  c->size = size;
}

static void expect_same(const checkpoint *a, const checkpoint *b) {
  FUZZ_EXPECT(a->size == b->size && !memcmp(a->state, b->state, a->size), "another state");
  FUZZ_EXPECT(a->event_count == b->event_count && a->warning_size == b->warning_size, "counts");
  FUZZ_EXPECT(!strcmp(a->hash, b->hash) && !(a->t < b->t) && !(a->t > b->t), "heads");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static char name[64];
  checkpoint_event event[4];
  char warning[64];
  checkpoint c, back = {0};
  torsor_error error = {0};
  text whole = {0};
  if (size < 8 || size > ROOM) return 0;
  if (!name[0]) snprintf(name, sizeof name, "/tmp/torsor-fuzz-checkpoint-%ld", (long)getpid());
  fill(&c, event, warning, bytes + 8, size - 8);
  FUZZ_EXPECT(!checkpoint_write(name, &c, false, &error), "%s", error.message);
  FUZZ_EXPECT(!checkpoint_read(&back, name, &error), "%s", error.message);
  expect_same(&c, &back);
  checkpoint_release(&back);
  FUZZ_EXPECT(!file_read(&whole, name, &error), "%s", error.message);
  unlink(name);
  /* the first bytes say what is damaged */
  const size_t at = (bytes[0] | (size_t)bytes[1] << 8) % whole.length;
  const size_t length = bytes[2] & 1 ? whole.length : at;
  if (bytes[2] & 1) whole.data[at] = (char)(whole.data[at] ^ (bytes[3] | 1));
  const torsor_status status =
      checkpoint_read(&back, fuzz_file((const uint8_t *)whole.data, length), &error);
  FUZZ_EXPECT(status == TORSOR_FILE && error.message[0], "damage at %zu of %zu is read", at,
              whole.length);
  checkpoint_release(&back);
  text_release(&whole);
  /* and bytes that never were a checkpoint */
  FUZZ_EXPECT(checkpoint_read(&back, fuzz_file(bytes, size), &error), "anything is a checkpoint");
  checkpoint_release(&back);
  return 0;
}
