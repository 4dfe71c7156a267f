/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include <torsor/callback.h>

#include "assembly/model/model.h"

static torsor_status no_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Makes room for one more input: twice as much whenever the count is a power of 2. */
static bool make_room(torsor_model *model) {
  const size_t count = (size_t)model->inputs;
  if (count & (count - 1)) return true;
  model_input *more = arena_take(&model->memory, count ? 2 * count : 1, sizeof *more);
  if (!more) return false;
  if (count) memcpy(more, model->input, count * sizeof *more);
  model->input = more;
  return true;
}

torsor_status torsor_builder_input(torsor_builder *builder, const char *name, const char *unit,
                                   const char *doc, double value, torsor_error *error) {
  torsor_model *model = builder_model(builder);
  if (torsor_model_input_find(model, name) >= 0)
    return torsor_fail(error, TORSOR_SCENE, "there are two inputs \"%s\"", name);
  if (!isfinite(value))
    return torsor_fail(error, TORSOR_SCENE, "the value of the input \"%s\" is not finite", name);
  if (!make_room(model)) return no_memory(error);
  model_input *input = &model->input[model->inputs];
  *input = (model_input){.name = arena_string(&model->memory, name),
                         .unit = arena_string(&model->memory, unit ? unit : ""),
                         .doc = arena_string(&model->memory, doc ? doc : ""),
                         .value = value,
                         .positions = -1};
  if (!input->name || !input->unit || !input->doc) return no_memory(error);
  ++model->inputs;
  return TORSOR_OK;
}

/* ---- controllers ----------------------------------------------------------------------------- */

static bool copy_names(const char *const **to, int count, arena *memory) {
  const char **copy = arena_take(memory, (size_t)count, sizeof *copy);
  for (int i = 0; copy && i < count; ++i)
    if (!(copy[i] = arena_string(memory, (*to)[i]))) return false;
  *to = copy;
  return copy != NULL;
}

static bool copy_indices(const int **to, int count, arena *memory) {
  int *copy = arena_take(memory, (size_t)count, sizeof *copy);
  if (copy && count) memcpy(copy, *to, (size_t)count * sizeof *copy);
  *to = copy;
  return copy != NULL;
}

torsor_status torsor_builder_controller(torsor_builder *builder,
                                        const torsor_controller *controller, torsor_error *error) {
  torsor_model *model = builder_model(builder);
  const size_t count = (size_t)model->controllers;
  for (int i = 0; i < model->controllers; ++i)
    if (strcmp(model->controller[i].name, controller->name) == 0)
      return torsor_fail(error, TORSOR_SCENE, "there are two controllers \"%s\"", controller->name);
  torsor_controller *more = arena_take(&model->memory, count + 1, sizeof *more);
  void **memory = arena_take(&model->memory, count + 1, sizeof *memory);
  const size_t state = controller->callback->state;
  if (!more || !memory || !(memory[count] = arena_take(&model->memory, state, 1)))
    return no_memory(error);
  if (count) memcpy(more, model->controller, count * sizeof *more);
  if (count) memcpy(memory, model->controller_memory, count * sizeof *memory);
  if (state) memcpy(memory[count], controller->callback->data, state);
  torsor_controller *c = &more[count];
  *c = *controller;
  c->name = arena_string(&model->memory, controller->name);
  if (!c->name || !copy_names(&c->read, c->reads, &model->memory) ||
      !copy_indices(&c->write, c->writes, &model->memory))
    return no_memory(error);
  model->controller = more;
  model->controller_memory = memory;
  ++model->controllers;
  return TORSOR_OK;
}

const torsor_controller *torsor_model_controller(const torsor_model *model, int i) {
  return i >= 0 && i < model->controllers ? &model->controller[i] : NULL;
}

/* ---- dependence on inputs
 * --------------------------------------------------------------------- */

/* Does the parameter `p` of the element depend on the input? */
static bool param_reads(const model_element *e, const torsor_param *p, int input) {
  const void *member = (const char *)e->instance + p->offset;
  const torsor_function *function = member;
  const torsor_characteristic *characteristic = member;
  const torsor_control *control = member;
  const torsor_profile *profile = member;
  switch (p->kind) {
  case TORSOR_PARAM_FUNCTION:
    return function->eval && function->reads && function->reads(function->self, input);
  case TORSOR_PARAM_CHARACTERISTIC:
    return characteristic->eval && characteristic->reads &&
           characteristic->reads(characteristic->self, input);
  case TORSOR_PARAM_CONTROL:
    return control->eval && control->reads && control->reads(control->self, input);
  case TORSOR_PARAM_PROFILE:
    return profile->eval && profile->reads && profile->reads(profile->self, input);
  default:
    return false;
  }
}

/* Finds how an element depends on an input, which decides which jumps of the input a motion can
 * follow. */
static void reach(model_input *input, int index, const torsor_model *model, int element) {
  const model_element *e = &model->element[element];
  if (!e->rows) return;
  for (const torsor_param *p = e->type->params; p && p->key; ++p) {
    if (!param_reads(e, p, index)) continue;
    input->moves = true;
    if (p->conditions & TORSOR_GIVES_POSITION) input->positions = element;
  }
}

void model_reach_inputs(torsor_model *model) {
  for (int i = 0; i < model->inputs; ++i)
    for (int k = 0; k < model->element_count; ++k) reach(&model->input[i], i, model, k);
}

void model_note_callbacks(torsor_model *model) {
  for (int k = 0; k < model->element_count; ++k) {
    const model_element *e = &model->element[k];
    for (const torsor_param *p = e->type->params; p && p->key; ++p) {
      if (p->kind != TORSOR_PARAM_CALLBACK) continue;
      const torsor_callback *const *callback =
          (const void *)((const char *)e->instance + p->offset);
      model->one_thread |= *callback && !(*callback)->threads;
    }
  }
}

int torsor_model_inputs(const torsor_model *model) {
  return model->inputs;
}

int torsor_model_input_find(const torsor_model *model, const char *name) {
  for (int i = 0; i < model->inputs; ++i)
    if (strcmp(model->input[i].name, name) == 0) return i;
  return -1;
}

const char *torsor_model_input_name(const torsor_model *model, int i) {
  return model->input[i].name;
}

const char *torsor_model_input_unit(const torsor_model *model, int i) {
  return model->input[i].unit;
}

const char *torsor_model_input_doc(const torsor_model *model, int i) {
  return model->input[i].doc;
}

double torsor_model_input_value(const torsor_model *model, int i) {
  return model->input[i].value;
}
