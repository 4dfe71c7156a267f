/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/periodic/shooting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/start/options_read.h"
#include "base/options.h"

/* Derivatives of the state after a period are central differences of order 4 with changes of this
 * part of the model's size: its fourth power is 1e-12, and round-off of the motion (1e-14) over it
 * 1e-11. */
static const double PART = 1.0 / 1024;

static const double DEFAULT_TOLERANCE = 1e-9;
enum { DEFAULT_ITERATIONS = 30, MOST_STATES = 400, MOST_HALVINGS = 12 };

/* A second period may be off by this many times what the first one was, and by this much more. */
static const double REPEATED = 1e3, REPEATED_LEAST = 1e-6;

/* Multipliers are known to this: those nearer to the unit circle than that are on it. */
static const double ON_CIRCLE = 1e-7;

/* The result, with what it points at. */
typedef struct found {
  torsor_periodic shown;
  arena memory;
} found;

typedef struct search {
  shooting s;
  torsor_periodic_settings settings;
  int states;
  double *J;            /* [states x states] by columns: derivative of the end by the beginning */
  double *z, *end;      /* [states] */
  double *plus, *minus; /* [states] */
  double *system, *step, *rate; /* [(states + 1)^2], [states + 1], [states] */
  double *kept;                 /* [nq + nv] the state before a step */
  double gap;
  int iterations;
} search;

static torsor_status short_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static torsor_status take_memory(search *p) {
  const size_t n = (size_t)p->states;
  arena *memory = &p->s.memory;
  p->J = arena_take(memory, n * n, sizeof(double));
  p->z = arena_take(memory, n, sizeof(double));
  p->end = arena_take(memory, n, sizeof(double));
  p->plus = arena_take(memory, n, sizeof(double));
  p->minus = arena_take(memory, n, sizeof(double));
  p->system = arena_take(memory, (n + 1) * (n + 1), sizeof(double));
  p->step = arena_take(memory, n + 1, sizeof(double));
  p->rate = arena_take(memory, n, sizeof(double));
  p->kept = arena_take(memory, (size_t)(p->s.model->nq + p->s.model->nv), sizeof(double));
  return p->J && p->z && p->end && p->plus && p->minus && p->system && p->step && p->rate && p->kept
             ? TORSOR_OK
             : TORSOR_MEMORY;
}

/* ---- the derivative -----------------------------------------------------------------------------
 */

/* Column j of the derivative of the end by the beginning. */
static torsor_status find_column(search *p, int j, torsor_error *error) {
  static const double weight[] = {2.0 / 3, -1.0 / 12};
  double *column = p->J + (size_t)j * (size_t)p->states;
  memset(p->z, 0, (size_t)p->states * sizeof *p->z);
  p->z[j] = 1;
  const double h = PART / shooting_size(&p->s, p->z);
  memset(column, 0, (size_t)p->states * sizeof *column);
  for (int k = 1; k <= 2; ++k) {
    p->z[j] = k * h;
    torsor_status status = shooting_follow(p->plus, NULL, &p->s, p->z, p->s.period, error);
    p->z[j] = -k * h;
    if (!status) status = shooting_follow(p->minus, NULL, &p->s, p->z, p->s.period, error);
    if (status) return status;
    for (int i = 0; i < p->states; ++i) column[i] += weight[k - 1] * (p->plus[i] - p->minus[i]) / h;
  }
  p->z[j] = 0;
  return TORSOR_OK;
}

static torsor_status find_derivative(search *p, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int j = 0; j < p->states && !status; ++j) status = find_column(p, j, error);
  return status;
}

/* ---- Newton's method ----------------------------------------------------------------------------
 */

/* The end of the motion that begins in the present state, and its gap. */
static torsor_status look(search *p, torsor_error *error) {
  memset(p->z, 0, (size_t)p->states * sizeof *p->z);
  return shooting_follow(p->end, &p->gap, &p->s, p->z, p->s.period, error);
}

/* p->step = the correction: (1 - J) dz - F dT = end, rate.dz = 0 where T is unknown. */
static torsor_status find_step(search *p, torsor_error *error) {
  const int n = p->states, m = n + p->settings.unknown;
  torsor_status status = TORSOR_OK;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) p->system[j * m + i] = (i == j) - p->J[j * n + i];
  if (p->settings.unknown) {
    /* the end changes with the period as fast as the motion goes on there, near the beginning */
    const double h = PART * p->s.period;
    memset(p->z, 0, (size_t)n * sizeof *p->z);
    status = shooting_follow(p->plus, NULL, &p->s, p->z, p->s.period + h, error);
    if (!status) status = shooting_follow(p->minus, NULL, &p->s, p->z, p->s.period - h, error);
    if (!status) status = shooting_rate(p->rate, &p->s, error);
    for (int i = 0; i < n; ++i) {
      p->system[n * m + i] = -(p->plus[i] - p->minus[i]) / (2 * h);
      p->system[i * m + n] = p->rate[i];
    }
    p->system[n * m + n] = 0;
    p->step[n] = 0;
  }
  if (status) return status;
  memcpy(p->step, p->end, (size_t)n * sizeof *p->step);
  status = lapack_solve(p->step, p->system, m, 1);
  if (!status) return TORSOR_OK;
  torsor_fail(error, TORSOR_NEWTON,
              "the search for a periodic motion cannot go on: nearby motions return, too");
  torsor_hint(error, p->settings.unknown
                         ? "motions without damping come in families: add some, or fix the period"
                         : "where nothing depends on time, the period is an unknown: "
                           "\"period_unknown\": true");
  return TORSOR_NEWTON;
}

/* Takes the step, halved until the gap shrinks. */
static torsor_status take_step(search *p, torsor_error *error) {
  const size_t nq = (size_t)p->s.model->nq, nv = (size_t)p->s.model->nv;
  double *q = p->kept, *v = q + nq;
  memcpy(q, p->s.q, nq * sizeof *q);
  memcpy(v, p->s.v, nv * sizeof *v);
  const double before = p->gap, period = p->s.period;
  double part = 1;
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < MOST_HALVINGS; ++k, part /= 2) {
    for (int i = 0; i < p->states; ++i) p->z[i] = part * p->step[i];
    status = shooting_move(&p->s, p->z, error);
    if (p->settings.unknown) p->s.period = period + part * p->step[p->states];
    if (!status && p->s.period > 0) status = shooting_find_basis(&p->s, error);
    if (!status) status = look(p, error);
    if (status < 0 && status != TORSOR_INCONSISTENT && status != TORSOR_STEP) return status;
    if (!status && p->s.period > 0 && p->gap < before) return TORSOR_OK;
    memcpy(p->s.q, q, nq * sizeof *q);
    memcpy(p->s.v, v, nv * sizeof *v);
    p->s.period = period;
    const torsor_status again = shooting_find_basis(&p->s, error);
    if (again) return again;
  }
  p->gap = before;
  return status ? status : TORSOR_NEWTON;
}

static torsor_status fail_search(const search *p, torsor_error *error) {
  torsor_fail(error, TORSOR_NEWTON,
              "no periodic motion is found near the initial state: after %d iterations the state "
              "is still %.3g of the model's size away after a period of %.9g s",
              p->iterations, p->gap, p->s.period);
  torsor_hint(error, "begin nearer to it, or let the motion come near: \"settle\" is the number of "
                     "periods that it is followed for at first");
  return TORSOR_NEWTON;
}

static torsor_status iterate(search *p, torsor_error *error) {
  const double tolerance = p->settings.tolerance > 0 ? p->settings.tolerance : DEFAULT_TOLERANCE;
  const int most = p->settings.max_iterations ? p->settings.max_iterations : DEFAULT_ITERATIONS;
  torsor_status status = look(p, error);
  for (; !status && p->gap > tolerance && p->iterations < most; ++p->iterations) {
    status = find_derivative(p, error);
    if (!status) status = find_step(p, error);
    if (status) return status;
    status = take_step(p, error);
  }
  if (status < 0) return status;
  return status || p->gap > tolerance ? fail_search(p, error) : TORSOR_OK;
}

/* A motion that returns after a period must do so again: else something in the model has another
 * period. */
static torsor_status check_again(search *p, torsor_error *error) {
  double gap = 0;
  torsor_status status = look(p, error);
  const double first = p->gap;
  if (!status) status = shooting_repeat(&gap, &p->s, error);
  if (status) return status;
  double most = 1;
  for (int i = 0; i < p->states; ++i) {
    double sum = 0;
    for (int j = 0; j < p->states; ++j)
      sum += fabs(p->J[(size_t)j * (size_t)p->states + (size_t)i]);
    most = fmax(most, sum);
  }
  if (gap <= REPEATED_LEAST + REPEATED * most * first) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "the motion returns after %.9g s, but not again after twice that: it is then %.3g of "
              "the model's size away, so that something in the scene has another period",
              p->s.period, gap);
  torsor_hint(error, "the period must be a multiple of those of all functions of time");
  return TORSOR_ARGUMENT;
}

/* ---- multipliers --------------------------------------------------------------------------------
 */

typedef struct multiplier {
  double re, im;
} multiplier;

static int compare_multipliers(const void *a, const void *b) {
  const multiplier *p = a, *q = b;
  const double first = hypot(p->re, p->im), second = hypot(q->re, q->im);
  if (fabs(first - second) > 1e-9 * (first + second)) return first > second ? -1 : 1;
  if (p->re > q->re || p->re < q->re) return p->re > q->re ? -1 : 1;
  return p->im < q->im ? -1 : p->im > q->im;
}

static void judge(found *out) {
  const torsor_periodic *o = &out->shown;
  double most = 0, re = 0, im = 0;
  for (int i = 0; i < o->count; ++i) {
    const double size = hypot(o->multiplier_re[i], o->multiplier_im[i]);
    if (i == o->trivial || size <= most) continue;
    most = size;
    re = o->multiplier_re[i];
    im = o->multiplier_im[i];
  }
  torsor_orbit_kind kind = TORSOR_ORBIT_STABLE;
  if (most >= 1 - ON_CIRCLE) kind = TORSOR_ORBIT_NEUTRAL;
  if (most > 1 + ON_CIRCLE)
    kind = im > 0 || im < 0 ? TORSOR_ORBIT_QUASI : re > 0 ? TORSOR_ORBIT_FOLD : TORSOR_ORBIT_FLIP;
  out->shown.kind = kind;
}

static torsor_status find_multipliers(found *out, search *p) {
  const int n = p->states;
  const size_t size = (size_t)n;
  double *re = arena_take(&out->memory, 2 * size, sizeof *re), *im = re + n;
  double *vectors = arena_take(&p->s.memory, size * size, sizeof *vectors);
  multiplier *list = arena_take(&p->s.memory, size, sizeof *list);
  if (!re || !vectors || !list) return TORSOR_MEMORY;
  memcpy(p->system, p->J, size * size * sizeof *p->J);
  const torsor_status status = n ? lapack_eigen(re, im, vectors, p->system, n) : TORSOR_OK;
  for (int i = 0; i < n; ++i) list[i] = (multiplier){re[i], im[i]};
  qsort(list, size, sizeof *list, compare_multipliers);
  out->shown.trivial = -1;
  for (int i = 0; i < n; ++i) {
    re[i] = list[i].re;
    im[i] = list[i].im;
    const int t = out->shown.trivial;
    if (p->settings.unknown && (t < 0 || hypot(re[i] - 1, im[i]) < hypot(re[t] - 1, im[t])))
      out->shown.trivial = i;
  }
  out->shown.count = n;
  out->shown.multiplier_re = re;
  out->shown.multiplier_im = im;
  judge(out);
  return status;
}

/* ---- all ----------------------------------------------------------------------------------------
 */

static torsor_status check_settings(const torsor_periodic_settings *s, torsor_error *error) {
  if (!(s->period > 0) || !isfinite(s->period)) {
    torsor_fail(error, TORSOR_ARGUMENT, "a period must be greater than 0, but is %g s", s->period);
    torsor_hint(error, "give the period of what drives the motion, or a first guess where it is an "
                       "unknown");
    return TORSOR_ARGUMENT;
  }
  if (s->steps >= 0 && s->settle >= 0 && s->max_iterations >= 0 && s->tolerance >= 0)
    return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "a setting of a periodic search is negative");
}

/* Lets the motion come near a periodic one. */
static torsor_status settle(search *p, torsor_error *error) {
  torsor_status status = shooting_find_basis(&p->s, error);
  for (int i = 0; i < p->settings.settle && !status; ++i) {
    p->states = shooting_states(&p->s);
    double *z = arena_take(&p->s.scratch, (size_t)p->states, sizeof *z);
    double *end = arena_take(&p->s.scratch, (size_t)p->states, sizeof *end);
    if (!z || !end) return short_of_memory(error);
    status = shooting_follow(end, NULL, &p->s, z, p->s.period, error);
    if (status) break;
    memcpy(p->s.q, torsor_run_q(p->s.run).value, (size_t)p->s.model->nq * sizeof(double));
    memcpy(p->s.v, torsor_run_v(p->s.run).value, (size_t)p->s.model->nv * sizeof(double));
    status = shooting_find_basis(&p->s, error);
  }
  p->states = shooting_states(&p->s);
  return status;
}

static torsor_status keep(found *out, const search *p) {
  const size_t nq = (size_t)p->s.model->nq, nv = (size_t)p->s.model->nv;
  double *q = arena_take(&out->memory, nq, sizeof *q), *v = arena_take(&out->memory, nv, sizeof *v);
  if (!q || !v) return TORSOR_MEMORY;
  memcpy(q, p->s.q, nq * sizeof *q);
  memcpy(v, p->s.v, nv * sizeof *v);
  out->shown.nq = (int)nq;
  out->shown.nv = (int)nv;
  out->shown.q = q;
  out->shown.v = v;
  out->shown.period = p->s.period;
  out->shown.gap = p->gap;
  out->shown.iterations = p->iterations;
  return TORSOR_OK;
}

static torsor_status find(found *out, search *p, torsor_error *error) {
  torsor_status status = settle(p, error);
  if (status) return status;
  if (p->states > MOST_STATES) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "a periodic motion of %d states would take four motions for each of them",
                p->states);
    torsor_hint(error, "at most %d are allowed", MOST_STATES);
    return TORSOR_ARGUMENT;
  }
  if (take_memory(p)) return short_of_memory(error);
  status = iterate(p, error);
  if (!status) status = find_derivative(p, error);
  if (!status) status = check_again(p, error);
  if (status) return status;
  status = keep(out, p);
  if (!status) status = find_multipliers(out, p);
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

torsor_status torsor_periodic_find(torsor_periodic **out, const torsor_model *model,
                                   const torsor_simulation *simulation,
                                   const torsor_periodic_settings *settings,
                                   const torsor_hooks *hooks, torsor_error *error) {
  *out = NULL;
  search p = {.settings = TORSOR_PERIODIC_SETTINGS_INIT};
  torsor_hooks led;
  torsor_simulation all;
  torsor_status status =
      options_read(&p.settings, sizeof p.settings, settings, "torsor_periodic_settings",
                   "TORSOR_PERIODIC_SETTINGS_INIT", error);
  if (!status) status = simulation_complete(&all, simulation, error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = check_settings(&p.settings, error);
  if (!status) status = model_check_tangents(model, "a periodic search", error);
  if (status) return status;
  found *result = calloc(1, sizeof *result);
  if (!result) return short_of_memory(error);
  status = shooting_create(&p.s, model, &all, &p.settings, hooks ? &led : NULL, error);
  if (!status) status = find(result, &p, error);
  shooting_release(&p.s);
  if (status)
    torsor_periodic_destroy(&result->shown);
  else
    *out = &result->shown;
  return status;
}

void torsor_periodic_destroy(torsor_periodic *periodic) {
  if (!periodic) return;
  found *whole = (found *)(void *)periodic; /* its first member */
  arena_release(&whole->memory);
  free(whole);
}

torsor_status torsor_periodic_run(torsor_run **out, const torsor_periodic *periodic,
                                  const torsor_model *model, const torsor_simulation *simulation,
                                  const torsor_periodic_settings *settings, torsor_error *error) {
  shooting s;
  torsor_periodic_settings led = *settings;
  led.period = periodic->period;
  *out = NULL;
  torsor_status status = shooting_create(&s, model, simulation, &led, NULL, error);
  if (!status) status = torsor_run_set_state(s.run, periodic->q, periodic->v, error);
  if (!status) {
    *out = s.run;
    s.run = NULL;
  }
  shooting_release(&s);
  return status;
}
