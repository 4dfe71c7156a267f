/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/study_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/study/study_read.h"
#include "results/file.h"

/* More curves than this cannot be distinguished. */
enum { MOST_SERIES = 12 };

/* Rows of the table that have numbers. */
typedef struct numbers {
  int columns, rows; /* varied values, then outputs */
  double *value;     /* [rows x columns] */
} numbers;

bool study_has_table(const char *folder) {
  return folder_has_file(folder, "study.json") && folder_has_file(folder, "table.csv");
}

/* ---- the table ---------------------------------------------------------------------------------
 */

/* Reads the cells of a line behind sample and status; false where there are too few. */
static bool read_cells(double *out, int columns, const char *line) {
  const char *at = line;
  for (int skipped = 0; skipped < 2 && at; ++skipped) {
    at = strchr(at, ',');
    if (at) ++at;
  }
  for (int j = 0; j < columns; ++j) {
    if (!at) return false;
    char *end;
    out[j] = strtod(at, &end);
    if (end == at) out[j] = nan("");
    at = strchr(at, ',');
    if (at) ++at;
  }
  return true;
}

static torsor_status read_numbers(numbers *out, const study *s, const char *folder,
                                  torsor_error *error) {
  text words = {0};
  char *file = path_format(error, "%s/table.csv", folder);
  torsor_status status = file ? file_read(&words, file, error) : TORSOR_MEMORY;
  int lines = 0;
  for (const char *c = words.data; !status && c && (c = strchr(c, '\n')); ++c) ++lines;
  *out = (numbers){.columns = s->variables + s->outputs};
  out->value = calloc((size_t)(lines + 1) * (size_t)out->columns, sizeof *out->value);
  if (!status && !out->value) status = study_memory_short(error);
  char *line = words.data ? strchr(words.data, '\n') : NULL;
  for (char *end; !status && line && (end = strchr(line + 1, '\n')); line = end) {
    *end = '\0';
    double *row = out->value + (size_t)out->rows * (size_t)out->columns;
    out->rows += read_cells(row, out->columns, line + 1);
  }
  text_release(&words);
  free(file);
  return status;
}

static int find_column(const study *s, const char *name) {
  for (int i = 0; i < s->outputs; ++i)
    if (strcmp(s->output[i].name, name) == 0) return s->variables + i;
  return study_find_variable(s, name);
}

static const char *name_of(const study *s, int column) {
  return column < s->variables ? s->variable[column].name : s->output[column - s->variables].name;
}

static const char *unit_of(const study *s, int column) {
  return column < s->variables ? s->variable[column].unit : s->output[column - s->variables].unit;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

static int compare_rows(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The rows whose value of `by` is `value`, all where by < 0, with x first and in its order. */
static torsor_status add_series(study_curves *c, const numbers *n, int x, int by, double value,
                                torsor_error *error) {
  plot_series *series = &c->series[c->count++];
  torsor_table *table = &series->table;
  const size_t columns = (size_t)n->columns;
  char label[128] = "";
  if (by >= 0) snprintf(label, sizeof label, "%s = %.6g", name_of(&c->study, by), value);
  series->label = arena_string(&c->study.memory, label);
  series->scattered = c->study.design.kind >= DESIGN_MONTE_CARLO;
  table->name = calloc(columns, sizeof *table->name);
  table->value = calloc((size_t)n->rows * columns + 1, sizeof *table->value);
  if (!series->label || !table->name || !table->value) return study_memory_short(error);
  for (int j = 0; j < n->columns; ++j) {
    const int from = j == 0 ? x : j <= x ? j - 1 : j;
    table->name[j] = strdup(name_of(&c->study, from));
    if (!table->name[j]) return study_memory_short(error);
    table->columns = j + 1;
    for (int row = 0, to = 0; row < n->rows; ++row) {
      const double *cells = n->value + (size_t)row * columns;
      if (by >= 0 && cells[by] != value) continue;
      table->value[(size_t)to++ * columns + (size_t)j] = cells[from];
      table->rows = to;
    }
  }
  qsort(table->value, (size_t)table->rows, columns * sizeof *table->value, compare_rows);
  return TORSOR_OK;
}

static torsor_status add_all(study_curves *c, const numbers *n, int x, int by,
                             torsor_error *error) {
  double seen[MOST_SERIES];
  int count = 0;
  c->series = calloc(MOST_SERIES, sizeof *c->series);
  if (!c->series) return study_memory_short(error);
  if (by < 0) return add_series(c, n, x, by, 0, error);
  torsor_status status = TORSOR_OK;
  for (int row = 0; row < n->rows && !status; ++row) {
    const double value = n->value[(size_t)row * (size_t)n->columns + (size_t)by];
    bool known = isnan(value);
    for (int i = 0; i < count && !known; ++i) known = seen[i] == value;
    if (known || count == MOST_SERIES) continue;
    seen[count++] = value;
    status = add_series(c, n, x, by, value, error);
  }
  return status;
}

/* Columns and units that the study names: those of all its plots over the same x. */
static torsor_status choose(study_curves *c, const study_plot *first, torsor_error *error) {
  const study *s = &c->study;
  const int all = s->variables + s->outputs;
  bool wanted[STUDY_COLUMNS] = {false};
  c->column = calloc((size_t)all + 1, sizeof *c->column);
  c->units.signal = calloc((size_t)all + 1, sizeof *c->units.signal);
  if (!c->column || !c->units.signal) return study_memory_short(error);
  for (int i = 0; i < s->plots; ++i)
    for (int k = 0; k < s->plot[i].count; ++k)
      if (strcmp(s->plot[i].x, first->x) == 0) wanted[find_column(s, s->plot[i].y[k])] = true;
  for (int j = 0; j < all; ++j) {
    torsor_signal_unit *unit = &c->units.signal[c->units.count++];
    snprintf(unit->name, sizeof unit->name, "%s", name_of(s, j));
    snprintf(unit->unit, sizeof unit->unit, "%s", unit_of(s, j));
    if (s->plots ? wanted[j] : j >= s->variables) c->column[c->columns++] = name_of(s, j);
  }
  return TORSOR_OK;
}

torsor_status study_curves_read(study_curves *out, const char *folder, torsor_error *error) {
  numbers n = {0};
  *out = (study_curves){.x = ""};
  char *path = path_format(error, "%s/study.json", folder);
  torsor_status status = path ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) status = study_load(&out->study, path, error);
  const study *s = &out->study;
  if (!status) status = read_numbers(&n, s, folder, error);
  if (!status) {
    const study_plot usual = {.x = s->variable[0].name};
    const study_plot *first = s->plots ? s->plot : &usual;
    const int x = find_column(s, first->x);
    out->x = first->x;
    out->x_unit = unit_of(s, x);
    status = choose(out, first, error);
    if (!status) status = add_all(out, &n, x, first->by ? find_column(s, first->by) : -1, error);
  }
  free(n.value);
  free(path);
  return status;
}

void study_curves_release(study_curves *c) {
  for (int i = 0; i < c->count; ++i) torsor_table_destroy(&c->series[i].table);
  free(c->series);
  free(c->column);
  torsor_units_destroy(&c->units);
  study_release(&c->study);
}
