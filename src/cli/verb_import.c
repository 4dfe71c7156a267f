/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/inputs.h"
#include "results/file.h"
#include "robots/robot.h"

enum { OPTION_FIXED = 512 };

typedef struct import_options {
  cli common;
  const char *output;
  bool fixed;
} import_options;

/* The scene is read back, so that no file is written that the other verbs refuse. */
static torsor_status check_scene(session *s, const cli *common, const text *scene, const char *file,
                                 torsor_error *error) {
  torsor_status status = session_open_types(s, common, error);
  if (!status)
    status = torsor_scene_parse(&s->scene, scene->data, scene->length, "the scene", s->registry,
                                NULL, 0, error);
  if (!status) status = torsor_scene_model(&s->model, s->scene, error);
  if (status == TORSOR_SCENE)
    torsor_hint(error, "this is about the scene that \"%s\" makes: mend what it says in that file",
                file);
  return status;
}

static void append_notes(text *t, const robot *r, const cli *common) {
  if (common->json) text_append(t, ", \"notes\": [");
  for (const robot_note *n = r->note; n; n = n->next) {
    if (common->json) {
      text_append(t, n == r->note ? "{" : ", {");
      json_text(t, "file", r->file);
      json_count(t, "line", n->line);
      json_text(t, "note", n->words);
      text_append(t, "}");
    } else {
      text_printf(t, "%s:%ld: %s\n", r->file, n->line, n->words);
    }
  }
  if (common->json) text_append(t, "]");
}

static torsor_status answer(const robot *r, const session *s, const import_options *options,
                            torsor_error *error) {
  const torsor_model_counts count = torsor_model_count(s->model);
  const cli *common = &options->common;
  text t = {0};
  if (common->json) {
    text_append(&t, "{");
    json_text(&t, "scene", options->output);
    json_count(&t, "bodies", count.bodies);
    json_count(&t, "joints", count.joints);
    json_count(&t, "forces", count.forces);
    append_notes(&t, r, common);
    text_append(&t, "}\n");
  } else if (!common->quiet) {
    append_notes(&t, r, common);
    text_printf(&t, "%s: %d bodies, %d joints, %d forces\n", options->output, count.bodies,
                count.joints, count.forces);
  }
  return cli_answer(common, &t, error);
}

/* Writes the scene to the file that was named, or to stdout, where notes go to stderr. */
static torsor_status put(robot *r, const session *s, const import_options *options, text *scene,
                         torsor_error *error) {
  if (!options->output) {
    for (const robot_note *n = r->note; n; n = n->next)
      cli_warn(&options->common, "%s:%ld: %s", r->file, n->line, n->words);
    return cli_print(scene, error);
  }
  inputs in = {0};
  torsor_status status = inputs_add(&in, r->file, error);
  if (!status) status = inputs_check(&in, options->output, error);
  inputs_release(&in);
  if (!status) status = file_replace(options->output, scene->data, scene->length, error);
  return status ? status : answer(r, s, options, error);
}

static torsor_status import(robot *r, session *s, const import_options *options,
                            torsor_error *error) {
  text scene = {0};
  r->fixed = options->fixed;
  torsor_status status = robot_read(r, options->common.argument[0], error);
  if (!status) status = robot_merge(r);
  if (!status) status = robot_place(r);
  if (!status) status = robot_write(&scene, r);
  if (!status) status = check_scene(s, &options->common, &scene, r->file, error);
  if (!status) status = put(r, s, options, &scene, error);
  text_release(&scene);
  return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  import_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case OPTION_FIXED:
    options->fixed = true;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"output", 'o', "FILE", 0, "The scene (default: standard output)", 0},
    {"fixed", OPTION_FIXED, NULL, 0, "The root link is a part of the ground", 0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "ROBOT",
    .doc =
        "Make a scene of a robot description, URDF or MJCF.\vThe answer lists, by file and line, "
        "what the scene cannot carry and what was decided.",
    .children = cli_children};

static int act(int argc, char **argv) {
  import_options options = {0};
  torsor_error error = {0};
  robot r = {0};
  session s = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (!status) status = import(&r, &s, &options, &error);
  session_close(&s);
  robot_release(&r);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_import = {.name = "import",
                              .arguments = "ROBOT [-o FILE]",
                              .title = "make a scene of a robot description",
                              .argp = &argp,
                              .act = act};
