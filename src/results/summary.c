/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "results/file.h"
#include "results/settings.h"

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

static void add_settings(text *t, const torsor_simulation *simulation) {
  add_string(t, "method", simulation->settings.method);
  text_append(t, "  \"settings\": ");
  settings_of_simulation(t, simulation);
  text_append(t, ",\n");
}

/* "auto": how often the method changed, and how many of the steps were implicit. */
static void add_changes(text *t, const torsor_simulation *s, const torsor_counters *counters) {
  if (!torsor_method_needs_accuracy(s->settings.method)) return;
  add_count(t, "method_changes", counters->method_changes);
  add_count(t, "implicit_steps", counters->implicit_steps);
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
    text_json_string(t, torsor_signals_shown_unit(signals, i));
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
    settings_add_member(t, "t", events[i].t, ", ");
    text_printf(t, "\"direction\": \"%s\"", events[i].rising ? "rising" : "falling");
    if (isfinite(events[i].lost)) {
      text_append(t, ", ");
      settings_add_member(t, "energy_lost", events[i].lost, "");
    }
    text_append(t, "}");
  }
  text_append(t, "],\n");
}

static void add_head(text *t, torsor_status status, const torsor_result_info *info) {
  text_append(t, "{\n");
  add_string(t, "status", torsor_status_name(status));
  add_string(t, "message", info->message ? info->message : torsor_status_text(status));
  add_string(t, "version", torsor_version());
  add_string(t, "scene", info->scene);
  add_string(t, "title", info->title);
  add_string(t, "scene_hash", info->hash);
}

/* s; nothing where nothing was timed. */
static void add_profile(text *t, const torsor_timing *p) {
  if (!p) return;
  text_append(t, "  \"profile\": {");
  settings_add_member(t, "loop", 1e-9 * (double)p->loop, ", ");
  text_printf(t, "\"steps\": %ld, ", p->steps);
  settings_add_member(t, "reading", 1e-9 * (double)p->reading, ",\n    ");
  for (int i = 0; i < TORSOR_PHASES; ++i) {
    text_printf(t, "\"%s\": {", torsor_phase_name((torsor_phase)i));
    settings_add_member(t, "seconds", 1e-9 * (double)p->time[i], ", ");
    text_printf(t, "\"calls\": %ld},\n    ", p->calls[i]);
  }
  text_append(t, "\"rest\": {");
  settings_add_member(t, "seconds", 1e-9 * (double)torsor_timing_rest(p), "}},\n");
}

static void add_verified(text *t, const torsor_result_info *info) {
  if (!info->verified_by) return;
  text_append(t, "  \"verified\": {\"by\": ");
  text_json_string(t, info->verified_by);
  text_append(t, ", \"signals\": [");
  for (int i = 0; i < info->verified_count; ++i) {
    const torsor_verified_signal *s = &info->verified[i];
    text_append(t, i ? ",\n    {\"signal\": " : "\n    {\"signal\": ");
    text_json_string(t, s->signal);
    text_append(t, ", ");
    settings_add_member(t, "error", s->error, ", ");
    settings_add_member(t, "at", s->at, ", ");
    settings_add_member(t, "largest", s->largest, "}");
  }
  text_append(t, "]},\n");
}

static void add_statistics(text *t, const torsor_result_info *info) {
  if (!info->statistics) return;
  text_append(t, "  \"statistics\": [");
  for (int i = 0; i < info->statistics; ++i) {
    const torsor_statistic *s = &info->statistic[i];
    text_append(t, i ? ",\n    {\"signal\": " : "\n    {\"signal\": ");
    text_json_string(t, s->signal);
    text_append(t, ", ");
    settings_add_member(t, "min", s->min, ", ");
    settings_add_member(t, "t_min", s->t_min, ", ");
    settings_add_member(t, "max", s->max, ", ");
    settings_add_member(t, "t_max", s->t_max, ", ");
    settings_add_member(t, "mean", s->mean, ", ");
    settings_add_member(t, "rms", s->rms, ", ");
    settings_add_member(t, "final", s->final, "}");
  }
  text_append(t, "],\n");
}

torsor_status torsor_summary_text(char **out, const torsor_summary *summary,
                                  const torsor_result_info *info, torsor_error *error) {
  text t = {0};
  add_head(&t, summary->status, info);
  add_settings(&t, info->simulation);
  add_number(&t, "t", summary->t);
  add_counters(&t, &summary->counters);
  add_changes(&t, info->simulation, &summary->counters);
  add_number(&t, "cpu_seconds", summary->cpu_seconds);
  add_number(&t, "wall_seconds", summary->wall_seconds);
  add_number(&t, "setup_seconds", summary->setup_seconds);
  add_profile(&t, info->timing);
  add_number(&t, "max_phi", summary->max_phi);
  add_number(&t, "max_phi_velocity", summary->max_phi_velocity);
  add_number(&t, "error_estimate", summary->error_estimate);
  add_verified(&t, info);
  add_number(&t, "moved_position", summary->moved_position);
  add_number(&t, "moved_velocity", summary->moved_velocity);
  add_signals(&t, info->signals);
  add_statistics(&t, info);
  settings_add_warnings(&t, info);
  add_events(&t, info->events, info->event_count);
  text_append(&t, "  \"energy\": {");
  settings_add_member(&t, "initial", summary->energy_initial, ", ");
  settings_add_member(&t, "final", summary->energy_final, ", ");
  settings_add_member(&t, "max_drift", summary->energy_max_drift, ", ");
  settings_add_member(&t, "supplied", summary->energy_supplied, ", ");
  settings_add_member(&t, "dissipated", summary->energy_dissipated, ", ");
  settings_add_member(&t, "max_balance", summary->energy_max_balance, "}\n}\n");
  return text_finish(out, &t, error);
}

static void add_statics(text *t, const torsor_statics *s, const torsor_simulation *simulation) {
  add_string(t, "analysis", "statics");
  add_string(t, "method", settings_statics_method(s));
  text_append(t, "  \"settings\": ");
  settings_of_statics(t, s, simulation);
  text_append(t, ",\n");
}

static void add_critical(text *t, const torsor_statics_summary *summary) {
  text_append(t, "  \"critical\": [");
  for (int i = 0; i < summary->critical_count && i < TORSOR_CRITICAL_POINTS; ++i) {
    const torsor_critical_point *c = &summary->critical[i];
    text_printf(t, "%s{\"kind\": \"%s\", ", i ? ", " : "", c->limit ? "limit" : "bifurcation");
    settings_add_member(t, "load", c->load, ", ");
    text_printf(t, "\"directions\": %d, \"row\": %ld}", c->directions, c->row);
  }
  text_append(t, "],\n  \"buckling\": [");
  for (int i = 0; i < summary->buckling_count; ++i) {
    text_append(t, i ? ", " : "");
    text_json_number(t, summary->buckling[i]);
  }
  text_append(t, "],\n");
}

torsor_status torsor_statics_summary_text(char **out, const torsor_statics_summary *summary,
                                          const torsor_statics *statics,
                                          const torsor_result_info *info, torsor_error *error) {
  text t = {0};
  add_head(&t, summary->status, info);
  add_statics(&t, statics, info->simulation);
  add_number(&t, "load", summary->load);
  add_count(&t, "rows", summary->rows);
  add_counters(&t, &summary->counters);
  add_number(&t, "cpu_seconds", summary->cpu_seconds);
  add_number(&t, "wall_seconds", summary->wall_seconds);
  add_number(&t, "setup_seconds", summary->setup_seconds);
  add_profile(&t, info->timing);
  add_number(&t, "max_phi", summary->max_phi);
  add_number(&t, "moved_position", summary->moved_position);
  add_number(&t, "pivot_ratio", summary->pivot_ratio);
  add_count(&t, "unstable", summary->unstable);
  add_count(&t, "tangent_sign", summary->tangent_sign);
  add_critical(&t, summary);
  add_signals(&t, info->signals);
  settings_add_warnings(&t, info);
  text_append(&t, "  \"energy\": {");
  settings_add_member(&t, "initial", summary->energy_initial, ", ");
  settings_add_member(&t, "final", summary->energy_final, "}\n}\n");
  return text_finish(out, &t, error);
}

torsor_status torsor_summary_write(const char *file, const torsor_summary *summary,
                                   const torsor_result_info *info, torsor_error *error) {
  char *document = NULL;
  torsor_status status = torsor_summary_text(&document, summary, info, error);
  if (status == TORSOR_OK) status = file_replace(file, document, strlen(document), error);
  torsor_text_free(document);
  return status;
}
