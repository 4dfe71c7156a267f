/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/plot.h"
#include "cli/reference.h"
#include "cli/study/study_plot.h"
#include "results/file.h"

enum { OPTION_REFERENCE = 512, OPTION_SCRIPT };

/* Panels that are drawn when nobody says which. */
enum { USUAL_PANELS = 6 };

typedef struct plot_options {
  cli common;
  char *signals;
  const char *output, *reference;
  bool script;
} plot_options;

typedef struct plotting {
  plot plot;
  const char **signals;
  int signal_count;
  torsor_units units;
  torsor_reference sidecar;
  text script;
  char *output;
  char *axis;    /* name of column 0; NULL: time, frequency or that of a study */
  bool of_study; /* the table of a study is drawn */
  study_curves curves;
} plotting;

/* ---- selection of signals ----------------------------------------------------------------- */

static torsor_status read_units(plotting *p, const char *result, torsor_error *error) {
  if (!folder_exists(result)) return TORSOR_OK;
  char *file = path_format(error, "%s/summary.json", result);
  if (!file) return TORSOR_MEMORY;
  const torsor_status status =
      file_exists(file) ? torsor_units_load(&p->units, file, error) : TORSOR_OK;
  free(file);
  return status;
}

/* The variable along the axis: the load of statics, the value of a sweep of modes. */
static torsor_status read_axis(plotting *p, const char *result, torsor_error *error) {
  text words = {0};
  char *file = path_format(error, "%s/summary.json", result);
  torsor_status status = file ? TORSOR_OK : TORSOR_MEMORY;
  if (!status && !p->of_study && file_exists(file)) status = file_read(&words, file, error);
  cJSON *summary = words.data ? cJSON_Parse(words.data) : NULL;
  const char *analysis = cJSON_GetStringValue(cJSON_GetObjectItem(summary, "analysis"));
  const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(summary, "parameter"));
  const char *name = !analysis                           ? NULL
                     : strcmp(analysis, "statics") == 0  ? "load"
                     : strcmp(analysis, "campbell") == 0 ? value
                                                         : NULL;
  if (name) {
    p->axis = path_format(error, "%s", name);
    p->plot.x = p->axis;
    p->plot.x_unit = "";
    if (!p->axis) status = TORSOR_MEMORY;
  }
  cJSON_Delete(summary);
  text_release(&words);
  free(file);
  return status;
}

/* The table of a study has its own curves, which are drawn alone. */
static torsor_status read_study(plotting *p, const plot_options *options, torsor_error *error) {
  const cli *common = &options->common;
  p->of_study = true;
  if (common->argument_count > 1 || options->reference) {
    torsor_fail(error, TORSOR_ARGUMENT, "a study is drawn alone, without other results");
    torsor_hint(error, "e.g. torsor plot %s", common->argument[0]);
    return TORSOR_ARGUMENT;
  }
  const torsor_status status = study_curves_read(&p->curves, common->argument[0], error);
  p->plot.series = p->curves.series;
  p->plot.series_count = p->curves.count;
  p->plot.x = p->curves.x;
  p->plot.x_unit = p->curves.x_unit;
  return status;
}

static torsor_status read_series(plotting *p, const plot_options *options, torsor_error *error) {
  const cli *common = &options->common;
  const int results = common->argument_count;
  for (int i = 0; i < results; ++i)
    if (study_has_table(common->argument[i])) return read_study(p, options, error);
  p->plot.series = calloc((size_t)results + 1, sizeof *p->plot.series);
  if (!p->plot.series) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < results; ++i) {
    plot_series *series = &p->plot.series[p->plot.series_count++];
    const bool alone = results == 1 && !options->reference;
    series->label = alone ? "" : path_last(common->argument[i]);
    const torsor_status status = result_read(&series->table, common->argument[i], error);
    if (status != TORSOR_OK) return status;
  }
  if (!options->reference) return TORSOR_OK;
  plot_series *series = &p->plot.series[p->plot.series_count++];
  *series = (plot_series){.label = "reference", .reference = true};
  return reference_read(&series->table, &p->sidecar, options->reference, error);
}

static torsor_status choose(plotting *p, const plot_options *options, torsor_error *error) {
  int left_out = 0;
  torsor_status status = TORSOR_OK;
  if (options->signals) status = cli_split(&p->signals, &p->signal_count, options->signals, error);
  const bool usual = p->of_study && !options->signals;
  const char *const *signals = usual ? p->curves.column : p->signals;
  const int count = usual ? p->curves.columns : p->signal_count;
  if (status == TORSOR_OK)
    status = plot_choose(&p->plot, signals, count, USUAL_PANELS, &left_out,
                         p->of_study ? &p->curves.units : &p->units, error);
  if (status == TORSOR_OK && !p->plot.panel_count)
    status = torsor_fail(error, TORSOR_ARGUMENT, "the result has no signals");
  if (status == TORSOR_OK && left_out)
    cli_warn(&options->common, "%d more signals are not drawn: choose with -s", left_out);
  return status;
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* The format that the end of the file's name asks for. */
static torsor_status find_format(plot_format *format, const char *output, torsor_error *error) {
  static const char *const ends[] = {".svg", ".png", ".pdf"};
  const char *end = strrchr(path_last(output), '.');
  for (int i = 0; end && i < 3; ++i) {
    if (strcmp(end, ends[i]) != 0) continue;
    *format = (plot_format)i;
    return TORSOR_OK;
  }
  torsor_fail(error, TORSOR_ARGUMENT, "the name \"%s\" does not give the format of the plot",
              output);
  torsor_hint(error, "give a name that ends with .svg, .png or .pdf");
  return TORSOR_ARGUMENT;
}

static torsor_status no_gnuplot(int error_number, torsor_error *error) {
  torsor_fail(error, TORSOR_FILE, "cannot start gnuplot, which draws: %s", strerror(error_number));
  torsor_hint(error, "install it (Debian: apt install gnuplot-nox), or use --script and draw it "
                     "elsewhere");
  return TORSOR_FILE;
}

/* gnuplot from `input` to `output`, both open. */
static torsor_status run_gnuplot(int input, int output, torsor_error *error) {
  extern char **environ;
  char name[] = "gnuplot";
  char *const arguments[] = {name, NULL};
  posix_spawn_file_actions_t actions;
  pid_t process;
  int state = 0;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  int failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (!failed) failed = posix_spawnp(&process, name, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return no_gnuplot(failed, error);
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return TORSOR_OK;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 127) return no_gnuplot(ENOENT, error);
  return torsor_fail(error, TORSOR_FILE, "gnuplot ended with an error");
}

/* Draws into a draft file, which replaces an existing plot only when it is complete. */
static torsor_status draw(const plotting *p, torsor_error *error) {
  FILE *script = tmpfile();
  if (!script) return torsor_fail(error, TORSOR_FILE, "cannot make a temporary file");
  file_draft drawing;
  torsor_status status = file_draft_open(&drawing, p->output, error);
  if (status == TORSOR_OK &&
      (fwrite(p->script.data, 1, p->script.length, script) != p->script.length ||
       fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0))
    status = torsor_fail(error, TORSOR_FILE, "cannot write a temporary file");
  if (status == TORSOR_OK) status = run_gnuplot(fileno(script), drawing.file, error);
  const torsor_status closed =
      file_draft_close(&drawing, status ? ECANCELED : 0, false, status ? NULL : error);
  fclose(script);
  return status ? status : closed;
}

static torsor_status find_output(plotting *p, const plot_options *options, torsor_error *error) {
  const char *result = options->common.argument[0];
  if (options->output)
    p->output = path_format(error, "%s", options->output);
  else if (folder_exists(result))
    p->output = path_format(error, "%s/plot.svg", result);
  else
    p->output = path_format(error, "%s.svg", result);
  return p->output ? TORSOR_OK : TORSOR_MEMORY;
}

/* The drawing must not replace what it shows. */
static torsor_status check_output(const plotting *p, const plot_options *options,
                                  torsor_error *error) {
  inputs in = {0};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < options->common.argument_count && !status; ++i)
    status = inputs_add_result(&in, options->common.argument[i], error);
  if (!status && options->reference) status = inputs_add_result(&in, options->reference, error);
  if (!status && p->sidecar.data[0]) status = inputs_add(&in, p->sidecar.data, error);
  if (!status) status = inputs_check(&in, p->output, error);
  inputs_release(&in);
  return status;
}

static torsor_status answer(const plotting *p, const cli *common, torsor_error *error) {
  text t = {0};
  if (common->json) {
    text_append(&t, "{");
    json_text(&t, "plot", p->output);
    json_count(&t, "panels", p->plot.panel_count);
    json_count(&t, "curves", p->plot.curve_count);
    text_append(&t, "}\n");
  } else if (!common->quiet) {
    text_printf(&t, "%s: %d panels, %d curves\n", p->output, p->plot.panel_count,
                p->plot.curve_count);
  }
  return cli_answer(common, &t, error);
}

static torsor_status plot_results(plotting *p, const plot_options *options, torsor_error *error) {
  plot_format format = PLOT_SVG;
  torsor_status status = find_output(p, options, error);
  if (status == TORSOR_OK) status = find_format(&format, p->output, error);
  if (status == TORSOR_OK) status = read_series(p, options, error);
  if (status == TORSOR_OK) status = read_units(p, options->common.argument[0], error);
  if (status == TORSOR_OK) status = read_axis(p, options->common.argument[0], error);
  if (status == TORSOR_OK) status = choose(p, options, error);
  if (status != TORSOR_OK) return status;
  plot_script(&p->script, &p->plot, format);
  if (p->script.failed) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (options->script) return cli_print(&p->script, error);
  status = check_output(p, options, error);
  if (status == TORSOR_OK) status = draw(p, error);
  return status == TORSOR_OK ? answer(p, &options->common, error) : status;
}

static void release(plotting *p) {
  if (!p->of_study) {
    for (int i = 0; i < p->plot.series_count; ++i) torsor_table_destroy(&p->plot.series[i].table);
    free(p->plot.series);
  }
  study_curves_release(&p->curves);
  plot_release(&p->plot);
  torsor_units_destroy(&p->units);
  torsor_reference_destroy(&p->sidecar);
  text_release(&p->script);
  free(p->signals);
  free(p->output);
  free(p->axis);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  plot_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 's':
    options->signals = argument;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case OPTION_REFERENCE:
    options->reference = argument;
    return 0;
  case OPTION_SCRIPT:
    options->script = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"signals", 's', "A,B,...", 0, "Draw these signals, one panel each (default: the first six)",
     0},
    {"output", 'o', "FILE", 0, "File to draw, .svg, .png or .pdf (default: plot.svg in the folder)",
     0},
    {"reference", OPTION_REFERENCE, "FILE", 0, "Draw this reference, too, as points", 0},
    {"script", OPTION_SCRIPT, NULL, 0, "Print the gnuplot script with its data instead", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "RESULT...",
    .doc = "Draw signals of RESULT, a result folder or a CSV file, over time; several results are "
           "drawn over each other.  The table of a study is drawn over its first value, or as its "
           "\"plots\" say.  gnuplot does the drawing.\v"
           "A name stands for all signals below it: \"top\" for all of the body, \"top.position\" "
           "for "
           "three curves in one panel, \"top.position.z\" for one of them.",
    .children = cli_children};

static int act(int argc, char **argv) {
  plot_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, argc, &error);
  plotting p = {0};
  if (status == TORSOR_OK) status = plot_results(&p, &options, &error);
  release(&p);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_plot = {.name = "plot",
                            .arguments = "RESULT... [-s SIGNALS] [-o FILE]",
                            .title = "draw signals of results",
                            .argp = &argp,
                            .act = act};
