/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/controllers.h"
#include "scene/scene_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/element_name.h"
#include "scene/block_elements.h"
#include "scene/element_values.h"
#include "scene/elements.h"
#include "scene/event_joints.h"
#include "scene/derived_signals.h"
#include "scene/events.h"
#include "scene/kinks.h"
#include "scene/places.h"
#include "scene/repeat.h"
#include "scene/setters.h"
#include "scene/shapes.h"

const char *const scene_lists[3] = {"bodies", "joints", "forces"};

static const char *const kind_words[] = {"body", "joint", "force"};

/* The type of this kind with the nearest name; NULL when none is near. */
static const char *near_type(const torsor_registry *registry, torsor_kind kind, const char *word) {
  enum { TYPES = 256 };
  const char *names[TYPES];
  int count = 0;
  for (int i = 0; i < torsor_registry_count(registry) && count < TYPES; ++i) {
    const torsor_element_type *known = torsor_registry_at(registry, i);
    if (known->kind == kind) names[count++] = known->name;
  }
  return torsor_near_name(word, names, count);
}

static torsor_status fail_type(const reader *r, const torsor_registry *registry, torsor_kind kind,
                               const json_node *type) {
  const char *word = type->item->valuestring;
  char shown[96];
  const torsor_element_type *other = torsor_registry_find(registry, word);
  if (other) {
    reader_fail(r, type, NULL, "\"%s\" is a %s, not a %s", word, kind_words[other->kind],
                kind_words[kind]);
    torsor_hint(r->error, "it belongs into \"%s\"", scene_lists[other->kind]);
    return TORSOR_SCENE;
  }
  const char *near = near_type(registry, kind, word);
  reader_fail(r, type, NULL, "there is no %s type %s", kind_words[kind],
              reader_show_text(word, shown));
  if (near)
    torsor_hint(r->error, "did you mean \"%s\"?", near);
  else if (strncmp(word, "user_", 5) == 0)
    torsor_hint(r->error, "it is known where a callback is bound: by torsor_registry_bind, or by a "
                          "plug-in (--plugin)");
  else
    torsor_hint(r->error, "`torsor list` shows the types");
  setters_hint(r->error, "torsor_registry_at");
  return TORSOR_SCENE;
}

static torsor_status read_type(const torsor_element_type **out, const reader *r,
                               const torsor_registry *registry, torsor_kind kind,
                               const json_node *element) {
  const json_node type = json_member(element, "type");
  const char *word;
  const torsor_status status = reader_text(&word, r, &type);
  if (status) return status;
  *out = torsor_registry_find(registry, word);
  if (*out && (*out)->kind == kind) return TORSOR_OK;
  return fail_type(r, registry, kind, &type);
}

/* Reads "active": a force or a joint may be off until an event switches it on. */
static torsor_status read_active(torsor_builder *builder, const reader *r, const char *name,
                                 const json_node *element) {
  const json_node node = json_member(element, "active");
  bool active = true;
  int found;
  if (!node.item) return TORSOR_OK;
  torsor_status status = reader_boolean(&active, r, &node);
  if (!status) status = torsor_builder_switched(&found, builder, name, r->error);
  if (!status) torsor_builder_active(builder, found, active);
  return status;
}

static torsor_status add_instance(torsor_builder *builder, const element_context *context,
                                  const torsor_element_type *type, const char *name,
                                  const json_node *element) {
  const reader *r = context->r;
  void *instance = calloc(1, type->size);
  if (!instance) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  torsor_status status = element_values_read(instance, context, type, element);
  if (!status && type->kind == TORSOR_BODY) places_apply(context->places, type, name, instance);
  if (!status) {
    if (r->error) r->error->path[0] = '\0';
    status = torsor_builder_add(builder, type, name, instance, r->error);
    if (status && r->error) /* elements leave the key there */
      snprintf(r->error->parameter, sizeof r->error->parameter, "%.63s", r->error->path);
    status = reader_locate(r, &element->path, status);
  }
  free(instance);
  return status;
}

static torsor_status add_element(torsor_builder *builder, const element_context *context,
                                 const torsor_registry *registry, torsor_kind kind,
                                 const json_node *element) {
  const reader *r = context->r;
  const torsor_element_type *type = NULL;
  const char *name = NULL;
  char buffer[ELEMENT_ROOM], full[MODEL_NAME_ROOM];
  torsor_status status = element_name_read(&name, buffer, r, element);
  if (status) return status;
  name = space_full_name(context->space, name, full);
  if (kind == TORSOR_BODY && places_is_assembly(context->places, name)) {
    const json_node node = json_member(element, "name");
    return reader_fail(r, &node, "rename one of them", "there is an assembly \"%s\" already", name);
  }
  status = read_type(&type, r, registry, kind, element);
  if (!status) status = add_instance(builder, context, type, name, element);
  if (!status && kind == TORSOR_BODY) status = shapes_read(builder, r, name, element);
  if (!status && kind != TORSOR_BODY) status = read_active(builder, r, name, element);
  if (status) torsor_blame(r->error, name);
  return status;
}

/* The places and the space with which elements are read. */
typedef struct building {
  const scene_places *places;
  const scene_space *space;
} building;

/* One element, or as many as "repeat" says. */
static torsor_status add_object(torsor_builder *builder, const torsor_scene *scene,
                                const building *b, const reader *r, torsor_kind kind,
                                const json_node *element) {
  const char *what = kind_words[kind];
  if (!cJSON_IsObject(element->item)) {
    char shown[96];
    return reader_fail(r, element, "{\"name\": \"...\", \"type\": \"...\", ...}",
                       "a %s must be an object, but is %s", what,
                       reader_show(element->item, shown));
  }
  repeat all;
  const json_node root = json_root(scene->root), sections = json_member(&root, "sections");
  element_defaults defaults = {0};
  const element_context context = {.r = &all.r,
                                   .builder = builder,
                                   .functions = scene->functions,
                                   .group = scene->group,
                                   .sections = &sections,
                                   .defaults = &defaults,
                                   .places = b->places,
                                   .space = b->space,
                                   .registry = scene->registry};
  torsor_status status = repeat_begin(&all, r, element);
  for (int i = 0; i < all.count && !status; ++i) {
    all.i = i;
    status = add_element(builder, &context, scene->registry, kind, element);
    status = repeat_annotate(&all, status);
  }
  element_defaults_release(&defaults);
  repeat_end(&all);
  return status;
}

/* Reads the object "ground", whose markers have been read already. */
static torsor_status add_ground(torsor_builder *builder, const reader *r, const json_node *ground) {
  static const char *const keys[] = {"shape", "markers"};
  if (!ground->item) return TORSOR_OK;
  const torsor_status status = reader_object(r, ground, "the ground", keys, 2);
  return status ? status : shapes_read(builder, r, "ground", ground);
}

/* The elements of one list of the scene or of an assembly. */
static torsor_status add_list(torsor_builder *builder, const torsor_scene *scene, const building *b,
                              const reader *outside, torsor_kind kind, const json_node *root) {
  const reader r = space_reader(b->space, outside);
  const json_node list = space_list(b->space, root, scene_lists[kind]);
  if (!list.item) return TORSOR_OK;
  torsor_status status = reader_array(&r, &list, scene_lists[kind]);
  const cJSON *item = list.item->child;
  builder_enter(builder, space_names(b->space));
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node element = json_item(&list, item, i);
    status = add_object(builder, scene, b, &r, kind, &element);
  }
  builder_enter(builder, NULL);
  return space_annotate(b->space, &r, status);
}

/* Adds the joints that events lock and weld. */
static torsor_status add_event_joints(torsor_builder *builder, const torsor_scene *scene,
                                      const building *b, const reader *r) {
  const json_node root = json_root(scene->root), sections = json_member(&root, "sections");
  const json_node events = json_member(&root, "events");
  element_defaults defaults = {0};
  const element_context context = {.r = r,
                                   .builder = builder,
                                   .functions = scene->functions,
                                   .group = scene->group,
                                   .sections = &sections,
                                   .defaults = &defaults,
                                   .places = b->places,
                                   .space = b->space,
                                   .registry = scene->registry};
  const torsor_status status = event_joints_add(builder, &context, add_instance, &events);
  element_defaults_release(&defaults);
  return status;
}

static torsor_status add_elements(torsor_builder *builder, const torsor_scene *scene,
                                  const reader *r) {
  const json_node root = json_root(scene->root), ground = json_member(&root, "ground");
  const json_node controllers = json_member(&root, "controllers");
  scene_spaces spaces = {0};
  scene_places *places = NULL;
  torsor_status status = add_ground(builder, r, &ground);
  if (!status) status = spaces_find(&spaces, scene->root, r);
  if (!status) status = places_find(&places, &spaces, scene->registry, r);
  for (int kind = 0; kind < 3 && !status; ++kind) {
    for (const scene_space *space = spaces.first; space && !status; space = space->next) {
      const building b = {places, space};
      status = add_list(builder, scene, &b, r, (torsor_kind)kind, &root);
    }
    if (kind == TORSOR_BODY && !status)
      status = blocks_add_states(builder, &scene->blocks, r, &controllers);
  }
  if (!status)
    status = blocks_add_rates(builder, &scene->blocks, scene->functions, r, &controllers);
  if (!status) {
    const building b = {places, spaces.last};
    status = add_event_joints(builder, scene, &b, r);
  }
  places_destroy(places);
  spaces_release(&spaces);
  return status;
}

torsor_status torsor_scene_model(torsor_model **out, const torsor_scene *scene,
                                 torsor_error *error) {
  const reader r = scene_reader(scene, error);
  const json_node root = json_root(scene->root);
  const json_node bodies = json_member(&root, scene_lists[TORSOR_BODY]);
  const json_node events = json_member(&root, "events");
  const json_node controllers = json_member(&root, "controllers");
  const json_node derived = json_member(&root, "signals");
  torsor_builder *builder = NULL;
  *out = NULL;
  if (error) *error = (torsor_error){0};
  torsor_status status = torsor_builder_create(&builder, scene->gravity, error);
  if (!status) torsor_builder_guess(builder, scene->guess);
  if (!status) kinks_forget(scene->functions);
  if (!status) status = scene_inputs_add(builder, &scene->inputs, &r);
  if (!status) status = add_elements(builder, scene, &r);
  if (!status)
    status = controllers_read(builder, &scene->inputs, scene->registry, &r, &controllers);
  if (!status) status = samples_add(builder, &scene->samples, scene->functions, &r, &controllers);
  if (!status) status = derived_signals_read(builder, scene->functions, &r, &derived);
  if (!status) status = events_read(builder, scene->functions, &r, &events);
  if (!status)
    status = events_add_relays(builder, scene->functions, &scene->relays, &r, &controllers);
  if (!status)
    status = kinks_add(builder, scene->functions,
                       cJSON_GetArraySize(events.item) + 2 * scene->relays.count, error);
  if (!status) {
    if (functions_follow_load(scene->functions)) torsor_builder_follows_load(builder);
    if (functions_want_one_thread(scene->functions)) torsor_builder_one_thread(builder);
    status = torsor_builder_finish(out, builder, error);
    status = reader_locate(&r, &bodies.path, status);
    if (status) setters_hint(error, "torsor_element_new(draft, \"point_mass\", \"ball\")");
  }
  if (!status) status = derived_signals_check(*out, &r, &derived);
  if (!status) status = events_check(*out, &scene->relays, &r, &events, &controllers);
  if (!status) status = samples_check(*out, &scene->samples, &r, &controllers);
  if (status) {
    torsor_model_destroy(*out);
    *out = NULL;
  }
  torsor_builder_destroy(builder);
  if (!status && error) *error = (torsor_error){0};
  return status;
}

/* Elements of a composite have its name and what follows a dot or a bracket. */
static bool is_or_holds(const char *own, const char *name) {
  const size_t length = strlen(own);
  return strncmp(own, name, length) == 0 && strchr(".[", name[length]) != NULL;
}

static bool is_called(const reader *r, const json_node *element, const char *name) {
  char buffer[ELEMENT_ROOM];
  const char *own = NULL;
  repeat all;
  bool found = false;
  torsor_status status = repeat_begin(&all, r, element);
  for (int i = 0; i < all.count && !status && !found; ++i) {
    all.i = i;
    status = element_name_read(&own, buffer, &all.r, element);
    found = !status && is_or_holds(own, name);
  }
  repeat_end(&all);
  return found;
}

/* Finds the element `name` of the whole scene in the lists of a space. */
static bool place_in(const scene_space *space, const json_node *root, const reader *r,
                     const char *name) {
  reader silent = space_reader(space, r);
  const char *prefix = space->model ? space->names.prefix : "";
  const size_t length = strlen(prefix);
  silent.error = NULL;
  if (strncmp(name, prefix, length) != 0) return false;
  for (int kind = 0; kind < 3; ++kind) {
    const json_node list = space_list(space, root, scene_lists[kind]);
    const cJSON *item;
    int index = -1;
    cJSON_ArrayForEach(item, list.item) {
      const json_node element = json_item(&list, item, ++index);
      if (!is_called(&silent, &element, name + length)) continue;
      reader_place(r, &element.path, false);
      return true;
    }
  }
  return false;
}

bool scene_place_element(const torsor_scene *scene, torsor_error *error, const char *name) {
  const reader silent = scene_reader(scene, NULL), r = scene_reader(scene, error);
  const json_node root = json_root(scene->root);
  scene_spaces spaces = {0};
  bool found = false;
  if (!spaces_find(&spaces, scene->root, &silent))
    for (const scene_space *space = spaces.first; space && !found; space = space->next)
      found = place_in(space, &root, &r, name);
  spaces_release(&spaces);
  return found;
}

/* ---- an element in the making ---------------------------------------------------------------- */

const torsor_element_type *element_type_near(const torsor_registry *registry, const char *word) {
  for (int kind = TORSOR_BODY; kind <= TORSOR_FORCE; ++kind) {
    const char *near = near_type(registry, (torsor_kind)kind, word);
    if (near) return torsor_registry_find(registry, near);
  }
  return NULL;
}

torsor_status element_member_check(const torsor_element_type **type, const reader *r,
                                   const torsor_registry *registry, const json_node *element,
                                   const char *key) {
  const json_node value = json_member(element, key);
  char buffer[ELEMENT_ROOM];
  const char *name = NULL;
  bool active;
  int count;
  if (strcmp(key, "name") == 0) return element_name_read(&name, buffer, r, element);
  if (strcmp(key, "type") == 0) return read_type(type, r, registry, (*type)->kind, element);
  if (strcmp(key, "active") == 0 && (*type)->kind != TORSOR_BODY)
    return reader_boolean(&active, r, &value);
  if (strcmp(key, "repeat") == 0) return reader_integer(&count, r, &value, 0);
  return element_value_check(r, registry, *type, element, key);
}
