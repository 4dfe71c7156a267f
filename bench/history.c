/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "history.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROW_LENGTH = 512 };

static const char head[] =
    "time,note,case,part,parts,steps,us_per_step,us_per_part,newton_per_step,factorisations_per_"
    "step,"
    "klu_refactor_us,klu_solve_us,ratio,unknowns,nonzeros,setup_us,memory_bytes\n";

/* Text of a row up to column `column`, NULL where there are less. */
static const char *find_column(const char *row, int column) {
  for (; row && column; --column) {
    row = strchr(row, ',');
    if (row) ++row;
  }
  return row;
}

bool history_last(figures *out, const char *file, const char *name) {
  char row[ROW_LENGTH], key[ROW_LENGTH];
  bool found = false;
  FILE *stream = fopen(file, "r");
  if (!stream) return false;
  snprintf(key, sizeof key, "%s,", name);
  while (fgets(row, sizeof row, stream)) {
    const char *named = find_column(row, 2), *cost = find_column(row, 6);
    const char *refactor = find_column(row, 10);
    figures f = {0};
    if (!refactor || strncmp(named, key, strlen(key))) continue;
    if (sscanf(cost, "%lf", &f.step) != 1) continue;
    if (sscanf(refactor, "%lf,%lf", &f.refactor, &f.solve) != 2) continue;
    *out = f;
    found = true;
  }
  fclose(stream);
  return found;
}

bool history_append(const char *file, const bench_case *c, const figures *f, const char *note) {
  char when[32];
  struct tm utc;
  const time_t now = time(NULL);
  FILE *stream = fopen(file, "a");
  if (!stream) return false;
  if (!ftell(stream)) fputs(head, stream);
  strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  fprintf(stream, "%s,%s,%s,%s,%d,%ld,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%d,%d,%.4g,%.0f\n", when,
          note, c->name, c->part, c->parts, f->steps, f->step, f->step / c->parts, f->newton,
          f->factorings, f->refactor, f->solve, figures_ratio(f), f->unknowns, f->nonzeros,
          f->setup, f->memory);
  return !fclose(stream);
}
