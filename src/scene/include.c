/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/include.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene/json_scan.h"
#include "scene/source.h"

/* Deepest chain of files that include each other. */
enum { INCLUDE_DEPTH = 20 };

typedef struct scene_source {
  struct scene_source *next;
  const struct scene_source *up; /* the file that includes this one */
  const char *file, *text;
  char *bytes;       /* owned */
  const char *model; /* name under "models" of which it is the content; NULL: it is none */
  cJSON *root;       /* owned until it is merged; the scene's own is not */
  struct stat about;
} scene_source;

typedef struct inclusion {
  scene_parts *parts;
  arena *memory;
  torsor_error *error;
} inclusion;

static const char *const lists[] = {"bodies", "joints", "forces", "assemblies"};
static const char *const maps[] = {"parameters", "functions", "sections", "models"};

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static reader source_reader(const inclusion *in, const scene_source *source) {
  return (reader){.file = source->file, .text = source->text, .error = in->error};
}

static void release_source(scene_source *source) {
  cJSON_Delete(source->root);
  free(source->bytes);
  source->root = NULL;
  source->bytes = NULL;
}

void include_release(scene_parts *parts) {
  for (scene_source *source = parts->first; source; source = source->next) release_source(source);
  for (scene_source *source = parts->models; source; source = source->next) release_source(source);
  *parts = (scene_parts){0};
}

const char *include_file(const scene_parts *parts, int i) {
  const scene_source *source = parts->first;
  for (; source && i > 0; --i) source = source->next;
  if (source) return source->file;
  for (source = parts->models; source && i > 0; --i) source = source->next;
  return source ? source->file : NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool same_file(const scene_source *a, const scene_source *b) {
  return a->about.st_ino == b->about.st_ino && a->about.st_dev == b->about.st_dev;
}

/* A name relative to the folder of the file in which it stands. */
static const char *resolve(const inclusion *in, const char *from, const char *name) {
  const char *slash = strrchr(from, '/');
  const size_t folder = slash && name[0] != '/' ? (size_t)(slash + 1 - from) : 0;
  char *path = arena_take(in->memory, folder + strlen(name) + 1, 1);
  if (!path) return NULL;
  memcpy(path, from, folder);
  strcpy(path + folder, name);
  return path;
}

static torsor_status read_source(scene_source *source, const inclusion *in, const reader *r,
                                 const json_node *node) {
  size_t length = 0;
  torsor_error found = {0};
  torsor_status status = source_read(&source->bytes, &length, source->file, &found);
  if (status == TORSOR_MEMORY) return out_of_memory(in->error);
  if (status || stat(source->file, &source->about))
    return reader_fail(r, node, found.hint, "\"%s\" %s", source->file,
                       status ? found.message : "cannot be read");
  source->text = source->bytes + json_scan_bom(source->bytes, length);
  return source_parse(&source->root, source->bytes, length, source->file, in->error);
}

static torsor_status check_fragment(const inclusion *in, const scene_source *source) {
  static const char *const keys[] = {"torsor",     "$schema",   "title",    "include",
                                     "parameters", "functions", "sections", "models",
                                     "bodies",     "joints",    "forces",   "assemblies"};
  const reader r = source_reader(in, source);
  const json_node root = json_root(source->root), format = json_member(&root, "torsor");
  torsor_status status =
      reader_object(&r, &root, "an included file", keys, sizeof keys / sizeof *keys);
  if (!status && !(cJSON_IsNumber(format.item) && format.item->valuedouble == 1))
    return reader_fail(&r, &format, "write \"torsor\": 1", "the version of the format must be 1");
  for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; ++i) {
    const json_node list = json_member(&root, lists[i]);
    if (list.item) status = reader_array(&r, &list, lists[i]);
  }
  for (size_t i = 0; i < sizeof maps / sizeof *maps && !status; ++i) {
    const json_node map = json_member(&root, maps[i]);
    if (map.item && !cJSON_IsObject(map.item)) status = reader_object(&r, &map, maps[i], NULL, 0);
  }
  return status;
}

static torsor_status visit(const inclusion *in, scene_source *source, int depth);

/* Read the file that `node` of the file `from` names. */
static torsor_status include(const inclusion *in, const scene_source *from, const json_node *node,
                             int depth) {
  const reader r = source_reader(in, from);
  const char *name = NULL;
  torsor_status status = reader_text(&name, &r, node);
  if (status) return status;
  scene_source *source = arena_take(in->memory, 1, sizeof *source);
  const char *file = resolve(in, from->file, name);
  if (!source || !file) return out_of_memory(in->error);
  *source = (scene_source){.up = from, .file = file};
  status = read_source(source, in, &r, node);
  bool again = false;
  for (const scene_source *up = from; up && !status; up = up->up)
    if (same_file(up, source))
      status = reader_fail(&r, node, NULL, "files include each other in a circle: \"%s\"", file);
  for (const scene_source *known = in->parts->first; known && !status; known = known->next)
    again |= same_file(known, source);
  if (!status && depth == INCLUDE_DEPTH)
    status = reader_fail(&r, node, NULL, "files include each other in a chain of over %d", depth);
  if (!status && !again) status = check_fragment(in, source);
  if (!status && !again) status = visit(in, source, depth + 1);
  if (status || again) release_source(source);
  return status;
}

static torsor_status check_model_file(const reader *r, cJSON *root) {
  static const char *const keys[] = {"torsor", "$schema", "title",  "parameters",
                                     "bodies", "joints",  "forces", "assemblies"};
  const json_node top = json_root(root), format = json_member(&top, "torsor");
  const torsor_status status = reader_object(r, &top, "the file of a model", keys, 8);
  if (status || (cJSON_IsNumber(format.item) && format.item->valuedouble == 1)) return status;
  return reader_fail(r, &format, "write \"torsor\": 1", "the version of the format must be 1");
}

/* Puts the content of the file that the model at `node` names in its place. */
static torsor_status load_model(const inclusion *in, scene_source *from, const json_node *node) {
  const reader r = source_reader(in, from);
  scene_source *source = arena_take(in->memory, 1, sizeof *source);
  const char *file = resolve(in, from->file, node->item->valuestring);
  char *member = arena_string(in->memory, node->path.key);
  if (!source || !file || !member) return out_of_memory(in->error);
  *source = (scene_source){.up = from, .file = file};
  torsor_status status = read_source(source, in, &r, node);
  const reader inside = source_reader(in, source);
  if (!status) status = check_model_file(&inside, source->root);
  cJSON *models = cJSON_GetObjectItemCaseSensitive(from->root, "models");
  if (!status) {
    cJSON_DeleteItemFromObjectCaseSensitive(source->root, "torsor");
    cJSON_DeleteItemFromObjectCaseSensitive(source->root, "$schema");
    cJSON *root = source->root;
    source->root = NULL;
    if (!cJSON_ReplaceItemInObjectCaseSensitive(models, member, root)) {
      cJSON_Delete(root);
      status = out_of_memory(in->error);
    }
  }
  if (status) {
    release_source(source);
    return status;
  }
  source->model = member;
  source->next = in->parts->models;
  in->parts->models = source;
  return TORSOR_OK;
}

/* Reads the models of `source` that stand in files of their own. */
static torsor_status load_models(const inclusion *in, scene_source *source) {
  const json_node root = json_root(source->root), models = json_member(&root, "models");
  torsor_status status = TORSOR_OK;
  const cJSON *item = cJSON_IsObject(models.item) ? models.item->child : NULL;
  while (item && !status) {
    const json_node node = {item, {&models.path, item->string, 0}};
    const cJSON *next = item->next;
    if (cJSON_IsString(item) && !reader_is_comment(item->string))
      status = load_model(in, source, &node);
    item = next;
  }
  return status;
}

/* Appends the files that `source` includes, then `source` itself, to the list. */
static torsor_status visit(const inclusion *in, scene_source *source, int depth) {
  const reader r = source_reader(in, source);
  const json_node root = json_root(source->root), files = json_member(&root, "include");
  torsor_status status = files.item ? reader_array(&r, &files, "included files") : TORSOR_OK;
  const cJSON *item = files.item && !status ? files.item->child : NULL;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node file = json_item(&files, item, i);
    status = include(in, source, &file, depth);
  }
  if (!status) status = load_models(in, source);
  if (status) return status;
  scene_parts *parts = in->parts;
  if (parts->last)
    parts->last->next = source;
  else
    parts->first = source;
  parts->last = source;
  return TORSOR_OK;
}

/* ---- merging ------------------------------------------------------------------------------- */

static torsor_status note(const inclusion *in, const scene_source *source, const char *key,
                          const char *member, int first, int count) {
  scene_origin *origin = arena_take(in->memory, 1, sizeof *origin);
  if (!origin) return out_of_memory(in->error);
  *origin = (scene_origin){.next = in->parts->origin,
                           .key = key,
                           .member = member,
                           .first = first,
                           .count = count,
                           .file = source->file,
                           .text = source->text,
                           .inside = source->model != NULL};
  in->parts->origin = origin;
  return TORSOR_OK;
}

static torsor_status move_items(const inclusion *in, cJSON *merged, int *count,
                                const scene_source *source, const char *key) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(source->root, key);
  const int first = *count;
  while (list && list->child) {
    cJSON_AddItemToArray(merged, cJSON_DetachItemViaPointer(list, list->child));
    ++*count;
  }
  return note(in, source, key, NULL, first, *count - first);
}

/* The file with the content of a member: that of a model may be another than that which names it.
 */
static const scene_source *origin_of(const inclusion *in, const scene_source *source,
                                     const char *key, const char *name) {
  const scene_source *model = strcmp(key, "models") == 0 ? in->parts->models : NULL;
  while (model && (model->up != source || strcmp(model->model, name) != 0)) model = model->next;
  return model ? model : source;
}

static torsor_status move_members(const inclusion *in, cJSON *merged, const scene_source *source,
                                  const char *key) {
  cJSON *map = cJSON_GetObjectItemCaseSensitive(source->root, key);
  while (map && map->child) {
    cJSON *member = cJSON_DetachItemViaPointer(map, map->child);
    char *name = arena_string(in->memory, member->string);
    cJSON *old = name ? cJSON_GetObjectItemCaseSensitive(merged, name) : NULL;
    if (old) cJSON_Delete(cJSON_DetachItemViaPointer(merged, old));
    if (!name || !cJSON_AddItemToObject(merged, name, member)) {
      cJSON_Delete(member);
      return out_of_memory(in->error);
    }
    const torsor_status status = note(in, origin_of(in, source, key, name), key, name, 0, 0);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* Merges `key` of all files into the scene `root`; a value that is neither list nor map stays for
 * the reader of the scene to refuse. */
static torsor_status merge_key(const inclusion *in, cJSON *root, const char *key, bool list) {
  const cJSON *own = cJSON_GetObjectItemCaseSensitive(root, key);
  if (own && (list ? !cJSON_IsArray(own) : !cJSON_IsObject(own))) return TORSOR_OK;
  cJSON *merged = list ? cJSON_CreateArray() : cJSON_CreateObject();
  torsor_status status = merged ? TORSOR_OK : out_of_memory(in->error);
  int count = 0;
  for (const scene_source *source = in->parts->first; source && !status; source = source->next)
    status =
        list ? move_items(in, merged, &count, source, key) : move_members(in, merged, source, key);
  if (!status) {
    cJSON_DeleteItemFromObjectCaseSensitive(root, key);
    if (!merged->child) {
      cJSON_Delete(merged);
      return TORSOR_OK;
    }
    if (cJSON_AddItemToObject(root, key, merged)) return TORSOR_OK;
    status = out_of_memory(in->error);
  }
  cJSON_Delete(merged);
  return status;
}

static bool has_model_files(const cJSON *root) {
  const cJSON *item, *models = cJSON_GetObjectItemCaseSensitive(root, "models");
  cJSON_ArrayForEach(item, models) if (cJSON_IsString(item)) return true;
  return false;
}

torsor_status include_read(scene_parts *parts, cJSON *root, arena *memory, const reader *r) {
  const inclusion in = {.parts = parts, .memory = memory, .error = r->error};
  if (!cJSON_GetObjectItemCaseSensitive(root, "include") && !has_model_files(root))
    return TORSOR_OK;
  scene_source *own = arena_take(memory, 1, sizeof *own);
  if (!own) return out_of_memory(r->error);
  *own = (scene_source){.file = r->file, .text = r->text, .root = root};
  if (stat(own->file, &own->about)) memset(&own->about, 0, sizeof own->about);
  torsor_status status = visit(&in, own, 0);
  for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; ++i)
    status = merge_key(&in, root, lists[i], true);
  for (size_t i = 0; i < sizeof maps / sizeof *maps && !status; ++i)
    status = merge_key(&in, root, maps[i], false);
  own->root = NULL;
  if (!status) cJSON_DeleteItemFromObjectCaseSensitive(root, "include");
  return status;
}
