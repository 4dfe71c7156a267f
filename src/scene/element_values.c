/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/element_values.h"
#include "scene/fitted_markers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/callbacks.h"
#include "scene/homogeneous.h"
#include "scene/inertia.h"
#include "scene/json_scan.h"
#include "scene/layers.h"
#include "scene/markers.h"
#include "scene/names.h"
#include "scene/paths.h"
#include "scene/physical.h"
#include "scene/sections.h"
#include "scene/setters.h"
#include "scene/shell_mesh.h"

/* ---- conditions and hints -------------------------------------------------------------------- */

/* Values with parts of their own, which are what messages are about. */
static bool is_compound(const torsor_param *param) {
  return param->kind == TORSOR_PARAM_MARKER || param->kind == TORSOR_PARAM_ORIENTATION ||
         param->kind == TORSOR_PARAM_SECTION || param->kind == TORSOR_PARAM_SECTION_TABLE;
}

/* Name the parameter, and say what it is. */
static void hint_param(const reader *r, const torsor_param *param) {
  if (!r->error) return;
  snprintf(r->error->parameter, sizeof r->error->parameter, "%s", param->key);
  if (!is_compound(param) && !r->error->hint[0])
    torsor_hint(r->error, param->unit ? "%s, in %s" : "%s", param->doc, param->unit);
  setters_hint(r->error, setters_of(param->kind));
}

static torsor_status read_number(double *out, const reader *r, const json_node *node,
                                 unsigned conditions) {
  const torsor_status status = reader_number(out, r, node);
  if (status) return status;
  const char *broken = NULL;
  if ((conditions & TORSOR_POSITIVE) && !(*out > 0)) broken = "greater than 0";
  if ((conditions & TORSOR_NONNEGATIVE) && !(*out >= 0)) broken = "0 or greater";
  if (!broken) return TORSOR_OK;
  char shown[96];
  const bool written = cJSON_IsString(node->item);
  return reader_fail(r, node, NULL,
                     written ? "must be %s, but is %g (%s)" : "must be %s, but is %g", broken, *out,
                     reader_show(node->item, shown));
}

/* ---- values of the longer kinds -------------------------------------------------------------- */

static torsor_status read_group(torsor_group *out, const reader *r, const json_node *node) {
  static const char *const words[] = {"R3xSO3", "SE3", "SO3"};
  static const torsor_group groups[] = {TORSOR_GROUP_R3SO3, TORSOR_GROUP_SE3, TORSOR_GROUP_SO3};
  int chosen = 0;
  const torsor_status status = reader_word(&chosen, r, node, words, 3);
  *out = groups[chosen];
  return status;
}

static torsor_status read_choice(int *out, const reader *r, const json_node *node,
                                 const char *const *choices) {
  int count = 0;
  while (choices[count]) ++count;
  return reader_word(out, r, node, choices, count);
}

static torsor_status read_matrix6(m6 *out, const reader *r, const json_node *node) {
  torsor_status status = reader_array(r, node, "a 6x6 matrix");
  if (status) return status;
  if (cJSON_GetArraySize(node->item) != 6)
    return reader_fail(r, node, "rows of forces along x, y, z and of moments about x, y, z",
                       "must be a list of 6 rows, but has %d", cJSON_GetArraySize(node->item));
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    status = reader_numbers(out->m[i], 6, r, &row);
  }
  return status;
}

/* Reads the name of a part of the model that stands before; messages about it get their place anew.
 */
static torsor_status read_name(const char **name, char *buffer, size_t size, const reader *r,
                               const json_node *node) {
  const torsor_status status = reader_pattern(name, buffer, size, r, node);
  if (status || reader_postpones(r)) return status ? status : TORSOR_SCENE;
  if (r->error) r->error->path[0] = '\0';
  return TORSOR_OK;
}

static torsor_status read_chain(torsor_chain *out, const element_context *context,
                                const json_node *node) {
  const reader *r = context->r;
  const char *name = NULL;
  char buffer[256];
  torsor_status status = read_name(&name, buffer, sizeof buffer, r, node);
  if (status) return status;
  status = torsor_builder_chain(out, context->builder, name, r->error);
  return status ? reader_locate(r, &node->path, status) : TORSOR_OK;
}

static torsor_status read_surface(torsor_surface *out, const element_context *context,
                                  const json_node *node) {
  const reader *r = context->r;
  const char *name = NULL;
  char buffer[256];
  torsor_status status = read_name(&name, buffer, sizeof buffer, r, node);
  if (status) return status;
  status = torsor_builder_surface(out, context->builder, name, r->error);
  return status ? reader_locate(r, &node->path, status) : TORSOR_OK;
}

/* Reads the names of bodies that precede the element. */
static torsor_status read_bodies(torsor_bodies *out, const element_context *context,
                                 const json_node *node) {
  const reader *r = context->r;
  torsor_status status = reader_array(r, node, "a list of names of bodies");
  const int count = status ? 0 : cJSON_GetArraySize(node->item);
  if (!status && !count) return reader_fail(r, node, NULL, "is empty: name a body at least");
  const char **name = calloc((size_t)count + 1, sizeof *name);
  char **owned = calloc((size_t)count + 1, sizeof *owned);
  if (!name || !owned) status = torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  const cJSON *item = status ? NULL : node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node at = json_item(node, item, i);
    status = reader_long_pattern(&name[i], &owned[i], r, &at);
  }
  int which = 0;
  if (!status && reader_postpones(r))
    status = TORSOR_SCENE;
  else if (!status) {
    if (r->error) r->error->path[0] = '\0';
    status = torsor_builder_bodies(out, context->builder, name, count, &which, r->error);
    if (status) status = reader_locate(r, &node->path, status);
  }
  for (int i = 0; owned && i < count; ++i) free(owned[i]);
  free(name);
  free(owned);
  return status;
}

/* Reads the coordinate of a joint that precedes the element. */
static torsor_status read_coordinate(torsor_coordinate_ref *out, const element_context *context,
                                     const json_node *node) {
  const reader *r = context->r;
  const char *name = NULL;
  char buffer[256];
  torsor_status status = reader_pattern(&name, buffer, sizeof buffer, r, node);
  if (status || reader_postpones(r)) return status ? status : TORSOR_SCENE;
  if (r->error) r->error->path[0] = '\0';
  status = torsor_builder_coordinate(out, context->builder, name, r->error);
  if (status != TORSOR_SCENE) return status;
  char hint[sizeof r->error->hint] = "";
  if (r->error) snprintf(hint, sizeof hint, "%s", r->error->hint);
  if (!strstr(hint, "before"))
    torsor_hint(r->error, "%s (the joint stands before what refers to it)", hint);
  return reader_locate(r, &node->path, status);
}

/* Names of body files are replaced by their contents before elements are read, but in a draft. */
static torsor_status read_body_file(const reader *r, const json_node *node) {
  const char *name = NULL;
  const torsor_status status = reader_text(&name, r, node);
  return !status && reader_postpones(r) ? TORSOR_SCENE : status;
}

/* ---- one parameter --------------------------------------------------------------------------- */

static torsor_status read_param(void *member, const element_context *context,
                                const torsor_param *param, const json_node *node) {
  const reader *r = context->r;
  switch (param->kind) {
  case TORSOR_PARAM_NUMBER:
    return read_number(member, r, node, param->conditions);
  case TORSOR_PARAM_INTEGER: {
    const int least = param->conditions & TORSOR_POSITIVE      ? 1
                      : param->conditions & TORSOR_NONNEGATIVE ? 0
                                                               : -2147483647;
    return reader_integer(member, r, node, least);
  }
  case TORSOR_PARAM_BOOLEAN:
    return reader_boolean(member, r, node);
  case TORSOR_PARAM_CHOICE:
    return read_choice(member, r, node, param->choices);
  case TORSOR_PARAM_VECTOR:
    return reader_vector(member, r, node);
  case TORSOR_PARAM_DIRECTION:
    return physical_direction(member, r, node);
  case TORSOR_PARAM_INERTIA:
    return inertia_read(member, r, node);
  case TORSOR_PARAM_ORIENTATION:
    return physical_orientation(member, r, node);
  case TORSOR_PARAM_ANGULAR_VELOCITY:
    return physical_angular_velocity(member, r, node);
  case TORSOR_PARAM_GROUP:
    return read_group(member, r, node);
  case TORSOR_PARAM_MARKER:
    return marker_read(member, context, node, param->conditions);
  case TORSOR_PARAM_CURVE:
    return curve_read(member, context->functions, r, node);
  case TORSOR_PARAM_MATRIX6:
    return read_matrix6(member, r, node);
  case TORSOR_PARAM_NUMBERS:
    return numbers_read(member, context->functions, r, node);
  case TORSOR_PARAM_SECTION:
    return section_read(member, context->functions, r, context->sections, node);
  case TORSOR_PARAM_SECTION_TABLE:
    return section_table_read(member, context->functions, r, context->sections, node);
  case TORSOR_PARAM_FUNCTION:
    return function_read(member, context->functions, r, node);
  case TORSOR_PARAM_CHARACTERISTIC:
    return characteristic_read(member, context->functions, param->choices[0], r, node);
  case TORSOR_PARAM_CONTROL:
    return control_read(member, context->functions, context->builder, r, node);
  case TORSOR_PARAM_COORDINATE:
    return read_coordinate(member, context, node);
  case TORSOR_PARAM_CHAIN:
    return read_chain(member, context, node);
  case TORSOR_PARAM_SURFACE:
    return read_surface(member, context, node);
  case TORSOR_PARAM_LAYERS:
    return layers_read(member, context->functions, r, node);
  case TORSOR_PARAM_PATH:
    return path_read(member, context, node);
  case TORSOR_PARAM_BODIES:
    return read_bodies(member, context, node);
  case TORSOR_PARAM_NAMES:
    return names_read(member, context->functions, r, node);
  case TORSOR_PARAM_PROFILE:
    return profile_read(member, context->functions, r, node);
  case TORSOR_PARAM_MATRIX:
    return matrix_read(member, context->functions, r, node);
  case TORSOR_PARAM_FRAMES:
    return frames_read(member, context->functions, r, node);
  case TORSOR_PARAM_MESH:
    return shell_mesh_read(member, context->functions, r, node);
  case TORSOR_PARAM_BODY_FILE:
    return read_body_file(r, node);
  case TORSOR_PARAM_CALLBACK:
    return callback_read(member, context->registry, param->choices[0], r, node);
  }
  return torsor_fail(r->error, TORSOR_PLUGIN, "parameter \"%s\" has an unknown kind", param->key);
}

/* The number that is NaN in an absent value of this kind; NULL: there is none. */
static double *absent_number(void *member, torsor_param_kind kind) {
  switch (kind) {
  case TORSOR_PARAM_NUMBER:
    return member;
  case TORSOR_PARAM_VECTOR:
  case TORSOR_PARAM_DIRECTION:
    return &((v3 *)member)->x;
  case TORSOR_PARAM_INERTIA:
    return &((m3 *)member)->m[0][0];
  case TORSOR_PARAM_ORIENTATION:
    return &((so3 *)member)->w;
  case TORSOR_PARAM_ANGULAR_VELOCITY:
    return &((torsor_angular_velocity *)member)->value.x;
  case TORSOR_PARAM_MARKER:
    return &((torsor_marker *)member)->R.m[0][0];
  case TORSOR_PARAM_MATRIX6:
    return &((m6 *)member)->m[0][0];
  case TORSOR_PARAM_SECTION:
    return &((torsor_section *)member)->stiffness.m[0][0];
  default:
    return NULL;
  }
}

/* Marks a value as absent.  For all other kinds absent values are zero, the initial content of an
 * instance. */
static void mark_absent(void *member, const element_context *context, const torsor_param *param) {
  double *number = absent_number(member, param->kind);
  if (number) *number = nan("");
  if (param->kind == TORSOR_PARAM_INTEGER || param->kind == TORSOR_PARAM_CHOICE)
    *(int *)member = -1;
  if (param->kind == TORSOR_PARAM_GROUP) *(torsor_group *)member = context->group;
}

typedef struct default_value {
  struct default_value *next;
  const torsor_param *param;
  cJSON *value;
} default_value;

void element_defaults_release(element_defaults *defaults) {
  while (defaults->first) {
    default_value *first = defaults->first;
    defaults->first = first->next;
    cJSON_Delete(first->value);
    free(first);
  }
}

static torsor_status fail_default(torsor_error *error, const torsor_param *param) {
  const char *json = param->fallback;
  if (json_scan_check(json, strlen(json), "default", NULL) == TORSOR_SCENE)
    return torsor_fail(error, TORSOR_PLUGIN, "the default of the parameter \"%s\" is not JSON",
                       param->key);
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static torsor_status find_default(const cJSON **out, element_defaults *defaults,
                                  const torsor_param *param, torsor_error *error) {
  default_value *known = defaults->first;
  while (known && known->param != param) known = known->next;
  if (!known) {
    cJSON *value = cJSON_Parse(param->fallback);
    if (!value) return fail_default(error, param);
    known = calloc(1, sizeof *known);
    if (!known) {
      cJSON_Delete(value);
      return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    }
    *known = (default_value){defaults->first, param, value};
    defaults->first = known;
  }
  *out = known->value;
  return TORSOR_OK;
}

/* The default value, read like a value of the scene. */
static torsor_status read_fallback(void *member, const element_context *context,
                                   const torsor_param *param, const json_node *node) {
  const cJSON *value = NULL;
  const torsor_status status = find_default(&value, context->defaults, param, context->r->error);
  if (status) return status;
  const json_node given = {value, node->path};
  return read_param(member, context, param, &given);
}

/* ---- the element ----------------------------------------------------------------------------- */

torsor_status element_keys_check(const reader *r, const torsor_element_type *type,
                                 const json_node *node) {
  enum { KEYS = 256 };
  const char *keys[KEYS] = {"name", "type", "repeat", "index"};
  int count = 4;
  if (type->kind != TORSOR_BODY) keys[count++] = "active";
  if (type->kind == TORSOR_BODY) {
    keys[count++] = "shape";
    keys[count++] = "in";
    keys[count++] = "markers";
    if (homogeneous_takes(type)) keys[count++] = "density";
  }
  if (type->kind == TORSOR_JOINT) keys[count++] = "start";
  for (const torsor_param *p = type->params; p->key && count < KEYS; ++p) keys[count++] = p->key;
  return reader_object(r, node, type->name, keys, count);
}

torsor_status element_values_read(void *instance, const element_context *context,
                                  const torsor_element_type *type, const json_node *node) {
  const reader *r = context->r;
  torsor_status status = context->defaults->checked ? TORSOR_OK : element_keys_check(r, type, node);
  context->defaults->checked = !status;
  homogeneous body = {0};
  if (!status) status = homogeneous_read(&body, r, type, node);
  for (const torsor_param *param = type->params; param->key && !status; ++param) {
    void *member = (char *)instance + param->offset;
    const json_node value = json_member(node, param->key);
    if (value.item)
      status = read_param(member, context, param, &value);
    else if (homogeneous_give(member, &body, param))
      continue;
    else if (!param->fallback)
      status = reader_fail(r, &value, is_compound(param) ? param->doc : NULL,
                           "is missing: %s needs it", type->name);
    else if (param->fallback[0])
      status = read_fallback(member, context, param, &value);
    else
      mark_absent(member, context, param);
    if (status == TORSOR_SCENE) hint_param(r, param);
  }
  if (!status) status = inertia_complete(instance, r, type, node);
  return status ? status : fitted_markers_find(instance, context, type, node);
}

/* ---- an element in the making ---------------------------------------------------------------- */

static const torsor_param *find_param(const torsor_element_type *type, const char *key) {
  const torsor_param *param = type->params;
  while (param->key && strcmp(param->key, key) != 0) ++param;
  return param->key ? param : NULL;
}

torsor_status element_value_check(const reader *r, const torsor_registry *registry,
                                  const torsor_element_type *type, const json_node *element,
                                  const char *key) {
  const json_node value = json_member(element, key), none = {0};
  const torsor_param *param = find_param(type, key);
  if (!param) return TORSOR_OK;
  void *instance = calloc(1, type->size);
  if (!instance) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  const scene_inputs inputs = {0};
  function_list *functions = NULL;
  torsor_status status = functions_read(&functions, &inputs, registry, r, &none);
  const element_context context = {
      .r = r, .registry = registry, .functions = functions, .sections = &none};
  if (!status) status = read_param((char *)instance + param->offset, &context, param, &value);
  if (status == TORSOR_SCENE) hint_param(r, param);
  functions_destroy(functions);
  free(instance);
  return status;
}

bool element_takes_curve(const torsor_element_type *type, const char *key) {
  const torsor_param *param = find_param(type, key);
  return param && param->kind == TORSOR_PARAM_CURVE;
}

bool element_takes_object(const torsor_element_type *type, const char *key) {
  const torsor_param *param = find_param(type, key);
  if (!param)
    return strcmp(key, "shape") == 0 || strcmp(key, "markers") == 0 || strcmp(key, "start") == 0;
  switch (param->kind) {
  case TORSOR_PARAM_INERTIA:
  case TORSOR_PARAM_ORIENTATION:
  case TORSOR_PARAM_ANGULAR_VELOCITY:
  case TORSOR_PARAM_MARKER:
  case TORSOR_PARAM_CURVE:
  case TORSOR_PARAM_SECTION:
  case TORSOR_PARAM_SECTION_TABLE:
  case TORSOR_PARAM_MESH:
  case TORSOR_PARAM_FUNCTION:
  case TORSOR_PARAM_CHARACTERISTIC:
  case TORSOR_PARAM_CONTROL:
  case TORSOR_PARAM_PROFILE:
    return true;
  default:
    return false;
  }
}
