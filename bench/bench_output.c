/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What full states cost: the time loop of a chain of 1,000 links with a row of output at every step, without
 * and with full states, in turns within one run; CSV on stdout.  Times are the least of several runs. */
#include <torsor/torsor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPEATS = 7 };

typedef struct variant {
  const char *name;
  unsigned fields; /* 0: no full states */
} variant;

static const variant variants[] = {
    {"rows alone", 0},
    {"position and quaternion", 1u << TORSOR_FIELD_POSITION | 1u << TORSOR_FIELD_QUATERNION},
    {"usual fields without outputs", TORSOR_FIELDS_USUAL & ~(1u << TORSOR_FIELD_OUTPUT)},
    {"usual fields", TORSOR_FIELDS_USUAL},
    {"all fields", TORSOR_FIELDS_ALL},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static const char *const set[] = {"parameters.n=1000", "simulation.duration=0.1", "output.every=1"};

typedef struct bench {
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_layout layout;
  char file[64];
} bench;

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  (void)data, (void)t, (void)values, (void)count;
  return TORSOR_OK;
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  return torsor_netcdf_write(data, frame);
}

static torsor_status simulate(torsor_summary *summary, const bench *b, const variant *v,
                              torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(b->scene);
  torsor_recording recording = torsor_recording_default();
  torsor_netcdf *netcdf = NULL;
  const torsor_result_info info = {.scene = torsor_scene_name(b->scene),
                                   .title = torsor_scene_title(b->scene),
                                   .hash = torsor_scene_hash(b->scene),
                                   .simulation = simulation};
  recording.fields = v->fields;
  torsor_status status = TORSOR_OK;
  if (v->fields)
    status = torsor_netcdf_create(&netcdf, b->file, &b->layout, &recording, &info, error);
  const torsor_hooks hooks = {.data = netcdf,
                              .record = keep_row,
                              .frame = v->fields ? keep_frame : NULL,
                              .recording = recording};
  if (!status) status = torsor_simulate(summary, b->model, simulation, b->signals, &hooks, error);
  const torsor_status closed = torsor_netcdf_close(netcdf, status ? NULL : error);
  return status ? status : closed;
}

static torsor_status open_bench(bench *b, const char *data, torsor_error *error) {
  char file[512];
  snprintf(file, sizeof file, "%s/scenes/chain.json", data);
  snprintf(b->file, sizeof b->file, "/tmp/torsor-bench-%ld.nc", (long)getpid());
  if (!(b->registry = torsor_registry_create(error))) return TORSOR_MEMORY;
  torsor_status status =
      torsor_scene_load(&b->scene, file, b->registry, set, sizeof set / sizeof *set, error);
  if (!status) status = torsor_scene_model(&b->model, b->scene, error);
  int count = 0;
  const char *const *names = status ? NULL : torsor_scene_signals(b->scene, &count);
  if (!status) status = torsor_signals_create(&b->signals, b->model, names, count, NULL, error);
  return status ? status : torsor_layout_create(&b->layout, b->model, error);
}

static void close_bench(bench *b) {
  unlink(b->file);
  torsor_layout_destroy(&b->layout);
  torsor_signals_destroy(b->signals);
  torsor_model_destroy(b->model);
  torsor_scene_destroy(b->scene);
  torsor_registry_destroy(b->registry);
}

int main(int argc, char **argv) {
  bench b = {0};
  torsor_error error = {0};
  torsor_status status = open_bench(&b, argc > 1 ? argv[1] : "data", &error);
  double cpu[VARIANTS], wall[VARIANTS];
  for (int v = 0; v < VARIANTS; ++v) cpu[v] = wall[v] = HUGE_VAL;
  for (int i = 0; i < REPEATS && !status; ++i) {
    for (int v = 0; v < VARIANTS && !status; ++v) {
      torsor_summary summary;
      status = simulate(&summary, &b, &variants[v], &error);
      const double steps = (double)summary.counters.steps;
      cpu[v] = fmin(cpu[v], 1e6 * summary.cpu_seconds / steps);
      wall[v] = fmin(wall[v], 1e6 * summary.wall_seconds / steps);
    }
  }
  if (status) fprintf(stderr, "bench_output: %s %s\n", error.message, error.path);
  printf("variant,bytes_per_row,cpu_us_per_step,cpu_ratio,wall_us_per_step,wall_ratio\n");
  for (int v = 0; v < VARIANTS && !status; ++v) {
    const unsigned fields = variants[v].fields;
    printf("%s,%zu,%.1f,%.4f,%.1f,%.4f\n", variants[v].name,
           fields ? 8 * torsor_frame_size(&b.layout, fields) : 0, cpu[v], cpu[v] / cpu[0], wall[v],
           wall[v] / wall[0]);
  }
  close_bench(&b);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
