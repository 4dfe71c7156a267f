/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verbs `fit`, which fits values to measured data, and `optimise`, which minimises an output.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/study/fit.h"
#include "cli/study/study_folder.h"
#include "cli/study/study_read.h"
#include "results/file.h"

/* Derivatives forwards and backwards that differ by more than this part are warned of, and values
 * whose combination has so large a condition. */
static const double KINK = 0.1, CONDITION = 1e6;

typedef struct fit_options {
  cli common;
  const char *folder;
  int jobs;
  folder_use use;
  bool fits; /* the verb is `fit` */
} fit_options;

typedef struct searching {
  const fit_options *options;
  study study;
  sampler sampler;
  rows_found rows;
  char *folder;
  folder_lock lock;
  search_result result;
  char why[STUDY_COLUMNS][STUDY_TEXT]; /* see evaluator */
  long derived;
} searching;

/* ---- answers -----------------------------------------------------------------------------------
 */

static double deviation(const searching *w, int i) {
  const int n = w->study.variables;
  return w->result.covariance ? sqrt(w->result.covariance[i * n + i]) : nan("");
}

static double correlation(const searching *w, int i, int j) {
  return w->result.covariance[i * w->study.variables + j] / (deviation(w, i) * deviation(w, j));
}

static void add_list(text *t, const char *key, const double *value, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ", " : "");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

static void add_fit(text *t, const searching *w) {
  const study *s = &w->study;
  json_number(t, "chi_square", 2 * w->result.objective);
  json_count(t, "degrees_of_freedom", s->data - s->variables);
  json_number(t, "condition", w->result.condition);
  add_list(t, "weakest", w->result.weakest, s->variables);
  add_list(t, "kink", w->result.kink, s->variables);
  json_key(t, "correlation");
  text_append(t, "[");
  for (int i = 0; i < s->variables; ++i) {
    text_append(t, i ? ", [" : "[");
    for (int j = 0; j < s->variables; ++j) {
      text_append(t, j ? ", " : "");
      text_json_number(t, correlation(w, i, j));
    }
    text_append(t, "]");
  }
  text_append(t, "]");
}

/* The number of runs with derivatives, and the values whose derivatives are differences. */
static void add_gradient(text *t, const searching *w) {
  const study *s = &w->study;
  json_count(t, "derivative_runs", w->derived);
  json_key(t, "differences");
  text_append(t, "{");
  for (int i = 0; i < s->variables; ++i)
    if (w->why[i][0]) json_text(t, s->variable[i].name, w->why[i]);
  text_append(t, "}");
}

static void add_document(text *t, const searching *w) {
  const study *s = &w->study;
  text_append(t, "{");
  json_text(t, "study", s->name);
  json_text(t, "title", s->title);
  json_text(t, "version", torsor_version());
  json_text(t, "method", study_methods[s->search.method]);
  json_bool(t, "converged", w->result.converged);
  json_text(t, "reason", w->result.reason);
  json_count(t, "runs", w->result.runs);
  json_count(t, "points", w->result.asked);
  add_gradient(t, w);
  json_key(t, "values");
  text_append(t, "{");
  for (int i = 0; i < s->variables; ++i) json_number(t, s->variable[i].name, w->result.x[i]);
  text_append(t, "}");
  if (w->result.covariance) {
    json_key(t, "errors");
    text_append(t, "{");
    for (int i = 0; i < s->variables; ++i) json_number(t, s->variable[i].name, deviation(w, i));
    text_append(t, "}");
    add_fit(t, w);
  } else {
    json_number(t, "objective", w->result.objective);
  }
  json_key(t, "outputs");
  text_append(t, "{");
  for (int i = 0; i < s->outputs; ++i) json_number(t, s->output[i].name, w->result.numbers[i]);
  text_append(t, "}}\n");
}

static torsor_status print_for_people(const searching *w, torsor_error *error) {
  const study *s = &w->study;
  const bool fitted = w->result.covariance;
  text t = {0}, words = {0};
  text_append(&t, fitted ? "value\tfound\tstandard error\t  unit\n" : "value\tfound\t \t  unit\n");
  for (int i = 0; i < s->variables; ++i) {
    text_printf(&t, "%s\t%.12g\t", s->variable[i].name, w->result.x[i]);
    if (fitted) text_printf(&t, "%.3g", deviation(w, i));
    text_printf(&t, "\t  %s\n", s->variable[i].unit);
  }
  for (int i = 0; i < s->outputs; ++i)
    text_printf(&t, "%s\t%.9g\t\t  %s\n", s->output[i].name, w->result.numbers[i],
                s->output[i].unit);
  const torsor_status status = cli_print_columns(&t, "lrrl", error);
  for (int i = 0; i < s->variables && fitted; ++i)
    for (int j = 0; j < i; ++j)
      text_printf(&words, "correlation of %s and %s %.4g\n", s->variable[j].name,
                  s->variable[i].name, correlation(w, i, j));
  if (fitted)
    text_printf(&words, "chi square %.6g with %d degrees of freedom, condition %.3g\n",
                2 * w->result.objective, s->data - s->variables, w->result.condition);
  text_printf(&words, "%s after %ld points, %ld runs: %s; results %s/\n",
              w->result.converged ? "converged" : "NOT CONVERGED", w->result.asked, w->result.runs,
              w->result.reason, w->folder);
  const torsor_status printed = cli_answer(&w->options->common, &words, error);
  return status ? status : printed;
}

/* The measured numbers, or those that were found, as a table over time. */
static void add_curves(text *t, const searching *w, bool found) {
  const study *s = &w->study;
  text_append(t, "t");
  for (int i = 0; i < s->measured; ++i) {
    text_append(t, ",");
    text_csv_field(t, s->series[i].text);
  }
  text_append(t, "\n");
  for (int k = 0; k < s->data; ++k) {
    const study_datum *datum = &s->datum[k];
    const double sigma = s->series[datum->series].sigma;
    const double off = w->result.numbers[s->outputs + k] * (isnan(sigma) ? 1 : sigma);
    if (datum->series == 0) text_printf(t, "%.17g", datum->t);
    text_printf(t, ",%.17g", datum->value + (found ? off : 0));
    if (datum->series == s->measured - 1) text_append(t, "\n");
  }
}

static torsor_status write_text(text *t, const searching *w, const char *name,
                                torsor_error *error) {
  char *file = path_format(error, "%s/%s", w->folder, name);
  torsor_status status = file && !t->failed ? TORSOR_OK : study_memory_short(error);
  if (!status) status = file_replace(file, t->data, t->length, error);
  text_release(t);
  free(file);
  return status;
}

/* ---- warnings ----------------------------------------------------------------------------------
 */

static void warn(const searching *w) {
  const study *s = &w->study;
  const cli *common = &w->options->common;
  text names = {0};
  for (int i = 0; i < s->variables; ++i)
    if (w->why[i][0])
      cli_warn(common, "derivatives by %s are differences of runs: %s", s->variable[i].name,
               w->why[i]);
  if (!w->result.covariance) return;
  for (int i = 0; i < s->variables; ++i) {
    if (w->result.kink[i] > KINK)
      cli_warn(common,
               "derivatives by %s forwards and backwards differ by %.0f %%: the data change with "
               "kinks or jumps, by events or by steps that change",
               s->variable[i].name, 100 * w->result.kink[i]);
    if (fabs(w->result.weakest[i]) > 0.3)
      text_printf(&names, "%s%s", names.length ? " and " : "", s->variable[i].name);
  }
  if (!(w->result.condition < CONDITION) && names.data)
    cli_warn(common, "%s cannot be distinguished by these data: condition %.2g", names.data,
             w->result.condition);
  text_release(&names);
}

/* ---- verbs -------------------------------------------------------------------------------------
 */

static torsor_status check_kind(const searching *w, torsor_error *error) {
  const study *s = &w->study;
  const bool fits = w->options->fits;
  if (s->search.asked && fits == (s->search.objective < 0)) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              fits ? "the study has no \"data\" to be fitted"
                   : "the study has nothing to \"minimise\"");
  if (s->search.asked)
    torsor_hint(error, "`torsor %s` is for it", fits ? "optimise" : "fit");
  else
    torsor_hint(error, fits ? "e.g. \"data\": {\"file\": \"measured.csv\", \"signals\": "
                              "{\"hinge.angle\": {\"sigma\": 1e-3}}}"
                            : "e.g. \"minimise\": \"tension + 1e4*sway\"");
  snprintf(error->file, sizeof error->file, "%s", s->file);
  return TORSOR_SCENE;
}

static torsor_status search(searching *w, torsor_error *error) {
  const study *s = &w->study;
  engine *e = NULL;
  const int most = w->options->jobs ? w->options->jobs : engine_processors();
  const int useful = 3 * s->variables; /* points that are asked for at once */
  evaluator points = {.sampler = &w->sampler, .rows = &w->rows, .why = w->why, .error = error};
  interrupt_will_finish();
  interrupt_finishes();
  torsor_status status =
      engine_open(&e, &w->sampler, w->folder, w->lock.file, most < useful ? most : useful, error);
  points.engine = e;
  if (!status)
    status = w->options->fits ? search_fit(&w->result, &points, error)
                              : search_minimise(&w->result, &points, error);
  engine_close(e);
  w->derived = points.derived;
  if (status == TORSOR_INTERRUPTED)
    torsor_hint(error, "%ld runs are done; --resume finds them", points.runs);
  return status;
}

static torsor_status finish(searching *w, torsor_error *error) {
  const cli *common = &w->options->common;
  text document = {0}, curves = {0};
  add_document(&document, w);
  torsor_status status = write_text(&document, w, "fit.json", error);
  for (int i = 0; i < 2 && w->study.data && !status; ++i) {
    add_curves(&curves, w, i);
    status = write_text(&curves, w, i ? "fit.csv" : "data.csv", error);
  }
  if (status) return status;
  warn(w);
  if (!w->result.converged) {
    status =
        torsor_fail(error, TORSOR_MISMATCH, "the search did not converge: %s", w->result.reason);
    torsor_hint(error, "the best values up to now are in fit.json; \"max_runs\" allows more");
  }
  torsor_error late = {0};
  torsor_status printed = TORSOR_OK;
  if (common->json && !status) {
    add_document(&document, w);
    printed = cli_print(&document, error);
  } else if (!common->json && !common->quiet) {
    printed = print_for_people(w, status ? &late : error);
  }
  return status ? status : printed;
}

static torsor_status act_on(searching *w, torsor_error *error) {
  const fit_options *options = w->options;
  double value[STUDY_COLUMNS];
  torsor_status status = study_load(&w->study, options->common.argument[0], error);
  if (!status) status = check_kind(w, error);
  if (status) return status;
  search_start(value, &w->study, 0);
  status = sampler_open(&w->sampler, &w->study, &options->common, value, error);
  if (status) return status;
  w->folder = options->folder ? path_format(error, "%s", options->folder)
                              : path_format(error, "out/%s", w->study.name);
  status = w->folder ? study_folder_claim(&w->lock, w->folder, options->use, &w->sampler, error)
                     : TORSOR_MEMORY;
  if (!status) status = rows_read(&w->rows, w->folder, w->study.numbers, error);
  if (!status) status = search(w, error);
  return status ? status : finish(w, error);
}

enum { OPTION_RESUME = 896, OPTION_NEW };

static const struct argp_option extra[] = {
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<study>/)", 0},
    {"jobs", 'j', "N", 0, "Processes that do runs (default: one for each processor)", 0},
    {"resume", OPTION_RESUME, NULL, 0, "Go on: runs that DIR has are not done again", 0},
    {"new", OPTION_NEW, NULL, 0, "Begin anew in a DIR that has a study", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  fit_options *options = state->input;
  double jobs;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case 'j':
    if (!cli_number(&jobs, argument) || !(jobs >= 1 && jobs <= 1000) || jobs > floor(jobs))
      argp_error(state, "--jobs takes a whole number from 1 to 1000, not \"%s\"", argument);
    options->jobs = (int)jobs;
    return 0;
  case OPTION_RESUME:
    options->use = FOLDER_RESUME;
    return 0;
  case OPTION_NEW:
    options->use = FOLDER_NEW;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp fit_argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "STUDY.json",
    .doc = "Fit values of a scene to measured data by least squares: values with standard errors "
           "and correlations in fit.json, the motion that was found in fit.csv, the measured one "
           "in data.csv.\v"
           "Every run is a row in the folder, so that a fit that was ended goes on with --resume.",
    .children = cli_children};
static const struct argp optimise_argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "STUDY.json",
    .doc = "Find values of a scene that make an output least, within bounds and with "
           "inequalities: fit.json.\v"
           "Every run is a row in the folder, so that a search that was ended goes on with "
           "--resume.",
    .children = cli_children};

static int act(int argc, char **argv, const struct argp *argp, bool fits) {
  fit_options options = {.fits = fits};
  torsor_error error = {0};
  searching w = {.options = &options, .lock = {-1}};
  torsor_status status = cli_parse(&options.common, argp, &options, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = act_on(&w, &error);
  folder_lock_release(&w.lock);
  search_release(&w.result);
  rows_release(&w.rows);
  sampler_close(&w.sampler);
  study_release(&w.study);
  free(w.folder);
  return cli_finish(&options.common, status, &error);
}

static int act_fit(int argc, char **argv) {
  return act(argc, argv, &fit_argp, true);
}

static int act_optimise(int argc, char **argv) {
  return act(argc, argv, &optimise_argp, false);
}

const cli_verb verb_fit = {.name = "fit",
                           .arguments = "STUDY.json [-o DIR] [-j N] [--resume]",
                           .title = "fit values of a scene to measured data",
                           .argp = &fit_argp,
                           .act = act_fit};
const cli_verb verb_optimise = {.name = "optimise",
                                .arguments = "STUDY.json [-o DIR] [-j N] [--resume]",
                                .title = "find the values of a scene that make an output least",
                                .argp = &optimise_argp,
                                .act = act_optimise};
