/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/set.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/json_scan.h"
#include "scene/json_string.h"

/* A walk along PATH. */
typedef struct walk {
  const char *argument; /* PATH=VALUE */
  const char *rest, *end;
  cJSON *parent, *item; /* item NULL: a new key of parent */
  json_path *path;
  arena *memory;
  torsor_error *error;
} walk;

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Names the command-line argument as the file of the error, and PATH as its path. */
static torsor_status locate(const walk *w, torsor_status status) {
  torsor_error *error = w->error;
  if (!error) return status;
  snprintf(error->file, sizeof error->file, "--set %s", w->argument);
  snprintf(error->path, sizeof error->path, "%.*s", (int)(w->end - w->argument), w->argument);
  error->line = error->column = 0;
  return status;
}

static bool push(walk *w, const char *key, int index) {
  json_path *step = arena_take(w->memory, 1, sizeof *step);
  if (!step) return false;
  *step = (json_path){w->path, key, index};
  w->path = step;
  return true;
}

/* The part of PATH walked so far, for messages. */
static const char *walked(const walk *w, char out[96]) {
  json_path_print(out, 96, w->path);
  return out[0] ? out : "the scene";
}

static torsor_status fail_grammar(const walk *w) {
  torsor_fail(w->error, TORSOR_ARGUMENT, "the path \"%.*s\" cannot be read",
              (int)(w->end - w->argument), w->argument);
  torsor_hint(w->error, "for example simulation.step, bodies[0].mass or bodies.top.mass");
  return TORSOR_ARGUMENT;
}

static torsor_status fail_no_part(const walk *w, const char *key, const char *const *names,
                                  int count) {
  char where[96], shown[96];
  torsor_fail(w->error, TORSOR_ARGUMENT, "%s has no part %s", walked(w, where),
              reader_show_text(key, shown));
  const char *near = torsor_near_name(key, names, count);
  if (near) torsor_hint(w->error, "did you mean \"%s\"?", near);
  return TORSOR_ARGUMENT;
}

/* Fail at the member `key` that `object` lacks. */
static torsor_status fail_member(const walk *w, const cJSON *object, const char *key) {
  const int count = cJSON_GetArraySize(object);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return out_of_memory(w->error);
  int named = 0;
  const bool array = cJSON_IsArray(object);
  const cJSON *child;
  cJSON_ArrayForEach(child, object) {
    const cJSON *name = array ? cJSON_GetObjectItemCaseSensitive(child, "name") : NULL;
    if (!array)
      names[named++] = child->string;
    else if (cJSON_IsString(name))
      names[named++] = name->valuestring;
  }
  const torsor_status status = fail_no_part(w, key, names, named);
  free(names);
  return status;
}

/* Step to the member `key` of an object, or to the object called `key` of an array. */
static torsor_status step_key(walk *w, const char *key) {
  cJSON *object = w->item;
  char where[96], shown[96];
  int index = 0;
  if (cJSON_IsArray(object)) {
    cJSON_ArrayForEach(w->item, object) {
      const cJSON *name = cJSON_GetObjectItemCaseSensitive(w->item, "name");
      if (cJSON_IsString(name) && strcmp(name->valuestring, key) == 0) break;
      ++index;
    }
    if (!w->item) return fail_member(w, object, key);
    key = NULL;
  } else if (cJSON_IsObject(object)) {
    w->item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!w->item && w->rest != w->end) return fail_member(w, object, key);
  } else {
    return torsor_fail(w->error, TORSOR_ARGUMENT, "%s has no parts: it is %s", walked(w, where),
                       reader_show(object, shown));
  }
  w->parent = object;
  return push(w, key, index) ? TORSOR_OK : out_of_memory(w->error);
}

static torsor_status step_index(walk *w, long index) {
  char where[96], shown[96];
  const int count = cJSON_IsArray(w->item) ? cJSON_GetArraySize(w->item) : 0;
  if (!cJSON_IsArray(w->item))
    return torsor_fail(w->error, TORSOR_ARGUMENT, "%s has no part [%ld]: it is %s",
                       walked(w, where), index, reader_show(w->item, shown));
  if (index >= count) {
    torsor_fail(w->error, TORSOR_ARGUMENT, "%s has no part [%ld]", walked(w, where), index);
    if (count) torsor_hint(w->error, "its last part is [%d]", count - 1);
    return TORSOR_ARGUMENT;
  }
  w->parent = w->item;
  w->item = cJSON_GetArrayItem(w->parent, (int)index);
  return push(w, NULL, (int)index) ? TORSOR_OK : out_of_memory(w->error);
}

static torsor_status step(walk *w) {
  if (*w->rest == '[') {
    char *close;
    const bool digit = w->rest[1] >= '0' && w->rest[1] <= '9';
    const long index = digit ? strtol(w->rest + 1, &close, 10) : -1;
    if (index < 0 || index > INT_MAX || *close != ']') return fail_grammar(w);
    w->rest = close + 1;
    return step_index(w, index);
  }
  if (w->path->up && *w->rest++ != '.') return fail_grammar(w);
  const size_t bytes = strcspn(w->rest, ".[]=");
  if (!bytes || w->rest[bytes] == ']') return fail_grammar(w);
  char *key = arena_take(w->memory, bytes + 1, 1);
  if (!key) return out_of_memory(w->error);
  memcpy(key, w->rest, bytes);
  w->rest += bytes;
  return step_key(w, key);
}

/* VALUE as JSON; what does not look like JSON at all is a text. */
static torsor_status make_value(cJSON **out, const walk *w, const char *value) {
  torsor_error found = {0};
  const torsor_status status = json_scan_check(value, strlen(value), "value", &found);
  const bool json = value[0] && strchr("{[\"", value[0]);
  if (status && (json || status == TORSOR_MEMORY)) {
    torsor_fail(w->error, status == TORSOR_MEMORY ? status : TORSOR_ARGUMENT, "%s", found.message);
    torsor_hint(w->error, "%s", found.hint);
    return status == TORSOR_MEMORY ? status : TORSOR_ARGUMENT;
  }
  *out =
      status ? cJSON_CreateString(value) : cJSON_Parse(value + json_scan_bom(value, strlen(value)));
  return *out ? TORSOR_OK : out_of_memory(w->error);
}

/* Put `value` where the walk ended; it is owned by the scene or deleted. */
static torsor_status place_value(const walk *w, cJSON *value) {
  bool placed;
  if (cJSON_IsArray(w->parent)) {
    placed = cJSON_ReplaceItemViaPointer(w->parent, w->item, value);
  } else {
    if (w->item) cJSON_Delete(cJSON_DetachItemViaPointer(w->parent, w->item));
    placed = cJSON_AddItemToObject(w->parent, w->path->key, value);
  }
  if (placed) return TORSOR_OK;
  cJSON_Delete(value);
  return out_of_memory(w->error);
}

static torsor_status apply(scene_change *change, walk *w) {
  const char *equals = strchr(w->argument, '=');
  w->end = equals ? equals : w->argument + strlen(w->argument);
  if (!equals || equals == w->argument || !json_string_is_utf8(w->argument)) {
    torsor_fail(w->error, TORSOR_ARGUMENT, "a change is written PATH=VALUE");
    torsor_hint(w->error, "for example --set simulation.step=1e-4");
    return TORSOR_ARGUMENT;
  }
  torsor_status status = TORSOR_OK;
  for (w->rest = w->argument; w->rest < w->end && !status;) status = step(w);
  cJSON *value = NULL;
  if (!status) status = make_value(&value, w, equals + 1);
  if (!status) status = place_value(w, value);
  if (status) return status;
  const size_t bytes = strlen(w->argument) + sizeof "--set ";
  char *argument = arena_take(w->memory, bytes, 1);
  if (!argument) return out_of_memory(w->error);
  snprintf(argument, bytes, "--set %s", w->argument);
  *change = (scene_change){argument, w->path};
  return TORSOR_OK;
}

torsor_status set_apply(const scene_change **changes, cJSON *root, arena *memory,
                        const char *const *set, int count, torsor_error *error) {
  scene_change *change = arena_take(memory, (size_t)count, sizeof *change);
  json_path *start = arena_take(memory, 1, sizeof *start);
  *changes = change;
  if (!change || !start) return out_of_memory(error);
  for (int i = 0; i < count; ++i) {
    walk w = {.argument = set[i], .item = root, .path = start, .memory = memory, .error = error};
    const torsor_status status = apply(&change[i], &w);
    if (status) return locate(&w, status);
  }
  return TORSOR_OK;
}

torsor_status set_find(json_node *out, cJSON *root, arena *memory, const char *path,
                       torsor_error *error) {
  json_path *start = arena_take(memory, 1, sizeof *start);
  walk w = {.argument = path,
            .rest = path,
            .end = path + strlen(path),
            .item = root,
            .path = start,
            .memory = memory,
            .error = error};
  torsor_status status = start ? TORSOR_OK : out_of_memory(error);
  while (w.rest < w.end && !status) {
    cJSON *from = w.item;
    const char *key = *w.rest == '.' ? w.rest + 1 : w.rest;
    status = step(&w);
    if (!status && !w.item) status = fail_member(&w, from, w.path->key ? w.path->key : key);
  }
  if (!status) *out = (json_node){w.item, *w.path};
  return status;
}
