/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names within the text of an expression. */
#include "scene/expression.h"

bool expression_is_name(const char *name) {
  if (!expression_letter(*name)) return false;
  size_t length = 1;
  while (expression_letter(name[length]) || expression_digit(name[length])) ++length;
  return !name[length] && length <= EXPRESSION_NAME;
}

static const char *skip_number(const char *at) {
  while (expression_digit(*at) || *at == '.') ++at;
  if (*at != 'e' && *at != 'E') return at;
  const char *exponent = at + 1;
  if (*exponent == '+' || *exponent == '-') ++exponent;
  if (!expression_digit(*exponent)) return at;
  while (expression_digit(*exponent)) ++exponent;
  return exponent;
}

bool expression_next_name(const char **at, char out[EXPRESSION_WORD + 1]) {
  const char *c = *at;
  while (*c && !expression_letter(*c))
    c = expression_digit(*c) || *c == '.' ? skip_number(c) : c + 1;
  int length = 0;
  bool dotted = false; /* a number may follow the second dot: pivot.lambda.0 */
  for (; expression_letter(*c) || expression_digit(*c) ||
         (length && *c == '.' && (expression_letter(c[1]) || (dotted && expression_digit(c[1]))));
       ++c) {
    dotted |= *c == '.';
    if (length < EXPRESSION_WORD) out[length++] = *c;
  }
  out[length] = '\0';
  *at = c;
  return length > 0;
}
