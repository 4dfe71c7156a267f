/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/draft_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/element_values.h"
#include "scene/elements.h"
#include "scene/json_make.h"
#include "scene/json_string.h"
#include "scene/scene_private.h"

/* ---- checks ---------------------------------------------------------------------------------- */

/* Refuses inadmissible values: numbers that are not finite, texts that are not UTF-8, and nesting
 * deeper than a scene file allows. */
static torsor_status check_plain(const reader *r, const json_node *node, int depth) {
  const cJSON *item = node->item;
  if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
    return reader_fail(r, node, NULL, "must be a finite number, but is %g", item->valuedouble);
  if (cJSON_IsString(item) && !json_string_is_utf8(item->valuestring))
    return reader_fail(r, node, NULL, "the text is not UTF-8");
  if (!cJSON_IsArray(item) && !cJSON_IsObject(item)) return TORSOR_OK;
  if (depth > JSON_DEPTH)
    return reader_fail(r, node, NULL, "arrays and objects are nested deeper than %d", JSON_DEPTH);
  torsor_status status = TORSOR_OK;
  int index = 0;
  for (const cJSON *part = item->child; part && !status; part = part->next, ++index) {
    const json_node below = {part, {&node->path, part->string, index}};
    status = check_plain(r, &below, depth + 1);
  }
  return status;
}

/* The key of an item that is a member of the scene, else NULL. */
static const char *word_of(const torsor_item *item) {
  return item->up && !item->up->up && !item->type ? item->key : NULL;
}

bool draft_takes_object(const torsor_item *item, const char *key) {
  static const char *const words[] = {"parameters", "inputs",   "functions", "sections",
                                      "simulation", "statics",  "output",    "ground",
                                      "linear",     "periodic", "signals"};
  if (item->type) return element_takes_object(item->type, key);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(words[i], key) == 0) return true;
  return item->up != NULL;
}

typedef struct check {
  bool postponed;
  torsor_error found;
  json_path steps[DRAFT_STEPS];
  int depth;
  reader r;
  json_node object; /* stands for that of the item, with the one member that is checked */
} check;

static void begin_check(check *c, const torsor_item *item, const cJSON *holder) {
  static const expression_scope nothing;
  c->postponed = false;
  c->found = (torsor_error){0};
  c->r = (reader){.file = "", .scope = &nothing, .postponed = &c->postponed, .error = &c->found};
  c->object = (json_node){holder, *draft_path(c->steps, &c->depth, item)};
}

static torsor_status end_check(check *c, const torsor_item *item, torsor_status status) {
  if (!status || c->postponed) return TORSOR_OK;
  c->found.status = status;
  return draft_keep(item, &c->found);
}

static torsor_status check_keys(const check *c, const torsor_item *item) {
  const char *word = word_of(item);
  if (item->type) return element_keys_check(&c->r, item->type, &c->object);
  if (!item->up) return scene_keys_check(&c->r, &c->object);
  return word ? scene_object_keys_check(&c->r, &c->object, word) : TORSOR_OK;
}

torsor_status draft_check_key(const torsor_item *item, const cJSON *holder) {
  check c;
  begin_check(&c, item, holder);
  const json_node value = json_member(&c.object, holder->child->string);
  torsor_status status = check_plain(&c.r, &value, c.depth + 1);
  if (!status) status = check_keys(&c, item);
  return end_check(&c, item, status);
}

torsor_status draft_check(const torsor_item *item, const cJSON *holder,
                          const torsor_element_type **type) {
  check c;
  begin_check(&c, item, holder);
  const char *key = holder->child->string, *word = word_of(item);
  const json_node value = json_member(&c.object, key);
  torsor_status status = check_plain(&c.r, &value, c.depth + 1);
  if (!status) status = check_keys(&c, item);
  if (status || reader_is_comment(key)) return end_check(&c, item, status);
  if (item->type)
    status = element_member_check(type, &c.r, item->draft->registry, &c.object, key);
  else if (!item->up)
    status = scene_member_check(&c.r, &c.object, key);
  else if (word)
    status = scene_named_check(&c.r, item->draft->registry, &c.object, word);
  return end_check(&c, item, status);
}

/* ---- putting --------------------------------------------------------------------------------- */

torsor_status draft_begin(const torsor_item *item, const char *key) {
  if (!item) return TORSOR_ARGUMENT;
  if (!item->object)
    return draft_fail(item, NULL, TORSOR_ARGUMENT, "find it anew",
                      "the object of this item was replaced or removed");
  if (!key) return draft_fail(item, NULL, TORSOR_ARGUMENT, NULL, "a key is needed, but is NULL");
  if (!json_string_is_utf8(key))
    return draft_fail(item, NULL, TORSOR_ARGUMENT, NULL, "the key is not UTF-8");
  return TORSOR_OK;
}

torsor_status draft_place(torsor_item *item, const char *key, cJSON *holder) {
  cJSON *value = cJSON_DetachItemViaPointer(holder, holder->child);
  cJSON *old = cJSON_GetObjectItemCaseSensitive(item->object, key);
  if (old) {
    draft_forget(item, key);
    cJSON_ReplaceItemViaPointer(item->object, old, value);
    return TORSOR_OK;
  }
  if (cJSON_AddItemToObject(item->object, key, value)) return TORSOR_OK;
  cJSON_Delete(value);
  return draft_fail(item, key, TORSOR_MEMORY, NULL, "out of memory");
}

/* Put `value` at `key` if it is good; it is owned by the draft or deleted.  NULL: memory was
 * short. */
static torsor_status put(torsor_item *item, const char *key, cJSON *value) {
  cJSON *holder = json_make_object(key, value);
  if (!holder) return draft_fail(item, key, TORSOR_MEMORY, NULL, "out of memory");
  const torsor_element_type *type = item->type;
  torsor_status status = draft_check(item, holder, &type);
  if (!status) status = draft_place(item, key, holder);
  if (!status) item->type = type;
  cJSON_Delete(holder);
  return status;
}

/* ---- setters --------------------------------------------------------------------------------- */

static torsor_status fail_missing(const torsor_item *item, const char *key, const char *what) {
  char message[96];
  snprintf(message, sizeof message, "%s needed, but NULL was given", what);
  return draft_fail(item, key, TORSOR_ARGUMENT, NULL, message);
}

static torsor_status fail_count(const torsor_item *item, const char *key) {
  return draft_fail(item, key, TORSOR_ARGUMENT, NULL, "a count of values is negative");
}

static cJSON *make_vector(v3 value) {
  return json_make_numbers((const double[]){value.x, value.y, value.z}, 3);
}

static cJSON *make_rotation(so3 value) {
  const double q[] = {value.w, value.x, value.y, value.z};
  return json_make_object("quaternion", json_make_numbers(q, 4));
}

torsor_status torsor_set_number(torsor_item *item, const char *key, double value) {
  const torsor_status status = draft_begin(item, key);
  return status ? status : put(item, key, cJSON_CreateNumber(value));
}

torsor_status torsor_set_bool(torsor_item *item, const char *key, bool value) {
  const torsor_status status = draft_begin(item, key);
  return status ? status : put(item, key, cJSON_CreateBool(value));
}

torsor_status torsor_set_text(torsor_item *item, const char *key, const char *value) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (!value) return fail_missing(item, key, "a text is");
  return put(item, key, cJSON_CreateString(value));
}

torsor_status torsor_set_vector(torsor_item *item, const char *key, v3 value) {
  const torsor_status status = draft_begin(item, key);
  return status ? status : put(item, key, make_vector(value));
}

torsor_status torsor_set_numbers(torsor_item *item, const char *key, const double *value,
                                 int count) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (count < 0) return fail_count(item, key);
  if (count && !value) return fail_missing(item, key, "numbers are");
  return put(item, key, json_make_numbers(value, count));
}

torsor_status torsor_set_matrix(torsor_item *item, const char *key, const double *value, int rows,
                                int columns) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (rows < 0 || columns < 0) return fail_count(item, key);
  if (rows && columns && !value) return fail_missing(item, key, "numbers are");
  cJSON *all = json_make_rows(value, rows, columns);
  const bool curve = item->type && element_takes_curve(item->type, key);
  return put(item, key, curve ? json_make_object("points", all) : all);
}

torsor_status torsor_set_texts(torsor_item *item, const char *key, const char *const *value,
                               int count) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (count < 0) return fail_count(item, key);
  bool whole = !count || value;
  for (int i = 0; i < count && whole; ++i) whole = value[i] != NULL;
  if (!whole) return fail_missing(item, key, "texts are");
  return put(item, key, json_make_texts(value, count));
}

torsor_status torsor_set_rotation(torsor_item *item, const char *key, so3 value) {
  const torsor_status status = draft_begin(item, key);
  return status ? status : put(item, key, make_rotation(value));
}

torsor_status torsor_set_marker(torsor_item *item, const char *key, const char *body, v3 position) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (!body) return fail_missing(item, key, "the name of a body is");
  cJSON *marker = json_make_object("body", cJSON_CreateString(body));
  return put(item, key, json_make_member(marker, "position", make_vector(position)));
}

torsor_status torsor_set_marker_frame(torsor_item *item, const char *key, const char *body,
                                      v3 position, so3 orientation) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (!body) return fail_missing(item, key, "the name of a body is");
  cJSON *marker = json_make_object("body", cJSON_CreateString(body));
  marker = json_make_member(marker, "position", make_vector(position));
  return put(item, key, json_make_member(marker, "orientation", make_rotation(orientation)));
}

torsor_status torsor_set_table(torsor_item *item, const char *key, const double *x, const double *y,
                               int count) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (count < 0) return fail_count(item, key);
  if (count && (!x || !y)) return fail_missing(item, key, "numbers are");
  return put(item, key, json_make_object("table", json_make_pairs(x, y, count)));
}

/* Whether the name stands there by itself, else {"callback": name}. */
static bool takes_name(const torsor_item *item, const char *key) {
  const torsor_param *p = item->type ? item->type->params : NULL;
  for (; p && p->key; ++p)
    if (strcmp(p->key, key) == 0) return p->kind == TORSOR_PARAM_CALLBACK;
  return false;
}

torsor_status torsor_set_callback(torsor_item *item, const char *key, const char *name) {
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (!name) return fail_missing(item, key, "the name of a callback is");
  cJSON *word = cJSON_CreateString(name);
  return put(item, key, takes_name(item, key) ? word : json_make_object("callback", word));
}

/* Fails for a text that is not JSON, with the position of the error in characters from 1. */
static torsor_status fail_json(const torsor_item *item, const char *key, torsor_error *found) {
  if (found->status == TORSOR_MEMORY)
    return draft_fail(item, key, TORSOR_MEMORY, NULL, found->message);
  char message[sizeof found->message + 64];
  snprintf(message, sizeof message, "%s (line %d, column %d of the text)", found->message,
           found->line, found->column);
  return draft_fail(item, key, TORSOR_SCENE, found->hint[0] ? found->hint : NULL, message);
}

torsor_status torsor_set_json(torsor_item *item, const char *key, const char *text) {
  torsor_error found = {0};
  const torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (!text) return fail_missing(item, key, "a text is");
  if (json_scan_check(text, strlen(text), "value", &found)) return fail_json(item, key, &found);
  return put(item, key, cJSON_Parse(text + json_scan_bom(text, strlen(text))));
}

torsor_status torsor_unset(torsor_item *item, const char *key) {
  torsor_status status = draft_begin(item, key);
  if (status) return status;
  if (cJSON_GetObjectItemCaseSensitive(item->object, key)) {
    draft_forget(item, key);
    cJSON_DeleteItemFromObjectCaseSensitive(item->object, key);
    return TORSOR_OK;
  }
  cJSON *holder = json_make_object(key, cJSON_CreateNull());
  if (!holder) return draft_fail(item, key, TORSOR_MEMORY, NULL, "out of memory");
  status = draft_check_key(item, holder);
  cJSON_Delete(holder);
  return status;
}
