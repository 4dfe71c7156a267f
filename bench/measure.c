/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

#include "analysis/observe/clock.h"
#include "klu_cost.h"

enum { SCENE_FILE = 1024 };

static double memory_taken(void) {
  const struct mallinfo2 now = mallinfo2();
  return (double)now.uordblks + (double)now.hblkhd;
}

static void note_memory(void *data, double t, double duration, const torsor_counters *counters) {
  (void)t, (void)duration;
  if (counters->steps == 1) *(double *)data = memory_taken();
}

/* One run from the file on. */
typedef struct pass {
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
} pass;

static void pass_close(pass *p) {
  torsor_signals_destroy(p->signals);
  torsor_model_destroy(p->model);
  torsor_scene_destroy(p->scene);
}

/* As `torsor run` does, with the rows of the start and the end only. */
static torsor_status pass_open(pass *p, const bench_case *c, const char *source,
                               const torsor_registry *registry, torsor_error *error) {
  char file[SCENE_FILE];
  const char *set[CASE_CHANGES + 1] = {"output.every=1000000"};
  int changes = 1, signals;
  for (int i = 0; i < CASE_CHANGES && c->set[i]; ++i) set[changes++] = c->set[i];
  snprintf(file, sizeof file, "%s/%s", source, c->scene);
  torsor_status status = torsor_scene_load(&p->scene, file, registry, set, changes, error);
  if (!status) status = torsor_scene_model(&p->model, p->scene, error);
  if (status) return status;
  const char *const *names = torsor_scene_signals(p->scene, &signals);
  return torsor_signals_create(&p->signals, p->model, names, signals, NULL, error);
}

static torsor_status run_once(figures *out, pass *p, const bench_case *c, const char *source,
                              const torsor_registry *registry, torsor_error *error) {
  torsor_summary summary = {0};
  double taken = 0;
  const double before = memory_taken(), start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  torsor_status status = pass_open(p, c, source, registry, error);
  const double opened = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = &taken, .progress = note_memory};
  if (!status)
    status = torsor_simulate(&summary, p->model, torsor_scene_simulation(p->scene), p->signals,
                             &hooks, error);
  if (status) return status;
  const double steps = (double)summary.counters.steps;
  out->steps = summary.counters.steps;
  out->step = fmin(out->step, 1e6 * summary.cpu_seconds / steps);
  out->alone = fmin(out->alone, 1e6 * summary.wall_seconds / steps);
  out->setup = fmin(out->setup, 1e6 * (opened - start + summary.setup_seconds));
  out->newton = (double)summary.counters.newton_iterations / steps;
  out->factorings = (double)summary.counters.factorizations / steps;
  out->memory = taken - before;
  return TORSOR_OK;
}

static torsor_status run_shared(figures *out, pass *p, int threads, torsor_error *error) {
  torsor_summary summary = {0};
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .threads = threads};
  const torsor_status status = torsor_simulate(
      &summary, p->model, torsor_scene_simulation(p->scene), p->signals, &hooks, error);
  const double steps = (double)summary.counters.steps;
  if (!status) out->shared = fmin(out->shared, 1e6 * summary.wall_seconds / steps);
  return status;
}

torsor_status measure(figures *out, const bench_case *c, const char *source,
                      const torsor_registry *registry, int repeats, int threads,
                      torsor_error *error) {
  torsor_status status = TORSOR_OK;
  *out = (figures){.step = HUGE_VAL, .setup = HUGE_VAL, .alone = HUGE_VAL, .shared = HUGE_VAL};
  for (int i = 0; i < repeats && !status; ++i) {
    pass p = {0};
    status = run_once(out, &p, c, source, registry, error);
    if (!status && threads > 1) status = run_shared(out, &p, threads, error);
    if (!status && i == repeats - 1)
      status = klu_cost(out, p.model, torsor_scene_simulation(p.scene), error);
    pass_close(&p);
  }
  return status;
}
