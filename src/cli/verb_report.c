/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli/report.h"

enum { OPTION_REFERENCE = 512, OPTION_OPEN };

typedef struct report_options {
  cli common;
  const char *output, *reference;
  bool open;
  char *signals;
} report_options;

static torsor_status answer(const char *file, const cli *common, torsor_error *error) {
  text t = {0};
  if (common->json) {
    text_append(&t, "{");
    json_text(&t, "report", file);
    text_append(&t, "}\n");
  } else if (!common->quiet) {
    text_printf(&t, "%s\n", file);
  }
  return cli_answer(common, &t, error);
}

static torsor_status report_results(const report_options *options, torsor_error *error) {
  const cli *common = &options->common;
  const char **signals = NULL;
  int signal_count = 0;
  torsor_status status =
      options->signals ? cli_split(&signals, &signal_count, options->signals, error) : TORSOR_OK;
  const report_request request = {.result = common->argument,
                                  .results = common->argument_count,
                                  .signal = signals,
                                  .signals = signal_count,
                                  .reference = options->reference,
                                  .output = options->output,
                                  .open = options->open};
  char *file = NULL;
  if (!status) status = report_make(&file, &request, common, error);
  if (!status) status = answer(file, common, error);
  free(file);
  free(signals);
  return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  report_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case 's':
    options->signals = argument;
    return 0;
  case OPTION_REFERENCE:
    options->reference = argument;
    return 0;
  case OPTION_OPEN:
    options->open = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"output", 'o', "FILE", 0, "The page (default: report.html in the first folder)", 0},
    {"signals", 's', "A,B,...", 0,
     "Of the full states make these signals ready to be plotted (default: what there is room for)",
     0},
    {"reference", OPTION_REFERENCE, "FILE", 0, "Draw this reference, too, as points", 0},
    {"open", OPTION_OPEN, NULL, 0, "Show the page in the browser", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "DIR...",
    .doc =
        "Write one HTML page with the results in DIR: a 3D view, plots, modes, orders and the "
        "summary; several results are drawn over each other.  The folder of a study makes a page "
        "with its response curves, its table and the samples that it keeps.\v"
        "The page needs nothing but itself: no network, no server, any browser of the last "
        "years.",
    .children = cli_children};

static int act(int argc, char **argv) {
  report_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, argc, &error);
  if (!status) status = report_results(&options, &error);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_report = {.name = "report",
                              .arguments = "DIR... [-o FILE] [-s SIGNALS] [--reference FILE]",
                              .title = "write a page with a 3D view and plots of results",
                              .argp = &argp,
                              .act = act};
