/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* Room for `more` bytes and a terminating zero. */
static bool text_reserve(text *t, size_t more) {
  if (t->failed) return false;
  if (t->size - t->length > more) return true;
  const size_t size = 2 * t->size + more + 64;
  char *data = realloc(t->data, size);
  if (!data) {
    t->failed = true;
    return false;
  }
  t->data = data;
  t->size = size;
  return true;
}

void text_append_bytes(text *t, const char *bytes, size_t count) {
  if (!text_reserve(t, count)) return;
  if (count) memcpy(t->data + t->length, bytes, count);
  t->length += count;
  t->data[t->length] = '\0';
}

void text_append(text *t, const char *string) {
  text_append_bytes(t, string, strlen(string));
}

void text_printf(text *t, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int count = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (count < 0) t->failed = true;
  if (count >= 0 && text_reserve(t, (size_t)count)) {
    vsnprintf(t->data + t->length, (size_t)count + 1, format, again);
    t->length += (size_t)count;
  }
  va_end(again);
}

void text_append_shown(text *t, const char *string) {
  int bytes;
  size_t size;
  for (; *string; string += bytes) {
    const char *shown = utf8_shown(string, &bytes, &size);
    text_append_bytes(t, shown, size);
  }
}

void text_csv_field(text *t, const char *string) {
  if (!strpbrk(string, "\",\r\n")) {
    text_append(t, string);
    return;
  }
  text_append(t, "\"");
  for (; *string; ++string) {
    if (*string == '"') text_append(t, "\"");
    text_append_bytes(t, string, 1);
  }
  text_append(t, "\"");
}

void text_json_string(text *t, const char *string) {
  text_append(t, "\"");
  int length;
  for (const char *c = string; *c; c += length) {
    const unsigned char byte = (unsigned char)*c;
    const int whole = utf8_length(c, strnlen(c, 4));
    length = whole ? whole : 1;
    if (byte == '"' || byte == '\\')
      text_printf(t, "\\%c", byte);
    else if (byte == '\n')
      text_append(t, "\\n");
    else if (byte < 0x20)
      text_printf(t, "\\u%04x", byte);
    else if (!whole)
      text_append(t, "\xef\xbf\xbd");
    else
      text_append_bytes(t, c, (size_t)length);
  }
  text_append(t, "\"");
}

void text_json_number(text *t, double value) {
  char number[NUMBER_ROOM];
  if (isfinite(value))
    text_append_bytes(t, number, (size_t)(number_write(number, value) - number));
  else
    text_append(t, "null");
}

char *text_take(text *t) {
  text_append_bytes(t, "", 0);
  char *data = t->failed ? NULL : t->data;
  if (t->failed) free(t->data);
  *t = (text){0};
  return data;
}

torsor_status text_finish(char **out, text *t, torsor_error *error) {
  *out = text_take(t);
  return *out ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

void text_release(text *t) {
  free(t->data);
  *t = (text){0};
}
