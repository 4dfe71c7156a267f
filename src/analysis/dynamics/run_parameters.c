/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_object.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dynamics/run_messages.h"
#include "liegroup/moments.h"

/* Parameters of elements that change during a run.  From the first change on the run has a table of
 * elements of its own; a changed element is prepared anew from the values that the builder was
 * given. */

/* A parameter in an instance. */
typedef struct place {
  int element, param, component; /* component of a vector or, row by row, of a matrix */
} place;

enum { MOST_COMPONENTS = 36 };

/* Returns how many numbers a parameter of this kind has that can change; 0: none. */
static int components(torsor_param_kind kind) {
  switch (kind) {
  case TORSOR_PARAM_NUMBER:
    return 1;
  case TORSOR_PARAM_VECTOR:
    return 3;
  case TORSOR_PARAM_INERTIA:
    return 9;
  case TORSOR_PARAM_MATRIX6:
    return MOST_COMPONENTS;
  default:
    return 0;
  }
}

static int index_in(const char *letters, char letter) {
  const char *at = letter ? strchr(letters, letter) : NULL;
  return at ? (int)(at - letters) : -1;
}

/* Returns the component with this name: "x", "xy" or "0.3"; -1: there is none. */
static int find_component(torsor_param_kind kind, const char *name) {
  const size_t length = strlen(name);
  if (kind == TORSOR_PARAM_NUMBER) return length ? -1 : 0;
  if (kind == TORSOR_PARAM_VECTOR) return length == 1 ? index_in("xyz", name[0]) : -1;
  const bool inertia = kind == TORSOR_PARAM_INERTIA;
  if (length != (inertia ? 2 : 3) || (!inertia && name[1] != '.')) return -1;
  const char *letters = inertia ? "xyz" : "012345";
  const int row = index_in(letters, name[0]), column = index_in(letters, name[length - 1]);
  return row < 0 || column < 0 ? -1 : row * (inertia ? 3 : 6) + column;
}

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

/* Finds a parameter by its path, such as "spring.stiffness", and what follows the key. */
static torsor_status find_param_of(place *out, const char **rest, const torsor_model *model,
                                   const char *path, torsor_error *error) {
  const size_t name = strcspn(path, ".");
  const char *key = path[name] ? path + name + 1 : "";
  const size_t length = strcspn(key, ".");
  *rest = key[length] ? key + length + 1 : "";
  *out = (place){.element = find_element(model, path, name)};
  if (out->element < 0) return fail_element(model, path, (int)name, error);
  const torsor_element_type *type = model->element[out->element].type;
  out->param = find_param(type, key, length);
  if (out->param < 0) return fail_key(type, key, (int)length, error);
  if (components(type->params[out->param].kind)) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" of %s cannot change during a run",
              type->params[out->param].key, type->name);
  torsor_hint(error, "only numbers, vectors and matrices of numbers can; build a new model for "
                     "other changes");
  return TORSOR_ARGUMENT;
}

/* Finds a number by its path, such as "spring.stiffness" or "ball.center_of_mass.x". */
static torsor_status find_place(place *out, const torsor_model *model, const char *path,
                                torsor_error *error) {
  const char *rest;
  const torsor_status status = find_param_of(out, &rest, model, path, error);
  if (status) return status;
  const model_element *e = &model->element[out->element];
  const torsor_param *p = &e->type->params[out->param];
  out->component = find_component(p->kind, rest);
  if (out->component >= 0) return TORSOR_OK;
  if (p->kind == TORSOR_PARAM_NUMBER)
    return torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" is a number: it has no \"%s\"", p->key,
                       rest);
  const bool vector = p->kind == TORSOR_PARAM_VECTOR;
  torsor_fail(error, TORSOR_ARGUMENT,
              "\"%s\" is a %s: name one of its components, such as \"%s.%s.%s\"", p->key,
              vector ? "vector" : "matrix", e->name, p->key,
              vector                            ? "x"
              : p->kind == TORSOR_PARAM_INERTIA ? "xy"
                                                : "0.3");
  torsor_hint(error, "torsor_run_set_parameter_values changes all of them at once");
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

/* Writes a number into an instance; an inertia stays symmetric. */
static void write_number(void *instance, const torsor_element_type *type,
                         const parameter_change *c) {
  place at = {c->element, c->param, c->component};
  *number(instance, type, &at) = c->value;
  if (type->params[c->param].kind != TORSOR_PARAM_INERTIA) return;
  at.component = c->component % 3 * 3 + c->component / 3;
  *number(instance, type, &at) = c->value;
}

/* Refuses an inertia that no body has. */
static torsor_status check_inertia(const model_element *e, const torsor_param *p, const m3 *J,
                                   torsor_error *error) {
  const v3 moment = moments_principal(*J);
  if (moment.z > 16 * DBL_EPSILON * m3_largest(*J) && moments_of_body(moment)) return TORSOR_OK;
  torsor_fail(
      error, TORSOR_ARGUMENT,
      "\"%s\" of \"%s\" would be no inertia of a body: its principal moments are %g, %g, %g",
      p->key, e->name, moment.x, moment.y, moment.z);
  torsor_hint(error, "all are greater than 0, and none exceeds the sum of the other two; "
                     "torsor_run_set_parameter_values changes all numbers at once");
  return TORSOR_ARGUMENT;
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

static bool same_param(const parameter_change *a, const parameter_change *b) {
  return a->element == b->element && a->param == b->param;
}

/* Writes those of the changes into an instance that are of the parameter of the first one. */
static void write_changes(void *instance, const torsor_element_type *type,
                          const parameter_change *change, int count) {
  for (int i = 0; i < count; ++i)
    if (same_param(&change[i], change)) write_number(instance, type, &change[i]);
}

/* Changes a parameter of an element, without a restart of the motion: those of the changes that are
 * of the parameter of the first one. */
static torsor_status apply(led_run *l, const parameter_change *change, int count,
                           torsor_error *error) {
  torsor_status status = fork_elements(l, error);
  if (!status) status = fork_element(l, change->element, error);
  if (status) return status;
  model_element *e = &l->model.element[change->element];
  const torsor_param *p = &e->type->params[change->param];
  memcpy(e->spare, e->given, e->type->size);
  write_changes(e->spare, e->type, change, count);
  if (p->kind == TORSOR_PARAM_INERTIA)
    status = check_inertia(e, p, (const m3 *)(const void *)((char *)e->spare + p->offset), error);
  if (!status) status = model_prepare_changed(e->spare, &l->model, change->element, p->key, error);
  if (status) return status;
  write_changes(e->given, e->type, change, count);
  memcpy(e->instance, e->spare, e->type->size);
  return TORSOR_OK;
}

/* Changes each parameter of a list once, with all of its changes. */
static torsor_status apply_all(led_run *l, const parameter_change *change, int count) {
  for (int i = 0; i < count; ++i) {
    int first = 0;
    while (!same_param(&change[first], &change[i])) ++first;
    const torsor_status status = first < i ? TORSOR_OK : apply(l, change + i, count - i, NULL);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* Adds a change to the list, or updates its value there. */
static torsor_status note(led_run *l, const parameter_change *at, double value,
                          torsor_error *error) {
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

/* Puts the previous values into the list again, which had `changes` entries. */
static void note_back(led_run *l, const parameter_change *change, const double *was, int count,
                      int changes) {
  for (int i = 0; i < count; ++i) note(l, &change[i], was[i], NULL);
  l->changes = changes;
}

/* Changes numbers of one parameter; on failure those of the list are the previous ones. */
static torsor_status change_numbers(torsor_run *run, const parameter_change *change, int count,
                                    torsor_error *error) {
  led_run *l = led(run);
  torsor_point p;
  double was[MOST_COMPONENTS];
  torsor_status status = run_refuse_change(run, error);
  if (!status) status = run_look(run, &p, run->time, false, error);
  for (int i = 0; i < count && !status; ++i) {
    const place at = {change[i].element, change[i].param, change[i].component};
    const model_element *e = &l->model.element[at.element];
    status = check_value(&l->model, &at, change[i].value, error);
    was[i] = *number((void *)e->given, e->type, &at);
  }
  const int changes = l->changes;
  if (status) return status;
  const double before = energy_of(run, change->element, &p);
  for (int i = 0; i < count && !status; ++i) status = note(l, &change[i], change[i].value, error);
  if (!status) status = apply(l, change, count, error);
  if (status) {
    note_back(l, change, was, count, changes);
    return status;
  }
  work_supply(&run->observer.work, change->element, energy_of(run, change->element, &p) - before);
  assembly_change_element(run->assembly);
  run->disturbed = true;
  l->floor = run->time;
  return TORSOR_OK;
}

torsor_status torsor_run_set_parameter(torsor_run *run, const char *path, double value,
                                       torsor_error *error) {
  const torsor_model *model = &led(run)->model;
  place at;
  const torsor_status status = find_place(&at, model, path, error);
  if (status) return status;
  const model_element *e = &model->element[at.element];
  const place first = {at.element, at.param, 0};
  if (components(e->type->params[at.param].kind) > 3 &&
      isnan(*number((void *)e->given, e->type, &first))) {
    torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" of \"%s\" is not given",
                e->type->params[at.param].key, e->name);
    torsor_hint(error, "torsor_run_set_parameter_values gives all of it");
    return TORSOR_ARGUMENT;
  }
  const parameter_change change = {at.element, at.param, at.component, value};
  return change_numbers(run, &change, 1, error);
}

/* Refuses an inertia whose matrix is not symmetric within rounding. */
static torsor_status check_symmetric(const char *path, const double *J, torsor_error *error) {
  double largest = 0;
  for (int i = 0; i < 9; ++i) largest = fmax(largest, fabs(J[i]));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (fabs(J[3 * i + j] - J[3 * j + i]) > 64 * DBL_EPSILON * largest)
        return torsor_fail(error, TORSOR_ARGUMENT,
                           "\"%s\" is not symmetric: entry [%d][%d] is %g, entry [%d][%d] is %g",
                           path, i, j, J[3 * i + j], j, i, J[3 * j + i]);
  return TORSOR_OK;
}

torsor_status torsor_run_set_parameter_values(torsor_run *run, const char *path,
                                              const double *values, int count,
                                              torsor_error *error) {
  const torsor_model *model = &led(run)->model;
  parameter_change change[MOST_COMPONENTS];
  const char *rest;
  place at;
  torsor_status status = find_param_of(&at, &rest, model, path, error);
  if (status) return status;
  const torsor_param *p = &model->element[at.element].type->params[at.param];
  if (rest[0] || count != components(p->kind))
    return torsor_fail(error, TORSOR_ARGUMENT, "\"%s\" stands for %d numbers, not for %d", path,
                       rest[0] ? 1 : components(p->kind), count);
  if (p->kind == TORSOR_PARAM_INERTIA) status = check_symmetric(path, values, error);
  if (status) return status;
  for (int i = 0; i < count; ++i)
    change[i] = (parameter_change){at.element, at.param, i, values[i]};
  return change_numbers(run, change, count, error);
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
  return c->component >= 0 && c->component < components(params[c->param].kind);
}

static torsor_status read_changes(led_run *l, tape *t, int count) {
  /* parameters that this run has changed and the saved one has not get the values of the model */
  for (int i = 0; i < l->changes; ++i) {
    parameter_change *c = &l->change[i];
    const place at = {c->element, c->param, c->component};
    const model_element *original = &l->original->element[at.element];
    c->value = *number((void *)original->given, original->type, &at);
  }
  torsor_status status = apply_all(l, l->change, l->changes);
  if (status) return status;
  l->changes = 0;
  for (int i = 0; i < count && !t->status; ++i) {
    parameter_change c = {0};
    walk_change(&c, t);
    if (t->status) return t->status;
    if (!is_number(l, &c)) return TORSOR_FILE;
    status = note(l, &c, c.value, NULL);
    if (status) return status;
  }
  return t->status ? t->status : apply_all(l, l->change, l->changes);
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
