/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/run_object.h"

#include <float.h>
#include <math.h>

/* Values that differ by rounding of what the caller computed join. */
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

static torsor_status refuse_jump(const torsor_run *r, const model_input *input, double jump,
                                 torsor_error *error) {
  const model_element *e = &r->model->element[input->positions];
  torsor_fail(
      error, TORSOR_ARGUMENT,
      "the input \"%s\" jumps by %.3g at t = %.9g s, which the positions that %s \"%s\" gives "
      "cannot follow",
      input->name, jump, r->time, e->type->name, e->name);
  torsor_hint(error, "give it a rate (torsor_run_set_input_rate), so that the values join");
  torsor_blame(error, e->name);
  return TORSOR_ARGUMENT;
}

torsor_status torsor_run_set_input_rate(torsor_run *run, int i, double value, double rate,
                                        double second, torsor_error *error) {
  const double now[3] = {value, rate, second};
  torsor_status status = check(run->model, i, now, error);
  if (status) return status;
  const model_input *input = &run->model->input[i];
  const double *before = assembly_now(run->assembly, run->time)->input + 3 * i;
  const bool jumps = differs(value, before[0]);
  const bool bends = differs(rate, before[1]) || differs(second, before[2]);
  if (jumps && input->positions >= 0) return refuse_jump(run, input, value - before[0], error);
  const bool inside = run->time < run->last.t;
  if (jumps || (bends && (inside || input->moves))) run->disturbed = true;
  if (jumps || bends) led(run)->floor = run->time;
  assembly_set_input(run->assembly, i, run->time, now);
  return TORSOR_OK;
}

torsor_status torsor_run_set_input(torsor_run *run, int i, double value, torsor_error *error) {
  return torsor_run_set_input_rate(run, i, value, 0, 0, error);
}

double torsor_run_input(torsor_run *run, int i) {
  if (i < 0 || i >= run->model->inputs) return nan("");
  return assembly_now(run->assembly, run->time)->input[3 * i];
}
