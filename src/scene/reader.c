/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/reader.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "scene/json_scan.h"

/* ---- where ----------------------------------------------------------------------------------- */

/* Steps of a path: a step more than values are nested, and the keys of a message. */
enum { STEPS = JSON_DEPTH + 8 };

/* `path` in the file that it comes from: the last of `local`, of which `r` reads the text. */
static const json_path *find_origin(reader *r, json_path local[STEPS], const json_path *path) {
  int depth = 0;
  for (const json_path *step = path; step->up; step = step->up) ++depth;
  if (depth < 2 || depth >= STEPS) return path;
  for (int i = depth; i > 0; --i, path = path->up)
    local[i] = (json_path){&local[i - 1], path->key, path->index};
  local[0] = *path;
  json_path *item = &local[2];
  for (const scene_origin *o = r->origin; o; o = o->next) {
    const bool listed = !o->member && item->index >= o->first && item->index < o->first + o->count;
    const bool fits = item->key ? o->member && strcmp(o->member, item->key) == 0 : listed;
    if (!local[1].key || strcmp(o->key, local[1].key) != 0 || !fits) continue;
    if (!item->key) item->index -= o->first;
    r->file = o->file;
    r->text = o->text;
    if (!o->inside) break;
    if (depth == 2) return &local[0];
    local[3].up = &local[0];
    break;
  }
  return &local[depth];
}

void reader_place(const reader *r, const json_path *path, bool key) {
  torsor_error *error = r->error;
  if (!error) return;
  error->line = error->column = 0;
  for (int i = r->changes - 1; i >= 0; --i)
    if (json_path_within(path, r->change[i].path)) {
      json_path_print(error->path, sizeof error->path, path);
      snprintf(error->file, sizeof error->file, "%s", r->change[i].argument);
      return;
    }
  reader source = *r;
  json_path local[STEPS];
  path = find_origin(&source, local, path);
  json_path_print(error->path, sizeof error->path, path);
  snprintf(error->file, sizeof error->file, "%s", source.file);
  if (!source.text) return;
  const size_t offset = json_path_locate(source.text, path, key);
  json_scan_position(source.text, offset, &error->line, &error->column);
}

const char *reader_file(const reader *r, const json_path *path) {
  reader source = *r;
  json_path local[STEPS];
  find_origin(&source, local, path);
  return source.file;
}

static torsor_status fail(const reader *r, const json_node *node, bool key, const char *hint,
                          const char *format, va_list arguments) {
  if (!r->error) return TORSOR_SCENE;
  char message[sizeof r->error->message];
  vsnprintf(message, sizeof message, format, arguments);
  torsor_fail(r->error, TORSOR_SCENE, "%s", message);
  if (hint) torsor_hint(r->error, "%s", hint);
  reader_place(r, &node->path, key);
  return TORSOR_SCENE;
}

torsor_status reader_fail(const reader *r, const json_node *node, const char *hint,
                          const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const torsor_status status = fail(r, node, false, hint, format, arguments);
  va_end(arguments);
  return status;
}

torsor_status reader_fail_key(const reader *r, const json_node *node, const char *hint,
                              const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const torsor_status status = fail(r, node, true, hint, format, arguments);
  va_end(arguments);
  return status;
}

torsor_status reader_locate(const reader *r, const json_path *path, torsor_status status) {
  torsor_error *error = r->error;
  if (status > 0 || status == TORSOR_ARGUMENT) status = TORSOR_SCENE;
  if (!error || status == TORSOR_OK) return status;
  char key[sizeof error->path];
  memcpy(key, error->path, sizeof key);
  error->status = status;
  const json_path below = {path, key, 0};
  reader_place(r, key[0] ? &below : path, false);
  return status;
}

/* ---- showing values -------------------------------------------------------------------------- */

const char *reader_show_text(const char *string, char out[96]) {
  enum { ROOM = 60 };
  size_t left = strlen(string);
  int used = snprintf(out, 96, "\"");
  while (left && used < ROOM) {
    const unsigned char c = (unsigned char)*string;
    const int bytes = utf8_length(string, left);
    if (bytes == 0 || c < 0x20 || c == 0x7f)
      used += snprintf(out + used, 96 - (size_t)used, "\\u%04x", c);
    else
      used += snprintf(out + used, 96 - (size_t)used, "%.*s", bytes, string);
    string += bytes ? bytes : 1;
    left -= (size_t)(bytes ? bytes : 1);
  }
  snprintf(out + used, 96 - (size_t)used, left ? "...\"" : "\"");
  return out;
}

const char *reader_show(const cJSON *item, char out[96]) {
  if (!item)
    snprintf(out, 96, "missing");
  else if (cJSON_IsNumber(item)) {
    snprintf(out, 96, "%.15g", item->valuedouble);
    if (strtod(out, NULL) != item->valuedouble) snprintf(out, 96, "%.17g", item->valuedouble);
  } else if (cJSON_IsString(item))
    reader_show_text(item->valuestring, out);
  else if (cJSON_IsBool(item))
    snprintf(out, 96, "%s", cJSON_IsTrue(item) ? "true" : "false");
  else if (cJSON_IsNull(item))
    snprintf(out, 96, "null");
  else if (cJSON_IsArray(item))
    snprintf(out, 96, item->child ? "an array of %d" : "an empty array", cJSON_GetArraySize(item));
  else
    snprintf(out, 96, "an object");
  return out;
}

/* ---- structure ------------------------------------------------------------------------------- */

bool reader_is_comment(const char *key) {
  return key[0] == '_' || strcmp(key, "comment") == 0;
}

static torsor_status fail_kind(const reader *r, const json_node *node, const char *expected) {
  char shown[96];
  if (!node->item) return reader_fail(r, node, NULL, "is missing: %s is needed", expected);
  return reader_fail(r, node, NULL, "must be %s, but is %s", expected,
                     reader_show(node->item, shown));
}

static torsor_status fail_unknown_key(const reader *r, const json_node *node, const char *what,
                                      const char *const *keys, int count) {
  char shown[96];
  const char *word = node->path.key;
  const char *near = torsor_near_name(word, keys, count);
  reader_fail_key(r, node, NULL, "unknown key %s in %s", reader_show_text(word, shown), what);
  if (near) {
    torsor_hint(r->error, "did you mean \"%s\"?", near);
    return TORSOR_SCENE;
  }
  char list[256] = "";
  size_t used = 0;
  for (int i = 0; i < count && used + strlen(keys[i]) + 3 < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", keys[i]);
  torsor_hint(r->error, "known keys: %s", list);
  return TORSOR_SCENE;
}

torsor_status reader_object(const reader *r, const json_node *node, const char *what,
                            const char *const *keys, int count) {
  if (!cJSON_IsObject(node->item)) {
    char expected[160];
    snprintf(expected, sizeof expected, "%s, an object {...}", what);
    return fail_kind(r, node, expected);
  }
  const cJSON *item;
  cJSON_ArrayForEach(item, node->item) {
    bool known = reader_is_comment(item->string);
    for (int i = 0; i < count && !known; ++i) known = strcmp(keys[i], item->string) == 0;
    if (known) continue;
    const json_node member = {item, {&node->path, item->string, 0}};
    return fail_unknown_key(r, &member, what, keys, count);
  }
  return TORSOR_OK;
}

torsor_status reader_array(const reader *r, const json_node *node, const char *what) {
  if (cJSON_IsArray(node->item)) return TORSOR_OK;
  char expected[160];
  snprintf(expected, sizeof expected, "%s, an array [...]", what);
  return fail_kind(r, node, expected);
}

/* ---- values ---------------------------------------------------------------------------------- */

torsor_status reader_expression(double *out, const reader *r, const json_node *node,
                                const char *key, const char *text) {
  if (reader_postpones(r)) return TORSOR_SCENE;
  if (r->error) r->error->path[0] = '\0';
  const torsor_status status =
      r->cache ? expression_evaluate_cached(out, r->cache, key, text, r->scope, r->error)
               : expression_evaluate(out, text, r->scope, r->error);
  return status ? reader_locate(r, &node->path, status) : TORSOR_OK;
}

torsor_status reader_number(double *out, const reader *r, const json_node *node) {
  const cJSON *item = node->item;
  if (cJSON_IsNumber(item)) {
    *out = item->valuedouble;
    return TORSOR_OK;
  }
  if (!cJSON_IsString(item)) return fail_kind(r, node, "a number or an expression in quotes");
  return reader_expression(out, r, node, item->valuestring, item->valuestring);
}

torsor_status reader_positive(double *out, const reader *r, const json_node *node,
                              const char *hint) {
  double value;
  char shown[96];
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_number(&value, r, node);
  if (status) return status;
  if (!(value > 0))
    return reader_fail(r, node, hint, "must be greater than 0, but is %s",
                       reader_show(node->item, shown));
  *out = value;
  return TORSOR_OK;
}

torsor_status reader_integer(int *out, const reader *r, const json_node *node, int least) {
  double value;
  char shown[96];
  const torsor_status status = reader_number(&value, r, node);
  if (status) return status;
  if (value != floor(value) || fabs(value) > INT_MAX)
    return reader_fail(r, node, NULL, "must be a whole number, but is %s",
                       reader_show(node->item, shown));
  if (value < least)
    return reader_fail(r, node, NULL, "must be at least %d, but is %s", least,
                       reader_show(node->item, shown));
  *out = (int)value;
  return TORSOR_OK;
}

torsor_status reader_boolean(bool *out, const reader *r, const json_node *node) {
  if (!cJSON_IsBool(node->item)) return fail_kind(r, node, "true or false");
  *out = cJSON_IsTrue(node->item);
  return TORSOR_OK;
}

torsor_status reader_numbers(double *out, int count, const reader *r, const json_node *node) {
  if (!cJSON_IsArray(node->item) || cJSON_GetArraySize(node->item) != count) {
    char expected[64];
    snprintf(expected, sizeof expected, "an array of %d numbers", count);
    return fail_kind(r, node, expected);
  }
  const cJSON *item = node->item->child;
  for (int i = 0; i < count; ++i, item = item->next) {
    const json_node number = json_item(node, item, i);
    const torsor_status status = reader_number(&out[i], r, &number);
    if (status) return status;
  }
  return TORSOR_OK;
}

torsor_status reader_vector(v3 *out, const reader *r, const json_node *node) {
  double number[3];
  const torsor_status status = reader_numbers(number, 3, r, node);
  if (!status) *out = v3_load(number);
  return status;
}

torsor_status reader_matrix(m3 *out, const reader *r, const json_node *node) {
  if (!cJSON_IsArray(node->item) || cJSON_GetArraySize(node->item) != 3)
    return fail_kind(r, node, "a 3x3 matrix [[..], [..], [..]]");
  const cJSON *item = node->item->child;
  for (int i = 0; i < 3; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    const torsor_status status = reader_numbers(out->m[i], 3, r, &row);
    if (status) return status;
  }
  return TORSOR_OK;
}

torsor_status reader_text(const char **out, const reader *r, const json_node *node) {
  if (!cJSON_IsString(node->item)) return fail_kind(r, node, "a text in quotes");
  *out = node->item->valuestring;
  return TORSOR_OK;
}

/* "one", "two" or "three". */
static void list_words(char list[256], const char *const *words, int count) {
  size_t used = 0;
  list[0] = '\0';
  for (int i = 0; i < count && used + strlen(words[i]) + 8 < 256; ++i)
    used += (size_t)snprintf(list + used, 256 - used, "%s\"%s\"",
                             !i              ? ""
                             : i + 1 < count ? ", "
                                             : " or ",
                             words[i]);
}

torsor_status reader_word(int *out, const reader *r, const json_node *node,
                          const char *const *words, int count) {
  char list[256], shown[96];
  for (int i = 0; i < count && cJSON_IsString(node->item); ++i)
    if (strcmp(words[i], node->item->valuestring) == 0) {
      *out = i;
      return TORSOR_OK;
    }
  list_words(list, words, count);
  if (!cJSON_IsString(node->item)) return fail_kind(r, node, list);
  const char *near = torsor_near_name(node->item->valuestring, words, count);
  reader_fail(r, node, NULL, "must be %s, but is %s", list, reader_show(node->item, shown));
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}
