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
                         .range = {-HUGE_VAL, HUGE_VAL},
                         .positions = -1};
  if (!input->name || !input->unit || !input->doc) return no_memory(error);
  ++model->inputs;
  return TORSOR_OK;
}

torsor_status torsor_builder_input_range(torsor_builder *builder, const char *name, double least,
                                         double largest, torsor_error *error) {
  torsor_model *model = builder_model(builder);
  const int i = torsor_model_input_find(model, name);
  if (i < 0) return torsor_fail(error, TORSOR_SCENE, "there is no input \"%s\"", name);
  if (!(least <= largest))
    return torsor_fail(error, TORSOR_SCENE,
                       "the least value of the input \"%s\", %g, is above the largest, %g", name,
                       least, largest);
  model->input[i].range[0] = least;
  model->input[i].range[1] = largest;
  return model_check_input(model, i, model->input[i].value, error);
}

torsor_status model_check_input(const torsor_model *model, int i, double value,
                                torsor_error *error) {
  const model_input *input = &model->input[i];
  const double *range = input->range;
  if (value >= range[0] && value <= range[1]) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "the input \"%s\" is %g, %s %g", input->name, value,
              value < range[0] ? "below its least value" : "above its largest value",
              range[value < range[0] ? 0 : 1]);
  torsor_hint(error, "its range is from %g to %g: \"min\" and \"max\" of the input", range[0],
              range[1]);
  return TORSOR_ARGUMENT;
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

/* A derived signal sees those that stand before it alone. */
static torsor_status check_order(const torsor_model *model, const torsor_derived *derived,
                                 torsor_error *error) {
  static const char prefix[] = "signals.";
  for (int i = 0; i < model->derived_count; ++i)
    if (strcmp(model->derived[i].name, derived->name) == 0)
      return torsor_fail(error, TORSOR_SCENE, "there are two signals \"%s\"", derived->name);
  for (int k = 0; k < derived->signals; ++k) {
    if (strncmp(derived->signal[k], prefix, sizeof prefix - 1) != 0) continue;
    int i = 0;
    while (i < model->derived_count &&
           strcmp(model->derived[i].name, derived->signal[k] + sizeof prefix - 1) != 0)
      ++i;
    if (i < model->derived_count) continue;
    torsor_fail(error, TORSOR_SCENE, "the signal \"%s\" uses \"%s\", and no such one is before it",
                derived->name, derived->signal[k]);
    torsor_hint(error, "a signal may use those that are above it");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

torsor_status torsor_builder_derived(torsor_builder *builder, const torsor_derived *derived,
                                     torsor_error *error) {
  torsor_model *model = builder_model(builder);
  const size_t count = (size_t)model->derived_count;
  const torsor_status status = check_order(model, derived, error);
  if (status) return status;
  torsor_derived *more = arena_take(&model->memory, count + 1, sizeof *more);
  if (!more) return no_memory(error);
  if (count) memcpy(more, model->derived, count * sizeof *more);
  torsor_derived *d = &more[count];
  *d = *derived;
  d->name = arena_string(&model->memory, derived->name);
  d->unit = arena_string(&model->memory, derived->unit ? derived->unit : "");
  if (!d->name || !d->unit || !copy_names(&d->signal, d->signals, &model->memory))
    return no_memory(error);
  model->derived = more;
  ++model->derived_count;
  return TORSOR_OK;
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

double torsor_model_input_least(const torsor_model *model, int i) {
  return model->input[i].range[0];
}

double torsor_model_input_largest(const torsor_model *model, int i) {
  return model->input[i].range[1];
}

double torsor_model_input_value(const torsor_model *model, int i) {
  return model->input[i].value;
}
