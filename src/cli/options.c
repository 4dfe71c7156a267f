/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "cli/cli.h"

enum { OPTION_SET = 256, OPTION_PLUGIN, OPTION_PROGRESS, OPTION_JSON, OPTION_THREADS };

static const struct argp_option options[] = {
    {"set", OPTION_SET, "PATH=VALUE", 0,
     "Change a value of the scene, e.g. simulation.step=1e-4 or bodies.top.mass=3 (repeatable)", 0},
    {"plugin", OPTION_PLUGIN, "FILE.so", 0, "Load element types from a plug-in (repeatable)", 0},
    {"threads", OPTION_THREADS, "N", 0,
     "Share the work of large models among at most N threads; results stay the same to the bit "
     "(default: 1)",
     0},
    {"progress", OPTION_PROGRESS, "WHEN", 0,
     "Progress on stderr: auto (when it is a terminal), always, never", 0},
    {"quiet", 'q', NULL, 0,
     "No tables, warnings and progress: files, JSON, errors and the exit code only", 0},
    {"verbose", 'v', NULL, 0, "More words on stderr", 0},
    {"json", OPTION_JSON, NULL, 0, "Answer with one JSON document on stdout", 0},
    {0}};

static error_t parse_progress(cli *common, const char *word, const struct argp_state *state) {
  static const char *const words[] = {"auto", "always", "never"};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(word, words[i]) != 0) continue;
    common->progress = (progress_mode)i;
    return 0;
  }
  argp_error(state, "--progress takes auto, always or never, not \"%s\"", word);
  return EINVAL;
}

static error_t parse_threads(cli *common, const char *word, const struct argp_state *state) {
  double threads;
  const bool is_number = cli_number(&threads, word);
  if (!is_number || !(threads >= 1 && threads <= TEAM_MOST) || threads > floor(threads))
    argp_error(state, "--threads takes a whole number from 1 to %d, not \"%s\"", TEAM_MOST, word);
  common->threads = (int)threads;
  return 0;
}

static error_t parse_common(int key, char *argument, struct argp_state *state) {
  cli *common = state->input;
  switch (key) {
  case OPTION_SET:
    common->set[common->set_count++] = argument;
    return 0;
  case OPTION_PLUGIN:
    common->plugin[common->plugin_count++] = argument;
    return 0;
  case OPTION_PROGRESS:
    return parse_progress(common, argument, state);
  case OPTION_THREADS:
    return parse_threads(common, argument, state);
  case 'q':
    common->quiet = true;
    return 0;
  case 'v':
    common->verbose = true;
    return 0;
  case OPTION_JSON:
    common->json = true;
    return 0;
  case ARGP_KEY_ARG:
    common->argument[common->argument_count++] = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp common_argp = {.options = options, .parser = parse_common};

const struct argp_child cli_children[] = {{&common_argp, 0, "Common options:", 1}, {0}};

torsor_status cli_parse(cli *common, const struct argp *argp, void *input, int argc, char **argv,
                        int least, int most, torsor_error *error) {
  const size_t room = (size_t)argc + 1;
  *common = (cli){.argument = calloc(3 * room, sizeof *common->argument)};
  if (!common->argument) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  common->set = common->argument + room;
  common->plugin = common->set + room;
  if (argp_parse(argp, argc, argv, 0, NULL, input) != 0)
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return cli_check_count(common, argp, argv[0], least, most, error);
}

torsor_status cli_check_count(const cli *common, const struct argp *argp, const char *name,
                              int least, int most, torsor_error *error) {
  const int count = common->argument_count;
  if (count >= least && count <= most) return TORSOR_OK;
  if (count < least)
    torsor_fail(error, TORSOR_ARGUMENT, "the command needs one more argument");
  else
    torsor_fail(error, TORSOR_ARGUMENT, "there is one argument too many: \"%s\"",
                common->argument[most]);
  const char *usage = argp->args_doc ? argp->args_doc : "";
  torsor_hint(error, "usage: %s %.*s", name, (int)strcspn(usage, "\n"), usage);
  return TORSOR_ARGUMENT;
}

torsor_status cli_split(const char ***items, int *count, char *list, torsor_error *error) {
  *count = 1;
  for (const char *c = list; *c; ++c) *count += *c == ',';
  *items = calloc((size_t)*count, sizeof **items);
  if (!*items) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  char *item = list;
  for (int i = 0; i < *count; ++i) {
    (*items)[i] = item;
    item += strcspn(item, ",");
    if (*item) *item++ = '\0';
  }
  return TORSOR_OK;
}

bool cli_number(double *value, const char *string) {
  char *end;
  *value = strtod(string, &end);
  return end != string && *end == '\0' && isfinite(*value);
}
