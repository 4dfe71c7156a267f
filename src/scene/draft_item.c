/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of a draft, the position of an item, and items that become invalid. */
#include "scene/draft_private.h"

#include <string.h>

#include "scene/scene_private.h"

const torsor_error *torsor_draft_error(const torsor_draft *draft) {
  return draft && draft->error.status ? &draft->error : NULL;
}

void torsor_draft_clear_error(torsor_draft *draft) {
  if (draft) draft->error = (torsor_error){0};
}

const json_path *draft_path(json_path steps[DRAFT_STEPS], int *used, const torsor_item *item) {
  if (!item->up) {
    steps[0] = (json_path){NULL, NULL, 0};
    *used = 1;
    return &steps[0];
  }
  const json_path *up = draft_path(steps, used, item->up);
  steps[*used] = (json_path){up, item->key, 0};
  up = &steps[(*used)++];
  if (!item->type) return up;
  steps[*used] = (json_path){up, NULL, item->index};
  return &steps[(*used)++];
}

torsor_status draft_keep(const torsor_item *item, torsor_error *found) {
  torsor_draft *draft = item->draft;
  while (item->up && !item->type) item = item->up;
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(item->object, "name");
  if (item->type && cJSON_IsString(name)) torsor_blame(found, name->valuestring);
  if (!draft->error.status) draft->error = *found;
  return found->status;
}

torsor_status draft_fail(const torsor_item *item, const char *key, torsor_status status,
                         const char *hint, const char *message) {
  json_path steps[DRAFT_STEPS];
  int used;
  torsor_error found = {0};
  torsor_fail(&found, status, "%s", message);
  if (hint) torsor_hint(&found, "%s", hint);
  const json_path *path = draft_path(steps, &used, item);
  json_path_print(found.path, sizeof found.path, key ? &(json_path){path, key, 0} : path);
  return draft_keep(item, &found);
}

static void forget(torsor_item *item) {
  item->object = NULL;
  for (torsor_item *below = item->first; below; below = below->next) forget(below);
}

void draft_forget(torsor_item *item, const char *key) {
  torsor_draft *draft = item->draft;
  for (torsor_item *below = item->first; below; below = below->next)
    if (strcmp(below->key, key) == 0) forget(below);
  if (item->up) return;
  for (torsor_item *element = draft->elements; element; element = element->next)
    if (strcmp(element->key, key) == 0) forget(element);
  for (int kind = 0; kind < 3; ++kind)
    if (strcmp(scene_lists[kind], key) == 0) draft->known[kind].list = NULL;
}
