/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

static torsor_status print_schema(const cli *common, session *s, torsor_error *error) {
  torsor_status status = session_open_types(s, common, error);
  if (status != TORSOR_OK) return status;
  char *schema = NULL;
  status = torsor_schema_text(&schema, s->registry, error);
  if (status != TORSOR_OK) return status;
  text t = {0};
  text_append(&t, schema);
  if (t.length && t.data[t.length - 1] != '\n') text_append(&t, "\n");
  torsor_text_free(schema);
  return cli_print(&t, error);
}

static const struct argp argp = {
    .doc = "Print the JSON schema (draft-07) of scenes, made from the element types.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  session s = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 0, 0, &error);
  if (status == TORSOR_OK) status = print_schema(&common, &s, &error);
  session_close(&s);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_schema = {
    .name = "schema", .arguments = "", .title = "JSON schema of scenes", .argp = &argp, .act = act};
