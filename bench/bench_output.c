/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What full states cost the time loop of a chain of 1,000 links with a row of output at every step.  Every
 * other row has its full state written, so that steps with and without one are compared within the same run;
 * CSV on stdout, medians. */
#include <torsor/torsor.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 400 };

typedef struct variant {
  const char *name;
  unsigned fields;
} variant;

static const variant variants[] = {
    {"position and quaternion", 1u << TORSOR_FIELD_POSITION | 1u << TORSOR_FIELD_QUATERNION},
    {"usual fields without outputs", TORSOR_FIELDS_USUAL & ~(1u << TORSOR_FIELD_OUTPUT)},
    {"usual fields", TORSOR_FIELDS_USUAL},
    {"all fields", TORSOR_FIELDS_ALL},
};

static const char *const set[] = {"parameters.n=1000", "simulation.duration=0.4", "output.every=1"};

typedef struct bench {
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_layout layout;
  char file[64];
} bench;

/* Times of the steps without and with a full state at their end. */
typedef struct trace {
  torsor_netcdf *netcdf;
  int steps;
  double cpu, wall; /* when the last step ended */
  double cpu_us[2][STEPS], wall_us[2][STEPS];
} trace;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  trace *t = data;
  return torsor_netcdf_write(t->netcdf, frame);
}

static void note_step(void *data, double now, double duration, const torsor_counters *counters) {
  trace *t = data;
  (void)now, (void)duration, (void)counters;
  const double cpu = seconds(CLOCK_THREAD_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  const int step = ++t->steps;
  if (step > 1 && step / 2 < STEPS) {
    t->cpu_us[step % 2 == 0][step / 2] = 1e6 * (cpu - t->cpu);
    t->wall_us[step % 2 == 0][step / 2] = 1e6 * (wall - t->wall);
  }
  t->cpu = cpu;
  t->wall = wall;
}

static torsor_status simulate(trace *t, const bench *b, const variant *v, torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(b->scene);
  torsor_recording recording = torsor_recording_default();
  const torsor_result_info info = {.scene = torsor_scene_name(b->scene),
                                   .title = torsor_scene_title(b->scene),
                                   .hash = torsor_scene_hash(b->scene),
                                   .simulation = simulation};
  *t = (trace){0};
  recording.fields = v->fields;
  recording.every = 2;
  torsor_status status =
      torsor_netcdf_create(&t->netcdf, b->file, &b->layout, &recording, &info, error);
  if (status) return status;
  const torsor_hooks hooks = {
      .data = t, .frame = keep_frame, .recording = recording, .progress = note_step};
  torsor_summary summary;
  status = torsor_simulate(&summary, b->model, simulation, b->signals, &hooks, error);
  const torsor_status closed = torsor_netcdf_close(t->netcdf, status ? NULL : error);
  return status ? status : closed;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of the steps that were noted: 1 to count - 1. */
static double median(double *values, int count) {
  qsort(values + 1, (size_t)count - 1, sizeof *values, compare);
  return values[count / 2];
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
  trace *t = malloc(sizeof *t);
  printf(
      "variant,bytes_per_row,cpu_us_without,cpu_us_with,cpu_ratio,wall_us_without,wall_us_with\n");
  for (size_t v = 0; t && v < sizeof variants / sizeof *variants && !status; ++v) {
    status = simulate(t, &b, &variants[v], &error);
    const int count = t->steps / 2;
    const double without = median(t->cpu_us[0], count), with = median(t->cpu_us[1], count);
    printf("%s,%zu,%.1f,%.1f,%.4f,%.1f,%.1f\n", variants[v].name,
           8 * torsor_frame_size(&b.layout, variants[v].fields), without, with, with / without,
           median(t->wall_us[0], count), median(t->wall_us[1], count));
    fflush(stdout);
  }
  if (status) fprintf(stderr, "bench_output: %s %s\n", error.message, error.path);
  free(t);
  close_bench(&b);
  return status || !t ? EXIT_FAILURE : EXIT_SUCCESS;
}
