/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation from C: the heavy top of data/scenes, given here as text.
 *
 *     heavy_top [PATH=VALUE ...]        changes as of `torsor run --set`
 *
 * Every tenth of a second: the height of the centre of mass and the vertical force on the pivot.
 * Build: cc heavy_top.c $(pkg-config --cflags --libs torsor) */
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": 15,"
    "   \"inertia\": [0.234375, 0.46875, 0.234375], \"position\": [0, 1, 0],"
    "   \"angular_velocity\": [0, 150, -4.61538]}],"
    " \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\","
    "   \"b\": {\"body\": \"top\", \"position\": [0, -1, 0]}}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1},"
    " \"output\": {\"every\": 100, \"signals\": [\"top.position.z\", \"pivot.force.z\"]}}";

/* One output time: the chosen signals in the order of their names. */
static torsor_status print_row(void *data, double t, const double *values, int count) {
  (void)data;
  (void)count;
  printf("%4.1f  %18.15f  %22.16f\n", t, values[0], values[1]);
  return TORSOR_OK;
}

static void warn(void *data, const char *message) {
  (void)data;
  fprintf(stderr, "warning: %s\n", message);
}

int main(int argc, char **argv) {
  torsor_error error = {0};
  torsor_registry *registry = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_signals *signals = NULL;
  torsor_status status = registry ? TORSOR_OK : TORSOR_MEMORY;
  if (!status)
    status = torsor_scene_parse(&scene, text, strlen(text), "heavy_top", registry,
                                (const char *const *)(argv + 1), argc - 1, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  int count = 0;
  const char *const *names = scene ? torsor_scene_signals(scene, &count) : NULL;
  if (!status) status = torsor_signals_create(&signals, model, names, count, NULL, &error);
  if (!status) {
    const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .record = print_row, .warn = warn};
    torsor_summary summary;
    printf("%4s  %18s  %22s\n", "t", torsor_signals_name(signals, 0),
           torsor_signals_name(signals, 1));
    status =
        torsor_simulate(&summary, model, torsor_scene_simulation(scene), signals, &hooks, &error);
    printf("%ld steps, %.3g J energy drift\n", summary.counters.steps, summary.energy_max_drift);
  }
  if (status) fprintf(stderr, "%s: %s\n%s\n", error.path, error.message, error.hint);
  torsor_signals_destroy(signals);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status != TORSOR_OK;
}
