/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/draft_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/model.h>

#include "scene/elements.h"
#include "scene/json_make.h"
#include "scene/scene_private.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* Takes `root`; NULL: memory was short. */
static torsor_status create(torsor_draft **out, cJSON *root, const torsor_registry *registry,
                            torsor_error *error) {
  torsor_draft *draft = root ? calloc(1, sizeof *draft) : NULL;
  *out = draft;
  if (!draft) {
    cJSON_Delete(root);
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  draft->registry = registry;
  draft->root = root;
  draft->top.draft = draft;
  draft->top.object = root;
  return TORSOR_OK;
}

torsor_status torsor_draft_create(torsor_draft **out, const torsor_registry *registry,
                                  torsor_error *error) {
  if (error) *error = (torsor_error){0};
  return create(out, json_make_object("torsor", cJSON_CreateNumber(1)), registry, error);
}

torsor_status torsor_draft_open(torsor_draft **out, const torsor_scene *scene,
                                torsor_error *error) {
  if (error) *error = (torsor_error){0};
  return create(out, cJSON_Duplicate(scene->root, true), scene->registry, error);
}

void torsor_draft_destroy(torsor_draft *draft) {
  if (!draft) return;
  cJSON_Delete(draft->root);
  arena_release(&draft->memory);
  free(draft);
}

/* Records an error of the draft that concerns no item. */
static void fail_draft(torsor_draft *draft, torsor_status status, const char *hint,
                       const char *message) {
  draft_fail(&draft->top, NULL, status, hint, message);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* A new item; NULL, and an error, when memory is short. */
static torsor_item *make_item(torsor_item *up, const char *key, cJSON *object) {
  arena *memory = &up->draft->memory;
  torsor_item *item = arena_take(memory, 1, sizeof *item);
  char *copy = arena_string(memory, key);
  if (!item || !copy) {
    draft_fail(up, key, TORSOR_MEMORY, NULL, "out of memory");
    return NULL;
  }
  *item = (torsor_item){.up = up, .draft = up->draft, .key = copy, .object = object};
  return item;
}

/* Returns the item of the object at `key`. */
static torsor_item *note_object(torsor_item *up, const char *key, cJSON *object) {
  for (torsor_item *item = up->first; item; item = item->next)
    if (strcmp(item->key, key) == 0) {
      item->object = object;
      return item;
    }
  torsor_item *item = make_item(up, key, object);
  if (!item) return NULL;
  item->next = up->first;
  up->first = item;
  return item;
}

static torsor_item *note_element(torsor_draft *draft, torsor_kind kind, int index, cJSON *object,
                                 const torsor_element_type *type) {
  torsor_item *item = make_item(&draft->top, scene_lists[kind], object);
  if (!item) return NULL;
  item->index = index;
  item->type = type;
  item->next = draft->elements;
  draft->elements = item;
  return item;
}

/* Put an empty object at `key`; NULL on failure. */
static cJSON *add_object(torsor_item *item, const char *key) {
  cJSON *holder = json_make_object(key, cJSON_CreateObject());
  const torsor_element_type *type = item->type;
  if (!holder) {
    draft_fail(item, key, TORSOR_MEMORY, NULL, "out of memory");
    return NULL;
  }
  torsor_status status = draft_takes_object(item, key) ? draft_check_key(item, holder)
                                                       : draft_check(item, holder, &type);
  if (!status) status = draft_place(item, key, holder);
  cJSON_Delete(holder);
  return status ? NULL : cJSON_GetObjectItemCaseSensitive(item->object, key);
}

torsor_item *torsor_item_at(torsor_item *item, const char *key) {
  if (draft_begin(item, key)) return NULL;
  cJSON *value = cJSON_GetObjectItemCaseSensitive(item->object, key);
  if (value && !cJSON_IsObject(value)) {
    char shown[96], message[128];
    snprintf(message, sizeof message, "has no members: it is %s", reader_show(value, shown));
    draft_fail(item, key, TORSOR_ARGUMENT, "torsor_unset removes it", message);
    return NULL;
  }
  if (!value) value = add_object(item, key);
  return value ? note_object(item, key, value) : NULL;
}

torsor_item *torsor_draft_item(torsor_draft *draft, const char *key) {
  if (!draft) return NULL;
  return key && strcmp(key, "scene") == 0 ? &draft->top : torsor_item_at(&draft->top, key);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* The number of elements of this kind; negative, and an error, when their list is something
 * else. */
static int count_elements(torsor_draft *draft, torsor_kind kind) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(draft->root, scene_lists[kind]);
  if (list && !cJSON_IsArray(list)) {
    draft_fail(&draft->top, scene_lists[kind], TORSOR_SCENE, "torsor_unset removes it",
               "is not a list, so no element can be added to it");
    return -1;
  }
  if (list && draft->known[kind].list == list) return draft->known[kind].count;
  draft->known[kind].list = list;
  draft->known[kind].count = cJSON_GetArraySize(list);
  return draft->known[kind].count;
}

/* Takes `object`, an element of this kind; false, and an error, when memory is short. */
static bool append_element(torsor_draft *draft, torsor_kind kind, cJSON *object) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(draft->root, scene_lists[kind]);
  if (!list) list = cJSON_AddArrayToObject(draft->root, scene_lists[kind]);
  if (list && cJSON_AddItemToArray(list, object)) {
    draft->known[kind].list = list;
    ++draft->known[kind].count;
    return true;
  }
  cJSON_Delete(object);
  draft_fail(&draft->top, scene_lists[kind], TORSOR_MEMORY, NULL, "out of memory");
  return false;
}

/* Check "name" or "type" of an element that is no part of the draft yet. */
static torsor_status check_word(const torsor_item *element, const char *key) {
  const cJSON *word = cJSON_GetObjectItemCaseSensitive(element->object, key);
  cJSON *holder = json_make_object(key, cJSON_CreateString(word->valuestring));
  const torsor_element_type *type = element->type;
  if (!holder) return draft_fail(element, key, TORSOR_MEMORY, NULL, "out of memory");
  const torsor_status status = draft_check(element, holder, &type);
  cJSON_Delete(holder);
  return status;
}

/* Takes `object`.  `type`: its type, or the one whose name is nearest. */
static torsor_item *add_element(torsor_draft *draft, const torsor_element_type *type,
                                cJSON *object) {
  const int count = count_elements(draft, type->kind);
  const torsor_item element = {.up = &draft->top,
                               .draft = draft,
                               .key = scene_lists[type->kind],
                               .type = type,
                               .index = count,
                               .object = object};
  if (count < 0 || check_word(&element, "type") || check_word(&element, "name")) {
    cJSON_Delete(object);
    return NULL;
  }
  if (!append_element(draft, type->kind, object)) return NULL;
  return note_element(draft, type->kind, count, object, type);
}

torsor_item *torsor_element_new(torsor_draft *draft, const char *type, const char *name) {
  char message[160], shown[96];
  if (!draft) return NULL;
  if (!type || !name) {
    fail_draft(draft, TORSOR_ARGUMENT, NULL, "an element needs a type and a name");
    return NULL;
  }
  const torsor_element_type *known = torsor_registry_find(draft->registry, type);
  if (!known) known = element_type_near(draft->registry, type);
  if (!known) {
    snprintf(message, sizeof message, "there is no element type %s", reader_show_text(type, shown));
    fail_draft(draft, TORSOR_SCENE, "`torsor list` shows the types (in C: torsor_registry_at)",
               message);
    return NULL;
  }
  cJSON *object = json_make_object("name", cJSON_CreateString(name));
  object = json_make_member(object, "type", cJSON_CreateString(type));
  if (object) return add_element(draft, known, object);
  fail_draft(draft, TORSOR_MEMORY, NULL, "out of memory");
  return NULL;
}

/* The element called `name` in a list, if its type is known. */
static torsor_item *find_in(torsor_draft *draft, torsor_kind kind, const char *name) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(draft->root, scene_lists[kind]);
  cJSON *object = cJSON_IsArray(list) ? list->child : NULL;
  for (int index = 0; object; object = object->next, ++index) {
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(object, "name");
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(object, "type");
    if (!cJSON_IsString(own) || strcmp(own->valuestring, name) != 0) continue;
    for (torsor_item *item = draft->elements; item; item = item->next)
      if (item->object == object) return item;
    const torsor_element_type *known =
        cJSON_IsString(type) ? torsor_registry_find(draft->registry, type->valuestring) : NULL;
    if (known && known->kind == kind) return note_element(draft, kind, index, object, known);
  }
  return NULL;
}

static const char *near_element(const torsor_draft *draft, const char *name) {
  enum { NAMES = 256 };
  const char *names[NAMES];
  int count = 0;
  for (int kind = 0; kind < 3; ++kind) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(draft->root, scene_lists[kind]), *object;
    cJSON_ArrayForEach(object, list) {
      const cJSON *own = cJSON_GetObjectItemCaseSensitive(object, "name");
      if (cJSON_IsString(own) && count < NAMES) names[count++] = own->valuestring;
    }
  }
  return torsor_near_name(name, names, count);
}

torsor_item *torsor_draft_find(torsor_draft *draft, const char *name) {
  if (!draft) return NULL;
  if (!name) {
    fail_draft(draft, TORSOR_ARGUMENT, NULL, "an element is found by a name");
    return NULL;
  }
  const torsor_status before = draft->error.status;
  for (int kind = 0; kind < 3; ++kind) {
    torsor_item *found = find_in(draft, (torsor_kind)kind, name);
    if (found || draft->error.status != before) return found;
  }
  char message[160], hint[128], shown[96];
  const char *near = near_element(draft, name);
  snprintf(message, sizeof message, "there is no element %s", reader_show_text(name, shown));
  if (near) snprintf(hint, sizeof hint, "did you mean %s?", reader_show_text(near, shown));
  fail_draft(draft, TORSOR_SCENE, near ? hint : NULL, message);
  return NULL;
}

/* ---- the scene ------------------------------------------------------------------------------- */

torsor_status torsor_draft_scene(torsor_scene **out, const torsor_draft *draft,
                                 torsor_error *error) {
  *out = NULL;
  if (!draft) return torsor_fail(error, TORSOR_ARGUMENT, "there is no draft");
  if (draft->error.status) {
    if (error) *error = draft->error;
    return draft->error.status;
  }
  torsor_model *model = NULL;
  torsor_status status = scene_from_tree(out, draft->root, draft->registry, error);
  if (!status) status = torsor_scene_model(&model, *out, error);
  torsor_model_destroy(model);
  if (!status) return TORSOR_OK;
  torsor_scene_destroy(*out);
  *out = NULL;
  return status;
}
