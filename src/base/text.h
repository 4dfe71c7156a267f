/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_TEXT_H
#define TORSOR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

/** Growing text.  A failed allocation is remembered: the calls after it do nothing and text_take
 *  returns NULL, so that only the end needs a check. */
typedef struct text {
  char *data;
  size_t length, size;
  bool failed;
} text;

void text_append(text *t, const char *string);
void text_append_bytes(text *t, const char *bytes, size_t count);
void text_printf(text *t, const char *format, ...) TORSOR_PRINTF(2, 3);
/** Appends the string with control characters replaced by visible symbols (utf8_shown). */
void text_append_shown(text *t, const char *string);
/** A field of a CSV file (RFC 4180), in quotes where it needs them. */
void text_csv_field(text *t, const char *string);
/** A JSON string with quotes and escapes; bytes that are no UTF-8 become U+FFFD. */
void text_json_string(text *t, const char *string);
/** A JSON number as %.17g; null for what is not finite. */
void text_json_number(text *t, double value);
/** The text, to be freed with torsor_text_free; NULL when memory was short.  `t` is empty again. */
char *text_take(text *t);
/** *out = the text; MEMORY, and *out = NULL, when memory was short. */
torsor_status text_finish(char **out, text *t, torsor_error *error);
void text_release(text *t);

#endif
