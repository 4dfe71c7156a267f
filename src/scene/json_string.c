/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/json_string.h"

#include <string.h>

#include "base/utf8.h"

long json_string_hex4(const char *digits, size_t length) {
  if (length < 4) return -1;
  long value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = digits[i];
    int digit;
    if (c >= '0' && c <= '9')
      digit = c - '0';
    else if (c >= 'a' && c <= 'f')
      digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
      digit = c - 'A' + 10;
    else
      return -1;
    value = 16 * value + digit;
  }
  return value;
}

/* The UTF-8 bytes of a code point, the first in the lowest eight bits. */
static unsigned long utf8_encode(unsigned long code) {
  if (code < 0x80) return code;
  if (code < 0x800) return (0xc0 | code >> 6) | (0x80 | (code & 0x3f)) << 8;
  if (code < 0x10000)
    return (0xe0 | code >> 12) | (0x80 | (code >> 6 & 0x3f)) << 8 | (0x80 | (code & 0x3f)) << 16;
  return (0xf0 | code >> 18) | (0x80 | (code >> 12 & 0x3f)) << 8 |
         (0x80 | (code >> 6 & 0x3f)) << 16 | (0x80 | (code & 0x3f)) << 24;
}

/* The code point of an escape; `*at` stands behind its backslash and moves behind the escape. */
static unsigned long unescape(const char **at) {
  static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
  const char kind = *(*at)++;
  if (kind != 'u') {
    const char *letter = strchr(letters, kind);
    return (unsigned char)(letter ? meant[letter - letters] : kind);
  }
  unsigned long code = (unsigned long)json_string_hex4(*at, 4);
  *at += 4;
  if (code >= 0xd800 && code < 0xdc00) {
    const unsigned long low = (unsigned long)json_string_hex4(*at + 2, 4);
    *at += 6;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  return code;
}

/* Next byte, decoded, of a valid JSON string. `*pending` keeps up to three bytes of an escaped
 *  character (start with 0); `*at` stands behind the opening quote at first.  -1 at the end. */
static int next_byte(const char **at, unsigned long *pending) {
  if (!*pending) {
    const char c = **at;
    if (c == '"') return -1;
    ++*at;
    if (c != '\\') return (unsigned char)c;
    *pending = utf8_encode(unescape(at));
  }
  const int byte = (int)(*pending & 0xff);
  *pending >>= 8;
  return byte;
}

int json_string_compare(const char *a, const char *b) {
  unsigned long pending_a = 0, pending_b = 0;
  for (;;) {
    const int byte_a = next_byte(&a, &pending_a);
    const int byte_b = next_byte(&b, &pending_b);
    if (byte_a != byte_b) return byte_a < byte_b ? -1 : 1;
    if (byte_a < 0) return 0;
  }
}

bool json_string_equals(const char *string, const char *plain) {
  unsigned long pending = 0;
  for (;; ++plain) {
    const int byte = next_byte(&string, &pending);
    if (byte < 0) return !*plain;
    if (byte != (unsigned char)*plain || !*plain) return false;
  }
}

bool json_string_is_utf8(const char *text) {
  for (size_t left = strlen(text); left;) {
    const int bytes = utf8_length(text, left);
    if (!bytes) return false;
    text += bytes;
    left -= (size_t)bytes;
  }
  return true;
}
