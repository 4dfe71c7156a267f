/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/observer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Walks over everything except work and the multipliers of least norm. */
static void walk_own(observer *o, tape *t) {
  TAPE_ARRAY(t, o->phi, o->model->nl);
  TAPE_ARRAY(t, o->phi_v, o->model->nl);
  TAPE_ARRAY(t, o->reported, o->model->element_count);
}

static torsor_status find_remarkers(observer *o) {
  const torsor_model *model = o->model;
  o->remarker = arena_take(o->memory, (size_t)model->element_count, sizeof *o->remarker);
  if (!o->remarker) return TORSOR_MEMORY;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].type->limits.remark) o->remarker[o->remarkers++] = i;
  return TORSOR_OK;
}

torsor_status observer_create(observer *out, const torsor_model *model, const char *linear_solver,
                              assembly *a, arena *memory) {
  tape take = {.memory = memory};
  *out =
      (observer){.model = model, .linear_solver = linear_solver, .memory = memory, .assembly = a};
  walk_own(out, &take);
  return take.status ? take.status : find_remarkers(out);
}

void observer_walk(observer *o, tape *t) {
  bool least = o->least_norm.assembly != NULL;
  walk_own(o, t);
  work_walk(&o->work, t);
  TAPE_VALUE(t, least);
  if (t->mode == TAPE_READ && least && !o->least_norm.assembly && !t->status)
    t->status = least_norm_create(&o->least_norm, o->model, o->linear_solver, o->memory, NULL);
  if (least && !t->status) least_norm_walk(&o->least_norm, t);
}

/* Marks the remark of an element as reported, for all elements of its composite, which share its
 * name up to a dot. */
static void note_reported(observer *o, int element) {
  const char *name = o->model->element[element].name;
  const size_t owner = strcspn(name, ".");
  for (int i = 0; i < o->model->element_count; ++i) {
    const char *other = o->model->element[i].name;
    if (strncmp(other, name, owner) == 0 && strcspn(other, ".") == owner) o->reported[i] = 1;
  }
}

void observer_remark(observer *o, const torsor_point *p, const char *when, double value,
                     void (*tell)(void *data, const char *message), void *data) {
  char message[300];
  for (int k = 0; k < o->remarkers; ++k) {
    const int i = o->remarker[k];
    const model_element *e = &o->model->element[i];
    if (o->reported[i] || !assembly_acts(o->assembly, i)) continue;
    const torsor_element_in in = assembly_element_in(o->assembly, i, p);
    const char *remark = e->type->limits.remark(e->instance, &in);
    if (!remark) continue;
    snprintf(message, sizeof message, "%s \"%s\" %s at %s = %.6g", e->type->name, e->name, remark,
             when, value);
    tell(data, message);
    note_reported(o, i);
  }
}

void observer_release(observer *o) {
  least_norm_release(&o->least_norm);
}

/* Replaces the multipliers by those of least norm where rows depend on each other. */
static torsor_status choose_multipliers(observer *o, torsor_point *p, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (!o->least_norm.assembly)
    status = least_norm_create(&o->least_norm, o->model, o->linear_solver, o->memory, error);
  if (status) return status;
  assembly_copy_state(o->least_norm.assembly, o->assembly);
  status = least_norm_find(&o->least_norm, p);
  p->lambda = o->least_norm.lambda;
  return status ? torsor_fail(error, status, "cannot find the multipliers at t = %.9g s: %s", p->t,
                              torsor_status_text(status))
                : TORSOR_OK;
}

torsor_status observer_look(observer *o, torsor_point *p, const torsor_state *state,
                            torsor_error *error) {
  const torsor_problem *problem = assembly_problem(o->assembly);
  *p = observer_point(state);
  torsor_status status = state->redundant ? choose_multipliers(o, p, error) : TORSOR_OK;
  if (status) return status;
  status = problem->residual(problem->self, p, NULL, o->phi, o->phi_v);
  assembly_show_coordinates(o->assembly, p);
  work_show(&o->work, o->assembly, p);
  return status ? torsor_fail(error, status, "cannot evaluate the state at t = %.9g s: %s", p->t,
                              torsor_status_text(status))
                : TORSOR_OK;
}

static double larger(double most, double value) {
  const double size = fabs(value);
  return size > most ? size : most;
}

/* Returns the largest of `most` and the magnitudes of the values, which are compared in pairs. */
static double largest(double most, const double *value, int count) {
  double other = most;
  int i = 0;
  for (; i + 1 < count; i += 2) {
    most = larger(most, value[i]);
    other = larger(other, value[i + 1]);
  }
  if (i < count) most = larger(most, value[i]);
  return larger(most, other);
}

void observer_note_residuals(torsor_summary *s, const observer *o) {
  s->max_phi = largest(s->max_phi, o->phi, o->model->nl);
  s->max_phi_velocity = largest(s->max_phi_velocity, o->phi_v, o->model->nl);
}

void observer_signals(const observer *o, double *values, const torsor_signals *signals,
                      const torsor_point *p, const torsor_balance *balance) {
  const signal_state now = {.assembly = o->assembly,
                            .point = p,
                            .coordinates = assembly_coordinates(o->assembly),
                            .work = &o->work,
                            .balance = balance,
                            .phi = o->phi,
                            .phi_v = o->phi_v};
  signals_eval(signals, values, &now);
}
