/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions by which callers read an integrator: its state, impulse, counters, findings and
 * failure. */
#include <math.h>

#include "alpha_kit.h"
#include "walk.h"

torsor_state torsor_integrator_state(const torsor_integrator *it) {
  return (torsor_state){.t = it->t,
                        .q = it->q,
                        .v = it->v,
                        .a = it->a,
                        .lambda = it->lambda,
                        .eta = it->eta,
                        .redundant = it->systems.e > 0};
}

torsor_impulse torsor_integrator_impulse(const torsor_integrator *it) {
  return it->impulse.found;
}

const char *torsor_integrator_method(const torsor_integrator *it) {
  return it->method->name;
}

torsor_counters torsor_integrator_counters(const torsor_integrator *it) {
  return it->counters;
}

torsor_findings torsor_integrator_findings(const torsor_integrator *it) {
  torsor_findings f = it->findings;
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
  const double rounding = it->started ? kit_roundoff_position(it->problem, &p) : 0;
  f.coarseness = error_sum_part(&it->errors, rounding, &f.coarsest);
  f.last_step = it->t - it->last.begin.t;
  f.limiting = it->control.on ? it->control.worst : -1;
  const shown_sizes *most = &it->last.most;
  f.violation = most->violation > 0 ? sqrt(most->violation / most->speed) : 0;
  return f;
}

torsor_failure torsor_integrator_failure(const torsor_integrator *it) {
  return it->failure;
}

torsor_status integrator_check(const torsor_integrator *it, torsor_error *error) {
  return it->method->check ? it->method->check(it->problem, &it->settings, error) : TORSOR_OK;
}
