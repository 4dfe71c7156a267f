/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "analysis/run.h"
#include "assembly/assembly.h"

torsor_status run_accompany(torsor_run *r, torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  const bool reactions = !assembly_problem(r->assembly)->redundant;
  const torsor_hooks *hooks = r->hooks;
  if (!r->signals || !hooks || !hooks->record || torsor_accuracy_is_set(&settings->accuracy))
    return TORSOR_OK;
  if (signal_errors_create(&r->errors, r->signals, reactions, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  r->errors.length = &r->energy.length;
  r->errors.step = settings->step;
  torsor_integrator_accompany(r->integrator, true);
  return TORSOR_OK;
}

/* Rows may follow each other so nearly that errors need not be looked at in each of them: these are so many times in a run, or
 * every so many steps. */
enum { MOST_LOOKS = 50, LEAST_BETWEEN = 8 };

/* ... and they are followed in the first part of a run at least. */
static const double MOST_WHOLE = 4;

void run_note_errors(torsor_run *r, const torsor_state *shown) {
  torsor_state companion;
  double part;
  const long steps = torsor_integrator_counters(r->integrator).steps;
  const double all = r->simulation->duration / r->simulation->settings.step;
  const double between = fmax(all / MOST_LOOKS, LEAST_BETWEEN);
  if (!r->errors.signals) return;
  signal_errors_size(&r->errors, r->row);
  if ((double)(steps - r->looked) < between && r->rows.next < r->rows.last) return;
  r->looked = steps;
  if (r->alone) {
    r->alone = !signal_errors_grown(&r->errors);
    torsor_integrator_accompany(r->integrator, !r->alone);
    return;
  }
  if (!torsor_integrator_companion(r->integrator, shown, &companion, &part)) return;
  if (signal_errors_note(&r->errors, &r->observer, r->row, &companion, part)) return;
  const double whole = r->simulation->duration / shown->t;
  if (whole > MOST_WHOLE || !signal_errors_small(&r->errors, whole)) return;
  signal_errors_keep(&r->errors);
  r->alone = true;
  torsor_integrator_accompany(r->integrator, false);
}

double run_error_estimate(const torsor_run *r) {
  const torsor_findings f = torsor_integrator_findings(r->integrator);
  const worst_signal worst = signal_errors_worst(&r->errors);
  const double sum = f.coarsest >= 0 ? f.coarseness : nan("");
  return worst.column >= 0 ? fmax(worst.error, sum) : sum;
}
