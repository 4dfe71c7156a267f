/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/options.h"
#include "integrator/options.h"
#include "method.h"

enum { MOST_HALVINGS = 40 };

static torsor_settings defaults(void) {
  return (torsor_settings){.size = sizeof(torsor_settings),
                           .method = "generalized_alpha",
                           .alpha = torsor_alpha_chung_hulbert(0.8),
                           .step = 1e-3,
                           .atol = 1e-12,
                           .rtol = 1e-8,
                           .max_iterations = 20,
                           .max_halvings = 10};
}

torsor_status settings_complete(torsor_settings *out, const torsor_settings *given,
                                torsor_error *error) {
  *out = defaults();
  return options_read(out, sizeof *out, given, "torsor_settings", "torsor_settings_default()",
                      error);
}

void torsor_settings_fill(torsor_settings *out, size_t size) {
  const torsor_settings all = defaults();
  options_write(out, size, &all, sizeof all);
}

static torsor_settings chosen(const torsor_settings *settings) {
  torsor_settings s = *settings;
  if (s.formulation == TORSOR_FORMULATION_USUAL && torsor_method_takes(s.method, "formulation"))
    s.formulation = TORSOR_GGL;
  if (s.start == TORSOR_START_USUAL && torsor_method_takes(s.method, "start")) {
    const bool damped = method_find(s.method)->starts_damped && s.formulation != TORSOR_INDEX3;
    s.start = damped ? TORSOR_START_DAMPED : TORSOR_START_PERTURBED;
  }
  return s;
}

void torsor_settings_choose(torsor_settings *out, size_t size, const torsor_settings *settings) {
  torsor_settings all;
  memset(out, 0, size);
  if (settings_complete(&all, settings, NULL)) return;
  all = chosen(&all);
  options_write(out, size, &all, sizeof all);
}

static torsor_status check_method(const method **found, const torsor_settings *s,
                                  torsor_error *error) {
  *found = method_find(s->method);
  if (*found) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "unknown method \"%s\"", s->method ? s->method : "");
  const char *names[16];
  int count = 0;
  while (count < 16 && (names[count] = torsor_method_name(count))) ++count;
  const char *near = s->method ? torsor_near_name(s->method, names, count) : NULL;
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "choose a method, for instance \"%s\"", names[0]);
  return TORSOR_ARGUMENT;
}

static torsor_status check_alpha(const torsor_alpha *a, torsor_error *error) {
  const bool finite =
      isfinite(a->alpha_m) && isfinite(a->alpha_f) && isfinite(a->beta) && isfinite(a->gamma);
  if (!finite || !(a->beta > 0) || !(a->gamma > 0) || !(a->alpha_m < 1) || !(a->alpha_f < 1))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method is not defined for alpha_m = %g, alpha_f = %g, beta = %g, "
                       "gamma = %g: beta, gamma > 0 and alpha_m, alpha_f < 1 are needed",
                       a->alpha_m, a->alpha_f, a->beta, a->gamma);
  return TORSOR_OK;
}

static torsor_status check_accuracy(const torsor_settings *s, const method *chosen,
                                    torsor_error *error) {
  const torsor_accuracy *a = &s->accuracy;
  if (!(a->position >= 0) || !(a->rotation >= 0) || !(a->velocity >= 0) ||
      !isfinite(a->position + a->rotation + a->velocity))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the accuracy of %g m/s, %g rad/s, %g must not be negative", a->position,
                       a->rotation, a->velocity);
  if (torsor_accuracy_is_set(a) && !chosen->estimates_error)
    return torsor_fail(error, TORSOR_ARGUMENT, "the method \"%s\" has constant steps only",
                       chosen->name);
  return TORSOR_OK;
}

static torsor_status check_settings(const torsor_settings *s, torsor_error *error) {
  if (!(s->step > 0) || !isfinite(s->step))
    return torsor_fail(error, TORSOR_ARGUMENT, "step = %g is not a positive number", s->step);
  if (!(s->atol >= 0) || !(s->rtol >= 0) || !isfinite(s->atol) || !isfinite(s->rtol))
    return torsor_fail(error, TORSOR_ARGUMENT, "atol = %g and rtol = %g must not be negative",
                       s->atol, s->rtol);
  if (s->max_iterations < 1)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "max_iterations = %d is not possible: give at least 1", s->max_iterations);
  if (s->max_halvings < 0 || s->max_halvings > MOST_HALVINGS)
    return torsor_fail(error, TORSOR_ARGUMENT, "max_halvings = %d is not possible: give 0 to %d",
                       s->max_halvings, MOST_HALVINGS);
  if (s->formulation < TORSOR_FORMULATION_USUAL || s->formulation > TORSOR_GGL)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown formulation %d", (int)s->formulation);
  if (s->start < TORSOR_START_USUAL || s->start > TORSOR_START_DAMPED)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown start %d", (int)s->start);
  if (s->multipliers != TORSOR_MULTIPLIERS_ACCELERATION &&
      s->multipliers != TORSOR_MULTIPLIERS_METHOD)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown multipliers %d", (int)s->multipliers);
  if (s->metric != TORSOR_METRIC_BODIES && s->metric != TORSOR_METRIC_PLAIN)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown metric %d", (int)s->metric);
  if (s->mass_alpha != TORSOR_MASS_CARRIED && s->mass_alpha != TORSOR_MASS_EVALUATED)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown mass_alpha %d", (int)s->mass_alpha);
  if (s->reaction < TORSOR_REACTION_END || s->reaction > TORSOR_REACTION_MIDPOINT_EXPLICIT)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown reaction %d", (int)s->reaction);
  return check_alpha(&s->alpha, error);
}

/* Refuses settings that the method does not know, as they would be without effect. */
static torsor_status check_known(const method *m, const torsor_settings *s, torsor_error *error) {
  const torsor_settings usual = defaults();
  const struct {
    const char *key;
    bool set;
  } special[] = {{"formulation", s->formulation != TORSOR_FORMULATION_USUAL},
                 {"start", s->start != TORSOR_START_USUAL},
                 {"multipliers", s->multipliers != TORSOR_MULTIPLIERS_ACCELERATION},
                 {"correction_metric", s->metric != TORSOR_METRIC_BODIES},
                 {"mass_alpha", s->mass_alpha != TORSOR_MASS_CARRIED},
                 {"additive", s->additive},
                 {"step_correction", s->uncorrected},
                 {"reaction", s->reaction != TORSOR_REACTION_END},
                 {"reaction_weight", s->reaction_weight != 0},
                 {"order", s->order != 0},
                 {"atol", s->atol != usual.atol},
                 {"rtol", s->rtol != usual.rtol}};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
    if (special[i].set && !torsor_method_takes(m->name, special[i].key))
      return torsor_fail(error, TORSOR_ARGUMENT, "the method \"%s\" does not know \"%s\"", m->name,
                         special[i].key);
  if (!torsor_method_takes(m->name, "hht") &&
      memcmp(&s->alpha, &usual.alpha, sizeof usual.alpha) != 0)
    return torsor_fail(error, TORSOR_ARGUMENT, "the method \"%s\" has no parameters", m->name);
  return TORSOR_OK;
}

bool torsor_settings_stabilised(const torsor_settings *s) {
  torsor_settings all;
  if (settings_complete(&all, s, NULL)) return false;
  const method *found = method_find(all.method);
  return chosen(&all).formulation == TORSOR_GGL || (found && found->stabilised);
}

torsor_status settings_take(torsor_settings *out, const method **found,
                            const torsor_problem *problem, const torsor_settings *settings,
                            torsor_error *error) {
  torsor_settings s;
  torsor_status status = settings_complete(&s, settings, error);
  if (!status) status = check_method(found, &s, error);
  if (!status) status = check_settings(&s, error);
  if (!status) status = check_accuracy(&s, *found, error);
  if (!status) status = check_known(*found, &s, error);
  if (!status && (*found)->check) status = (*found)->check(problem, &s, error);
  if (status) return status;
  *out = chosen(&s);
  out->method = (*found)->name;
  return TORSOR_OK;
}
