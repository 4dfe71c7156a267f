/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full states: what they hold is what the signals say, and what is written is what is read, of whole files,
 * of files still being written and of files that are none. */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

enum { MOST_FRAMES = 64 };

/* A run whose frames are looked at. */
typedef struct watch {
  torsor_layout layout;
  torsor_signals *signals;
  const double *row; /* the signals at the row that has just been recorded */
  int rows, frames;
  double worst; /* |frame - signal|, of numbers that are the same */
  int compared;
  torsor_netcdf *netcdf;
  size_t size;
  double *kept; /* [frames x size] */
} watch;

static char folder[64], path[96];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/torsor-states-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/state.nc", folder);
  return 0;
}

static int drop_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

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
  CHECK_TRUE(w->frames < MOST_FRAMES);
  memcpy(w->kept + (size_t)w->frames++ * w->size, frame->value, w->size * sizeof *frame->value);
  return torsor_netcdf_write(w->netcdf, frame);
}

static torsor_result_info info_of(const support_world *world, bool statics) {
  return (torsor_result_info){.scene = torsor_scene_name(world->scene),
                              .title = torsor_scene_title(world->scene),
                              .hash = torsor_scene_hash(world->scene),
                              .canonical = torsor_scene_canonical(world->scene),
                              .simulation = torsor_scene_simulation(world->scene),
                              .statics = statics ? torsor_scene_statics(world->scene) : NULL};
}

static void open_watch(watch *w, const support_world *world, const torsor_recording *recording,
                       bool statics) {
  /* everything, under its first word */
  const torsor_result_info info = info_of(world, statics);
  torsor_error error = {0};
  *w = (watch){0};
  CHECK_INT(torsor_layout_create(&w->layout, world->model, &error), TORSOR_OK);
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
  CHECK_INT(torsor_netcdf_create(&w->netcdf, path, &w->layout, recording, &info, &error),
            TORSOR_OK);
}

static void close_watch(watch *w) {
  torsor_netcdf_close(w->netcdf, NULL);
  torsor_signals_destroy(w->signals);
  torsor_layout_destroy(&w->layout);
  free(w->kept);
}

static torsor_hooks hooks_of(watch *w, const torsor_recording *recording) {
  return (torsor_hooks){
      .data = w, .record = keep_row, .frame = keep_frame, .recording = *recording};
}

static const torsor_recording everything = {
    .full = true, .every = 1, .fields = TORSOR_FIELDS_ALL, .sync = 1e9};

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
  CHECK_INT(torsor_states_open(&states, path, &error), TORSOR_OK);
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

static double file_bytes(void) {
  struct stat status;
  CHECK_INT(stat(path, &status), 0);
  return (double)status.st_size;
}

/* ---- what full states hold ---------------------------------------------------------------------- */

static void check_scene(const char *name, const char *const *set, bool statics) {
  support_world world;
  torsor_error error = {0};
  watch w;
  support_load(&world, name, set);
  open_watch(&w, &world, &everything, statics);
  const torsor_hooks hooks = hooks_of(&w, &everything);
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
  print_message("  %s: %d nodes, %d rows, %d coordinates, %d outputs: %d numbers are those of the "
                "signals\n",
                name, w.layout.nodes, w.layout.rows, w.layout.coordinates, w.layout.outputs,
                w.compared);
  check_file(&w, w.frames);
  double bytes;
  const torsor_result_info info = info_of(&world, statics);
  CHECK_INT(torsor_netcdf_bytes(&bytes, w.frames, &w.layout, &everything, &info, &error),
            TORSOR_OK);
  CHECK_NEAR(bytes, file_bytes(), 0);
  if (!statics && !summary.stopped_by) CHECK_INT(w.rows, torsor_simulation_rows(simulation));
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
}

static void states_of_statics_are_what_signals_say(void **state) {
  (void)state;
  check_scene("reduced_boom", NULL, true);
  check_scene("catenary", NULL, true);
}

/* ---- which of them ------------------------------------------------------------------------------ */

static const char rotor[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\", \"mass\": 1, "
    "\"inertia\": [1, 2, 3], \"position\": [0, 0, 0], \"velocity\": [1, 0, 0], "
    "\"angular_velocity\": [0, 1, 0.1]}], \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}";

/* Rows 0, 3, 6, 9 and the last one, 10; without residuals, of which there are none. */
static void some_rows_and_channels(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  watch w;
  CHECK_INT(support_open(&world, rotor, NULL, &error), TORSOR_OK);
  torsor_recording thin = everything;
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
  torsor_recording some = everything;
  some.fields = 1u << TORSOR_FIELD_ENERGY | 1u << TORSOR_FIELD_QUATERNION;
  CHECK_INT(support_open(&world, rotor, NULL, &error), TORSOR_OK);
  torsor_layout layout;
  torsor_netcdf *netcdf;
  const torsor_result_info info = info_of(&world, false);
  CHECK_INT(torsor_layout_create(&layout, world.model, &error), TORSOR_OK);
  CHECK_INT(torsor_netcdf_create(&netcdf, path, &layout, &some, &info, &error), TORSOR_OK);
  const torsor_hooks hooks = {.data = netcdf, .frame = write_frame, .recording = some};
  torsor_summary summary;
  CHECK_INT(torsor_simulate(&summary, world.model, torsor_scene_simulation(world.scene), NULL,
                            &hooks, &error),
            TORSOR_OK);
  CHECK_INT(torsor_netcdf_close(netcdf, &error), TORSOR_OK);
  torsor_states *states;
  const torsor_frame *frame;
  CHECK_INT(torsor_states_open(&states, path, &error), TORSOR_OK);
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

/* ---- files that are not whole ------------------------------------------------------------------- */

/* A writer of the rotor's frames, and the frame that it is given. */
typedef struct writing {
  support_world world;
  torsor_layout layout;
  torsor_netcdf *netcdf;
  torsor_frame frame;
  double value[12000];
} writing;

static void begin_writing_of(writing *w, const char *text, double sync) {
  torsor_error error = {0};
  torsor_recording recording = everything;
  recording.sync = sync;
  CHECK_INT(support_open(&w->world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(torsor_layout_create(&w->layout, w->world.model, &error), TORSOR_OK);
  const torsor_result_info info = info_of(&w->world, false);
  CHECK_INT(torsor_netcdf_create(&w->netcdf, path, &w->layout, &recording, &info, &error),
            TORSOR_OK);
  CHECK_LE((double)torsor_frame_size(&w->layout, recording.fields), 12000);
  torsor_frame_lay(&w->frame, &w->layout, recording.fields, w->value);
}

static void begin_writing(writing *w, double sync) {
  begin_writing_of(w, rotor, sync);
}

static void end_writing(writing *w) {
  torsor_netcdf_close(w->netcdf, NULL);
  torsor_layout_destroy(&w->layout);
  support_close(&w->world);
}

static torsor_status write_number(writing *w, int i) {
  for (size_t k = 0; k < w->frame.size; ++k) w->value[k] = i;
  return torsor_netcdf_write(w->netcdf, &w->frame);
}

/* Frames 0, 1, .. of the file, all of them right; -1: it cannot be opened. */
static long count_right(void) {
  torsor_states *states;
  torsor_error error = {0};
  const torsor_frame *frame;
  if (torsor_states_open(&states, path, &error)) {
    CHECK_INT(error.status, TORSOR_FILE);
    CHECK_STR(error.file, path);
    CHECK_TRUE(error.message[0] != '\0');
    return -1;
  }
  const long count = torsor_states_count(states);
  for (long i = 0; i < count; ++i) {
    CHECK_INT(torsor_states_read(&frame, states, i, &error), TORSOR_OK);
    for (size_t k = 0; k < frame->size; ++k) CHECK_NEAR(frame->value[k], (double)i, 0);
  }
  torsor_states_close(states);
  return count;
}

static long count_frames_of(const writing *w) {
  torsor_states *states;
  CHECK_TRUE(w->netcdf != NULL);
  CHECK_INT(torsor_states_open(&states, path, NULL), TORSOR_OK);
  const long count = torsor_states_count(states);
  torsor_states_close(states);
  return count;
}

static void rows_do_not_wait_longer_than_they_may(void **state) {
  (void)state;
  writing w;
  begin_writing(&w, 0);
  CHECK_INT(count_right(), 0);
  for (int i = 0; i < 3; ++i) {
    CHECK_INT(write_number(&w, i), TORSOR_OK);
    CHECK_INT(count_right(), i + 1);
  }
  end_writing(&w);
  begin_writing(&w, 0.05);
  CHECK_INT(write_number(&w, 0), TORSOR_OK);
  CHECK_INT(count_right(), 0);
  usleep(80000);
  CHECK_INT(torsor_netcdf_flush_old(w.netcdf), TORSOR_OK);
  CHECK_INT(count_right(), 1);
  end_writing(&w);
  begin_writing(&w, 1e9);
  for (int i = 0; i < 2000; ++i) CHECK_INT(write_number(&w, i), TORSOR_OK);
  /* a buffer of 64 kB, and one frame */
  CHECK_GE((double)count_right(), 2000 - (65536 / (8 * (double)w.frame.size) + 1));
  end_writing(&w);
  CHECK_INT(count_right(), 2000);
}

static void wrong_frames_are_refused(void **state) {
  (void)state;
  writing w;
  begin_writing(&w, 0);
  torsor_frame other = w.frame;
  other.size -= 1;
  CHECK_INT(torsor_netcdf_write(w.netcdf, &other), TORSOR_ARGUMENT);
  CHECK_INT(write_number(&w, 0), TORSOR_OK);
  end_writing(&w);
  CHECK_INT(count_right(), 1);
}

/* A limit that the file meets within a frame, and the file behind it. */
static void check_limit(const writing *w, long frames, double part) {
  struct rlimit before, limit;
  const double head = file_bytes();
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(head + (double)(8 * w->frame.size) * ((double)frames + part));
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  torsor_status status = TORSOR_OK;
  torsor_error error = {0};
  writing *to = (writing *)w;
  int i = 0;
  while (!status && i < 100) status = write_number(to, i++);
  const torsor_status again = write_number(to, i);
  const torsor_status closed = torsor_netcdf_close(to->netcdf, &error);
  to->netcdf = NULL;
  signal(SIGXFSZ, handler);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_INT(status, TORSOR_FILE);
  CHECK_INT(again, TORSOR_FILE);
  CHECK_INT(closed, TORSOR_FILE);
  CHECK_STR(error.file, path);
  CHECK_CONTAINS(error.message, "too large");
  CHECK_INT(i, frames + 1);
  CHECK_INT(count_right(), frames);
  CHECK_NEAR(file_bytes(), head + (double)(8 * w->frame.size) * (double)frames, 0);
}

static void full_disk_leaves_whole_frames(void **state) {
  (void)state;
  writing w;
  for (int i = 0; i < 3; ++i) {
    begin_writing(&w, 0);
    check_limit(&w, 5 * i, 0.4 * i);
    end_writing(&w);
  }
}

/* Frames of 500 bodies, longer than a buffer: a thread of its own writes them. */
static const char crowd[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"b${i}\", \"repeat\": 500, \"type\": \"point_mass\", "
    "\"mass\": 1, \"velocity\": [0, 0, 0]}], \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}";

static void long_frames_are_written_beside(void **state) {
  (void)state;
  static writing w;
  begin_writing_of(&w, crowd, 1e9);
  CHECK_GE(8 * (double)w.frame.size, 65536);
  for (int i = 0; i < 100; ++i) {
    CHECK_INT(write_number(&w, i), TORSOR_OK);
    CHECK_INT(torsor_netcdf_flush_old(w.netcdf), TORSOR_OK);
    /* of those before, two at most are on their way */
    CHECK_GE((double)count_frames_of(&w), (double)(i - 1));
  }
  CHECK_INT(torsor_netcdf_close(w.netcdf, NULL), TORSOR_OK);
  w.netcdf = NULL;
  CHECK_INT(count_right(), 100);
  end_writing(&w);
}

/* The error comes a frame or two late, and whole frames stay. */
static void full_disk_under_long_frames(void **state) {
  (void)state;
  static writing w;
  torsor_error error = {0};
  struct rlimit before, limit;
  begin_writing_of(&w, crowd, 0);
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(file_bytes() + 8 * (double)w.frame.size * 5.5);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  int i = 0;
  while (i < 100 && write_number(&w, i) == TORSOR_OK) ++i;
  const torsor_status closed = torsor_netcdf_close(w.netcdf, &error);
  w.netcdf = NULL;
  signal(SIGXFSZ, handler);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_LE((double)i, 5 + 3);
  CHECK_INT(closed, TORSOR_FILE);
  CHECK_CONTAINS(error.message, "too large");
  CHECK_INT(count_right(), 5);
  end_writing(&w);
}

static void check_refused(const char *message) {
  support_world world;
  torsor_error error = {0};
  torsor_layout layout;
  torsor_netcdf *netcdf;
  CHECK_INT(support_open(&world, rotor, NULL, &error), TORSOR_OK);
  const torsor_result_info info = info_of(&world, false);
  CHECK_INT(torsor_layout_create(&layout, world.model, &error), TORSOR_OK);
  CHECK_INT(torsor_netcdf_create(&netcdf, path, &layout, &everything, &info, &error), TORSOR_FILE);
  CHECK_TRUE(netcdf == NULL);
  CHECK_STR(error.file, path);
  CHECK_CONTAINS(error.message, message);
  torsor_layout_destroy(&layout);
  support_close(&world);
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  unlink(path);
  CHECK_INT(mkfifo(path, 0600), 0);
  check_refused("No such device"); /* and it does not wait for a reader */
  unlink(path);
  CHECK_INT(symlink("/dev/full", path), 0);
  check_refused("Illegal seek");
  unlink(path);
  CHECK_INT(mkdir(path, 0700), 0);
  check_refused("directory");
  CHECK_INT(count_right(), -1);
  rmdir(path);
  CHECK_INT(count_right(), -1);
}

static char *read_bytes(size_t *size) {
  FILE *file = fopen(path, "rb");
  *size = (size_t)file_bytes();
  char *bytes = malloc(*size);
  CHECK_TRUE(file && bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void write_bytes(const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK_TRUE(file && fwrite(bytes, 1, size, file) == size);
  CHECK_INT(fclose(file), 0);
}

static void files_cut_anywhere(void **state) {
  (void)state;
  writing w;
  size_t size;
  begin_writing(&w, 0);
  const size_t head = (size_t)file_bytes(), frame = 8 * w.frame.size;
  for (int i = 0; i < 3; ++i) write_number(&w, i);
  end_writing(&w);
  char *bytes = read_bytes(&size);
  CHECK_INT(size, head + 3 * frame);
  for (size_t cut = 0; cut < size; cut += 7) {
    write_bytes(bytes, cut);
    const long expected = cut < head ? -1 : (long)((cut - head) / frame);
    if (cut < head) /* names may be read though the last of them are missing */
      CHECK_LE((double)count_right(), 0);
    else
      CHECK_INT(count_right(), expected);
  }
  free(bytes);
}

/* Places that lead somewhere. */
static void check_places(const torsor_layout *l) {
  for (int i = 0; i < l->nodes; ++i) {
    CHECK_TRUE(l->node_element[i] >= 0 && l->node_element[i] < l->elements);
    CHECK_TRUE(l->node_group[i] >= 0 && l->node_group[i] <= TORSOR_GROUP_SE3);
  }
}

/* Whatever a file holds, it is refused or read: nothing is taken on trust. */
static void damaged_files(void **state) {
  (void)state;
  writing w;
  size_t size;
  check_rng rng = {7};
  int opened = 0, refused = 0;
  begin_writing(&w, 0);
  const size_t head = (size_t)file_bytes();
  write_number(&w, 0);
  end_writing(&w);
  char *bytes = read_bytes(&size);
  for (int trial = 0; trial < 1000; ++trial) {
    const size_t at = (size_t)check_uniform(&rng, 0, (double)head - 1);
    const char kept = bytes[at];
    bytes[at] = (char)(unsigned char)check_uniform(&rng, 0, 255.9);
    write_bytes(bytes, size);
    bytes[at] = kept;
    torsor_states *states;
    torsor_error error = {0};
    if (torsor_states_open(&states, path, &error) == TORSOR_OK) {
      const torsor_frame *frame;
      if (torsor_states_count(states) > 0) torsor_states_read(&frame, states, 0, &error);
      check_places(torsor_states_layout(states));
      torsor_states_close(states);
      ++opened;
    } else {
      CHECK_TRUE(error.message[0] != '\0');
      ++refused;
    }
  }
  print_message("  one byte of a header changed: %d read all the same, %d refused\n", opened,
                refused);
  CHECK_GE((double)refused, 100);
  free(bytes);
}

static void other_files_are_named(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *message, *hint;
  } files[] = {{"", 0, "no NetCDF", ""},
               {"t,a\n0,1\n", 8, "no NetCDF", ""},
               {"\211HDF\r\n\032\n", 8, "another format", "nccopy"},
               {"CDF\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32,
                "no states of Torsor", ""}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    torsor_states *states;
    torsor_error error = {0};
    write_bytes(files[i].bytes, files[i].size);
    CHECK_INT(torsor_states_open(&states, path, &error), TORSOR_FILE);
    CHECK_STR(error.file, path);
    CHECK_CONTAINS(error.message, files[i].message);
    CHECK_CONTAINS(error.hint, files[i].hint);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(states_are_what_signals_say),
                                     cmocka_unit_test(states_of_statics_are_what_signals_say),
                                     cmocka_unit_test(some_rows_and_channels),
                                     cmocka_unit_test(fields_that_are_left_out_are_not_there),
                                     cmocka_unit_test(rows_do_not_wait_longer_than_they_may),
                                     cmocka_unit_test(wrong_frames_are_refused),
                                     cmocka_unit_test(full_disk_leaves_whole_frames),
                                     cmocka_unit_test(long_frames_are_written_beside),
                                     cmocka_unit_test(full_disk_under_long_frames),
                                     cmocka_unit_test(what_is_no_file_is_refused),
                                     cmocka_unit_test(files_cut_anywhere),
                                     cmocka_unit_test(damaged_files),
                                     cmocka_unit_test(other_files_are_named)};
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
