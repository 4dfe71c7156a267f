/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/full.h"
#include "cli/method_words.h"

static void add_row_name(text *t, const torsor_model *model, int element, int row) {
  text_printf(t, "%s[%d]", torsor_model_element_name(model, element), row);
}

/* A scene for statics alone has no rows that are known before. */
static bool has_rows(const session *s) {
  return !torsor_scene_is_static(s->scene);
}

/* With which steps a method begins that chooses them. */
static void add_first_steps(text *t, const session *s) {
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  const char *first;
  int element;
  if (!torsor_method_needs_accuracy(simulation->settings.method)) return;
  if (torsor_foresee_method(&first, &element, s->model, simulation, NULL)) return;
  if (torsor_method_is_explicit(first)) {
    text_append(t, "; it begins with explicit steps, as nothing is stiff then");
    return;
  }
  text_append(t, "; it begins with implicit steps");
  if (element < 0) return;
  const torsor_element_type *type = torsor_model_element_type(s->model, element);
  text_printf(t, ", as explicit ones would be kept small by %s \"%s\"", type->name,
              torsor_model_element_name(s->model, element));
}

/* Which method and steps the scene gets, and why. */
static void add_method(text *t, const session *s, const torsor_check *check, bool json) {
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  text method = {0}, steps = {0};
  method_words(&method, &check->counts, simulation);
  add_first_steps(&method, s);
  steps_words(&steps, simulation);
  if (method.failed || steps.failed) {
    t->failed = true;
  } else if (json) {
    json_text(t, "method", method.data);
    json_text(t, "steps", steps.data);
  } else {
    text_printf(t, "  method        %s\n  steps         %s\n", method.data, steps.data);
  }
  text_release(&method);
  text_release(&steps);
}

static void print_json(text *t, const session *s, const torsor_check *check,
                       const full_size *size) {
  const torsor_model *model = s->model;
  const torsor_model_counts *n = &check->counts;
  text_append(t, "{");
  json_count(t, "bodies", n->bodies);
  json_count(t, "joints", n->joints);
  json_count(t, "forces", n->forces);
  json_count(t, "nodes", n->nodes);
  json_count(t, "coordinates", n->coordinates);
  json_count(t, "velocities", n->velocities);
  json_count(t, "holonomic", n->holonomic);
  json_count(t, "nonholonomic", n->nonholonomic);
  json_count(t, "gruebler", check->gruebler);
  json_count(t, "mobility", check->mobility);
  json_count(t, "rank", check->rank);
  json_key(t, "redundant");
  text_append(t, "[");
  for (int i = 0; i < check->redundant_count; ++i) {
    const torsor_redundant_row *row = &check->redundant[i];
    text_append(t, i ? ", {" : "{");
    json_text(t, "joint", torsor_model_element_name(model, row->element));
    json_count(t, "row", row->row);
    json_key(t, "ignored");
    text_append(t, row->ignored ? "true" : "false");
    json_key(t, "with");
    text_append(t, "[");
    for (int k = 0; k < row->with_count; ++k) {
      text_append(t, k ? ", {" : "{");
      json_text(t, "joint", torsor_model_element_name(model, row->with[k]));
      json_count(t, "row", row->with_row[k]);
      text_append(t, "}");
    }
    text_append(t, "]}");
  }
  text_append(t, "]");
  json_key(t, "warnings");
  text_append(t, "[");
  for (int i = 0; i < check->warning_count; ++i) {
    if (i) text_append(t, ", ");
    text_json_string(t, check->warnings[i]);
  }
  text_append(t, "]");
  if (has_rows(s)) {
    add_method(t, s, check, true);
    json_key(t, "output");
    text_append(t, "{");
    json_count(t, "rows", size->rows);
    json_number(t, "trajectory_bytes", size->trajectory);
    json_bool(t, "full", torsor_scene_recording(s->scene)->full);
    json_count(t, "states", size->frames);
    json_number(t, "state_bytes", size->state);
    text_append(t, "}");
  }
  text_append(t, "}\n");
}

static void print_output(text *t, const session *s, const full_size *size) {
  char shown[2][32];
  const bool full = torsor_scene_recording(s->scene)->full;
  text_printf(t,
              "  output        %ld rows, trajectory.csv about %s; %ld full states, state.nc %s%s\n",
              size->rows, full_show_bytes(shown[0], size->trajectory), size->frames,
              full_show_bytes(shown[1], size->state), full ? "" : " (with --full)");
}

static void print_for_people(text *t, const session *s, const torsor_check *check,
                             const full_size *size) {
  const torsor_model_counts *n = &check->counts;
  const char *title = torsor_scene_title(s->scene);
  text_printf(t, "%s%s%s\n", torsor_scene_name(s->scene), title[0] ? ": " : "", title);
  text_printf(t, "  bodies        %d, joints %d, forces %d\n", n->bodies, n->joints, n->forces);
  text_printf(t, "  nodes         %d, coordinates %d, velocities %d\n", n->nodes, n->coordinates,
              n->velocities);
  text_printf(t, "  constraints   %d holonomic, %d nonholonomic, rank %d\n", n->holonomic,
              n->nonholonomic, check->rank);
  text_printf(t, "  mobility      %d (Gruebler count %d)\n", check->mobility, check->gruebler);
  text_printf(t, "  redundant     %s\n", check->redundant_count ? "rows:" : "none");
  for (int i = 0; i < check->redundant_count; ++i) {
    const torsor_redundant_row *row = &check->redundant[i];
    text_append(t, "    ");
    add_row_name(t, s->model, row->element, row->row);
    text_append(t, row->ignored      ? " is ignored: it contradicts others by rounding"
                   : row->with_count ? " repeats"
                                     : "");
    for (int k = 0; k < row->with_count; ++k) {
      text_append(t, k ? ", " : " ");
      add_row_name(t, s->model, row->with[k], row->with_row[k]);
    }
    text_append(t, "\n");
  }
  if (has_rows(s)) {
    add_method(t, s, check, false);
    print_output(t, s, size);
  }
  for (int i = 0; i < check->warning_count; ++i)
    text_printf(t, "  warning       %s\n", check->warnings[i]);
}

static torsor_status check_scene(const cli *common, session *s, torsor_error *error) {
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (status != TORSOR_OK) return status;
  torsor_check check = {0};
  full_size size = {0};
  status = session_locate(s, torsor_check_model(&check, s->model, error), error);
  if (status == TORSOR_OK && has_rows(s))
    status = session_locate(
        s, torsor_check_simulation(s->model, torsor_scene_simulation(s->scene), error), error);
  if (status == TORSOR_OK) status = session_differentiate(s, error);
  if (status == TORSOR_OK) {
    status = torsor_check_jumps(&check, s->model, torsor_scene_simulation(s->scene)->duration);
    if (status) torsor_fail(error, status, "out of memory");
  }
  if (status == TORSOR_OK) status = full_measure(&size, s, true, error);
  if (status == TORSOR_OK) {
    text t = {0};
    if (common->json)
      print_json(&t, s, &check, &size);
    else if (!common->quiet)
      print_for_people(&t, s, &check, &size);
    status = cli_answer(common, &t, error);
  }
  torsor_check_destroy(&check);
  return status;
}

static const struct argp argp = {
    .args_doc = "SCENE",
    .doc = "Read and assemble SCENE; count bodies, unknowns, constraints and mobility, name "
           "redundant constraint rows, and estimate the size of the results.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  session s = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = check_scene(&common, &s, &error);
  session_close(&s);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_check = {.name = "check",
                             .arguments = "SCENE",
                             .title = "read and assemble a scene, count unknowns and constraints",
                             .argp = &argp,
                             .act = act};
