/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_kit.h"

/* Between the ends of a step q = q0 exp(theta), theta and v cubic with the values and rates of both ends,
 * v' and lambda straight. */

static torsor_status take_motion(step_end *m, torsor_integrator *it) {
  const torsor_problem *p = it->problem;
  const kit_vector wanted[] = {{&m->q, p->nq}, {&m->v, p->nv}, {&m->a, p->nv}, {&m->lambda, p->nl}};
  return kit_take(&it->memory, wanted, sizeof wanted / sizeof *wanted);
}

torsor_status interpolate_create(torsor_integrator *it) {
  last_step *s = &it->last;
  const int nv = it->problem->nv, nl = it->problem->nl;
  const kit_vector wanted[] = {{&s->theta, nv}, {&s->rate, nv}, {&s->u, nv}, {&s->work, nv + nl}};
  torsor_status status = take_motion(&s->begin, it);
  if (!status) status = take_motion(&s->spare, it);
  if (!status) status = take_motion(&s->shown, it);
  return status ? status : kit_take(&it->memory, wanted, sizeof wanted / sizeof *wanted);
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

void interpolate_follow(torsor_integrator *it) {
  last_step *s = &it->last;
  const step_end kept = s->spare;
  s->spare = s->begin;
  s->begin = kept;
  s->ready = false;
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
  s->ready = true;
  return TORSOR_OK;
}

/* out = cubic with the values and the rates of both ends, at begin + s h. */
static double cubic(double s, double h, double x0, double rate0, double x1, double rate1) {
  const double r = 1 - s;
  return x0 + s * s * (1 + 2 * r) * (x1 - x0) + h * s * r * (r * rate0 - s * rate1);
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
    m->a[i] = begin->a[i] + s * (it->a[i] - begin->a[i]);
  }
  for (int i = 0; i < problem->nl; ++i)
    m->lambda[i] = begin->lambda[i] + s * (it->lambda[i] - begin->lambda[i]);
  problem->plus(problem->self, m->q, begin->q, last->u);
}

torsor_status torsor_integrator_interpolate(torsor_integrator *it, double t, torsor_state *out) {
  last_step *last = &it->last;
  *out = torsor_integrator_state(it);
  if (!it->started || !(t >= last->begin.t && t <= it->t)) return TORSOR_ARGUMENT;
  if (!(t < it->t)) return TORSOR_OK;
  if (!it->problem->minus || !it->problem->taninv) return TORSOR_ARGUMENT;
  const torsor_status status = prepare(it);
  if (status) return status;
  fill_motion(it, t);
  const step_end *m = &last->shown;
  *out = (torsor_state){
      .t = t, .q = m->q, .v = m->v, .a = m->a, .lambda = m->lambda, .redundant = out->redundant};
  return TORSOR_OK;
}
