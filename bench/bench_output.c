/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how much output adds to the time loop of a chain of links with a row or a full state at
 * every step: time in the loop's output, and CPU time of the thread that writes, over the rest of
 * the loop of the same run.  The least of some rounds counts.  CSV on stdout, us per step. */
#include <torsor/torsor.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LINKS = 1000, STEPS = 300, ROUNDS = 5 };

typedef struct variant {
  const char *name;
  unsigned fields; /* 0: no full states */
} variant;

static const variant variants[] = {
    {"rows", 0},
    {"position and quaternion", 1u << TORSOR_FIELD_POSITION | 1u << TORSOR_FIELD_QUATERNION},
    {"usual fields without outputs", TORSOR_FIELDS_USUAL & ~(1u << TORSOR_FIELD_OUTPUT)},
    {"usual fields", TORSOR_FIELDS_USUAL},
    {"all fields", TORSOR_FIELDS_ALL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const char *const set[] = {"parameters.n=1000", "simulation.duration=0.3", "output.every=1"};

typedef struct bench {
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_layout layout;
  char file[64];
} bench;

/* us per step */
typedef struct cost {
  double rest, output, writer;
} cost;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  return torsor_netcdf_write(data, frame);
}

static double *find_room(void *data, size_t size) {
  (void)size;
  return torsor_netcdf_room(data);
}

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  (void)data, (void)t, (void)values, (void)count;
  return TORSOR_OK;
}

static torsor_status simulate(cost *out, const bench *b, const variant *v, torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(b->scene);
  torsor_recording recording = torsor_recording_default();
  const torsor_result_info info = {.scene = torsor_scene_name(b->scene),
                                   .title = torsor_scene_title(b->scene),
                                   .hash = torsor_scene_hash(b->scene),
                                   .simulation = simulation};
  torsor_netcdf *netcdf = NULL;
  torsor_timing timing;
  recording.fields = v->fields;
  torsor_status status =
      v->fields ? torsor_netcdf_create(&netcdf, b->file, &b->layout, &recording, &info, error)
                : TORSOR_OK;
  if (status) return status;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = netcdf,
                              .record = keep_row,
                              .frame = v->fields ? keep_frame : NULL,
                              .room = v->fields ? find_room : NULL,
                              .recording = recording,
                              .timing = &timing};
  torsor_summary summary;
  const double others = seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID);
  status = torsor_simulate(&summary, b->model, simulation, b->signals, &hooks, error);
  const torsor_status closed = torsor_netcdf_close(netcdf, status ? NULL : error);
  const double written =
      seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID) - others;
  const double output = (double)timing.time[TORSOR_PHASE_OUTPUT], steps = (double)timing.steps;
  *out = (cost){.rest = ((double)timing.loop - output) / (1e3 * steps),
                .output = output / (1e3 * steps),
                .writer = 1e6 * written / steps};
  return status ? status : closed;
}

static void keep_least(double *least, double value, int round) {
  if (!round || value < *least) *least = value;
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
  return status ? status : torsor_layout_create(&b->layout, b->model, TORSOR_FIELDS_ALL, error);
}

static void close_bench(bench *b) {
  unlink(b->file);
  torsor_layout_destroy(&b->layout);
  torsor_signals_destroy(b->signals);
  torsor_model_destroy(b->model);
  torsor_scene_destroy(b->scene);
  torsor_registry_destroy(b->registry);
}

static torsor_status measure(cost least[VARIANTS], const bench *b, torsor_error *error) {
  for (int round = 0; round < ROUNDS; ++round) {
    for (int v = 0; v < VARIANTS; ++v) {
      cost now;
      const torsor_status status = simulate(&now, b, &variants[v], error);
      if (status) return status;
      keep_least(&least[v].rest, now.rest, round);
      keep_least(&least[v].output, now.output, round);
      keep_least(&least[v].writer, now.writer, round);
    }
  }
  return TORSOR_OK;
}

static void print(const cost least[VARIANTS], const bench *b) {
  printf("output,bytes,rest_us,output_us,writer_cpu_us,loop_ratio,cpu_ratio,loop_us_per_link,"
         "cpu_us_per_link\n");
  for (int v = 0; v < VARIANTS; ++v) {
    const unsigned fields = variants[v].fields;
    const cost c = least[v];
    printf("%s,%zu,%.1f,%.1f,%.1f,%.4f,%.4f,%.4f,%.4f\n", variants[v].name,
           fields ? 8 * torsor_frame_size(&b->layout, fields) : 0, c.rest, c.output, c.writer,
           c.output / c.rest, (c.output + c.writer) / c.rest, c.output / LINKS,
           (c.output + c.writer) / LINKS);
  }
}

int main(int argc, char **argv) {
  bench b = {0};
  cost least[VARIANTS];
  torsor_error error = {0};
  torsor_status status = open_bench(&b, argc > 1 ? argv[1] : "data", &error);
  if (!status) status = measure(least, &b, &error);
  if (status)
    fprintf(stderr, "bench_output: %s %s\n", error.message, error.path);
  else
    print(least, &b);
  close_bench(&b);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
