/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/channels.h"

#include <stdio.h>
#include <string.h>

/* ---- functions with something added ---------------------------------------------------------- */

typedef struct raised_function {
  torsor_function base;
  const double *added; /* [3] */
} raised_function;

static double eval_function(const void *self, const torsor_now *now, double *rate, double *second) {
  const raised_function *f = self;
  const double value = f->base.eval(f->base.self, now, rate, second);
  if (rate) *rate += f->added[1];
  if (second) *second += f->added[2];
  return value + f->added[0];
}

static bool jump_function(const void *self, double after, torsor_jump *out) {
  const raised_function *f = self;
  return f->base.jump && f->base.jump(f->base.self, after, out);
}

static bool function_reads(const void *self, int input) {
  const raised_function *f = self;
  return f->base.reads && f->base.reads(f->base.self, input);
}

typedef struct raised_control {
  torsor_control base;
  const double *added; /* [3] */
} raised_control;

static double eval_control(const void *self, const torsor_now *now, const double *x,
                           double *gradient) {
  const raised_control *f = self;
  return f->base.eval(f->base.self, now, x, gradient) + f->added[0];
}

static bool control_reads(const void *self, int input) {
  const raised_control *f = self;
  return f->base.reads && f->base.reads(f->base.self, input);
}

/* ---- elements of our own ----------------------------------------------------------------------
 */

/* Copies the element's instance, so that it can be changed. */
static torsor_status fork_element(channels *c, int i, arena *memory) {
  model_element *e = &c->model.element[i];
  const size_t size = e->type->size;
  if (e->spare) return TORSOR_OK; /* another input has done so */
  char *room = arena_take(memory, 3, size);
  if (!room) return TORSOR_MEMORY;
  memcpy(room, e->given, size);
  memcpy(room + size, e->instance, size);
  e->given = room;
  e->instance = room + size;
  e->spare = room + 2 * size;
  return TORSOR_OK;
}

static void *member(void *instance, const torsor_param *p) {
  return (char *)instance + p->offset;
}

static bool is_absent(const void *instance, const torsor_param *p) {
  const void *at = (const char *)instance + p->offset;
  if (p->kind == TORSOR_PARAM_FUNCTION) return !((const torsor_function *)at)->eval;
  if (p->kind == TORSOR_PARAM_CONTROL) return !((const torsor_control *)at)->eval;
  return !(*(const double *)at == *(const double *)at); /* NaN */
}

static torsor_status raise_function(torsor_function *at, const channel *ch, arena *memory) {
  raised_function *f = arena_take(memory, 1, sizeof *f);
  if (!f) return TORSOR_MEMORY;
  *f = (raised_function){.base = *at, .added = ch->added};
  *at = (torsor_function){
      .eval = eval_function, .self = f, .jump = jump_function, .reads = function_reads};
  return TORSOR_OK;
}

static torsor_status raise_control(torsor_control *at, const channel *ch, arena *memory) {
  raised_control *f = arena_take(memory, 1, sizeof *f);
  if (!f) return TORSOR_MEMORY;
  *f = (raised_control){.base = *at, .added = ch->added};
  at->eval = eval_control;
  at->self = f;
  at->reads = control_reads;
  return TORSOR_OK;
}

/* Puts a function that adds the input in the place of that of element i, prepared and as given. */
static torsor_status raise(channels *c, const channel *ch, int i, arena *memory) {
  const torsor_param *p = &c->model.element[i].type->params[ch->key];
  torsor_status status = fork_element(c, i, memory);
  void *const instance[] = {c->model.element[i].instance, c->model.element[i].given};
  for (int k = 0; k < 2 && !status; ++k)
    status = p->kind == TORSOR_PARAM_FUNCTION ? raise_function(member(instance[k], p), ch, memory)
                                              : raise_control(member(instance[k], p), ch, memory);
  return status;
}

/* ---- names ------------------------------------------------------------------------------------
 */

static bool may_be_input(const torsor_param *p) {
  return p->kind == TORSOR_PARAM_FUNCTION || p->kind == TORSOR_PARAM_CONTROL ||
         (p->kind == TORSOR_PARAM_NUMBER && !(p->conditions & TORSOR_INITIAL));
}

static torsor_status refuse_key(const model_element *e, const char *owner, const char *key,
                                torsor_error *error) {
  char list[160] = "";
  for (int i = 0; e->type->params[i].key; ++i) {
    const size_t used = strlen(list);
    if (may_be_input(&e->type->params[i]) && !is_absent(e->given, &e->type->params[i]))
      snprintf(list + used, sizeof list - used, "%s\"%s.%s\"", used ? ", " : "", owner,
               e->type->params[i].key);
  }
  torsor_fail(error, TORSOR_SCENE,
              "\"%s.%s\" cannot be an input: it is no function of time, no "
              "control and no number that \"%s\" has",
              owner, key, owner);
  torsor_hint(error, list[0] ? "inputs of this %s may be %s" : "no key of this %s can be one%s",
              e->type->name, list);
  return TORSOR_SCENE;
}

static torsor_status refuse_name(const torsor_model *model, const char *name, torsor_error *error) {
  const char *near = NULL;
  char owner[128];
  snprintf(owner, sizeof owner, "%.*s", (int)strcspn(name, "."), name);
  for (int i = 0; i < model->inputs && !near; ++i)
    near = torsor_near_name(owner, &model->input[i].name, 1);
  for (int i = 0; i < model->element_count && !near; ++i)
    near = torsor_near_name(owner, &model->element[i].name, 1);
  torsor_fail(error, TORSOR_SCENE, "there is no input and no element \"%s\"", owner);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "an input is one of \"inputs\" of the scene, or a function, a control or a "
                       "number of an element: \"motor.effort\", \"spring.stiffness\"");
  return TORSOR_SCENE;
}

/* Does the element belong to `owner`: is it called that, or "<owner>.<part>"? */
static bool belongs(const char *element, const char *owner, size_t length) {
  return strncmp(element, owner, length) == 0 && (!element[length] || element[length] == '.');
}

/* Finds the parameter "<owner>.<key>" of the elements that belong to the owner. */
static torsor_status find_parameter(channel *ch, channels *c, const char *name, arena *memory,
                                    torsor_error *error) {
  const torsor_model *model = &c->model;
  const char *dot = strrchr(name, '.');
  const size_t length = dot ? (size_t)(dot - name) : 0;
  int first = 0;
  while (length && first < model->element_count &&
         !belongs(model->element[first].name, name, length))
    ++first;
  if (!length || first == model->element_count) return refuse_name(model, name, error);
  const model_element *e = &model->element[first];
  char owner[128];
  snprintf(owner, sizeof owner, "%.*s", (int)length, name);
  ch->element = first;
  while (e->type->params[ch->key].key && strcmp(e->type->params[ch->key].key, dot + 1) != 0)
    ++ch->key;
  const torsor_param *p = &e->type->params[ch->key];
  if (!p->key || !may_be_input(p) || is_absent(e->given, p))
    return refuse_key(e, owner, dot + 1, error);
  ch->kind = p->kind == TORSOR_PARAM_FUNCTION  ? CHANNEL_FUNCTION
             : p->kind == TORSOR_PARAM_CONTROL ? CHANNEL_CONTROL
                                               : CHANNEL_NUMBER;
  ch->label.unit = p->unit ? p->unit : "";
  torsor_status status = TORSOR_OK;
  for (int i = first; i < model->element_count && !status; ++i) {
    if (!belongs(model->element[i].name, name, length) || model->element[i].type != e->type)
      continue;
    ch->last = i;
    status = ch->kind == CHANNEL_NUMBER ? fork_element(c, i, memory) : raise(c, ch, i, memory);
  }
  return status ? torsor_fail(error, status, "out of memory") : TORSOR_OK;
}

torsor_status channels_create(channels *out, const torsor_model *model, const char *const *name,
                              int count, arena *memory, torsor_error *error) {
  *out = (channels){.model = *model, .count = count};
  model_element *own = arena_take(memory, (size_t)model->element_count, sizeof *own);
  out->channel = arena_take(memory, (size_t)count, sizeof *out->channel);
  if (!own || !out->channel) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  memcpy(own, model->element, (size_t)model->element_count * sizeof *own);
  out->model.element = own;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count && !status; ++i) {
    channel *ch = &out->channel[i];
    const int input = torsor_model_input_find(model, name[i]);
    ch->label.name = arena_string(memory, name[i]);
    if (!ch->label.name) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    if (input < 0) {
      status = find_parameter(ch, out, name[i], memory, error);
      if (status && error) snprintf(error->path, sizeof error->path, "linear.inputs.%d", i);
      continue;
    }
    ch->index = input;
    ch->label.unit = model->input[input].unit;
  }
  return status;
}

/* ---- values -----------------------------------------------------------------------------------
 */

/* Prepares the elements of the channel anew, with x added to their number. */
static torsor_status set_number(channels *c, const channel *ch, assembly *a, double x) {
  for (int i = ch->element; i <= ch->last; ++i) {
    model_element *e = &c->model.element[i];
    if (e->type != c->model.element[ch->element].type || !e->spare) continue;
    const torsor_param *p = &e->type->params[ch->key];
    memcpy(e->spare, e->given, e->type->size);
    *(double *)member(e->spare, p) += x;
    const torsor_status status = model_prepare_changed(e->spare, &c->model, i, p->key, NULL);
    if (status) return status == TORSOR_ARGUMENT ? TORSOR_DOMAIN : status;
    memcpy(e->instance, e->spare, e->type->size);
  }
  assembly_change_element(a);
  return TORSOR_OK;
}

torsor_status channels_set(channels *c, assembly *a, int i, int order, double x, double t) {
  channel *ch = &c->channel[i];
  memset(ch->added, 0, sizeof ch->added);
  ch->added[order] = x;
  if (ch->kind == CHANNEL_NUMBER) return set_number(c, ch, a, x);
  if (ch->kind == CHANNEL_INPUT) {
    double value[3];
    memcpy(value, ch->added, sizeof value);
    value[0] += c->model.input[ch->index].value;
    assembly_set_input(a, ch->index, t, value);
  }
  return TORSOR_OK;
}

bool channels_moves(const channels *c, int i) {
  return c->channel[i].kind == CHANNEL_INPUT || c->channel[i].kind == CHANNEL_FUNCTION;
}
