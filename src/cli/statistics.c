/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the name stand for the column: the column itself, or all below a dot or a bracket? */
static bool stands_for(const char *name, const char *column) {
  const size_t length = strlen(name);
  return strncmp(name, column, length) == 0 && (!column[length] || strchr(".[", column[length]));
}

static torsor_status fail(const torsor_signals *signals, const char *name, int index,
                          torsor_error *error) {
  const int count = torsor_signals_count(signals);
  const char **names = malloc(((size_t)count + 1) * sizeof *names);
  for (int i = 0; names && i < count; ++i) names[i] = torsor_signals_name(signals, i);
  const char *near = names ? torsor_near_name(name, names, count) : NULL;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" is no signal of the rows", name);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "name it in \"signals\", too");
  if (error) snprintf(error->path, sizeof error->path, "output.statistics.%d", index);
  free(names);
  return TORSOR_SCENE;
}

torsor_status statistics_check(const torsor_scene *scene, const torsor_signals *signals,
                               torsor_error *error) {
  int count;
  const char *const *name = torsor_scene_statistics(scene, &count);
  for (int i = 0; i < count; ++i) {
    bool found = false;
    for (int k = 0; k < torsor_signals_count(signals); ++k)
      found |= stands_for(name[i], torsor_signals_name(signals, k));
    if (found) continue;
    const torsor_status status = fail(signals, name[i], i, error);
    torsor_scene_locate(scene, error);
    return status;
  }
  return TORSOR_OK;
}

/* A column of the rows: straight lines between them, x = a + (b - a) s. */
static torsor_statistic measure(const torsor_table *rows, int column) {
  torsor_statistic s = {.min = HUGE_VAL, .max = -HUGE_VAL};
  double sum = 0, squares = 0, time = 0;
  snprintf(s.signal, sizeof s.signal, "%s", rows->name[column]);
  for (int i = 0; i < rows->rows; ++i) {
    const double *row = rows->value + (size_t)i * (size_t)rows->columns, x = row[column];
    if (x < s.min) {
      s.min = x;
      s.t_min = row[0];
    }
    if (x > s.max) {
      s.max = x;
      s.t_max = row[0];
    }
    s.final = x;
    if (i == 0) continue;
    const double a = row[column - rows->columns], h = row[0] - row[-rows->columns];
    sum += h * (a + x) / 2;
    squares += h * (a * a + a * x + x * x) / 3;
    time += h;
  }
  s.mean = time > 0 ? sum / time : s.final;
  s.rms = time > 0 ? sqrt(squares / time) : fabs(s.final);
  return s;
}

torsor_status statistics_find(statistics *out, const torsor_scene *scene, const char *trajectory,
                              torsor_error *error) {
  int count;
  const char *const *name = torsor_scene_statistics(scene, &count);
  torsor_table rows = {0};
  *out = (statistics){0};
  if (!count) return TORSOR_OK;
  torsor_status status = torsor_csv_read(&rows, trajectory, error);
  if (!status && rows.rows) {
    out->item = calloc((size_t)rows.columns, sizeof *out->item);
    if (!out->item) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  for (int column = 1; out->item && column < rows.columns; ++column) {
    bool wanted = false;
    for (int i = 0; i < count; ++i) wanted |= stands_for(name[i], rows.name[column]);
    if (wanted) out->item[out->count++] = measure(&rows, column);
  }
  torsor_table_destroy(&rows);
  return status;
}

void statistics_release(statistics *s) {
  free(s->item);
  *s = (statistics){0};
}
