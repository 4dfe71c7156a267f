/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time per step of shipped scenes, least of several runs, as CSV on stdout.  Times are for this
 * machine at this moment: compare ratios within one run. */
#include <torsor/torsor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 5 };

/* A scene with changes (PATH=VALUE), and how many parts its cost is shared by. */
typedef struct variant {
  const char *scene, *name;
  int parts;
  const char *set[4];
} variant;

enum { MOST_CHANGES = 5 };

#define TOP(scene, formulation)                                                                    \
  {                                                                                                \
    scene, formulation, 1, {                                                                       \
      "simulation.formulation=" formulation, "simulation.duration=10"                              \
    }                                                                                              \
  }
#define CHAIN(n, duration)                                                                         \
  {                                                                                                \
    "chain", "index3", n, {                                                                        \
      "parameters.n=" #n, "simulation.duration=" duration                                          \
    }                                                                                              \
  }
#define ROPE(n, group, duration)                                                                   \
  {                                                                                                \
    "spaghetti_3d", group, n, {                                                                    \
      "parameters.n=" #n, "bodies.rope.group=" group, "simulation.duration=" duration              \
    }                                                                                              \
  }

static const variant variants[] = {
    TOP("heavy_top", "index3"),
    TOP("heavy_top", "ggl"),
    TOP("heavy_top_se3", "index3"),
    TOP("heavy_top_se3", "ggl"),
    {"triple_pendulum", "index3", 3, {"simulation.formulation=index3", "simulation.duration=2"}},
    {"triple_pendulum", "ggl", 3, {"simulation.formulation=ggl", "simulation.duration=2"}},
    CHAIN(10, "1"),
    CHAIN(100, "0.5"),
    CHAIN(1000, "0.1"),
    ROPE(4, "R3xSO3", "2"),
    ROPE(4, "SE3", "2"),
    ROPE(16, "R3xSO3", "1"),
    ROPE(16, "SE3", "1"),
    ROPE(64, "R3xSO3", "1"),
    ROPE(64, "SE3", "1"),
    ROPE(256, "R3xSO3", "0.5"),
    ROPE(256, "SE3", "0.5"),
    ROPE(1024, "R3xSO3", "0.2"),
    ROPE(1024, "SE3", "0.2"),
    ROPE(4096, "R3xSO3", "0.1"),
    ROPE(4096, "SE3", "0.1"),
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
  printf("scene,variant,parts,us_per_step,us_per_part,newton_per_step,factorizations_per_step\n");
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    const variant *v = &variants[i];
    const char *set[MOST_CHANGES] = {"output.every=1000"};
    int changes = 1;
    for (int k = 0; k < 4 && v->set[k]; ++k) set[changes++] = v->set[k];
    char file[512];
    snprintf(file, sizeof file, "%s/scenes/%s.json", data, v->scene);
    torsor_scene *scene;
    if (torsor_scene_load(&scene, file, registry, set, changes, &error)) return fail(&error);
    torsor_summary summary;
    double least;
    if (measure(&summary, &least, scene, &error)) return fail(&error);
    const double steps = (double)summary.counters.steps;
    const double us = 1e6 * least / steps;
    printf("%s,%s,%d,%.3f,%.3f,%.3f,%.3f\n", v->scene, v->name, v->parts, us, us / v->parts,
           (double)summary.counters.newton_iterations / steps,
           (double)summary.counters.factorizations / steps);
    fflush(stdout);
    torsor_scene_destroy(scene);
  }
  torsor_registry_destroy(registry);
  return EXIT_SUCCESS;
}
