/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/compare.h"
#include "cli/converge_problem.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/reference.h"
#include "cli/session.h"

typedef struct converge_options {
  cli common;
  char *steps;
  const char *reference; /* file or "fine"; NULL = the shipped one, else fine */
  convergence_files files;
  problem_run problem; /* a test problem instead of a scene */
} converge_options;

typedef struct converge {
  const converge_options *options;
  session session;
  convergence table;
  torsor_table reference, common; /* as read or computed; its part that the runs have too */
  char *shipped;                  /* file name of the shipped reference */
  inputs read;                    /* which the tables must not replace */
} converge;

enum {
  OPTION_STEPS = 512,
  OPTION_REFERENCE,
  OPTION_CSV,
  OPTION_COLUMNS,
  OPTION_PROBLEM,
  OPTION_PARTS,
  OPTION_FROM
};

/* The fine run's step is the smallest step divided by this: a method of order p leaves 8^-p of the
 * smallest step's error in the reference, 1.6 % at order 2. */
enum { FINE = 8 };

/* ---- steps -------------------------------------------------------------------------------- */

/* Output times that do not go by steps stay. */
static torsor_status with_output_step(torsor_simulation *s, double step, torsor_error *error) {
  if (convergence_whole_quotient(s->duration, step) < 1)
    return torsor_fail(error, TORSOR_ARGUMENT, "the step %.9g does not divide the duration %.9g s",
                       step, s->duration);
  s->settings.step = step;
  s->interpolate = convergence_whole_quotient(s->output_step, step) < 1;
  return TORSOR_OK;
}

/* The scene's simulation with another step and the same output times. */
static torsor_status with_step(torsor_simulation *out, const converge *s, double step,
                               torsor_error *error) {
  const torsor_simulation *asked = torsor_scene_simulation(s->session.scene);
  /* rows of a scene without a step are those that a run would have */
  *out = asked->settings.step == 0 ? torsor_simulation_chosen(asked) : *asked;
  if (out->output_step > 0) return with_output_step(out, step, error);
  const double spacing = out->settings.step * out->every;
  const double every = convergence_whole_quotient(spacing, step);
  if (!(every >= 1 && every <= INT_MAX) || convergence_whole_quotient(out->duration, step) < 1) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "the step %.9g does not divide the output spacing %.9g s and the duration %.9g s",
                step, spacing, out->duration);
    torsor_hint(error, "choose other steps, or --set output.every=N, so that all of them have the "
                       "same output times");
    return TORSOR_ARGUMENT;
  }
  out->settings.step = step;
  out->every = (int)every;
  return TORSOR_OK;
}

static torsor_status check_steps(const converge *s, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  torsor_simulation ignored;
  for (int i = 0; i < s->table.steps && status == TORSOR_OK; ++i)
    status = with_step(&ignored, s, s->table.step[i], error);
  return status;
}

/* ---- reference ---------------------------------------------------------------------------- */

static torsor_status run_fine(converge *s, torsor_error *error) {
  double step = s->table.step[0];
  for (int i = 1; i < s->table.steps; ++i) step = fmin(step, s->table.step[i]);
  torsor_simulation simulation;
  torsor_status status = with_step(&simulation, s, step / FINE, error);
  if (status != TORSOR_OK) return status;
  s->table.reference = "fine";
  cli_note(&s->options->common, "reference: the scene at the step %.9g", step / FINE);
  torsor_summary summary;
  return session_record(&s->reference, &summary, &s->session, &simulation, &s->options->common,
                        error);
}

/* Changes of anything but the simulation and its output make another problem. */
static bool is_same_problem(const cli *common) {
  for (int i = 0; i < common->set_count; ++i)
    if (strncmp(common->set[i], "simulation.", 11) != 0 &&
        strncmp(common->set[i], "output.", 7) != 0)
      return false;
  return true;
}

/* ../reference/NAME.json seen from the scene's folder, as the shipped scenes have it. */
static torsor_status find_shipped(converge *s, torsor_error *error) {
  const char *scene = s->options->common.argument[0];
  const char *slash = strrchr(scene, '/');
  const int folder = slash ? (int)(slash - scene) + 1 : 0;
  char *file = path_format(error, "%.*s../reference/%s.json", folder, scene,
                           torsor_scene_name(s->session.scene));
  if (!file) return TORSOR_MEMORY;
  if (file_exists(file) && is_same_problem(&s->options->common))
    s->shipped = file;
  else
    free(file);
  return TORSOR_OK;
}

static torsor_status open_reference(converge *s, torsor_error *error) {
  const char *name = s->options->reference;
  if (!name) {
    const torsor_status status = find_shipped(s, error);
    if (status != TORSOR_OK) return status;
    name = s->shipped ? s->shipped : "fine";
  }
  if (strcmp(name, "fine") == 0) return run_fine(s, error);
  s->table.reference = name;
  torsor_reference sidecar;
  torsor_status status = reference_read(&s->reference, &sidecar, name, error);
  if (!status) status = inputs_add_result(&s->read, name, error);
  if (!status && sidecar.data[0]) status = inputs_add(&s->read, sidecar.data, error);
  torsor_reference_destroy(&sidecar);
  return status;
}

/* Times and signals that the reference and a run have in common. */
static torsor_status cut_reference(converge *s, const torsor_table *result, torsor_error *error) {
  const torsor_table *all = &s->reference;
  torsor_table *out = &s->common;
  int *kept = calloc((size_t)all->columns + 1, sizeof *kept);
  out->name = calloc((size_t)all->columns + 1, sizeof *out->name);
  out->value = calloc((size_t)all->rows * (size_t)all->columns + 1, sizeof *out->value);
  bool good = kept && out->name && out->value;
  for (int j = 0; j < all->columns && good; ++j) {
    if (table_find_column(result, all->name[j]) < 0) continue;
    kept[out->columns] = j;
    out->name[out->columns] = strdup(all->name[j]);
    good = out->name[out->columns] != NULL;
    out->columns += good;
  }
  double *value = out->value;
  for (int i = 0; i < all->rows && good; ++i) {
    const double *row = all->value + (size_t)i * (size_t)all->columns;
    if (table_find_time(result, row[0]) < 0) continue;
    for (int j = 0; j < out->columns; ++j) *value++ = row[kept[j]];
    out->rows += 1;
  }
  free(kept);
  if (!good) return convergence_memory_short(error);
  if (out->rows > 0 && out->columns > 1) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "the reference %s has no %s in common with the scene",
                     s->table.reference, out->rows > 0 ? "signal" : "output time");
}

/* ---- errors ------------------------------------------------------------------------------- */

static torsor_status name_signals(converge *s, const torsor_difference *differences, int count,
                                  torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count && status == TORSOR_OK; ++i)
    status = convergence_add_signal(&s->table, differences[i].signal, error);
  return status;
}

static torsor_status measure(converge *s, int step, const torsor_table *result,
                             torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (s->common.columns == 0) status = cut_reference(s, result, error);
  torsor_difference *differences = NULL;
  int count = 0;
  const torsor_tolerance none = {0};
  if (status == TORSOR_OK)
    status =
        torsor_compare(&differences, &count, result, &s->common, NULL, 0, NULL, 0, &none, error);
  if (status == TORSOR_OK && !s->table.signal) status = name_signals(s, differences, count, error);
  for (int i = 0; i < count && status == TORSOR_OK; ++i)
    s->table.signal[i].error[step] = differences[i].max_error;
  free(differences);
  return status;
}

/* A step at which the computation cannot go on has no error; the others still have one. */
static torsor_status run_step(converge *s, int k, torsor_error *error) {
  torsor_simulation simulation;
  torsor_status status = with_step(&simulation, s, s->table.step[k], error);
  if (status != TORSOR_OK) return status;
  const cli *common = &s->options->common;
  torsor_table result = {0};
  torsor_summary summary = {0};
  status = session_record(&result, &summary, &s->session, &simulation, common, error);
  s->table.cpu_seconds[k] = summary.cpu_seconds;
  if (status == TORSOR_OK) {
    status = measure(s, k, &result, error);
  } else if (cli_exit_code(status) == EXIT_COMPUTATION && s->table.steps > 1) {
    cli_warn(common, "step %.9g: %s", s->table.step[k], error->message);
    *error = (torsor_error){0};
    status = TORSOR_OK;
  }
  torsor_table_destroy(&result);
  return status;
}

/* A scene or a test problem, not both. */
static torsor_status check_arguments(const converge_options *options, torsor_error *error) {
  const int scenes = options->common.argument_count;
  const problem_run *problem = &options->problem;
  if (!problem->name && (problem->parts || problem->from > 0))
    return torsor_fail(error, TORSOR_ARGUMENT, "--%s is for test problems: --problem NAME",
                       problem->parts ? "parts" : "from");
  if (!problem->name && scenes) return TORSOR_OK;
  if (!problem->name) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "the command needs one more argument: a scene, or --problem NAME");
    torsor_hint(error, "usage: torsor converge SCENE --steps H1,H2,...");
    return TORSOR_ARGUMENT;
  }
  if (scenes)
    return torsor_fail(error, TORSOR_ARGUMENT, "--problem %s takes no scene", problem->name);
  if (options->reference)
    return torsor_fail(error, TORSOR_ARGUMENT, "--problem %s has a solution: no --reference",
                       problem->name);
  return TORSOR_OK;
}

/* The tables replace neither what is read nor each other. */
static torsor_status check_outputs(const converge *s, torsor_error *error) {
  const convergence_files *files = &s->options->files;
  torsor_status status = files->rows ? inputs_check(&s->read, files->rows, error) : TORSOR_OK;
  if (!status && files->columns) status = inputs_check(&s->read, files->columns, error);
  if (!status && files->rows && files->columns && !strcmp(files->rows, files->columns))
    status = torsor_fail(error, TORSOR_ARGUMENT, "--csv and --columns name the same file: \"%s\"",
                         files->rows);
  return status;
}

static torsor_status converge_scene(converge *s, torsor_error *error) {
  const cli *common = &s->options->common;
  torsor_status status = session_open(&s->session, common, common->argument[0], error);
  if (status == TORSOR_OK) status = inputs_add_scene(&s->read, &s->session, common, error);
  if (status == TORSOR_OK) status = check_outputs(s, error);
  if (status == TORSOR_OK) status = check_steps(s, error);
  if (status == TORSOR_OK) status = open_reference(s, error);
  if (status == TORSOR_OK) status = check_outputs(s, error);
  for (int k = 0; k < s->table.steps && status == TORSOR_OK; ++k) status = run_step(s, k, error);
  if (status == TORSOR_OK && !s->table.signal)
    status = torsor_fail(error, TORSOR_STEP, "the computation failed at every step size");
  return status;
}

static torsor_status run(converge *s, torsor_error *error) {
  const converge_options *options = s->options;
  torsor_status status = check_arguments(options, error);
  if (status == TORSOR_OK) status = convergence_read_steps(&s->table, options->steps, error);
  if (status == TORSOR_OK)
    status = options->problem.name
                 ? converge_problem(&s->table, &options->common, &options->problem, error)
                 : converge_scene(s, error);
  return status == TORSOR_OK
             ? convergence_print(&s->table, &options->common, &options->files, error)
             : status;
}

static void close_converge(converge *s) {
  session_close(&s->session);
  torsor_table_destroy(&s->reference);
  torsor_table_destroy(&s->common);
  convergence_release(&s->table);
  inputs_release(&s->read);
  free(s->shipped);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  converge_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case OPTION_STEPS:
    options->steps = argument;
    return 0;
  case OPTION_REFERENCE:
    options->reference = argument;
    return 0;
  case OPTION_PROBLEM:
    options->problem.name = argument;
    return 0;
  case OPTION_PARTS:
    options->problem.parts = argument;
    return 0;
  case OPTION_FROM:
    if (cli_number(&options->problem.from, argument) && options->problem.from >= 0) return 0;
    argp_error(state, "--from: \"%s\" is not a time", argument);
    return EINVAL;
  case OPTION_CSV:
    options->files.rows = argument;
    return 0;
  case OPTION_COLUMNS:
    options->files.columns = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"steps", OPTION_STEPS, "H1,H2,...", 0, "Step sizes, s; they divide the output spacing", 0},
    {"reference", OPTION_REFERENCE, "FILE|fine", 0,
     "Reference: a CSV file, a sidecar, or the scene itself at an eighth of the smallest step "
     "(default: ../reference/NAME.json beside the scene's folder if there is one, else fine)",
     0},
    {"problem", OPTION_PROBLEM, "NAME", 0,
     "Measure a test problem of the literature against its solution, in place of a scene "
     "(`torsor list problems`); --set simulation.KEY=VALUE sets method and parameters",
     0},
    {"parts", OPTION_PARTS, "P1,P2,...", 0,
     "Test problems: divide every step in these proportions (1,2: h/3, 2h/3), nothing is halved",
     0},
    {"from", OPTION_FROM, "T", 0, "Test problems: largest errors from T on, s", 0},
    {"csv", OPTION_CSV, "FILE", 0, "Write the table to FILE, too: a row per signal and step", 0},
    {"columns", OPTION_COLUMNS, "FILE", 0,
     "Write the errors to FILE, too: a row per step, a column per signal, for plotting", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "SCENE --steps H1,H2,...\n--problem NAME --steps H1,H2,...",
    .doc = "Simulate SCENE at several step sizes: the largest error of each signal over the "
           "times that it shares with the reference, and the orders observed between steps.\v"
           "The error is the norm over a signal's components; quaternions are compared up to "
           "sign. The shipped reference is not taken when --set changes the problem itself.",
    .children = cli_children};

static int act(int argc, char **argv) {
  converge_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 0, 1, &error);
  converge s = {.options = &options};
  if (status == TORSOR_OK) status = run(&s, &error);
  close_converge(&s);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_converge = {.name = "converge",
                                .arguments = "SCENE --steps H1,H2,...",
                                .title = "errors and observed orders over step sizes",
                                .argp = &argp,
                                .act = act};
