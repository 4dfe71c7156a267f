/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/slopes.h"
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
  const engine_work work = {.data = &p, .next = next_point, .done = take_point};
  e->status = engine_do(e->engine, &work, e->error);
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

/* Differences by the values of which `which` is true. */
static torsor_status difference(evaluator *e, const double *x, const bool *which,
                                double *derivative) {
  const study *s = e->sampler->study;
  const size_t n = (size_t)s->variables, m = (size_t)s->numbers;
  double *at = malloc(2 * n * n * sizeof *at), *value = malloc(2 * n * m * sizeof *value);
  size_t count = 0;
  e->status = at && value ? TORSOR_OK : study_memory_short(e->error);
  for (size_t i = 0; i < n && !e->status; ++i)
    if (which[i]) put_points(at + 2 * n * count++, s, x, (int)i, s->search.forward);
  if (!e->status && count) e->status = evaluate(e, at, 2 * (int)count, value);
  count = 0;
  for (size_t i = 0; i < n && !e->status; ++i) {
    if (!which[i]) continue;
    const double *a = at + 2 * n * count, *y = value + 2 * m * count;
    const double width = a[n + i] - a[i];
    for (size_t k = 0; k < m; ++k) derivative[k * n + i] = (y[m + k] - y[k]) / width;
    ++count;
  }
  free(at);
  free(value);
  return e->status;
}

/* Derivatives that are not known yet, of values that follow each other. */
typedef struct slopes_asked {
  evaluator *e;
  const double *x;
  const bool *which; /* [variables] those that are asked for */
  int at, first, count, most;
} slopes_asked;

static bool is_asked(const slopes_asked *p, int j) {
  if (!p->which[j]) return false;
  const row *r = rows_find(p->e->rows, sampler_hash_slope(p->e->sampler, p->x, j));
  return !r || r->status == ROW_BEGUN;
}

static bool next_slopes(void *data, long *sample, double *value) {
  slopes_asked *p = data;
  const int n = p->e->sampler->study->variables;
  while (p->at < n && !is_asked(p, p->at)) ++p->at;
  if (p->at == n) return false;
  p->first = p->at;
  while (p->at < n && p->at - p->first < p->most && is_asked(p, p->at)) ++p->at;
  p->count = p->at - p->first;
  memcpy(value, p->x, (size_t)n * sizeof *value);
  *sample = p->e->runs;
  return true;
}

static void range_of_slopes(void *data, int *first, int *count) {
  const slopes_asked *p = data;
  *first = p->first;
  *count = p->count;
}

static torsor_status take_slope(void *data, long sample, uint64_t hash,
                                const sample_result *result) {
  const slopes_asked *p = data;
  (void)sample;
  return rows_add(p->e->rows, hash, result, p->e->error);
}

/* Is output i, or a measured number, among those that the search needs derivatives of? */
static bool is_needed(const study *s, int i) {
  const int first = s->search.objective;
  if (first < 0) return i >= s->outputs;
  return i >= first && i <= first + s->search.constraints;
}

/* Why there is no derivative by value j, as far as that is known without a run. */
static bool is_missing(char why[STUDY_TEXT], const evaluator *e, int j) {
  const study *s = e->sampler->study;
  if (s->analysis != STUDY_RUN) {
    snprintf(why, STUDY_TEXT, "the analysis \"%s\" has no derivatives",
             study_analyses[s->analysis]);
    return true;
  }
  for (int i = 0; i < s->outputs; ++i)
    if (is_needed(s, i) && slopes_missing(why, &e->sampler->reductions, i, j)) return true;
  return false;
}

/* The derivatives by value j from its row; false where there are none. */
static bool take_column(double *derivative, char why[STUDY_TEXT], const evaluator *e,
                        const double *x, int j) {
  const study *s = e->sampler->study;
  const row *r = rows_find(e->rows, sampler_hash_slope(e->sampler, x, j));
  if (!r || r->status > ROW_NAN) {
    snprintf(why, STUDY_TEXT, "%s", r && r->message ? r->message : "the run failed");
    return false;
  }
  for (int i = 0; i < s->numbers; ++i) {
    derivative[i * s->variables + j] = r->output[i];
    if (isfinite(r->output[i]) || !is_needed(s, i)) continue;
    snprintf(why, STUDY_TEXT, "%s has no finite derivative",
             i < s->outputs ? s->output[i].name : "a measured signal");
    return false;
  }
  return true;
}

/* Exact derivatives by the values of which `which` is true, which becomes true for the others. */
static torsor_status differentiate(evaluator *e, const double *x, bool *which, double *derivative) {
  const int n = e->sampler->study->variables;
  int wanted = 0;
  for (int j = 0; j < n; ++j) {
    which[j] = !is_missing(e->why[j], e, j);
    wanted += which[j];
  }
  const int jobs = engine_jobs(e->engine);
  slopes_asked p = {.e = e, .x = x, .which = which, .most = (wanted + jobs - 1) / jobs};
  const engine_work work = {
      .data = &p, .next = next_slopes, .range = range_of_slopes, .done = take_slope};
  if (wanted) e->status = engine_do(e->engine, &work, e->error);
  e->asked += wanted > 0;
  e->runs += p.count > 0;
  e->derived += p.count > 0;
  for (int j = 0; j < n; ++j) which[j] = !which[j] || !take_column(derivative, e->why[j], e, x, j);
  return e->status;
}

torsor_status evaluate_derivatives(evaluator *e, const double *x, double *derivative) {
  const study *s = e->sampler->study;
  bool by_runs[STUDY_COLUMNS];
  for (int j = 0; j < s->variables; ++j) by_runs[j] = true;
  if (s->search.exact && differentiate(e, x, by_runs, derivative)) return e->status;
  return difference(e, x, by_runs, derivative);
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
