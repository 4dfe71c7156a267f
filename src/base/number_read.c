/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <langinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Behind digits with at most one point among them; NULL where there is no digit. */
static const char *skip_digits(const char *at) {
  bool digits = false;
  for (; is_digit(*at); ++at) digits = true;
  if (*at == '.')
    for (++at; is_digit(*at); ++at) digits = true;
  return digits ? at : NULL;
}

static const char *skip_exponent(const char *at) {
  const char *c = at;
  if (*c != 'e' && *c != 'E') return at;
  ++c;
  if (*c == '+' || *c == '-') ++c;
  if (!is_digit(*c)) return at;
  while (is_digit(*c)) ++c;
  return c;
}

const char *number_read(double *value, const char *at) {
  enum { LONGEST = 400 };
  const char *end = skip_digits(at), *point = nl_langinfo(RADIXCHAR);
  char copy[LONGEST + 16] = "";
  if (!end) return NULL;
  end = skip_exponent(end);
  if (end - at > LONGEST) return NULL;
  size_t used = 0;
  for (const char *c = at; c < end; ++c) {
    if (*c != '.') {
      copy[used++] = *c;
      continue;
    }
    const size_t length = strnlen(point, 8);
    memcpy(copy + used, point, length);
    used += length;
  }
  *value = strtod(copy, NULL);
  return isfinite(*value) ? end : NULL;
}
