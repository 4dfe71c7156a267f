/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full states hold what the signals say, and what is written is what is read. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "states_kit.h"

enum { MOST_FRAMES = 64 };

/* A run whose frames are looked at. */
typedef struct watch {
  torsor_layout layout;
  torsor_signals *signals;
  const double *row; /* the signals at the row that has just been recorded */
  int rows, frames;
  double worst;             /* |frame - signal|, of numbers that are the same */
  double phi, phi_velocity; /* largest residuals */
  int compared;
  torsor_netcdf *netcdf;
  size_t size;
  double *kept; /* [frames x size] */
} watch;

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  watch *w = data;
  (void)t;
  CHECK_INT(count, torsor_signals_count(w->signals));
  w->row = values;
  w->rows += 1;
  return TORSOR_OK;
}

/* The value of the signal with this name, from column *at on, which goes on behind it. */
static double find_signal(const watch *w, const char *name, int *at) {
  const int count = torsor_signals_count(w->signals);
  for (int tried = 0; tried < count; ++tried) {
    const int column = (*at + tried) % count;
    if (strcmp(torsor_signals_name(w->signals, column), name) != 0) continue;
    *at = column + 1;
    return w->row[column];
  }
  print_error("no signal %s\n", name);
  CHECK_TRUE(false);
  return 0;
}

static void compare_number(watch *w, double value, const char *owner, const char *name,
                           const char *component, int *at) {
  char full[200];
  snprintf(full, sizeof full, "%s%s%s%s%s", owner, name[0] ? "." : "", name,
           component[0] ? "." : "", component);
  w->worst = check_max(w->worst, fabs(value - find_signal(w, full, at)));
  w->compared += 1;
}

static void compare_nodes(watch *w, const torsor_frame *frame) {
  static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
  int at = 0;
  for (int i = 0; i < w->layout.nodes; ++i) {
    for (int f = TORSOR_FIELD_POSITION; f <= TORSOR_FIELD_ANGULAR_ACCELERATION; ++f) {
      const bool turns = f % 2 == 1, four = f == TORSOR_FIELD_QUATERNION;
      const int components = four ? 4 : 3;
      if (turns && w->layout.node_group[i] == TORSOR_GROUP_R3) {
        CHECK_NEAR(frame->field[f][components * i], four ? 1 : 0, 0);
        continue;
      }
      for (int k = 0; k < components; ++k)
        compare_number(w, frame->field[f][components * i + k], w->layout.node_name[i],
                       torsor_field_name((torsor_field)f), four ? wxyz[k] : xyz[k], &at);
    }
  }
}

static void compare_list(watch *w, const double *values, const char *const *names, int count) {
  int at = 0;
  for (int i = 0; i < count; ++i) compare_number(w, values[i], names[i], "", "", &at);
}

static void compare_whole(watch *w, const torsor_frame *frame) {
  static const char *const energies[] = {"energy.kinetic", "energy.potential", "energy.elastic",
                                         "energy.total"};
  static const char *const momenta[] = {"momentum.x", "momentum.y", "momentum.z"};
  static const char *const spins[] = {"angular_momentum.x", "angular_momentum.y",
                                      "angular_momentum.z"};
  compare_list(w, frame->field[TORSOR_FIELD_ENERGY], energies, 4);
  compare_list(w, frame->field[TORSOR_FIELD_MOMENTUM], momenta, 3);
  compare_list(w, frame->field[TORSOR_FIELD_ANGULAR_MOMENTUM], spins, 3);
}

static void compare_rows(watch *w, const torsor_frame *frame) {
  const torsor_layout *l = &w->layout;
  for (int i = 0; i < l->rows; ++i) {
    char name[200];
    int at = 0, prefix = (int)(strstr(l->row_name[i], ".lambda.") - l->row_name[i]);
    snprintf(name, sizeof name, "%.*s.phi.%s", prefix, l->row_name[i],
             l->row_name[i] + prefix + strlen(".lambda."));
    compare_number(w, frame->field[TORSOR_FIELD_RESIDUAL][i], name, "", "", &at);
    w->phi = check_max(w->phi, fabs(frame->field[TORSOR_FIELD_RESIDUAL][i]));
    w->phi_velocity = check_max(w->phi_velocity, fabs(frame->field[TORSOR_FIELD_RESIDUAL_RATE][i]));
  }
  if (l->rows) compare_list(w, frame->field[TORSOR_FIELD_MULTIPLIER], l->row_name, l->rows);
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  watch *w = data;
  const torsor_layout *l = &w->layout;
  CHECK_INT(frame->size, w->size);
  compare_nodes(w, frame);
  compare_rows(w, frame);
  compare_whole(w, frame);
  if (l->coordinates) {
    compare_list(w, frame->field[TORSOR_FIELD_COORDINATE], l->coordinate_name, l->coordinates);
    compare_list(w, frame->field[TORSOR_FIELD_RATE], l->rate_name, l->coordinates);
  }
  if (l->outputs) compare_list(w, frame->field[TORSOR_FIELD_OUTPUT], l->output_name, l->outputs);
  if (l->stresses) compare_list(w, frame->field[TORSOR_FIELD_STRESS], l->stress_name, l->stresses);
  CHECK_TRUE(w->frames < MOST_FRAMES);
  memcpy(w->kept + (size_t)w->frames++ * w->size, frame->value, w->size * sizeof *frame->value);
  return torsor_netcdf_write(w->netcdf, frame);
}

static void open_watch(watch *w, const support_world *world, const torsor_recording *recording,
                       bool statics) {
  /* states_everything, under its first word */
  const torsor_result_info info = states_info(world, statics);
  torsor_error error = {0};
  *w = (watch){0};
  CHECK_INT(torsor_layout_create(&w->layout, world->model, recording->fields, &error), TORSOR_OK);
  const int elements = w->layout.elements, count = elements + 3;
  const char **names = calloc((size_t)count, sizeof *names);
  char(*word)[128] = calloc((size_t)elements, sizeof *word);
  int chosen = 0;
  for (int i = 0; i < elements; ++i) {
    /* "wing.element[0]" has its signals under "wing" */
    snprintf(word[i], sizeof word[i], "%s", w->layout.element_name[i]);
    word[i][strcspn(word[i], ".[")] = '\0';
    if (!i || strcmp(word[i], word[i - 1]) != 0) names[chosen++] = word[i];
  }
  names[chosen++] = "energy";
  names[chosen++] = "momentum";
  names[chosen++] = "angular_momentum";
  CHECK_INT(torsor_signals_create(&w->signals, world->model, names, chosen, NULL, &error),
            TORSOR_OK);
  free(names);
  free(word);
  w->size = torsor_frame_size(&w->layout, recording->fields);
  w->kept = calloc(MOST_FRAMES * w->size, sizeof *w->kept);
  CHECK_INT(torsor_netcdf_create(&w->netcdf, states_path, &w->layout, recording, &info, &error),
            TORSOR_OK);
}

static void close_watch(watch *w) {
  torsor_netcdf_close(w->netcdf, NULL);
  torsor_signals_destroy(w->signals);
  torsor_layout_destroy(&w->layout);
  free(w->kept);
}

static torsor_hooks hooks_of(watch *w, const torsor_recording *recording) {
  return (torsor_hooks){.size = sizeof(torsor_hooks),
                        .data = w,
                        .record = keep_row,
                        .frame = keep_frame,
                        .recording = *recording};
}

static void check_names(const char *const *found, const char *const *expected, int count) {
  for (int i = 0; i < count; ++i) CHECK_STR(found[i], expected[i]);
}

static void check_numbers(const int *found, const int *expected, int count) {
  for (int i = 0; i < count; ++i) CHECK_INT(found[i], expected[i]);
}

static void check_layout(const torsor_layout *l, const torsor_layout *m) {
  CHECK_INT(l->elements, m->elements);
  CHECK_INT(l->nodes, m->nodes);
  CHECK_INT(l->rows, m->rows);
  CHECK_INT(l->coordinates, m->coordinates);
  CHECK_INT(l->outputs, m->outputs);
  check_names(l->element_name, m->element_name, l->elements);
  check_names(l->element_type, m->element_type, l->elements);
  check_names(l->node_name, m->node_name, l->nodes);
  check_names(l->row_name, m->row_name, l->rows);
  check_names(l->coordinate_name, m->coordinate_name, l->coordinates);
  check_names(l->rate_name, m->rate_name, l->coordinates);
  check_names(l->coordinate_unit, m->coordinate_unit, l->coordinates);
  check_names(l->output_name, m->output_name, l->outputs);
  check_names(l->output_unit, m->output_unit, l->outputs);
  check_numbers(l->node_element, m->node_element, l->nodes);
  check_numbers(l->node_group, m->node_group, l->nodes);
  check_numbers(l->node_abstract, m->node_abstract, l->nodes);
  check_numbers(l->row_element, m->row_element, l->rows);
  check_numbers(l->coordinate_element, m->coordinate_element, l->coordinates);
  check_numbers(l->output_element, m->output_element, l->outputs);
}

/* The file has the frames that were kept, to the last bit. */
static void check_file(const watch *w, int frames) {
  torsor_states *states;
  torsor_error error = {0};
  CHECK_INT(torsor_states_open(&states, states_path, &error), TORSOR_OK);
  CHECK_INT(torsor_states_count(states), frames);
  check_layout(torsor_states_layout(states), &w->layout);
  double *t = calloc((size_t)frames + 1, sizeof *t);
  CHECK_INT(torsor_states_times(t, states, &error), TORSOR_OK);
  for (int i = frames - 1; i >= 0; --i) {
    const torsor_frame *frame;
    CHECK_INT(torsor_states_read(&frame, states, i, &error), TORSOR_OK);
    CHECK_INT(frame->size, w->size);
    CHECK_NEAR(t[i], frame->value[0], 0);
    CHECK_INT(memcmp(frame->value, w->kept + (size_t)i * w->size, w->size * sizeof *frame->value),
              0);
  }
  const torsor_frame *none;
  CHECK_INT(torsor_states_read(&none, states, frames, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_states_read(&none, states, -1, &error), TORSOR_ARGUMENT);
  CHECK_STR(torsor_states_text(states, "torsor_version"), torsor_version());
  CHECK_TRUE(torsor_states_text(states, "nothing") == NULL);
  free(t);
  torsor_states_close(states);
}

/* ---- what full states hold ------------------------------------------------------------------- */

static void check_scene(const char *name, const char *const *set, bool statics) {
  support_world world;
  torsor_error error = {0};
  watch w;
  support_load(&world, name, set);
  open_watch(&w, &world, &states_everything, statics);
  const torsor_hooks hooks = hooks_of(&w, &states_everything);
  torsor_summary summary;
  torsor_statics_summary rest;
  const torsor_simulation *simulation = torsor_scene_simulation(world.scene);
  const torsor_status status =
      statics ? torsor_statics_run(&rest, world.model, torsor_scene_statics(world.scene), NULL,
                                   w.signals, &hooks, &error)
              : torsor_simulate(&summary, world.model, simulation, w.signals, &hooks, &error);
  if (status) print_error("%s: %s\n", name, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(torsor_netcdf_close(w.netcdf, &error), TORSOR_OK);
  w.netcdf = NULL;
  CHECK_INT(w.frames, w.rows);
  CHECK_NEAR(w.worst, 0, 0);
  print_message("  %s: %d nodes, %d rows, %d coordinates, %d outputs, %d stresses: %d numbers are "
                "those of the signals\n",
                name, w.layout.nodes, w.layout.rows, w.layout.coordinates, w.layout.outputs,
                w.layout.stresses, w.compared);
  check_file(&w, w.frames);
  double bytes;
  const torsor_result_info info = states_info(&world, statics);
  CHECK_INT(torsor_netcdf_bytes(&bytes, w.frames, &w.layout, &states_everything, &info, &error),
            TORSOR_OK);
  CHECK_NEAR(bytes, states_file_bytes(), 0);
  if (!statics && !summary.stopped_by) CHECK_INT(w.rows, torsor_simulation_rows(simulation));
  if (!statics) {
    CHECK_NEAR(summary.max_phi, w.phi, 0);
    CHECK_NEAR(summary.max_phi_velocity, w.phi_velocity, 0);
  }
  close_watch(&w);
  support_close(&world);
}

static void states_are_what_signals_say(void **state) {
  (void)state;
  static const char *const few[] = {"simulation.duration=0.02", "output.every=4", NULL};
  static const char *const tenth[] = {"simulation.duration=0.1", NULL};
  check_scene("heavy_top", few, false);
  check_scene("flyball_governor", few, false);
  check_scene("rotating_shaft", few, false);
  check_scene("swinging_atwood", few, false);
  check_scene("latch", tenth, false);
  check_scene("rolling_coin", few, false);
  static const char *const bends[] = {
      "simulation={\"step\": 1e-4, \"duration\": 1e-3, \"start\": \"plain\"}", "parameters.n=4",
      "gravity=[0, 3, -9]", NULL};
  check_scene("timoshenko_modes", bends, false);
}

static void states_of_statics_are_what_signals_say(void **state) {
  (void)state;
  check_scene("reduced_boom", NULL, true);
  check_scene("catenary", NULL, true);
}

/* ---- which of them --------------------------------------------------------------------------- */

/* Rows 0, 3, 6, 9 and the last one, 10; without residuals, of which there are none. */
static void some_rows_and_channels(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  watch w;
  CHECK_INT(support_open(&world, states_rotor, NULL, &error), TORSOR_OK);
  torsor_recording thin = states_everything;
  thin.every = 3;
  open_watch(&w, &world, &thin, false);
  const torsor_hooks hooks = hooks_of(&w, &thin);
  torsor_summary summary;
  const torsor_simulation *simulation = torsor_scene_simulation(world.scene);
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, w.signals, &hooks, &error),
            TORSOR_OK);
  CHECK_INT(w.rows, 11);
  CHECK_INT(w.frames, 5);
  CHECK_INT(torsor_recording_frames(&thin, torsor_simulation_rows(simulation)), 5);
  static const double expected[] = {0, 0.03, 0.06, 0.09, 0.1};
  for (int i = 0; i < 5; ++i)
    CHECK_NEAR(w.kept[(size_t)i * w.size], expected[i], 4 * CHECK_EPS * expected[i]);
  for (long rows = 0; rows < 30; ++rows) {
    long frames = 0;
    for (long row = 0; row < rows; ++row) frames += row % 3 == 0 || row == rows - 1;
    CHECK_INT(torsor_recording_frames(&thin, rows), frames);
  }
  close_watch(&w);
  support_close(&world);
}

static torsor_status write_frame(void *data, const torsor_frame *frame) {
  return torsor_netcdf_write(data, frame);
}

static void fields_that_are_left_out_are_not_there(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  torsor_recording some = states_everything;
  some.fields = 1u << TORSOR_FIELD_ENERGY | 1u << TORSOR_FIELD_QUATERNION;
  CHECK_INT(support_open(&world, states_rotor, NULL, &error), TORSOR_OK);
  torsor_layout layout;
  torsor_netcdf *netcdf;
  const torsor_result_info info = states_info(&world, false);
  CHECK_INT(torsor_layout_create(&layout, world.model, TORSOR_FIELDS_ALL, &error), TORSOR_OK);
  CHECK_INT(torsor_netcdf_create(&netcdf, states_path, &layout, &some, &info, &error), TORSOR_OK);
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = netcdf, .frame = write_frame, .recording = some};
  torsor_summary summary;
  CHECK_INT(torsor_simulate(&summary, world.model, torsor_scene_simulation(world.scene), NULL,
                            &hooks, &error),
            TORSOR_OK);
  CHECK_INT(torsor_netcdf_close(netcdf, &error), TORSOR_OK);
  torsor_states *states;
  const torsor_frame *frame;
  CHECK_INT(torsor_states_open(&states, states_path, &error), TORSOR_OK);
  CHECK_INT(torsor_states_fields(states), some.fields);
  CHECK_INT(torsor_states_read(&frame, states, 10, &error), TORSOR_OK);
  CHECK_INT(frame->size, 1 + 4 + 4);
  CHECK_TRUE(frame->field[TORSOR_FIELD_POSITION] == NULL);
  /* 2 m/2 v^2 + Omega J Omega/2, which the motion keeps to the error of the step */
  CHECK_NEAR(frame->field[TORSOR_FIELD_ENERGY][3], 0.5 + 1 + 0.015, 1e-3);
  torsor_states_close(states);
  torsor_layout_destroy(&layout);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(states_are_what_signals_say),
                                     cmocka_unit_test(states_of_statics_are_what_signals_say),
                                     cmocka_unit_test(some_rows_and_channels),
                                     cmocka_unit_test(fields_that_are_left_out_are_not_there)};
  return cmocka_run_group_tests(tests, states_make_folder, states_drop_folder);
}
