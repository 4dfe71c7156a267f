/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/remarks.h"

#include <stdio.h>

#include "assembly/model/model.h"
#include "base/text.h"

typedef struct teller {
  const torsor_integrator *integrator;
  const torsor_model *model;
  const torsor_simulation *simulation;
  const signal_errors *errors;
  void (*tell)(void *data, const char *message);
  void *data;
} teller;

static void append_name(text *out, const torsor_model *model, int element) {
  const model_element *e = &model->element[element];
  text_printf(out, "%s \"%s\"", e->type->name, e->name);
}

static void tell_impulse(const teller *t) {
  const torsor_model *model = t->model;
  const torsor_impulse i = torsor_integrator_impulse(t->integrator);
  text message = {0};
  int local;
  if (i.count == 0) return;
  const bool driven = i.constraint >= 0;
  const int element = driven ? torsor_model_row_element(model, i.constraint, &local)
                             : torsor_model_velocity_element(model, i.velocity, &local);
  text_printf(&message, driven ? "an impulse: " : "steps are too coarse: ");
  append_name(&message, model, element);
  if (driven)
    text_printf(&message, " changes its speed by %.3g at once (in the unit of its rate)", i.size);
  else
    text_printf(&message, " changes component %d of its velocity by %.3g, which no force shows,",
                local, i.size);
  text_printf(&message, " within the step of %.3g s that ends at t = %.9g s", i.h, i.t);
  if (i.count > 1) text_printf(&message, ", and %ld other steps do the same", i.count - 1);
  if (driven) text_append(&message, ": its force there is an impulse, and the results show none");
  if (!message.failed) t->tell(t->data, message.data);
  text_release(&message);
}

/* Sums of local errors above this fraction of the motion, which is the accuracy that most users
 * want, are reported.  The sums are estimates: motions that amplify errors have larger global ones,
 * those that damp them smaller ones. */
static const double MOST_COARSE = 0.01;

static void tell_coarse(const teller *t, const torsor_findings *f) {
  text message = {0};
  const int order = torsor_settings_order(&t->simulation->settings);
  if (!(f->coarseness > MOST_COARSE) || f->coarsest < 0) return;
  text_printf(&message,
              "steps of %.3g s are too coarse: their errors add up to about %.2g %% of the motion; "
              "most of ",
              t->simulation->settings.step, 100 * f->coarseness);
  append_name(&message, t->model, torsor_model_velocity_element(t->model, f->coarsest, NULL));
  if (order > 2)
    text_printf(&message, "; half the step leaves about 1/%d of them", 1 << order);
  else
    text_append(&message, "; half the step leaves about a quarter of them");
  if (!message.failed) t->tell(t->data, message.data);
  text_release(&message);
}

/* Reports the error of a signal that the companion of the motion has estimated. */
static void tell_error(const teller *t, const worst_signal *worst) {
  text message = {0};
  const char *name = torsor_signals_name(t->errors->signals, worst->column);
  const double times = SIGNAL_ERRORS_MOST * worst->over;
  if (t->errors->asked)
    text_printf(&message,
                "errors add up to about %.2g %% of the largest value of %.*s, %.2g times what "
                "\"accuracy\" asks for in that time, as the motion multiplies them: ask for %.1g "
                "of it",
                100 * worst->error, worst->length, name, times, 1 / times);
  else
    text_printf(
        &message,
        "steps of %.3g s are too coarse: their errors add up to about %.2g %% of the largest "
        "value of %.*s; %s",
        t->simulation->settings.step, 100 * worst->error, worst->length, name,
        worst->error > 1 ? "the motion multiplies them, and smaller steps follow it longer"
                         : "half the step leaves about a quarter of them");
  if (!message.failed) t->tell(t->data, message.data);
  text_release(&message);
}

static void tell_undetermined(const teller *t, const torsor_findings *f) {
  char message[360];
  if (!f->undetermined) return;
  snprintf(
      message, sizeof message,
      "note: the mechanism is near a change point at t = %.6g s (in %ld states shown): reactions "
      "and accelerations are hardly determined there, and the results show those of the method",
      f->undetermined_at, f->undetermined);
  t->tell(t->data, message);
}

static void tell_rounded(const teller *t, const torsor_findings *f) {
  char message[360];
  if (!f->rounded) return;
  snprintf(message, sizeof message,
           "rounding errors are more than a hundredth of reactions and accelerations at t = %.6g s "
           "(in %ld states shown), as the mechanism is near a change point",
           f->rounded_at, f->rounded);
  t->tell(t->data, message);
}

static void tell_passed(const teller *t, const torsor_findings *f) {
  char message[360];
  if (!f->passed) return;
  snprintf(
      message, sizeof message,
      "note: no step can end at t = %.6g s, probably a change point, where constraint rows "
      "depend on each other and the motion can go on in more than one way: the run stepped over "
      "%ld such times",
      f->passed_at, f->passed);
  t->tell(t->data, message);
}

/* The steps of the explicit method are as small as what is fast asks for, not as the motion does.
 */
static void tell_stiff(const teller *t, const torsor_findings *f) {
  text message = {0};
  if (!f->stiff || torsor_method_needs_accuracy(t->simulation->settings.method)) return;
  text_append(&message, "the model is stiff for an explicit method");
  if (f->stiffest >= 0) {
    text_append(&message, ", by ");
    append_name(&message, t->model, torsor_model_velocity_element(t->model, f->stiffest, NULL));
  }
  text_printf(&message,
              ": from t = %.6g s on stability, or what is fast and of no interest, keeps steps "
              "small; \"method\": \"radau\" takes larger ones",
              f->stiff_at);
  if (!message.failed) t->tell(t->data, message.data);
  text_release(&message);
}

static void tell_change(const teller *t, const char *change, long count, double at, int body) {
  text message = {0};
  if (!count) return;
  text_printf(&message, "note: the method changed %s at t = %.6g s", change, at);
  if (body >= 0) {
    text_append(&message, ", as explicit ones would be kept small by ");
    append_name(&message, t->model, torsor_model_velocity_element(t->model, body, NULL));
  }
  if (count > 1) text_printf(&message, "; it is the first of %ld such changes", count);
  if (!message.failed) t->tell(t->data, message.data);
  text_release(&message);
}

/* The method "auto" says when it changed, and because of what. */
static void tell_changes(const teller *t, const torsor_findings *f) {
  if (!torsor_method_needs_accuracy(t->simulation->settings.method)) return;
  tell_change(t, "from explicit to implicit steps", f->stiff, f->stiff_at, f->stiffest);
  tell_change(t, "back to explicit steps", f->returned, f->returned_at, -1);
  tell_change(t,
              "to implicit steps, which are the cheaper ones where all end at rows or at multiples "
              "of \"step\",",
              f->shortened, f->shortened_at, -1);
}

static void tell_restarts(const teller *t, const torsor_findings *f) {
  char message[300];
  if (!f->restarts) return;
  snprintf(message, sizeof message,
           "note: no step is accurate at t = %.6g s, probably because velocities jump: the run "
           "restarted the motion at %ld such times",
           f->restarted_at, f->restarts);
  t->tell(t->data, message);
}

/* Largest violation of velocity constraints, relative to the largest velocity, without a report. */
static const double MOST_VIOLATION = 0.01;

static void tell_violation(const teller *t, const torsor_findings *f) {
  char message[360];
  if (!(f->violation > MOST_VIOLATION)) return;
  snprintf(
      message, sizeof message,
      "velocities violate the constraints by up to %.2g %% of the largest velocity at t = %.6g s, "
      "which changes the forces of dampers and friction: \"formulation\": \"ggl\" enforces them",
      100 * f->violation, f->violation_at);
  t->tell(t->data, message);
}

void remarks_tell(const torsor_integrator *integrator, const torsor_model *model,
                  const torsor_simulation *simulation, const signal_errors *errors,
                  void (*tell)(void *data, const char *message), void *data) {
  const teller t = {integrator, model, simulation, errors, tell, data};
  const torsor_findings f = torsor_integrator_findings(integrator);
  const worst_signal worst = signal_errors_worst(errors);
  if (worst.over > 1)
    tell_error(&t, &worst);
  else
    tell_coarse(&t, &f);
  tell_violation(&t, &f);
  tell_impulse(&t);
  tell_undetermined(&t, &f);
  tell_rounded(&t, &f);
  tell_passed(&t, &f);
  tell_restarts(&t, &f);
  tell_stiff(&t, &f);
  tell_changes(&t, &f);
}
