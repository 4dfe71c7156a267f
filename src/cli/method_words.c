/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/method_words.h"

#include <math.h>

/* rho_inf of generalised-alpha with beta = (1 + alpha_f - alpha_m)^2/4, NaN for other
 * parameters. */
static double find_rho(const torsor_alpha *a) {
  const double rho = a->alpha_f / (1 - a->alpha_f);
  const torsor_alpha same = torsor_alpha_chung_hulbert(rho);
  const double off =
      fabs(same.alpha_m - a->alpha_m) + fabs(same.beta - a->beta) + fabs(same.gamma - a->gamma);
  return off < 1e-12 ? rho : nan("");
}

static void add_formulation(text *t, const torsor_model_counts *counts,
                            const torsor_settings *settings) {
  static const char *const starts[] = {[TORSOR_START_PERTURBED] = "perturbed",
                                       [TORSOR_START_PLAIN] = "plain",
                                       [TORSOR_START_DAMPED] = "damped"};
  const torsor_settings s = torsor_settings_chosen(settings);
  const double rho = find_rho(&s.alpha);
  if (counts->holonomic + counts->nonholonomic == 0)
    text_append(t, ", no constraints");
  else
    text_append(t, s.formulation == TORSOR_GGL ? ", stabilised index 2 (GGL)" : ", index 3");
  if (isfinite(rho)) text_printf(t, ", rho_inf %.3g", rho);
  text_printf(t, ", %s start", starts[s.start]);
}

void method_words(text *t, const torsor_model_counts *counts, const torsor_simulation *simulation) {
  const torsor_settings *s = &simulation->settings;
  text_append(t, s->method);
  if (!torsor_method_takes(s->method, "formulation")) {
    text_append(t, ", as the scene says");
    return;
  }
  add_formulation(t, counts, s);
  if (s->formulation != TORSOR_FORMULATION_USUAL)
    text_append(t, ", as the scene says");
  else if (counts->holonomic + counts->nonholonomic == 0)
    text_append(t, ", as the scene names no other: motions that decay within a step are damped, "
                   "not followed");
  else
    text_append(t,
                ", as the scene names no other: positions and velocities meet the constraints, and "
                "neither jumps of drives nor stiff dampers make reactions ring");
}

void steps_words(text *t, const torsor_simulation *simulation) {
  const torsor_settings *s = &simulation->settings;
  const torsor_accuracy *a = &s->accuracy;
  torsor_simulation without_rows = *simulation;
  without_rows.output_step = 0;
  const double step = torsor_simulation_chosen(&without_rows).settings.step;
  if (torsor_accuracy_is_set(a)) {
    text_printf(t, "under error control, of %.6g s at most, errors", step);
    if (a->position > 0) text_printf(t, " of %.3g m", a->position);
    if (a->rotation > 0) text_printf(t, " of %.3g rad", a->rotation);
    if (a->velocity > 0) text_printf(t, " of %.3g of velocities", a->velocity);
    text_append(t, " a second");
  } else if (s->step > 0) {
    text_printf(t, "constant, of %.6g s", step);
  } else {
    text_printf(
        t,
        "%s, of %.6g s at most, so small that errors are about 0.1 %% of the motion by trial "
        "runs, as the scene names none",
        torsor_method_controls(s->method) ? "under error control" : "constant", step);
  }
}
