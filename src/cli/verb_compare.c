/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include <torsor/result.h>

#include "cli/cli.h"
#include "cli/reference.h"

typedef struct compare_options {
  cli common;
  double rtol, atol; /* NaN = not given */
  char *signals;
} compare_options;

/* The resources of a comparison. */
typedef struct comparing {
  torsor_table result, reference;
  torsor_reference sidecar;
  const char **signals;
  torsor_difference *differences;
  int signal_count, count;
} comparing;

enum { OPTION_RTOL = 512, OPTION_ATOL, OPTION_SIGNALS };

static torsor_status compare_tables(comparing *c, const compare_options *options,
                                    torsor_error *error) {
  const bool given = !isnan(options->rtol) || !isnan(options->atol);
  torsor_tolerance fallback = reference_exact;
  if (given) {
    fallback = (torsor_tolerance){.rtol = isnan(options->rtol) ? 0 : options->rtol,
                                  .atol = isnan(options->atol) ? 0 : options->atol,
                                  .basis = "command line"};
  }
  return torsor_compare(&c->differences, &c->count, &c->result, &c->reference, c->signals,
                        c->signal_count, c->sidecar.tolerances,
                        given ? 0 : c->sidecar.tolerance_count, &fallback, error);
}

static void print_json(text *t, const comparing *c, bool holds) {
  text_append(t, "{");
  json_bool(t, "holds", holds);
  json_key(t, "signals");
  text_append(t, "[");
  for (int i = 0; i < c->count; ++i) {
    const torsor_difference *d = &c->differences[i];
    text_append(t, i ? ", {" : "{");
    json_text(t, "signal", d->signal);
    json_number(t, "max_error", d->max_error);
    json_number(t, "at", d->at);
    json_number(t, "tolerance", d->tolerance);
    json_text(t, "basis", d->basis);
    json_bool(t, "holds", d->holds);
    text_append(t, "}");
  }
  text_append(t, "]}\n");
}

static torsor_status print_differences(const comparing *c, const cli *common, torsor_error *error) {
  bool holds = true;
  for (int i = 0; i < c->count; ++i) holds = holds && c->differences[i].holds;
  text t = {0};
  torsor_status status = TORSOR_OK;
  if (common->json) {
    print_json(&t, c, holds);
    status = cli_print(&t, error);
  } else if (!common->quiet) {
    text_append(&t, "signal\tmax error\tat t\ttolerance\tholds\n");
    for (int i = 0; i < c->count; ++i) {
      const torsor_difference *d = &c->differences[i];
      text_append_shown(&t, d->signal);
      text_printf(&t, "\t%.3g\t%.9g\t%.3g\t%s\n", d->max_error, d->at, d->tolerance,
                  d->holds ? "yes" : "NO");
    }
    status = cli_print_columns(&t, "lrrrl", error);
  }
  return status == TORSOR_OK && !holds ? TORSOR_MISMATCH : status;
}

static torsor_status compare_files(compare_options *options, torsor_error *error) {
  comparing c = {0};
  const cli *common = &options->common;
  torsor_status status = TORSOR_OK;
  if (options->signals) status = cli_split(&c.signals, &c.signal_count, options->signals, error);
  if (status == TORSOR_OK) status = result_read(&c.result, common->argument[0], error);
  if (status == TORSOR_OK)
    status = reference_read(&c.reference, &c.sidecar, common->argument[1], error);
  if (status == TORSOR_OK) status = compare_tables(&c, options, error);
  if (status == TORSOR_OK) status = print_differences(&c, common, error);
  torsor_table_destroy(&c.result);
  torsor_table_destroy(&c.reference);
  torsor_reference_destroy(&c.sidecar);
  free(c.signals);
  free(c.differences);
  return status;
}

static error_t parse_tolerance(double *out, const char *argument, const struct argp_state *state) {
  if (cli_number(out, argument) && *out >= 0) return 0;
  argp_error(state, "a tolerance must be a number >= 0, but is \"%s\"", argument);
  return EINVAL;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  compare_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case OPTION_RTOL:
    return parse_tolerance(&options->rtol, argument, state);
  case OPTION_ATOL:
    return parse_tolerance(&options->atol, argument, state);
  case OPTION_SIGNALS:
    options->signals = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"rtol", OPTION_RTOL, "R", 0, "Allowed error relative to the size of the signal", 0},
    {"atol", OPTION_ATOL, "A", 0, "Allowed absolute error", 0},
    {"signals", OPTION_SIGNALS, "A,B,...", 0, "Compare these signals (default: all)", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "RESULT REFERENCE",
    .doc = "Compare RESULT, a result folder or a CSV file, with REFERENCE, a CSV file or its "
           "sidecar, at the times of the reference; exit 1 when they differ.\v"
           "A signal holds when |error| <= A + R |reference| at all times, where |.| is the norm "
           "over its components; quaternions are compared up to sign. Without --rtol and --atol "
           "the tolerances are those of the reference's sidecar; signals without one must be "
           "equal to the last bit.",
    .children = cli_children};

static int act(int argc, char **argv) {
  compare_options options = {.rtol = nan(""), .atol = nan("")};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 2, 2, &error);
  if (status == TORSOR_OK) status = compare_files(&options, &error);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_compare = {.name = "compare",
                               .arguments = "RESULT REFERENCE",
                               .title = "compare a result with a reference",
                               .argp = &argp,
                               .act = act};
