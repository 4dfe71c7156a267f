/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>
#include <torsor/torsor.h>

/* Larger models take longer than a fuzzer waits, and teach it nothing else. */
enum { MOST_VELOCITIES = 60, MOST_STATIC = 18, STEPS = 3 };

static torsor_registry *registry;

static void expect_reported(torsor_status status, const torsor_error *error) {
  FUZZ_EXPECT(error->message[0], "status %d without a message", (int)status);
  FUZZ_EXPECT(status < 0, "status %d: %s", (int)status, error->message);
  FUZZ_EXPECT(status != TORSOR_ARGUMENT || error->path[0], "%s", error->message);
  FUZZ_EXPECT(status != TORSOR_MEMORY || strstr(error->message, "large"), "%s", error->message);
  /* at the end: the words may stand in the scene */
  const char *vague = torsor_status_text(TORSOR_ARGUMENT), *end = error->message;
  end += strlen(end) > strlen(vague) ? strlen(end) - strlen(vague) : 0;
  FUZZ_EXPECT(strcmp(end, vague) != 0, "%s", error->message);
}

/* Every error in a scene has a place. */
static void expect_placed(const torsor_scene *scene, torsor_status status, torsor_error *error) {
  expect_reported(status, error);
  if (scene) torsor_scene_locate(scene, error);
  FUZZ_EXPECT(error->line > 0 && error->column > 0, "%s: %s has no place", error->path,
              error->message);
}

static void warn(void *data, const char *message) {
  (void)data;
  FUZZ_EXPECT(message[0], "an empty warning");
}

static int rows;
static torsor_status record(void *data, double t, const double *values, int count) {
  (void)data, (void)t, (void)values, (void)count;
  ++rows;
  return TORSOR_OK;
}

static bool stop(void *data) {
  (void)data;
  return ++rows > STEPS;
}

static void analyse(const torsor_scene *scene, const torsor_model *model) {
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .record = record, .warn = warn, .stop = stop, .threads = 1};
  torsor_error error = {0};
  torsor_check check = {0};
  torsor_status status = torsor_check_model(&check, model, &error);
  torsor_check_destroy(&check);
  if (status) {
    expect_reported(status, &error);
    return;
  }
  status = torsor_check_simulation(model, simulation, &error);
  if (status) expect_placed(scene, status, &error);
  rows = 0;
  torsor_summary summary;
  torsor_statics_summary path;
  error = (torsor_error){0};
  const bool refused = status != TORSOR_OK;
  status = torsor_simulate(&summary, model, simulation, NULL, &hooks, &error);
  if (status && status != TORSOR_INTERRUPTED) expect_reported(status, &error);
  FUZZ_EXPECT(!refused || status, "refused by the check and not by the simulation");
  if (torsor_model_count(model).velocities > MOST_STATIC) return;
  rows = 0;
  torsor_statics settings = *torsor_scene_statics(scene);
  settings.max_iterations = 6;
  settings.max_halvings = 1;
  error = (torsor_error){0};
  status = torsor_statics_run(&path, model, &settings, NULL, NULL, &hooks, &error);
  if (status && status != TORSOR_INTERRUPTED) expect_reported(status, &error);
  torsor_modes *modes = NULL;
  const torsor_modes_settings about = {.size = sizeof(torsor_modes_settings),
                                       .about = TORSOR_ABOUT_INITIAL,
                                       .equilibrium = &settings};
  error = (torsor_error){0};
  status = torsor_modes_find(&modes, model, &about, &hooks, &error);
  if (status) expect_reported(status, &error);
  torsor_modes_destroy(modes);
}

void fuzz_scene(const char *text, size_t length) {
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  if (!registry) registry = torsor_registry_create(NULL);
  /* a copy of this length: what reads beyond it is seen */
  char *copy = malloc(length ? length : 1);
  if (!copy) return;
  memcpy(copy, text, length);
  torsor_status status =
      torsor_scene_parse(&scene, copy, length, "scene.json", registry, NULL, 0, &error);
  free(copy);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  if (status) expect_placed(NULL, status, &error);
  FUZZ_EXPECT(status <= 0 && status != TORSOR_ARGUMENT, "status %d: %s", (int)status,
              error.message);
  if (!status && torsor_model_count(model).velocities <= MOST_VELOCITIES) analyse(scene, model);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
}
