/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/body_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/lines.h"
#include "scene/source.h"

static const char version[] = "torsor_body";

/* A parameter that body files give, or NULL. */
static const torsor_param *find_given(const torsor_element_type *type, const char *key) {
  for (const torsor_param *param = type->params; param->key; ++param)
    if ((param->kind == TORSOR_PARAM_MATRIX || param->kind == TORSOR_PARAM_FRAMES ||
         param->kind == TORSOR_PARAM_NAMES) &&
        !strcmp(param->key, key))
      return param;
  return NULL;
}

static torsor_status fail_in_file(const reader *r, const char *path, const char *hint,
                                  const char *format, const char *word) {
  torsor_fail(r->error, TORSOR_SCENE, format, word);
  torsor_hint(r->error, "%s", hint);
  if (r->error) {
    snprintf(r->error->file, sizeof r->error->file, "%.319s", path);
    r->error->line = r->error->column = 1;
  }
  return TORSOR_SCENE;
}

/* Moves the members of the body file to the element. */
static torsor_status move_members(cJSON *element, cJSON *body, const torsor_element_type *type,
                                  const reader *r, const json_node *node, const char *path) {
  const cJSON *mark = cJSON_GetObjectItemCaseSensitive(body, version);
  if (!cJSON_IsNumber(mark) || !(mark->valuedouble == 1))
    return fail_in_file(r, path, "`torsor reduce` writes such files",
                        "is not a body file: it has no \"%s\": 1", version);
  for (cJSON *next = NULL, *item = body->child; item; item = next) {
    next = item->next;
    if (item == mark || reader_is_comment(item->string)) continue;
    if (!find_given(type, item->string))
      return fail_in_file(r, path, "reduce the model again with this version",
                          "the body file has a key \"%s\" that is not known", item->string);
    const json_node own = json_member(node, item->string);
    if (own.item)
      return reader_fail_key(r, &own, "leave it out here", "\"%s\" is given by the body file, too",
                             item->string);
    cJSON_DetachItemViaPointer(body, item);
    if (cJSON_AddItemToObject(element, item->string, item)) continue;
    cJSON_Delete(item);
    return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  }
  return TORSOR_OK;
}

static torsor_status read_body(cJSON *element, const torsor_element_type *type, scene_files *files,
                               const reader *r, const json_node *node, const json_node *name) {
  char path[320], *text = NULL;
  size_t length = 0;
  cJSON *body = NULL;
  torsor_error found = {0};
  const char *word = NULL;
  torsor_status status = reader_text(&word, r, name);
  if (status) return status;
  if (!lines_beside(path, sizeof path, r->file, word))
    return reader_fail(r, name, NULL, "the name of the file is too long");
  status = source_read(&text, &length, path, &found);
  if (status && status != TORSOR_MEMORY)
    return reader_fail(r, name, found.hint, "\"%s\" %s", path, found.message);
  if (!status && !scene_files_add(files, path)) status = TORSOR_MEMORY;
  if (!status) status = source_parse(&body, text, length, path, &found);
  if (!status)
    status = move_members(element, body, type, r, node, path);
  else if (status == TORSOR_MEMORY)
    torsor_fail(r->error, status, "out of memory");
  else if (r->error)
    *r->error = found;
  cJSON_Delete(body);
  free(text);
  return status;
}

torsor_status body_file_inline(cJSON *element, const torsor_element_type *type, scene_files *files,
                               const reader *r, const json_node *node) {
  for (const torsor_param *param = type->params; param && param->key; ++param) {
    if (param->kind != TORSOR_PARAM_BODY_FILE) continue;
    const json_node name = json_member(node, param->key);
    if (!name.item) continue;
    const torsor_status status = read_body(element, type, files, r, node, &name);
    if (status) return status;
    cJSON_DeleteItemFromObjectCaseSensitive(element, param->key);
  }
  return TORSOR_OK;
}
