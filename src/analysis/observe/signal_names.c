/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/signal_names.h"

#include <string.h>

/* Is one of the two texts the beginning of the other? */
static bool begins_alike(const char *a, const char *b) {
  while (*a && *a == *b) ++a, ++b;
  return !*a || !*b;
}

bool signal_names_place(const char *name) {
  const char *edge = strstr(name, ".edge_");
  return strchr(name, '@') || (edge && strchr(edge, '['));
}

bool signal_names_may_mean(const char *wanted, const char *owner, const char *name) {
  const size_t length = strlen(owner), end = strlen(wanted);
  if (signal_names_place(wanted))
    return !strncmp(wanted, owner, strcspn(wanted, ".@")); /* any element */
  const size_t common = end < length ? end : length;
  if (strncmp(wanted, owner, common) != 0) return false;
  return !wanted[common] || (wanted[common] == '.' && begins_alike(wanted + common + 1, name));
}

bool signal_names_among(const char *const *words, const char *word) {
  for (; words && *words; ++words)
    if (strcmp(*words, word) == 0) return true;
  return false;
}
