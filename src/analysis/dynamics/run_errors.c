/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "analysis/dynamics/run.h"
#include "assembly/assembly.h"

void run_set_companion(torsor_run *r) {
  torsor_integrator_accompany(r->integrator, r->errors.signals && !r->alone);
}

torsor_status run_accompany(torsor_run *r, torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  const bool recorded = r->signals && r->hooks && r->hooks->record;
  const bool controlled = torsor_accuracy_is_set(&settings->accuracy);
  const bool reactions = recorded && !controlled && !assembly_problem(r->assembly)->redundant;
  const torsor_signals *signals = recorded ? r->signals : controlled ? NULL : r->judged;
  if (!signals || settings->unestimated) return TORSOR_OK;
  if (signal_errors_create(&r->errors, signals, reactions, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  r->errors.length = &r->energy.length;
  r->errors.asked = controlled ? &settings->accuracy : NULL;
  r->errors.step = settings->step;
  run_set_companion(r);
  return TORSOR_OK;
}

/* Errors need not be estimated in each of closely spaced rows: they are so many times in a run, or
 * every so many steps. */
enum { MOST_LOOKS = 50, LEAST_BETWEEN = 8 };

/* Errors are estimated at least in the first part of a run, one over this of the whole. */
static const double MOST_WHOLE = 4;

/* Is an estimate due?  A run without an end has one every few steps. */
static bool are_due(const torsor_run *r, long steps) {
  const double all = r->rows.end / r->simulation->settings.step;
  const double between = isfinite(all) ? fmax(all / MOST_LOOKS, LEAST_BETWEEN) : LEAST_BETWEEN;
  return (double)(steps - r->looked) >= between;
}

/* Estimates the errors now. */
static void look(torsor_run *r, const double *row, const torsor_state *shown, long steps) {
  torsor_state companion;
  double part;
  r->looked = steps;
  r->errors.elapsed = shown->t;
  if (r->alone) {
    r->alone = !signal_errors_grown(&r->errors);
    run_set_companion(r);
    return;
  }
  if (!torsor_integrator_companion(r->integrator, shown, &companion, &part)) return;
  if (signal_errors_note(&r->errors, &r->observer, row, &companion, part)) return;
  const double whole = r->rows.end / shown->t;
  if (whole > MOST_WHOLE || !signal_errors_small(&r->errors, whole)) return;
  signal_errors_keep(&r->errors);
  r->alone = true;
  run_set_companion(r);
}

void run_note_errors(torsor_run *r, const torsor_state *shown) {
  const long steps = torsor_integrator_counters(r->integrator).steps;
  if (!r->errors.signals) return;
  signal_errors_size(&r->errors, r->row);
  if (are_due(r, steps) || r->rows.next >= r->rows.last) look(r, r->row, shown, steps);
}

void run_note_step(torsor_run *r) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  const long steps = torsor_integrator_counters(r->integrator).steps;
  const bool ends = r->last.t >= r->rows.end;
  double *shown = r->errors.shown;
  torsor_point p;
  if (!r->errors.signals || (steps > 0 && r->last.t < fmin(state.t, r->rows.end))) return;
  if ((steps > 0 && !ends && !are_due(r, steps)) || run_look(r, &p, state.t, false, NULL)) return;
  observer_signals(&r->observer, shown, r->errors.signals, &p, NULL);
  signal_errors_size(&r->errors, shown);
  if (steps > 0) look(r, shown, &state, steps);
}

double run_error_estimate(const torsor_run *r) {
  const torsor_findings f = torsor_integrator_findings(r->integrator);
  const worst_signal worst = signal_errors_worst(&r->errors);
  const double sum = f.coarsest >= 0 ? f.coarseness : nan("");
  return worst.column >= 0 ? fmax(worst.error, sum) : sum;
}
