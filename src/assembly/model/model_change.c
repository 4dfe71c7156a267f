/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

/* Does the element refer to this joint by one of its coordinates? */
static bool refers(const model_element *e, int element) {
  for (const torsor_param *p = e->type->params; p && p->key; ++p) {
    const void *member = (const char *)e->instance + p->offset;
    const torsor_coordinate_ref *on = member;
    const torsor_control *control = member;
    if (p->kind == TORSOR_PARAM_COORDINATE && on->joint && on->element == element) return true;
    for (int i = 0; p->kind == TORSOR_PARAM_CONTROL && i < control->inputs; ++i)
      if (control->input[i].on.joint && control->input[i].on.element == element) return true;
  }
  return false;
}

static const model_element *find_referring(const torsor_model *model, int element) {
  for (int i = 0; i < model->element_count; ++i)
    if (i != element && refers(&model->element[i], element)) return &model->element[i];
  return NULL;
}

static bool same_axes(const m3 *a, const m3 *b) {
  return !a == !b && (!a || memcmp(a, b, sizeof *a) == 0);
}

/* Does `prepare` declare the same counts as those by which the model was numbered? */
static bool same_layout(const model_element *e, const torsor_setup *s) {
  bool same = s->nodes + s->new_nodes + s->more_nodes + s->other_nodes == e->nodes &&
              s->rows == e->rows && s->nonholonomic == e->nonholonomic && s->states == e->states &&
              s->reaction_of == e->reaction_of &&
              same_axes(e->ground_axes, s->ground_vector ? &s->ground_axes : NULL);
  for (int i = 0; same && i < s->nodes; ++i) same = s->node[i] == e->node[s->new_nodes + i];
  for (int i = 0; same && i < s->more_nodes; ++i)
    same = s->more[i] == e->node[s->new_nodes + s->nodes + i];
  return same;
}

torsor_status model_prepare_changed(void *instance, const torsor_model *model, int element,
                                    const char *key, torsor_error *error) {
  const model_element *e = &model->element[element];
  const model_element *other = find_referring(model, element);
  torsor_setup setup = {.gravity = model->gravity,
                        .solids = model_solids,
                        .model = model,
                        .name = e->name,
                        .first_coordinate = e->first_coordinate,
                        .seen_from = -1,
                        .reaction_of = -1};
  if (other) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "\"%s\" of %s \"%s\" cannot change: %s \"%s\" refers to the joint", key,
                e->type->name, e->name, other->type->name, other->name);
    torsor_hint(error, "build the model anew");
    return TORSOR_ARGUMENT;
  }
  const torsor_status status = e->type->prepare(instance, &setup, error);
  if (status) return status == TORSOR_MEMORY ? status : TORSOR_ARGUMENT;
  if (same_layout(e, &setup)) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" changes the layout of %s \"%s\"", key, e->type->name,
              e->name);
  torsor_hint(error, "build the model anew");
  return TORSOR_ARGUMENT;
}

torsor_status model_check_tangents(const torsor_model *model, const char *what,
                                   torsor_error *error) {
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->alone) continue;
    torsor_fail(error, TORSOR_SCENE,
                "%s \"%s\" has no place in %s: it has the stiffness of each "
                "body by itself alone",
                e->type->name, e->name, what);
    torsor_hint(error,
                "give it \"coupled\": true, leave it out, or simulate until all rests");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}
