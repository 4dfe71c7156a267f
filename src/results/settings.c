/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/settings.h"

void settings_add_member(text *t, const char *key, double value, const char *end) {
  text_printf(t, "\"%s\": ", key);
  text_json_number(t, value);
  text_append(t, end);
}

/* Settings that not every method knows. */
static void add_special_settings(text *t, const torsor_settings *settings) {
  const torsor_settings chosen = torsor_settings_chosen(settings), *s = &chosen;
  static const char *const reaction[] = {"\"end\"", "\"explicit\"", "\"midpoint\"",
                                         "\"midpoint_explicit\""};
  static const char *const start[] = {[TORSOR_START_PERTURBED] = "\"perturbed\"",
                                      [TORSOR_START_PLAIN] = "\"plain\"",
                                      [TORSOR_START_DAMPED] = "\"damped\""};
  const struct {
    const char *key, *value;
  } special[] = {
      {"formulation", s->formulation == TORSOR_GGL ? "\"ggl\"" : "\"index3\""},
      {"start", start[s->start]},
      {"multipliers",
       s->multipliers == TORSOR_MULTIPLIERS_METHOD ? "\"method\"" : "\"acceleration_level\""},
      {"correction_metric", s->metric == TORSOR_METRIC_PLAIN ? "\"plain\"" : "\"bodies\""},
      {"mass_alpha", s->mass_alpha == TORSOR_MASS_EVALUATED ? "\"evaluated\"" : "\"carried\""},
      {"additive", s->additive ? "true" : "false"},
      {"step_correction", s->uncorrected ? "false" : "true"},
      {"reaction", reaction[s->reaction]}};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
    if (torsor_method_takes(s->method, special[i].key))
      text_printf(t, "\"%s\": %s, ", special[i].key, special[i].value);
}

void settings_of_simulation(text *t, const torsor_simulation *simulation) {
  const torsor_simulation chosen = torsor_simulation_chosen(simulation);
  const torsor_settings *s = &chosen.settings;
  text_append(t, "{");
  add_special_settings(t, s);
  if (torsor_method_takes(s->method, "reaction_weight"))
    settings_add_member(t, "reaction_weight", s->reaction_weight, ", ");
  if (torsor_method_takes(s->method, "order"))
    text_printf(t, "\"order\": %d, ", torsor_settings_order(s));
  if (torsor_method_takes(s->method, "hht")) {
    settings_add_member(t, "alpha_m", s->alpha.alpha_m, ", ");
    settings_add_member(t, "alpha_f", s->alpha.alpha_f, ", ");
    settings_add_member(t, "beta", s->alpha.beta, ", ");
    settings_add_member(t, "gamma", s->alpha.gamma, ", ");
  }
  if (s->unestimated) text_append(t, "\"error_estimate\": false, ");
  settings_add_member(t, "step", s->step, ", ");
  settings_add_member(t, "duration", simulation->duration, ", ");
  text_printf(t, "\"every\": %d, ", simulation->every);
  settings_add_member(t, "output_step", simulation->output_step, ", ");
  text_printf(t, "\"interpolate\": %s, ", simulation->interpolate ? "true" : "false");
  if (torsor_method_takes(s->method, "rtol")) {
    settings_add_member(t, "atol", s->atol, ", ");
    settings_add_member(t, "rtol", s->rtol, ", ");
  }
  text_append(t, "\"accuracy\": {");
  settings_add_member(t, "position", s->accuracy.position, ", ");
  settings_add_member(t, "rotation", s->accuracy.rotation, ", ");
  settings_add_member(t, "velocity", s->accuracy.velocity, "}, ");
  text_printf(t, "\"max_iterations\": %d, \"max_halvings\": %d, \"linear_solver\": ",
              s->max_iterations, s->max_halvings);
  text_json_string(t, simulation->linear_solver ? simulation->linear_solver : "block");
  text_append(t, "}");
}

void settings_of_statics(text *t, const torsor_statics *s, const torsor_simulation *simulation) {
  static const char *const loads[] = {"auto", "all", "functions"};
  text_printf(t, "{\"loads\": \"%s\", \"steps\": %d, \"points\": %d, \"buckling\": %d, ",
              loads[s->loading], s->steps, s->points, s->buckling);
  settings_add_member(t, "until", s->until, ", ");
  settings_add_member(t, "arc", s->arc, ", ");
  settings_add_member(t, "tolerance", s->tolerance, ", ");
  text_printf(t, "\"max_iterations\": %d, \"max_halvings\": %d, \"linear_solver\": ",
              s->max_iterations, s->max_halvings);
  text_json_string(t, simulation->linear_solver ? simulation->linear_solver : "block");
  text_append(t, "}");
}

const char *settings_statics_method(const torsor_statics *statics) {
  return statics->method == TORSOR_STATICS_ARC_LENGTH ? "arc_length" : "newton";
}

void settings_add_warnings(text *t, const torsor_result_info *info) {
  text_append(t, "  \"warnings\": [");
  for (int i = 0; i < info->warnings; ++i) {
    text_append(t, i ? ",\n    " : "\n    ");
    text_json_string(t, info->warning[i]);
  }
  text_append(t, "],\n");
}
