/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_step.h"

/* error [nv] of positions = what the formulas are off by, less what the constraints take of it: the corrections B0^T s of the
 * stabilised form project the local error, so that coordinates which drives lead have none, however rough the drives are. */
static void find_local_error(double *error, const alpha_step *s) {
  s->problem->bracket(s->problem->self, error, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) {
    error[i] = local_error(s, i, error[i]);
    if (s->ggl) error[i] -= s->force[i];
  }
}

/* Phi [nl] at the middle of the cubic that has the positions and velocities of both ends of the step; rounding errors are none. */
static torsor_status find_middle(double *phi, bool *zero, alpha_step *s) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv;
  double *q = s->x + s->ny, *u = q + problem->nq, *rate = u + nv, *no_rate = rate + nv;
  problem->taninv(problem->self, rate, s->u, s->v1, false);
  for (int i = 0; i < nv; ++i) u[i] = s->u[i] / 2 + s->h / 8 * (s->it->v[i] - rate[i]);
  problem->plus(problem->self, q, s->it->q, u);
  const torsor_point middle = {.t = s->t1 - s->h / 2, .q = q, .v = s->v1};
  const torsor_status status = problem->residual(problem->self, &middle, NULL, phi, NULL);
  memset(no_rate, 0, (size_t)s->nl * sizeof *no_rate);
  kit_move_nonholonomic(problem, phi, no_rate);
  const double noise = kit_roundoff_position(problem, &middle);
  *zero = true;
  for (int i = 0; i < s->nl; ++i) {
    if (fabs(phi[i]) <= noise) phi[i] = 0;
    *zero &= phi[i] == 0;
  }
  return status;
}

/* With the whole matrix. */
static torsor_status solve_whole(double *way, alpha_step *s, double *x) {
  double *lambda = x + s->nv, *correction = lambda + s->nl;
  torsor_status status = s->problem->solve(s->problem->self, x);
  if (!status && s->systems->e > 0) status = saddle_filter(s->systems, lambda, correction);
  if (!status) s->problem->pinned_force(s->problem->self, way, correction);
  return status;
}

/* way [nv] = what moves the middle of the step onto the constraints, in the metric of the corrections: whether the step follows
 * drives that move between its ends. */
static torsor_status find_way_to_constraints(double *way, alpha_step *s) {
  double *x = s->x;
  bool zero;
  memset(x, 0, (size_t)s->ny * sizeof *x);
  memset(way, 0, (size_t)s->nv * sizeof *way);
  torsor_status status = find_middle(x + s->nv, &zero, s);
  if (status || zero) return status;
  if (!alpha_is_halved(s)) return solve_whole(way, s, x);
  status = s->problem->solve_correction(s->problem->self, x);
  if (!status) memcpy(way, x, (size_t)s->nv * sizeof *way);
  return status;
}

/* x [nv] times the factor that is returned = local errors of the velocities per second, l_v/h = h^2 (1/6 - (d^2 + 2 gamma d +
 * gamma)/2) v''', d = alpha_m - alpha_f, as a_n stands for v'(t_n + d h); h^2 v''' is the second difference of v'. */
static double find_velocity_error(double *x, const alpha_step *s) {
  const torsor_alpha *p = &s->alpha;
  const double d = p->alpha_m - p->alpha_f, *before = s->past.value[1];
  for (int i = 0; i < s->nv; ++i) x[i] = s->y1[i] - 2 * s->y0[i] + before[i];
  return 1.0 / 6 - (d * d + 2 * p->gamma * d + p->gamma) / 2;
}

/* x [nv] an error of the positions at the end of the step: what may be nothing but rounding, in tiny steps, is none. */
static void note_error(alpha_step *s, double *x) {
  const torsor_problem *problem = s->problem;
  const torsor_accuracy *allowed = &s->settings->accuracy;
  const torsor_point p = trial_point(s);
  const double length = problem->length, noise = kit_roundoff_position(problem, &p);
  const double of_turns = length > 0 ? noise / length : noise;
  for (int i = 0; i < s->nv; ++i) {
    const double least = problem->rotation && problem->rotation[i] ? of_turns : noise;
    x[i] = fmax(fabs(x[i]) - least, 0);
  }
  kit_note_error(s->it, x, 1 / s->h, allowed->position, allowed->rotation);
}

torsor_status alpha_check_error(alpha_step *s) {
  const torsor_accuracy *allowed = &s->settings->accuracy;
  const bool known = s->past.history > 0;
  double *x = s->x;
  find_local_error(x, s);
  note_error(s, x);
  if (s->ggl && s->problem->taninv) {
    const torsor_status status = find_way_to_constraints(s->moved, s);
    if (status) return status;
    note_error(s, s->moved);
  }
  if (known && allowed->velocity > 0) {
    const double factor = find_velocity_error(x, s);
    kit_note_error(s->it, x, factor, allowed->velocity, allowed->velocity);
  }
  return kit_judge(s->it, known);
}
