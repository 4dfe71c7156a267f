/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <string.h>

#include "base/text.h"
#include "results/file.h"

static void add_string(text *t, const char *key, const char *value) {
  text_printf(t, "  \"%s\": ", key);
  text_json_string(t, value ? value : "");
  text_append(t, ",\n");
}

static void add_number(text *t, const char *key, double value) {
  text_printf(t, "  \"%s\": ", key);
  text_json_number(t, value);
  text_append(t, ",\n");
}

static void add_count(text *t, const char *key, long value) {
  text_printf(t, "  \"%s\": %ld,\n", key, value);
}

static void add_member(text *t, const char *key, double value, const char *end) {
  text_printf(t, "\"%s\": ", key);
  text_json_number(t, value);
  text_append(t, end);
}

/* Settings that not every method knows. */
static void add_special_settings(text *t, const torsor_settings *s) {
  static const char *const reaction[] = {"\"end\"", "\"explicit\"", "\"midpoint\"",
                                         "\"midpoint_explicit\""};
  const struct {
    const char *key, *value;
  } special[] = {
      {"formulation", s->formulation == TORSOR_GGL ? "\"ggl\"" : "\"index3\""},
      {"start", s->start == TORSOR_START_PLAIN ? "\"plain\"" : "\"perturbed\""},
      {"mass_alpha", s->mass_alpha == TORSOR_MASS_EVALUATED ? "\"evaluated\"" : "\"carried\""},
      {"additive", s->additive ? "true" : "false"},
      {"step_correction", s->uncorrected ? "false" : "true"},
      {"reaction", reaction[s->reaction]}};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
    if (torsor_method_takes(s->method, special[i].key))
      text_printf(t, "\"%s\": %s, ", special[i].key, special[i].value);
}

static void add_settings(text *t, const torsor_simulation *simulation) {
  const torsor_settings *s = &simulation->settings;
  add_string(t, "method", s->method);
  text_append(t, "  \"settings\": {");
  add_special_settings(t, s);
  if (torsor_method_takes(s->method, "reaction_weight"))
    add_member(t, "reaction_weight", s->reaction_weight, ", ");
  if (torsor_method_takes(s->method, "hht")) {
    add_member(t, "alpha_m", s->alpha.alpha_m, ", ");
    add_member(t, "alpha_f", s->alpha.alpha_f, ", ");
    add_member(t, "beta", s->alpha.beta, ", ");
    add_member(t, "gamma", s->alpha.gamma, ", ");
  }
  add_member(t, "step", s->step, ", ");
  add_member(t, "duration", simulation->duration, ", ");
  text_printf(t, "\"every\": %d, ", simulation->every);
  add_member(t, "output_step", simulation->output_step, ", ");
  if (torsor_method_takes(s->method, "rtol")) {
    add_member(t, "atol", s->atol, ", ");
    add_member(t, "rtol", s->rtol, ", ");
  }
  text_append(t, "\"accuracy\": {");
  add_member(t, "position", s->accuracy.position, ", ");
  add_member(t, "rotation", s->accuracy.rotation, ", ");
  add_member(t, "velocity", s->accuracy.velocity, "}, ");
  text_printf(t, "\"max_iterations\": %d, \"max_halvings\": %d, \"linear_solver\": ",
              s->max_iterations, s->max_halvings);
  text_json_string(t, simulation->linear_solver ? simulation->linear_solver : "klu");
  text_append(t, "},\n");
}

static void add_counters(text *t, const torsor_counters *counters) {
  add_count(t, "steps", counters->steps);
  add_count(t, "rejected_steps", counters->rejected_steps);
  add_count(t, "newton_iterations", counters->newton_iterations);
  add_count(t, "factorizations", counters->factorizations);
  add_count(t, "residual_evaluations", counters->residual_evaluations);
  add_number(t, "smallest_step", counters->smallest_step);
  add_number(t, "largest_step", counters->largest_step);
}

static void add_signals(text *t, const torsor_signals *signals) {
  const int count = signals ? torsor_signals_count(signals) : 0;
  text_append(t, "  \"signals\": [");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ",\n    {\"signal\": " : "\n    {\"signal\": ");
    text_json_string(t, torsor_signals_name(signals, i));
    text_append(t, ", \"unit\": ");
    text_json_string(t, torsor_signals_unit(signals, i));
    text_append(t, "}");
  }
  text_append(t, "],\n");
}

static void add_events(text *t, const torsor_occurrence *events, int count) {
  text_append(t, "  \"events\": [");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    text_json_string(t, events[i].event->name);
    text_append(t, ", ");
    add_member(t, "t", events[i].t, ", ");
    text_printf(t, "\"direction\": \"%s\"}", events[i].rising ? "rising" : "falling");
  }
  text_append(t, "],\n");
}

torsor_status torsor_summary_text(char **out, const torsor_summary *summary,
                                  const torsor_result_info *info, torsor_error *error) {
  text t = {0};
  text_append(&t, "{\n");
  add_string(&t, "status", torsor_status_name(summary->status));
  add_string(&t, "message", info->message ? info->message : torsor_status_text(summary->status));
  add_string(&t, "version", torsor_version());
  add_string(&t, "scene", info->scene);
  add_string(&t, "title", info->title);
  add_string(&t, "scene_hash", info->hash);
  add_settings(&t, info->simulation);
  add_number(&t, "t", summary->t);
  add_counters(&t, &summary->counters);
  add_number(&t, "cpu_seconds", summary->cpu_seconds);
  add_number(&t, "wall_seconds", summary->wall_seconds);
  add_number(&t, "setup_seconds", summary->setup_seconds);
  add_number(&t, "max_phi", summary->max_phi);
  add_number(&t, "max_phi_velocity", summary->max_phi_velocity);
  add_number(&t, "moved_position", summary->moved_position);
  add_number(&t, "moved_velocity", summary->moved_velocity);
  add_signals(&t, info->signals);
  add_events(&t, info->events, info->event_count);
  text_append(&t, "  \"energy\": {");
  add_member(&t, "initial", summary->energy_initial, ", ");
  add_member(&t, "final", summary->energy_final, ", ");
  add_member(&t, "max_drift", summary->energy_max_drift, ", ");
  add_member(&t, "supplied", summary->energy_supplied, ", ");
  add_member(&t, "dissipated", summary->energy_dissipated, ", ");
  add_member(&t, "max_balance", summary->energy_max_balance, "}\n}\n");
  *out = text_take(&t);
  return *out ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status torsor_summary_write(const char *file, const torsor_summary *summary,
                                   const torsor_result_info *info, torsor_error *error) {
  char *document = NULL;
  torsor_status status = torsor_summary_text(&document, summary, info, error);
  if (status == TORSOR_OK) status = file_replace(file, document, strlen(document), error);
  torsor_text_free(document);
  return status;
}
