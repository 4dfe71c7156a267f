/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/signals.h"
#include "cli/study/study_read.h"

/* The derivatives by one value of what a gauge has. */
typedef struct slope_gauge {
  double from, to;            /* of its times */
  double y, before_y;         /* of the last row and of the one before */
  double first, last, looked; /* of numbers */
  double low, high, sum, square, span;
} slope_gauge;

struct slopes {
  reductions *of;
  const torsor_signals *signals;
  arena memory;
  int first, count;
  slope_gauge *gauge;  /* [count x outputs] */
  double *residual;    /* [count x data] */
  double *rate, *none; /* [scope] of the variables of an expression; zeros */
  int *place;          /* [signals] of a derivative among those by one path; -1: there is none */
};

/* ---- the request -------------------------------------------------------------------------------
 */

/* The least part of its scale that a value is differentiated over, where it is near 0. */
static const double LEAST = 1e-3;

void slopes_write_request(text *out, const study *s, const double *value, int first, int count) {
  text_append(out, "sensitivities=[");
  for (int i = first; i < first + count; ++i) {
    const study_variable *v = &s->variable[i];
    const double scale = fmin(v->scale, fmax(fabs(value[i]), LEAST * v->scale));
    for (int k = 0; k < v->paths; ++k) {
      text_append(out, i > first || k ? ", {" : "{");
      json_text(out, "parameter", v->path[k]);
      json_number(out, "scale", scale);
      text_append(out, "}");
    }
  }
  text_append(out, "]");
}

/* ---- memory ------------------------------------------------------------------------------------
 */

torsor_status slopes_open(slopes **out, reductions *r, int first, int count, torsor_error *error) {
  const study *of = r->study;
  slopes *s = calloc(1, sizeof *s);
  *out = s;
  if (!s) return study_memory_short(error);
  *s = (slopes){.of = r, .first = first, .count = count};
  const size_t n = (size_t)count;
  const size_t scope = (size_t)(1 + of->variables + of->outputs + r->signals);
  s->gauge = arena_take(&s->memory, n * (size_t)of->outputs, sizeof *s->gauge);
  s->residual = arena_take(&s->memory, n * (size_t)of->data, sizeof *s->residual);
  s->rate = arena_take(&s->memory, scope, sizeof *s->rate);
  s->none = arena_take(&s->memory, scope, sizeof *s->none);
  s->place = arena_take(&s->memory, (size_t)r->signals, sizeof *s->place);
  return s->gauge && s->residual && s->rate && s->none && s->place ? TORSOR_OK
                                                                   : study_memory_short(error);
}

void slopes_close(slopes *s) {
  if (!s) return;
  arena_release(&s->memory);
  free(s);
}

static slope_gauge *gauge_of(const slopes *s, int j, int i) {
  return s->gauge + j * s->of->study->outputs + i;
}

static double rate_of_time(slopes *s, const expression *time, int j) {
  if (!time) return 0;
  memset(s->rate, 0, (size_t)s->of->study->variables * sizeof *s->rate);
  s->rate[s->first + j] = 1;
  return expression_rates(time, s->of->all.value, s->rate, s->none).first;
}

torsor_status slopes_begin(slopes *s, const torsor_signals *signals, torsor_error *error) {
  const reductions *r = s->of;
  s->signals = signals;
  for (int k = 0; k < r->signals; ++k) s->place[k] = -1;
  const derivatives *d = signals ? signals_derivatives(signals) : NULL;
  int paths = 0;
  for (int j = 0; j < s->count; ++j) paths += r->study->variable[s->first + j].paths;
  if (d && d->by.count != paths)
    return torsor_fail(error, TORSOR_SCENE, "the scene has %d derivatives, not %d", d->by.count,
                       paths);
  for (int k = 0; d && k < d->each; ++k) s->place[d->of[k]] = k;
  for (int j = 0; j < s->count; ++j)
    for (int i = 0; i < r->study->outputs; ++i) {
      const double no = nan("");
      *gauge_of(s, j, i) = (slope_gauge){.from = rate_of_time(s, r->gauge[i].from_time, j),
                                         .to = rate_of_time(s, r->gauge[i].to_time, j),
                                         .first = no,
                                         .last = no,
                                         .looked = no,
                                         .low = no,
                                         .high = no};
    }
  for (int k = 0; k < s->count * r->study->data; ++k) s->residual[k] = nan("");
  return TORSOR_OK;
}

/* ---- derivatives of expressions ----------------------------------------------------------------
 */

/* The derivative of signal k by value j: the sum of those by its paths. */
static double slope_of_signal(const slopes *s, int k, int j, const double *row) {
  const derivatives *d = signals_derivatives(s->signals);
  if (s->place[k] < 0) return nan("");
  int path = 0;
  for (int i = 0; i < j; ++i) path += s->of->study->variable[s->first + i].paths;
  double sum = 0;
  const double *at = row + signals_own_count(s->signals) + s->place[k];
  for (int i = 0; i < s->of->study->variable[s->first + j].paths; ++i)
    sum += at[(path + i) * d->each];
  return sum;
}

/* The derivative of the expression of gauge i by value j, at the row at which the reductions have
 * evaluated it. */
static double slope_of_gauge(slopes *s, int i, int j, const double *row) {
  const reductions *r = s->of;
  const gauge *g = &r->gauge[i];
  if (g->column >= 0) return slope_of_signal(s, g->column, j, row);
  double *rate = s->rate + 1;
  memset(s->rate, 0, (size_t)(1 + r->study->variables) * sizeof *s->rate);
  rate[s->first + j] = 1;
  for (int k = 0; k < r->signals; ++k)
    rate[r->study->variables + k] = slope_of_signal(s, k, j, row);
  return expression_rates(g->value, r->x, s->rate, s->none).first;
}

/* ---- rows --------------------------------------------------------------------------------------
 */

/* The derivatives of the trapezium between the last row and this one, whose edges may move with the
 * times from and to. */
static void add_area(slope_gauge *d, const gauge *g, double t, double y, double dy) {
  const double a = fmax(g->t, g->from), b = fmin(t, g->to), width = t - g->t;
  if (!g->seen || !(b > a)) return;
  const double slope = (y - g->y) / width, turn = (dy - d->y) / width;
  const double da = a > g->t ? d->from : 0, db = b < t ? d->to : 0;
  const double ya = a > g->t ? g->y + slope * (a - g->t) : g->y;
  const double yb = b < t ? g->y + slope * (b - g->t) : y;
  const double dya = a > g->t ? d->y + turn * (a - g->t) + slope * da : d->y;
  const double dyb = b < t ? d->y + turn * (b - g->t) + slope * db : dy;
  d->sum += 0.5 * (db - da) * (ya + yb) + 0.5 * (b - a) * (dya + dyb);
  d->square += 0.5 * (db - da) * (ya * ya + yb * yb) + (b - a) * (ya * dya + yb * dyb);
  d->span += db - da;
}

/* The derivative at the vertex t of a parabola: its slope is 0 there, so that the parabola through
 * the derivatives has it. */
static double at_vertex(const slope_gauge *d, const gauge *g, double t1, double dy, double t) {
  const double h0 = g->t - g->before_t, h1 = t1 - g->t;
  const double d0 = (d->y - d->before_y) / h0, d1 = (dy - d->y) / h1;
  const double bend = (d1 - d0) / (h0 + h1), step = t - g->t;
  return d->y + step * (d0 + bend * h0 + bend * step);
}

/* Extremes, as the gauge will find them. */
static void add_extremes(slope_gauge *d, const gauge *g, bool parabola, double t, double y,
                         double dy) {
  double low = g->low, high = g->high, at, value;
  const bool refined = parabola && g->seen >= 2 && g->before_t >= g->from;
  for (double sign = -1; sign <= 1 && refined; sign += 2) {
    if (!gauge_vertex(&at, &value, g, t, y, sign)) continue;
    const double slope = at_vertex(d, g, t, dy, at);
    if (value < low) d->low = slope;
    if (value > high) d->high = slope;
    low = fmin(low, value);
    high = fmax(high, value);
  }
  if (y < low) d->low = dy;
  if (y > high) d->high = dy;
}

void slopes_row(slopes *s, int i, double t, double y, const double *row) {
  const study_output *o = &s->of->study->output[i];
  const gauge *g = &s->of->gauge[i];
  for (int j = 0; j < s->count; ++j) {
    slope_gauge *d = gauge_of(s, j, i);
    const double dy = slope_of_gauge(s, i, j, row);
    add_area(d, g, t, y, dy);
    if (t >= g->from && t <= g->to) {
      add_extremes(d, g, o->parabola, t, y, dy);
      if (!g->rows) d->first = dy;
      d->last = dy;
    }
    d->before_y = d->y;
    d->y = dy;
  }
}

void slopes_look(slopes *s, int i, const double *row) {
  for (int j = 0; j < s->count; ++j) gauge_of(s, j, i)->looked = slope_of_gauge(s, i, j, row);
}

void slopes_measure(slopes *s, int k, const double *row) {
  const study *of = s->of->study;
  const study_datum *datum = &of->datum[k];
  const double sigma = of->series[datum->series].sigma;
  for (int j = 0; j < s->count; ++j)
    s->residual[j * of->data + k] =
        slope_of_gauge(s, of->outputs + datum->series, j, row) / (isnan(sigma) ? 1 : sigma);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static double finish(const slope_gauge *d, const gauge *g, const study_output *o) {
  const double mean = g->sum / g->span, dmean = (d->sum - mean * d->span) / g->span;
  const double mean_square = g->square / g->span;
  const double dsquare = (d->square - mean_square * d->span) / g->span;
  switch (o->reduction) {
  case REDUCE_FINAL:
    return d->last;
  case REDUCE_INITIAL:
    return d->first;
  case REDUCE_MIN:
    return d->low;
  case REDUCE_MAX:
    return d->high;
  case REDUCE_ABS_MAX:
    return fabs(g->low) > fabs(g->high) ? copysign(1, g->low) * d->low
                                        : copysign(1, g->high) * d->high;
  case REDUCE_RANGE:
    return d->high - d->low;
  case REDUCE_MEAN:
    return dmean;
  case REDUCE_RMS:
    return dsquare / (2 * sqrt(mean_square));
  case REDUCE_STD:
    return (dsquare - 2 * mean * dmean) / (2 * sqrt(mean_square - mean * mean));
  case REDUCE_INTEGRAL:
    return d->sum;
  case REDUCE_VALUE:
    return d->looked;
  default:
    return nan("");
  }
}

void slopes_end(slopes *s, int j, double *out) {
  const reductions *r = s->of;
  const study *of = r->study;
  memset(s->rate, 0, (size_t)of->variables * sizeof *s->rate);
  s->rate[s->first + j] = 1;
  for (int i = 0; i < of->outputs; ++i) {
    const study_output *o = &of->output[i];
    const gauge *g = &r->gauge[i];
    out[i] = o->reduction == REDUCE_OF
                 ? expression_rates(g->value, r->all.value, s->rate, s->none).first
                 : finish(gauge_of(s, j, i), g, o);
    s->rate[of->variables + i] = out[i];
  }
  memcpy(out + of->outputs, s->residual + j * of->data, (size_t)of->data * sizeof *out);
}

/* ---- what has no derivative --------------------------------------------------------------------
 */

static bool has_slope(study_reduction reduction) {
  return reduction <= REDUCE_ABS_MAX || reduction == REDUCE_RANGE ||
         (reduction >= REDUCE_MEAN && reduction <= REDUCE_VALUE) || reduction == REDUCE_OF;
}

bool slopes_missing(char why[STUDY_TEXT], const reductions *r, int i, int j) {
  const study *s = r->study;
  const study_output *o = &s->output[i];
  const gauge *g = &r->gauge[i];
  if (!has_slope(o->reduction)) {
    snprintf(why, STUDY_TEXT, "\"%s\" of the output %s has no derivative",
             study_reductions[o->reduction], o->name);
    return true;
  }
  if (g->at_time && expression_uses(g->at_time, j)) {
    snprintf(why, STUDY_TEXT, "the time \"at\" of the output %s moves with %s", o->name,
             s->variable[j].name);
    return true;
  }
  for (int k = 0; k < i && o->reduction == REDUCE_OF; ++k)
    if (expression_uses(g->value, s->variables + k) && slopes_missing(why, r, k, j)) return true;
  return false;
}
