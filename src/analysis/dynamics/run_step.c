/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run.h"

#include <math.h>

#include "analysis/dynamics/run_messages.h"
#include "analysis/dynamics/run_switch.h"

/* Sums up work and impulse of the accepted step. */
static torsor_status follow(torsor_run *r, torsor_error *error) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  if (state.redundant && !r->redundant) run_warn_dependent(r, state.t);
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

/* Returns the time at which the next step must end: steps end at rows, or pass them, or follow
 * their own grid alone. */
static double step_target(torsor_run *r) {
  rows *at = &r->rows;
  const bool to_row = at->spacing > 0 && !at->steps && !at->interpolated && !r->off_rows;
  if (!to_row) return at->spacing > 0 || r->off_rows ? at->end : HUGE_VAL;
  while (at->next < at->last && !(run_row_time(r, at->next) > r->summary->t)) ++at->next;
  return run_row_time(r, at->next);
}

/* Records one occurrence; some end the step. */
static void note_event(torsor_run *r, const crossing *c) {
  step_outcome *out = &r->last;
  const torsor_event *event = r->events.watch[c->watch].event;
  const double step = fmax(r->simulation->settings.step, r->events.t1 - r->events.t0);
  const bool switches = event->kink ? events_kink_counts(&r->events, c, step)
                                    : event->action == TORSOR_SWITCH && run_would_switch(r, event);
  r->summary->events += !event->kink;
  if (switches || event->action == TORSOR_STOP) {
    out->t = fmin(out->t, c->t);
    events_cut(&r->events, c->t);
  }
  out->switches |= switches;
  if (event->action == TORSOR_STOP && out->stop < 0) out->stop = c->watch;
}

static torsor_status find_events(torsor_run *r, double t0, torsor_error *error) {
  const crossing *c = NULL;
  torsor_status status;
  if (!r->events.count) return TORSOR_OK;
  stopwatch_enter(r->watch, TORSOR_PHASE_EVENTS);
  events_scan(&r->events, t0, fmin(r->last.t, r->rows.end));
  while (!(status = events_next(&c, &r->events, error)) && c) note_event(r, c);
  if (!status && r->last.switches) events_settle(&r->events);
  stopwatch_leave(r->watch);
  return status;
}

/* Gives inputs the values of the events at t, in the order of the scene. */
static torsor_status set_inputs(torsor_run *r, double t, const torsor_point *p,
                                torsor_error *error) {
  torsor_status status = TORSOR_OK;
  bool seen = false;
  for (int k = 0; k < r->events.reported && !status; ++k) {
    const torsor_occurrence o = events_occurrence(&r->events, k);
    if (o.t < t || !o.event->sets) continue;
    if (!seen) events_see(&r->events, p);
    seen = true;
    for (int i = 0; i < o.event->sets && !status; ++i) {
      const double value[3] = {events_set_value(&r->events, k, &o.event->set[i], t)};
      status = run_give_input(r, o.event->set[i].input, t, value, error);
    }
  }
  return status;
}

/* Ends the last step at t, with the work up to there. */
static torsor_status close_step(torsor_run *r, double t, torsor_error *error) {
  torsor_state state;
  torsor_point p;
  if (r->last.switches && torsor_integrator_interpolate(r->integrator, t, &state))
    return torsor_fail(error, TORSOR_STEP, "the state at t = %.9g s cannot be interpolated", t);
  work_cut(&r->observer.work, t);
  if (!r->last.switches) return TORSOR_OK;
  torsor_status status = observer_look(&r->observer, &p, &state, error);
  if (!status) status = set_inputs(r, t, &p, error);
  return status ? status : run_switch(r, t, &p, error);
}

/* Undoes events after the time at which the motion is restarted. */
static torsor_status take_events_back(torsor_run *r, torsor_error *error) {
  const int before = events_shown(&r->events, 0);
  r->last.switches = r->last.samples = false;
  r->last.stop = -1;
  r->last.t = r->time;
  r->summary->stopped_by = NULL;
  const torsor_status status = events_take_back(&r->events, r->time, error);
  r->summary->events -= before - events_shown(&r->events, 0);
  return status;
}

torsor_status run_follow_restart(torsor_run *r, torsor_error *error) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  if (r->errors.signals && r->events.reported && !events_shown(&r->events, 0))
    signal_errors_go_on(&r->errors);
  r->last = (step_outcome){.t = state.t, .stop = -1, .reported = r->events.reported};
  r->time = r->summary->t = state.t;
  r->disturbed = false;
  assembly_set_motion(r->assembly, &p);
  const torsor_status status = work_restart(&r->observer.work, r->assembly, &p);
  if (status)
    return torsor_fail(error, status, "cannot find the powers at t = %.9g s: %s", p.t,
                       torsor_status_text(status));
  return events_begin(&r->events, error);
}

torsor_status run_cut(torsor_run *r, torsor_error *error) {
  const torsor_status status = r->time < r->last.t ? take_events_back(r, error) : TORSOR_OK;
  return status ? status : close_step(r, r->last.t, error);
}

torsor_status run_settle(torsor_run *r, torsor_error *error) {
  if (r->last.samples && !(r->disturbed && r->time < r->last.t)) {
    const torsor_status sampled = run_sample(r, error);
    if (sampled) return sampled;
    if (r->disturbed) r->time = r->last.t;
  }
  if (!r->disturbed && !r->last.switches) return TORSOR_OK;
  if (!r->disturbed) r->time = r->last.t;
  torsor_status status = run_cut(r, error);
  if (status) return status;
  if (r->follower) r->follower->cut(r);
  status = run_restart(r);
  if (status) return run_report_failed_start(r, r->last.t, status, error);
  status = run_follow_restart(r, error);
  return status || !r->follower ? status : r->follower->settle(r, error);
}

bool run_goes_on(const torsor_run *r) {
  return r->summary->t < r->rows.end && !r->summary->stopped_by;
}

torsor_status run_finish_step(torsor_run *r, double t0, torsor_error *error) {
  const double due = controllers_due(&r->controllers);
  r->last = (step_outcome){.t = fmin(r->summary->t, due), .stop = -1};
  const torsor_status status = find_events(r, t0, error);
  r->last.samples = r->last.t >= due;
  if (status || r->last.stop < 0) return status;
  r->summary->t = r->last.t;
  r->summary->stopped_by = r->events.watch[r->last.stop].event;
  return TORSOR_OK;
}

torsor_status run_step(torsor_run *r, double limit, torsor_error *error) {
  torsor_status status = run_settle(r, error);
  if (status) return status;
  const double t0 = r->summary->t;
  limit = fmin(limit, controllers_due(&r->controllers));
  limit = fmin(limit, controllers_limit(&r->controllers, t0));
  status = torsor_integrator_advance(r->integrator, fmin(step_target(r), limit));
  if (status) {
    follow(r, NULL);
    if (r->follower && r->follower->lost(r)) return r->follower->follow(r, error);
    return run_report_failure(r, status, error);
  }
  if ((status = follow(r, error))) return status;
  run_warn_rejected(r);
  status = run_finish_step(r, t0, error);
  if (!status && r->follower) status = r->follower->follow(r, error);
  return status ? status : run_keep_past(r, t0, error);
}
