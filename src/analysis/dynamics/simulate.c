/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run.h"

#include <math.h>

#include "analysis/observe/clock.h"
#include "analysis/dynamics/run_messages.h"
#include "analysis/dynamics/run_vary.h"

/* A run from its beginning to its end, with rows of output and the calls of hooks after steps. */

static torsor_status hand_out(torsor_run *r, const torsor_point *p, const torsor_balance *sum,
                              bool full) {
  const torsor_hooks *hooks = r->hooks;
  torsor_status status = TORSOR_OK;
  if (hooks && hooks->record)
    status =
        hooks->record(hooks->data, p->t, r->row, r->signals ? torsor_signals_count(r->signals) : 0);
  if (status < 0 || !full) return status;
  return full_state_hand_out(&r->full, &r->observer, p, p->t, sum);
}

/* Records one row of output, and the extremes for the summary; with `full` a full state, too. */
static torsor_status record(torsor_run *r, const torsor_state *state, bool full,
                            torsor_error *error) {
  torsor_point p;
  torsor_summary *s = r->summary;
  const observer *o = &r->observer;
  torsor_status status = observer_look(&r->observer, &p, state, error);
  if (status) return status;
  observer_note_residuals(s, o);
  const torsor_balance sum = balance_sum(r->assembly, r->model, &p);
  energy_note(&r->energy, s, &sum, &o->work);
  observer_remark(&r->observer, &p, "t", p.t, run_warn_of, r);
  if (r->hooks && r->hooks->record && r->signals) {
    observer_signals(&r->observer, r->row, r->signals, &p, &sum);
    status = run_vary_fill(r, r->row, r->signals, p.t, error);
    if (status) return status;
  }
  status = hand_out(r, &p, &sum, full);
  if (status >= 0) run_note_errors(r, state);
  return status < 0 ? torsor_fail(error, status, "the output at t = %.9g s failed: %s", state->t,
                                  torsor_status_text(status))
                    : TORSOR_OK;
}

/* Records a row at t in the last step. */
static torsor_status record_at(torsor_run *r, double t, bool full, torsor_error *error) {
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

/* Records the rows up to t in the last step. */
static torsor_status record_rows(torsor_run *r, double until, torsor_error *error) {
  for (; r->rows.next <= r->rows.last; ++r->rows.next) {
    const double t = run_row_time(r, r->rows.next);
    if (t > until) return TORSOR_OK;
    const bool full = full_state_due(&r->full, r->rows.next, r->rows.last);
    const torsor_status status = record_at(r, t, full, error);
    if (status) return status;
  }
  return TORSOR_OK;
}

static torsor_status finish_interrupted(torsor_run *r, torsor_error *error) {
  const double t = torsor_integrator_state(r->integrator).t;
  torsor_status status = TORSOR_OK;
  if (t > run_row_time(r, r->rows.next - 1)) status = record_at(r, t, true, error);
  return status ? status : torsor_fail(error, TORSOR_INTERRUPTED, "interrupted at t = %.9g s", t);
}

/* Stops the run at an event, which gets the last row. */
static torsor_status stop_at(torsor_run *r, double t, torsor_error *error) {
  if (!(t > run_row_time(r, r->rows.next - 1)) && r->rows.next > 0) return TORSOR_OK;
  return record_at(r, t, true, error);
}

/* Hands out the occurrences in the last step. */
static torsor_status hand_out_events(torsor_run *r, torsor_error *error) {
  const torsor_hooks *hooks = r->hooks;
  for (; r->last.reported < r->events.reported; ++r->last.reported) {
    const torsor_occurrence o = events_occurrence(&r->events, r->last.reported);
    const bool shown = hooks && hooks->event && !o.event->kink;
    const torsor_status status = shown ? hooks->event(hooks->data, &o) : TORSOR_OK;
    if (status < 0)
      return torsor_fail(error, status, "the event at t = %.9g s could not be recorded: %s", o.t,
                         torsor_status_text(status));
  }
  return TORSOR_OK;
}

/* Takes one step, with its events and rows.  What events switch is known once that is done. */
static torsor_status take_step(torsor_run *r, torsor_error *error) {
  torsor_status status = run_step(r, HUGE_VAL, error);
  const bool switches = r->last.switches && r->last.stop < 0;
  const int first = r->last.reported;
  if (!status && !switches) status = hand_out_events(r, error);
  if (!status) status = record_rows(r, r->last.t, error);
  if (status) return status;
  status = r->last.stop >= 0 ? stop_at(r, r->last.t, error) : run_settle(r, error);
  if (!switches) return status;
  r->last.reported = first;
  const torsor_status handed = hand_out_events(r, status ? NULL : error);
  return status ? status : handed;
}

/* Makes a checkpoint near the end.  A run of the same scene with a longer duration may take
 * different steps to this end, and has different rows there; so it goes on from the state
 * before. */
static torsor_status keep_near_end(torsor_run *r, torsor_error *error) {
  const double left = r->rows.end - r->summary->t;
  if (!r->hooks || !r->hooks->keep || r->near_end) return TORSOR_OK;
  if (left > r->simulation->settings.step * (1 + 1e-6)) return TORSOR_OK;
  r->near_end = true;
  return run_keep(r, error);
}

/* Calls the hooks after a step. */
static torsor_status ask_hooks(torsor_run *r, torsor_error *error) {
  const torsor_hooks *hooks = r->hooks;
  if (!hooks) return TORSOR_OK;
  stopwatch_enter(r->watch, TORSOR_PHASE_UPKEEP);
  const bool stop = hooks->stop && hooks->stop(hooks->data);
  if (hooks->progress)
    hooks->progress(hooks->data, r->summary->t, r->simulation->duration, &r->summary->counters);
  torsor_status status = TORSOR_OK;
  if (hooks->keep && run_goes_on(r) && (stop || (hooks->keep_now && hooks->keep_now(hooks->data))))
    status = run_keep(r, error);
  stopwatch_leave(r->watch);
  return stop && !status ? finish_interrupted(r, error) : status;
}

static torsor_status advance(torsor_run *r, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  while (!status && run_goes_on(r)) {
    status = keep_near_end(r, error);
    if (!status) status = take_step(r, error);
    if (!status) status = ask_hooks(r, error);
  }
  /* A step after a restart may lead beyond the end. */
  r->summary->t = fmin(r->summary->t, r->rows.end);
  return status;
}

torsor_status run_simulate(torsor_summary *summary, const torsor_model *model,
                           const torsor_simulation *simulation, const torsor_signals *signals,
                           const torsor_hooks *hooks, tape *kept, torsor_error *error) {
  *summary = run_no_summary(model);
  const torsor_simulation chosen = torsor_simulation_chosen(simulation);
  torsor_run r = {.model = model,
                  .simulation = &chosen,
                  .signals = signals,
                  .hooks = hooks,
                  .follower = run_vary_follower(signals),
                  .summary = summary};
  torsor_status status = run_begin(&r, kept, error);
  if (!status && !kept) status = record_rows(&r, 0, error);
  if (!status) {
    run_start_watch(&r);
    status = advance(&r, error);
    if (status == TORSOR_ARGUMENT) status = run_blame_step(&r, error);
    run_stop_watch(&r);
    run_conclude(&r, status == TORSOR_INTERRUPTED);
  }
  run_note_time(&r);
  summary->status = status;
  run_release(&r);
  return status;
}
