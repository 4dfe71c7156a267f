/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *bytes, size_t size) {
  static char name[32];
  static int file = -1;
  if (file < 0) file = memfd_create("fuzz", MFD_CLOEXEC);
  FUZZ_EXPECT(file >= 0 && ftruncate(file, 0) == 0, "no file in memory");
  FUZZ_EXPECT(pwrite(file, bytes, size, 0) == (ssize_t)size, "no room in memory");
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  return name;
}

void fuzz_keep(double number) {
  static volatile double kept;
  kept = number;
  (void)kept;
}
