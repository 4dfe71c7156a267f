/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/study_read.h"

/* Points that are not known yet. */
typedef struct points {
  evaluator *e;
  const double *x;
  int at, count;
} points;

static bool next_point(void *data, long *sample, double *value) {
  points *p = data;
  const size_t n = (size_t)p->e->sampler->study->variables;
  for (; p->at < p->count; ++p->at) {
    const double *x = p->x + (size_t)p->at * n;
    const row *r = rows_find(p->e->rows, sampler_hash(p->e->sampler, x));
    if (r && r->status != ROW_BEGUN) continue;
    memcpy(value, x, n * sizeof *x);
    *sample = p->e->runs++;
    ++p->at;
    return true;
  }
  return false;
}

static torsor_status take_point(void *data, long sample, uint64_t hash,
                                const sample_result *result) {
  const points *p = data;
  (void)sample;
  return rows_add(p->e->rows, hash, result, p->e->error);
}

torsor_status evaluate(evaluator *e, const double *x, int count, double *numbers) {
  const study *s = e->sampler->study;
  const size_t n = (size_t)s->variables, m = (size_t)s->numbers;
  points p = {.e = e, .x = x, .count = count};
  e->asked += count;
  e->status = engine_do(e->engine, &(engine_work){&p, next_point, take_point}, e->error);
  for (size_t k = 0; k < (size_t)count && !e->status; ++k) {
    const row *r = rows_find(e->rows, sampler_hash(e->sampler, x + k * n));
    const bool fine = r && r->status <= ROW_NAN;
    for (size_t i = 0; i < m; ++i) numbers[k * m + i] = fine ? r->output[i] : nan("");
  }
  return e->status;
}

/* ---- derivatives -------------------------------------------------------------------------------
 */

static double step_of(const study *s, int i) {
  const double noise = s->search.noise;
  return s->variable[i].scale * (s->search.forward ? sqrt(noise) : cbrt(noise));
}

/* The points x[i] - h and x[i] + h as far as they are within bounds; forwards x[i] and x[i] + h. */
static void put_points(double *out, const study *s, const double *x, int i, bool forward) {
  const size_t n = (size_t)s->variables;
  const study_variable *v = &s->variable[i];
  const double h = step_of(s, i);
  memcpy(out, x, n * sizeof *x);
  memcpy(out + n, x, n * sizeof *x);
  if (!forward) out[i] = fmax(x[i] - h, isnan(v->from) ? -HUGE_VAL : v->from);
  out[n + (size_t)i] = fmin(x[i] + h, isnan(v->to) ? HUGE_VAL : v->to);
  if (forward && !(out[n + (size_t)i] > x[i])) out[i] = x[i] - h;
}

torsor_status evaluate_derivatives(evaluator *e, const double *x, double *derivative) {
  const study *s = e->sampler->study;
  const size_t n = (size_t)s->variables, m = (size_t)s->numbers;
  double *at = malloc(2 * n * n * sizeof *at), *value = malloc(2 * n * m * sizeof *value);
  e->status = at && value ? TORSOR_OK : study_memory_short(e->error);
  for (size_t i = 0; i < n && !e->status; ++i)
    put_points(at + 2 * n * i, s, x, (int)i, s->search.forward);
  if (!e->status) e->status = evaluate(e, at, 2 * (int)n, value);
  for (size_t i = 0; i < n && !e->status; ++i) {
    const double width = at[2 * n * i + n + i] - at[2 * n * i + i];
    for (size_t k = 0; k < m; ++k)
      derivative[k * n + i] = (value[(2 * i + 1) * m + k] - value[2 * i * m + k]) / width;
  }
  free(at);
  free(value);
  return e->status;
}

torsor_status evaluate_kinks(evaluator *e, const double *x, double *part) {
  const study *s = e->sampler->study;
  const size_t n = (size_t)s->variables, m = (size_t)s->numbers;
  double *at = malloc(3 * n * n * sizeof *at), *value = malloc(3 * n * m * sizeof *value);
  e->status = at && value ? TORSOR_OK : study_memory_short(e->error);
  for (size_t i = 0; i < n && !e->status; ++i) {
    put_points(at + 3 * n * i, s, x, (int)i, false);
    memcpy(at + 3 * n * i + 2 * n, x, n * sizeof *x);
  }
  if (!e->status) e->status = evaluate(e, at, 3 * (int)n, value);
  for (size_t i = 0; i < n && !e->status; ++i) {
    const double back = x[i] - at[3 * n * i + i], ahead = at[3 * n * i + n + i] - x[i];
    double apart = 0, size = 0;
    for (size_t k = 0; k < m; ++k) {
      const double *y = value + 3 * i * m + k;
      const double d0 = (y[2 * m] - y[0]) / back, d1 = (y[m] - y[2 * m]) / ahead;
      apart += (d1 - d0) * (d1 - d0);
      size += fmax(d0 * d0, d1 * d1);
    }
    part[i] = size > 0 ? sqrt(apart / size) : 0;
  }
  free(at);
  free(value);
  return e->status;
}
