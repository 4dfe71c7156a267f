/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Any text as a scene. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_scene((const char *)bytes, size);
  return 0;
}
