/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/draft_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/** The text of a scene file: what fits in a line stands in a line. */

/* Characters of a line. */
enum { LINE = 100 };

/* Writes a number with the fewest digits, at least 15, that reproduce it exactly. */
static void append_number(text *t, double value) {
  char number[NUMBER_ROOM];
  for (int digits = 15; digits < 17; ++digits) {
    snprintf(number, sizeof number, "%.*g", digits, value);
    if (strtod(number, NULL) != value) continue;
    for (char *c = number; *c; ++c)
      if (*c == ',') *c = '.';
    text_append(t, number);
    return;
  }
  text_json_number(t, value);
}

static void append_plain(text *t, const cJSON *item) {
  if (cJSON_IsString(item))
    text_json_string(t, item->valuestring);
  else if (cJSON_IsNumber(item))
    append_number(t, item->valuedouble);
  else
    text_append(t, cJSON_IsTrue(item) ? "true" : cJSON_IsFalse(item) ? "false" : "null");
}

static bool has_parts(const cJSON *item) {
  return cJSON_IsArray(item) || cJSON_IsObject(item);
}

static void append_key(text *t, const cJSON *item) {
  if (!item->string) return;
  text_json_string(t, item->string);
  text_append(t, ": ");
}

/* `item` in one line, as long as the text is not longer than `end`; false when it is. */
static bool append_flat(text *t, const cJSON *item, size_t end) {
  if (!has_parts(item)) {
    append_plain(t, item);
    return t->length <= end;
  }
  const bool array = cJSON_IsArray(item);
  text_append(t, array ? "[" : "{");
  for (const cJSON *part = item->child; part; part = part->next) {
    if (part != item->child) text_append(t, ", ");
    if (!array) append_key(t, part);
    if (!append_flat(t, part, end)) return false;
  }
  text_append(t, array ? "]" : "}");
  return t->length <= end;
}

static void append_line(text *t, int indent) {
  text_printf(t, "\n%*s", indent, "");
}

static void cut(text *t, size_t length) {
  if (t->failed) return;
  t->length = length;
  t->data[length] = '\0';
}

/* `item`, of which the first line begins at `line` of the text. */
static void append_value(text *t, const cJSON *item, size_t line, int indent, bool root) {
  const size_t start = t->length;
  if (!has_parts(item)) {
    append_plain(t, item);
    return;
  }
  if (!root) {
    if (append_flat(t, item, line + LINE - 1)) return; /* a comma may follow */
    cut(t, start);
  }
  const bool array = cJSON_IsArray(item);
  text_append(t, array ? "[" : "{");
  for (const cJSON *part = item->child; part; part = part->next) {
    append_line(t, indent + 2);
    const size_t begin = t->length - (size_t)indent - 2;
    if (!array) append_key(t, part);
    append_value(t, part, begin, indent + 2, false);
    if (part->next) text_append(t, ",");
  }
  append_line(t, indent);
  text_append(t, array ? "]" : "}");
}

torsor_status torsor_draft_text(char **out, const torsor_draft *draft, torsor_error *error) {
  *out = NULL;
  if (!draft) return torsor_fail(error, TORSOR_ARGUMENT, "there is no draft");
  if (error) *error = draft->error;
  if (draft->error.status) return draft->error.status;
  text t = {0};
  append_value(&t, draft->root, 0, 0, true);
  text_append(&t, "\n");
  return text_finish(out, &t, error);
}
