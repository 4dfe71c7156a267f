/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/controllers.h"

#include <math.h>
#include <string.h>

static double due(const sampler *s) {
  return s->controller->offset + (double)s->next * s->controller->period;
}

double controllers_due(const controllers *c) {
  double first = HUGE_VAL;
  for (int i = 0; i < c->count; ++i) first = fmin(first, due(&c->sampler[i]));
  return first;
}

static torsor_status create_sampler(sampler *s, const torsor_controller *controller,
                                    const torsor_model *model, arena *memory, torsor_error *error) {
  *s = (sampler){.controller = controller};
  torsor_status status = TORSOR_OK;
  if (controller->reads)
    status =
        torsor_signals_create(&s->signals, model, controller->read, controller->reads, NULL, error);
  if (status) return status;
  const int columns = s->signals ? torsor_signals_count(s->signals) : 0;
  if (columns != controller->reads)
    return torsor_fail(error, TORSOR_SCENE,
                       "controller \"%s\" gives %d names, which stand for %d signals: write the "
                       "name of each signal in full",
                       controller->name, controller->reads, columns);
  s->reactions = s->signals && signals_need_reactions(s->signals);
  s->read = arena_take(memory, (size_t)columns, sizeof *s->read);
  s->write = arena_take(memory, (size_t)controller->writes, sizeof *s->write);
  return s->read && s->write ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status controllers_create(controllers *out, const torsor_model *model, arena *memory,
                                 torsor_error *error) {
  *out = (controllers){.count = model->controllers};
  out->sampler = arena_take(memory, (size_t)out->count, sizeof *out->sampler);
  if (!out->sampler) {
    out->count = 0;
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < out->count && !status; ++i)
    status = create_sampler(&out->sampler[i], &model->controller[i], model, memory, error);
  return status;
}

void controllers_begin(const controllers *c, const torsor_model *model) {
  for (int i = 0; i < c->count; ++i) {
    const torsor_callback *callback = c->sampler[i].controller->callback;
    if (callback->state) memcpy(callback->data, model->controller_memory[i], callback->state);
  }
}

void controllers_release(controllers *c) {
  for (int i = 0; i < c->count; ++i) torsor_signals_destroy(c->sampler[i].signals);
}

void controllers_walk(controllers *c, tape *t) {
  for (int i = 0; i < c->count; ++i) {
    sampler *s = &c->sampler[i];
    const torsor_callback *callback = s->controller->callback;
    TAPE_VALUE(t, s->next);
    if (callback->state) tape_value(t, "controller", callback->data, callback->state);
  }
}
