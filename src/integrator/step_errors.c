/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step_errors.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"

step_errors step_errors_of(torsor_integrator *it, double t1, double h, const double *u) {
  const step_end *begin = &it->last.spare;
  return (step_errors){
      .it = it,
      .h = h,
      .end = {.t = t1, .q = it->q, .v = it->v, .a = it->a, .lambda = it->lambda, .u = u},
      .v0 = begin->v,
      .a0 = begin->a,
      .a1 = it->a};
}

/* Finds the balance at the end of the step without accelerations, from which products with the mass
 * matrix follow by differences. */
static torsor_status find_rest(const step_errors *e) {
  const torsor_problem *problem = e->it->problem;
  error_sum *sum = &e->it->errors;
  torsor_point p = e->end;
  memset(sum->work, 0, (size_t)problem->nv * sizeof *sum->work);
  p.a = sum->work;
  return problem->residual(problem->self, &p, sum->rest, NULL, NULL);
}

/* Finds out [nv] = M x at the end of the step. */
static torsor_status find_momentum(const step_errors *e, double *out, const double *x) {
  return start_momentum_beside(out, e->it->problem, e->end, x, e->it->errors.rest);
}

/* Filters an error by the matrix of the step.  For a displacement x of positions, or of velocities,
 * with the `momentum` M x,
 *
 *      S x = (m M x, 0, 0)
 *
 * gives x without the parts that constraints prevent and those that stiff forces restore.
 * Nonholonomic rows leave positions free: their right side is B x then. */
static torsor_status keep_free(const step_errors *e, const double *momentum, bool velocities) {
  const torsor_problem *problem = e->it->problem;
  const unsigned char *nonholonomic = problem->nonholonomic;
  const int nv = problem->nv, nl = problem->nl;
  error_sum *sum = &e->it->errors;
  double *x = sum->x, *work = sum->work + nv, *rate = work + nv + nl;
  torsor_status status = TORSOR_OK;
  if (nonholonomic && !velocities) status = start_constraint_rate(rate, problem, &e->end, x, work);
  for (int i = 0; i < nv; ++i) x[i] = momentum[i] * e->m / e->it->systems.mass;
  memset(x + nv, 0, (size_t)(2 * nl) * sizeof *x);
  for (int i = 0; i < nl && nonholonomic && !velocities; ++i)
    if (nonholonomic[i]) x[nv + i] = rate[i];
  return status ? status : problem->solve(problem->self, x);
}

/* Fraction of the velocities by which they are varied to find the forces of dampers. */
static const double TRIAL = 1e-4;

/* Returns the factor by which dampers reduce an oscillation in the direction x of velocities, whose
 * `momentum` is M x, within a time: exp(-time x^T C x/(2 x^T M x)). */
static double damping_factor(const step_errors *e, const double *x, const double *momentum,
                             double time) {
  const torsor_problem *problem = e->it->problem;
  const int nv = problem->nv;
  const double *rest = e->it->errors.rest;
  double *v = e->it->errors.work, *there = v + nv, *still = there + nv;
  const double size = vec_largest(x, nv), scale = TRIAL * vec_largest(e->end.v, nv) / size;
  torsor_point p = e->end;
  if (!(size > 0) || !(scale > 0)) return 1;
  memset(still, 0, (size_t)nv * sizeof *still);
  for (int i = 0; i < nv; ++i) v[i] = e->end.v[i] + scale * x[i];
  p.v = v;
  p.a = still;
  const torsor_status status = problem->residual(problem->self, &p, there, NULL, NULL);
  double power = 0, energy = 0;
  for (int i = 0; i < nv; ++i) {
    power += x[i] * (there[i] - rest[i]) / scale;
    energy += x[i] * momentum[i];
  }
  return status || !(energy > 0) || !(power > 0) ? 1 : exp(-time * power / energy / 2);
}

/* Do constraints drive anything at the end of the step: is Phi_t not 0? */
static bool is_driven(const step_errors *e) {
  const torsor_problem *problem = e->it->problem;
  double *v = e->it->errors.work, *rate = v + problem->nv;
  torsor_point p = e->end;
  memset(v, 0, (size_t)problem->nv * sizeof *v);
  p.v = v;
  if (problem->nl == 0 || problem->residual(problem->self, &p, NULL, NULL, rate)) return false;
  return vec_largest(rate, problem->nl) > 0;
}

/* Adds the impulse of dampers that steps miss in a driven motion.  Positions of a driven body
 * follow its drive, and velocities at the ends of steps need not show that, as where a table is
 * noisy: dampers lack the difference times C. */
static void add_unseen(const step_errors *e, long window) {
  const torsor_problem *problem = e->it->problem;
  error_sum *sum = &e->it->errors;
  const int nv = problem->nv;
  double *v = sum->work, *here = v + nv, *there = here + nv;
  const double size = vec_largest(sum->unseen, nv);
  const double scale = TRIAL * vec_largest(e->end.v, nv) / size;
  torsor_point p = e->end;
  if (!(size > 0) || !(scale > 0)) return;
  torsor_status status = problem->residual(problem->self, &p, here, NULL, NULL);
  for (int i = 0; i < nv; ++i) v[i] = e->end.v[i] + scale * sum->unseen[i];
  p.v = v;
  if (!status) status = problem->residual(problem->self, &p, there, NULL, NULL);
  for (int i = 0; i < nv; ++i)
    sum->x[i] = -(there[i] - here[i]) / scale * e->m / e->it->systems.mass;
  memset(sum->x + nv, 0, (size_t)(2 * problem->nl) * sizeof *sum->x);
  memset(sum->unseen, 0, (size_t)nv * sizeof *sum->unseen);
  if (!status) status = problem->solve(problem->self, sum->x);
  memcpy(sum->before, sum->x, (size_t)nv * sizeof *sum->x);
  if (status || find_momentum(e, sum->work, sum->x) || keep_free(e, sum->work, true)) return;
  double *momentum = sum->work + 3 * nv;
  if (find_momentum(e, momentum, sum->lost)) return;
  const double factor = damping_factor(e, sum->lost, momentum, (double)window * e->h);
  for (int i = 0; i < nv; ++i) sum->lost[i] *= factor;
  error_sum_lose(sum, sum->before, sum->x);
}

/* Adds the error x of the step, whose momentum is in sum->before, filtered by this step and the
 * next. */
static void add_error(const step_errors *e, bool velocities, double weight) {
  error_sum *sum = &e->it->errors;
  if (keep_free(e, sum->before, velocities)) return;
  memcpy(sum->before, sum->x, (size_t)e->it->problem->nv * sizeof *sum->x);
  if (find_momentum(e, sum->work, sum->x) || keep_free(e, sum->work, velocities)) return;
  error_sum_add(sum, velocities, weight, sum->before, sum->x);
}

void step_errors_find(const step_errors *e, const double *u) {
  const torsor_problem *problem = e->it->problem;
  double *x = e->it->errors.x, *bracket = e->it->errors.work;
  const double h = e->h;
  problem->bracket(problem->self, bracket, e->end.v, e->a1);
  for (int i = 0; i < problem->nv; ++i)
    x[i] = u[i] - h * (e->v0[i] + h * (e->a0[i] / 3 + e->a1[i] / 6 + h * bracket[i] / 12));
}

void step_errors_add_unseen(const step_errors *e, long window) {
  if (!error_sum_is_unseen(&e->it->errors, e->h) || !is_driven(e)) return;
  if (!find_rest(e)) add_unseen(e, window);
}

/* The values h^2 v''' of the steps in the window add up to the difference between the change of v'
 * in the last one and that before the first. */
void step_errors_add(const step_errors *e, long window) {
  error_sum *sum = &e->it->errors;
  const int nv = e->it->problem->nv;
  if (find_rest(e) || find_momentum(e, sum->before, sum->x)) return;
  add_error(e, false, (double)window);
  error_sum_change(sum, sum->x, e->a0, e->a1);
  for (int i = 0; i < nv; ++i) sum->x[i] *= e->h * e->third;
  if (find_momentum(e, sum->before, sum->x)) return;
  error_sum_fade(sum, damping_factor(e, sum->x, sum->before, (double)window * e->h));
  if (e->known) add_error(e, true, fmax(1, (double)window / 4));
  if (error_sum_is_unseen(sum, e->h) && is_driven(e)) add_unseen(e, window);
}

void step_errors_end(const step_errors *e, long window) {
  step_errors_find(e, e->end.u);
  step_errors_add(e, window);
}
