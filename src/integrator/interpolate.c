/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_kit.h"
#include "base/vec.h"

/* Dense output: the motion between the ends of a step, q = q0 exp(theta).
 *
 * For methods of order 2, theta and v are Hermite cubics with the values and rates of both ends,
 * projected onto the constraints where the method is stabilised.  For methods of higher order,
 * theta is a Hermite quintic with the second derivatives, too, and v = T(theta) theta'.  v' and
 * lambda are those of the acceleration level at that motion, or the method's own, interpolated
 * linearly. */

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

static void walk_near(near_reactions *n, const torsor_problem *p, tape *t) {
  TAPE_VALUE(t, n->known);
  TAPE_ARRAY(t, n->a, p->nv);
  TAPE_ARRAY(t, n->lambda, p->nl);
}

void interpolate_walk(torsor_integrator *it, tape *t) {
  const torsor_problem *p = it->problem;
  last_step *s = &it->last;
  walk_end(&s->begin, p, t);
  walk_end(&s->spare, p, t);
  walk_end(&s->shown, p, t);
  TAPE_VALUE(t, s->known);
  TAPE_VALUE(t, s->determined);
  TAPE_ARRAY(t, s->a, p->nv);
  TAPE_ARRAY(t, s->lambda, p->nl);
  TAPE_VALUE(t, s->most);
  walk_near(&s->near, p, t);
  walk_near(&s->near_begin, p, t);
  TAPE_VALUE(t, s->moved);
  TAPE_VALUE(t, s->ready);
  TAPE_ARRAY(t, s->theta, p->nv);
  TAPE_ARRAY(t, s->rate, p->nv);
  TAPE_ARRAY(t, s->rate2, p->nv);
  TAPE_ARRAY(t, s->u, p->nv);
  TAPE_ARRAY(t, s->work, p->nq + 3 * (p->nv + p->nl));
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
  const near_reactions before = s->near_begin;
  s->near_begin = s->near;
  s->near = before;
  s->near.known = s->ready = s->known = false;
  s->moved = it->method->leaves_way;
}

void interpolate_begin(torsor_integrator *it) {
  last_step *s = &it->last;
  memcpy(s->a, it->a, (size_t)it->problem->nv * sizeof *s->a);
  memcpy(s->lambda, it->lambda, (size_t)it->problem->nl * sizeof *s->lambda);
  s->known = true;
  s->near.known = false;
}

/* Returns the step along the rate within which T is a polynomial of degree 4 up to rounding. */
static double difference_step(const torsor_problem *problem, const double *rate, double h) {
  const double SMALL_TURN = 1e-3;
  double most = 0;
  for (int i = 0; i < problem->nv; ++i)
    if (!problem->rotation || problem->rotation[i]) most = fmax(most, fabs(rate[i]));
  return most * h > SMALL_TURN ? SMALL_TURN / most : h;
}

/* Finds theta'' at the end from v' = T(theta) theta'' + d/ds T(theta + s theta') theta'; the latter
 * by a central difference of order 4, which is exact but for rounding. */
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

/* Prepares the interpolation.  The chart around the start of the step must reach its end: an
 * increment that differs by pi/2 from what the velocities predict belongs to another turn. */
static torsor_status prepare(torsor_integrator *it) {
  const torsor_problem *problem = it->problem;
  last_step *s = &it->last;
  const double h = it->t - s->begin.t;
  if (s->ready) return TORSOR_OK;
  if (it->method->way && it->method->way(it, s->theta, s->rate)) {
    s->ready = true;
    return TORSOR_OK;
  }
  if (!s->moved) problem->minus(problem->self, s->theta, it->q, s->begin.q);
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

/* Returns the cubic with the values and the rates of both ends, at start + s h. */
static double cubic(double s, double h, double x0, double rate0, double x1, double rate1) {
  const double r = 1 - s;
  return x0 + s * s * (1 + 2 * r) * (x1 - x0) + h * s * r * (r * rate0 - s * rate1);
}

/* Returns the quintic from 0 with two derivatives at both ends, and its rate, at start + s h. */
static double quintic(double *rate, double s, double h, const double rate0[2], double x1,
                      const double rate1[2]) {
  const double p = h * rate0[0], q = h * h * rate0[1];
  const double d = x1 - p - q / 2, e = h * rate1[0] - p - q, f = h * h * rate1[1] - q;
  const double c3 = 10 * d - 4 * e + f / 2, c4 = 7 * e - 15 * d - f, c5 = 6 * d - 3 * e + f / 2;
  *rate = (p + s * (q + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
  return s * (p + s * (q / 2 + s * (c3 + s * (c4 + s * c5))));
}

static void fill_straight(torsor_integrator *it, double t) {
  const step_end *begin = &it->last.begin, *m = &it->last.shown;
  const double s = (t - begin->t) / (it->t - begin->t);
  for (int i = 0; i < it->problem->nv; ++i) m->a[i] = begin->a[i] + s * (it->a[i] - begin->a[i]);
  for (int i = 0; i < it->problem->nl; ++i)
    m->lambda[i] = begin->lambda[i] + s * (it->lambda[i] - begin->lambda[i]);
}

static void fill_quintic(torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  const last_step *last = &it->last;
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
}

static void fill_cubic(torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  const last_step *last = &it->last;
  const step_end *begin = &last->begin;
  const double h = it->t - begin->t, s = (t - begin->t) / h;
  const step_end *m = &last->shown;
  for (int i = 0; i < problem->nv; ++i) {
    last->u[i] = cubic(s, h, 0, begin->v[i], last->theta[i], last->rate[i]);
    m->v[i] = cubic(s, h, begin->v[i], begin->a[i], it->v[i], it->a[i]);
  }
  problem->plus(problem->self, m->q, begin->q, last->u);
}

static bool is_between(const torsor_integrator *it, double t) {
  return t < it->t;
}

/* Finds the motion at t in last->shown, unless it is the integrator's own. */
static torsor_status find_motion(torsor_integrator *it, double t) {
  last_step *last = &it->last;
  if (!it->started || !(t >= last->begin.t && t <= it->t)) return TORSOR_ARGUMENT;
  if (!is_between(it, t)) return TORSOR_OK;
  if (it->method->extend) {
    const torsor_status status = it->method->extend(it, t);
    if (!status) fill_straight(it, t);
    return status;
  }
  if (!it->problem->minus || !it->problem->taninv) return TORSOR_ARGUMENT;
  if (is_high(it) && !it->problem->tan) return TORSOR_ARGUMENT;
  const torsor_status status = prepare(it);
  if (status) return status;
  if (is_high(it))
    fill_quintic(it, t);
  else
    fill_cubic(it, t);
  fill_straight(it, t);
  return TORSOR_OK;
}

static torsor_state shown_state(const torsor_integrator *it, double t) {
  const step_end *m = &it->last.shown;
  return (torsor_state){
      .t = t, .q = m->q, .v = m->v, .a = m->a, .lambda = m->lambda, .redundant = it->systems.e > 0};
}

static void note_undetermined(torsor_integrator *it, double t) {
  torsor_findings *f = &it->findings;
  if (f->undetermined++ == 0) f->undetermined_at = t;
}

/* Finds a and lambda from the present guess; *found = false where they are not determined. */
static torsor_status find_reactions(bool *found, double *a, double *lambda, torsor_integrator *it,
                                    double t, const double *q, const double *v) {
  bool determined;
  const torsor_status status = start_reactions(&determined, a, lambda, it, t, q, v, it->last.work);
  *found = !status && determined;
  if (!status && !determined) note_undetermined(it, t);
  return status < 0 ? status : TORSOR_OK;
}

/* Finds the reactions at the end of the step, once for each step. */
static torsor_status show_end(torsor_integrator *it, double t) {
  last_step *last = &it->last;
  bool found;
  if (last->known) return TORSOR_OK;
  memcpy(last->lambda, it->lambda, (size_t)it->problem->nl * sizeof *last->lambda);
  const torsor_status status = find_reactions(&found, last->a, last->lambda, it, t, it->q, it->v);
  if (status) return status;
  last->known = true;
  last->determined = found;
  if (found) return TORSOR_OK;
  memcpy(last->a, it->a, (size_t)it->problem->nv * sizeof *last->a);
  memcpy(last->lambda, it->lambda, (size_t)it->problem->nl * sizeof *last->lambda);
  return TORSOR_OK;
}

/* Finds the reactions at the start of the step, in last->shown. */
static torsor_status show_begin(torsor_integrator *it) {
  const step_end *begin = &it->last.begin, *m = &it->last.shown;
  const size_t nv = (size_t)it->problem->nv, nl = (size_t)it->problem->nl;
  bool found;
  memcpy(m->lambda, begin->lambda, nl * sizeof *m->lambda);
  const torsor_status status =
      find_reactions(&found, m->a, m->lambda, it, begin->t, begin->q, begin->v);
  if (status || found) return status;
  memcpy(m->a, begin->a, nv * sizeof *m->a);
  memcpy(m->lambda, begin->lambda, nl * sizeof *m->lambda);
  return TORSOR_OK;
}

static void copy_near(near_reactions *n, const torsor_problem *problem, const double *a,
                      const double *lambda) {
  memcpy(n->a, a, (size_t)problem->nv * sizeof *a);
  memcpy(n->lambda, lambda, (size_t)problem->nl * sizeof *lambda);
}

/* Finds approximate reactions at the start of the step. */
static torsor_status find_near_begin(torsor_integrator *it) {
  last_step *last = &it->last;
  near_reactions *n = &last->near_begin;
  const step_end *begin = &last->begin;
  if (n->known) return TORSOR_OK;
  copy_near(n, it->problem, begin->a, begin->lambda);
  torsor_status status = TORSOR_SINGULAR;
  if (it->method->balanced)
    status = start_reactions_near(n->a, n->lambda, it, begin->t, begin->q, begin->v, last->work);
  if (status > 0 && !(status = show_begin(it)))
    copy_near(n, it->problem, last->shown.a, last->shown.lambda);
  n->known = !status;
  return status;
}

/* Finds approximate reactions at its end. */
static torsor_status find_near_end(torsor_integrator *it, double t) {
  last_step *last = &it->last;
  near_reactions *n = &last->near;
  torsor_status status = TORSOR_SINGULAR;
  if (n->known) return TORSOR_OK;
  copy_near(n, it->problem, it->a, it->lambda);
  if (!last->known && it->method->balanced)
    status = start_reactions_near(n->a, n->lambda, it, t, it->q, it->v, last->work);
  if (status > 0 && !(status = show_end(it, t))) copy_near(n, it->problem, last->a, last->lambda);
  n->known = !status;
  return status;
}

torsor_status interpolate_settle(torsor_integrator *it, torsor_point *begin, torsor_point *end) {
  last_step *last = &it->last;
  torsor_status status = find_near_begin(it);
  if (!status) status = find_near_end(it, end->t);
  begin->a = last->near_begin.a;
  begin->lambda = last->near_begin.lambda;
  end->a = last->near.a;
  end->lambda = last->near.lambda;
  return status;
}

torsor_status torsor_integrator_settle(torsor_integrator *it, torsor_state *out) {
  const bool own =
      it->method->own_multipliers && it->settings.multipliers == TORSOR_MULTIPLIERS_ACCELERATION;
  *out = torsor_integrator_state(it);
  if (!it->started) return TORSOR_ARGUMENT;
  if (!own || it->problem->nl == 0) return torsor_integrator_interpolate(it, it->t, out);
  const torsor_status status = find_near_end(it, it->t);
  if (status) return status;
  out->a = it->last.near.a;
  out->lambda = it->last.near.lambda;
  return TORSOR_OK;
}

/* Interpolates v' and lambda linearly between the ends, where the state between does not determine
 * them. */
static torsor_status show_straight(torsor_integrator *it, double t) {
  const last_step *last = &it->last;
  const double s = (t - last->begin.t) / (it->t - last->begin.t);
  torsor_status status = show_begin(it);
  if (!status) status = show_end(it, it->t);
  double *a = last->shown.a, *lambda = last->shown.lambda;
  for (int i = 0; i < it->problem->nv; ++i) a[i] += s * (last->a[i] - a[i]);
  for (int i = 0; i < it->problem->nl; ++i) lambda[i] += s * (last->lambda[i] - lambda[i]);
  return status;
}

/* Largest displacement by the projection onto the constraints, relative to the motion of the step
 * and to its velocities. */
static const double MOST_MOVED = 0.125;

static bool is_moved(const double *x, const double *y, double size, int n) {
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i] - y[i]) <= MOST_MOVED * size)) return true;
  return false;
}

/* Projects the motion at last->shown onto the constraints; *found = false where that is not
 * possible: near a change point the constraints can be satisfied anywhere. */
static torsor_status meet(bool *found, torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  const last_step *last = &it->last;
  const step_end *m = &last->shown;
  const int nv = problem->nv;
  double *v = m->a, *u = last->work;
  memcpy(v, m->v, (size_t)nv * sizeof *v);
  it->systems.aside = true;
  const torsor_status status = start_consistent(m->q, m->v, &it->systems, t, last->work);
  it->systems.aside = false;
  problem->minus(problem->self, u, m->q, last->begin.q);
  const double way = fmax(vec_largest(last->theta, nv), vec_largest(last->u, nv));
  const double speed = fmax(vec_largest(it->v, nv), vec_largest(last->begin.v, nv));
  *found = !status && !is_moved(u, last->u, way, nv) && !is_moved(m->v, v, speed, nv);
  return status < 0 ? status : TORSOR_OK;
}

/* Completes the motion at t: projects it onto the constraints and finds the reactions there.  Near
 * a change point neither is possible, and rounding errors cannot be distinguished from correct
 * values: within a step that passes one, everything is interpolated between its ends. */
static torsor_status show_between(torsor_integrator *it, double t) {
  const step_end *m = &it->last.shown;
  bool found = !it->grid.passing;
  torsor_status status = TORSOR_OK;
  if (found && !is_high(it) && it->settings.formulation != TORSOR_INDEX3)
    status = meet(&found, it, t);
  if (!status && found) status = find_reactions(&found, m->a, m->lambda, it, t, m->q, m->v);
  if (status < 0 || found) return status;
  if (!is_high(it)) fill_cubic(it, t);
  return show_straight(it, t);
}

/* Reactions that are larger than usual by this factor may be those of a change point nearby: where
 * rounding makes a hundredth of them, they are larger by a thousand times and more. */
static const double OUTSTANDING = 100;

/* Number of states shown over which the usual reactions are averaged. */
enum { USUAL_STATES = 32 };

/* Judges v' and lambda at the end of the step, once for each step, of a method that has none but
 * those of the acceleration level. */
static torsor_status judge_end(torsor_integrator *it) {
  last_step *last = &it->last;
  const size_t nv = (size_t)it->problem->nv, nl = (size_t)it->problem->nl;
  if (last->known) return TORSOR_OK;
  memcpy(last->a, it->a, nv * sizeof *last->a);
  memcpy(last->lambda, it->lambda, nl * sizeof *last->lambda);
  last->known = true;
  double *usual = &last->most.usual;
  const double size = vec_largest(it->lambda, it->problem->nl);
  if (*usual == 0 || size <= OUTSTANDING * *usual) {
    *usual += (size - *usual) / (*usual > 0 ? USUAL_STATES : 1);
    return TORSOR_OK;
  }
  bool determined;
  const torsor_status status =
      start_reactions(&determined, last->a, last->lambda, it, it->t, it->q, it->v, last->work);
  torsor_findings *f = &it->findings;
  if (!status && !determined && f->rounded++ == 0) f->rounded_at = it->t;
  memcpy(last->a, it->a, nv * sizeof *last->a);
  memcpy(last->lambda, it->lambda, nl * sizeof *last->lambda);
  return status < 0 ? status : TORSOR_OK;
}

torsor_status torsor_integrator_motion(torsor_integrator *it, double t, torsor_state *out) {
  *out = torsor_integrator_state(it);
  const torsor_status status = find_motion(it, t);
  if (!status && is_between(it, t)) *out = shown_state(it, t);
  return status;
}

torsor_status torsor_integrator_interpolate(torsor_integrator *it, double t, torsor_state *out) {
  torsor_status status = torsor_integrator_motion(it, t, out);
  if (status || it->settings.multipliers == TORSOR_MULTIPLIERS_METHOD) return status;
  if (it->problem->nl == 0 && it->method->balanced) return TORSOR_OK;
  if (is_between(it, t)) return show_between(it, t);
  if (!it->method->own_multipliers) return judge_end(it);
  if ((status = show_end(it, it->t))) return status;
  out->a = it->last.a;
  out->lambda = it->last.lambda;
  return TORSOR_OK;
}

torsor_status torsor_integrator_middle(torsor_integrator *it, bool way, torsor_state *out) {
  const torsor_problem *problem = it->problem;
  last_step *last = &it->last;
  *out = torsor_integrator_state(it);
  if (!it->started || !problem->minus || !problem->taninv) return TORSOR_ARGUMENT;
  if (is_high(it) && !problem->tan) return TORSOR_ARGUMENT;
  const torsor_status status = last->moved ? TORSOR_OK : prepare(it);
  if (status) return status;
  const step_end *begin = &last->begin, *m = &last->shown;
  for (int i = 0; i < problem->nv; ++i) {
    last->u[i] = last->theta[i] / 2;
    m->v[i] = way ? last->theta[i] / (it->t - begin->t) : (begin->v[i] + it->v[i]) / 2;
  }
  fill_straight(it, (begin->t + it->t) / 2);
  problem->plus(problem->self, m->q, begin->q, last->u);
  *out = (torsor_state){.t = (begin->t + it->t) / 2,
                        .q = m->q,
                        .v = m->v,
                        .a = m->a,
                        .lambda = m->lambda,
                        .redundant = out->redundant};
  return TORSOR_OK;
}

void torsor_integrator_accompany(torsor_integrator *it, bool on) {
  it->follows = on && it->method->companion;
}

bool torsor_integrator_companion(torsor_integrator *it, const torsor_state *shown,
                                 torsor_state *out, double *part) {
  return it->follows && it->method->companion(out, part, it, shown);
}
