/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Any bytes as a file of full states. */
#include "fuzz/fuzz.h"

#include <torsor/torsor.h>

enum { MOST_FRAMES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  torsor_states *states = NULL;
  torsor_error error = {0};
  torsor_status status = torsor_states_open(&states, fuzz_file(bytes, size), &error);
  FUZZ_EXPECT(!status == (states != NULL), "status %d", (int)status);
  FUZZ_EXPECT(!status || (status == TORSOR_FILE && error.message[0]), "status %d: %s", (int)status,
              error.message);
  if (status) return 0;
  const long count = torsor_states_count(states);
  double *t = malloc(((size_t)count + 1) * sizeof *t), sum = 0;
  if (t) status = torsor_states_times(t, states, &error);
  for (long i = 0; t && !status && i < count && i < MOST_FRAMES; ++i) {
    const torsor_frame *frame = NULL;
    status = torsor_states_read(&frame, states, i, &error);
    for (size_t k = 0; !status && k < frame->size; ++k) sum += frame->value[k];
  }
  FUZZ_EXPECT(!status || error.message[0], "status %d without a message", (int)status);
  torsor_states_text(states, "title");
  free(t);
  torsor_states_close(states);
  fuzz_keep(sum);
  return 0;
}
