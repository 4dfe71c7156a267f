/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <torsor/result.h>

#include "cli/campbell.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/remarks.h"
#include "cli/session.h"
#include "results/file.h"

typedef struct modes_options {
  cli common;
  const char *folder, *count, *about, *solver;
  bool matrices;
  const char *sweep, *orders;
} modes_options;

enum { OPTION_ABOUT = 512, OPTION_SOLVER, OPTION_MATRICES, OPTION_SWEEP, OPTION_ORDERS };

/* ---- settings ------------------------------------------------------------------------------ */

/* Sets *choice to the index of `word` among words [count]; a NULL word changes nothing. */
static torsor_status choose(int *choice, const char *option, const char *word,
                            const char *const *words, int count, torsor_error *error) {
  if (!word) return TORSOR_OK;
  for (int i = 0; i < count; ++i) {
    if (strcmp(word, words[i]) != 0) continue;
    *choice = i;
    return TORSOR_OK;
  }
  torsor_fail(error, TORSOR_ARGUMENT, "%s: there is no \"%s\"", option, word);
  torsor_hint(error, "there are %s, %s%s%s", words[0], words[1], count > 2 ? " and " : "",
              count > 2 ? words[2] : "");
  return TORSOR_ARGUMENT;
}

static torsor_status read_settings(torsor_modes_settings *out, const modes_options *options,
                                   const torsor_scene *scene, torsor_error *error) {
  static const char *const abouts[] = {"initial", "equilibrium", "steady"};
  static const char *const solvers[] = {"auto", "dense", "sparse"};
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  int about = simulation->equilibrium ? TORSOR_ABOUT_EQUILIBRIUM
              : simulation->steady    ? TORSOR_ABOUT_STEADY
                                      : TORSOR_ABOUT_INITIAL;
  int solver = TORSOR_MODES_AUTO;
  double count = 0;
  torsor_status status = choose(&about, "--about", options->about, abouts, 3, error);
  if (!status) status = choose(&solver, "--solver", options->solver, solvers, 3, error);
  if (!status && options->count &&
      (!cli_number(&count, options->count) || !(count >= 1) || count > 1e6 ||
       count != floor(count)))
    status =
        torsor_fail(error, TORSOR_ARGUMENT, "-n: \"%s\" is not a number of modes", options->count);
  *out = (torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                 .count = (int)count,
                                 .about = (torsor_about)about,
                                 .solver = (torsor_modes_solver)solver,
                                 .matrices = options->matrices,
                                 .equilibrium = torsor_scene_statics(scene),
                                 .linear_solver = simulation->linear_solver};
  return status;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Shapes of an earlier run with more modes must not stand beside the new ones. */
static torsor_status remove_shape(const char *folder, int index, bool *was, torsor_error *error) {
  char *file = path_format(error, "%s/mode_%03d.csv", folder, index);
  if (!file) return TORSOR_MEMORY;
  *was = unlink(file) == 0;
  const torsor_status status =
      *was || errno == ENOENT ? TORSOR_OK : file_fail(error, file, "remove the file", errno);
  free(file);
  return status;
}

/* Writes the matrices that were kept, and the table of their unknowns. */
static torsor_status write_matrices(const torsor_modes *modes, const char *folder,
                                    torsor_error *error) {
  char *document = NULL;
  torsor_status status = torsor_unknowns_csv_text(&document, modes, error);
  status = write_document(folder, "unknowns.csv", document, status, error);
  for (int i = 0; i < TORSOR_MATRICES && !status; ++i) {
    status = torsor_matrix_text(&document, modes, i, error);
    if (!status && document)
      status = write_document(folder, torsor_matrix_file(i), document, status, error);
  }
  return status;
}

static torsor_status write_files(const torsor_modes *modes, const char *folder,
                                 const torsor_modes_settings *settings, const session *s,
                                 const remarks *printed, torsor_error *error) {
  const torsor_scene *scene = s->scene;
  const torsor_result_info info = {.scene = torsor_scene_name(scene),
                                   .title = torsor_scene_title(scene),
                                   .hash = torsor_scene_hash(scene),
                                   .warning = (const char *const *)printed->line,
                                   .warnings = printed->count};
  char *document = NULL;
  torsor_status status = folder_clear(folder, torsor_scene_canonical(scene), error);
  if (!status) status = session_keep_scene(s, folder, error);
  if (!status) status = torsor_modes_csv_text(&document, modes, error);
  status = write_document(folder, "modes.csv", document, status, error);
  for (int i = 0; i < modes->count && !status; ++i) {
    char name[32];
    snprintf(name, sizeof name, "mode_%03d.csv", i + 1);
    document = NULL;
    status = torsor_mode_shape_text(&document, modes, i, error);
    status = write_document(folder, name, document, status, error);
  }
  bool more = true;
  for (int i = modes->count + 1; more && !status; ++i)
    status = remove_shape(folder, i, &more, error);
  if (!status && settings->matrices) status = write_matrices(modes, folder, error);
  if (status) return status;
  document = NULL;
  status = torsor_modes_summary_text(&document, modes, settings, &info, error);
  return write_document(folder, "summary.json", document, status, error);
}

/* ---- answer -------------------------------------------------------------------------------- */

static const char *describe(const torsor_mode *m) {
  if (m->kind == TORSOR_MODE_RIGID) return "rigid motion, eigenvalue 0";
  if (m->unstable)
    return m->kind == TORSOR_MODE_REAL ? "UNSTABLE, grows" : "UNSTABLE, swings and grows";
  if (m->kind == TORSOR_MODE_REAL) return "decays";
  return "";
}

static void print_for_people(text *t, const torsor_modes *modes) {
  text_append(t, "mode\tfrequency Hz\tdamping ratio\teigenvalue 1/s\t\t  \n");
  for (int i = 0; i < modes->count; ++i) {
    const torsor_mode *m = &modes->mode[i];
    text_printf(t, "%d\t%.8g\t%.4g\t%.6g\t%+.9g i\t  %s\n", i + 1, m->frequency_hz,
                m->damping_ratio, m->re, m->im, describe(m));
  }
}

static torsor_status answer(const torsor_modes *modes, const cli *common, const char *folder,
                            torsor_error *error) {
  text t = {0};
  if (common->json) {
    char *document = NULL;
    torsor_status status = torsor_modes_json_text(&document, modes, error);
    if (!status) text_append(&t, document);
    torsor_text_free(document);
    return status ? status : cli_print(&t, error);
  }
  if (common->quiet) return TORSOR_OK;
  print_for_people(&t, modes);
  torsor_status status = cli_print_columns(&t, "rrrrrl", error);
  if (status) return status;
  text_printf(&t, "%s%s; results %s/\n", modes->undamped ? "undamped" : "general",
              modes->moves ? ", about a steady motion" : "", folder);
  return cli_answer(common, &t, error);
}

/* Files of the verb in its folder. */
static const char *const written[] = {
    "modes.csv", "mode_*.csv", "summary.json", "scene.json", "*.mtx", "unknowns.csv", NULL};

/* Computes the modes and writes them into `folder`. */
static torsor_status find_into(const char *folder, session *s, modes_options *options,
                               const torsor_modes_settings *settings, torsor_error *error) {
  const cli *common = &options->common;
  torsor_modes *modes = NULL;
  folder_lock lock = {-1};
  remarks printed = {.common = common};
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = &printed,
                              .warn = remarks_warn,
                              .threads = common->threads};
  torsor_status status = folder_claim(&lock, folder, written, s, common, error);
  if (!status)
    status = session_locate(s, torsor_modes_find(&modes, s->model, settings, &hooks, error), error);
  if (!status) status = folder_make(folder, error);
  if (!status) status = folder_lock_take(&lock, folder, error);
  if (!status) status = write_files(modes, folder, settings, s, &printed, error);
  if (!status) status = answer(modes, common, folder, error);
  folder_lock_release(&lock);
  torsor_modes_destroy(modes);
  remarks_release(&printed);
  return status;
}

static torsor_status find_modes(session *s, modes_options *options, torsor_error *error) {
  cli *common = &options->common;
  torsor_modes_settings settings;
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (!status) status = read_settings(&settings, options, s->scene, error);
  if (status) return status;
  char *folder = options->folder ? path_format(error, "%s", options->folder)
                                 : path_format(error, "out/%s_modes", torsor_scene_name(s->scene));
  status = folder ? find_into(folder, s, options, &settings, error) : TORSOR_MEMORY;
  free(folder);
  return status;
}

static torsor_status settings_of(torsor_modes_settings *out, const void *options,
                                 const torsor_scene *scene, torsor_error *error) {
  return read_settings(out, options, scene, error);
}

static torsor_status sweep(session *s, modes_options *options, torsor_error *error) {
  const campbell_options wanted = {.common = &options->common,
                                   .folder = options->folder,
                                   .sweep = options->sweep,
                                   .orders = options->orders,
                                   .settings = settings_of,
                                   .options = options};
  return campbell_run(s, &wanted, error);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  modes_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case 'n':
    options->count = argument;
    return 0;
  case OPTION_ABOUT:
    options->about = argument;
    return 0;
  case OPTION_SOLVER:
    options->solver = argument;
    return 0;
  case OPTION_SWEEP:
    options->sweep = argument;
    return 0;
  case OPTION_ORDERS:
    options->orders = argument;
    return 0;
  case OPTION_MATRICES:
    options->matrices = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"number", 'n', "K", 0, "How many modes, those of the lowest frequencies (default up to 10)",
     0},
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>_modes/)", 0},
    {"about", OPTION_ABOUT, "STATE", 0,
     "initial, equilibrium or steady; default: where the simulation would begin", 0},
    {"solver", OPTION_SOLVER, "NAME", 0, "auto, dense (all modes) or sparse (ARPACK)", 0},
    {"matrices", OPTION_MATRICES, NULL, 0,
     "Write the linearised system, too: M.mtx, C.mtx, K.mtx, B.mtx and what their rows are", 0},
    {"sweep", OPTION_SWEEP, "PATH=FROM:TO:COUNT", 0,
     "Follow the modes while this value of the scene changes: campbell.csv", 0},
    {"orders", OPTION_ORDERS, "K1,K2,...", 0,
     "The value swept is a rate, rad/s: where modes cross these multiples of it", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Linearise SCENE about its initial state, its equilibrium or a steady motion, and "
           "find the "
           "modes of the lowest frequencies: modes.csv, a shape per mode, mode_001.csv and so "
           "on, and "
           "summary.json.\v"
           "The state must be an equilibrium or a steady motion: bodies that turn or run on at "
           "constant velocities, seen from frames in which nothing changes.",
    .children = cli_children};

static int act(int argc, char **argv) {
  modes_options options = {0};
  torsor_error error = {0};
  session s = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK)
    status = options.sweep ? sweep(&s, &options, &error) : find_modes(&s, &options, &error);
  session_close(&s);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_modes = {.name = "modes",
                             .arguments = "SCENE [-n K] [-o DIR]",
                             .title = "eigenfrequencies and shapes about a state of a scene",
                             .argp = &argp,
                             .act = act};
