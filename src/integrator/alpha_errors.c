/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_step.h"

/* x [ny] = what the matrix of the step leaves of a displacement of positions, or of velocities:
 *
 *      S x = (m M x, 0, 0),
 *
 * without the parts that constraints hold and those that stiff forces bring back.  Nonholonomic rows leave positions free: B x
 * is theirs then. */
static torsor_status keep_free(alpha_step *s, double *x, bool velocities) {
  const torsor_problem *problem = s->problem;
  const unsigned char *nonholonomic = problem->nonholonomic;
  const int nv = s->nv, nl = s->nl;
  const torsor_point p = trial_point(s);
  double *force = s->x, *work = force + nv;
  torsor_status status = TORSOR_OK;
  if (nonholonomic && !velocities) status = start_constraint_rate(s->rate, problem, &p, x, work);
  if (!status) status = start_momentum(force, problem, p, x, work);
  for (int i = 0; i < nv; ++i) x[i] = force[i] * s->m / s->systems->mass;
  memset(x + nv, 0, (size_t)(s->ny - nv) * sizeof *x);
  for (int i = 0; i < nl && nonholonomic && !velocities; ++i)
    if (nonholonomic[i]) x[nv + i] = s->rate[i];
  return status ? status : problem->solve(problem->self, x);
}

/* Part of the velocities that dampers are tried with. */
static const double TRIAL = 1e-4;

/* What dampers leave of an oscillation in the direction x of velocities within a time: exp(-time x^T C x/(2 x^T M x)). */
static double damping_factor(alpha_step *s, const double *x, double time) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv;
  double *v = s->x, *here = v + nv, *there = here + nv, *momentum = there + nv;
  const double size = vec_largest(x, nv), scale = TRIAL * vec_largest(s->v1, nv) / size;
  torsor_point p = trial_point(s);
  if (!(size > 0) || !(scale > 0)) return 1;
  torsor_status status = problem->residual(problem->self, &p, here, NULL, NULL);
  if (!status) status = start_momentum(momentum, problem, p, x, v);
  for (int i = 0; i < nv; ++i) v[i] = s->v1[i] + scale * x[i];
  p.v = v;
  if (!status) status = problem->residual(problem->self, &p, there, NULL, NULL);
  double power = 0, energy = 0;
  for (int i = 0; i < nv; ++i) {
    power += x[i] * (there[i] - here[i]) / scale;
    energy += x[i] * momentum[i];
  }
  return status || !(energy > 0) || !(power > 0) ? 1 : exp(-time * power / energy / 2);
}

/* The error x of the step goes on through this one and the next. */
static void add_error(alpha_step *s, bool velocities, double weight) {
  error_sum *sum = &s->errors;
  if (keep_free(s, sum->x, velocities)) return;
  memcpy(sum->before, sum->x, (size_t)s->nv * sizeof *sum->x);
  if (keep_free(s, sum->x, velocities)) return;
  error_sum_add(sum, velocities, weight, sum->before, sum->x);
}

/* Of the step that is about to be taken, and of those since errors were last found: the local errors of S4 eq. 17, of the
 * velocities h (1/6 - (d^2 + 2 gamma d + gamma)/2) (h^2 v'''), d = alpha_m - alpha_f.  The h^2 v''' of these steps add up to the
 * difference of what v' changes by in the last and before the first. */
void alpha_sum_errors(alpha_step *s) {
  error_sum *sum = &s->errors;
  const long window = sum->on ? error_sum_window(sum, s->y0, s->y1) : 0;
  if (!window) return;
  const torsor_alpha *p = &s->alpha;
  const double d = p->alpha_m - p->alpha_f;
  const double of_v = s->h * (1.0 / 6 - (d * d + 2 * p->gamma * d + p->gamma) / 2);
  double *bracket = s->x;
  s->problem->bracket(s->problem->self, bracket, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) sum->x[i] = local_error(s, i, bracket[i]);
  add_error(s, false, (double)window);
  error_sum_change(sum, sum->x, s->y0, s->y1);
  for (int i = 0; i < s->nv; ++i) sum->x[i] *= of_v;
  error_sum_fade(sum, damping_factor(s, sum->x, (double)window * s->h));
  if (s->past.history) add_error(s, true, fmax(1, (double)window / 4));
}
