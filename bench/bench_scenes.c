/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time per step of shipped scenes, least of several runs, as CSV on stdout.  Times are for this
 * machine at this moment: compare ratios within one run. */
#include <torsor/torsor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 7 };

typedef struct variant {
  const char *scene, *formulation, *duration;
} variant;

static const variant variants[] = {
    {"heavy_top", "index3", "10"},      {"heavy_top", "ggl", "10"},
    {"heavy_top_se3", "index3", "10"},  {"heavy_top_se3", "ggl", "10"},
    {"triple_pendulum", "index3", "2"}, {"triple_pendulum", "ggl", "2"},
};

static int fail(const torsor_error *error) {
  fprintf(stderr, "bench_scenes: %s %s\n", error->message, error->path);
  return EXIT_FAILURE;
}

/* Least CPU seconds over the repeats; the counters are those of the last run (all are equal). */
static torsor_status measure(torsor_summary *summary, double *least, const torsor_scene *scene,
                             torsor_error *error) {
  torsor_model *model;
  torsor_signals *signals = NULL;
  torsor_status status = torsor_scene_model(&model, scene, error);
  if (status) return status;
  status = torsor_signals_create(&signals, model, NULL, 0, NULL, error);
  *least = HUGE_VAL;
  for (int i = 0; !status && i < REPEATS; ++i) {
    status = torsor_simulate(summary, model, torsor_scene_simulation(scene), signals, NULL, error);
    *least = fmin(*least, summary->cpu_seconds);
  }
  torsor_signals_destroy(signals);
  torsor_model_destroy(model);
  return status;
}

int main(int argc, char **argv) {
  const char *data = argc > 1 ? argv[1] : "data";
  torsor_error error = {0};
  torsor_registry *registry = torsor_registry_create(&error);
  if (!registry) return fail(&error);
  printf("scene,formulation,us_per_step,newton_per_step,factorizations_per_step\n");
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    char file[512], formulation[64], duration[64];
    snprintf(file, sizeof file, "%s/scenes/%s.json", data, variants[i].scene);
    snprintf(formulation, sizeof formulation, "simulation.formulation=%s", variants[i].formulation);
    snprintf(duration, sizeof duration, "simulation.duration=%s", variants[i].duration);
    const char *const set[] = {formulation, duration, "output.every=1000"};
    torsor_scene *scene;
    if (torsor_scene_load(&scene, file, registry, set, 3, &error)) return fail(&error);
    torsor_summary summary;
    double least;
    if (measure(&summary, &least, scene, &error)) return fail(&error);
    const double steps = (double)summary.counters.steps;
    printf("%s,%s,%.3f,%.3f,%.3f\n", variants[i].scene, variants[i].formulation,
           1e6 * least / steps, (double)summary.counters.newton_iterations / steps,
           (double)summary.counters.factorizations / steps);
    torsor_scene_destroy(scene);
  }
  torsor_registry_destroy(registry);
  return EXIT_SUCCESS;
}
