/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_object.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Parameters of elements that change during a run.  From the first change on the run has a table of
 * elements of its own; a changed element is prepared anew from the values that the builder was
 * given. */

/* A parameter in an instance. */
typedef struct place {
  int element, param, component; /* component 0 to 2 of a vector */
} place;

static int find_element(const torsor_model *model, const char *name, size_t length) {
  for (int i = 0; i < model->element_count; ++i)
    if (strncmp(model->element[i].name, name, length) == 0 && !model->element[i].name[length])
      return i;
  return -1;
}

static int find_param(const torsor_element_type *type, const char *key, size_t length) {
  for (int i = 0; type->params[i].key; ++i)
    if (strncmp(type->params[i].key, key, length) == 0 && !type->params[i].key[length]) return i;
  return -1;
}

static torsor_status fail_element(const torsor_model *model, const char *path, int length,
                                  torsor_error *error) {
  const char *near = NULL;
  char name[64];
  snprintf(name, sizeof name, "%.*s", length, path);
  for (int i = 0; !near && i < model->element_count; ++i)
    near = torsor_near_name(name, &model->element[i].name, 1);
  torsor_fail(error, TORSOR_ARGUMENT, "there is no element \"%s\"", name);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "a parameter is named by its element and its key: \"spring.stiffness\"");
  return TORSOR_ARGUMENT;
}

static torsor_status fail_key(const torsor_element_type *type, const char *key, int length,
                              torsor_error *error) {
  const char *near = NULL;
  char word[64];
  snprintf(word, sizeof word, "%.*s", length, key);
  for (int i = 0; !near && type->params[i].key; ++i)
    near = torsor_near_name(word, &type->params[i].key, 1);
  torsor_fail(error, TORSOR_ARGUMENT, "%s has no parameter \"%s\"", type->name, word);
  if (near) torsor_hint(error, "did you mean \"%s\"?", near);
  return TORSOR_ARGUMENT;
}

/* Finds a parameter by its path, such as "spring.stiffness" or "ball.center_of_mass.x". */
static torsor_status find_place(place *out, const torsor_model *model, const char *path,
                                torsor_error *error) {
  const size_t name = strcspn(path, ".");
  const char *key = path[name] ? path + name + 1 : "";
  const size_t length = strcspn(key, ".");
  const char *component = key[length] ? key + length + 1 : "";
  *out = (place){.element = find_element(model, path, name)};
  if (out->element < 0) return fail_element(model, path, (int)name, error);
  const torsor_element_type *type = model->element[out->element].type;
  out->param = find_param(type, key, length);
  if (out->param < 0) return fail_key(type, key, (int)length, error);
  const torsor_param *p = &type->params[out->param];
  const bool vector = p->kind == TORSOR_PARAM_VECTOR;
  const char *at = vector && component[0] && !component[1] ? strchr("xyz", component[0]) : NULL;
  if (at) out->component = (int)(at - "xyz");
  if (vector && !at)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "\"%s\" is a vector: name one of its components, such as \"%.*s.x\"", p->key,
                       (int)(name + 1 + length), path);
  if (p->kind == TORSOR_PARAM_NUMBER && !component[0]) return TORSOR_OK;
  if (vector) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" of %s cannot change during a run", p->key,
              type->name);
  torsor_hint(error,
              "only numbers and components of vectors can; build a new model for other changes");
  return TORSOR_ARGUMENT;
}

static torsor_status check_value(const torsor_model *model, const place *at, double value,
                                 torsor_error *error) {
  const model_element *e = &model->element[at->element];
  const torsor_param *p = &e->type->params[at->param];
  const char *broken = NULL;
  if ((p->conditions & TORSOR_POSITIVE) && !(value > 0)) broken = "greater than 0";
  if ((p->conditions & TORSOR_NONNEGATIVE) && !(value >= 0)) broken = "0 or greater";
  if (!isfinite(value)) broken = "finite";
  if (broken) {
    torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" of \"%s\" must be %s, but is %g", p->key, e->name,
                broken, value);
    torsor_hint(error, p->unit ? "%s, in %s" : "%s", p->doc, p->unit);
    return TORSOR_ARGUMENT;
  }
  if (!(p->conditions & TORSOR_INITIAL)) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "\"%s\" of \"%s\" is an initial value, and the run has started", p->key, e->name);
  torsor_hint(error, "use torsor_run_set_state to put the run into another state");
  return TORSOR_ARGUMENT;
}

static double *number(void *instance, const torsor_element_type *type, const place *at) {
  return (double *)((char *)instance + type->params[at->param].offset) + at->component;
}

/* Copies the table of elements, so that the run has its own. */
static torsor_status fork_elements(led_run *l, torsor_error *error) {
  const size_t count = (size_t)l->model.element_count;
  if (l->forked) return TORSOR_OK;
  model_element *own = arena_take(&l->run.memory, count, sizeof *own);
  if (!own) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  memcpy(own, l->model.element, count * sizeof *own);
  l->model.element = own;
  l->forked = true;
  return TORSOR_OK;
}

/* Takes memory for the given values of an element, for its prepared instance, and for a trial. */
static torsor_status fork_element(led_run *l, int element, torsor_error *error) {
  model_element *e = &l->model.element[element];
  const size_t size = e->type->size;
  if (e->spare) return TORSOR_OK;
  char *memory = arena_take(&l->run.memory, 3, size);
  if (!memory) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  memcpy(memory, e->given, size);
  memcpy(memory + size, e->instance, size);
  e->given = memory;
  e->instance = memory + size;
  e->spare = memory + 2 * size;
  return TORSOR_OK;
}

/* Changes a parameter of an element, without a restart of the motion. */
static torsor_status apply(led_run *l, const place *at, double value, torsor_error *error) {
  torsor_status status = fork_elements(l, error);
  if (!status) status = fork_element(l, at->element, error);
  if (status) return status;
  model_element *e = &l->model.element[at->element];
  memcpy(e->spare, e->given, e->type->size);
  *number(e->spare, e->type, at) = value;
  status = model_prepare_changed(e->spare, &l->model, at->element, e->type->params[at->param].key,
                                 error);
  if (status) return status;
  *number(e->given, e->type, at) = value;
  memcpy(e->instance, e->spare, e->type->size);
  return TORSOR_OK;
}

/* Adds a change to the list, or updates its value there. */
static torsor_status note(led_run *l, const place *at, double value, torsor_error *error) {
  for (int i = 0; i < l->changes; ++i) {
    parameter_change *c = &l->change[i];
    if (c->element != at->element || c->param != at->param || c->component != at->component)
      continue;
    c->value = value;
    return TORSOR_OK;
  }
  void *array = l->change;
  if (!run_make_room(&array, l->changes, &l->change_room, sizeof *l->change))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  l->change = array;
  l->change[l->changes++] = (parameter_change){at->element, at->param, at->component, value};
  return TORSOR_OK;
}

/* Returns the energy of the element at the state that the observer evaluated last. */
static double energy_of(const torsor_run *r, int element, const torsor_point *p) {
  const model_element *e = &r->model->element[element];
  torsor_balance b = {0};
  if (!e->type->energy.balance || !assembly_acts(r->assembly, element)) return 0;
  const torsor_element_in in = assembly_element_in(r->assembly, element, p);
  e->type->energy.balance(e->instance, &in, &b);
  return b.kinetic + b.potential + b.elastic;
}

torsor_status torsor_run_set_parameter(torsor_run *run, const char *path, double value,
                                       torsor_error *error) {
  led_run *l = led(run);
  place at;
  torsor_point p;
  torsor_status status = find_place(&at, &l->model, path, error);
  if (!status) status = check_value(&l->model, &at, value, error);
  if (!status) status = run_look(run, &p, run->time, false, error);
  if (!status) status = note(l, &at, value, error);
  if (status) return status;
  const double before = energy_of(run, at.element, &p);
  const double was = torsor_run_parameter(run, path);
  status = apply(l, &at, value, error);
  if (status) {
    note(l, &at, was, NULL);
    return status;
  }
  work_supply(&run->observer.work, at.element, energy_of(run, at.element, &p) - before);
  assembly_change_element(run->assembly);
  run->disturbed = true;
  l->floor = run->time;
  return TORSOR_OK;
}

double torsor_run_parameter(const torsor_run *run, const char *path) {
  const led_run *l = (const led_run *)run;
  place at;
  if (find_place(&at, &l->model, path, NULL)) return nan("");
  const model_element *e = &l->model.element[at.element];
  return *number((void *)e->given, e->type, &at);
}

/* ---- saved runs ------------------------------------------------------------------------------ */

static void walk_change(parameter_change *c, tape *t) {
  TAPE_VALUE(t, c->element);
  TAPE_VALUE(t, c->param);
  TAPE_VALUE(t, c->component);
  TAPE_VALUE(t, c->value);
}

/* Is it a parameter of this model?  Bytes of other origin may have any value. */
static bool is_number(const led_run *l, const parameter_change *c) {
  if (c->element < 0 || c->element >= l->model.element_count) return false;
  const torsor_param *params = l->model.element[c->element].type->params;
  int count = 0;
  while (params[count].key) ++count;
  if (c->param < 0 || c->param >= count) return false;
  const int most = params[c->param].kind == TORSOR_PARAM_VECTOR   ? 3
                   : params[c->param].kind == TORSOR_PARAM_NUMBER ? 1
                                                                  : 0;
  return c->component >= 0 && c->component < most;
}

static torsor_status read_changes(led_run *l, tape *t, int count) {
  /* parameters that this run has changed and the saved one has not get the values of the model */
  for (int i = 0; i < l->changes; ++i) {
    const place at = {l->change[i].element, l->change[i].param, l->change[i].component};
    const model_element *original = &l->original->element[at.element];
    const double value = *number((void *)original->given, original->type, &at);
    const torsor_status status = apply(l, &at, value, NULL);
    if (status) return status;
  }
  l->changes = 0;
  for (int i = 0; i < count && !t->status; ++i) {
    parameter_change c = {0};
    walk_change(&c, t);
    if (t->status) return t->status;
    if (!is_number(l, &c)) return TORSOR_FILE;
    const place at = {c.element, c.param, c.component};
    torsor_status status = apply(l, &at, c.value, NULL);
    if (!status) status = note(l, &at, c.value, NULL);
    if (status) return status;
  }
  return t->status;
}

void run_walk_parameters(led_run *l, tape *t) {
  int count = l->changes;
  TAPE_VALUE(t, count);
  if (t->mode == TAPE_READ && !t->status) {
    const torsor_status status = read_changes(l, t, count);
    if (status && !t->status) t->status = status;
    return;
  }
  for (int i = 0; i < l->changes; ++i) walk_change(&l->change[i], t);
}
