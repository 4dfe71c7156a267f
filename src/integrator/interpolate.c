/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_kit.h"

/* Between the ends of a step q = q0 exp(theta).  Methods of order 2: theta and v cubic with the values and
 * rates of both ends, v' and lambda straight.  Methods of higher order: theta quintic with the second
 * derivatives too, v = T(theta) theta', v' and lambda by S4 eq. 7 from these. */

static bool is_high(const torsor_integrator *it) {
  return it->method->order > 2;
}

static void walk_end(step_end *m, const torsor_problem *p, tape *t) {
  TAPE_VALUE(t, m->t);
  TAPE_ARRAY(t, m->q, p->nq);
  TAPE_ARRAY(t, m->v, p->nv);
  TAPE_ARRAY(t, m->a, p->nv);
  TAPE_ARRAY(t, m->lambda, p->nl);
}

void interpolate_walk(torsor_integrator *it, tape *t) {
  const torsor_problem *p = it->problem;
  last_step *s = &it->last;
  walk_end(&s->begin, p, t);
  walk_end(&s->spare, p, t);
  walk_end(&s->shown, p, t);
  TAPE_VALUE(t, s->ready);
  TAPE_ARRAY(t, s->theta, p->nv);
  TAPE_ARRAY(t, s->rate, p->nv);
  TAPE_ARRAY(t, s->rate2, p->nv);
  TAPE_ARRAY(t, s->u, p->nv);
  TAPE_ARRAY(t, s->work, p->nv + p->nl);
}

void interpolate_keep(torsor_integrator *it) {
  const torsor_problem *p = it->problem;
  step_end *m = &it->last.spare;
  m->t = it->t;
  memcpy(m->q, it->q, (size_t)p->nq * sizeof *m->q);
  memcpy(m->v, it->v, (size_t)p->nv * sizeof *m->v);
  memcpy(m->a, it->a, (size_t)p->nv * sizeof *m->a);
  memcpy(m->lambda, it->lambda, (size_t)p->nl * sizeof *m->lambda);
}

static double *exchange(double **place, double *array) {
  double *before = *place;
  *place = array;
  return before;
}

void interpolate_hand_over(torsor_integrator *it, double **q, double **v) {
  step_end *m = &it->last.spare;
  m->t = it->t;
  *q = exchange(&m->q, exchange(&it->q, *q));
  *v = exchange(&m->v, exchange(&it->v, *v));
  it->a = exchange(&m->a, it->a);
  it->lambda = exchange(&m->lambda, it->lambda);
}

void interpolate_follow(torsor_integrator *it) {
  last_step *s = &it->last;
  const step_end kept = s->spare;
  s->spare = s->begin;
  s->begin = kept;
  s->ready = false;
}

/* How far along the rate T can be taken for a polynomial of degree 4. */
static double difference_step(const torsor_problem *problem, const double *rate, double h) {
  const double SMALL_TURN = 1e-3;
  double most = 0;
  for (int i = 0; i < problem->nv; ++i)
    if (!problem->rotation || problem->rotation[i]) most = fmax(most, fabs(rate[i]));
  return most * h > SMALL_TURN ? SMALL_TURN / most : h;
}

/* theta'' at the end, from v' = T(theta) theta'' + d/ds T(theta + s theta') theta', the latter by a central
 * difference of order 4: exact but for rounding. */
static void find_second_rate(torsor_integrator *it, double h) {
  static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
  const torsor_problem *problem = it->problem;
  last_step *s = &it->last;
  const double e = difference_step(problem, s->rate, h);
  memcpy(s->rate2, it->a, (size_t)problem->nv * sizeof *it->a);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < problem->nv; ++i) s->u[i] = s->theta[i] + at[k] * e * s->rate[i];
    problem->tan(problem->self, s->work, s->u, s->rate);
    for (int i = 0; i < problem->nv; ++i) s->rate2[i] -= weight[k] / (12 * e) * s->work[i];
  }
  memcpy(s->u, s->rate2, (size_t)problem->nv * sizeof *s->u);
  problem->taninv(problem->self, s->rate2, s->theta, s->u, false);
}

/* The chart around the begin of the step reaches to its end: an increment that is pi/2 away from what the
 * velocities let expect is that of another turn. */
static torsor_status prepare(torsor_integrator *it) {
  const torsor_problem *problem = it->problem;
  last_step *s = &it->last;
  const double h = it->t - s->begin.t;
  if (s->ready) return TORSOR_OK;
  problem->minus(problem->self, s->theta, it->q, s->begin.q);
  problem->taninv(problem->self, s->rate, s->theta, it->v, false);
  for (int i = 0; i < problem->nv; ++i) {
    const double expected = h / 2 * (s->begin.v[i] + it->v[i]);
    const bool turns = problem->rotation && problem->rotation[i];
    if (turns && fabs(s->theta[i] - expected) > M_PI_2) return TORSOR_TURN;
    if (!isfinite(s->rate[i])) return TORSOR_TURN;
  }
  if (is_high(it)) find_second_rate(it, h);
  s->ready = true;
  return TORSOR_OK;
}

/* out = cubic with the values and the rates of both ends, at begin + s h. */
static double cubic(double s, double h, double x0, double rate0, double x1, double rate1) {
  const double r = 1 - s;
  return x0 + s * s * (1 + 2 * r) * (x1 - x0) + h * s * r * (r * rate0 - s * rate1);
}

/* x and its rate: quintic from 0 with two rates at both ends, at begin + s h. */
static double quintic(double *rate, double s, double h, const double rate0[2], double x1,
                      const double rate1[2]) {
  const double p = h * rate0[0], q = h * h * rate0[1];
  const double d = x1 - p - q / 2, e = h * rate1[0] - p - q, f = h * h * rate1[1] - q;
  const double c3 = 10 * d - 4 * e + f / 2, c4 = 7 * e - 15 * d - f, c5 = 6 * d - 3 * e + f / 2;
  *rate = (p + s * (q + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
  return s * (p + s * (q / 2 + s * (c3 + s * (c4 + s * c5))));
}

static void fill_straight(torsor_integrator *it, double s) {
  const step_end *begin = &it->last.begin, *m = &it->last.shown;
  for (int i = 0; i < it->problem->nv; ++i) m->a[i] = begin->a[i] + s * (it->a[i] - begin->a[i]);
  for (int i = 0; i < it->problem->nl; ++i)
    m->lambda[i] = begin->lambda[i] + s * (it->lambda[i] - begin->lambda[i]);
}

static torsor_status fill_high(torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  last_step *last = &it->last;
  const step_end *begin = &last->begin, *m = &last->shown;
  const double h = it->t - begin->t, s = (t - begin->t) / h;
  double *rate = m->a;
  for (int i = 0; i < problem->nv; ++i) {
    const double rate0[] = {begin->v[i], begin->a[i]}; /* T(0) = I, theta'' = v' - [v, v]/2 */
    const double rate1[] = {last->rate[i], last->rate2[i]};
    last->u[i] = quintic(&rate[i], s, h, rate0, last->theta[i], rate1);
  }
  problem->plus(problem->self, m->q, begin->q, last->u);
  problem->tan(problem->self, m->v, last->u, rate);
  fill_straight(it, s);
  const torsor_status status =
      start_accelerations_within(m->a, m->lambda, it, t, m->q, m->v, last->work);
  if (status > 0) fill_straight(it, s); /* as the method where they cannot be found */
  return status < 0 ? status : TORSOR_OK;
}

static void fill_motion(torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  const last_step *last = &it->last;
  const step_end *begin = &last->begin;
  const double h = it->t - begin->t, s = (t - begin->t) / h;
  const step_end *m = &last->shown;
  for (int i = 0; i < problem->nv; ++i) {
    last->u[i] = cubic(s, h, 0, begin->v[i], last->theta[i], last->rate[i]);
    m->v[i] = cubic(s, h, begin->v[i], begin->a[i], it->v[i], it->a[i]);
  }
  fill_straight(it, s);
  problem->plus(problem->self, m->q, begin->q, last->u);
}

torsor_status torsor_integrator_interpolate(torsor_integrator *it, double t, torsor_state *out) {
  last_step *last = &it->last;
  *out = torsor_integrator_state(it);
  if (!it->started || !(t >= last->begin.t && t <= it->t)) return TORSOR_ARGUMENT;
  if (!(t < it->t)) return TORSOR_OK;
  if (!it->problem->minus || !it->problem->taninv) return TORSOR_ARGUMENT;
  if (is_high(it) && !it->problem->tan) return TORSOR_ARGUMENT;
  torsor_status status = prepare(it);
  if (!status && is_high(it))
    status = fill_high(it, t);
  else if (!status)
    fill_motion(it, t);
  if (status) return status;
  const step_end *m = &last->shown;
  *out = (torsor_state){
      .t = t, .q = m->q, .v = m->v, .a = m->a, .lambda = m->lambda, .redundant = out->redundant};
  return TORSOR_OK;
}

torsor_status torsor_integrator_middle(torsor_integrator *it, bool way, torsor_state *out) {
  const torsor_problem *problem = it->problem;
  last_step *last = &it->last;
  *out = torsor_integrator_state(it);
  if (!it->started || !problem->minus || !problem->taninv) return TORSOR_ARGUMENT;
  if (is_high(it) && !problem->tan) return TORSOR_ARGUMENT;
  const torsor_status status = prepare(it);
  if (status) return status;
  const step_end *begin = &last->begin, *m = &last->shown;
  for (int i = 0; i < problem->nv; ++i) {
    last->u[i] = last->theta[i] / 2;
    m->v[i] = way ? last->theta[i] / (it->t - begin->t) : (begin->v[i] + it->v[i]) / 2;
  }
  fill_straight(it, 0.5);
  problem->plus(problem->self, m->q, begin->q, last->u);
  *out = (torsor_state){.t = (begin->t + it->t) / 2,
                        .q = m->q,
                        .v = m->v,
                        .a = m->a,
                        .lambda = m->lambda,
                        .redundant = out->redundant};
  return TORSOR_OK;
}
