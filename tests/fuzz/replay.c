/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The files of folders, one after the other, in place of libFuzzer.  usage: fuzz_TARGET
 * FOLDER... */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static void replay(const char *folder, const char *name) {
  static uint8_t bytes[MOST_BYTES];
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  FUZZ_EXPECT(file, "cannot open %s", path);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  printf("  %s, %zu bytes\n", name, size);
  fflush(stdout);
  LLVMFuzzerTestOneInput(bytes, size);
}

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    struct dirent **entry;
    const int entries = scandir(argv[i], &entry, NULL, alphasort);
    FUZZ_EXPECT(entries >= 0, "cannot list %s", argv[i]);
    for (int k = 0; k < entries; ++k) {
      if (entry[k]->d_name[0] != '.') ++count, replay(argv[i], entry[k]->d_name);
      free(entry[k]);
    }
    free(entry);
  }
  printf("%d inputs\n", count);
  return count ? 0 : 1;
}
