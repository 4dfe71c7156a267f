/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/registry.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The build writes ELEMENT(name) for every word of the list in src/elements/meson.build. */
#define ELEMENT(name) extern const torsor_element_type name;
#include "element_list.h"
#undef ELEMENT

static const torsor_element_type *const built_in[] = {
#define ELEMENT(name) &name,
#include "element_list.h"
#undef ELEMENT
};

torsor_registry *torsor_registry_create(torsor_error *error) {
  torsor_registry *registry = calloc(1, sizeof *registry);
  if (!registry) {
    torsor_fail(error, TORSOR_MEMORY, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < sizeof built_in / sizeof *built_in; ++i)
    if (torsor_registry_add(registry, built_in[i], error)) {
      torsor_registry_destroy(registry);
      return NULL;
    }
  return registry;
}

static void release_bound(torsor_registry *registry) {
  while (registry->bound) {
    bound_callback *b = registry->bound;
    registry->bound = b->next;
    if (b->callback.destroy) b->callback.destroy(b->callback.data);
    free(b->name);
    free(b);
  }
}

void torsor_registry_destroy(torsor_registry *registry) {
  if (!registry) return;
  release_bound(registry);
  for (int i = 0; i < registry->handle_count; ++i) dlclose(registry->handles[i]);
  free(registry->handles);
  free(registry->types);
  free(registry);
}

static bool are_complete(const torsor_place_outputs *places) {
  if (!places->name || !places->unit || !places->doc || !places->component) return false;
  int count = 0;
  while (places->component[count]) ++count;
  return count > 0 && count <= TORSOR_PLACE_COMPONENTS && places->place && places->output;
}

/* Returns the name of a member that the type table lacks, or NULL. */
static const char *missing_member(const torsor_element_type *type) {
  if (!type->name || !type->name[0]) return "name";
  if (!type->title) return "title";
  if (!type->doc) return "doc";
  if (!type->example) return "example";
  if (!type->params) return "params";
  if (!type->size) return "size";
  if (type->composite.expand) return type->composite.parts ? NULL : "composite.parts";
  if (!type->prepare) return "prepare";
  if (!type->eval) return "eval";
  if (type->coordinates.list && !type->coordinates.eval) return "coordinates.eval";
  if (type->outputs.list && !type->outputs.eval) return "outputs.eval";
  if (type->outputs.places && !are_complete(type->outputs.places)) return "outputs.places";
  return NULL;
}

/* A parameter with a key that every element has already, or that is a comment; NULL when there is
 * none. */
static const char *taken_key(const torsor_element_type *type) {
  static const char *const taken[] = {"name",   "type",  "repeat", "index",
                                      "active", "shape", "comment"};
  for (const torsor_param *p = type->params; p->key; ++p) {
    if (p->key[0] == '_') return p->key;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i)
      if (!strcmp(p->key, taken[i])) return p->key;
  }
  return NULL;
}

/* A parameter without the words that its kind needs, or NULL. */
static const char *wordless_key(const torsor_element_type *type) {
  for (const torsor_param *p = type->params; p->key; ++p) {
    const bool needed = p->kind == TORSOR_PARAM_CHOICE || p->kind == TORSOR_PARAM_CHARACTERISTIC ||
                        p->kind == TORSOR_PARAM_CALLBACK;
    if (needed && (!p->choices || !p->choices[0])) return p->key;
  }
  return NULL;
}

torsor_status torsor_registry_add(torsor_registry *registry, const torsor_element_type *type,
                                  torsor_error *error) {
  if (type->abi != TORSOR_ELEMENT_ABI)
    return torsor_fail(error, TORSOR_PLUGIN, "element type has ABI version %u, this library has %u",
                       (unsigned)type->abi, (unsigned)TORSOR_ELEMENT_ABI);
  const char *missing = missing_member(type);
  if (missing)
    return torsor_fail(error, TORSOR_PLUGIN, "element type \"%s\" lacks the member \"%s\"",
                       type->name ? type->name : "", missing);
  const char *taken = taken_key(type);
  if (taken)
    return torsor_fail(error, TORSOR_PLUGIN,
                       "element type \"%s\" has a parameter \"%s\", a key of every element",
                       type->name, taken);
  const char *wordless = wordless_key(type);
  if (wordless)
    return torsor_fail(error, TORSOR_PLUGIN,
                       "the parameter \"%s\" of element type \"%s\" lacks its `choices`", wordless,
                       type->name);
  if (torsor_registry_find(registry, type->name))
    return torsor_fail(error, TORSOR_PLUGIN, "there is already an element type \"%s\"", type->name);
  if (registry->count == registry->size) {
    const int size = 2 * registry->size + 16;
    const torsor_element_type **types = realloc(registry->types, (size_t)size * sizeof *types);
    if (!types) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    registry->types = types;
    registry->size = size;
  }
  registry->types[registry->count++] = type;
  return TORSOR_OK;
}

int torsor_registry_count(const torsor_registry *registry) {
  return registry->count;
}

const torsor_element_type *torsor_registry_at(const torsor_registry *registry, int i) {
  return i >= 0 && i < registry->count ? registry->types[i] : NULL;
}

const torsor_element_type *torsor_registry_find(const torsor_registry *registry, const char *name) {
  for (int i = 0; i < registry->count; ++i)
    if (!strcmp(registry->types[i]->name, name)) return registry->types[i];
  return NULL;
}
