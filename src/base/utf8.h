/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_UTF8_H
#define TORSOR_BASE_UTF8_H

#include <stddef.h>

/** Bytes of the well-formed UTF-8 sequence at `bytes` [length > 0], 0 when it is not one
 *  (overlong forms, surrogates and what is beyond U+10FFFF included). */
int utf8_length(const char *bytes, size_t length);

/** What can be shown in place of the character that `string` begins with, which is not its end: the
 *  character itself, or where a terminal, a page or another program might obey it (control
 *  characters, line and paragraph ends, marks that turn the direction of writing) or not read it
 *  (bytes that are no UTF-8), a picture of it.  *bytes receives its bytes in `string`, *size those
 *  of what is returned. */
const char *utf8_shown(const char *string, int *bytes, size_t *size);

#endif
