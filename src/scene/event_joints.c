/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/event_joints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/model/model.h"
#include "elements/control_block.h"
#include "elements/drive_kit.h"
#include "scene/element_name.h"
#include "scene/element_values.h"
#include "scene/function_list.h"

enum { NAME_ROOM = 256 };

/* The type of what holds a coordinate, and of what holds poses. */
static const char *const LOCK = "lock", *const CLAMP = "clamp";

static const model_element *element_at(const torsor_builder *builder, int i) {
  return &builder_model(builder)->element[i];
}

static torsor_status add_element(switched_elements *out, int element, const reader *r,
                                 const json_node *list) {
  if (out->count == out->room)
    return reader_fail(r, list, NULL, "names more than %d elements", out->room);
  out->element[out->count++] = element;
  return TORSOR_OK;
}

/* ---- what an event can lock ---------------------------------------------------------------- */

/* A joint, or one of its coordinates. */
typedef struct lockable {
  int joint, coordinate; /* -1 = all of them */
} lockable;

static bool is_spherical(const model_element *e) {
  return strcmp(e->type->name, "spherical") == 0;
}

/* Lists the joints and their coordinates, for hints. */
static const char *near_lockable(char room[NAME_ROOM], const torsor_builder *builder,
                                 const char *name) {
  const torsor_model *model = builder_model(builder);
  const size_t count = (size_t)(model->element_count + model->coordinate_count);
  char(*full)[NAME_ROOM] = malloc((count + 1) * sizeof *full);
  const char **names = malloc((count + 1) * sizeof *names);
  int listed = 0;
  for (int i = 0; full && names && i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (e->type->kind != TORSOR_JOINT) continue;
    if (e->coordinates || is_spherical(e)) {
      snprintf(full[listed], NAME_ROOM, "%s", e->name);
      names[listed] = full[listed];
      ++listed;
    }
    for (int k = 0; k < e->coordinates; ++k) {
      snprintf(full[listed], NAME_ROOM, "%s.%s", e->name, e->type->coordinates.list[k].name);
      names[listed] = full[listed];
      ++listed;
    }
  }
  const char *near = names && full ? torsor_near_name(name, names, listed) : NULL;
  if (near) snprintf(room, NAME_ROOM, "%s", near);
  free(full);
  free(names);
  return near ? room : NULL;
}

static torsor_status fail_lockable(const torsor_builder *builder, const reader *r,
                                   const json_node *node, const char *name) {
  char shown[96], near[NAME_ROOM], hint[NAME_ROOM + 32];
  const int found = builder_find(builder, name);
  if (found >= 0) {
    const torsor_element_type *type = element_at(builder, found)->type;
    const bool joint = type->kind == TORSOR_JOINT;
    return reader_fail(r, node,
                       joint ? "weld its two bodies: {\"weld\": [{\"name\": \"grip\", \"a\": .., "
                               "\"b\": ..}]}"
                             : "lock a joint, \"hinge\", or one coordinate of it, \"hinge.angle\"",
                       "\"%s\" is a %s%s", name, type->name,
                       joint ? ", which has no coordinates to lock" : ", not a joint");
  }
  if (near_lockable(near, builder, name))
    snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
  else
    snprintf(hint, sizeof hint, "name a joint of the scene, or one of its coordinates");
  return reader_fail(r, node, hint, "there is no joint %s", reader_show_text(name, shown));
}

static torsor_status find_lockable(lockable *out, const torsor_builder *builder, const reader *r,
                                   const json_node *node, const char *name) {
  torsor_coordinate_ref ref;
  *out = (lockable){builder_find(builder, name), -1};
  const model_element *e = out->joint < 0 ? NULL : element_at(builder, out->joint);
  if (e && e->type->kind == TORSOR_JOINT && (e->coordinates || is_spherical(e))) return TORSOR_OK;
  if (!e && !torsor_builder_coordinate(&ref, builder, name, NULL)) {
    *out = (lockable){ref.element, ref.index};
    return TORSOR_OK;
  }
  return fail_lockable(builder, r, node, name);
}

/* The name of what locks a coordinate of a joint, or of what locks all of it (k = -1). */
static void lock_name(char out[NAME_ROOM], const model_element *joint, int k) {
  if (k < 0)
    snprintf(out, NAME_ROOM, "%s_lock", joint->name);
  else
    snprintf(out, NAME_ROOM, "%s_%s_lock", joint->name, joint->type->coordinates.list[k].name);
}

static bool is_of_type(const torsor_builder *builder, int element, const char *type) {
  return element >= 0 && strcmp(element_at(builder, element)->type->name, type) == 0;
}

static bool is_lock(const torsor_builder *builder, int element) {
  return is_of_type(builder, element, LOCK) || is_of_type(builder, element, CLAMP);
}

/* The coordinates of a joint that are locked with it: of a screw the second one follows. */
static int locked_coordinates(const model_element *joint) {
  return strcmp(joint->type->name, "screw") == 0 ? 1 : joint->coordinates;
}

/* ---- adding -------------------------------------------------------------------------------- */

static torsor_status add_waiting(torsor_builder *builder, const torsor_registry *registry,
                                 const char *type, const char *name, const void *instance,
                                 torsor_error *error) {
  int element;
  torsor_status status =
      torsor_builder_add(builder, torsor_registry_find(registry, type), name, instance, error);
  if (!status) status = torsor_builder_switched(&element, builder, name, error);
  if (!status) torsor_builder_active(builder, element, false);
  return status;
}

static void *member_of(void *instance, const torsor_element_type *type, const char *key) {
  for (const torsor_param *p = type->params; p->key; ++p)
    if (strcmp(p->key, key) == 0) return (char *)instance + p->offset;
  return NULL;
}

/* Adds the clamp that keeps the rotation of a ball joint. */
static torsor_status add_ball_lock(torsor_builder *builder, const torsor_registry *registry,
                                   int joint, const char *name, torsor_error *error) {
  const torsor_element_type *type = torsor_registry_find(registry, CLAMP);
  const torsor_joint *of = element_at(builder, joint)->instance;
  enum { ROTATION = 1 };
  void *instance = calloc(1, type->size);
  if (!instance) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  *(torsor_marker *)member_of(instance, type, "a") = of->a;
  *(torsor_marker *)member_of(instance, type, "b") = of->b;
  *(int *)member_of(instance, type, "keeps") = ROTATION;
  const torsor_status status = add_waiting(builder, registry, CLAMP, name, instance, error);
  free(instance);
  return status;
}

/* Adds what locks one coordinate, or the rotation of a ball joint (k = -1), once. */
static torsor_status add_lock(torsor_builder *builder, const torsor_registry *registry, int joint,
                              int k, torsor_error *error) {
  char name[NAME_ROOM], coordinate[NAME_ROOM];
  const model_element *e = element_at(builder, joint);
  lock_name(name, e, k);
  if (is_lock(builder, builder_find(builder, name))) return TORSOR_OK;
  if (k < 0) return add_ball_lock(builder, registry, joint, name, error);
  drive instance = {0};
  snprintf(coordinate, sizeof coordinate, "%s.%s", e->name, e->type->coordinates.list[k].name);
  const torsor_status status = torsor_builder_coordinate(&instance.on, builder, coordinate, error);
  return status ? status : add_waiting(builder, registry, LOCK, name, &instance, error);
}

static torsor_status add_locks(torsor_builder *builder, const element_context *context,
                               element_adder *add, const json_node *node) {
  const reader *r = context->r;
  char buffer[NAME_ROOM];
  const char *name = NULL;
  lockable what;
  (void)add;
  torsor_status status = reader_pattern(&name, buffer, sizeof buffer, r, node);
  if (!status) status = find_lockable(&what, builder, r, node, name);
  if (status) return status;
  const model_element joint = *element_at(builder, what.joint);
  const int first = what.coordinate < 0 ? 0 : what.coordinate;
  const int end = what.coordinate < 0 ? locked_coordinates(&joint) : what.coordinate + 1;
  if (r->error) r->error->path[0] = '\0';
  if (is_spherical(&joint))
    return reader_locate(r, &node->path,
                         add_lock(builder, context->registry, what.joint, -1, r->error));
  for (int k = first; k < end && !status; ++k)
    status = add_lock(builder, context->registry, what.joint, k, r->error);
  return reader_locate(r, &node->path, status);
}

/* {"name", "a", "b"}, or the name of a clamp. */
static torsor_status add_weld(torsor_builder *builder, const element_context *context,
                              element_adder *add, const json_node *node) {
  const reader *r = context->r;
  char buffer[ELEMENT_ROOM];
  const char *name = NULL;
  int element;
  if (cJSON_IsString(node->item)) return TORSOR_OK;
  if (!cJSON_IsObject(node->item)) {
    char shown[96];
    return reader_fail(r, node, "{\"name\": \"grip\", \"a\": \"jaw\", \"b\": \"box\"}",
                       "a weld must be an object or the name of a clamp, but is %s",
                       reader_show(node->item, shown));
  }
  torsor_status status = element_name_read(&name, buffer, r, node);
  if (!status)
    status = add(builder, context, torsor_registry_find(context->registry, CLAMP), name, node);
  if (!status) status = torsor_builder_switched(&element, builder, name, r->error);
  if (!status) torsor_builder_active(builder, element, false);
  return status;
}

typedef torsor_status visit(torsor_builder *builder, const element_context *context,
                            element_adder *add, const json_node *node);

static torsor_status visit_list(torsor_builder *builder, const element_context *context,
                                element_adder *add, const json_node *list, const char *what,
                                visit *each) {
  if (!list->item) return TORSOR_OK;
  torsor_status status = reader_array(context->r, list, what);
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i);
    status = each(builder, context, add, &node);
  }
  return status;
}

static torsor_status add_of_action(torsor_builder *builder, const element_context *context,
                                   element_adder *add, const json_node *action) {
  if (!cJSON_IsObject(action->item)) return TORSOR_OK;
  const json_node lock = json_member(action, "lock"), weld = json_member(action, "weld");
  const torsor_status status =
      visit_list(builder, context, add, &lock, "names of joints", add_locks);
  return status ? status : visit_list(builder, context, add, &weld, "welds", add_weld);
}

torsor_status event_joints_add(torsor_builder *builder, const element_context *context,
                               element_adder *add, const json_node *list) {
  torsor_status status = TORSOR_OK;
  const cJSON *item = cJSON_IsArray(list->item) ? list->item->child : NULL;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node event = json_item(list, item, i), action = json_member(&event, "action");
    if (cJSON_IsArray(action.item))
      status = visit_list(builder, context, add, &action, "actions", add_of_action);
    else
      status = add_of_action(builder, context, add, &action);
  }
  return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef torsor_status read_name(switched_elements *out, torsor_builder *builder, const reader *r,
                                const json_node *node, const char *name);

static torsor_status read_names(switched_elements *out, torsor_builder *builder, const reader *r,
                                const json_node *list, const char *what, read_name *each) {
  if (!list->item) return TORSOR_OK;
  torsor_status status = reader_array(r, list, what);
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i), inner = json_member(&node, "name");
    char buffer[NAME_ROOM];
    const char *name = NULL;
    const bool object = cJSON_IsObject(item);
    status = reader_pattern(&name, buffer, sizeof buffer, r, object ? &inner : &node);
    if (!status) status = each(out, builder, r, object ? &inner : &node, name);
  }
  return status;
}

/* Adds the locks of a joint, or of one coordinate; none where no event locks it. */
static torsor_status collect_locks(switched_elements *out, const torsor_builder *builder,
                                   const reader *r, const json_node *node, const lockable *what) {
  const model_element *joint = element_at(builder, what->joint);
  torsor_status status = TORSOR_OK;
  char name[NAME_ROOM];
  for (int k = -1; k < joint->coordinates && !status; ++k) {
    if (what->coordinate >= 0 && k != what->coordinate) continue;
    lock_name(name, joint, k);
    const int found = builder_find(builder, name);
    if (is_lock(builder, found)) status = add_element(out, found, r, node);
  }
  return status;
}

static torsor_status lock_one(switched_elements *out, torsor_builder *builder, const reader *r,
                              const json_node *node, const char *name) {
  lockable what;
  const torsor_status status = find_lockable(&what, builder, r, node, name);
  return status ? status : collect_locks(out, builder, r, node, &what);
}

torsor_status event_joints_lock(switched_elements *on, torsor_builder *builder, const reader *r,
                                const json_node *list) {
  return read_names(on, builder, r, list, "names of joints", lock_one);
}

static torsor_status weld_one(switched_elements *out, torsor_builder *builder, const reader *r,
                              const json_node *node, const char *name) {
  const int element = builder_find(builder, name);
  char shown[96];
  if (!is_of_type(builder, element, CLAMP))
    return reader_fail(r, node, "give {\"name\", \"a\", \"b\"}, or the name of such a weld",
                       "there is no clamp and no weld of an event called %s",
                       reader_show_text(name, shown));
  int found;
  const torsor_status status = torsor_builder_switched(&found, builder, name, r->error);
  return status ? status : add_element(out, element, r, node);
}

torsor_status event_joints_weld(switched_elements *on, torsor_builder *builder, const reader *r,
                                const json_node *list) {
  return read_names(on, builder, r, list, "welds", weld_one);
}

static torsor_status release_one(switched_elements *out, torsor_builder *builder, const reader *r,
                                 const json_node *node, const char *name) {
  const int element = builder_find(builder, name), before = out->count;
  int found;
  if (is_lock(builder, element)) {
    const torsor_status status = torsor_builder_switched(&found, builder, name, r->error);
    return status ? status : add_element(out, element, r, node);
  }
  lockable what;
  torsor_status status = find_lockable(&what, builder, r, node, name);
  if (!status) status = collect_locks(out, builder, r, node, &what);
  if (status || out->count > before) return status;
  return reader_fail(r, node,
                     "only what an event locks or welds can be released; a joint itself is taken "
                     "away by \"off\" or by \"break\"",
                     "no event locks \"%s\"", name);
}

torsor_status event_joints_release(switched_elements *off, torsor_builder *builder, const reader *r,
                                   const json_node *list) {
  return read_names(off, builder, r, list, "names of joints and welds", release_one);
}

/* Finds a sampled controller by its name; -1 = none. */
static int find_controller(const torsor_model *model, const char *name) {
  for (int i = 0; i < model->controllers; ++i)
    if (strcmp(model->controller[i].name, name) == 0) return i;
  return -1;
}

static torsor_status add_controller(switched_elements *out, const torsor_model *model, int found,
                                    const reader *r, const json_node *node) {
  if (model->controller[found].delay > 0)
    return reader_fail(r, node, NULL, "\"%s\" is a delay, which cannot be switched",
                       model->controller[found].name);
  if (out->controllers == SWITCHED_CONTROLLERS)
    return reader_fail(r, node, NULL, "names more than %d controllers", SWITCHED_CONTROLLERS);
  out->controller[out->controllers++] = found;
  return TORSOR_OK;
}

/* A state of a controller is switched by its rate; a value is no part of the model. */
static torsor_status switch_one(switched_elements *out, torsor_builder *builder, const reader *r,
                                const json_node *node, const char *name) {
  char rate[NAME_ROOM];
  int element = builder_find(builder, name);
  if (is_of_type(builder, element, control_value.name))
    return reader_fail(r, node, "multiply it by an input that the event sets",
                       "\"%s\" is a value of a controller, which cannot be switched", name);
  const int controller = element < 0 ? find_controller(builder_model(builder), name) : -1;
  if (controller >= 0) return add_controller(out, builder_model(builder), controller, r, node);
  if (is_of_type(builder, element, control_state.name)) {
    snprintf(rate, sizeof rate, "%s.rate", name);
    name = rate;
  }
  if (r->error) r->error->path[0] = '\0';
  const torsor_status status =
      reader_locate(r, &node->path, torsor_builder_switched(&element, builder, name, r->error));
  return status ? status : add_element(out, element, r, node);
}

torsor_status event_joints_switch(switched_elements *out, torsor_builder *builder, const reader *r,
                                  const json_node *list) {
  return read_names(out, builder, r, list, "names of forces and joints", switch_one);
}

/* ---- breaking ------------------------------------------------------------------------------ */

/* Most limits of one element. */
enum { MOST_LIMITS = BREAK_SIGNALS / 3 };

/* Values of the signals x, `parts` of each limit, over the limits. */
static double excess(const void *self, const torsor_now *now, const double *x) {
  const function *f = self;
  double most = 0;
  (void)now;
  for (size_t i = 0; i < f->rows; ++i) {
    const int parts = (int)f->y[i];
    double sum = 0;
    for (int k = 0; k < parts; ++k) sum = hypot(sum, *x++);
    most = fmax(most, sum / f->x[i]);
  }
  return most - 1;
}

static const torsor_output *find_output(const torsor_element_type *type, const char *word) {
  for (const torsor_output *o = type->outputs.list; o && o->name; ++o)
    if (strcmp(o->name, word) == 0) return o;
  return NULL;
}

/* Names of what may have a limit. */
static void list_outputs(char *out, size_t size, const torsor_element_type *type) {
  int used = snprintf(out, size, "it has ");
  for (const torsor_output *o = type->outputs.list; o && o->name && used < (int)size - 1; ++o)
    used += snprintf(out + used, size - (size_t)used, "%s\"%s\"",
                     o == type->outputs.list ? "" : ", ", o->name);
}

static torsor_status read_limit(break_signals *to, function *f, const model_element *e,
                                const reader *r, const json_node *limit, const char *word) {
  const torsor_output *output = find_output(e->type, word);
  double value;
  if (!output) {
    char hint[NAME_ROOM], shown[96];
    list_outputs(hint, sizeof hint, e->type);
    return reader_fail_key(r, limit, hint, "a %s has no signal %s", e->type->name,
                           reader_show_text(word, shown));
  }
  if (f->rows == MOST_LIMITS)
    return reader_fail(r, limit, NULL, "there are more than %d limits", MOST_LIMITS);
  const torsor_status status = reader_number(&value, r, limit);
  if (status) return status;
  if (!(value > 0))
    return reader_fail(r, limit, NULL, "a limit must be greater than 0, but is %g", value);
  f->x[f->rows] = value;
  f->y[f->rows++] = output->components;
  for (int k = 0; k < output->components; ++k) {
    char *name = to->name[to->count];
    if (output->components > 1)
      snprintf(name, NAME_ROOM, "%s.%s.%c", e->name, word, "xyz"[k % 3]);
    else
      snprintf(name, NAME_ROOM, "%s.%s", e->name, word);
    to->signal[to->count++] = name;
  }
  return TORSOR_OK;
}

static torsor_status read_limits(torsor_event *out, break_signals *to, function *f,
                                 const model_element *e, const reader *r, const json_node *node) {
  const cJSON *item;
  torsor_status status = TORSOR_OK;
  if (!node->item || !cJSON_IsObject(node->item) || !node->item->child) {
    char shown[96], outputs[NAME_ROOM];
    list_outputs(outputs, sizeof outputs, e->type);
    reader_fail(r, node, NULL, "%s%s: what breaks needs a limit",
                node->item ? "must be an object of limits, but is " : "is missing",
                node->item ? reader_show(node->item, shown) : "");
    torsor_hint(r->error, "for example \"limits\": {\"force\": 500}; %s", outputs);
    return TORSOR_SCENE;
  }
  f->x = calloc(MOST_LIMITS, sizeof *f->x);
  f->y = calloc(MOST_LIMITS, sizeof *f->y);
  if (!f->x || !f->y) return function_out_of_memory(r);
  cJSON_ArrayForEach(item, node->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node limit = {item, {&node->path, item->string, 0}};
    if (!status) status = read_limit(to, f, e, r, &limit, item->string);
  }
  out->signal = to->signal;
  out->signals = to->count;
  return status;
}

torsor_status event_joints_break(torsor_event *out, break_signals *names, switched_elements *off,
                                 torsor_builder *builder, function_list *functions, const reader *r,
                                 const json_node *event) {
  const json_node node = json_member(event, "break"), of = json_member(event, "limits");
  char buffer[NAME_ROOM];
  const char *name = NULL;
  function *f = NULL;
  torsor_status status = reader_pattern(&name, buffer, sizeof buffer, r, &node);
  if (!status) status = switch_one(off, builder, r, &node, name);
  if (!status) status = function_add(&f, functions, r);
  if (status) return status;
  out->when = excess;
  out->self = f;
  out->direction = TORSOR_RISING;
  out->trips = true;
  names->count = 0;
  return read_limits(out, names, f, element_at(builder, off->element[off->count - 1]), r, &of);
}
