/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/features.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "assembly/model/model.h"

/* Least height of a peak, relative to the range of the function. */
static const double LEAST_PEAK = 0.1;

/* Largest number of functions that are examined: each is evaluated some ten thousand times. */
enum { MOST_FUNCTIONS = 200 };

/* A function in an element as a function of time: functions of joint coordinates are taken at 0,
 * those along a chain at one position. */
typedef struct feature {
  const torsor_function *function;
  const torsor_control *control;
  const torsor_profile *profile;
  double s;
} feature;

typedef struct search {
  double *value; /* [count + 1] at equal parts of the duration */
  int count;
  double duration;
  int parts, functions;
  const void *last; /* arguments of the function before: elements in a row often share one */
} search;

static double evaluate(const feature *f, double t) {
  static const double zero[TORSOR_CONTROL_INPUTS] = {0}; /* as many as there can be */
  double rate, second;
  const torsor_now now = {.t = t, .load = 1};
  if (f->function) return f->function->eval(f->function->self, &now, &rate, &second);
  if (f->control) return f->control->eval(f->control->self, &now, zero, NULL);
  return f->profile->eval(f->profile->self, &now, f->s);
}

/* Evaluates the function, and returns its range; 0 where a value is not finite. */
static double sample(search *s, const feature *f) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i <= s->count; ++i) {
    const double value = evaluate(f, s->duration * i / s->count);
    if (!isfinite(value)) return 0;
    s->value[i] = value;
    low = fmin(low, value);
    high = fmax(high, value);
  }
  /* a function that is constant up to rounding has no range */
  return high - low > 1e3 * DBL_EPSILON * fmax(fabs(low), fabs(high)) ? high - low : 0;
}

/* Is a value between every `stride`-th one beyond both of its neighbours among these? */
static bool has_peak(const search *s, int stride, double least) {
  for (int i = 0; i < s->count; i += stride) {
    const double a = s->value[i], b = s->value[i + stride];
    const double low = fmin(a, b) - least, high = fmax(a, b) + least;
    for (int k = i + 1; k < i + stride; ++k)
      if (s->value[k] < low || s->value[k] > high) return true;
  }
  return false;
}

static void look(search *s, const feature *f, const void *self) {
  if (s->parts == FEATURES_MOST || self == s->last || s->functions++ >= MOST_FUNCTIONS) return;
  s->last = self;
  const double range = sample(s, f);
  while (range > 0 && s->parts < FEATURES_MOST &&
         has_peak(s, FEATURES_MOST / s->parts, LEAST_PEAK * range))
    s->parts *= 2;
}

static void look_at_param(search *s, const model_element *e, const torsor_param *p) {
  const void *member = (const char *)e->instance + p->offset;
  const torsor_function *function = member;
  const torsor_control *control = member;
  const torsor_profile *profile = member;
  if (p->kind == TORSOR_PARAM_FUNCTION && function->eval)
    look(s, &(feature){.function = function}, function->self);
  if (p->kind == TORSOR_PARAM_CONTROL && control->eval)
    look(s, &(feature){.control = control}, control->self);
  if (p->kind == TORSOR_PARAM_PROFILE && profile->eval)
    look(s, &(feature){.profile = profile, .s = 0.5}, profile->self);
}

torsor_status features_find(int *parts, const torsor_model *model, double duration, int intervals) {
  search s = {.count = intervals * FEATURES_MOST, .duration = duration, .parts = 1};
  s.value = malloc(((size_t)s.count + 1) * sizeof *s.value);
  if (!s.value) return TORSOR_MEMORY;
  for (int i = 0; i < model->element_count; ++i)
    for (const torsor_param *p = model->element[i].type->params; p && p->key; ++p)
      look_at_param(&s, &model->element[i], p);
  *parts = s.parts;
  free(s.value);
  return TORSOR_OK;
}
