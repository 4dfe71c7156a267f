/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_ELEMENT_VALUES_H
#define TORSOR_SCENE_ELEMENT_VALUES_H

#include <torsor/model.h>

#include "scene/functions.h"
#include "scene/places.h"
#include "scene/reader.h"

/** Default values of parameters, read as JSON once for all elements of an object. */
typedef struct element_defaults {
  struct default_value *first;
  bool checked; /* the object's keys are good */
} element_defaults;

void element_defaults_release(element_defaults *defaults);

/** Everything that the parameter values of an element depend on. */
typedef struct element_context {
  const reader *r;
  const torsor_builder *builder;   /* where markers find their bodies */
  function_list *functions;        /* owns the functions of time */
  torsor_group group;              /* group of bodies that name none */
  const json_node *sections;       /* "sections" of the scene */
  element_defaults *defaults;      /* default values of the element's object */
  const torsor_registry *registry; /* with callbacks that are bound */
  const scene_places *places;      /* named markers; NULL: none */
  const scene_space *space;        /* the assembly in which the element stands, or the scene */
} element_context;

/** Fill `instance` (zeroed, type->size bytes) from the object `node` as the parameter table of
 *  `type` says.  Keys "name", "type", "repeat" and "index" are left alone. */
torsor_status element_values_read(void *instance, const element_context *context,
                                  const torsor_element_type *type, const json_node *node);

/** The keys of the object `node` are those of an element of this type. */
torsor_status element_keys_check(const reader *r, const torsor_element_type *type,
                                 const json_node *node);

/** Check the member `key` of `element`, where it is a parameter of the type, as far as that is
 *  possible without other elements: r->postponed says that more follows when the scene is read. */
torsor_status element_value_check(const reader *r, const torsor_registry *registry,
                                  const torsor_element_type *type, const json_node *element,
                                  const char *key);

/** Is the value at `key` of an element a curve? */
bool element_takes_curve(const torsor_element_type *type, const char *key);

/** Can the value at `key` of an element be an object of several members? */
bool element_takes_object(const torsor_element_type *type, const char *key);

#endif
