/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trial.h"

#include "check.h"

torsor_settings trial_settings(double step, torsor_formulation formulation, torsor_start start,
                               double rho_inf) {
  torsor_settings s = torsor_settings_default();
  s.step = step;
  s.formulation = formulation;
  s.start = start;
  s.alpha = torsor_alpha_chung_hulbert(rho_inf);
  return s;
}

void trial_use(torsor_settings *settings, const char *method) {
  settings->method = method;
  if (!torsor_method_takes(method, "formulation")) settings->formulation = TORSOR_FORMULATION_USUAL;
  if (!torsor_method_takes(method, "start")) settings->start = TORSOR_START_USUAL;
  if (!torsor_method_takes(method, "hht")) settings->alpha = torsor_settings_default().alpha;
}

trial trial_open(const torsor_dense *dense, const torsor_settings *settings, const double *q0,
                 const double *v0) {
  trial t;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&t.problem, dense, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&t.integrator, t.problem, settings, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_start(t.integrator, 0, q0, v0), TORSOR_OK);
  return t;
}

torsor_state trial_step(trial *t) {
  CHECK_INT(torsor_integrator_step(t->integrator), TORSOR_OK);
  return torsor_integrator_state(t->integrator);
}

void trial_close(trial *t) {
  torsor_integrator_destroy(t->integrator);
  torsor_dense_destroy(t->problem);
}
