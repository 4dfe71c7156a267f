/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scene/reader.h"

/* Whole numbers up to here are exact. */
#define LARGEST 9007199254740992.0

/* Value of the expression `inside`, which stands at `key`. */
static torsor_status read_value(long long *out, const char *inside, const char *key,
                                const reader *r, const json_node *node) {
  double value = 0;
  const torsor_status status = reader_expression(&value, r, node, key, inside);
  if (status) return status;
  if (value != floor(value) || fabs(value) > LARGEST)
    return reader_fail(r, node, NULL, "${%.80s} must be a whole number, but is %g", inside, value);
  *out = (long long)value;
  return TORSOR_OK;
}

/* Value of the expression behind "${"; `*at` moves behind "}". */
static torsor_status read_number(long long *out, const char **at, const reader *r,
                                 const json_node *node) {
  const char *start = *at;
  const size_t length = strcspn(start, "}");
  if (!start[length]) return reader_fail(r, node, "write \"link${i}\"", "${ is not closed by }");
  char *inside = malloc(length + 1);
  if (!inside) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  memcpy(inside, start, length);
  inside[length] = '\0';
  *at = start + length + 1;
  const torsor_status status = read_value(out, inside, start, r, node);
  free(inside);
  return status;
}

enum { DIGITS = 24 };

/* Decimal digits of a whole number, as "%lld" has them; returns where they begin in `digits`. */
static const char *write_digits(char digits[DIGITS], long long number) {
  unsigned long long left =
      number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
  char *at = digits + DIGITS - 1;
  *at = '\0';
  do *--at = (char)('0' + left % 10);
  while (left /= 10);
  if (number < 0) *--at = '-';
  return at;
}

/* Replaces every "${..}" of `at`. */
static torsor_status replace(text *out, const char *at, const reader *r, const json_node *node) {
  torsor_status status = TORSOR_OK;
  while (*at && !status) {
    const char *open = strstr(at, "${");
    const size_t plain = open ? (size_t)(open - at) : strlen(at);
    text_append_bytes(out, at, plain);
    at += plain;
    if (!open) break;
    long long number = 0;
    char room[DIGITS];
    at += 2;
    status = read_number(&number, &at, r, node);
    if (!status) text_append(out, write_digits(room, number));
  }
  return status;
}

torsor_status reader_long_pattern(const char **out, char **owned, const reader *r,
                                  const json_node *node) {
  text made = {0};
  *owned = NULL;
  torsor_status status = reader_text(out, r, node);
  if (status || !strstr(*out, "${")) return status;
  status = replace(&made, *out, r, node);
  *owned = text_take(&made);
  if (!status && !*owned) status = torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  if (!status) {
    *out = *owned;
    return TORSOR_OK;
  }
  free(*owned);
  *owned = NULL;
  return status;
}

torsor_status reader_pattern(const char **out, char *buffer, size_t size, const reader *r,
                             const json_node *node) {
  char *owned;
  torsor_status status = reader_long_pattern(out, &owned, r, node);
  if (status || !owned) return status;
  if (strlen(owned) >= size)
    status = reader_fail(r, node, NULL, "the name is longer than %zu characters", size - 1);
  else
    strcpy(buffer, owned);
  free(owned);
  *out = buffer;
  return status;
}
