/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draft_kit.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene/canonical.h"

static const char *const lists[] = {"bodies", "joints", "forces"};

/* A type of each kind, for elements that name none of theirs. */
static const char *const usual[] = {"rigid_body", "distance", "force"};

typedef struct replay {
  torsor_draft *draft;
  bool nested;
} replay;

static void set_json(torsor_item *item, const char *key, const cJSON *value) {
  text words = {0}; /* cJSON itself writes numbers that are off by a unit of the last place */
  canonical_append(&words, value);
  CHECK_FALSE(words.failed);
  torsor_set_json(item, key, words.data);
  text_release(&words);
}

static bool all_are(const cJSON *array, cJSON_bool (*kind)(const cJSON *)) {
  const cJSON *part;
  cJSON_ArrayForEach(part, array) {
    if (!kind(part)) return false;
  }
  return array->child != NULL;
}

static bool all_are_rows(const cJSON *array) {
  const cJSON *row;
  if (!all_are(array, cJSON_IsArray)) return false;
  cJSON_ArrayForEach(row, array) {
    if (!all_are(row, cJSON_IsNumber)) return false;
    if (cJSON_GetArraySize(row) != cJSON_GetArraySize(array->child)) return false;
  }
  return true;
}

static double *read_numbers(const cJSON *array) {
  double *value = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *value), *at = value;
  const cJSON *part;
  CHECK_TRUE(value != NULL);
  cJSON_ArrayForEach(part, array) *at++ = part->valuedouble;
  return value;
}

static void set_rows(torsor_item *item, const char *key, const cJSON *array) {
  const int rows = cJSON_GetArraySize(array), columns = cJSON_GetArraySize(array->child);
  double *value = calloc((size_t)rows * (size_t)columns, sizeof *value), *at = value;
  const cJSON *row, *part;
  CHECK_TRUE(value != NULL);
  cJSON_ArrayForEach(row, array) {
    cJSON_ArrayForEach(part, row) *at++ = part->valuedouble;
  }
  torsor_set_matrix(item, key, value, rows, columns);
  free(value);
}

static void set_texts(torsor_item *item, const char *key, const cJSON *array) {
  const int count = cJSON_GetArraySize(array);
  const char **value = calloc((size_t)count, sizeof *value), **at = value;
  const cJSON *part;
  CHECK_TRUE(value != NULL);
  cJSON_ArrayForEach(part, array) *at++ = part->valuestring;
  torsor_set_texts(item, key, value, count);
  free(value);
}

static void set_array(torsor_item *item, const char *key, const cJSON *array) {
  if (all_are_rows(array)) {
    set_rows(item, key, array);
  } else if (all_are(array, cJSON_IsString)) {
    set_texts(item, key, array);
  } else if (all_are(array, cJSON_IsNumber)) {
    double *value = read_numbers(array);
    const int count = cJSON_GetArraySize(array);
    if (count == 3)
      torsor_set_vector(item, key, (v3){value[0], value[1], value[2]});
    else
      torsor_set_numbers(item, key, value, count);
    free(value);
  } else {
    set_json(item, key, array);
  }
}

static const cJSON *member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Objects for which there is a setter; false when this is none of them. */
static bool set_special(torsor_item *item, const char *key, const cJSON *object) {
  const cJSON *body = member(object, "body"), *position = member(object, "position");
  const cJSON *turn = member(object, "orientation"), *q = member(object, "quaternion");
  const cJSON *table = member(object, "table");
  const int count = cJSON_GetArraySize(object);
  if (cJSON_IsString(body) && position && cJSON_GetArraySize(position) == 3 &&
      all_are(position, cJSON_IsNumber) && (count == 2 || (count == 3 && turn))) {
    double *x = read_numbers(position);
    torsor_set_marker(item, key, body->valuestring, (v3){x[0], x[1], x[2]});
    free(x);
    if (turn) set_json(torsor_item_at(item, key), "orientation", turn);
    return true;
  }
  if (count == 1 && q && cJSON_GetArraySize(q) == 4 && all_are(q, cJSON_IsNumber)) {
    double *x = read_numbers(q);
    torsor_set_rotation(item, key, (so3){.w = x[0], .x = x[1], .y = x[2], .z = x[3]});
    free(x);
    return true;
  }
  if (count == 1 && table && all_are_rows(table) && cJSON_GetArraySize(table->child) == 2) {
    double x[200], y[200];
    int rows = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, table) {
      CHECK_TRUE(rows < 200);
      x[rows] = row->child->valuedouble;
      y[rows++] = row->child->next->valuedouble;
    }
    torsor_set_table(item, key, x, y, rows);
    return true;
  }
  return false;
}

static void set_value(const replay *to, torsor_item *item, const cJSON *value) {
  const char *key = value->string;
  if (cJSON_IsNumber(value)) {
    torsor_set_number(item, key, value->valuedouble);
  } else if (cJSON_IsBool(value)) {
    torsor_set_bool(item, key, cJSON_IsTrue(value));
  } else if (cJSON_IsString(value)) {
    torsor_set_text(item, key, value->valuestring);
  } else if (cJSON_IsArray(value)) {
    set_array(item, key, value);
  } else if (!cJSON_IsObject(value) || !to->nested) {
    set_json(item, key, value);
  } else if (!set_special(item, key, value)) {
    torsor_item *inside = torsor_item_at(item, key);
    const cJSON *part;
    cJSON_ArrayForEach(part, value) set_value(to, inside, part);
  }
}

static void add_element(const replay *to, int kind, const cJSON *object,
                        const torsor_registry *registry) {
  const cJSON *name = member(object, "name"), *type = member(object, "type"), *part;
  const torsor_element_type *known =
      cJSON_IsString(type) ? torsor_registry_find(registry, type->valuestring) : NULL;
  const bool good = known && (int)known->kind == kind;
  torsor_item *item = torsor_element_new(to->draft, good ? known->name : usual[kind],
                                         cJSON_IsString(name) ? name->valuestring : "nameless");
  if (!name) torsor_unset(item, "name");
  if (!type) torsor_unset(item, "type");
  cJSON_ArrayForEach(part, object) {
    const bool done = (part == name && cJSON_IsString(name)) || (part == type && good);
    if (!done) set_value(to, item, part);
  }
}

/* False when `value` is no list of elements that can be added one by one. */
static bool add_list(const replay *to, const cJSON *value, const torsor_registry *registry) {
  for (int kind = 0; kind < 3; ++kind) {
    const cJSON *object;
    if (strcmp(value->string, lists[kind]) != 0) continue;
    if (!cJSON_IsArray(value) || !all_are(value, cJSON_IsObject)) return false;
    cJSON_ArrayForEach(object, value) add_element(to, kind, object, registry);
    return true;
  }
  return false;
}

void draft_kit_replay(torsor_draft *draft, const cJSON *root, bool nested,
                      const torsor_registry *registry) {
  static const char *const objects[] = {"simulation", "statics",   "output",   "parameters",
                                        "inputs",     "functions", "sections", "ground"};
  const replay to = {draft, nested};
  torsor_item *top = torsor_draft_item(draft, "scene");
  const cJSON *value, *part;
  if (!member(root, "torsor")) torsor_unset(top, "torsor");
  cJSON_ArrayForEach(value, root) {
    bool object = false;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
      object |= cJSON_IsObject(value) && strcmp(value->string, objects[i]) == 0;
    if (object) {
      torsor_item *item = torsor_draft_item(draft, value->string);
      cJSON_ArrayForEach(part, value) set_value(&to, item, part);
    } else if (!add_list(&to, value, registry)) {
      set_value(&to, top, value);
    }
  }
}
