/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/inputs.h"
#include "results/file.h"

enum { OPTION_VTK = 512, OPTION_EVERY, OPTION_FROM, OPTION_TO };

typedef struct export_options {
  cli common;
  const char *output, *every, *from, *to;
  bool vtk;
} export_options;

/* State of one export: the source, the selection of frames and the number written. */
typedef struct exporting {
  session s;
  torsor_states *states;
  torsor_geometry geometry;
  double *time;
  char *output;
  folder_lock lock; /* lock of the output folder */
  long every, written;
  double from, to;
} exporting;

/* ---- options --------------------------------------------------------------------------------- */

static torsor_status read_time(double *out, const char *given, const char *option,
                               torsor_error *error) {
  if (!given || cli_number(out, given)) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "%s needs a time in s, not \"%s\"", option, given);
}

static torsor_status read_options(exporting *e, const export_options *options,
                                  torsor_error *error) {
  double every = 1;
  e->from = -HUGE_VAL;
  e->to = HUGE_VAL;
  if (!options->vtk) {
    torsor_fail(error, TORSOR_ARGUMENT, "the command does not say what to write");
    torsor_hint(error, "give --vtk to write files for ParaView");
    return TORSOR_ARGUMENT;
  }
  if (options->every && (!cli_number(&every, options->every) || !(every >= 1) || !(every <= 1e9) ||
                         every != floor(every)))
    return torsor_fail(error, TORSOR_ARGUMENT, "--every needs a whole number from 1 on, not \"%s\"",
                       options->every);
  e->every = (long)every;
  const torsor_status status = read_time(&e->from, options->from, "--from", error);
  return status ? status : read_time(&e->to, options->to, "--to", error);
}

/* ---- source ---------------------------------------------------------------------------------- */

/* Returns the path folder/name of a file that must exist. */
static torsor_status open_states(exporting *e, const char *folder, torsor_error *error) {
  char *file = NULL;
  torsor_status status =
      folder_find_result(&file, folder, "state.nc", "torsor run SCENE --full -o FOLDER", error);
  if (!status) status = torsor_states_open(&e->states, file, error);
  if (!status && torsor_states_count(e->states) == 0) {
    file_fail(error, file, "", 0);
    status = torsor_fail(error, TORSOR_FILE, "the file has no states, only its header");
    torsor_hint(error,
                "run the scene again: a run that ends before its first state leaves such a file");
  }
  free(file);
  if (status) return status;
  e->time = calloc((size_t)torsor_states_count(e->states) + 1, sizeof *e->time);
  if (!e->time) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return torsor_states_times(e->time, e->states, error);
}

static torsor_status open_model(exporting *e, const export_options *options, const char *folder,
                                torsor_error *error) {
  char *file = NULL;
  torsor_status status =
      folder_find_result(&file, folder, "scene.json", "torsor run SCENE -o FOLDER", error);
  if (!status) status = session_open(&e->s, &options->common, file, error);
  free(file);
  if (status) return status;
  const char *hash = torsor_states_text(e->states, "scene_hash");
  if (hash && strcmp(hash, torsor_scene_hash(e->s.scene)) != 0)
    return torsor_fail(error, TORSOR_ARGUMENT, "state.nc belongs to another scene than scene.json");
  return torsor_geometry_create(&e->geometry, e->s.model, error);
}

/* ---- writing --------------------------------------------------------------------------------- */

static torsor_status write_frames(exporting *e, torsor_vtk *vtk, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (long i = 0; i < torsor_states_count(e->states) && !status; i += e->every) {
    const torsor_frame *frame = NULL;
    if (e->time[i] < e->from || e->time[i] > e->to) continue;
    status = torsor_states_read(&frame, e->states, i, error);
    if (!status) status = torsor_vtk_write(vtk, frame, error);
    if (!status) ++e->written;
  }
  if (!status && !e->written)
    status = torsor_fail(error, TORSOR_ARGUMENT, "there is no state between these times");
  return status;
}

static torsor_status check_output(const exporting *e, const export_options *options,
                                  torsor_error *error) {
  static const char *const written[] = {"model.pvd",  "bodies_*.vtp", "beams_*.vtp", "ground.vtp",
                                        "forces.pvd", "forces_*.vtp", NULL};
  inputs in = {0};
  torsor_status status = inputs_add_result(&in, options->common.argument[0], error);
  if (!status) status = inputs_add_scene(&in, &e->s, &options->common, error);
  if (!status) status = inputs_check_folder(&in, e->output, written, error);
  inputs_release(&in);
  return status;
}

static torsor_status write_vtk(exporting *e, torsor_error *error) {
  torsor_vtk *vtk = NULL;
  torsor_status status = folder_make(e->output, error);
  if (!status) status = folder_lock_take(&e->lock, e->output, error);
  if (!status)
    status =
        torsor_vtk_create(&vtk, e->output, &e->geometry, torsor_states_layout(e->states), error);
  if (!status) status = write_frames(e, vtk, error);
  const torsor_status closed = torsor_vtk_close(vtk, status ? NULL : error);
  return status ? status : closed;
}

static torsor_status answer(const exporting *e, const cli *common, torsor_error *error) {
  text t = {0};
  if (common->json) {
    text_append(&t, "{");
    json_text(&t, "folder", e->output);
    json_count(&t, "frames", e->written);
    text_append(&t, "}\n");
  } else if (!common->quiet) {
    text_printf(&t, "%s: %ld frames, open model.pvd\n", e->output, e->written);
  }
  return cli_answer(common, &t, error);
}

static torsor_status export_result(exporting *e, const export_options *options,
                                   torsor_error *error) {
  const char *folder = options->common.argument[0];
  torsor_status status = read_options(e, options, error);
  if (!status) status = open_states(e, folder, error);
  if (!status) status = open_model(e, options, folder, error);
  if (status) return status;
  e->output = options->output ? path_format(error, "%s", options->output)
                              : path_format(error, "%s/vtk", folder);
  if (!e->output) return TORSOR_MEMORY;
  status = check_output(e, options, error);
  if (!status) status = write_vtk(e, error);
  return status ? status : answer(e, &options->common, error);
}

static void release(exporting *e) {
  torsor_geometry_destroy(&e->geometry);
  session_close(&e->s);
  torsor_states_close(e->states);
  folder_lock_release(&e->lock);
  free(e->time);
  free(e->output);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  export_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case OPTION_VTK:
    options->vtk = true;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case OPTION_EVERY:
    options->every = argument;
    return 0;
  case OPTION_FROM:
    options->from = argument;
    return 0;
  case OPTION_TO:
    options->to = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"vtk", OPTION_VTK, NULL, 0, "Write files for ParaView: model.pvd and forces.pvd", 0},
    {"output", 'o', "FOLDER", 0, "Folder for them (default: vtk in the folder of results)", 0},
    {"every", OPTION_EVERY, "N", 0, "Every Nth state only", 0},
    {"from", OPTION_FROM, "T", 0, "None before this time, s", 0},
    {"to", OPTION_TO, "T", 0, "None after this time, s", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "DIR",
    .doc = "Write the states in DIR, results of `torsor run --full`, for other programs.\v"
           "--vtk: bodies, beams and the ground as surfaces, and forces of joints as points with "
           "vectors, one file for each state.  What bodies look like is their \"shape\" in the "
           "scene.",
    .children = cli_children};

static int act(int argc, char **argv) {
  export_options options = {0};
  torsor_error error = {0};
  exporting e = {.lock = {-1}};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (!status) status = export_result(&e, &options, &error);
  release(&e);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_export = {.name = "export",
                              .arguments = "DIR --vtk [-o FOLDER]",
                              .title = "write results for other programs",
                              .argp = &argp,
                              .act = act};
