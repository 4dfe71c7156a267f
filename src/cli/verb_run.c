/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cli/profile.h"
#include "cli/results.h"
#include "cli/statistics.h"
#include "cli/verify_error.h"

/* The text about an event. */
enum { EVENT_ROOM = 160 };

static void print_for_people(text *t, const results *r, const torsor_summary *s) {
  const torsor_counters *c = &s->counters;
  const double steps = c->steps > 0 ? (double)c->steps : 1;
  text_printf(t, "%s: %s\n", results_name(r),
              s->status == TORSOR_OK ? "done" : torsor_status_text(s->status));
  text_printf(t, "  time reached       %.9g s\n", s->t);
  text_printf(t, "  steps              %ld, %ld rejected\n", c->steps, c->rejected_steps);
  const torsor_accuracy *a = &torsor_scene_simulation(r->session->scene)->settings.accuracy;
  if (torsor_accuracy_is_set(a))
    text_printf(t, "  accuracy           %.3g m/s, %.3g rad/s\n", a->position, a->rotation);
  if (c->smallest_step < 0.999 * c->largest_step)
    text_printf(t, "  step sizes         %.3g s to %.3g s\n", c->smallest_step, c->largest_step);
  text_printf(t, "  Newton iterations  %ld, %.2f per step\n", c->newton_iterations,
              (double)c->newton_iterations / steps);
  text_printf(t, "  CPU time           %.3g s, %.3g us per step\n", s->cpu_seconds,
              1e6 * s->cpu_seconds / steps);
  if (isfinite(s->error_estimate))
    text_printf(t, "  error estimate     %.2g %% of the motion\n", 100 * s->error_estimate);
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

/* A scene without a step receives one by trial runs: what is written can be run again as it is. */
static torsor_status choose_steps(torsor_choice *choice, session *s, const cli *common,
                                  torsor_error *error) {
  const torsor_simulation *asked = torsor_scene_simulation(s->scene);
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .threads = common->threads};
  torsor_simulation chosen;
  torsor_status status = session_locate(
      s, torsor_choose_steps(&chosen, choice, s->model, asked, &hooks, error), error);
  if (choice->trials)
    cli_note(common, "%s: %d trial runs of %ld steps", torsor_scene_name(s->scene), choice->trials,
             choice->steps);
  return status ? status : torsor_scene_settle_steps(s->scene, &chosen, error);
}

/* Opens the results of a new run or of a continued one. */
static torsor_status open_results(results *r, session *s, torsor_choice *choice,
                                  const results_options *options, torsor_error *error) {
  const cli *common = &options->common;
  torsor_status status = TORSOR_OK;
  if (options->resume) {
    status = session_open_types(s, common, error);
    if (!status) status = results_resume(r, options, s, error);
  } else {
    status = session_open(s, common, common->argument[0], error);
    if (!status) status = choose_steps(choice, s, common, error);
    if (!status) status = session_differentiate(s, error);
    if (!status) status = results_open(r, options, s, false, error);
  }
  if (status) return status;
  const double asked = options->checkpoint;
  return results_checkpoints(r, asked >= 0 ? asked : torsor_scene_checkpoint(s->scene), error);
}

static torsor_status simulate(torsor_summary *summary, results *r, const session *s,
                              const torsor_hooks *hooks, torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  const checkpoint *from = &r->checkpoints.from;
  if (!from->state) return torsor_simulate(summary, s->model, simulation, s->signals, hooks, error);
  cli_note(r->common, "%s: goes on from t = %.9g s", results_name(r), from->t);
  return torsor_simulate_on(summary, s->model, simulation, s->signals, hooks, from->state,
                            from->size, error);
}

/* The results stand, but nothing is known of their errors. */
static torsor_status unverified(const torsor_error *late, torsor_error *error) {
  torsor_fail(error, late->status, "the second run that was to show the errors failed: %.400s",
              late->message);
  torsor_hint(error, "%.200s", late->hint);
  return late->status;
}

static torsor_status run_scene(results *r, session *s, const results_options *options,
                               torsor_error *error) {
  const cli *common = &options->common;
  torsor_choice choice = {.error = nan("")};
  torsor_status status = open_results(r, s, &choice, options, error);
  if (status != TORSOR_OK) return status;
  cli_note(common, "%s: set up in %.3g s", results_name(r), s->setup_seconds);
  torsor_summary summary = {0};
  torsor_timing timing = {0};
  torsor_hooks hooks = results_hooks(r, "t", "s");
  if (options->profile) hooks.timing = &timing;
  torsor_choice_tell(&choice, torsor_scene_simulation(s->scene), s->model, &hooks);
  status = simulate(&summary, r, s, &hooks, error);
  status = results_end(r, status, error);
  verified_error verified = {0};
  torsor_error late = {0};
  const torsor_status verifying = !status && options->verify
                                      ? verify_error_find(&verified, s, r->folder, common, &late)
                                      : TORSOR_OK;
  summary.status = status;
  summary.setup_seconds += s->setup_seconds;
  if (isfinite(choice.error)) summary.error_estimate = choice.error;
  text answer = {0};
  char *document = NULL;
  torsor_result_info info = results_info(r, status, error);
  info.timing = hooks.timing;
  info.verified = verified.signal;
  info.verified_count = verified.count;
  info.verified_by = verified.by;
  char stopped[EVENT_ROOM];
  if (summary.stopped_by && status == TORSOR_OK) {
    snprintf(stopped, sizeof stopped, "stopped by event \"%s\" at t = %.9g s",
             summary.stopped_by->name, summary.t);
    info.message = stopped;
  }
  statistics chosen = {0};
  if (!status) status = statistics_find(&chosen, s->scene, r->trajectory, error);
  info.statistic = chosen.item;
  info.statistics = chosen.count;
  torsor_summary_text(&document, &summary, &info, NULL);
  statistics_release(&chosen);
  print_for_people(&answer, r, &summary);
  verify_error_print(&answer, &verified);
  verify_error_release(&verified);
  if (options->profile) profile_print(&answer, &timing, "time loop");
  status = results_finish(r, status, summary.t, document, &answer, error);
  return status || !verifying ? status : unverified(&late, error);
}

enum { OPTION_RESUME = 896, OPTION_CHECKPOINT, OPTION_VERIFY, OPTION_SENSITIVITIES };

static const struct argp_option run_options[] = {
    RESULTS_OPTIONS,
    {"resume", OPTION_RESUME, "DIR", 0,
     "Go on from the checkpoint that a run left in DIR, there or in the folder of -o", 0},
    {"checkpoint", OPTION_CHECKPOINT, "SECONDS", 0,
     "Wall time between two checkpoints, 0 for none (default: what the scene says, or 60)", 0},
    {"sensitivities", OPTION_SENSITIVITIES, "NAME,..", 0,
     "Write the derivatives of all signals by these parameters or numbers of the scene, too", 0},
    {"verify-error", OPTION_VERIFY, NULL, 0,
     "Run a second time with half the step or, under error control, half the tolerances, and show "
     "the "
     "errors of all signals by the difference",
     0},
    {0}};

/* Makes "m,bodies[0].mass" the scene's list of sensitivities, as --set does. */
static error_t set_sensitivities(results_options *options, const char *names,
                                 struct argp_state *state) {
  text set = {0};
  if (options->sensitivities) argp_error(state, "--sensitivities is given twice");
  text_append(&set, "sensitivities=[\"");
  for (const char *c = names; *c; ++c)
    text_printf(&set, *c == ',' ? "\", \"" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  text_append(&set, "\"]");
  options->sensitivities = text_take(&set);
  if (!options->sensitivities) return ENOMEM;
  options->common.set[options->common.set_count++] = options->sensitivities;
  return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  results_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    options->checkpoint = -1;
    return results_parse(key, argument, state);
  case OPTION_RESUME:
    options->resume = argument;
    return 0;
  case OPTION_VERIFY:
    options->verify = true;
    return 0;
  case OPTION_SENSITIVITIES:
    return set_sensitivities(options, argument, state);
  case OPTION_CHECKPOINT:
    if (!cli_number(&options->checkpoint, argument) || !(options->checkpoint >= 0))
      argp_error(state, "--checkpoint takes seconds, 0 for none, not \"%s\"", argument);
    return 0;
  default:
    return results_parse(key, argument, state);
  }
}

static const struct argp argp = {
    .options = run_options,
    .parser = parse,
    .args_doc = "SCENE\n--resume DIR",
    .doc =
        "Simulate SCENE and write trajectory.csv, summary.json, scene.json and checkpoint; or go "
        "on with a run that was ended.\v"
        "An interrupt (SIGINT, SIGTERM) finishes the step and writes what there is; a second one, "
        "and any before the first step is done, ends at once.  A run that goes on leaves the bytes "
        "that it would have left without "
        "the break; of the scene only simulation.duration can be changed.",
    .children = cli_children};

static int act(int argc, char **argv) {
  return results_act(argc, argv, &argp, "t", "s", run_scene);
}

const cli_verb verb_run = {.name = "run",
                           .arguments = "SCENE [-o DIR] | --resume DIR",
                           .title = "simulate a scene and write its results",
                           .argp = &argp,
                           .act = act};
