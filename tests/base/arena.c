/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is released at once: zeros, aligned, apart from each other, blocks that grow with it,
 * huge pages. */
#include "base/arena.h"
#include "check.h"

#include <stdio.h>

enum { ALIGNMENT = 64, VECTORS = 300, VECTOR_BYTES = 480000 };

/* Memory that is taken contains zeros and keeps its contents while more is taken. */
static void pieces_are_apart(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 63, 64, 65, 0, 70000, 8, 3 << 20, 5};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  unsigned char *pieces[COUNT];
  arena a = {0};
  for (size_t i = 0; i < COUNT; ++i) {
    pieces[i] = arena_take(&a, sizes[i], 1);
    CHECK_TRUE(pieces[i] != NULL);
    CHECK_INT((uintptr_t)pieces[i] % ALIGNMENT, 0);
    for (size_t k = 0; k < sizes[i]; ++k)
      if (pieces[i][k]) CHECK_INT(pieces[i][k], 0);
    memset(pieces[i], (int)i + 1, sizes[i]);
  }
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t k = 0; k < sizes[i]; ++k)
      if (pieces[i][k] != i + 1) CHECK_INT(pieces[i][k], i + 1);
  arena_release(&a);
  CHECK_TRUE(a.last == NULL);
}

static void products_that_overflow(void **state) {
  (void)state;
  arena a = {0};
  CHECK_TRUE(arena_take(&a, SIZE_MAX / 2, 3) == NULL);
  CHECK_TRUE(arena_take(&a, SIZE_MAX, 1) == NULL);
  arena_release(&a);
}

/* Whether huge pages have been asked for at `address`: flag hg of the mapping around it; -1 where
 * the system has none. */
static int is_advised(const void *address) {
  FILE *offered = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  FILE *maps = offered ? fopen("/proc/self/smaps", "r") : NULL;
  char line[512];
  unsigned long long from, to;
  int around = 0, advised = -1;
  while (maps && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
      around = from <= (uintptr_t)address && (uintptr_t)address < to;
    else if (around && strncmp(line, "VmFlags:", 8) == 0)
      advised = strstr(line, " hg") != NULL;
  }
  if (maps) fclose(maps);
  if (offered) fclose(offered);
  return advised;
}

/* Vectors of a large model, each smaller than a huge page: by far most of them lie in blocks that
 * ask for those.  Blocks are an eighth of what is before them, so they are large from 16 MB on; the
 * last block and 64 kB of each may be unused. */
static void large_models_ask_for_huge_pages(void **state) {
  (void)state;
  arena a = {0};
  int asked = 0, reported = 0;
  for (int i = 0; i < VECTORS; ++i) {
    const char *v = arena_take(&a, VECTOR_BYTES, 1);
    CHECK_TRUE(v != NULL);
    const int advised = is_advised(v + VECTOR_BYTES / 2);
    reported += advised >= 0;
    asked += advised > 0;
  }
  const double small = 8.0 * (1 << 21) / VECTOR_BYTES;
  print_message(
      "%d of %d vectors of %d bytes in huge pages if the system has them; at most %.0f in others\n",
      asked, reported, VECTOR_BYTES, small + 1);
  if (reported)
    CHECK_GE(asked, VECTORS - small - 1);
  else
    print_message("the system tells nothing of huge pages\n");
  arena_release(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(products_that_overflow),
      cmocka_unit_test(large_models_ask_for_huge_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
