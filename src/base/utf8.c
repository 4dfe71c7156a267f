/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

int utf8_length(const char *bytes, size_t length) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (b[0] < 0x80) return 1;
  if (b[0] < 0xc2 || b[0] > 0xf4) return 0;
  const int count = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
  if (length < (size_t)count) return 0;
  for (int i = 1; i < count; ++i)
    if ((b[i] & 0xc0) != 0x80) return 0;
  const bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90);
  const bool surrogate = b[0] == 0xed && b[1] >= 0xa0;
  const bool beyond = b[0] == 0xf4 && b[1] >= 0x90;
  return overlong || surrogate || beyond ? 0 : count;
}

/* Pictures of the control characters 0x01 to 0x1f, U+2401 to U+241F, and of 0x7f. */
static const char pictures[][4] = {
    "\xe2\x90\x80", "\xe2\x90\x81", "\xe2\x90\x82", "\xe2\x90\x83", "\xe2\x90\x84", "\xe2\x90\x85",
    "\xe2\x90\x86", "\xe2\x90\x87", "\xe2\x90\x88", "\xe2\x90\x89", "\xe2\x90\x8a", "\xe2\x90\x8b",
    "\xe2\x90\x8c", "\xe2\x90\x8d", "\xe2\x90\x8e", "\xe2\x90\x8f", "\xe2\x90\x90", "\xe2\x90\x91",
    "\xe2\x90\x92", "\xe2\x90\x93", "\xe2\x90\x94", "\xe2\x90\x95", "\xe2\x90\x96", "\xe2\x90\x97",
    "\xe2\x90\x98", "\xe2\x90\x99", "\xe2\x90\x9a", "\xe2\x90\x9b", "\xe2\x90\x9c", "\xe2\x90\x9d",
    "\xe2\x90\x9e", "\xe2\x90\x9f"};
static const char picture_of_delete[] = "\xe2\x90\xa1";
static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* U+0080 to U+009F, U+2028, U+2029, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069, and what is
 * no character: U+FEFF within a text, U+FFFE, U+FFFF. */
static bool is_obeyed(const unsigned char *b, int length) {
  if (length == 2) return b[0] == 0xc2 && b[1] < 0xa0;
  if (length != 3) return false;
  if (b[0] == 0xe2 && b[1] == 0x80)
    return b[2] == 0x8e || b[2] == 0x8f || (b[2] >= 0xa8 && b[2] <= 0xae);
  if (b[0] == 0xe2 && b[1] == 0x81) return b[2] >= 0xa6 && b[2] <= 0xa9;
  return b[0] == 0xef && ((b[1] == 0xbb && b[2] == 0xbf) || (b[1] == 0xbf && b[2] >= 0xbe));
}

const char *utf8_shown(const char *string, int *bytes, size_t *size) {
  const unsigned char first = (unsigned char)*string;
  const int length = utf8_length(string, strnlen(string, 4));
  *bytes = length ? length : 1;
  *size = sizeof replacement - 1;
  if (first < 0x20) return pictures[first];
  if (first == 0x7f) return picture_of_delete;
  if (!length || is_obeyed((const unsigned char *)string, length)) return replacement;
  *size = (size_t)length;
  return string;
}
