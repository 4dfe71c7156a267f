/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coarse.h"

#include <math.h>
#include <string.h>

#include "method.h"

/* Every eighth step is looked at, and those in which v' changes by more than twice what it usually does. */
enum { SAMPLE = 8 };
static const double SUDDEN = 2, MEMORY = 1.0 / 16;

/* Errors count that last for so many more steps: those of motions that stiff dampers end are gone by then. */
enum { LASTING = 2 };

/* Steps that differ by this part have one size. */
static const double SAME = 1e-9;

/* Motions below this part of the model's length, or of a turn, are made of rounding errors. */
static const double LEAST_MOTION = 1e-9;

void coarse_walk(coarse_watch *w, const torsor_problem *problem, tape *t) {
  TAPE_VALUE(t, w->position);
  TAPE_VALUE(t, w->velocity);
  TAPE_VALUE(t, w->fastest);
  TAPE_VALUE(t, w->duration);
  TAPE_VALUE(t, w->usual);
  TAPE_VALUE(t, w->waited);
  TAPE_ARRAY(t, w->way, problem->nv);
  TAPE_ARRAY(t, w->low, problem->nv);
  TAPE_ARRAY(t, w->high, problem->nv);
  TAPE_ARRAY(t, w->before, problem->nv);
  TAPE_VALUE(t, w->h_before);
  TAPE_WORK(t, w->error, problem->nv + problem->nl);
  TAPE_WORK(t, w->here, problem->nv);
  TAPE_WORK(t, w->first, problem->nv);
  TAPE_WORK(t, w->moved, problem->nv + problem->nl);
}

void coarse_restart(coarse_watch *w) {
  w->h_before = 0;
}

void coarse_begin(coarse_watch *w, const torsor_problem *problem) {
  const size_t size = (size_t)problem->nv * sizeof(double);
  for (int k = 0; k < 2; ++k) w->position[k] = w->velocity[k] = w->fastest[k] = 0;
  w->duration = w->usual = 0;
  coarse_restart(w);
  w->waited = 0;
  memset(w->way, 0, size);
  memset(w->low, 0, size);
  memset(w->high, 0, size);
}

static int kind_of(const torsor_problem *problem, int i) {
  return problem->rotation && problem->rotation[i];
}

double coarse_follow(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                     const torsor_point *end) {
  const double h = end->t - begin->t;
  double change = 0;
  for (int i = 0; i < problem->nv; ++i) {
    const int k = kind_of(problem, i);
    w->fastest[k] = fmax(w->fastest[k], fmax(fabs(begin->v[i]), fabs(end->v[i])));
    w->way[i] += h / 2 * (begin->v[i] + end->v[i]);
    w->low[i] = fmin(w->low[i], w->way[i]);
    w->high[i] = fmax(w->high[i], w->way[i]);
    change = fmax(change, fabs(end->a[i] - begin->a[i]));
  }
  w->duration += h;
  ++w->waited;
  const bool due = w->waited >= SAMPLE, sudden = change > SUDDEN * w->usual;
  w->usual += MEMORY * (change - w->usual);
  if (!due && !sudden) return 0;
  /* A sudden change stands for itself alone. */
  const long stands_for = sudden ? 1 : w->waited;
  w->waited -= stands_for;
  return (double)stands_for;
}

void coarse_add(coarse_watch *w, const torsor_problem *problem, const double *x, bool velocity,
                double weight) {
  double most[2] = {0, 0}, *sum = velocity ? w->velocity : w->position;
  for (int i = 0; i < problem->nv; ++i) {
    const int k = kind_of(problem, i);
    most[k] = fmax(most[k], fabs(x[i]));
  }
  for (int k = 0; k < 2; ++k) sum[k] += weight * most[k];
}

/* x [nv + nl] <- (matrix of the weights)^-1 (m M x, 0), what constraints and stiff forces leave of x.  Nonholonomic rows leave positions
 * free. */
static torsor_status take_out(coarse_watch *w, const torsor_problem *problem,
                              const torsor_point *end, double h, double m, bool velocity) {
  const int nv = problem->nv, nl = problem->nl;
  double *x = w->error;
  torsor_point p = *end;
  torsor_status status = problem->residual(problem->self, &p, w->here, NULL, NULL);
  memset(x + nv, 0, (size_t)nl * sizeof *x);
  if (!status && problem->nonholonomic && !velocity)
    status = start_constraint_rate(x + nv, problem, end, x, w->moved);
  for (int i = 0; i < nl && problem->nonholonomic; ++i)
    if (!problem->nonholonomic[i]) x[nv + i] = 0;
  /* in the size of accelerations, for the sake of rounding */
  for (int i = 0; i < nv; ++i) w->moved[i] = end->a[i] + x[i] / (h * h);
  p.a = w->moved;
  if (!status) status = problem->residual(problem->self, &p, x, NULL, NULL);
  for (int i = 0; i < nv; ++i) x[i] = m * h * h * (x[i] - w->here[i]);
  return status ? status : problem->solve(problem->self, x);
}

/* Add the error that is in w->error, as far as it outlives the step and those that follow. */
static torsor_status add_lasting(coarse_watch *w, const torsor_problem *problem,
                                 const torsor_point *end, double h, double m, bool velocity,
                                 double weight) {
  double *x = w->error, all[2] = {0, 0}, most[2] = {0, 0};
  torsor_status status = take_out(w, problem, end, h, m, velocity);
  memcpy(w->first, x, (size_t)problem->nv * sizeof *x);
  if (!status) status = take_out(w, problem, end, h, m, velocity);
  if (status) return status;
  for (int i = 0; i < problem->nv; ++i) {
    const int k = kind_of(problem, i);
    all[k] = fmax(all[k], fabs(w->first[i]));
    most[k] = fmax(most[k], fabs(x[i]));
  }
  for (int i = 0; i < problem->nv; ++i) {
    const int k = kind_of(problem, i);
    if (all[k] > 0) x[i] *= pow(fmin(most[k] / all[k], 1), LASTING);
  }
  coarse_add(w, problem, x, velocity, weight);
  return TORSOR_OK;
}

torsor_status coarse_look(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                          const torsor_point *end, double weight, const torsor_weights *weights) {
  const double h = end->t - begin->t, *a0 = begin->a, *a1 = end->a;
  double *x = w->error;
  if (!problem->minus) return TORSOR_OK;
  torsor_status status = problem->factor(problem->self, end, weights);
  if (status) return status;
  problem->minus(problem->self, x, end->q, begin->q);
  problem->bracket(problem->self, w->here, end->v, a1);
  for (int i = 0; i < problem->nv; ++i)
    x[i] -= h * (begin->v[i] + h * (a0[i] / 3 + a1[i] / 6 + h * w->here[i] / 12));
  if ((status = add_lasting(w, problem, end, h, weights->m, false, weight))) return status;
  if (fabs(w->h_before - h) > SAME * h) return TORSOR_OK;
  for (int i = 0; i < problem->nv; ++i)
    x[i] = end->v[i] - begin->v[i] - h * (a0[i] + a1[i]) / 2 +
           h / 12 * (a1[i] - 2 * a0[i] + w->before[i]);
  return add_lasting(w, problem, end, h, weights->m, true, weight);
}

void coarse_keep(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                 double h) {
  memcpy(w->before, begin->a, (size_t)problem->nv * sizeof *w->before);
  w->h_before = h;
}

/* A part of a motion that is one. */
static double part(double error, double motion, double least) {
  return motion > least ? error / motion : 0;
}

torsor_errors coarse_errors(const coarse_watch *w, const torsor_problem *problem) {
  double extent[2] = {0, 0};
  for (int i = 0; i < problem->nv; ++i) {
    const int k = kind_of(problem, i);
    extent[k] = fmax(extent[k], w->high[i] - w->low[i]);
  }
  const double turn =
      fmin(1, extent[1]); /* errors of a radian are errors, however often something turns */
  const double length = LEAST_MOTION * fmax(problem->length, extent[0]);
  const double slow = w->duration > 0 ? 1 / w->duration : 0;
  return (torsor_errors){.position = part(w->position[0], extent[0], length),
                         .rotation = part(w->position[1], turn, LEAST_MOTION),
                         .velocity = part(w->velocity[0], w->fastest[0], length * slow),
                         .angular_velocity =
                             part(w->velocity[1], w->fastest[1], LEAST_MOTION * slow)};
}
