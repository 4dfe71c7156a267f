/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "analysis/dynamics/run.h"

/* Evaluates the signals that a controller reads at the end of the last step. */
static torsor_status read_signals(sampler *s, torsor_run *r, torsor_error *error) {
  torsor_point p;
  if (!s->signals) return TORSOR_OK;
  const torsor_status status = run_look(r, &p, r->last.t, s->reactions, error);
  if (!status) observer_signals(&r->observer, s->read, s->signals, &p, NULL);
  return status;
}

/* Gives an input the value of a controller.  Rates, which a program could give, are none of a
 * scene's means: where the value may not jump, a force has to follow it. */
static torsor_status give(const sampler *s, torsor_run *r, int i, double t, torsor_error *error) {
  const int of = s->controller->write[i];
  const torsor_status status =
      run_give_input(r, of, t, (const double[3]){s->write[i], 0, 0}, error);
  const model_input *input = &r->model->input[of];
  if (!status || input->positions < 0 || !isfinite(s->write[i])) return status;
  torsor_hint(
      error,
      "a controller holds its values between samples: put a force that follows \"%s\" in "
      "place of \"%s\", such as {\"type\": \"actuator\", \"coordinate\": .., \"target\": \"%s\"}",
      input->name, r->model->element[input->positions].name, input->name);
  return status;
}

/* Takes one sample of a controller: the inputs that it writes stay constant until the next one
 * (zero-order hold). */
static torsor_status sample(sampler *s, torsor_run *r, torsor_error *error) {
  const torsor_controller *c = s->controller;
  const double t = r->last.t;
  torsor_status status = read_signals(s, r, error);
  if (status) return status;
  const double *now = assembly_now(r->assembly, t)->input;
  for (int i = 0; i < c->writes; ++i) s->write[i] = now[3 * c->write[i]];
  ++s->next;
  status = ((torsor_call_controller)c->callback->call)(c->callback->data, t, s->read, s->write);
  if (status) {
    torsor_fail(error, TORSOR_STEP, "the controller \"%s\" ended the run at t = %.9g s", c->name,
                t);
    torsor_fail_at(error, t);
    return TORSOR_STEP;
  }
  for (int i = 0; i < c->writes && !status; ++i) status = give(s, r, i, t, error);
  return status;
}

/* Evaluates the signal of a delay at t within the last step. */
static torsor_status look_back(double *out, sampler *s, torsor_run *r, double t,
                               torsor_error *error) {
  const torsor_controller *c = s->controller;
  torsor_state state;
  torsor_point p;
  torsor_status status = s->reactions ? torsor_integrator_interpolate(r->integrator, t, &state)
                                      : torsor_integrator_motion(r->integrator, t, &state);
  if (status)
    return torsor_fail(error, TORSOR_STEP, "the state at t = %.9g s cannot be interpolated", t);
  if (s->signals) {
    status = observer_look(&r->observer, &p, &state, error);
    if (!status) observer_signals(&r->observer, s->read, s->signals, &p, NULL);
  }
  if (!status)
    status = ((torsor_call_controller)c->callback->call)(c->callback->data, t, s->read, s->write);
  *out = s->write[0];
  return status;
}

torsor_status run_keep_past(torsor_run *r, double t0, torsor_error *error) {
  const double t1 = r->last.t;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < r->controllers.count && !status; ++i) {
    sampler *s = &r->controllers.sampler[i];
    double value[DELAY_ORDER + 1];
    if (!(s->controller->delay > 0) || !(t1 > t0)) continue;
    for (int k = 0; k <= DELAY_ORDER && !status; ++k)
      status = look_back(&value[k], s, r, t0 + (t1 - t0) * k / DELAY_ORDER, error);
    if (status || delay_keep(s, t0, t1, value)) continue;
    torsor_fail(error, TORSOR_STEP, "the delay \"%s\" of %g s holds more than %d steps",
                s->controller->name, s->controller->delay, DELAY_STEPS);
    torsor_hint(error, "take longer steps");
    return TORSOR_STEP;
  }
  return status;
}

torsor_status run_sample(torsor_run *r, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  const double t = r->last.t;
  r->last.samples = false;
  for (int i = 0; i < r->controllers.count && !status; ++i) {
    sampler *s = &r->controllers.sampler[i];
    if (s->controller->delay > 0) continue;
    if (!s->off && s->controller->offset + (double)s->next * s->controller->period <= t)
      status = sample(s, r, error);
  }
  if (t < torsor_integrator_state(r->integrator).t) r->disturbed = true;
  return status;
}
