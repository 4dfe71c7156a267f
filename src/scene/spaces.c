/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/spaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/element_name.h"
#include "scene/parameters.h"
#include "scene/physical.h"
#include "scene/repeat.h"

/* Deepest nesting of assemblies, and most of them. */
enum { DEPTH = 20, MOST = 1000000 };

typedef struct expanding {
  scene_spaces *spaces;
  const reader *r;
  long count;
} expanding;

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

void spaces_release(scene_spaces *spaces) {
  for (scene_model *m = spaces->model; m; m = m->next) expression_cache_clear(&m->cache);
  arena_release(&spaces->memory);
  *spaces = (scene_spaces){0};
}

/* ---- use ------------------------------------------------------------------------------------- */

reader space_reader(const scene_space *space, const reader *r) {
  reader out = *r;
  scene_model *model = space->model;
  if (!model) return out;
  if (model->scope.count)
    memcpy(model->scope.value, space->value, (size_t)model->scope.count * sizeof *space->value);
  out.scope = &model->scope;
  out.cache = &model->cache;
  return out;
}

json_node space_list(const scene_space *space, const json_node *root, const char *key) {
  return json_member(space->model ? &space->model->node : root, key);
}

const char *space_full_name(const scene_space *space, const char *name,
                            char room[MODEL_NAME_ROOM]) {
  if (!space->model) return name;
  snprintf(room, MODEL_NAME_ROOM, "%s%s", space->names.prefix, name);
  return room;
}

const model_space *space_names(const scene_space *space) {
  return space->model ? &space->names : NULL;
}

torsor_status space_annotate(const scene_space *space, const reader *r, torsor_status status) {
  torsor_error *error = r->error;
  if (!status || !error || !space->model || status == TORSOR_MEMORY) return status;
  const size_t used = strlen(error->message);
  snprintf(error->message + used, sizeof error->message - used, " (in %s)", space->name);
  return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

static torsor_status read_model(const expanding *e, const json_node *node) {
  static const char *const keys[] = {"parameters", "bodies",     "joints",
                                     "forces",     "assemblies", "title"};
  static const char *const lists[] = {"bodies", "joints", "forces", "assemblies"};
  scene_spaces *spaces = e->spaces;
  scene_model *model = arena_take(&spaces->memory, 1, sizeof *model);
  if (!model) return out_of_memory(e->r);
  *model = (scene_model){.next = spaces->model, .name = node->path.key, .node = *node};
  char shown[96];
  if (!expression_is_name(model->name))
    return reader_fail_key(e->r, node, "letters, digits and _, beginning with a letter or _",
                           "%s cannot be the name of a model",
                           reader_show_text(model->name, shown));
  torsor_status status = reader_object(e->r, node, "a model", keys, 6);
  for (int i = 0; i < 4 && !status; ++i) {
    const json_node list = json_member(node, lists[i]);
    if (list.item) status = reader_array(e->r, &list, lists[i]);
  }
  const json_node parameters = json_member(&model->node, "parameters");
  model->assemblies = json_member(&model->node, "assemblies");
  reader inside = *e->r;
  inside.scope = &model->scope;
  model->scope.outer = e->r->scope;
  if (!status) status = parameters_read(&model->scope, &spaces->memory, &inside, &parameters);
  const size_t count = (size_t)model->scope.count;
  double *fallback = arena_take(&spaces->memory, count, sizeof *fallback);
  if (!status && !fallback) return out_of_memory(e->r);
  if (status) return status;
  if (count) memcpy(fallback, model->scope.value, count * sizeof *fallback);
  model->fallback = fallback;
  model->scope.varies = true;
  spaces->model = model;
  return TORSOR_OK;
}

static torsor_status read_models(const expanding *e) {
  const json_node *models = &e->spaces->models;
  torsor_status status = TORSOR_OK;
  if (!models->item) return TORSOR_OK;
  if (!cJSON_IsObject(models->item)) return reader_object(e->r, models, "the models", NULL, 0);
  for (const cJSON *item = models->item->child; item && !status; item = item->next) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&models->path, item->string, 0}};
    status = read_model(e, &node);
  }
  return status;
}

static torsor_status find_model(scene_model **out, const expanding *e, const reader *r,
                                const json_node *node) {
  enum { NAMES = 256 };
  const char *word = NULL, *names[NAMES];
  int count = 0;
  const torsor_status status = reader_text(&word, r, node);
  if (status) return status;
  for (scene_model *m = e->spaces->model; m; m = m->next) {
    if (strcmp(m->name, word) == 0) {
      *out = m;
      return TORSOR_OK;
    }
    if (count < NAMES) names[count++] = m->name;
  }
  char shown[96];
  const char *near = torsor_near_name(word, names, count);
  reader_fail(r, node, count ? NULL : "models stand under \"models\"", "there is no model %s",
              reader_show_text(word, shown));
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The parameters of the model with numbers in place of what the instance gives. */
static torsor_status merge_values(cJSON *merged, const scene_model *model, const reader *r,
                                  const json_node *given) {
  const cJSON *item;
  cJSON_ArrayForEach(item, given->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&given->path, item->string, 0}};
    double value = 0;
    if (expression_find(&model->scope, item->string) < 0) {
      char shown[96];
      const char *near = torsor_near_name(item->string, model->scope.name, model->scope.count);
      reader_fail_key(r, &node, "parameters of a model, with their defaults, stand in it",
                      "model \"%s\" has no parameter %s", model->name,
                      reader_show_text(item->string, shown));
      if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
      return TORSOR_SCENE;
    }
    const torsor_status status = reader_number(&value, r, &node);
    if (status) return status;
    cJSON *number = cJSON_CreateNumber(value);
    if (!number || !cJSON_ReplaceItemInObjectCaseSensitive(merged, item->string, number))
      return out_of_memory(r);
  }
  return TORSOR_OK;
}

static torsor_status read_values(scene_space *space, const expanding *e, const reader *r,
                                 const json_node *element) {
  const scene_model *model = space->model;
  const json_node given = json_member(element, "parameters");
  space->value = model->fallback;
  if (!given.item) return TORSOR_OK;
  if (!cJSON_IsObject(given.item)) return reader_object(r, &given, "the parameters", NULL, 0);
  const json_node own = json_member(&model->node, "parameters");
  cJSON *merged = own.item ? cJSON_Duplicate(own.item, true) : cJSON_CreateObject();
  if (!merged) return out_of_memory(r);
  expression_scope scope = {.outer = e->r->scope};
  reader inside = *e->r;
  inside.scope = &scope;
  const json_node parameters = {merged, own.path};
  torsor_status status = merge_values(merged, model, r, &given);
  if (!status) status = parameters_read(&scope, &e->spaces->memory, &inside, &parameters);
  if (!status) space->value = scope.value;
  cJSON_Delete(merged);
  return status;
}

/* ---- an instance ----------------------------------------------------------------------------- */

/* Reads "with": names in the model for elements outside. */
static torsor_status read_aliases(scene_space *space, const expanding *e, const reader *r,
                                  const json_node *element) {
  const json_node with = json_member(element, "with");
  if (!with.item) return TORSOR_OK;
  if (!cJSON_IsObject(with.item))
    return reader_object(r, &with, "the names of elements outside", NULL, 0);
  for (const cJSON *item = with.item->child; item; item = item->next) {
    const json_node node = {item, {&with.path, item->string, 0}};
    const char *text = NULL;
    char buffer[ELEMENT_ROOM];
    if (reader_is_comment(item->string)) continue;
    const torsor_status status = reader_pattern(&text, buffer, sizeof buffer, r, &node);
    if (status) return status;
    if (strcmp(text, "ground") == 0 || strcmp(item->string, "ground") == 0)
      return reader_fail(r, &node,
                         "in a model \"ground\" is the ground with the frame of the "
                         "assembly",
                         "the ground needs no other name");
    model_alias *alias = arena_take(&e->spaces->memory, 1, sizeof *alias);
    const char *copy = alias ? arena_string(&e->spaces->memory, text) : NULL;
    if (!copy) return out_of_memory(r);
    *alias = (model_alias){space->names.alias, item->string, copy};
    space->names.alias = alias;
  }
  return TORSOR_OK;
}

static torsor_status read_frame(scene_space *space, const expanding *e, const reader *r,
                                const json_node *element) {
  const json_node position = json_member(element, "position"), in = json_member(element, "in");
  const json_node orientation = json_member(element, "orientation");
  const char *text = NULL;
  char buffer[ELEMENT_ROOM];
  torsor_status status = TORSOR_OK;
  space->frame = se3_identity();
  space->moved =
      position.item || orientation.item || in.item || (space->outer && space->outer->moved);
  if (position.item) status = reader_vector(&space->frame.x, r, &position);
  if (!status && orientation.item) status = physical_orientation(&space->frame.R, r, &orientation);
  if (!status && in.item) status = reader_pattern(&text, buffer, sizeof buffer, r, &in);
  if (status || !text || strcmp(text, "ground") == 0) return status;
  space->in = arena_string(&e->spaces->memory, text);
  return space->in ? TORSOR_OK : out_of_memory(r);
}

static torsor_status read_name(scene_space *space, const expanding *e, const reader *r,
                               const json_node *element) {
  const scene_space *outer = space->outer;
  char buffer[ELEMENT_ROOM], full[2 * ELEMENT_ROOM];
  const char *name = NULL;
  const torsor_status status = element_name_read(&name, buffer, r, element);
  if (status) return status;
  snprintf(full, sizeof full, "%s%s", outer ? outer->names.prefix : "", name);
  if (strlen(full) > ELEMENT_NAME) {
    const json_node node = json_member(element, "name");
    return reader_fail(r, &node, NULL, "the name %.80s is longer than %d characters", full,
                       ELEMENT_NAME);
  }
  space->name = arena_string(&e->spaces->memory, full);
  strcat(full, "_");
  space->names.prefix = arena_string(&e->spaces->memory, full);
  space->names.outer = outer ? &outer->names : NULL;
  return space->name && space->names.prefix ? TORSOR_OK : out_of_memory(r);
}

static torsor_status check_circle(const scene_space *space, const reader *r,
                                  const json_node *node) {
  int depth = 0;
  for (const scene_space *at = space->outer; at; at = at->outer, ++depth)
    if (at->model == space->model || depth == DEPTH)
      return reader_fail(r, node, "a model cannot stand in itself",
                         "models stand in each other in a circle: \"%s\"", space->model->name);
  return TORSOR_OK;
}

static void append(scene_spaces *spaces, scene_space *space) {
  if (spaces->last)
    spaces->last->next = space;
  else
    spaces->first = space;
  spaces->last = space;
}

static torsor_status expand(expanding *e, const scene_space *outer, const json_node *list);

static torsor_status read_instance(expanding *e, const scene_space *outer, const reader *r,
                                   const json_node *element) {
  static const char *const keys[] = {"name",     "model",       "parameters", "with", "in",
                                     "position", "orientation", "repeat",     "index"};
  const json_node model = json_member(element, "model");
  scene_space *space = arena_take(&e->spaces->memory, 1, sizeof *space);
  if (!space) return out_of_memory(r);
  *space = (scene_space){.outer = outer, .place = *element};
  torsor_status status = reader_object(r, element, "an assembly", keys, 9);
  if (!status && ++e->count > MOST)
    status = reader_fail(r, element, NULL, "there are more than %d assemblies", MOST);
  if (!status) status = find_model(&space->model, e, r, &model);
  if (!status) status = check_circle(space, r, &model);
  if (!status) status = read_name(space, e, r, element);
  if (!status) status = read_values(space, e, r, element);
  if (!status) status = read_aliases(space, e, r, element);
  if (!status) status = read_frame(space, e, r, element);
  if (status) return status;
  status = expand(e, space, &space->model->assemblies);
  append(e->spaces, space);
  return space_annotate(space, r, status);
}

/* The instances of a list, each as often as it is repeated. */
static torsor_status expand(expanding *e, const scene_space *outer, const json_node *list) {
  torsor_status status = TORSOR_OK;
  if (!list->item) return TORSOR_OK;
  status = reader_array(e->r, list, "the assemblies");
  const cJSON *item = status ? NULL : list->item->child;
  for (int number = 0; item && !status; ++number, item = item->next) {
    const json_node element = json_item(list, item, number);
    const reader r = outer ? space_reader(outer, e->r) : *e->r;
    repeat all;
    status = repeat_begin(&all, &r, &element);
    for (int i = 0; i < all.count && !status; ++i) {
      all.i = i;
      status = read_instance(e, outer, &all.r, &element);
      status = repeat_annotate(&all, status);
    }
    repeat_end(&all);
  }
  return status;
}

torsor_status spaces_find(scene_spaces *out, const cJSON *root, const reader *r) {
  *out = (scene_spaces){.root = json_root(root)};
  out->models = json_member(&out->root, "models");
  out->assemblies = json_member(&out->root, "assemblies");
  expanding e = {.spaces = out, .r = r};
  torsor_status status = read_models(&e);
  if (!status) status = expand(&e, NULL, &out->assemblies);
  scene_space *scene = arena_take(&out->memory, 1, sizeof *scene);
  if (!status && !scene) status = out_of_memory(r);
  if (status) return status;
  *scene = (scene_space){.frame = se3_identity()};
  append(out, scene);
  return TORSOR_OK;
}
