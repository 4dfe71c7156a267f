/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/compare.h"

void plot_release(plot *p) {
  free(p->panel);
  free(p->curve);
  p->panel = NULL;
  p->curve = NULL;
}

/* Is `name` the column, its signal, or what either lies below? */
static bool stands_for(const char *name, const char *column) {
  const size_t length = strlen(name);
  return !strncmp(name, column, length) &&
         (column[length] == '\0' || column[length] == '.' || column[length] == '[');
}

/* A signal with several numbers that is asked for by one of them is drawn alone. */
static int panel_name_length(const char *column, const char *wanted) {
  return wanted && !strcmp(wanted, column) ? (int)strlen(column) : column_signal_length(column);
}

static plot_panel *find_panel(const plot *p, const char *name, int length) {
  for (int i = 0; i < p->panel_count; ++i)
    if (p->panel[i].length == length && !strncmp(p->panel[i].signal, name, (size_t)length))
      return &p->panel[i];
  return NULL;
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Is the column drawn where nobody says which?  Of a response amplitude and phase are, of modes
 * over a value of the scene their frequencies. */
static bool is_usual(const plot *p, const char *column) {
  if (p->branches) return ends_with(column, ".frequency_hz");
  return !p->response || ends_with(column, ".amplitude") || ends_with(column, ".phase_deg");
}

/* Panels for the columns that `wanted` stands for (NULL: all); returns how many columns it
 * found. */
static int add_panels(plot *p, const char *wanted, int most, int *left_out,
                      const torsor_units *units) {
  const torsor_table *table = &p->series[0].table;
  int found = 0;
  for (int j = 1; j < table->columns; ++j) {
    const char *column = table->name[j];
    if (wanted ? !stands_for(wanted, column) : !is_usual(p, column)) continue;
    ++found;
    const int length = panel_name_length(column, wanted);
    if (find_panel(p, column, length)) continue;
    if (p->panel_count >= most) {
      const bool first = j == 1 || panel_name_length(table->name[j - 1], wanted) != length ||
                         strncmp(table->name[j - 1], column, (size_t)length) != 0;
      *left_out += first;
      continue;
    }
    p->panel[p->panel_count++] =
        (plot_panel){.signal = column,
                     .length = length,
                     .unit = torsor_units_find(units, column),
                     .logarithmic = p->response && ends_with(column, ".amplitude")};
  }
  return found;
}

static torsor_status unknown_signal(const plot *p, const char *wanted, torsor_error *error) {
  const torsor_table *table = &p->series[0].table;
  torsor_fail(error, TORSOR_ARGUMENT, "the result has no signal \"%s\"", wanted);
  const char *near =
      torsor_near_name(wanted, (const char *const *)table->name + 1, table->columns - 1);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "its first signal is \"%s\"", table->columns > 1 ? table->name[1] : "");
  return TORSOR_ARGUMENT;
}

void plot_label(text *out, const plot *p, const plot_curve *curve) {
  const plot_series *series = &p->series[curve->series];
  const char *component = series->table.name[curve->column] + curve->component;
  text_append(out, series->label);
  if (series->label[0] && component[0]) text_append(out, ": ");
  text_append(out, component);
}

/* A drift of a large value is drawn by itself: labels of axes have few digits. */
static const double SMALL_DRIFT = 1e-3;

static void find_range(plot *p, plot_panel *panel) {
  double low = HUGE_VAL, high = -HUGE_VAL, first = nan("");
  for (int i = panel->first; i < panel->first + panel->count; ++i) {
    const torsor_table *table = &p->series[p->curve[i].series].table;
    for (int row = 0; row < table->rows; ++row) {
      const double value =
          table->value[(size_t)row * (size_t)table->columns + (size_t)p->curve[i].column];
      if (!isfinite(value)) continue;
      if (isnan(first)) first = value;
      low = fmin(low, value);
      high = fmax(high, value);
    }
  }
  const bool drifts =
      !panel->logarithmic && high > low && high - low < SMALL_DRIFT * fmax(fabs(low), fabs(high));
  panel->shift = drifts ? first : 0;
  panel->low = low - panel->shift;
  panel->high = high - panel->shift;
  for (int i = panel->first; i < panel->first + panel->count; ++i) p->curve[i].shift = panel->shift;
}

static void add_curves(plot *p) {
  for (int i = 0; i < p->panel_count; ++i) {
    plot_panel *panel = &p->panel[i];
    panel->first = p->curve_count;
    for (int s = 0; s < p->series_count; ++s) {
      const torsor_table *table = &p->series[s].table;
      for (int j = 1; j < table->columns; ++j) {
        const char *column = table->name[j];
        const int length = panel->length;
        if (strncmp(column, panel->signal, (size_t)length) != 0 ||
            (column[length] && column_signal_length(column) != length))
          continue;
        p->curve[p->curve_count++] =
            (plot_curve){.series = s, .column = j, .component = length + (column[length] == '.')};
      }
    }
    panel->count = p->curve_count - panel->first;
    find_range(p, panel);
  }
}

torsor_status plot_choose(plot *p, const char *const *signals, int count, int most, int *left_out,
                          const torsor_units *units, torsor_error *error) {
  size_t columns = 0;
  *left_out = 0;
  p->response = strcmp(p->series[0].table.name[0], "frequency_hz") == 0;
  p->branches = p->series[0].table.columns > 1 &&
                strcmp(p->series[0].table.name[1], "branch_1.frequency_hz") == 0;
  for (int s = 0; s < p->series_count; ++s) columns += (size_t)p->series[s].table.columns;
  const int all = p->series[0].table.columns;
  p->panel = calloc((size_t)all, sizeof *p->panel);
  p->curve =
      calloc(2 * columns, sizeof *p->curve); /* a column may be drawn alone and with others */
  if (!p->panel || !p->curve) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!count) add_panels(p, NULL, most, left_out, units);
  for (int i = 0; i < count; ++i)
    if (!add_panels(p, signals[i], all, left_out, units))
      return unknown_signal(p, signals[i], error);
  add_curves(p);
  return TORSOR_OK;
}
