/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/reader.h"

/* Whole numbers up to here are exact. */
#define LARGEST 9007199254740992.0

/* Value of the expression behind "${"; `*at` moves behind "}". */
static torsor_status read_number(long long *out, const char **at, const reader *r,
                                 const json_node *node) {
  char inside[EXPRESSION_BYTES + 1];
  const char *start = *at;
  const size_t length = strcspn(start, "}");
  double value = 0;
  if (!start[length]) return reader_fail(r, node, "write \"link${i}\"", "${ is not closed by }");
  if (length > EXPRESSION_BYTES)
    return reader_fail(r, node, NULL, "an expression has more than %d characters",
                       EXPRESSION_BYTES);
  memcpy(inside, start, length);
  inside[length] = '\0';
  *at = start + length + 1;
  const torsor_status status = reader_expression(&value, r, node, start, inside);
  if (status) return status;
  if (value != floor(value) || fabs(value) > LARGEST)
    return reader_fail(r, node, NULL, "${%.80s} must be a whole number, but is %g", inside, value);
  *out = (long long)value;
  return TORSOR_OK;
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

torsor_status reader_pattern(const char **out, char *buffer, size_t size, const reader *r,
                             const json_node *node) {
  torsor_status status = reader_text(out, r, node);
  if (status || !strstr(*out, "${")) return status;
  const char *at = *out;
  size_t used = 0;
  while (*at && !status) {
    const char *open = strstr(at, "${");
    const size_t plain = open ? (size_t)(open - at) : strlen(at);
    long long number = 0;
    char room[DIGITS];
    const char *from = at, *digits = "";
    at += plain;
    if (open) {
      at += 2;
      status = read_number(&number, &at, r, node);
      digits = write_digits(room, number);
    }
    const size_t length = strlen(digits);
    if (!status && used + plain + length >= size)
      status = reader_fail(r, node, NULL, "the name is longer than %zu characters", size - 1);
    if (status) break;
    memcpy(buffer + used, from, plain);
    memcpy(buffer + used + plain, digits, length + 1);
    used += plain + length;
  }
  *out = buffer;
  return status;
}
