/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equilibria.h"

#include <stdio.h>

#include "check.h"

static torsor_status keep(void *data, double t, const double *values, int count) {
  equilibria *o = data;
  CHECK_TRUE(o->rows < EQUILIBRIA_ROWS && count < EQUILIBRIA_COLUMNS);
  double *row = o->row[o->rows++];
  row[0] = t;
  memcpy(row + 1, values, (size_t)count * sizeof *row);
  o->columns = count + 1;
  return TORSOR_OK;
}

static void note(void *data, const char *message) {
  equilibria *o = data;
  const size_t used = strlen(o->warnings);
  snprintf(o->warnings + used, sizeof o->warnings - used, "%s\n", message);
}

static void correct(void *data, double load, int iteration, double size) {
  equilibria *o = data;
  if (iteration == 1) o->sizes = 0;
  if (o->sizes < EQUILIBRIA_SIZES) o->size[o->sizes++] = size;
  o->load = load;
}

static bool stop(void *data) {
  equilibria *o = data;
  return o->stop_after > 0 && --o->stop_after == 0;
}

static void run(equilibria *o, support_world *world) {
  torsor_signals *signals = NULL;
  int count;
  const char *const *names = torsor_scene_signals(world->scene, &count);
  CHECK_INT(torsor_signals_create(&signals, world->model, names, count, NULL, &o->error),
            TORSOR_OK);
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = o,
                              .record = keep,
                              .stop = stop,
                              .warn = note,
                              .correct = correct};
  o->status = torsor_statics_run(&o->summary, world->model, torsor_scene_statics(world->scene),
                                 NULL, signals, &hooks, &o->error);
  torsor_scene_locate(world->scene, &o->error);
  torsor_signals_destroy(signals);
  support_close(world);
}

static void start(equilibria *o) {
  const int stop_after = o->stop_after;
  *o = (equilibria){.stop_after = stop_after};
}

static const double *end_of(const equilibria *o) {
  if (o->status) print_error("%s (%s)\n", o->error.message, o->error.hint);
  CHECK_INT(o->status, TORSOR_OK);
  return o->row[o->rows - 1];
}

void equilibria_find(equilibria *o, const char *text, const char *const *set) {
  support_world world;
  start(o);
  const torsor_status status = support_open(&world, text, set, &o->error);
  if (status) print_error("%s: %s\n", o->error.path, o->error.message);
  CHECK_INT(status, TORSOR_OK);
  run(o, &world);
}

const double *equilibria_end(equilibria *o, const char *text, const char *const *set) {
  equilibria_find(o, text, set);
  return end_of(o);
}

const double *equilibria_load(equilibria *o, const char *name, const char *const *set) {
  support_world world;
  start(o);
  support_load(&world, name, set);
  run(o, &world);
  return end_of(o);
}
