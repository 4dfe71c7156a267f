/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_switch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dynamics/run_messages.h"
#include "analysis/observe/impact.h"
#include "analysis/start/constraints.h"
#include "integrator/walk.h"

bool run_would_switch(const torsor_run *r, const torsor_event *e) {
  if (e->sets || e->resets || e->starts || e->stops) return true;
  for (int i = 0; i < e->on_count; ++i)
    if (!assembly_acts(r->assembly, e->on[i])) return true;
  for (int i = 0; i < e->off_count; ++i)
    if (assembly_acts(r->assembly, e->off[i])) return true;
  return false;
}

/* Does the position of a joint that is switched on fit?  One that keeps a place takes the present
 * one. */
static torsor_status check_fit(const torsor_run *r, const torsor_event *event, int element,
                               const torsor_point *p, torsor_error *error) {
  const model_element *e = &r->model->element[element];
  const torsor_element_in in = assembly_element_in(r->assembly, element, p);
  double phi[TORSOR_ELEMENT_ROWS] = {0}, B[e->rows * 6 * e->nodes + 1];
  torsor_element_out out = {.phi = phi, .B = B};
  memset(B, 0, sizeof B);
  const torsor_status status = e->type->eval(e->instance, &in, &out);
  const double length = model_size(r->model);
  for (int row = 0; row < e->rows - e->nonholonomic && !status; ++row) {
    double size = 0;
    for (int k = 0; k < 6 * e->nodes; ++k)
      size = fmax(size, fabs(B[row * 6 * e->nodes + k]) * (k % 6 > 2 ? 1 : length));
    if (fabs(phi[row]) <= DECIMAL_ROUNDING * size) continue;
    torsor_fail(error, TORSOR_INCONSISTENT,
                "event \"%s\" cannot switch %s \"%s\" on at t = %.9g s: its row %d is %.6g instead "
                "of 0",
                event->name, e->type->name, e->name, p->t, row, phi[row]);
    torsor_hint(error, "a \"lock\" or a \"weld\" keeps the place where the parts are then");
    torsor_blame(error, e->name);
    return TORSOR_INCONSISTENT;
  }
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

static torsor_status switch_element(torsor_run *r, const torsor_event *event, int element,
                                    bool acts, const torsor_point *p, torsor_error *error) {
  const bool joint = r->model->element[element].rows > 0;
  if (assembly_acts(r->assembly, element) == acts) return TORSOR_OK;
  if (joint) r->jumped = true;
  work_switch(&r->observer.work, r->assembly, element, acts, p);
  assembly_switch(r->assembly, element, acts);
  if (!joint || !acts || assembly_capture(r->assembly, element, p)) return TORSOR_OK;
  return check_fit(r, event, element, p, error);
}

/* Finds whether constraint rows depend on each other now. */
static torsor_status examine_rows(torsor_run *r, const torsor_point *p, torsor_error *error) {
  row_rank rank = {0};
  char message[400];
  torsor_status status = constraints_rank_at(&rank, r->assembly, p);
  if (status)
    return torsor_fail(error, status, "cannot find the rank of the constraints: %s",
                       torsor_status_text(status));
  const bool redundant = rank.dependent_count > 0;
  if (redundant && !r->redundant &&
      constraints_describe(message, sizeof message, &rank, r->assembly)) {
    char whole[480];
    snprintf(whole, sizeof whole, "from the event at t = %.9g s on %s", p->t, message);
    run_warn(r, whole);
  }
  r->redundant = redundant;
  assembly_set_redundant(r->assembly, redundant);
  row_rank_release(&rank);
  status = integrator_check(r->integrator, error);
  return status;
}

/* Notes what the elements that event k switched on took from the energy. */
static void note_loss(torsor_run *r, int k, const impact *blow) {
  const torsor_event *e = events_occurrence(&r->events, k).event;
  bool any = false;
  double lost = 0;
  for (int i = 0; i < e->on_count; ++i) {
    if (!r->model->element[e->on[i]].rows) continue;
    any = true;
    lost -= blow->work[e->on[i]];
  }
  if (any) events_note_loss(&r->events, k, lost);
}

/* Finds the velocities after the impulses of the joints that act now. */
static torsor_status jump(torsor_run *r, double t, const torsor_point *p, torsor_error *error) {
  impact blow;
  torsor_status status = examine_rows(r, p, error);
  if (status) return status;
  status = impact_find(&blow, r->assembly, p);
  if (!status) {
    memcpy(r->jump_q, p->q, (size_t)r->model->nq * sizeof *r->jump_q);
    memcpy(r->jump_v, blow.v, (size_t)r->model->nv * sizeof *r->jump_v);
    for (int i = 0; i < r->model->element_count; ++i)
      if (blow.work[i] != 0) work_supply(&r->observer.work, i, blow.work[i]);
    status = work_strike(&r->observer.work, r->assembly, &blow.blow, &blow.rest);
    for (int k = 0; k < r->events.reported; ++k)
      if (!(events_occurrence(&r->events, k).t < t)) note_loss(r, k, &blow);
  }
  impact_release(&blow);
  return status ? torsor_fail(error, status,
                              "the velocities after the event at t = %.9g s cannot be found: %s",
                              p->t, torsor_status_text(status))
                : TORSOR_OK;
}

/* Gives states of controllers the values of the events at t, in the order of the scene. */
static void reset_states(torsor_run *r, double t, const torsor_point *p) {
  bool seen = false;
  for (int k = 0; k < r->events.reported; ++k) {
    const torsor_occurrence o = events_occurrence(&r->events, k);
    if (o.t < t || !o.event->resets) continue;
    if (!seen) events_see(&r->events, p);
    seen = true;
    if (!r->jumped) {
      memcpy(r->jump_q, p->q, (size_t)r->model->nq * sizeof *r->jump_q);
      memcpy(r->jump_v, p->v, (size_t)r->model->nv * sizeof *r->jump_v);
    }
    r->jumped = true;
    for (int i = 0; i < o.event->resets; ++i) {
      const torsor_event_set *set = &o.event->reset[i];
      r->jump_v[r->model->node[set->input].first_v] = events_set_value(&r->events, k, set, t);
    }
  }
}

torsor_status run_switch(torsor_run *r, double t, const torsor_point *p, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < r->events.reported && !status; ++k) {
    const torsor_occurrence o = events_occurrence(&r->events, k);
    const torsor_event *e = o.event;
    if (o.t < t || e->action != TORSOR_SWITCH) continue;
    for (int i = 0; i < e->off_count && !status; ++i)
      status = switch_element(r, e, e->off[i], false, p, error);
    for (int i = 0; i < e->on_count && !status; ++i)
      status = switch_element(r, e, e->on[i], true, p, error);
    for (int i = 0; i < e->stops; ++i) controllers_switch(&r->controllers, e->stop[i], false, t);
    for (int i = 0; i < e->starts; ++i) controllers_switch(&r->controllers, e->start[i], true, t);
  }
  if (!status && r->jumped) status = jump(r, t, p, error);
  if (!status) reset_states(r, t, p);
  return status;
}

torsor_status run_restart(torsor_run *r) {
  const bool jumped = r->jumped;
  r->jumped = false;
  return jumped ? torsor_integrator_restart_from(r->integrator, r->last.t, r->jump_q, r->jump_v)
                : torsor_integrator_restart(r->integrator, r->last.t);
}
