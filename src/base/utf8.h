/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_UTF8_H
#define TORSOR_BASE_UTF8_H

#include <stddef.h>

/** Returns the length of the well-formed UTF-8 sequence at `bytes` [length > 0], 0 when it is not
 *  one (overlong forms, surrogates and what is beyond U+10FFFF included). */
int utf8_length(const char *bytes, size_t length);

/** Returns a printable form of the first character of `string`, which is not empty: the character
 *  itself or, for control characters, line and paragraph ends, marks that change the direction of
 *  writing, and bytes that are not UTF-8, a visible symbol for it.  *bytes receives the length of
 *  the character in `string`, *size that of the returned text. */
const char *utf8_shown(const char *string, int *bytes, size_t *size);

#endif
