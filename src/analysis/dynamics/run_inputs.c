/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_object.h"

#include <float.h>
#include <math.h>

#include "analysis/dynamics/run_messages.h"

/* Values that differ by no more than rounding of the caller's computation are continuous. */
static const double ROUNDING = 8 * DBL_EPSILON;

static bool differs(double a, double b) {
  return fabs(a - b) > ROUNDING * fmax(fabs(a), fabs(b));
}

static torsor_status check(const torsor_model *model, int i, const double value[3],
                           torsor_error *error) {
  if (i < 0 || i >= model->inputs) {
    torsor_fail(error, TORSOR_ARGUMENT, "there is no input %d: the model has %d", i, model->inputs);
    torsor_hint(error, "torsor_model_input_find gives the index of an input by its name");
    return TORSOR_ARGUMENT;
  }
  if (isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2])) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT,
                     "the input \"%s\" must be finite, but is %g with the rate %g and the second "
                     "derivative %g",
                     model->input[i].name, value[0], value[1], value[2]);
}

static torsor_status refuse_jump(const torsor_run *r, const model_input *input, double t,
                                 double jump, torsor_error *error) {
  const model_element *e = &r->model->element[input->positions];
  torsor_fail(error, TORSOR_ARGUMENT,
              "the input \"%s\" jumps by %.3g at t = %.9g s, but it prescribes positions of %s "
              "\"%s\", which cannot jump",
              input->name, jump, t, e->type->name, e->name);
  torsor_hint(error,
              "give it a rate (torsor_run_set_input_rate), so that its values are continuous");
  torsor_blame(error, e->name);
  return TORSOR_ARGUMENT;
}

torsor_status run_give_input(torsor_run *r, int i, double t, const double value[3],
                             torsor_error *error) {
  torsor_status status = check(r->model, i, value, error);
  if (status) return status;
  status = model_check_input(r->model, i, value[0], error);
  if (status) return status;
  const model_input *input = &r->model->input[i];
  const double *before = assembly_now(r->assembly, t)->input + 3 * i;
  const bool jumps = differs(value[0], before[0]);
  const bool bends = differs(value[1], before[1]) || differs(value[2], before[2]);
  if (jumps && input->positions >= 0) return refuse_jump(r, input, t, value[0] - before[0], error);
  const bool inside = t < torsor_integrator_state(r->integrator).t;
  if (jumps || (bends && (inside || input->moves))) r->disturbed = true;
  assembly_set_input(r->assembly, i, t, value);
  return TORSOR_OK;
}

torsor_status torsor_run_set_input_rate(torsor_run *run, int i, double value, double rate,
                                        double second, torsor_error *error) {
  torsor_status status = run_refuse_change(run, error);
  if (!status)
    status = run_give_input(run, i, run->time, (const double[3]){value, rate, second}, error);
  if (!status) led(run)->floor = run->time;
  return status;
}

torsor_status torsor_run_set_input(torsor_run *run, int i, double value, torsor_error *error) {
  return torsor_run_set_input_rate(run, i, value, 0, 0, error);
}

void run_begin_input(torsor_model *model, int i, double value) {
  model->input[i].value = value;
}

double torsor_run_input(torsor_run *run, int i) {
  if (i < 0 || i >= run->model->inputs) return nan("");
  return assembly_now(run->assembly, run->time)->input[3 * i];
}
