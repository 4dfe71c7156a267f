/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include <torsor/result.h>

#include "cli/branch.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/remarks.h"
#include "cli/session.h"
#include "results/lock.h"

typedef struct periodic_options {
  cli common;
  const char *folder, *follow;
} periodic_options;

enum { OPTION_FOLLOW = 512 };

/* Rows of trajectory.csv, which are ends of steps where there are enough of these. */
enum { ROWS = 200 };

/* ---- files --------------------------------------------------------------------------------- */

/* Writes one period of the motion. */
static torsor_status write_motion(const char *folder, const session *s,
                                  const torsor_periodic *periodic, torsor_error *error) {
  const torsor_periodic_settings *settings = torsor_scene_periodic(s->scene);
  const int columns = torsor_signals_count(s->signals);
  torsor_run *run = NULL;
  torsor_csv *csv = NULL;
  double *row = calloc((size_t)columns + 1, sizeof *row);
  char *file = path_format(error, "%s/trajectory.csv", folder);
  torsor_status status = row && file ? TORSOR_OK : TORSOR_MEMORY;
  if (!status)
    status = torsor_periodic_run(&run, periodic, s->model, torsor_scene_simulation(s->scene),
                                 settings, error);
  if (!status) status = torsor_csv_create(&csv, file, s->signals, error);
  for (int i = 0; i <= ROWS && !status; ++i) {
    const double t = periodic->period * i / ROWS;
    if (i) status = torsor_run_advance(run, t, error);
    if (!status) status = torsor_run_values(run, s->signals, row, error);
    if (!status) status = torsor_csv_write(csv, t, row, columns);
  }
  const torsor_status closed = csv ? torsor_csv_close(csv, status ? NULL : error) : TORSOR_OK;
  torsor_run_destroy(run);
  free(row);
  free(file);
  return status ? status : closed;
}

static torsor_status write_files(const char *folder, const session *s,
                                 const torsor_periodic *periodic, const remarks *printed,
                                 torsor_error *error) {
  const torsor_result_info info = {.scene = torsor_scene_name(s->scene),
                                   .title = torsor_scene_title(s->scene),
                                   .hash = torsor_scene_hash(s->scene),
                                   .warning = (const char *const *)printed->line,
                                   .warnings = printed->count};
  char *document = NULL;
  torsor_status status = folder_clear(folder, torsor_scene_canonical(s->scene), error);
  if (!status) status = session_keep_scene(s, folder, error);
  if (!status) status = torsor_multipliers_csv_text(&document, periodic, error);
  status = write_document(folder, "multipliers.csv", document, status, error);
  if (!status) status = write_motion(folder, s, periodic, error);
  if (status) return status;
  document = NULL;
  status = torsor_periodic_summary_text(&document, periodic, &info, error);
  return write_document(folder, "summary.json", document, status, error);
}

/* ---- answer -------------------------------------------------------------------------------- */

static const char *describe(const torsor_periodic *p) {
  static const char *const words[] = {
      "stable", "UNSTABLE: a real multiplier is above 1 (fold or breaking of a symmetry)",
      "UNSTABLE: a real multiplier is below -1 (the period doubles)",
      "UNSTABLE: a pair of multipliers is outside the unit circle (a second frequency)",
      "neutral: the largest multiplier is on the unit circle"};
  return words[p->kind];
}

static torsor_status answer(const char *folder, const session *s, const torsor_periodic *p,
                            const cli *common, torsor_error *error) {
  text t = {0};
  if (common->json) {
    const torsor_result_info info = {.scene = torsor_scene_name(s->scene),
                                     .title = torsor_scene_title(s->scene),
                                     .hash = torsor_scene_hash(s->scene)};
    char *document = NULL;
    const torsor_status status = torsor_periodic_summary_text(&document, p, &info, error);
    if (!status) text_append(&t, document);
    torsor_text_free(document);
    return status ? status : cli_print(&t, error);
  }
  if (common->quiet) return TORSOR_OK;
  text_append(&t, "multiplier\tre\tim\tmagnitude\t  \n");
  for (int i = 0; i < p->count; ++i)
    text_printf(&t, "%d\t%.9g\t%.9g\t%.9g\t  %s\n", i + 1, p->multiplier_re[i], p->multiplier_im[i],
                hypot(p->multiplier_re[i], p->multiplier_im[i]),
                i == p->trivial ? "of time itself" : "");
  const torsor_status status = cli_print_columns(&t, "rrrrl", error);
  if (status) return status;
  text_printf(&t, "period %.12g s, %s; results %s/\n", p->period, describe(p), folder);
  return cli_answer(common, &t, error);
}

/* ---- verb ---------------------------------------------------------------------------------- */

static torsor_status check_period(const session *s, torsor_error *error) {
  if (torsor_scene_periodic(s->scene)->period > 0) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "the scene names no period");
  torsor_hint(error,
              "e.g. \"periodic\": {\"period\": \"2*pi/w\"}; with \"period_unknown\": true it "
              "is a first guess");
  return TORSOR_SCENE;
}

/* Files of the verb in its folder. */
static const char *const written[] = {"trajectory.csv", "multipliers.csv", "summary.json",
                                      "branch.csv",     "scene.json",      NULL};

static torsor_status find_into(const char *folder, session *s, const periodic_options *options,
                               torsor_error *error) {
  const cli *common = &options->common;
  torsor_periodic *periodic = NULL;
  folder_lock lock = {-1};
  remarks printed = {.common = common};
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = &printed,
                              .warn = remarks_warn,
                              .threads = common->threads};
  torsor_status status = check_period(s, error);
  if (!status && options->follow) status = branch_check(options->follow, error);
  if (!status) status = folder_claim(&lock, folder, written, s, common, error);
  if (!status && !options->follow)
    status =
        session_locate(s,
                       torsor_periodic_find(&periodic, s->model, torsor_scene_simulation(s->scene),
                                            torsor_scene_periodic(s->scene), &hooks, error),
                       error);
  if (!status) status = folder_make(folder, error);
  if (!status) status = folder_lock_take(&lock, folder, error);
  if (!status && options->follow) {
    status = folder_clear(folder, torsor_scene_canonical(s->scene), error);
    if (!status) status = session_keep_scene(s, folder, error);
    if (!status) status = branch_follow(s, common, options->follow, folder, &hooks, error);
  } else if (!status) {
    status = write_files(folder, s, periodic, &printed, error);
    if (!status) status = answer(folder, s, periodic, common, error);
  }
  folder_lock_release(&lock);
  torsor_periodic_destroy(periodic);
  remarks_release(&printed);
  return status;
}

static torsor_status find(session *s, periodic_options *options, torsor_error *error) {
  cli *common = &options->common;
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (status) return status;
  char *folder = options->folder
                     ? path_format(error, "%s", options->folder)
                     : path_format(error, "out/%s_periodic", torsor_scene_name(s->scene));
  status = folder ? find_into(folder, s, options, error) : TORSOR_MEMORY;
  free(folder);
  return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  periodic_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case OPTION_FOLLOW:
    options->follow = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>_periodic/)", 0},
    {"follow", OPTION_FOLLOW, "PATH=FROM:TO[:STEP]", 0,
     "Follow the motions over a number of the scene, through folds: branch.csv", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Find a periodic motion of SCENE near its initial state by shooting, with its Floquet "
           "multipliers: multipliers.csv, one period in trajectory.csv, and summary.json.\v"
           "The scene gives the period under \"periodic\".  Motions are integrated by the method "
           "`radau` with constant steps, a whole number of them in a period.",
    .children = cli_children};

static int act(int argc, char **argv) {
  periodic_options options = {0};
  torsor_error error = {0};
  session s = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = find(&s, &options, &error);
  session_close(&s);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_periodic = {.name = "periodic",
                                .arguments = "SCENE [-o DIR] [--follow PATH=FROM:TO]",
                                .title = "periodic motion of a scene, and its stability",
                                .argp = &argp,
                                .act = act};
