/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/slopes.h"
#include "cli/study/study_read.h"

/* ---- compilation -------------------------------------------------------------------------------
 */

static bool keeps_rows(study_reduction reduction) {
  return reduction == REDUCE_SETTLE || reduction == REDUCE_FFT_PEAK ||
         reduction == REDUCE_FFT_AMPLITUDE;
}

static bool crosses(study_reduction reduction) {
  return reduction == REDUCE_TIME_OF || reduction == REDUCE_COUNT_OF;
}

/* The expression of an output or, behind these, of a measured signal. */
static const char *words_of(const study *s, int i) {
  return i < s->outputs ? s->output[i].text : s->series[i - s->outputs].text;
}

/* Is the text of an output an expression of signals? */
static bool has_signals(const study_output *o) {
  return o->reduction < REDUCE_SUMMARY;
}

static int add_signal(reductions *r, const char *name, int output) {
  for (int i = 0; i < r->signals; ++i)
    if (strcmp(r->signal[i], name) == 0) return i;
  const char *copy = arena_string(&r->memory, name);
  if (!copy) return -1;
  r->owner[r->signals] = output;
  r->signal[r->signals] = copy;
  return r->signals++;
}

/* The words of an expression that nothing else explains are signals. */
static bool add_words(reductions *r, const char *words, int output) {
  char name[EXPRESSION_WORD + 1];
  double constant;
  while (expression_next_name(&words, name)) {
    const bool known = strcmp(name, EXPRESSION_TIME) == 0 || expression_is_builtin(name) ||
                       expression_constant(&constant, name) ||
                       study_find_variable(r->study, name) >= 0;
    if (!known && add_signal(r, name, output) < 0) return false;
  }
  return true;
}

/* A name with an index is a signal as a whole. */
static bool add_expression(reductions *r, int i) {
  const char *words = words_of(r->study, i);
  if (!strchr(words, '[')) return add_words(r, words, i);
  return (r->gauge[i].column = add_signal(r, words, i)) >= 0;
}

static int count_words(const study *s) {
  int count = 1;
  char name[EXPRESSION_WORD + 1];
  const int all = s->outputs + s->measured;
  for (int i = 0; i < all; ++i)
    for (const char *at = words_of(s, i); expression_next_name(&at, name);) ++count;
  return count + all;
}

static bool find_signals(reductions *r, const char *const *event, int events) {
  const study *s = r->study;
  const int most = count_words(s);
  r->signal = arena_take(&r->memory, (size_t)most, sizeof *r->signal);
  r->owner = arena_take(&r->memory, (size_t)most, sizeof *r->owner);
  bool fine = r->signal && r->owner;
  for (int i = 0; i < s->outputs && fine; ++i) {
    const study_output *o = &s->output[i];
    gauge *g = &r->gauge[i];
    g->column = -1;
    for (int k = 0; k < events && crosses(o->reduction); ++k)
      if (strcmp(event[k], o->text) == 0) g->event = o->text;
    r->events |= g->event != NULL;
    if (!has_signals(o) || g->event) continue;
    r->steps |= crosses(o->reduction);
    r->rows |= !crosses(o->reduction) && o->reduction != REDUCE_VALUE;
    fine = add_expression(r, i);
  }
  for (int i = s->outputs; i < s->outputs + s->measured && fine; ++i) {
    r->gauge[i].column = -1;
    fine = add_expression(r, i);
  }
  return fine;
}

static bool make_scope(expression_scope *scope, arena *memory, int count) {
  scope->name = arena_take(memory, (size_t)count, sizeof *scope->name);
  scope->value = arena_take(memory, (size_t)count, sizeof *scope->value);
  scope->varies = true;
  return scope->name && scope->value;
}

static bool make_scopes(reductions *r) {
  const study *s = r->study;
  if (!make_scope(&r->scope, &r->memory, 1 + s->variables + r->signals) ||
      !make_scope(&r->times, &r->memory, s->variables) ||
      !make_scope(&r->all, &r->memory, s->variables + s->outputs))
    return false;
  r->scope.name[r->scope.count++] = EXPRESSION_TIME;
  for (int i = 0; i < s->variables; ++i) {
    const char *name = s->variable[i].name;
    r->scope.name[r->scope.count++] = name;
    r->times.name[r->times.count++] = name;
    r->all.name[r->all.count++] = name;
  }
  for (int i = 0; i < r->signals; ++i) r->scope.name[r->scope.count++] = r->signal[i];
  r->x = r->scope.value;
  return true;
}

static torsor_status compile(expression **out, const reductions *r, int output, const char *key,
                             const char *words, const expression_scope *scope,
                             torsor_error *error) {
  if (!words) return TORSOR_OK;
  const torsor_status status = expression_compile(out, words, scope, error);
  if (status) study_locate_output(r->study, output, key, error);
  return status;
}

static torsor_status compile_output(reductions *r, int i, torsor_error *error) {
  const study_output *o = &r->study->output[i];
  const char *word = study_reductions[o->reduction];
  gauge *g = &r->gauge[i];
  torsor_status status = TORSOR_OK;
  if (o->reduction == REDUCE_OF)
    status = compile(&g->value, r, i, word, o->text, &r->all, error);
  else if (has_signals(o) && !g->event && g->column < 0)
    status = compile(&g->value, r, i, word, o->text, &r->scope, error);
  if (!status) status = compile(&g->from_time, r, i, "from", o->from, &r->times, error);
  if (!status) status = compile(&g->to_time, r, i, "to", o->to, &r->times, error);
  if (!status) status = compile(&g->at_time, r, i, "at", o->at, &r->times, error);
  r->all.name[r->all.count++] = o->name; /* what follows may use it */
  return status;
}

static const char *const members[] = {"steps",  "rejected_steps", "newton_iterations",
                                      "events", "max_phi",        "t"};
enum { MEMBERS = sizeof members / sizeof *members };

static double read_member(const torsor_summary *summary, const char *word) {
  const torsor_counters *c = &summary->counters;
  const double value[MEMBERS] = {
      (double)c->steps,        (double)c->rejected_steps, (double)c->newton_iterations,
      (double)summary->events, summary->max_phi,          summary->t};
  for (int i = 0; i < MEMBERS; ++i)
    if (strcmp(members[i], word) == 0) return value[i];
  return nan("");
}

static torsor_status check_member(const reductions *r, int i, torsor_error *error) {
  const study_output *o = &r->study->output[i];
  if (o->reduction != REDUCE_SUMMARY) return TORSOR_OK;
  char shown[96];
  for (int k = 0; k < MEMBERS; ++k)
    if (strcmp(members[k], o->text) == 0) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              "the summary has no number %s that does not depend on the "
              "machine",
              reader_show_text(o->text, shown));
  torsor_hint(error, "there are steps, rejected_steps, newton_iterations, events, max_phi, t");
  study_locate_output(r->study, i, "summary", error);
  return TORSOR_SCENE;
}

torsor_status reductions_open(reductions *out, const study *s, const char *const *event, int events,
                              torsor_error *error) {
  *out = (reductions){.study = s};
  out->gauge = arena_take(&out->memory, (size_t)(s->outputs + s->measured), sizeof *out->gauge);
  out->residual = arena_take(&out->memory, (size_t)s->data, sizeof *out->residual);
  if (!out->gauge || !out->residual || !find_signals(out, event, events) || !make_scopes(out))
    return study_memory_short(error);
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < s->outputs && !status; ++i) {
    status = compile_output(out, i, error);
    if (!status) status = check_member(out, i, error);
  }
  for (int i = s->outputs; i < s->outputs + s->measured && !status; ++i) {
    if (out->gauge[i].column >= 0) continue;
    status = expression_compile(&out->gauge[i].value, words_of(s, i), &out->scope, error);
    if (status) study_locate_series(s, i - s->outputs, error);
  }
  return status;
}

void reductions_close(reductions *r) {
  for (int i = 0; r->gauge && i < r->study->outputs + r->study->measured; ++i) {
    gauge *g = &r->gauge[i];
    expression_destroy(g->value);
    expression_destroy(g->from_time);
    expression_destroy(g->to_time);
    expression_destroy(g->at_time);
    free(g->stored);
  }
  arena_release(&r->memory);
  *r = (reductions){0};
}

/* ---- while a run goes on -----------------------------------------------------------------------
 */

static void begin_gauge(gauge *g, const double *value) {
  g->from = g->from_time ? expression_value(g->from_time, value) : -HUGE_VAL;
  g->to = g->to_time ? expression_value(g->to_time, value) : HUGE_VAL;
  g->at = g->at_time ? expression_value(g->at_time, value) : HUGE_VAL;
  g->rows = g->seen = g->crossings = 0;
  g->sum = g->square = g->span = 0;
  g->sign = 0;
  g->low = HUGE_VAL;
  g->high = -HUGE_VAL;
  g->crossed = g->first = g->last = g->low_t = g->high_t = g->looked = nan("");
}

torsor_status reductions_begin(reductions *r, const double *value, torsor_error *error) {
  const study *s = r->study;
  for (int i = 0; i < s->variables; ++i) r->x[1 + i] = r->all.value[i] = value[i];
  r->next = 0;
  for (int i = 0; i < s->data; ++i) r->residual[i] = nan("");
  for (int i = 0; i < s->outputs; ++i) {
    gauge *g = &r->gauge[i];
    begin_gauge(g, value);
    if (!isnan(g->from) && !isnan(g->to) && !isnan(g->at)) continue;
    torsor_fail(error, TORSOR_SCENE, "a time of the output \"%s\" is not finite",
                s->output[i].name);
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

double reductions_value(reductions *r, int i, double t, const double *signal) {
  const gauge *g = &r->gauge[i];
  if (g->column >= 0) return signal[g->column];
  r->x[0] = t;
  if (r->signals)
    memcpy(r->x + 1 + r->study->variables, signal, (size_t)r->signals * sizeof *signal);
  return expression_value(g->value, r->x);
}

/* Trapezia between the last row and this one, as far as they are in [from, to]. */
static void add_area(gauge *g, double t, double y) {
  const double a = fmax(g->t, g->from), b = fmin(t, g->to), width = t - g->t;
  if (!g->seen || !(b > a)) return;
  const double ya = a > g->t ? g->y + (y - g->y) * (a - g->t) / width : g->y;
  const double yb = b < t ? g->y + (y - g->y) * (b - g->t) / width : y;
  g->sum += 0.5 * (b - a) * (ya + yb);
  g->square += 0.5 * (b - a) * (ya * ya + yb * yb);
  g->span += b - a;
}

bool gauge_vertex(double *t, double *y, const gauge *g, double next_t, double next_y, double sign) {
  const double h0 = g->t - g->before_t, h1 = next_t - g->t;
  const double d0 = (g->y - g->before_y) / h0, d1 = (next_y - g->y) / h1;
  if (!(sign * d0 > 0) || !(sign * d1 < 0)) return false;
  const double bend = (d1 - d0) / (h0 + h1), slope = d0 + bend * h0;
  const double step = -slope / (2 * bend);
  *t = g->t + step;
  *y = g->y + 0.5 * slope * step;
  return true;
}

static void add_extreme(gauge *g, double t, double y) {
  if (y < g->low) {
    g->low = y;
    g->low_t = t;
  }
  if (y > g->high) {
    g->high = y;
    g->high_t = t;
  }
}

static void refine_extremes(gauge *g, double t, double y) {
  double at, value;
  if (g->seen < 2 || g->before_t < g->from || t > g->to) return;
  for (double sign = -1; sign <= 1; sign += 2)
    if (gauge_vertex(&at, &value, g, t, y, sign)) add_extreme(g, at, value);
}

static bool store_row(gauge *g, double t, double y) {
  if (g->rows == g->room) {
    const long room = g->room ? 2 * g->room : 1024;
    double *moved = realloc(g->stored, 2 * (size_t)room * sizeof *moved);
    if (!moved) return false;
    g->stored = moved;
    g->room = room;
  }
  g->stored[2 * g->rows] = t;
  g->stored[2 * g->rows + 1] = y;
  return true;
}

torsor_status reductions_row(reductions *r, double t, const double *signal) {
  for (int i = 0; i < r->study->outputs; ++i) {
    const study_output *o = &r->study->output[i];
    gauge *g = &r->gauge[i];
    if (!has_signals(o) || crosses(o->reduction) || o->reduction == REDUCE_VALUE) continue;
    const double y = reductions_value(r, i, t, signal);
    if (r->slopes) slopes_row(r->slopes, i, t, y, signal);
    add_area(g, t, y);
    if (t >= g->from && t <= g->to) {
      if (o->parabola) refine_extremes(g, t, y);
      add_extreme(g, t, y);
      if (!g->rows) g->first = y;
      g->last = y;
      if (keeps_rows(o->reduction) && !store_row(g, t, y)) return TORSOR_MEMORY;
      ++g->rows;
    }
    g->before_t = g->t;
    g->before_y = g->y;
    g->t = t;
    g->y = y;
    ++g->seen;
  }
  return TORSOR_OK;
}

double reductions_next(const reductions *r, double t) {
  double next = HUGE_VAL;
  for (int i = 0; i < r->study->outputs; ++i)
    if (r->gauge[i].at > t) next = fmin(next, r->gauge[i].at);
  for (int i = r->next; i < r->study->data && next > r->study->datum[i].t; ++i)
    if (r->study->datum[i].t > t) next = r->study->datum[i].t;
  return next;
}

void reductions_look(reductions *r, double t, const double *signal) {
  for (int i = 0; i < r->study->outputs; ++i)
    if (r->gauge[i].at == t) {
      r->gauge[i].looked = reductions_value(r, i, t, signal);
      if (r->slopes) slopes_look(r->slopes, i, signal);
    }
  for (; r->next < r->study->data && r->study->datum[r->next].t <= t; ++r->next) {
    const study_datum *datum = &r->study->datum[r->next];
    const double sigma = r->study->series[datum->series].sigma;
    if (datum->t < t) continue;
    const double y = reductions_value(r, r->study->outputs + datum->series, t, signal);
    r->residual[r->next] = (y - datum->value) / (isnan(sigma) ? 1 : sigma);
    if (r->slopes) slopes_measure(r->slopes, r->next, signal);
  }
}

/* ---- crossings ---------------------------------------------------------------------------------
 */

bool reductions_crosses(reductions *r, int i, double t, double y) {
  gauge *g = &r->gauge[i];
  const int sign = (y > 0) - (y < 0);
  if (!sign) return false;
  const int direction = r->study->output[i].direction;
  const bool crossed = g->sign && sign != g->sign && (!direction || direction == sign);
  g->sign = sign;
  if (!crossed) g->sign_t = t;
  return crossed;
}

void reductions_crossed(reductions *r, int i, double t) {
  gauge *g = &r->gauge[i];
  const int which = r->study->output[i].which;
  if (t < g->from || t > g->to) return;
  ++g->crossings;
  if (which < 0 || g->crossings == which) g->crossed = t;
}

/* ---- the end -----------------------------------------------------------------------------------
 */

/* Time after which a value stays near the last one. */
static double settled(const gauge *g, double within) {
  if (!g->rows) return nan("");
  const double final = g->last, near = within * fabs(final);
  long k = g->rows;
  while (k > 0 && fabs(g->stored[2 * k - 1] - final) <= near) --k;
  if (k == 0) return g->stored[0];
  if (k == g->rows) return nan("");
  const double t0 = g->stored[2 * k - 2], y0 = g->stored[2 * k - 1];
  const double t1 = g->stored[2 * k], y1 = g->stored[2 * k + 1];
  const double edge = y0 > final ? final + near : final - near;
  return y1 == y0 ? t1 : t0 + (t1 - t0) * (edge - y0) / (y1 - y0);
}

static torsor_status find_peak(double *out, const gauge *g, const study_output *o,
                               torsor_error *error) {
  const long n = g->rows;
  double frequency = nan(""), amplitude = nan("");
  *out = nan("");
  if (n < 8)
    return torsor_fail(error, TORSOR_SCENE, "the spectrum of \"%s\" needs 8 rows, not %ld", o->name,
                       n);
  const double spacing = (g->stored[2 * n - 2] - g->stored[0]) / (double)(n - 1);
  double *y = malloc((size_t)n * sizeof *y);
  if (!y) return study_memory_short(error);
  bool even = true;
  for (long k = 0; k < n; ++k) {
    even = even && fabs(g->stored[2 * k] - g->stored[0] - (double)k * spacing) < 1e-6 * spacing;
    y[k] = g->stored[2 * k + 1];
  }
  torsor_status status = TORSOR_OK;
  if (!even) {
    status = torsor_fail(error, TORSOR_SCENE, "the spectrum of \"%s\" needs evenly spaced rows",
                         o->name);
    torsor_hint(error, "give \"output.step\", and a duration that is a multiple of it");
  } else if (!spectrum_peak(&frequency, &amplitude, y, (size_t)n, spacing, o->band)) {
    status = study_memory_short(error);
  }
  free(y);
  *out = o->reduction == REDUCE_FFT_PEAK ? frequency : amplitude;
  return status;
}

static double finish(const gauge *g, const study_output *o) {
  const double mean = g->sum / g->span;
  switch (o->reduction) {
  case REDUCE_FINAL:
  case REDUCE_FREQUENCY:
  case REDUCE_DAMPING:
    return g->last;
  case REDUCE_INITIAL:
    return g->first;
  case REDUCE_MIN:
    return g->rows ? g->low : nan("");
  case REDUCE_MAX:
    return g->rows ? g->high : nan("");
  case REDUCE_ABS_MAX:
    return g->rows ? fmax(fabs(g->low), fabs(g->high)) : nan("");
  case REDUCE_RANGE:
    return g->rows ? g->high - g->low : nan("");
  case REDUCE_T_MIN:
    return g->low_t;
  case REDUCE_T_MAX:
    return g->high_t;
  case REDUCE_MEAN:
    return mean;
  case REDUCE_RMS:
    return sqrt(g->square / g->span);
  case REDUCE_STD:
    return sqrt(fmax(0, g->square / g->span - mean * mean));
  case REDUCE_INTEGRAL:
    return g->sum;
  case REDUCE_VALUE:
    return g->looked;
  case REDUCE_TIME_OF:
    return g->crossed;
  case REDUCE_COUNT_OF:
    return (double)g->crossings;
  case REDUCE_SETTLE:
    return settled(g, o->within);
  default:
    return nan("");
  }
}

torsor_status reductions_end(reductions *r, const torsor_summary *summary, double *out,
                             torsor_error *error) {
  const study *s = r->study;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < s->outputs && !status; ++i) {
    const study_output *o = &s->output[i];
    const gauge *g = &r->gauge[i];
    if (o->reduction == REDUCE_OF)
      out[i] = expression_value(g->value, r->all.value);
    else if (o->reduction == REDUCE_SUMMARY)
      out[i] = read_member(summary, o->text);
    else if (o->reduction == REDUCE_FFT_PEAK || o->reduction == REDUCE_FFT_AMPLITUDE)
      status = find_peak(&out[i], g, o, error);
    else
      out[i] = finish(g, o);
    r->all.value[s->variables + i] = out[i];
  }
  memcpy(out + s->outputs, r->residual, (size_t)s->data * sizeof *out);
  return status;
}
