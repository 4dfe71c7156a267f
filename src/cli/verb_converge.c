/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "cli/folder.h"
#include "cli/reference.h"
#include "cli/session.h"
#include "results/file.h"

typedef struct converge_options {
  cli common;
  char *steps;
  const char *reference; /* file or "fine"; NULL = the shipped one, else fine */
  const char *csv;
} converge_options;

/* One signal: its errors [steps]. */
typedef struct signal_errors {
  char signal[96];
  double *error;
} signal_errors;

typedef struct study {
  const converge_options *options;
  session session;
  double *step, *cpu_seconds; /* [steps] */
  int steps;
  torsor_table reference, common; /* as read or computed; its part that the runs have too */
  const char *reference_name;
  char *shipped; /* file name of the shipped reference */
  signal_errors *signal;
  int signals;
} study;

enum { OPTION_STEPS = 512, OPTION_REFERENCE, OPTION_CSV };

/* The fine run's step is the smallest step divided by this: a method of order p leaves 8^-p of the
 * smallest step's error in the reference, 1.6 % at order 2. */
enum { FINE = 8 };

static torsor_status memory_short(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- steps -------------------------------------------------------------------------------- */

static torsor_status read_steps(study *s, torsor_error *error) {
  if (!s->options->steps) {
    torsor_fail(error, TORSOR_ARGUMENT, "--steps is missing");
    torsor_hint(error, "for instance --steps 4e-3,2e-3,1e-3");
    return TORSOR_ARGUMENT;
  }
  const char **item = NULL;
  torsor_status status = cli_split(&item, &s->steps, s->options->steps, error);
  if (status != TORSOR_OK) return status;
  s->step = calloc((size_t)s->steps, sizeof *s->step);
  s->cpu_seconds = calloc((size_t)s->steps, sizeof *s->cpu_seconds);
  if (!s->step || !s->cpu_seconds) status = memory_short(error);
  for (int i = 0; i < s->steps && status == TORSOR_OK; ++i)
    if (!cli_number(&s->step[i], item[i]) || !(s->step[i] > 0))
      status = torsor_fail(error, TORSOR_ARGUMENT, "--steps: \"%s\" is not a step size", item[i]);
  free(item);
  return status;
}

/* The whole number whole/part, 0 when it is none: decimal steps are rounded to double, so that the
 * quotient is off by some ulp of itself. */
static double whole_quotient(double whole, double part) {
  const double quotient = whole / part, nearest = round(quotient);
  return fabs(quotient - nearest) <= 8 * DBL_EPSILON * nearest ? nearest : 0;
}

/* The scene's simulation with another step and the same output times. */
static torsor_status with_step(torsor_simulation *out, const study *s, double step,
                               torsor_error *error) {
  *out = *torsor_scene_simulation(s->session.scene);
  const double spacing = out->settings.step * out->every;
  const double every = whole_quotient(spacing, step);
  if (!(every >= 1 && every <= INT_MAX) || whole_quotient(out->duration, step) < 1) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "the step %.9g does not divide the output spacing %.9g s and the duration %.9g s",
                step, spacing, out->duration);
    torsor_hint(error, "the output times are shared by all steps: choose other steps, or --set "
                       "output.every=N");
    return TORSOR_ARGUMENT;
  }
  out->settings.step = step;
  out->every = (int)every;
  return TORSOR_OK;
}

static torsor_status check_steps(const study *s, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  torsor_simulation ignored;
  for (int i = 0; i < s->steps && status == TORSOR_OK; ++i)
    status = with_step(&ignored, s, s->step[i], error);
  return status;
}

/* ---- reference ---------------------------------------------------------------------------- */

static torsor_status run_fine(study *s, torsor_error *error) {
  double step = s->step[0];
  for (int i = 1; i < s->steps; ++i) step = fmin(step, s->step[i]);
  torsor_simulation simulation;
  torsor_status status = with_step(&simulation, s, step / FINE, error);
  if (status != TORSOR_OK) return status;
  s->reference_name = "fine";
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
static torsor_status find_shipped(study *s, torsor_error *error) {
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

static torsor_status open_reference(study *s, torsor_error *error) {
  const char *name = s->options->reference;
  if (!name) {
    const torsor_status status = find_shipped(s, error);
    if (status != TORSOR_OK) return status;
    name = s->shipped ? s->shipped : "fine";
  }
  if (strcmp(name, "fine") == 0) return run_fine(s, error);
  s->reference_name = name;
  torsor_reference sidecar;
  const torsor_status status = reference_read(&s->reference, &sidecar, name, error);
  torsor_reference_destroy(&sidecar);
  return status;
}

/* Times and signals that the reference and a run have in common. */
static torsor_status cut_reference(study *s, const torsor_table *result, torsor_error *error) {
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
  if (!good) return memory_short(error);
  if (out->rows > 0 && out->columns > 1) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "the reference %s has no %s in common with the scene",
                     s->reference_name, out->rows > 0 ? "signal" : "output time");
}

/* ---- errors ------------------------------------------------------------------------------- */

static torsor_status name_signals(study *s, const torsor_difference *differences, int count,
                                  torsor_error *error) {
  s->signal = calloc((size_t)count + 1, sizeof *s->signal);
  if (!s->signal) return memory_short(error);
  for (int i = 0; i < count; ++i) {
    memcpy(s->signal[i].signal, differences[i].signal, sizeof s->signal[i].signal);
    s->signal[i].error = calloc((size_t)s->steps, sizeof *s->signal[i].error);
    if (!s->signal[i].error) return memory_short(error);
    for (int k = 0; k < s->steps; ++k) s->signal[i].error[k] = nan("");
    s->signals = i + 1;
  }
  return TORSOR_OK;
}

static torsor_status measure(study *s, int step, const torsor_table *result, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (s->common.columns == 0) status = cut_reference(s, result, error);
  torsor_difference *differences = NULL;
  int count = 0;
  const torsor_tolerance none = {0};
  if (status == TORSOR_OK)
    status =
        torsor_compare(&differences, &count, result, &s->common, NULL, 0, NULL, 0, &none, error);
  if (status == TORSOR_OK && !s->signal) status = name_signals(s, differences, count, error);
  for (int i = 0; i < count && status == TORSOR_OK; ++i)
    s->signal[i].error[step] = differences[i].max_error;
  free(differences);
  return status;
}

/* A step at which the computation cannot go on has no error; the others still have one. */
static torsor_status run_step(study *s, int k, torsor_error *error) {
  torsor_simulation simulation;
  torsor_status status = with_step(&simulation, s, s->step[k], error);
  if (status != TORSOR_OK) return status;
  const cli *common = &s->options->common;
  torsor_table result = {0};
  torsor_summary summary = {0};
  status = session_record(&result, &summary, &s->session, &simulation, common, error);
  s->cpu_seconds[k] = summary.cpu_seconds;
  if (status == TORSOR_OK) {
    status = measure(s, k, &result, error);
  } else if (cli_exit_code(status) == EXIT_COMPUTATION && s->steps > 1) {
    cli_warn(common, "step %.9g: %s", s->step[k], error->message);
    *error = (torsor_error){0};
    status = TORSOR_OK;
  }
  torsor_table_destroy(&result);
  return status;
}

/* ---- answers ------------------------------------------------------------------------------ */

static double order_at(const study *s, const signal_errors *signal, int k) {
  return torsor_order(signal->error[k - 1], signal->error[k], s->step[k - 1], s->step[k]);
}

static void add_numbers(text *t, const char *key, const double *value, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    if (i) text_append(t, ", ");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

static void print_json(text *t, const study *s) {
  text_append(t, "{");
  json_text(t, "reference", s->reference_name);
  add_numbers(t, "steps", s->step, s->steps);
  add_numbers(t, "cpu_seconds", s->cpu_seconds, s->steps);
  json_key(t, "signals");
  text_append(t, "[");
  for (int i = 0; i < s->signals; ++i) {
    text_append(t, i ? ",\n {" : "{");
    json_text(t, "signal", s->signal[i].signal);
    add_numbers(t, "errors", s->signal[i].error, s->steps);
    json_key(t, "orders");
    text_append(t, "[");
    for (int k = 1; k < s->steps; ++k) {
      if (k > 1) text_append(t, ", ");
      text_json_number(t, order_at(s, &s->signal[i], k));
    }
    text_append(t, "]}");
  }
  text_append(t, "]}\n");
}

static void print_for_people(text *t, const study *s) {
  text_printf(t, "signal\tstep\terror\torder\tCPU s\n");
  for (int i = 0; i < s->signals; ++i) {
    const signal_errors *signal = &s->signal[i];
    for (int k = 0; k < s->steps; ++k) {
      text_printf(t, "%s\t%.6g\t%.3e\t", k ? "" : signal->signal, s->step[k], signal->error[k]);
      const double order = k ? order_at(s, signal, k) : nan("");
      if (isnan(order))
        text_append(t, "-");
      else
        text_printf(t, "%.2f", order);
      text_printf(t, "\t%.3g\n", s->cpu_seconds[k]);
    }
  }
}

/* Fields without a value stay empty. */
static void add_field(text *t, double value) {
  text_append(t, ",");
  if (isfinite(value)) text_printf(t, "%.17g", value);
}

static torsor_status write_csv(const study *s, torsor_error *error) {
  text t = {0};
  text_append(&t, "signal,step,error,order,cpu_seconds\n");
  for (int i = 0; i < s->signals; ++i) {
    for (int k = 0; k < s->steps; ++k) {
      text_append(&t, s->signal[i].signal);
      add_field(&t, s->step[k]);
      add_field(&t, s->signal[i].error[k]);
      add_field(&t, k ? order_at(s, &s->signal[i], k) : nan(""));
      add_field(&t, s->cpu_seconds[k]);
      text_append(&t, "\n");
    }
  }
  const torsor_status status =
      t.failed ? memory_short(error) : file_replace(s->options->csv, t.data, t.length, error);
  text_release(&t);
  return status;
}

static torsor_status print_study(const study *s, torsor_error *error) {
  const cli *common = &s->options->common;
  text t = {0};
  if (common->json) {
    print_json(&t, s);
    return cli_print(&t, error);
  }
  if (common->quiet) return TORSOR_OK;
  text_printf(&t, "Largest errors over the output times; reference: %s\n", s->reference_name);
  const torsor_status status = cli_print(&t, error);
  if (status != TORSOR_OK) return status;
  print_for_people(&t, s);
  return cli_print_columns(&t, "lrrrr", error);
}

static torsor_status converge(study *s, torsor_error *error) {
  const cli *common = &s->options->common;
  torsor_status status = read_steps(s, error);
  if (status == TORSOR_OK) status = session_open(&s->session, common, common->argument[0], error);
  if (status == TORSOR_OK) status = check_steps(s, error);
  if (status == TORSOR_OK) status = open_reference(s, error);
  for (int k = 0; k < s->steps && status == TORSOR_OK; ++k) status = run_step(s, k, error);
  if (status == TORSOR_OK && !s->signal)
    status = torsor_fail(error, TORSOR_STEP, "the computation failed at every step size");
  if (status == TORSOR_OK && s->options->csv) status = write_csv(s, error);
  return status == TORSOR_OK ? print_study(s, error) : status;
}

static void close_study(study *s) {
  session_close(&s->session);
  torsor_table_destroy(&s->reference);
  torsor_table_destroy(&s->common);
  for (int i = 0; i < s->signals; ++i) free(s->signal[i].error);
  free(s->signal);
  free(s->shipped);
  free(s->step);
  free(s->cpu_seconds);
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
  case OPTION_CSV:
    options->csv = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int verb_converge(int argc, char **argv) {
  static const struct argp_option extra[] = {
      {"steps", OPTION_STEPS, "H1,H2,...", 0, "Step sizes, s; they divide the output spacing", 0},
      {"reference", OPTION_REFERENCE, "FILE|fine", 0,
       "Reference: a CSV file, a sidecar, or the scene itself at an eighth of the smallest step "
       "(default: ../reference/NAME.json beside the scene's folder if there is one, else fine)",
       0},
      {"csv", OPTION_CSV, "FILE", 0, "Write the table to FILE, too", 0},
      {0}};
  static const struct argp argp = {
      .options = extra,
      .parser = parse,
      .args_doc = "SCENE --steps H1,H2,...",
      .doc = "Simulate SCENE at several step sizes: the largest error of each signal over the "
             "times that it shares with the reference, and the orders observed between steps.\v"
             "The error is the norm over a signal's components; quaternions are compared up to "
             "sign. The shipped reference is not taken when --set changes the problem itself.",
      .children = cli_children};
  converge_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  study s = {.options = &options};
  if (status == TORSOR_OK) status = converge(&s, &error);
  close_study(&s);
  return cli_finish(&options.common, status, &error);
}
