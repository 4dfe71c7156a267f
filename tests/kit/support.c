/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static int count_names(const char *const *names) {
  int count = 0;
  while (names && names[count]) ++count;
  return count;
}

static torsor_status finish_opening(support_world *world, torsor_status status,
                                    torsor_error *error) {
  if (!status) status = torsor_scene_model(&world->model, world->scene, error);
  if (status) support_close(world);
  return status;
}

torsor_status support_open(support_world *out, const char *text, const char *const *set,
                           torsor_error *error) {
  *out = (support_world){.registry = torsor_registry_create(error)};
  if (!out->registry) return TORSOR_MEMORY;
  const torsor_status status = torsor_scene_parse(&out->scene, text, strlen(text), "test.json",
                                                  out->registry, set, count_names(set), error);
  return finish_opening(out, status, error);
}

void support_path(char *out, size_t size, const char *below) {
  const char *data = getenv("TORSOR_DATA");
  CHECK_TRUE(data != NULL);
  snprintf(out, size, "%s/%s", data, below);
}

void support_load(support_world *out, const char *name, const char *const *set) {
  char below[100], file[400];
  snprintf(below, sizeof below, "scenes/%s.json", name);
  support_path(file, sizeof file, below);
  torsor_error error = {0};
  *out = (support_world){.registry = torsor_registry_create(&error)};
  CHECK_TRUE(out->registry != NULL);
  torsor_status status =
      torsor_scene_load(&out->scene, file, out->registry, set, count_names(set), &error);
  status = finish_opening(out, status, &error);
  if (status) print_error("%s: %s (%s)\n", file, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
}

void support_close(support_world *world) {
  torsor_model_destroy(world->model);
  torsor_scene_destroy(world->scene);
  torsor_registry_destroy(world->registry);
  *world = (support_world){0};
}

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  support_trace *trace = data;
  if (trace->refuse_row && trace->rows + 1 == trace->refuse_row) return TORSOR_FILE;
  trace->columns = count + 1;
  if (trace->rows == trace->room) {
    trace->room = 2 * trace->room + 64;
    const size_t bytes = (size_t)(trace->room * trace->columns) * sizeof(double);
    double *moved = realloc(trace->value, bytes);
    if (!moved) return TORSOR_MEMORY;
    trace->value = moved;
  }
  double *row = trace->value + trace->rows++ * trace->columns;
  row[0] = t;
  memcpy(row + 1, values, (size_t)count * sizeof *row);
  return TORSOR_OK;
}

static bool stop(void *data) {
  support_trace *trace = data;
  return ++trace->steps == trace->stop_after;
}

static void progress(void *data, double t, double duration, const torsor_counters *counters) {
  support_trace *trace = data;
  (void)t;
  (void)duration;
  trace->last = *counters;
}

static void warn(void *data, const char *message) {
  support_trace *trace = data;
  const size_t used = strlen(trace->warnings);
  snprintf(trace->warnings + used, sizeof trace->warnings - used, "%s\n", message);
}

torsor_status support_run_as(support_trace *out, torsor_summary *summary,
                             const support_world *world, const torsor_simulation *simulation,
                             const char *const *names, torsor_error *error) {
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = out,
                              .record = keep_row,
                              .stop = stop,
                              .progress = progress,
                              .warn = warn,
                              .timing = out->timing,
                              .threads = out->threads};
  torsor_signals *signals = NULL;
  torsor_status status =
      torsor_signals_create(&signals, world->model, names, count_names(names), NULL, error);
  if (status) return status;
  status = torsor_simulate(summary, world->model, simulation, signals, &hooks, error);
  torsor_signals_destroy(signals);
  return status;
}

torsor_status support_run(support_trace *out, torsor_summary *summary, const support_world *world,
                          torsor_error *error) {
  int count;
  const char *const *chosen = torsor_scene_signals(world->scene, &count);
  const char *names[64] = {NULL};
  CHECK_TRUE(count < 64);
  for (int i = 0; i < count; ++i) names[i] = chosen[i];
  return support_run_as(out, summary, world, torsor_scene_simulation(world->scene), names, error);
}

torsor_status support_rest(support_trace *out, torsor_statics_summary *summary,
                           const support_world *world, const char *const *names,
                           torsor_error *error) {
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = out,
                              .record = keep_row,
                              .stop = stop,
                              .warn = warn,
                              .timing = out->timing,
                              .threads = out->threads};
  torsor_signals *signals = NULL;
  torsor_status status =
      torsor_signals_create(&signals, world->model, names, count_names(names), NULL, error);
  if (status) return status;
  status = torsor_statics_run(summary, world->model, torsor_scene_statics(world->scene), NULL,
                              signals, &hooks, error);
  torsor_signals_destroy(signals);
  return status;
}

void support_trace_release(support_trace *trace) {
  free(trace->value);
  *trace = (support_trace){0};
}

const double *support_row(const support_trace *trace, int row) {
  return trace->value + row * trace->columns;
}
