/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"
#include "cli/study/study.h"

typedef struct schema_options {
  cli common;
  bool study;
} schema_options;

static torsor_status print_schema(const schema_options *options, session *s, torsor_error *error) {
  torsor_status status = session_open_types(s, &options->common, error);
  if (status != TORSOR_OK) return status;
  char *schema = NULL;
  status = options->study ? study_schema_text(&schema, error)
                          : torsor_schema_text(&schema, s->registry, error);
  if (status != TORSOR_OK) return status;
  text t = {0};
  text_append(&t, schema);
  if (t.length && t.data[t.length - 1] != '\n') text_append(&t, "\n");
  torsor_text_free(schema);
  return cli_print(&t, error);
}

enum { OPTION_STUDY = 896 };

static const struct argp_option extra[] = {
    {"study", OPTION_STUDY, NULL, 0, "The schema of studies (torsor sweep) instead", 0}, {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  schema_options *options = state->input;
  (void)argument;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case OPTION_STUDY:
    options->study = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .doc =
        "Print the JSON schema (draft-07) of scenes, made from the element types, or of studies.",
    .children = cli_children};

static int act(int argc, char **argv) {
  schema_options options = {0};
  session s = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 0, 0, &error);
  if (status == TORSOR_OK) status = print_schema(&options, &s, &error);
  session_close(&s);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_schema = {.name = "schema",
                              .arguments = "[--study]",
                              .title = "JSON schema of scenes or of studies",
                              .argp = &argp,
                              .act = act};
