/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_messages.h"

#include <stdio.h>
#include <string.h>

#include "analysis/start/constraints.h"
#include "analysis/start/ranges.h"
#include "base/text.h"

void run_warn(const torsor_run *r, const char *message) {
  if (r->hooks && r->hooks->warn) r->hooks->warn(r->hooks->data, message);
}

void run_warn_of(void *data, const char *message) {
  run_warn(data, message);
}

void run_conclude_of(void *data, const char *message) {
  const torsor_run *r = data;
  if (r->hooks && r->hooks->conclude)
    r->hooks->conclude(r->hooks->data, message);
  else
    run_warn(r, message);
}

/* Appends "; <what> of <type> "<name>"". */
static void append_element(text *out, const torsor_model *model, int element, const char *what) {
  text_printf(out, "; %s of %s \"%s\"", what, model->element[element].type->name,
              model->element[element].name);
}

/* Has a callback said why it fails? */
static bool complains(const torsor_run *r) {
  return assembly_complaint(r->assembly)[0] != '\0';
}

/* Appends the element that failed, or the body with the worst correction and the worst constraint
 * row. */
static void name_failure(text *out, const torsor_run *r, const torsor_failure *failure) {
  char what[64];
  int local;
  const int failed = assembly_failed_element(r->assembly);
  if ((failure->status == TORSOR_DOMAIN || complains(r)) && failed >= 0)
    append_element(out, r->model, failed, "evaluation");
  if (complains(r)) return;
  if (failure->status == TORSOR_TURN) {
    append_element(out, r->model, failed, "coordinate");
    return;
  }
  if (failure->velocity >= 0) {
    const int e = torsor_model_velocity_element(r->model, failure->velocity, &local);
    snprintf(what, sizeof what, "worst: %.3g in component %d", failure->value, local);
    append_element(out, r->model, e, what);
  }
  if (failure->constraint >= 0) {
    const int e = torsor_model_row_element(r->model, failure->constraint, &local);
    snprintf(what, sizeof what, "row %d", local);
    append_element(out, r->model, e, what);
  }
}

/* Blames the element that failed, else the joint of the worst row, else the body of the worst
 * correction. */
static void blame_failed(const torsor_run *r, const torsor_failure *failure, torsor_error *error) {
  int element = -1;
  if (failure->status == TORSOR_DOMAIN || failure->status == TORSOR_TURN || complains(r))
    element = assembly_failed_element(r->assembly);
  else if (failure->constraint >= 0)
    element = torsor_model_row_element(r->model, failure->constraint, NULL);
  else if (failure->velocity >= 0)
    element = torsor_model_velocity_element(r->model, failure->velocity, NULL);
  if (element >= 0) torsor_blame(error, r->model->element[element].name);
}

static void hint_failure(const torsor_run *r, torsor_status cause, bool astray,
                         torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  const bool other =
      torsor_method_takes(settings->method, "formulation") && !torsor_settings_stabilised(settings);
  if (astray)
    torsor_hint(error, "the constraints have more than one solution here, or nearly so (a dead "
                       "centre): try another step size, which may step over it, or "
                       "\"formulation\": \"index3\", which passes it better");
  else if (cause == TORSOR_SINGULAR)
    torsor_hint(error, "the constraints may be dependent here (a dead centre), or a direction has "
                       "neither inertia nor constraint: try another step size, or add inertia");
  else if (cause == TORSOR_DOMAIN)
    ranges_hint(r->model, assembly_failed_element(r->assembly), error);
  else if (cause == TORSOR_TURN)
    torsor_hint(error,
                "the coordinate changes by half a turn or more in one step: try a smaller step");
  else if (torsor_method_is_explicit(settings->method))
    torsor_hint(error, "explicit steps follow all that is fast: \"method\": \"radau\" suits stiff "
                       "models; a jump of the forces can also be the reason");
  else
    torsor_hint(error, "try a smaller step%s; a jump of the forces can also be the reason",
                other ? ", or \"formulation\": \"ggl\"" : "");
}

/* Adds the hint where rows are about to depend on each other, which is the reason then; returns
 * false where they are not. */
static bool hint_dead_centre(const torsor_run *r, const torsor_failure *failure,
                             torsor_error *error) {
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  const int row =
      constraints_nearly_dependent_ahead(r->assembly, &p, failure->t - state.t, r->redundant);
  int local;
  if (row < 0) return false;
  const model_element *joint = &r->model->element[torsor_model_row_element(r->model, row, &local)];
  const bool ggl = r->simulation->settings.formulation == TORSOR_GGL;
  torsor_hint(error, "a dead centre is near: row %d of %s \"%s\" nearly depends on others here; %s",
              local, joint->type->name, joint->name,
              ggl ? "try \"formulation\": \"index3\", which passes it better"
                  : "try another step size, which may step over it");
  return true;
}

/* Returns the status of a failed run: what an element or a method returns is no argument of the
 * caller's. */
static torsor_status final_status(torsor_status status) {
  return status < 0 && status != TORSOR_ARGUMENT ? status : TORSOR_STEP;
}

/* Returns the failure in words: an iteration may have converged, but elsewhere. */
static const char *words_of(const torsor_run *r, const torsor_failure *failure,
                            torsor_status cause) {
  if (complains(r)) return assembly_complaint(r->assembly);
  if (cause == TORSOR_ACCURACY && !torsor_accuracy_is_set(&r->simulation->settings.accuracy))
    return "its error is not small beside the motion, as where a model is stiff";
  return failure->astray ? "the correction of the positions is too large for an error of the step"
                         : torsor_status_text(cause);
}

torsor_status run_report_failure(const torsor_run *r, torsor_status status, torsor_error *error) {
  const torsor_failure failure = torsor_integrator_failure(r->integrator);
  const torsor_status cause = failure.status ? failure.status : status;
  const torsor_status answer = final_status(status);
  text where = {0};
  name_failure(&where, r, &failure);
  torsor_fail(error, answer, "at t = %.9g s %s (step %.3g s, %d iterations%s)", failure.t,
              words_of(r, &failure, cause), failure.h, failure.iterations,
              where.data && !where.failed ? where.data : "");
  text_release(&where);
  torsor_fail_at(error, failure.t);
  blame_failed(r, &failure, error);
  if (cause == TORSOR_DOMAIN || !hint_dead_centre(r, &failure, error))
    hint_failure(r, cause, failure.astray, error);
  return answer;
}

torsor_status run_report_failed_start(const torsor_run *r, double t, torsor_status status,
                                      torsor_error *error) {
  const torsor_status answer = final_status(status);
  const char *complaint = assembly_complaint(r->assembly);
  const char *why = complaint[0] ? complaint : torsor_status_text(status);
  if (t > 0)
    torsor_fail(error, answer,
                "the accelerations after the event at t = %.9g s cannot be found: %s", t, why);
  else
    torsor_fail(error, answer, "the accelerations at the start cannot be found: %s", why);
  torsor_fail_at(error, t);
  hint_failure(r, status, false, error);
  return answer;
}

void run_warn_dependent(torsor_run *r, double t) {
  char message[300];
  r->redundant = true;
  snprintf(message, sizeof message,
           "constraint rows became dependent before t = %.9g s: from there on the results show the "
           "multipliers and reactions of least norm",
           t);
  run_warn(r, message);
}

/* A halved step is worth a line: it costs accuracy in the index-3 formulation. */
void run_warn_rejected(torsor_run *r) {
  const long passed = torsor_integrator_findings(r->integrator).passed;
  const long halved = r->summary->counters.rejected_steps - r->rejected - (passed - r->passed);
  if (r->summary->counters.rejected_steps == r->rejected) return;
  r->rejected = r->summary->counters.rejected_steps;
  r->passed = passed;
  /* steps that step-size control rejects are normal, and passed ends are reported in the end */
  if (torsor_accuracy_is_set(&r->simulation->settings.accuracy) || halved <= 0) return;
  const torsor_failure failure = torsor_integrator_failure(r->integrator);
  const int failed = assembly_failed_element(r->assembly);
  text where = {0};
  char message[360];
  if (failure.status == TORSOR_DOMAIN || failure.status == TORSOR_TURN)
    append_element(&where, r->model, failed, "last");
  snprintf(message, sizeof message, "the run halved the step before t = %.9g s %ld time(s): %s%s",
           r->summary->t, halved, words_of(r, &failure, failure.status),
           where.data && !where.failed ? where.data : "");
  text_release(&where);
  run_warn(r, message);
}

torsor_status run_blame_step(const torsor_run *r, torsor_error *error) {
  torsor_error why = {0};
  if (error) why = *error;
  torsor_fail(error, TORSOR_STEP, "the computation cannot go on at t = %.9g s: %.300s",
              r->summary->t, why.message);
  torsor_hint(error, "%s", why.hint);
  return TORSOR_STEP;
}

torsor_status run_refuse_change(const torsor_run *r, torsor_error *error) {
  if (!r->follower) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "a run with sensitivities cannot be changed on its way");
  torsor_hint(error, "change the scene, or create the run with signals that have no derivatives");
  return TORSOR_ARGUMENT;
}
