/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/compare.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void torsor_table_destroy(torsor_table *table) {
  for (int j = 0; j < table->columns; ++j) free(table->name[j]);
  free(table->name);
  free(table->value);
  *table = (torsor_table){0};
}

double torsor_order(double e1, double e2, double h1, double h2) {
  if (!(e1 > 0 && e2 > 0 && h1 > 0 && h2 > 0) || h1 == h2) return nan("");
  return log(e1 / e2) / log(h1 / h2);
}

/* ---- tables ------------------------------------------------------------------------------- */

static double time_at(const torsor_table *table, int row) {
  return table->value[(size_t)row * (size_t)table->columns];
}

int table_find_time(const torsor_table *table, double t) {
  int low = 0, high = table->rows - 1;
  if (high < 0) return -1;
  const double spacing = high > 0 ? (time_at(table, high) - time_at(table, 0)) / high : 0;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (time_at(table, middle) < t)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && t - time_at(table, low - 1) < fabs(time_at(table, low) - t)) low -= 1;
  const double slack = fmax(1e-9 * spacing, 4 * DBL_EPSILON * fabs(t));
  return fabs(time_at(table, low) - t) <= slack ? low : -1;
}

int table_find_column(const torsor_table *table, const char *name) {
  for (int j = 0; j < table->columns; ++j)
    if (strcmp(table->name[j], name) == 0) return j;
  return -1;
}

int column_signal_length(const char *column) {
  const int length = (int)strlen(column);
  const char *dot = strrchr(column, '.');
  if (!dot || dot == column) return length;
  const bool component = strchr("xyzw", dot[1]) && dot[1] && !dot[2];
  bool number = dot[1] != '\0';
  for (const char *c = dot + 1; *c; ++c) number = number && isdigit((unsigned char)*c);
  return component || number ? (int)(dot - column) : length;
}

/* Is `name` the column, its signal or something above it ("top" of "top.position.x")? */
static bool name_covers(const char *name, const char *column) {
  const size_t length = strlen(name);
  return strncmp(name, column, length) == 0 && (column[length] == '\0' || column[length] == '.');
}

/* ---- which columns form which signal ------------------------------------------------------ */

typedef struct comparison {
  const torsor_table *result, *reference;
  int *group_of; /* [reference columns] index in `difference`, -1 = not compared */
  int *twin;     /* [reference columns] column of the result */
  int *row;      /* [reference rows] row of the result */
  int *member;   /* [reference columns] columns of one group */
  const torsor_tolerance **tolerance; /* [reference columns] of each group */
  torsor_difference *difference;      /* [reference columns] groups, `count` used */
  int count;
} comparison;

static torsor_status comparison_create(comparison *c, const torsor_table *result,
                                       const torsor_table *reference, torsor_error *error) {
  const size_t columns = (size_t)reference->columns + 1, rows = (size_t)reference->rows + 1;
  *c = (comparison){.result = result, .reference = reference};
  c->group_of = calloc(columns, sizeof *c->group_of);
  c->twin = calloc(columns, sizeof *c->twin);
  c->row = calloc(rows, sizeof *c->row);
  c->member = calloc(columns, sizeof *c->member);
  c->tolerance = calloc(columns, sizeof *c->tolerance);
  c->difference = calloc(columns, sizeof *c->difference);
  if (c->group_of && c->twin && c->row && c->member && c->tolerance && c->difference)
    return TORSOR_OK;
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static void comparison_destroy(comparison *c) {
  free(c->group_of);
  free(c->twin);
  free(c->row);
  free(c->member);
  free(c->tolerance);
  free(c->difference);
}

/* Returns the tolerance of the longest name that covers the column. */
static const torsor_tolerance *find_tolerance(const torsor_tolerance *tolerances, int count,
                                              const torsor_tolerance *fallback,
                                              const char *column) {
  const torsor_tolerance *best = NULL;
  for (int i = 0; i < count; ++i) {
    if (!name_covers(tolerances[i].signal, column)) continue;
    if (!best || strlen(tolerances[i].signal) > strlen(best->signal)) best = &tolerances[i];
  }
  return best ? best : fallback;
}

/* Refuses a name of a signal or a column that the table does not have. */
static torsor_status fail_unknown(const torsor_table *table, torsor_status status,
                                  const char *whose, const char *name, torsor_error *error) {
  torsor_fail(error, status, "the %s has no signal \"%s\"", whose, name);
  const char *near = NULL;
  char **signal = calloc((size_t)table->columns + 1, sizeof *signal);
  if (!signal) return status;
  const bool is_column = column_signal_length(name) < (int)strlen(name);
  int count = 0;
  for (int j = 1; j < table->columns; ++j, ++count) {
    const char *column = table->name[j];
    const size_t length = is_column ? strlen(column) : (size_t)column_signal_length(column);
    signal[count] = strndup(column, length);
    if (!signal[count]) break;
  }
  near = torsor_near_name(name, (const char *const *)signal, count);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else if (status == TORSOR_MISMATCH)
    torsor_hint(error, "add it to output.signals of the scene");
  for (int j = 0; j < count; ++j) free(signal[j]);
  free(signal);
  return status;
}

/* Returns the group called like the first `length` letters of `name`; a new one where there is
 * none. */
static int find_group(comparison *c, const char *name, int length,
                      const torsor_tolerance *tolerance) {
  char signal[sizeof c->difference->signal];
  snprintf(signal, sizeof signal, "%.*s", length, name);
  for (int i = 0; i < c->count; ++i)
    if (strcmp(c->difference[i].signal, signal) == 0) return i;
  torsor_difference *d = &c->difference[c->count];
  memcpy(d->signal, signal, sizeof signal);
  snprintf(d->basis, sizeof d->basis, "%s", tolerance->basis);
  c->tolerance[c->count] = tolerance;
  return c->count++;
}

/* Returns the selecting name that covers the column, NULL where it is not selected. */
static const char *find_selector(const char *const *signals, int count, const char *column) {
  const char *best = NULL;
  for (int i = 0; i < count; ++i)
    if (name_covers(signals[i], column) && (!best || strlen(signals[i]) > strlen(best)))
      best = signals[i];
  return best;
}

static torsor_status select_columns(comparison *c, const char *const *signals, int signal_count,
                                    const torsor_tolerance *tolerances, int tolerance_count,
                                    const torsor_tolerance *fallback, torsor_error *error) {
  for (int j = 0; j < c->reference->columns; ++j) {
    const char *column = c->reference->name[j];
    const char *selector = find_selector(signals, signal_count, column);
    c->group_of[j] = -1;
    if (j == 0 || (signal_count > 0 && !selector)) continue;
    c->twin[j] = table_find_column(c->result, column);
    if (c->twin[j] < 1) return fail_unknown(c->result, TORSOR_MISMATCH, "result", column, error);
    const torsor_tolerance *tolerance =
        find_tolerance(tolerances, tolerance_count, fallback, column);
    if (!tolerance)
      return torsor_fail(error, TORSOR_ARGUMENT, "there is no tolerance for the signal \"%s\"",
                         column);
    const bool alone =
        strcmp(tolerance->signal, column) == 0 || (selector && strcmp(selector, column) == 0);
    const int length = alone ? (int)strlen(column) : column_signal_length(column);
    c->group_of[j] = find_group(c, column, length, tolerance);
  }
  for (int i = 0; i < signal_count; ++i) {
    bool known = false;
    for (int j = 1; j < c->reference->columns && !known; ++j)
      known = name_covers(signals[i], c->reference->name[j]);
    if (!known) return fail_unknown(c->reference, TORSOR_ARGUMENT, "reference", signals[i], error);
  }
  return TORSOR_OK;
}

/* ---- times -------------------------------------------------------------------------------- */

static torsor_status check_increase(const torsor_table *table, const char *whose,
                                    torsor_error *error) {
  for (int i = 1; i < table->rows; ++i) {
    if (time_at(table, i) > time_at(table, i - 1)) continue;
    return torsor_fail(error, TORSOR_ARGUMENT, "the times of the %s do not increase at t = %.9g",
                       whose, time_at(table, i));
  }
  return TORSOR_OK;
}

static torsor_status match_times(comparison *c, torsor_error *error) {
  torsor_status status = check_increase(c->result, "result", error);
  if (status == TORSOR_OK) status = check_increase(c->reference, "reference", error);
  for (int i = 0; i < c->reference->rows && status == TORSOR_OK; ++i) {
    const double t = time_at(c->reference, i);
    c->row[i] = table_find_time(c->result, t);
    if (c->row[i] >= 0) continue;
    const double end = c->result->rows ? time_at(c->result, c->result->rows - 1) : 0;
    status = torsor_fail(error, TORSOR_MISMATCH,
                         "the result has no row at the reference's time t = %.9g", t);
    if (c->result->rows == 0 || t > end)
      torsor_hint(error, "the result ends at t = %.9g: see simulation.duration, or why it stopped",
                  end);
    else
      torsor_hint(error, "choose simulation.step and output.every so that the reference's times "
                         "are among the output times");
  }
  return status;
}

/* ---- differences -------------------------------------------------------------------------- */

/* Returns the length of result - sign * reference over the components of one signal; hypot neither
 * over- nor underflows and is exact for one component. */
static double distance(const comparison *c, int count, const double *result,
                       const double *reference, double sign) {
  double norm = 0;
  for (int k = 0; k < count; ++k)
    norm = hypot(norm, result[c->twin[c->member[k]]] - sign * reference[c->member[k]]);
  return norm;
}

static bool is_quaternion(const torsor_difference *d, int count) {
  static const char word[] = "quaternion";
  const size_t length = strlen(d->signal);
  return count == 4 && length >= sizeof word - 1 &&
         strcmp(d->signal + length - (sizeof word - 1), word) == 0;
}

/* Finds the worst row of a group: among those that fail if any does, else among all. */
static void measure_group(comparison *c, int group) {
  torsor_difference *d = &c->difference[group];
  const torsor_tolerance *tolerance = c->tolerance[group];
  int count = 0;
  for (int j = 1; j < c->reference->columns; ++j)
    if (c->group_of[j] == group) c->member[count++] = j;
  const bool quaternion = is_quaternion(d, count);
  d->holds = true;
  d->max_error = -1;
  for (int i = 0; i < c->reference->rows; ++i) {
    const double *reference = c->reference->value + (size_t)i * (size_t)c->reference->columns;
    const double *result = c->result->value + (size_t)c->row[i] * (size_t)c->result->columns;
    double error = distance(c, count, result, reference, 1);
    if (quaternion) error = fmin(error, distance(c, count, result, reference, -1));
    double size = 0;
    for (int k = 0; k < count; ++k) size = hypot(size, reference[c->member[k]]);
    const double allowed = tolerance->atol + tolerance->rtol * size;
    const bool holds = error <= allowed;
    const bool worse =
        holds ? d->holds && error > d->max_error : d->holds || error > d->max_error || isnan(error);
    if (!worse) continue;
    d->holds = holds;
    d->max_error = error;
    d->at = reference[0];
    d->tolerance = allowed;
    if (isnan(error)) break;
  }
}

torsor_status torsor_compare(torsor_difference **out, int *count, const torsor_table *result,
                             const torsor_table *reference, const char *const *signals,
                             int signal_count, const torsor_tolerance *tolerances,
                             int tolerance_count, const torsor_tolerance *fallback,
                             torsor_error *error) {
  *out = NULL;
  *count = 0;
  if (reference->rows == 0 || reference->columns < 2)
    return torsor_fail(error, TORSOR_ARGUMENT, "the reference is empty");
  comparison c;
  torsor_status status = comparison_create(&c, result, reference, error);
  if (status == TORSOR_OK)
    status =
        select_columns(&c, signals, signal_count, tolerances, tolerance_count, fallback, error);
  if (status == TORSOR_OK) status = match_times(&c, error);
  if (status == TORSOR_OK) {
    for (int i = 0; i < c.count; ++i) measure_group(&c, i);
    *out = c.difference;
    *count = c.count;
    c.difference = NULL;
  }
  comparison_destroy(&c);
  return status;
}
