/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "cli/results.h"

/* The text about an event. */
enum { EVENT_ROOM = 160 };

static void print_for_people(text *t, const results *r, const torsor_summary *s) {
  const torsor_counters *c = &s->counters;
  const double steps = c->steps > 0 ? (double)c->steps : 1;
  text_printf(t, "%s: %s\n", torsor_scene_name(r->session->scene),
              s->status == TORSOR_OK ? "done" : torsor_status_text(s->status));
  text_printf(t, "  time reached       %.9g s\n", s->t);
  text_printf(t, "  steps              %ld, %ld rejected\n", c->steps, c->rejected_steps);
  if (c->smallest_step < 0.999 * c->largest_step)
    text_printf(t, "  step sizes         %.3g s to %.3g s\n", c->smallest_step, c->largest_step);
  text_printf(t, "  Newton iterations  %ld, %.2f per step\n", c->newton_iterations,
              (double)c->newton_iterations / steps);
  text_printf(t, "  CPU time           %.3g s, %.3g us per step\n", s->cpu_seconds,
              1e6 * s->cpu_seconds / steps);
  text_printf(t, "  max |phi|          %.3g\n", s->max_phi);
  text_printf(t, "  energy %s      %.3g J of %.6g J\n", s->energy_exchanged ? "change" : "drift ",
              s->energy_max_drift, s->energy_initial);
  if (s->energy_exchanged && isfinite(s->energy_max_balance))
    text_printf(t, "  energy balance     off by %.3g J (%.3g J supplied, %.3g J dissipated)\n",
                s->energy_max_balance, s->energy_supplied, s->energy_dissipated);
  if (s->events) text_printf(t, "  events             %ld\n", s->events);
  if (s->stopped_by) text_printf(t, "  stopped by         \"%s\"\n", s->stopped_by->name);
  text_printf(t, "  results            %s/\n", r->folder);
}

static torsor_status run_scene(results *r, session *s, const results_options *options,
                               torsor_error *error) {
  const cli *common = &options->common;
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (status == TORSOR_OK) status = results_open(r, options, s, false, error);
  if (status != TORSOR_OK) return status;
  cli_note(common, "%s: set up in %.3g s", torsor_scene_name(s->scene), s->setup_seconds);
  torsor_summary summary = {0};
  const torsor_hooks hooks = results_hooks(r, "t", "s");
  status = torsor_simulate(&summary, s->model, torsor_scene_simulation(s->scene), s->signals,
                           &hooks, error);
  status = results_end(r, status, error);
  summary.status = status;
  summary.setup_seconds += s->setup_seconds;
  text answer = {0};
  char *document = NULL;
  torsor_result_info info = results_info(r, status, error);
  char stopped[EVENT_ROOM];
  if (summary.stopped_by && status == TORSOR_OK) {
    snprintf(stopped, sizeof stopped, "stopped by event \"%s\" at t = %.9g s",
             summary.stopped_by->name, summary.t);
    info.message = stopped;
  }
  torsor_summary_text(&document, &summary, &info, NULL);
  print_for_people(&answer, r, &summary);
  return results_finish(r, status, summary.t, document, &answer, error);
}

static const struct argp argp = {
    .options = results_option,
    .parser = results_parse,
    .args_doc = "SCENE",
    .doc = "Simulate SCENE and write trajectory.csv and summary.json.\v"
           "An interrupt (SIGINT) finishes the step and writes what there is; a second one ends "
           "at once.",
    .children = cli_children};

static int act(int argc, char **argv) {
  return results_act(argc, argv, &argp, "t", "s", run_scene);
}

const cli_verb verb_run = {.name = "run",
                           .arguments = "SCENE [-o DIR]",
                           .title = "simulate a scene and write its results",
                           .argp = &argp,
                           .act = act};
