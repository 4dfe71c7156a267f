/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/folder.h"
#include "cli/statistics.h"
#include "results/file.h"

static double cpu_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

torsor_status session_open_types(session *s, const cli *common, torsor_error *error) {
  s->registry = torsor_registry_create(error);
  if (!s->registry) return TORSOR_MEMORY;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < common->plugin_count && status == TORSOR_OK; ++i)
    status = torsor_registry_load(s->registry, common->plugin[i], error);
  return status;
}

void session_close_scene(session *s) {
  torsor_signals_destroy(s->signals);
  torsor_scene_sensitivities_destroy(s->sensitivities);
  s->sensitivities = NULL;
  torsor_model_destroy(s->model);
  torsor_scene_destroy(s->scene);
  s->signals = NULL;
  s->model = NULL;
  s->scene = NULL;
}

static torsor_status open_signals(session *s, torsor_error *error) {
  int count, index = -1;
  const char *const *names = torsor_scene_signals(s->scene, &count);
  torsor_status status = torsor_signals_create(&s->signals, s->model, names, count, &index, error);
  if (!status) status = torsor_scene_show_units(s->scene, s->signals, error);
  if (status == TORSOR_OK) return statistics_check(s->scene, s->signals, error);
  if (index < 0) return status;
  torsor_scene_locate_signal(s->scene, index, error);
  error->status = TORSOR_SCENE;
  return TORSOR_SCENE;
}

torsor_status session_differentiate(session *s, torsor_error *error) {
  const torsor_status status =
      torsor_scene_sensitivities(&s->sensitivities, s->scene, s->model, error);
  if (status || !s->sensitivities) return status;
  return torsor_signals_differentiate(s->signals, s->sensitivities, error);
}

torsor_status session_open_scene(session *s, const cli *common, const char *file,
                                 torsor_error *error) {
  session_close_scene(s);
  const double start = cpu_now();
  torsor_status status =
      torsor_scene_load(&s->scene, file, s->registry, common->set, common->set_count, error);
  if (status == TORSOR_OK) status = torsor_scene_model(&s->model, s->scene, error);
  if (status == TORSOR_OK) status = open_signals(s, error);
  s->setup_seconds = cpu_now() - start;
  return status;
}

torsor_status session_open(session *s, const cli *common, const char *file, torsor_error *error) {
  const torsor_status status = session_open_types(s, common, error);
  return status == TORSOR_OK ? session_open_scene(s, common, file, error) : status;
}

void session_close(session *s) {
  session_close_scene(s);
  torsor_registry_destroy(s->registry);
  s->registry = NULL;
}

torsor_status session_locate(const session *s, torsor_status status, torsor_error *error) {
  if (status == TORSOR_OK) return status;
  /* an argument that a key of the scene gives is the scene's */
  if (status == TORSOR_ARGUMENT && error->path[0]) status = error->status = TORSOR_SCENE;
  torsor_scene_locate(s->scene, error);
  return status;
}

torsor_status session_keep_scene(const session *s, const char *folder, torsor_error *error) {
  text document = {0};
  text_printf(&document, "%s\n", torsor_scene_canonical(s->scene));
  char *file = path_format(error, "%s/scene.json", folder);
  torsor_status status = TORSOR_OK;
  if (!file || document.failed)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  else
    status = file_replace(file, document.data, document.length, error);
  text_release(&document);
  free(file);
  return status;
}

/* ---- recording ---------------------------------------------------------------------------- */

typedef struct recorder {
  torsor_table *table;
  int capacity;
  const cli *common;
} recorder;

static torsor_status record_row(void *data, double t, const double *values, int count) {
  recorder *r = data;
  torsor_table *table = r->table;
  const size_t columns = (size_t)table->columns;
  if (table->rows == r->capacity) {
    if (r->capacity > INT_MAX / 2) return TORSOR_MEMORY;
    const int capacity = r->capacity ? 2 * r->capacity : 1024;
    double *value = reallocarray(table->value, (size_t)capacity * columns, sizeof *value);
    if (!value) return TORSOR_MEMORY;
    table->value = value;
    r->capacity = capacity;
  }
  double *row = table->value + (size_t)table->rows++ * columns;
  row[0] = t;
  memcpy(row + 1, values, (size_t)count * sizeof *row);
  return TORSOR_OK;
}

static void warn_user(void *data, const char *message) {
  const recorder *r = data;
  cli_warn(r->common, "%s", message);
}

static torsor_status name_columns(torsor_table *table, const torsor_signals *signals,
                                  torsor_error *error) {
  const int count = torsor_signals_count(signals);
  table->name = calloc((size_t)count + 1, sizeof *table->name);
  if (!table->name) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int j = 0; j <= count; ++j) {
    table->name[j] = strdup(j == 0 ? "t" : torsor_signals_name(signals, j - 1));
    if (!table->name[j]) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    table->columns = j + 1;
  }
  return TORSOR_OK;
}

torsor_status session_record_statics(torsor_table *table, torsor_statics_summary *summary,
                                     const session *s, const cli *common, torsor_error *error) {
  *table = (torsor_table){0};
  const torsor_status status = name_columns(table, s->signals, error);
  if (status != TORSOR_OK) return status;
  recorder r = {.table = table, .common = common};
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = &r,
                              .record = record_row,
                              .warn = warn_user,
                              .threads = common->threads};
  const char *solver = torsor_scene_simulation(s->scene)->linear_solver;
  return session_locate(s,
                        torsor_statics_run(summary, s->model, torsor_scene_statics(s->scene),
                                           solver, s->signals, &hooks, error),
                        error);
}

static torsor_status record(torsor_table *table, torsor_summary *summary, const session *s,
                            const torsor_simulation *simulation, const cli *common,
                            torsor_hooks hooks, torsor_error *error) {
  *table = (torsor_table){0};
  const torsor_status status = name_columns(table, s->signals, error);
  if (status != TORSOR_OK) return status;
  recorder r = {.table = table, .common = common};
  hooks.data = &r;
  hooks.record = record_row;
  hooks.threads = common->threads;
  return session_locate(
      s, torsor_simulate(summary, s->model, simulation, s->signals, &hooks, error), error);
}

torsor_status session_record(torsor_table *table, torsor_summary *summary, const session *s,
                             const torsor_simulation *simulation, const cli *common,
                             torsor_error *error) {
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .warn = warn_user};
  return record(table, summary, s, simulation, common, hooks, error);
}

torsor_status session_record_quietly(torsor_table *table, torsor_summary *summary, const session *s,
                                     const torsor_simulation *simulation, const cli *common,
                                     bool (*stop)(void *data), torsor_error *error) {
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .stop = stop};
  return record(table, summary, s, simulation, common, hooks, error);
}

/* ---- modes -------------------------------------------------------------------------------- */

enum { MODE_COLUMNS = 4 };

static torsor_status add_mode(torsor_table *table, int index, const torsor_mode *m,
                              torsor_error *error) {
  static const char *const name[MODE_COLUMNS] = {"frequency_hz", "damping_ratio", "eigenvalue_re",
                                                 "eigenvalue_im"};
  const double value[MODE_COLUMNS] = {m->frequency_hz, m->damping_ratio, m->re, m->im};
  for (int k = 0; k < MODE_COLUMNS; ++k) {
    table->name[table->columns] = path_format(error, "mode[%d].%s", index, name[k]);
    if (!table->name[table->columns]) return TORSOR_MEMORY;
    table->value[table->columns++] = value[k];
  }
  return TORSOR_OK;
}

static torsor_status tabulate_modes(torsor_table *table, const torsor_modes *modes,
                                    torsor_error *error) {
  const size_t columns = 1 + MODE_COLUMNS * (size_t)modes->count;
  table->name = calloc(columns, sizeof *table->name);
  table->value = calloc(columns, sizeof *table->value);
  if (table->name && table->value) table->name[0] = strdup("t");
  if (!table->name || !table->value || !table->name[0])
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  table->columns = table->rows = 1;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < modes->count && status == TORSOR_OK; ++i)
    status = add_mode(table, i + 1, &modes->mode[i], error);
  return status;
}

torsor_status session_record_modes(torsor_table *table, double *cpu_seconds,
                                   const torsor_modes_settings *settings, const session *s,
                                   const cli *common, torsor_error *error) {
  *table = (torsor_table){0};
  recorder r = {.table = table, .common = common};
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = &r, .warn = warn_user, .threads = common->threads};
  torsor_modes *modes = NULL;
  const double begun = cpu_now();
  torsor_status status =
      session_locate(s, torsor_modes_find(&modes, s->model, settings, &hooks, error), error);
  *cpu_seconds = cpu_now() - begun;
  if (status == TORSOR_OK) status = tabulate_modes(table, modes, error);
  torsor_modes_destroy(modes);
  return status;
}
