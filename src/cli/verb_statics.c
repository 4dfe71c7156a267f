/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/profile.h"
#include "cli/results.h"

#include <stdio.h>
#include <stdlib.h>

static void print_critical(text *t, const torsor_statics_summary *s) {
  for (int i = 0; i < s->critical_count && i < TORSOR_CRITICAL_POINTS; ++i) {
    const torsor_critical_point *c = &s->critical[i];
    text_printf(t, "  %-18s load %.12g", c->limit ? "limit point" : "bifurcation", c->load);
    if (abs(c->directions) > 1) text_printf(t, ", of %d directions at once", abs(c->directions));
    text_append(t, "\n");
  }
  if (!s->buckling_count) return;
  text_append(t, "  buckling loads     ");
  for (int i = 0; i < s->buckling_count; ++i)
    text_printf(t, "%s%.6g", i ? ", " : "", s->buckling[i]);
  text_append(t, "\n");
}

static void print_for_people(text *t, const results *r, const torsor_statics_summary *s) {
  const torsor_counters *c = &s->counters;
  char stability[80] = "not known";
  if (s->unstable == 0) snprintf(stability, sizeof stability, "stable");
  if (s->unstable > 0)
    snprintf(stability, sizeof stability, "unstable in %d direction%s", s->unstable,
             s->unstable > 1 ? "s" : "");
  text_printf(t, "%s: %s\n", torsor_scene_name(r->session->scene),
              s->status == TORSOR_OK ? "done" : torsor_status_text(s->status));
  text_printf(t, "  load reached       %.9g\n", s->load);
  text_printf(t, "  steps              %ld, %ld rejected\n", c->steps, c->rejected_steps);
  text_printf(t, "  Newton iterations  %ld, %.2f per step\n", c->newton_iterations,
              (double)c->newton_iterations / (double)(c->steps > 0 ? c->steps : 1));
  text_printf(t, "  CPU time           %.3g s\n", s->cpu_seconds);
  text_printf(t, "  max |phi|          %.3g\n", s->max_phi);
  text_printf(t, "  energy             %.6g J\n", s->energy_final);
  text_printf(t, "  stability          %s\n", stability);
  print_critical(t, s);
  text_printf(t, "  results            %s/\n", r->folder);
}

static torsor_status run_statics(results *r, session *s, const results_options *options,
                                 torsor_error *error) {
  const cli *common = &options->common;
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (status == TORSOR_OK) status = results_open(r, options, s, true, error);
  if (status != TORSOR_OK) return status;
  torsor_statics_summary summary = {0};
  const torsor_statics *settings = torsor_scene_statics(s->scene);
  torsor_timing timing = {0};
  torsor_hooks hooks = results_hooks(r, "load", "");
  if (options->profile) hooks.timing = &timing;
  status = torsor_statics_run(&summary, s->model, settings,
                              torsor_scene_simulation(s->scene)->linear_solver, s->signals, &hooks,
                              error);
  status = results_end(r, status, error);
  summary.status = status;
  summary.setup_seconds += s->setup_seconds;
  text answer = {0};
  char *document = NULL;
  torsor_result_info info = results_info(r, status, error);
  info.timing = hooks.timing;
  torsor_statics_summary_text(&document, &summary, settings, &info, NULL);
  print_for_people(&answer, r, &summary);
  if (options->profile) profile_print(&answer, &timing, "path");
  return results_finish(r, status, summary.load, document, &answer, error);
}

static const struct argp_option options[] = {RESULTS_OPTIONS, {0}};

static const struct argp argp = {
    .options = options,
    .parser = results_parse,
    .args_doc = "SCENE",
    .doc = "Find the equilibrium of SCENE at rest while its loads grow from 0, and write "
           "trajectory.csv, a row for each load, and summary.json.\v"
           "What grows, how far, and whether the path goes on beyond limit points is said under "
           "\"statics\" in the scene.  An interrupt (SIGINT, SIGTERM) finishes the step and writes "
           "what there is; a second one, and any before the first step is done, ends at once.",
    .children = cli_children};

static int act(int argc, char **argv) {
  return results_act(argc, argv, &argp, "load", "", run_statics);
}

const cli_verb verb_statics = {.name = "statics",
                               .arguments = "SCENE [-o DIR]",
                               .title = "equilibrium under the loads of a scene, step by step",
                               .argp = &argp,
                               .act = act};
