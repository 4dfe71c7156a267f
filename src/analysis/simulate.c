/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/analysis.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/clock.h"
#include "analysis/constraints.h"
#include "analysis/initial.h"
#include "analysis/jumps.h"
#include "analysis/linear_state.h"
#include "analysis/method_check.h"
#include "analysis/ranges.h"
#include "analysis/remarks.h"
#include "analysis/run.h"
#include "analysis/statics.h"
#include "analysis/warnings.h"
#include "base/text.h"
#include "base/vec.h"

static void warn(const run *r, const char *message) {
  if (r->hooks && r->hooks->warn) r->hooks->warn(r->hooks->data, message);
}

static void warn_of(void *data, const char *message) {
  warn(data, message);
}

static void conclude(void *data, const char *message) {
  const run *r = data;
  if (r->hooks && r->hooks->conclude)
    r->hooks->conclude(r->hooks->data, message);
  else
    warn(r, message);
}

/* Append "; <what> of <type> "<name>"". */
static void append_element(text *out, const torsor_model *model, int element, const char *what) {
  text_printf(out, "; %s of %s \"%s\"", what, model->element[element].type->name,
              model->element[element].name);
}

/* The element that failed, or the body whose correction and the constraint row that are worst. */
static void name_failure(text *out, const run *r, const torsor_failure *failure) {
  char what[64];
  int local;
  const int failed = assembly_failed_element(r->assembly);
  if (failure->status == TORSOR_DOMAIN && failed >= 0)
    append_element(out, r->model, failed, "evaluation");
  if (failure->status == TORSOR_TURN) {
    append_element(out, r->model, failed, "coordinate");
    return;
  }
  if (failure->velocity >= 0) {
    const int e = torsor_model_velocity_element(r->model, failure->velocity, &local);
    snprintf(what, sizeof what, "worst: %.3g in component %d", failure->value, local);
    append_element(out, r->model, e, what);
  }
  if (failure->constraint >= 0) {
    const int e = torsor_model_row_element(r->model, failure->constraint, &local);
    snprintf(what, sizeof what, "row %d", local);
    append_element(out, r->model, e, what);
  }
}

static void hint_failure(const run *r, torsor_status cause, bool astray, torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  const bool other =
      torsor_method_takes(settings->method, "formulation") && !torsor_settings_stabilised(settings);
  if (astray)
    torsor_hint(error, "constraints fit here in more than one way, or nearly so (a dead centre): "
                       "another step size may step over it, "
                       "\"formulation\": \"index3\" passes it better");
  else if (cause == TORSOR_SINGULAR)
    torsor_hint(error, "the constraints may have become dependent here (a dead centre), or a "
                       "direction has neither inertia nor constraint");
  else if (cause == TORSOR_DOMAIN)
    ranges_hint(r->model, assembly_failed_element(r->assembly), error);
  else if (cause == TORSOR_TURN)
    torsor_hint(error, "its rate changes by half a turn or more in one step: try a smaller step");
  else
    torsor_hint(error, "try a smaller step%s; a jump in the forces also ends here",
                other ? ", or \"formulation\": \"ggl\"" : "");
}

/* Where rows are about to depend on each other, that is the reason; false where they are not. */
static bool hint_dead_centre(const run *r, const torsor_failure *failure, torsor_error *error) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  const int row =
      constraints_nearly_dependent_ahead(r->assembly, &p, failure->t - state.t, r->redundant);
  int local;
  if (row < 0) return false;
  const model_element *joint = &r->model->element[torsor_model_row_element(r->model, row, &local)];
  const bool ggl = r->simulation->settings.formulation == TORSOR_GGL;
  torsor_hint(error, "a dead centre is near: row %d of %s \"%s\" nearly depends on others here; %s",
              local, joint->type->name, joint->name,
              ggl ? "\"formulation\": \"index3\" passes it better"
                  : "another step size may step over it");
  return true;
}

/* What an element or a method returns of itself is no argument of the caller's. */
static torsor_status final_status(torsor_status status) {
  return status < 0 && status != TORSOR_ARGUMENT ? status : TORSOR_STEP;
}

/* In words: an iteration may have ended, but elsewhere. */
static const char *words_of(const torsor_failure *failure, torsor_status cause) {
  return failure->astray ? "the positions need a correction that is no error of the step's"
                         : torsor_status_text(cause);
}

static torsor_status report_failure(const run *r, torsor_status status, torsor_error *error) {
  const torsor_failure failure = torsor_integrator_failure(r->integrator);
  const torsor_status cause = failure.status ? failure.status : status;
  const torsor_status answer = final_status(status);
  text where = {0};
  name_failure(&where, r, &failure);
  torsor_fail(error, answer, "at t = %.9g s %s (step %.3g s, %d iterations%s)", failure.t,
              words_of(&failure, cause), failure.h, failure.iterations,
              where.data && !where.failed ? where.data : "");
  text_release(&where);
  if (cause == TORSOR_DOMAIN || !hint_dead_centre(r, &failure, error))
    hint_failure(r, cause, failure.astray, error);
  return answer;
}

static torsor_status report_failed_start(const run *r, double t, torsor_status status,
                                         torsor_error *error) {
  const torsor_status answer = final_status(status);
  if (t > 0)
    torsor_fail(error, answer,
                "the accelerations after the event at t = %.9g s cannot be found: %s", t,
                torsor_status_text(status));
  else
    torsor_fail(error, answer, "the accelerations at the start cannot be found: %s",
                torsor_status_text(status));
  hint_failure(r, status, false, error);
  return answer;
}

static torsor_status hand_out(run *r, const torsor_point *p, const torsor_balance *sum, bool full) {
  const torsor_hooks *hooks = r->hooks;
  torsor_status status = TORSOR_OK;
  if (hooks && hooks->record) {
    if (r->signals) observer_signals(&r->observer, r->row, r->signals, p, sum);
    status =
        hooks->record(hooks->data, p->t, r->row, r->signals ? torsor_signals_count(r->signals) : 0);
  }
  if (status < 0 || !full) return status;
  return full_state_hand_out(&r->full, &r->observer, p, p->t, sum);
}

/* One output row, and the extremes that the summary keeps; `full`: a full state, too. */
static torsor_status record(run *r, const torsor_state *state, bool full, torsor_error *error) {
  torsor_point p;
  torsor_summary *s = r->summary;
  const observer *o = &r->observer;
  torsor_status status = observer_look(&r->observer, &p, state, error);
  if (status) return status;
  observer_note_residuals(s, o);
  const torsor_balance sum = balance_sum(r->assembly, r->model, &p);
  energy_note(&r->energy, s, &sum, &o->work);
  observer_remark(&r->observer, &p, "t", p.t, warn_of, r);
  status = hand_out(r, &p, &sum, full);
  return status < 0 ? torsor_fail(error, status, "the output at t = %.9g s failed: %s", state->t,
                                  torsor_status_text(status))
                    : TORSOR_OK;
}

/* A row at t in the last step. */
static torsor_status record_at(run *r, double t, bool full, torsor_error *error) {
  torsor_state state;
  stopwatch_enter(r->watch, TORSOR_PHASE_OUTPUT);
  torsor_status status = run_look_at(&state, r, t, full || r->reactions);
  if (status)
    status = torsor_fail(error, TORSOR_STEP, "the output at t = %.9g s cannot be interpolated: %s",
                         t, torsor_status_text(status));
  else
    status = record(r, &state, full, error);
  stopwatch_leave(r->watch);
  return status;
}

/* The rows up to t in the last step. */
static torsor_status record_rows(run *r, double until, torsor_error *error) {
  for (; r->rows.next <= r->rows.last; ++r->rows.next) {
    const double t = run_row_time(r, r->rows.next);
    if (t > until) return TORSOR_OK;
    const bool full = full_state_due(&r->full, r->rows.next, r->rows.last);
    const torsor_status status = record_at(r, t, full, error);
    if (status) return status;
  }
  return TORSOR_OK;
}

static void tell_dependent(run *r, double t) {
  char message[200];
  r->redundant = true;
  snprintf(message, sizeof message,
           "constraint rows became dependent before t = %.9g s: from here on multipliers and "
           "reactions are those of least norm",
           t);
  warn(r, message);
}

/* What accepted steps leave to be followed. */
static torsor_status follow(run *r, torsor_error *error) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  if (state.redundant && !r->redundant) tell_dependent(r, state.t);
  r->summary->t = state.t;
  r->summary->counters = torsor_integrator_counters(r->integrator);
  const work *w = &r->observer.work;
  if (!w->energies && !w->impulses) return TORSOR_OK;
  stopwatch_enter(r->watch, TORSOR_PHASE_POWERS);
  const torsor_status status = run_follow_work(r, &state);
  stopwatch_leave(r->watch);
  return status ? torsor_fail(error, status, "cannot find the powers at t = %.9g s: %s", state.t,
                              torsor_status_text(status))
                : TORSOR_OK;
}

/* A halved step is worth a line: it costs accuracy in the index-3 formulation. */
static void tell_rejected(run *r) {
  const long passed = torsor_integrator_findings(r->integrator).passed;
  const long halved = r->summary->counters.rejected_steps - r->rejected - (passed - r->passed);
  if (r->summary->counters.rejected_steps == r->rejected) return;
  r->rejected = r->summary->counters.rejected_steps;
  r->passed = passed;
  /* what the control of the step size tries is no fault, and what was passed is told in the end */
  if (torsor_accuracy_is_set(&r->simulation->settings.accuracy) || halved <= 0) return;
  const torsor_failure failure = torsor_integrator_failure(r->integrator);
  const int failed = assembly_failed_element(r->assembly);
  text where = {0};
  char message[300];
  if (failure.status == TORSOR_DOMAIN || failure.status == TORSOR_TURN)
    append_element(&where, r->model, failed, "last");
  snprintf(message, sizeof message, "the step before t = %.9g s was halved %ld time(s): %s%s",
           r->summary->t, halved, words_of(&failure, failure.status),
           where.data && !where.failed ? where.data : "");
  text_release(&where);
  warn(r, message);
}

/* One accepted step, with rows at its end or, where it passes them, within. */
static torsor_status take_step(run *r) {
  const bool to_row = r->rows.spacing > 0 && !r->rows.steps && !r->rows.interpolated;
  if (to_row) return torsor_integrator_advance(r->integrator, run_row_time(r, r->rows.next));
  if (r->rows.spacing > 0) return torsor_integrator_advance(r->integrator, r->rows.end);
  return torsor_integrator_advance(r->integrator, HUGE_VAL);
}

static torsor_status finish_interrupted(run *r, torsor_error *error) {
  const double t = torsor_integrator_state(r->integrator).t;
  torsor_status status = TORSOR_OK;
  if (t > run_row_time(r, r->rows.next - 1)) status = record_at(r, t, true, error);
  return status ? status : torsor_fail(error, TORSOR_INTERRUPTED, "interrupted at t = %.9g s", t);
}

/* The last row is that of the event. */
static torsor_status stop_at(run *r, double t, torsor_error *error) {
  if (!(t > run_row_time(r, r->rows.next - 1)) && r->rows.next > 0) return TORSOR_OK;
  return record_at(r, t, true, error);
}

/* Whether the event would change anything. */
static bool would_switch(const run *r, const torsor_event *e) {
  for (int i = 0; i < e->on_count; ++i)
    if (!assembly_acts(r->assembly, e->on[i])) return true;
  for (int i = 0; i < e->off_count; ++i)
    if (assembly_acts(r->assembly, e->off[i])) return true;
  return false;
}

static void switch_force(run *r, int force, bool acts, const torsor_point *p) {
  work_switch(&r->observer.work, r->assembly, force, acts, p);
  assembly_switch(r->assembly, force, acts);
}

/* What has happened at one time in a step. */
typedef struct happening {
  double t;
  const torsor_event *stop; /* the first one that stops */
  bool switches;
} happening;

/* Tell one occurrence; those that end the step cut it. */
static torsor_status tell_event(run *r, happening *h, const crossing *c, torsor_error *error) {
  const torsor_event *event = r->events.watch[c->watch].event;
  const torsor_occurrence o = {.event = event, .t = c->t, .rising = c->rising};
  const bool switches = event->action == TORSOR_SWITCH && would_switch(r, event);
  ++r->summary->events;
  if (switches || event->action == TORSOR_STOP) {
    h->t = fmin(h->t, c->t);
    events_cut(&r->events, c->t);
  }
  h->switches |= switches;
  if (event->action == TORSOR_STOP && !h->stop) h->stop = event;
  const torsor_status status =
      r->hooks && r->hooks->event ? r->hooks->event(r->hooks->data, &o) : TORSOR_OK;
  return status < 0 ? torsor_fail(error, status, "the event at t = %.9g s could not be kept: %s",
                                  c->t, torsor_status_text(status))
                    : TORSOR_OK;
}

/* Switch what the events at h->t switch, in the order in which they stand. */
static torsor_status switch_forces(run *r, const happening *h, torsor_error *error) {
  torsor_state state;
  torsor_point p;
  if (torsor_integrator_interpolate(r->integrator, h->t, &state))
    return torsor_fail(error, TORSOR_STEP, "the state at t = %.9g s cannot be interpolated", h->t);
  work_cut(&r->observer.work, h->t);
  const torsor_status status = observer_look(&r->observer, &p, &state, error);
  if (status) return status;
  for (int k = 0; k < r->events.next; ++k) {
    const crossing *c = &r->events.crossing[k];
    const torsor_event *e = r->events.watch[c->watch].event;
    if (!c->told || c->t < h->t || e->action != TORSOR_SWITCH) continue;
    for (int i = 0; i < e->off_count; ++i) switch_force(r, e->off[i], false, &p);
    for (int i = 0; i < e->on_count; ++i) switch_force(r, e->on[i], true, &p);
  }
  return TORSOR_OK;
}

static torsor_status restart(run *r, const happening *h, torsor_error *error) {
  torsor_status status = switch_forces(r, h, error);
  if (status) return status;
  events_settle(&r->events);
  status = torsor_integrator_restart(r->integrator, h->t);
  if (status) return report_failed_start(r, h->t, status, error);
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  r->summary->t = state.t;
  assembly_set_motion(r->assembly, &p);
  status = work_restart(&r->observer.work, r->assembly, &p);
  if (status)
    return torsor_fail(error, status, "cannot find the powers at t = %.9g s: %s", p.t,
                       torsor_status_text(status));
  return events_begin(&r->events, error);
}

static torsor_status find_events(run *r, happening *h, double t0, torsor_error *error) {
  const crossing *c = NULL;
  torsor_status status;
  if (!r->events.count) return TORSOR_OK;
  stopwatch_enter(r->watch, TORSOR_PHASE_EVENTS);
  events_scan(&r->events, t0, fmin(r->summary->t, r->rows.end));
  while (!(status = events_next(&c, &r->events, error)) && c)
    if ((status = tell_event(r, h, c, error))) break;
  stopwatch_leave(r->watch);
  return status;
}

/* The events and the rows of the step that has just been taken from t0. */
static torsor_status finish_step(run *r, double t0, torsor_error *error) {
  happening h = {.t = r->summary->t};
  torsor_status status = find_events(r, &h, t0, error);
  if (!status) status = record_rows(r, h.t, error);
  if (status) return status;
  if (h.stop) {
    r->summary->t = h.t;
    r->summary->stopped_by = h.stop;
    return stop_at(r, h.t, error);
  }
  return h.switches ? restart(r, &h, error) : TORSOR_OK;
}

static bool goes_on(const run *r) {
  return r->summary->t < r->rows.end && !r->summary->stopped_by;
}

/* A run of the same scene with a longer duration may take the steps to its end in another way, and has
 * other rows there: the state before is what it goes on from. */
static torsor_status keep_near_end(run *r, torsor_error *error) {
  const double left = r->rows.end - r->summary->t;
  if (!r->hooks || !r->hooks->keep || r->near_end) return TORSOR_OK;
  if (left > r->simulation->settings.step * (1 + 1e-6)) return TORSOR_OK;
  r->near_end = true;
  return run_keep(r, error);
}

/* One step, its events and rows. */
static torsor_status take_and_finish_step(run *r, torsor_error *error) {
  const double t0 = r->summary->t;
  torsor_status status = take_step(r);
  if (status) {
    follow(r, NULL);
    return report_failure(r, status, error);
  }
  if ((status = follow(r, error))) return status;
  tell_rejected(r);
  return finish_step(r, t0, error);
}

/* What the caller wants after a step. */
static torsor_status ask_hooks(run *r, torsor_error *error) {
  const torsor_hooks *hooks = r->hooks;
  if (!hooks) return TORSOR_OK;
  stopwatch_enter(r->watch, TORSOR_PHASE_UPKEEP);
  const bool stop = hooks->stop && hooks->stop(hooks->data);
  if (hooks->progress)
    hooks->progress(hooks->data, r->summary->t, r->simulation->duration, &r->summary->counters);
  torsor_status status = TORSOR_OK;
  if (hooks->keep && goes_on(r) && (stop || (hooks->keep_now && hooks->keep_now(hooks->data))))
    status = run_keep(r, error);
  stopwatch_leave(r->watch);
  return stop && !status ? finish_interrupted(r, error) : status;
}

/* Once it has begun, nothing that the caller gave is wrong. */
static torsor_status blame_step(const run *r, torsor_error *error) {
  char reason[sizeof error->message] = "";
  if (error) memcpy(reason, error->message, sizeof reason);
  return torsor_fail(error, TORSOR_STEP, "the computation cannot go on at t = %.9g s: %.300s",
                     r->summary->t, reason);
}

static torsor_status advance(run *r, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  while (!status && goes_on(r)) {
    status = keep_near_end(r, error);
    if (!status) status = take_and_finish_step(r, error);
    if (!status) status = ask_hooks(r, error);
  }
  /* A step after a restart may lead beyond the end. */
  r->summary->t = fmin(r->summary->t, r->rows.end);
  return status;
}

/* A method that is not convergent for the model is refused; what is only less good is told. */
static torsor_status check_method(const run *r, torsor_error *error) {
  const torsor_alpha *alpha = &r->simulation->settings.alpha;
  torsor_error problem = {0};
  const torsor_status status = method_check_multipliers(r->model, r->simulation, error);
  if (status) return status;
  torsor_alpha_check_stability(alpha, false, &problem);
  char message[sizeof problem.message + sizeof problem.hint + 4];
  const torsor_settings *settings = &r->simulation->settings;
  const bool index3 = torsor_method_takes(settings->method, "formulation") &&
                      settings->formulation == TORSOR_INDEX3;
  if (index3 && r->model->nl > 0 && torsor_accuracy_is_set(&settings->accuracy))
    warn(
        r,
        "each change of the step size disturbs the multipliers of the index-3 form for some steps; "
        "\"formulation\": \"ggl\" does not mind");
  if (problem.status) {
    snprintf(message, sizeof message, "%s; %s", problem.message, problem.hint);
    warn(r, message);
  }
  if (torsor_alpha_check_order(alpha, &problem)) {
    snprintf(message, sizeof message, "%s; %s", problem.message, problem.hint);
    warn(r, message);
  }
  return TORSOR_OK;
}

/* Of dependent rows the multipliers are not unique, so neither is what follows them. */
static void tell_ambiguous(const run *r) {
  char message[300];
  for (int i = 0; i < r->model->element_count; ++i) {
    const model_element *e = &r->model->element[i];
    if (!e->reaction_rows) continue;
    snprintf(
        message, sizeof message,
        "%s \"%s\" follows the reactions of \"%s\", which are not unique where constraint rows "
        "are redundant: it takes one of many",
        e->type->name, e->name, r->model->element[e->reaction_of].name);
    warn(r, message);
  }
}

/* Redundant rows are told once; the integrator then expects them. */
static torsor_status allow_redundant(run *r, const double *q, torsor_error *error) {
  row_rank rank;
  const torsor_status status = constraints_rank(&rank, r->assembly, q);
  if (status)
    return torsor_fail(error, status, "cannot find the rank of the constraints: %s",
                       torsor_status_text(status));
  r->redundant = rank.dependent_count > 0;
  if (r->redundant) {
    char message[400];
    constraints_describe(message, sizeof message, &rank, r->model);
    warn(r, message);
    tell_ambiguous(r);
  }
  assembly_set_redundant(r->assembly, r->redundant);
  row_rank_release(&rank);
  return TORSOR_OK;
}

/* *q [nq] = equilibrium, if it is to begin there. */
static torsor_status settle(const double **q, run *r, torsor_error *error) {
  const torsor_simulation *s = r->simulation;
  if (!s->equilibrium) return TORSOR_OK;
  double *found = arena_take(&r->memory, (size_t)r->model->nq, sizeof *found);
  *q = found;
  return found ? statics_settle(found, r->assembly, r->model, s->equilibrium, s->linear_solver,
                                r->hooks, error)
               : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* The steady motion that the scene's velocities lead to. */
static torsor_status find_steady(initial_state *initial, run *r, torsor_error *error) {
  const size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  const torsor_modes_settings settings = {.about = TORSOR_ABOUT_STEADY,
                                          .linear_solver = r->simulation->linear_solver};
  linear_state state;
  torsor_status status = linear_state_find(&state, r->model, &settings, r->hooks, error);
  *initial = (initial_state){.q = arena_take(&r->memory, nq, sizeof(double)),
                             .v = arena_take(&r->memory, nv, sizeof(double))};
  if (!status && (!initial->q || !initial->v))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) {
    memcpy(initial->q, state.q, nq * sizeof *initial->q);
    memcpy(initial->v, state.v, nv * sizeof *initial->v);
  }
  linear_state_release(&state);
  return status;
}

/* Initial state, and what there is to be told of it. */
static torsor_status find_initial(initial_state *initial, run *r, torsor_error *error) {
  const double *settled = NULL;
  torsor_status status = settle(&settled, r, error);
  if (!status)
    status = r->simulation->steady
                 ? find_steady(initial, r, error)
                 : initial_state_find(initial, r->assembly, r->model, settled, &r->memory, error);
  if (!status) status = allow_redundant(r, initial->q, error);
  if (status) return status;
  r->summary->moved_position = initial->moved_position;
  r->summary->moved_velocity = initial->moved_velocity;
  if (!settled && !r->simulation->steady) initial_state_tell(initial, r->model, warn_of, r);
  jumps_tell(r->model, r->simulation->duration, warn_of, r);
  status = warnings_tell(r->assembly, r->model, initial->q, warn_of, r);
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* What looks on: memory for rows, events and work. */
static torsor_status create_observer(run *r, torsor_error *error) {
  const int count = r->signals ? torsor_signals_count(r->signals) : 0;
  observer *o = &r->observer;
  r->row = arena_take(&r->memory, (size_t)count, sizeof *r->row);
  if (!r->row ||
      observer_create(o, r->model, r->simulation->linear_solver, r->assembly, &r->memory) ||
      full_state_create(&r->full, r->model, r->hooks, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const torsor_status status =
      events_create(&r->events, r->model, o, r->integrator, &r->memory, error);
  if (status) return status;
  if (r->signals) signals_need(r->signals, &o->work.energies, &o->work.impulses);
  if (r->events.signals) signals_need(r->events.signals, &o->work.energies, &o->work.impulses);
  o->work.high = torsor_method_order(r->simulation->settings.method) > 2;
  if (work_create(&o->work, r->model, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  r->reactions = r->signals && signals_need_reactions(r->signals);
  r->work_reactions = work_needs_reactions(&o->work);
  return TORSOR_OK;
}

/* The integrator at the initial state, and the first row. */
static torsor_status begin(run *r, const initial_state *initial, torsor_error *error) {
  assembly_start_coordinates(r->assembly, &(torsor_point){.q = initial->q, .v = initial->v});
  torsor_status status = torsor_integrator_start(r->integrator, 0, initial->q, initial->v);
  if (status) return report_failed_start(r, 0, status, error);
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  assembly_set_motion(r->assembly, &p);
  energy_begin(&r->energy, assembly_mass_scale(r->assembly, &p),
               fmax(r->model->length, vec_largest(initial->q, r->model->nq)));
  assembly_set_motion(r->assembly, &p);
  status = work_start(&r->observer.work, r->assembly, &p);
  if (status)
    return torsor_fail(error, status, "cannot find the powers at the start: %s",
                       torsor_status_text(status));
  status = record_rows(r, 0, error);
  return !status && r->events.count ? events_begin(&r->events, error) : status;
}

/* The state that was kept. */
static torsor_status go_on(run *r, tape *kept, torsor_error *error) {
  const torsor_status status = run_read(r, kept, error);
  if (status || goes_on(r)) return status;
  torsor_fail(error, TORSOR_ARGUMENT, "the state is at t = %.9g s, the duration is %.9g s",
              r->summary->t, r->simulation->duration);
  torsor_hint(error, "a longer duration is needed");
  return TORSOR_ARGUMENT;
}

/* `kept`: NULL at the beginning. */
static torsor_status start(run *r, tape *kept, torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  initial_state initial = {0};
  torsor_status status = method_check_times(r->simulation, error);
  if (!status && !kept) status = check_method(r, error);
  if (status) return status;
  r->rows = rows_plan(r->simulation);
  status = assembly_create(&r->assembly, r->model, r->simulation->linear_solver,
                           torsor_settings_stabilised(settings), error);
  if (!status && settings->metric == TORSOR_METRIC_PLAIN) assembly_correct_plainly(r->assembly);
  if (!status && r->hooks) status = assembly_set_threads(r->assembly, r->hooks->threads, error);
  if (!status) status = kept ? run_read_assembly(r, kept, error) : find_initial(&initial, r, error);
  if (!status) status = method_open(&r->integrator, assembly_problem(r->assembly), settings, error);
  if (!status) status = create_observer(r, error);
  if (status) return status;
  return kept ? go_on(r, kept, error) : begin(r, &initial, error);
}

/* NaN where the method makes none. */
static double error_estimate(const run *r) {
  const torsor_findings f = torsor_integrator_findings(r->integrator);
  return f.coarsest >= 0 ? f.coarseness : nan("");
}

/* The size of the last step, and the body whose error limited it. */
static void note_last_step(torsor_summary *summary, const run *r) {
  const torsor_findings f = torsor_integrator_findings(r->integrator);
  summary->last_step = f.last_step;
  if (f.limiting >= 0)
    summary->limiting = torsor_model_velocity_element(r->model, f.limiting, NULL);
}

torsor_status run_simulate(torsor_summary *summary, const torsor_model *model,
                           const torsor_simulation *simulation, const torsor_signals *signals,
                           const torsor_hooks *hooks, tape *kept, torsor_error *error) {
  *summary = (torsor_summary){.error_estimate = nan(""),
                              .energy_supplied = nan(""),
                              .energy_dissipated = nan(""),
                              .energy_max_balance = nan(""),
                              .limiting = -1};
  for (int i = 0; i < model->element_count; ++i)
    summary->energy_exchanged |= work_is_done_by(&model->element[i]);
  const torsor_simulation chosen = torsor_simulation_chosen(simulation);
  run r = {.model = model,
           .simulation = &chosen,
           .signals = signals,
           .hooks = hooks,
           .summary = summary};
  const double cpu0 = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  torsor_status status = start(&r, kept, error);
  r.cpu_start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  r.wall_start = clock_seconds(CLOCK_MONOTONIC);
  summary->setup_seconds = r.cpu_start - cpu0;
  if (!status) {
    run_start_watch(&r);
    status = advance(&r, error);
    if (status == TORSOR_ARGUMENT) status = blame_step(&r, error);
    run_stop_watch(&r);
    summary->error_estimate = error_estimate(&r);
    note_last_step(summary, &r);
    energy_tell(&r.energy, conclude, &r);
    /* What was stopped by hand is not judged. */
    if (status != TORSOR_INTERRUPTED) remarks_tell(r.integrator, model, &chosen, conclude, &r);
  }
  run_note_time(&r);
  summary->status = status;
  torsor_integrator_destroy(r.integrator);
  assembly_destroy(r.assembly);
  events_release(&r.events);
  observer_release(&r.observer);
  tape_release(&r.tape);
  arena_release(&r.memory);
  return status;
}
