/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/study_read.h"
#include "cli/study/table.h"

const double statistics_parts[5] = {0.05, 0.25, 0.5, 0.75, 0.95};

/* Half width of an interval of 95 % in standard deviations. */
static const double WIDE = 1.959963984540054;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The interval of a quantile is between two of the sorted values: the number of values below it has
 * a binomial distribution. */
static void find_interval(double *low, double *high, const double *sorted, long count,
                          double part) {
  const double n = (double)count, spread = WIDE * sqrt(n * part * (1 - part));
  const long a = (long)floor(n * part - spread), b = (long)ceil(n * part + spread);
  *low = sorted[a > 0 ? a : 0];
  *high = sorted[b < count ? b : count - 1];
}

statistics statistics_of(double *value, long count) {
  const double none = nan("");
  statistics s = {
      .count = count, .mean = none, .mean_error = none, .sd = none, .min = none, .max = none};
  for (int i = 0; i < 5; ++i) s.quantile[i] = s.low[i] = s.high[i] = none;
  if (!count) return s;
  const size_t n = (size_t)count;
  qsort(value, n, sizeof *value, compare);
  s.mean = gsl_stats_mean(value, 1, n);
  s.min = value[0];
  s.max = value[n - 1];
  if (n > 1) {
    s.sd = gsl_stats_sd_m(value, 1, n, s.mean);
    s.mean_error = s.sd / sqrt((double)n);
  }
  for (int i = 0; i < 5; ++i) {
    s.quantile[i] = gsl_stats_quantile_from_sorted_data(value, 1, n, statistics_parts[i]);
    find_interval(&s.low[i], &s.high[i], value, count, statistics_parts[i]);
  }
  return s;
}

/* Correlation and rank correlation of x and y [count]; `room` [2 count].  NaN: one of them does not
 * vary. */
static void correlate(double *correlation, double *rank, const double *x, const double *y,
                      long count, double *room) {
  const size_t n = (size_t)count;
  *correlation = *rank = nan("");
  if (count < 2) return;
  *correlation = gsl_stats_correlation(x, 1, y, 1, n);
  *rank = gsl_stats_spearman(x, 1, y, 1, n, room);
}

/* ---- as JSON -----------------------------------------------------------------------------------
 */

static void add_list(text *t, const char *key, const double *value, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ", " : "");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

static void add_statistics(text *t, const statistics *s) {
  json_count(t, "count", s->count);
  json_number(t, "mean", s->mean);
  json_number(t, "mean_error", s->mean_error);
  json_number(t, "sd", s->sd);
  json_number(t, "min", s->min);
  json_number(t, "max", s->max);
  add_list(t, "quantiles", s->quantile, 5);
  add_list(t, "quantiles_low", s->low, 5);
  add_list(t, "quantiles_high", s->high, 5);
}

/* Samples that have output j: their outputs and values, in `y` and `x`. */
static long gather(double *y, double *x, const study_table *t, int j, int i) {
  const size_t n = (size_t)t->rows;
  long count = 0;
  for (size_t k = 0; k < n; ++k) {
    const double value = t->output[(size_t)j * n + k];
    if (t->status[k] > ROW_NAN || !isfinite(value)) continue;
    y[count] = value;
    if (x) x[count] = t->value[(size_t)i * n + k];
    ++count;
  }
  return count;
}

static void add_correlations(text *t, const study_table *table, int j, double *room) {
  const study *s = table->study;
  double correlation[STUDY_COLUMNS], rank[STUDY_COLUMNS];
  double *y = room, *x = room + table->rows;
  for (int i = 0; i < s->variables; ++i) {
    const long count = gather(y, x, table, j, i);
    correlate(&correlation[i], &rank[i], x, y, count, x + table->rows);
  }
  add_list(t, "correlation", correlation, s->variables);
  add_list(t, "rank_correlation", rank, s->variables);
}

static torsor_status add_indices(text *t, const study_table *table, int j, torsor_error *error) {
  enum { M = STUDY_COLUMNS };
  double a[M], b[M], c[M], d[M];
  long count = 0;
  const int n = table->study->variables;
  torsor_status status = TORSOR_OK;
  if (table->study->design.kind == DESIGN_MORRIS) {
    indices_morris(a, b, c, &count, table, j);
    json_count(t, "effects", count);
    add_list(t, "mu", a, n);
    add_list(t, "mu_star", b, n);
    add_list(t, "sigma", c, n);
  } else if (table->study->design.kind == DESIGN_SOBOL_INDICES) {
    status = indices_sobol(a, b, c, d, &count, table, j, error);
    json_count(t, "whole_rows", count);
    add_list(t, "first_order", a, n);
    add_list(t, "first_order_error", b, n);
    add_list(t, "total", c, n);
    add_list(t, "total_error", d, n);
  }
  return status;
}

torsor_status table_statistics(text *t, const study_table *table, torsor_error *error) {
  const study *s = table->study;
  double *room = calloc(4 * (size_t)table->rows + 1, sizeof *room);
  torsor_status status = room ? TORSOR_OK : study_memory_short(error);
  json_key(t, "vary");
  text_append(t, "[");
  for (int i = 0; i < s->variables; ++i) {
    text_append(t, i ? ", " : "");
    text_json_string(t, s->variable[i].name);
  }
  text_append(t, "]");
  json_key(t, "outputs");
  text_append(t, "{");
  for (int j = 0; j < s->outputs && !status; ++j) {
    text_append(t, j ? ",\n  " : "\n  ");
    text_json_string(t, s->output[j].name);
    text_append(t, ": {");
    json_text(t, "unit", s->output[j].unit);
    const long count = gather(room, NULL, table, j, 0);
    const statistics found = statistics_of(room, count);
    add_statistics(t, &found);
    add_correlations(t, table, j, room);
    status = add_indices(t, table, j, error);
    text_append(t, "}");
  }
  text_append(t, "}");
  free(room);
  return status;
}
