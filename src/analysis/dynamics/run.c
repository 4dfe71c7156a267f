/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run.h"

#include "analysis/observe/clock.h"
#include "integrator/walk.h"

void run_note_time(torsor_run *r) {
  torsor_summary *s = r->summary;
  s->cpu_seconds = r->cpu_before + clock_seconds(CLOCK_THREAD_CPUTIME_ID) - r->cpu_start;
  s->wall_seconds = r->wall_before + clock_seconds(CLOCK_MONOTONIC) - r->wall_start;
}

void run_start_watch(torsor_run *r) {
  if (!r->hooks || !r->hooks->timing) return;
  r->watch = &r->stopwatch;
  r->steps_before = r->summary->counters.steps;
  assembly_set_watch(r->assembly, r->watch);
  stopwatch_start(r->watch, r->hooks->timing);
}

void run_stop_watch(torsor_run *r) {
  if (r->watch) stopwatch_stop(r->watch, r->summary->counters.steps - r->steps_before);
}

/* Computes times as the integrator does, to the bit. */
double run_row_time(const torsor_run *r, long n) {
  if (n >= r->rows.last) return r->rows.end;
  if (!r->rows.steps) return (double)n * r->rows.spacing;
  return (double)(n * r->rows.steps) * r->simulation->settings.step;
}

torsor_status run_look_at(torsor_state *state, const torsor_run *r, double t, bool reactions) {
  const bool end = !(t < torsor_integrator_state(r->integrator).t);
  return end && !reactions ? torsor_integrator_motion(r->integrator, t, state)
                           : torsor_integrator_interpolate(r->integrator, t, state);
}

torsor_status run_look(torsor_run *r, torsor_point *p, double t, bool reactions,
                       torsor_error *error) {
  torsor_state state;
  const torsor_status status = run_look_at(&state, r, t, reactions);
  if (status)
    return torsor_fail(error, TORSOR_STEP, "the state at t = %.9g s cannot be interpolated: %s", t,
                       torsor_status_text(status));
  return observer_look(&r->observer, p, &state, error);
}

/* Walks over what the summary accumulates.  A run that is resumed was not stopped. */
static void walk_summary(torsor_summary *s, tape *t) {
  TAPE_VALUE(t, s->t);
  TAPE_VALUE(t, s->events);
  TAPE_VALUE(t, s->counters);
  TAPE_VALUE(t, s->max_phi);
  TAPE_VALUE(t, s->max_phi_velocity);
  TAPE_VALUE(t, s->energy_initial);
  TAPE_VALUE(t, s->energy_final);
  TAPE_VALUE(t, s->energy_max_drift);
  TAPE_VALUE(t, s->energy_supplied);
  TAPE_VALUE(t, s->energy_dissipated);
  TAPE_VALUE(t, s->energy_max_balance);
  TAPE_VALUE(t, s->moved_position);
  TAPE_VALUE(t, s->moved_velocity);
}

static void walk_last(step_outcome *last, tape *t) {
  TAPE_VALUE(t, last->t);
  TAPE_VALUE(t, last->switches);
  TAPE_VALUE(t, last->stop);
  TAPE_VALUE(t, last->samples);
  TAPE_VALUE(t, last->reported);
}

void run_walk(torsor_run *r, tape *t) {
  integrator_walk(r->integrator, t);
  observer_walk(&r->observer, t);
  events_walk(&r->events, t);
  controllers_walk(&r->controllers, t);
  walk_summary(r->summary, t);
  TAPE_VALUE(t, r->energy.kinetic);
  TAPE_VALUE(t, r->energy.terms);
  TAPE_VALUE(t, r->energy.changed);
  TAPE_VALUE(t, r->energy.gained);
  TAPE_VALUE(t, r->energy.mass);
  TAPE_VALUE(t, r->energy.length);
  TAPE_VALUE(t, r->energy.step);
  if (r->errors.signals) signal_errors_walk(&r->errors, t);
  TAPE_VALUE(t, r->looked);
  TAPE_VALUE(t, r->alone);
  TAPE_VALUE(t, r->rows.next);
  TAPE_VALUE(t, r->off_rows);
  walk_last(&r->last, t);
  TAPE_VALUE(t, r->time);
  TAPE_VALUE(t, r->disturbed);
  TAPE_VALUE(t, r->rejected);
  TAPE_VALUE(t, r->passed);
  TAPE_VALUE(t, r->redundant);
  if (r->follower) r->follower->walk(r, t);
  /* The clocks come last, as they differ between runs. */
  TAPE_VALUE(t, r->summary->cpu_seconds);
  TAPE_VALUE(t, r->summary->wall_seconds);
}

static torsor_status keep(torsor_run *r, torsor_error *error) {
  const torsor_hooks *hooks = r->hooks;
  tape *t = &r->tape;
  run_note_time(r);
  t->mode = TAPE_WRITE;
  tape_rewind(t);
  assembly_walk(r->assembly, t);
  run_walk(r, t);
  if (t->status) return torsor_fail(error, t->status, "out of memory for the checkpoint");
  const torsor_status status = hooks->keep(hooks->data, r->summary->t, t->data, t->length);
  return status < 0
             ? torsor_fail(error, status, "the checkpoint at t = %.9g s could not be written: %s",
                           r->summary->t, torsor_status_text(status))
             : TORSOR_OK;
}

torsor_status run_keep(torsor_run *r, torsor_error *error) {
  stopwatch_enter(r->watch, TORSOR_PHASE_UPKEEP);
  const torsor_status status = keep(r, error);
  stopwatch_leave(r->watch);
  return status;
}

static torsor_status answer(const tape *t, torsor_error *error) {
  if (!t->status) return TORSOR_OK;
  torsor_fail(error, t->status, "the checkpoint does not fit%s%s",
              t->failed ? ": it has other data in place of " : "", t->failed ? t->failed : "");
  torsor_hint(error, "it was made with another model, method or build of this program");
  return t->status;
}

torsor_status run_read_assembly(torsor_run *r, tape *t, torsor_error *error) {
  assembly_walk(r->assembly, t);
  return answer(t, error);
}

torsor_status run_read(torsor_run *r, tape *t, torsor_error *error) {
  run_walk(r, t);
  tape_end(t);
  r->cpu_before = r->summary->cpu_seconds;
  r->wall_before = r->summary->wall_seconds;
  return answer(t, error);
}
