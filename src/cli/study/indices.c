/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices of sensitivity.  Sobol' indices by the estimators of Saltelli et al. (2010), first order,
 * and Jansen (1999), total; elementary effects by Morris (1991) and Campolongo et al. (2007). */
#include <math.h>
#include <stdlib.h>

#include "cli/study/study_read.h"
#include "cli/study/table.h"

/* ---- Sobol' ------------------------------------------------------------------------------------
 */

/* Is the row `at` of the design whole, A, B and each column of B in A? */
static bool is_whole(const double *f, const row_status *status, int block) {
  for (int i = 0; i < block; ++i)
    if (status[i] > ROW_NAN || !isfinite(f[i])) return false;
  return true;
}

/* Indices from the rows of one replicate; returns the number of whole ones. */
static long estimate(double *first, double *total, const study_table *t, int j, int replicate) {
  const int n = t->study->variables, block = n + 2, step = t->study->design.replicates;
  const double *f = t->output + (size_t)j * (size_t)t->rows;
  const long points = t->rows / block;
  double sum = 0, square = 0;
  long count = 0;
  for (int i = 0; i < n; ++i) first[i] = total[i] = 0;
  for (long k = replicate; k < points; k += step)
    if (is_whole(f + k * block, t->status + k * block, block)) {
      sum += f[k * block] + f[k * block + 1];
      ++count;
    }
  const double mean = sum / (2 * (double)count);
  for (long k = replicate; k < points; k += step) {
    const double *g = f + k * block;
    if (!is_whole(g, t->status + k * block, block)) continue;
    square += (g[0] - mean) * (g[0] - mean) + (g[1] - mean) * (g[1] - mean);
    for (int i = 0; i < n; ++i) {
      first[i] += (g[1] - mean) * (g[2 + i] - g[0]);
      total[i] += (g[0] - g[2 + i]) * (g[0] - g[2 + i]);
    }
  }
  const double variance = square / (2 * (double)count);
  for (int i = 0; i < n; ++i) {
    first[i] /= (double)count * variance;
    total[i] /= 2 * (double)count * variance;
  }
  return count;
}

/* Means over the replicates [replicates][n], and their standard errors. */
static void average(double *mean, double *error, const double *value, int n, int replicates) {
  for (int i = 0; i < n; ++i) {
    double sum = 0, square = 0;
    for (int r = 0; r < replicates; ++r) sum += value[r * n + i];
    mean[i] = sum / replicates;
    for (int r = 0; r < replicates; ++r)
      square += (value[r * n + i] - mean[i]) * (value[r * n + i] - mean[i]);
    error[i] = replicates > 1 ? sqrt(square / (replicates - 1) / replicates) : nan("");
  }
}

torsor_status indices_sobol(double *first, double *first_error, double *total, double *total_error,
                            long *rows, const study_table *t, int j, torsor_error *error) {
  const int n = t->study->variables, replicates = t->study->design.replicates;
  double *found = calloc(2 * (size_t)n * (size_t)replicates, sizeof *found);
  if (!found) return study_memory_short(error);
  double *totals = found + n * replicates;
  *rows = 0;
  for (int r = 0; r < replicates; ++r) *rows += estimate(found + r * n, totals + r * n, t, j, r);
  average(first, first_error, found, n, replicates);
  average(total, total_error, totals, n, replicates);
  free(found);
  return TORSOR_OK;
}

/* ---- Morris ------------------------------------------------------------------------------------
 */

/* The value that changes between samples k and k + 1, -1 = none; *step is the change in parts of
 * the range. */
static int find_step(double *step, const study_table *t, long k) {
  const size_t n = (size_t)t->rows;
  const int levels = t->study->design.levels;
  for (int i = 0; i < t->study->variables; ++i) {
    const double *value = t->value + (size_t)i * n + k;
    if (value[0] == value[1]) continue;
    const double size = 0.5 * levels / (levels - 1);
    *step = value[1] > value[0] ? size : -size;
    return i;
  }
  return -1;
}

/* Calls for every elementary effect on output j: its value and its size. */
static bool effect_at(double *effect, int *which, const study_table *t, int j, long k) {
  const double *f = t->output + (size_t)j * (size_t)t->rows;
  double step = 1;
  const int block = t->study->variables + 1;
  if (k % block == block - 1) return false;
  if (t->status[k] > ROW_NAN || t->status[k + 1] > ROW_NAN) return false;
  *which = find_step(&step, t, k);
  *effect = (f[k + 1] - f[k]) / step;
  return *which >= 0 && isfinite(*effect);
}

void indices_morris(double *mean, double *size, double *sd, long *count, const study_table *t,
                    int j) {
  const int n = t->study->variables;
  long number[STUDY_COLUMNS] = {0};
  double effect;
  int i;
  *count = 0;
  for (i = 0; i < n; ++i) mean[i] = size[i] = sd[i] = 0;
  for (long k = 0; k + 1 < t->rows; ++k) {
    if (!effect_at(&effect, &i, t, j, k)) continue;
    mean[i] += effect;
    size[i] += fabs(effect);
    ++number[i];
    ++*count;
  }
  for (i = 0; i < n; ++i) {
    mean[i] /= (double)number[i];
    size[i] /= (double)number[i];
  }
  for (long k = 0; k + 1 < t->rows; ++k)
    if (effect_at(&effect, &i, t, j, k)) sd[i] += (effect - mean[i]) * (effect - mean[i]);
  for (i = 0; i < n; ++i) sd[i] = number[i] > 1 ? sqrt(sd[i] / (double)(number[i] - 1)) : nan("");
}
