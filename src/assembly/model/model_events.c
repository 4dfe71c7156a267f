/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "assembly/model/model.h"

/* Adds the hint for an unknown force: a similar name. */
static void hint_forces(const torsor_model *model, const char *name, torsor_error *error) {
  const char **names = malloc((size_t)(model->element_count + 1) * sizeof *names);
  int count = 0;
  for (int i = 0; names && i < model->element_count; ++i)
    if (model->element[i].type->kind == TORSOR_FORCE) names[count++] = model->element[i].name;
  const char *near = names ? torsor_near_name(name, names, count) : NULL;
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, count ? "name a force of the scene" : "the scene has no forces");
  free(names);
}

torsor_status torsor_builder_force(int *element, const torsor_builder *builder, const char *name,
                                   torsor_error *error) {
  const torsor_model *model = builder_model(builder);
  char room[MODEL_NAME_ROOM];
  name = builder_name(builder, name, room);
  *element = builder_find_force(builder, name);
  if (*element >= 0) return TORSOR_OK;
  *element = builder_find(builder, name);
  const torsor_element_type *type = *element < 0 ? NULL : model->element[*element].type;
  if (type) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is a %s, and only forces can be switched", name,
                type->name);
    return TORSOR_SCENE;
  }
  torsor_fail(error, TORSOR_SCENE, "there is no force \"%s\"", name);
  hint_forces(model, name, error);
  return TORSOR_SCENE;
}

/* Returns the number of elements of the force that begins with this one. */
static int part_count(const torsor_model *model, int force) {
  const int parts = model->element[force].parts;
  return parts > 0 ? parts : 1;
}

/* Adds the hint for an unknown element: a similar name. */
static void hint_switched(const torsor_model *model, const char *name, torsor_error *error) {
  const char **names = malloc((size_t)(model->element_count + 1) * sizeof *names);
  int count = 0;
  for (int i = 0; names && i < model->element_count; ++i)
    if (model->element[i].type->kind != TORSOR_BODY) names[count++] = model->element[i].name;
  const char *near = names ? torsor_near_name(name, names, count) : NULL;
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, count ? "name a force or a joint of the scene"
                             : "the scene has no forces and no joints");
  free(names);
}

torsor_status torsor_builder_switched(int *element, torsor_builder *builder, const char *name,
                                      torsor_error *error) {
  torsor_model *model = builder_model(builder);
  char room[MODEL_NAME_ROOM];
  name = builder_name(builder, name, room);
  *element = builder_find_switched(builder, name);
  if (*element < 0) {
    const int body = builder_find(builder, name);
    if (body >= 0) {
      torsor_fail(error, TORSOR_SCENE, "\"%s\" is a %s, and only forces and joints can be switched",
                  name, model->element[body].type->name);
      return TORSOR_SCENE;
    }
    torsor_fail(error, TORSOR_SCENE, "there is no force and no joint \"%s\"", name);
    hint_switched(model, name, error);
    return TORSOR_SCENE;
  }
  for (int i = 0; i < part_count(model, *element); ++i) model->element[*element + i].seen_from = -1;
  return TORSOR_OK;
}

void torsor_builder_active(torsor_builder *builder, int element, bool active) {
  torsor_model *model = builder_model(builder);
  for (int i = 0; i < part_count(model, element); ++i) model->element[element + i].waits = !active;
}

/* ---- events ------------------------------------------------------------------------------- */

/* Lists the elements of the forces, all parts of composite ones. */
static bool copy_forces(const int **to, int *count, torsor_model *model) {
  int elements = 0, next = 0;
  for (int i = 0; i < *count; ++i) elements += part_count(model, (*to)[i]);
  int *copy = arena_take(&model->memory, (size_t)elements, sizeof *copy);
  if (!copy) return false;
  for (int i = 0; i < *count; ++i)
    for (int k = 0; k < part_count(model, (*to)[i]); ++k) copy[next++] = (*to)[i] + k;
  *to = copy;
  *count = elements;
  return true;
}

static const int *copy_indices(const int *from, int count, arena *memory) {
  int *copy = arena_take(memory, (size_t)count, sizeof *copy);
  if (copy && count) memcpy(copy, from, (size_t)count * sizeof *copy);
  return copy;
}

static bool copy_event(torsor_event *out, const torsor_event *event, torsor_model *model) {
  arena *memory = &model->memory;
  const char **signal = arena_take(memory, (size_t)event->signals, sizeof *signal);
  *out = *event;
  out->name = arena_string(memory, event->name);
  out->signal = signal;
  for (int i = 0; signal && i < event->signals; ++i)
    if (!(signal[i] = arena_string(memory, event->signal[i]))) return false;
  torsor_event_set *set = arena_take(memory, (size_t)event->sets, sizeof *set);
  if (set && event->sets) memcpy(set, event->set, (size_t)event->sets * sizeof *set);
  out->set = set;
  torsor_event_set *reset = arena_take(memory, (size_t)event->resets, sizeof *reset);
  if (reset && event->resets) memcpy(reset, event->reset, (size_t)event->resets * sizeof *reset);
  out->reset = reset;
  out->start = copy_indices(event->start, event->starts, memory);
  out->stop = copy_indices(event->stop, event->stops, memory);
  return signal && set && reset && out->name && out->start && out->stop &&
         copy_forces(&out->on, &out->on_count, model) &&
         copy_forces(&out->off, &out->off_count, model);
}

torsor_status torsor_builder_event(torsor_builder *builder, const torsor_event *event,
                                   torsor_error *error) {
  torsor_model *model = builder_model(builder);
  for (int i = 0; i < model->event_count && !event->kink; ++i)
    if (strcmp(model->event[i].name, event->name) == 0)
      return torsor_fail(error, TORSOR_SCENE, "there are two events called \"%s\"", event->name);
  torsor_event *moved =
      reallocarray(model->event, (size_t)model->event_count + 1, sizeof *model->event);
  if (moved) model->event = moved;
  if (!moved || !copy_event(&moved[model->event_count], event, model))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  ++model->event_count;
  return TORSOR_OK;
}

const torsor_event *torsor_model_event(const torsor_model *model, int i) {
  const torsor_event *event = i >= 0 && i < model->event_count ? &model->event[i] : NULL;
  return event && !event->kink ? event : NULL;
}
