/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches of periodic motions over a parameter. */
#include "analysis/periodic/shooting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/start/options_read.h"
#include "base/options.h"

/* Derivatives are central differences of order 4, see periodic.c; changes of the parameter are this
 * part of its range. */
static const double PART = 1.0 / 1024;

static const double DEFAULT_TOLERANCE = 1e-9, DEFAULT_STEP = 0.1;

/* Iterations that let a step grow; the smallest step, in parts of the largest; the cosine between
 * the directions at both ends of a step; the slope of the parameter that is a fold. */
enum { DEFAULT_POINTS = 500, MOST_ITERATIONS = 8, QUICK = 3, MOST_TRIES = 30 };
static const double LEAST_STEP = 1e-4, STRAIGHT = 0.9, LEVEL = 1e-6;

typedef struct branch {
  torsor_branch_settings how;
  const torsor_simulation *simulation;
  torsor_periodic_settings settings;
  const torsor_hooks *hooks;
  double range;
  arena memory;
  shooting s;
  const torsor_model *model;               /* NULL: none */
  double p;                                /* the present parameter */
  int n;                                   /* states */
  double *J, *slope;                       /* [n x n] by columns, [n] derivatives of the end */
  double *end, *z, *plus, *minus, *weight; /* [n] */
  double *system, *step;                   /* [(n + 1)^2], [n + 1] */
  double *across;                          /* [n + 1] the direction from the last point */
  double *q, *v, p0;                       /* the last point ... */
  double *along, length; /* [n + 1] ... with the direction of the branch there, and its place */
  double *tangent;       /* [n + 1] that at the present point */
  double *re;            /* [2 n] multipliers */
  int iterations;
} branch;

/* ---- models -----------------------------------------------------------------------------------
 */

static torsor_status make_shooting(shooting *s, const torsor_model **model, const branch *b,
                                   double p, torsor_error *error) {
  torsor_periodic_settings settings = b->settings;
  torsor_status status = b->how.build(b->how.data, p, model, &settings.period, error);
  if (status) return status;
  if (settings.period > 0)
    return shooting_create(s, *model, b->simulation, &settings, b->hooks, error);
  return torsor_fail(error, TORSOR_ARGUMENT, "the period must be greater than 0");
}

static void close(branch *b) {
  if (!b->model) return;
  shooting_release(&b->s);
  b->how.drop(b->how.data, b->model);
  b->s = (shooting){0};
  b->model = NULL;
}

/* Makes the model at p the present one, in the present state, or in its own if there is none. */
static torsor_status change(branch *b, double p, torsor_error *error) {
  shooting next = {0};
  const torsor_model *model = NULL;
  torsor_status status = make_shooting(&next, &model, b, p, error);
  if (!status && b->model) {
    memcpy(next.q, b->s.q, (size_t)model->nq * sizeof *next.q);
    memcpy(next.v, b->s.v, (size_t)model->nv * sizeof *next.v);
  }
  if (status) {
    shooting_release(&next);
    if (model) b->how.drop(b->how.data, model);
    return status;
  }
  close(b);
  b->s = next;
  b->model = model;
  b->p = p;
  return shooting_find_basis(&b->s, error);
}

static torsor_status take_memory(branch *b) {
  const size_t n = (size_t)(b->n = shooting_states(&b->s));
  struct {
    double **at;
    size_t size;
  } const all[] = {{&b->J, n * n},
                   {&b->slope, n},
                   {&b->end, n},
                   {&b->z, n},
                   {&b->plus, n},
                   {&b->minus, n},
                   {&b->weight, n},
                   {&b->system, (n + 1) * (n + 1)},
                   {&b->step, n + 1},
                   {&b->across, n + 1},
                   {&b->along, n + 1},
                   {&b->tangent, n + 1},
                   {&b->re, 2 * n},
                   {&b->q, (size_t)b->model->nq},
                   {&b->v, (size_t)b->model->nv}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (!(*all[i].at = arena_take(&b->memory, all[i].size, sizeof(double)))) return TORSOR_MEMORY;
  return TORSOR_OK;
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

static const double weights[] = {2.0 / 3, -1.0 / 12};

static torsor_status find_columns(branch *b, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  memset(b->J, 0, (size_t)(b->n * b->n) * sizeof *b->J);
  memset(b->z, 0, (size_t)b->n * sizeof *b->z);
  for (int j = 0; j < b->n && !status; ++j) {
    b->z[j] = 1;
    b->weight[j] = shooting_size(&b->s, b->z);
    const double h = PART / b->weight[j];
    for (int k = 1; k <= 2 && !status; ++k) {
      b->z[j] = k * h;
      status = shooting_follow(b->plus, NULL, &b->s, b->z, b->s.period, error);
      b->z[j] = -k * h;
      if (!status) status = shooting_follow(b->minus, NULL, &b->s, b->z, b->s.period, error);
      for (int i = 0; i < b->n; ++i)
        b->J[j * b->n + i] += weights[k - 1] * (b->plus[i] - b->minus[i]) / h;
    }
    b->z[j] = 0;
  }
  return status;
}

/* out [n] = the end of the motion that begins in the present state with another parameter. */
static torsor_status follow_beside(double *out, branch *b, double p, torsor_error *error) {
  shooting beside = {0};
  const torsor_model *model = NULL;
  torsor_status status = make_shooting(&beside, &model, b, p, error);
  memset(b->z, 0, (size_t)b->n * sizeof *b->z);
  if (!status) {
    shooting_lend(&beside, &b->s);
    status = shooting_follow(out, NULL, &beside, b->z, beside.period, error);
  }
  shooting_release(&beside);
  if (model) b->how.drop(b->how.data, model);
  return status;
}

static torsor_status find_slope(branch *b, torsor_error *error) {
  const double h = PART * b->range;
  torsor_status status = TORSOR_OK;
  memset(b->slope, 0, (size_t)b->n * sizeof *b->slope);
  for (int k = 1; k <= 2 && !status; ++k) {
    status = follow_beside(b->plus, b, b->p + k * h, error);
    if (!status) status = follow_beside(b->minus, b, b->p - k * h, error);
    for (int i = 0; i < b->n; ++i) b->slope[i] += weights[k - 1] * (b->plus[i] - b->minus[i]) / h;
  }
  return status;
}

/* ---- directions -------------------------------------------------------------------------------
 */

/* Product of two directions (z, p). */
static double times(const branch *b, const double *x, const double *y) {
  double sum = x[b->n] * y[b->n] / (b->range * b->range);
  for (int i = 0; i < b->n; ++i) sum += b->weight[i] * b->weight[i] * x[i] * y[i];
  return sum;
}

/* b->across = the direction from the last point to the present one. */
static void look_back(branch *b) {
  shooting_difference(b->across, &b->s, b->q, b->v);
  for (int i = 0; i < b->n; ++i) b->across[i] *= -1;
  b->across[b->n] = b->p - b->p0;
}

/* Solves (1 - J) dz - F_p dp = right, across.(dz, dp) = last; `fixed`: dp = last. */
static torsor_status solve(double *out, branch *b, const double *right, double last, bool fixed,
                           torsor_error *error) {
  const int n = b->n, m = n + 1;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) b->system[j * m + i] = (i == j) - b->J[j * n + i];
    b->system[j * m + n] = fixed ? 0 : b->weight[j] * b->weight[j] * b->across[j];
  }
  for (int i = 0; i < n; ++i) {
    b->system[n * m + i] = -b->slope[i];
    out[i] = right ? right[i] : 0;
  }
  b->system[n * m + n] = fixed ? 1 : b->across[n] / (b->range * b->range);
  out[n] = last;
  const torsor_status status = lapack_solve(out, b->system, m, 1);
  return status ? torsor_fail(error, TORSOR_STEP, "branches meet at the parameter %.9g", b->p)
                : TORSOR_OK;
}

/* ---- points -----------------------------------------------------------------------------------
 */

/* Newton's method from the present state, across the direction from the last point, or with the
 * parameter as it is.  Positive where it does not converge. */
static torsor_status correct(branch *b, bool fixed, torsor_error *error) {
  const double tolerance = b->settings.tolerance > 0 ? b->settings.tolerance : DEFAULT_TOLERANCE;
  double gap = 0;
  torsor_status status = TORSOR_OK;
  for (b->iterations = 0; b->iterations < MOST_ITERATIONS; ++b->iterations) {
    memset(b->z, 0, (size_t)b->n * sizeof *b->z);
    status = shooting_follow(b->end, &gap, &b->s, b->z, b->s.period, error);
    if (!status) status = find_columns(b, error);
    if (!status) status = find_slope(b, error);
    if (status || gap <= tolerance) return status;
    look_back(b);
    status = solve(b->step, b, b->end, 0, fixed, error);
    if (!status) status = shooting_move(&b->s, b->step, error);
    if (!status) status = change(b, b->p + b->step[b->n], error);
    if (status) return status;
  }
  torsor_fail(error, TORSOR_STEP, "no periodic motion is found at the parameter %.9g", b->p);
  return TORSOR_STEP;
}

/* The direction of the branch at the present point, of length 1, away from the last one. */
static torsor_status find_tangent(branch *b, bool first, torsor_error *error) {
  look_back(b);
  const torsor_status status = solve(b->tangent, b, NULL, 1, first, error);
  if (status) return status;
  double length = sqrt(times(b, b->tangent, b->tangent));
  if (first && b->how.to < b->how.from) length = -length;
  for (int i = 0; i <= b->n; ++i) b->tangent[i] /= length;
  return TORSOR_OK;
}

/* Makes the present point the last one. */
static void keep(branch *b) {
  memcpy(b->q, b->s.q, (size_t)b->model->nq * sizeof *b->q);
  memcpy(b->v, b->s.v, (size_t)b->model->nv * sizeof *b->v);
  memcpy(b->along, b->tangent, (size_t)(b->n + 1) * sizeof *b->along);
  b->p0 = b->p;
}

/* Goes `size` along the branch from the last point. */
static torsor_status advance(branch *b, double size, torsor_error *error) {
  memcpy(b->s.q, b->q, (size_t)b->model->nq * sizeof *b->q);
  memcpy(b->s.v, b->v, (size_t)b->model->nv * sizeof *b->v);
  torsor_status status = change(b, b->p0, error); /* with the basis that it had there */
  for (int i = 0; i <= b->n; ++i) b->step[i] = size * b->along[i];
  if (!status) status = shooting_move(&b->s, b->step, error);
  if (!status) status = change(b, b->p0 + b->step[b->n], error);
  if (!status) status = correct(b, false, error);
  return status ? status : find_tangent(b, false, error);
}

static torsor_orbit_kind kind_of(double re, double im) {
  static const double on_circle = 1e-7; /* multipliers are known to this */
  const double size = hypot(re, im);
  if (size < 1 - on_circle) return TORSOR_ORBIT_STABLE;
  if (size <= 1 + on_circle) return TORSOR_ORBIT_NEUTRAL;
  return im != 0 ? TORSOR_ORBIT_QUASI : re > 0 ? TORSOR_ORBIT_FOLD : TORSOR_ORBIT_FLIP;
}

static torsor_status find_multipliers(branch *b) {
  const size_t n = (size_t)b->n;
  double *copy = malloc((n * n + 1) * sizeof *copy), *vectors = malloc((n * n + 1) * sizeof *copy);
  double *re = b->re, *im = re + n;
  torsor_status status = copy && vectors ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    memcpy(copy, b->J, n * n * sizeof *copy);
    status = lapack_eigen(re, im, vectors, copy, b->n);
  }
  for (size_t i = 1; i < n && !status; ++i) /* insertion keeps the order of pairs */
    for (size_t k = i; k && hypot(re[k], im[k]) > hypot(re[k - 1], im[k - 1]) * (1 + 1e-12); --k) {
      const double x = re[k], y = im[k];
      re[k] = re[k - 1];
      im[k] = im[k - 1];
      re[k - 1] = x;
      im[k - 1] = y;
    }
  free(copy);
  free(vectors);
  return status;
}

static torsor_status show(branch *b, double along, bool fold, torsor_error *error) {
  torsor_status status = find_multipliers(b);
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  memset(b->z, 0, (size_t)b->n * sizeof *b->z);
  status = shooting_move(&b->s, b->z, error);
  if (!status) status = torsor_run_set_step(b->s.run, b->s.period / b->s.steps, error);
  const torsor_branch_point point = {.parameter = b->p,
                                     .period = b->s.period,
                                     .along = along,
                                     .fold = fold,
                                     .count = b->n,
                                     .multiplier_re = b->re,
                                     .multiplier_im = b->re + b->n,
                                     .kind = b->n ? kind_of(b->re[0], b->re[b->n])
                                                  : TORSOR_ORBIT_STABLE};
  return status ? status : b->how.found(b->how.data, &point, b->model, b->s.run, error);
}

/* ---- the branch -------------------------------------------------------------------------------
 */

/* The parameter turns within `size` of the last point: false position, Illinois' variant. */
static torsor_status find_fold(branch *b, double size, torsor_error *error) {
  const int n = b->n;
  double x0 = 0, f0 = b->along[n], x1 = size, f1 = b->tangent[n], x = size;
  torsor_status status = TORSOR_OK;
  for (int k = 0, side = 0; k < MOST_TRIES && !status; ++k) {
    x = (f0 * x1 - f1 * x0) / (f0 - f1);
    status = advance(b, x, error);
    const double f = b->tangent[n];
    if (fabs(f) <= LEVEL * b->range) break;
    const bool left = (f > 0) == (f0 > 0);
    if (left) {
      x0 = x;
      f0 = f;
      if (side == 1) f1 /= 2;
    } else {
      x1 = x;
      f1 = f;
      if (side == -1) f0 /= 2;
    }
    side = left ? 1 : -1;
  }
  return status ? status : show(b, b->length + x, true, error);
}

/* Takes one step of at most *size, which is set to that of the next one. */
static torsor_status take_step(branch *b, double *size, double most, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  double taken = *size;
  for (;; taken /= 2) {
    if (taken < LEAST_STEP * most) {
      if (!status) status = torsor_fail(error, TORSOR_STEP, "its direction turns at once");
      return status;
    }
    status = advance(b, taken, error);
    if (status == TORSOR_MEMORY || status == TORSOR_INTERRUPTED) return status;
    if (status) continue;
    const double across = sqrt(times(b, b->across, b->across));
    if (times(b, b->across, b->tangent) > STRAIGHT * across) break;
  }
  const bool quick = b->iterations <= QUICK, turns = (b->tangent[b->n] > 0) != (b->along[b->n] > 0);
  if (turns) status = find_fold(b, taken, error);
  if (!status && turns) status = advance(b, taken, error);
  b->length += taken;
  *size = fmin(most, quick ? 1.5 * taken : taken);
  keep(b);
  return status ? status : show(b, b->length, false, error);
}

/* The first motion, by the search for a single one. */
static torsor_status find_first(branch *b, torsor_error *error) {
  torsor_periodic *first = NULL;
  torsor_periodic_settings settings = b->settings;
  settings.period = b->s.period;
  torsor_status status =
      torsor_periodic_find(&first, b->model, b->simulation, &settings, b->hooks, error);
  if (!status) {
    memcpy(b->s.q, first->q, (size_t)b->model->nq * sizeof *b->s.q);
    memcpy(b->s.v, first->v, (size_t)b->model->nv * sizeof *b->s.v);
    status = shooting_find_basis(&b->s, error);
  }
  torsor_periodic_destroy(first);
  return status;
}

static torsor_status follow(branch *b, torsor_error *error) {
  const double most = b->how.step > 0 ? b->how.step : DEFAULT_STEP;
  const int points = b->how.points ? b->how.points : DEFAULT_POINTS;
  const double low = fmin(b->how.from, b->how.to), high = fmax(b->how.from, b->how.to);
  double size = most;
  torsor_status status = change(b, b->how.from, error);
  if (status) return status;
  if (take_memory(b)) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  status = find_first(b, error);
  if (status) return status;
  keep(b);
  status = correct(b, true, error);
  if (!status) status = find_tangent(b, true, error);
  if (!status) status = show(b, 0, false, error);
  if (!status) keep(b);
  for (int k = 1; k < points && !status && b->p >= low && b->p <= high; ++k)
    status = take_step(b, &size, most, error);
  return status;
}

static torsor_status check_settings(const branch *b, torsor_error *error) {
  if (b->settings.unknown)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "a branch of motions whose period is an unknown cannot be followed yet");
  if (b->how.from < b->how.to || b->how.from > b->how.to) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "the range of the parameter is empty");
}

torsor_status torsor_periodic_follow(const torsor_branch_settings *how,
                                     const torsor_simulation *simulation,
                                     const torsor_periodic_settings *settings,
                                     const torsor_hooks *hooks, torsor_error *error) {
  branch b = {.how = TORSOR_BRANCH_SETTINGS_INIT, .settings = TORSOR_PERIODIC_SETTINGS_INIT};
  torsor_hooks led;
  torsor_simulation all;
  torsor_status status = options_read(&b.how, sizeof b.how, how, "torsor_branch_settings",
                                      "TORSOR_BRANCH_SETTINGS_INIT", error);
  if (!status)
    status = options_read(&b.settings, sizeof b.settings, settings, "torsor_periodic_settings",
                          "TORSOR_PERIODIC_SETTINGS_INIT", error);
  if (!status) status = simulation_complete(&all, simulation, error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = check_settings(&b, error);
  if (status) return status;
  b.simulation = &all;
  b.hooks = hooks ? &led : NULL;
  b.range = fabs(b.how.to - b.how.from);
  status = follow(&b, error);
  close(&b);
  arena_release(&b.memory);
  return status;
}
