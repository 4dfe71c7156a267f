/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "alpha_kit.h"
#include "base/vec.h"
#include "explicit_step.h"

/* The embedded method is of lower order than the step.  With x' = l x and z = h l its error is c
 * z^(p + 1) x, that of the step C z^(q + 1) x, and x' changes by z^2 x / h within the step: the
 * first and the last tell z, and the second follows. */

/* Of one level, positions or velocities, and of translations [0] and rotations [1]: */
typedef struct level_error {
  double share[2]; /* the step's own error in parts of the estimated one */
  double z[2];     /* h times the rate at which it changes */
} level_error;

static int kind_of(const explicit_step *s, int i) {
  return s->problem->rotation && s->problem->rotation[i];
}

static void largest_of_kinds(double most[2], const explicit_step *s, const double *x) {
  most[0] = most[1] = 0;
  for (int i = 0; i < s->nv; ++i) most[kind_of(s, i)] = vec_larger(fabs(x[i]), most[kind_of(s, i)]);
}

/* out [nv] = h sum weight_j rate_j. */
static void weigh(double *out, const explicit_step *s, const double *rate, const double *weight) {
  memset(out, 0, (size_t)s->nv * sizeof *out);
  for (int j = 0; j <= s->pair->stages; ++j)
    if (weight[j] != 0) vec_add_scaled(out, s->h * weight[j], rate + j * s->nv, s->nv);
}

/* Largest change of the rates from the begin of the step, in each kind of component.  Those at its
 * end count where the estimate uses them: else they may not be known yet. */
static void find_spread(double spread[2], const explicit_step *s, const double *rate) {
  const int last = s->pair->stages - (s->pair->error[s->pair->stages] == 0), nv = s->nv;
  double *restrict most = s->x;
  memset(most, 0, (size_t)nv * sizeof *most);
  for (int j = 1; j <= last; ++j)
    for (int i = 0; i < nv; ++i) most[i] = vec_larger(fabs(rate[j * nv + i] - rate[i]), most[i]);
  largest_of_kinds(spread, s, most);
}

/* Rounding errors of sums that nearly vanish, in parts of their terms. */
static const double ROUNDING = 16 * DBL_EPSILON;

/* Take `most` of its kind out of every entry. */
static void take_out(double *x, const explicit_step *s, const double most[2]) {
  for (int i = 0; i < s->nv; ++i) x[i] = copysign(fmax(fabs(x[i]) - most[kind_of(s, i)], 0), x[i]);
}

/* Rounding errors of h sum w: of the terms, and of the velocities that they are added to; turns
 * move what is at the model's length. */
static void find_rounding(double out[2], const explicit_step *s, const double *rate,
                          const double *base) {
  const double length = s->problem->length;
  double of_rates[2], of_base[2], *restrict most = s->x;
  const int nv = s->nv;
  memset(most, 0, (size_t)nv * sizeof *most);
  for (int j = 0; j < s->pair->stages; ++j)
    for (int i = 0; i < nv; ++i) most[i] = vec_larger(fabs(rate[j * nv + i]), most[i]);
  largest_of_kinds(of_rates, s, most);
  largest_of_kinds(of_base, s, base);
  for (int k = 0; k < 2; ++k) out[k] = ROUNDING * (s->h * of_rates[k] + of_base[k]);
  out[0] += length * out[1];
}

/* z and the share of the estimate in `error` that is the step's own. */
static void find_share(level_error *e, const explicit_step *s, const double *rate) {
  const runge_kutta_pair *pair = s->pair;
  double estimated[2], spread[2];
  largest_of_kinds(estimated, s, s->error);
  find_spread(spread, s, rate);
  for (int k = 0; k < 2; ++k) {
    const double ratio = spread[k] > 0 ? estimated[k] / (s->h * spread[k] * pair->leading) : 0;
    e->z[k] = pow(ratio, 1.0 / (pair->embedded - 1));
    const double part = pair->own / pair->leading * pow(e->z[k], pair->order - pair->embedded);
    e->share[k] = fmin(1, pair->nonlinear * part);
  }
}

/* s->error is the estimate. */
static void estimate(level_error *e, explicit_step *s, bool velocity) {
  const double *rate = velocity ? s->w : s->f;
  double rounding[2];
  weigh(s->error, s, rate, s->pair->error);
  find_rounding(rounding, s, rate, velocity ? s->it->v : s->theta);
  take_out(s->error, s, rounding);
  for (int i = 0; i < s->nv && velocity; ++i)
    s->error[i] = copysign(fmax(fabs(s->error[i]) - s->noise[i], 0), s->error[i]);
  find_share(e, s, rate);
}

/* Allowed for an estimate of which `share` is the step's own error. */
static double allow(double most, double share) {
  return share > 0 ? most / share : 0;
}

/* Errors of velocities go on into positions for the time in which they change. */
static void note_level(explicit_step *s, const level_error *e, bool velocity) {
  torsor_integrator *it = s->it;
  const torsor_accuracy *a = &it->settings.accuracy;
  double lasting[2];
  for (int k = 0; k < 2; ++k)
    lasting[k] = e->share[k] * (!velocity ? 1 : e->z[k] > 0 ? s->h / e->z[k] : 0);
  kit_note_error(it, s->error, 1 / s->h, allow(a->position, lasting[0]),
                 allow(a->rotation, lasting[1]));
  if (velocity)
    kit_note_error(it, s->error, 1 / s->h, allow(a->velocity, e->share[0]),
                   allow(a->velocity, e->share[1]));
}

static void note_step(explicit_step *s) {
  for (int velocity = 0; velocity < 2; ++velocity) {
    level_error e;
    estimate(&e, s, velocity);
    note_level(s, &e, velocity);
  }
}

/* s->noise [nv] = what rounding errors of positions and velocities make of h times the weighted sum
 * of v', by the matrix last factored: stiff forces multiply them. */
static torsor_status find_noise(explicit_step *s) {
  const torsor_problem *problem = s->problem;
  double *x = s->x, *work = x + s->nv + s->nl, weights = 0;
  const torsor_point p = {
      .t = s->t + s->h, .q = s->q, .v = s->v, .a = s->it->a, .lambda = s->lambda};
  torsor_status status = kit_roundoff_force(x, problem, &p, 1, work);
  memset(x + s->nv, 0, (size_t)s->nl * sizeof *x);
  if (!status) status = saddle_solve(&s->it->systems, x, NULL);
  for (int j = 0; j <= s->pair->stages; ++j) weights += fabs(s->pair->error[j]);
  for (int i = 0; i < s->nv && !status; ++i) s->noise[i] = s->h * weights * fabs(x[i]);
  return status;
}

/* Largest |x|^2 and its component, where turns count as what they move. */
static double add_squares(double *most, int *component, const explicit_step *s, const double *x,
                          const double *y) {
  const double length = s->problem->length > 0 ? s->problem->length : 1;
  double sum = 0;
  for (int i = 0; i < s->nv; ++i) {
    const double size = (x[i] - y[i]) * (kind_of(s, i) ? length : 1);
    sum += size * size;
    if (!(size * size > *most)) continue;
    *most = size * size;
    *component = i;
  }
  return sum;
}

/* h times the rate by which the last stage and the end, both at the same time, move apart: the
 * ratio of their rates and of themselves, and that which w and theta have in a vibration. */
typedef struct parting {
  double rho, vibration;
  int fastest; /* component */
} parting;

static parting find_parting(const explicit_step *s) {
  const int last = (s->pair->stages - 1) * s->nv, end = last + s->nv;
  parting p = {.fastest = -1};
  double most = 0, far = 0;
  int other;
  const double w = add_squares(&most, &p.fastest, s, s->w + end, s->w + last);
  const double f = add_squares(&most, &p.fastest, s, s->f + end, s->f + last);
  const double theta = add_squares(&far, &other, s, s->theta_free, s->theta_last);
  const double v = add_squares(&far, &other, s, s->v_free, s->v_last);
  const double rounding = 1e4 * DBL_EPSILON * kit_motion_size(s->problem, s->v_free);
  if (!(theta + v > rounding * rounding)) return p;
  p.rho = s->h * sqrt((w + f) / (theta + v));
  p.vibration = theta > 0 ? s->h * sqrt(sqrt(w / theta)) : 0;
  return p;
}

/* Part of the motion that the error of a constant step may be where h rho is above this: vibrations
 * that grow, or that are not resolved. */
static const double UNRESOLVED_RHO = 2;
static const double MOST_CONSTANT = 5e-4;

static torsor_status judge_constant(explicit_step *s) {
  level_error e;
  const parting apart = find_parting(s);
  if (!(fmax(apart.rho, apart.vibration) > UNRESOLVED_RHO)) return TORSOR_OK;
  double speed[2], begin[2], gained[2], error[2];
  memset(s->noise, 0, (size_t)s->nv * sizeof *s->noise);
  estimate(&e, s, true);
  largest_of_kinds(error, s, s->error);
  largest_of_kinds(speed, s, s->v_free);
  largest_of_kinds(begin, s, s->it->v);
  largest_of_kinds(gained, s, s->it->a);
  const double length = s->problem->length;
  double most[2];
  for (int k = 0; k < 2; ++k) most[k] = fmax(fmax(speed[k], begin[k]), s->h * gained[k]);
  const double size = fmax(most[0], length * most[1]);
  for (int k = 0; k < 2; ++k)
    if (!(e.share[k] * error[k] * (k ? length : 1) <= MOST_CONSTANT * size)) return TORSOR_ACCURACY;
  return TORSOR_OK;
}

torsor_status explicit_judge(explicit_step *s) {
  torsor_integrator *it = s->it;
  step_control *c = &it->control;
  if (!c->on) return judge_constant(s);
  memset(s->noise, 0, (size_t)s->nv * sizeof *s->noise);
  note_step(s);
  if (c->error <= 1 || c->passing) return kit_judge(it, true);
  if (find_noise(s)) return TORSOR_ACCURACY;
  c->error = 0;
  c->worst = -1;
  note_step(s);
  return kit_judge(it, true);
}

torsor_status explicit_judge_moved(explicit_step *s) {
  torsor_integrator *it = s->it;
  const torsor_accuracy *a = &it->settings.accuracy;
  if (!it->control.on || s->nl == 0) return TORSOR_OK;
  const torsor_point p = {.t = s->t + s->h, .q = s->q, .v = s->v};
  const double place = kit_roundoff_position(s->problem, &p), length = s->problem->length;
  const double speed = kit_roundoff_velocity(s->problem, &p);
  const double places[] = {place, length > 0 ? place / length : ROUNDING};
  const double speeds[] = {speed, length > 0 ? speed / length : ROUNDING};
  double *x = s->x;
  memcpy(x, s->moved, (size_t)s->nv * sizeof *x);
  take_out(x, s, places);
  kit_note_error(it, x, 1 / s->h, a->position, a->rotation);
  memcpy(x, s->jump, (size_t)s->nv * sizeof *x);
  take_out(x, s, speeds);
  kit_note_error(it, x, 1, a->position, a->rotation);
  kit_note_error(it, x, 1 / s->h, a->velocity, a->velocity);
  return kit_judge(it, true);
}

/* Multiply s->error by the factors of its kind. */
static void add_level(explicit_step *s, bool velocity, const double factor[2], long window) {
  double *x = s->x;
  for (int i = 0; i < s->nv; ++i) x[i] = factor[kind_of(s, i)] * s->error[i];
  error_sum_add(&s->it->errors, velocity, (double)window, x, x);
}

/* Adds the estimated error to the change of the velocities, as the ends of a step do not show what
 * an impact within it does. */
static void add_jump(explicit_step *s) {
  level_error e;
  memset(s->noise, 0, (size_t)s->nv * sizeof *s->noise);
  estimate(&e, s, true);
  for (int i = 0; i < s->nv; ++i) s->jump[i] += e.share[kind_of(s, i)] * s->error[i];
}

void explicit_add_errors(explicit_step *s) {
  const long window = error_sum_window(&s->it->errors, s->it->a, s->a);
  if (!s->it->control.on) add_jump(s);
  if (!window) return;
  memset(s->noise, 0, (size_t)s->nv * sizeof *s->noise);
  for (int velocity = 0; velocity < 2; ++velocity) {
    level_error e;
    double lasting[2];
    estimate(&e, s, velocity);
    add_level(s, velocity, e.share, window);
    for (int k = 0; k < 2; ++k) lasting[k] = e.z[k] > 0 ? e.share[k] * s->h / e.z[k] : 0;
    if (velocity) add_level(s, false, lasting, window);
  }
}

/* ---- stiffness ---------------------------------------------------------------------------- */

/* As many steps as in the published codes of the pairs tell that it is no accident, and so many
 * others in a row that it is over. */
enum { STIFF_STEPS = 15, OTHER_STEPS = 6 };

/* Steps in a row of less than this part of `step`, with h rho above this, are kept small by what is
 * fast, too, though by its accuracy rather than by stability. */
enum { NARROW_STEPS = 100 };
static const double NARROW = 1.0 / 50, NARROW_RHO = 2;

void explicit_find_rho(explicit_step *s) {
  const parting apart = find_parting(s);
  s->stiff.rho = apart.rho;
  s->stiff.fastest = apart.fastest;
}

void explicit_watch(explicit_step *s) {
  torsor_findings *f = &s->it->findings;
  stiffness_watch *w = &s->stiff;
  explicit_find_rho(s);
  if (s->it->automatic) return;
  const double rho = w->rho;
  if (rho > s->pair->stable) {
    ++w->above;
    w->below = 0;
  } else if (w->above > 0 && ++w->below == OTHER_STEPS) {
    w->above = w->below = 0;
  }
  const bool narrow = s->it->control.on && s->h < NARROW * s->it->settings.step;
  w->narrow = narrow && rho > NARROW_RHO ? w->narrow + 1 : 0;
  if (w->above < STIFF_STEPS && w->narrow < NARROW_STEPS) return;
  w->above = w->narrow = 0;
  if (f->stiff++ > 0) return;
  f->stiff_at = s->t;
  f->stiffest = w->fastest;
}
