/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <stdio.h>
#include <string.h>

char *number_write(char *at, double value) {
  char *end = at + snprintf(at, NUMBER_ROOM, "%.17g", value);
  char *comma = memchr(at, ',', (size_t)(end - at));
  if (comma) *comma = '.';
  return end;
}
