/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_step.h"

/* Finds the constraint residual Phi [nl] at the middle of the Hermite cubic through the positions
 * and velocities of both ends of the step; rounding errors count as zero. */
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
  const double noise = kit_roundoff_position(problem, &middle), size = kit_place_size(problem, q);
  *zero = true;
  for (int i = 0; i < s->nl; ++i) {
    if (fabs(phi[i]) <= noise * kit_row_length(s->systems, i, size)) phi[i] = 0;
    *zero &= phi[i] == 0;
  }
  return status;
}

/* Finds the displacement of the positions, way [nv], least in the metric of the corrections, with B
 * way = the rows of s->x, which are overwritten. */
static torsor_status find_displacement(double *way, alpha_step *s) {
  const torsor_problem *problem = s->problem;
  double *x = s->x, *lambda = x + s->nv, *correction = lambda + s->nl;
  torsor_status status;
  memset(x, 0, (size_t)s->nv * sizeof *x);
  if (alpha_is_halved(s)) {
    status = problem->solve_correction(problem->self, x, TORSOR_CORRECTION_STILL);
    memcpy(way, x, (size_t)s->nv * sizeof *way);
    return status;
  }
  memset(correction, 0, (size_t)s->nl * sizeof *correction);
  status = problem->solve(problem->self, x);
  if (!status && s->systems->e > 0) status = saddle_filter(s->systems, lambda, correction);
  if (status) return status;
  problem->gradient_force(problem->self, way, correction);
  for (int i = 0; i < s->nv; ++i) way[i] = -way[i];
  return TORSOR_OK;
}

/* Finds the displacement, way [nv], that projects the middle of the step onto the constraints: it
 * shows whether the step resolves drives that move between its ends. */
static torsor_status find_way_to_constraints(double *way, alpha_step *s) {
  bool zero;
  memset(way, 0, (size_t)s->nv * sizeof *way);
  const torsor_status status = find_middle(s->x + s->nv, &zero, s);
  return status || zero ? status : find_displacement(way, s);
}

/* Finds the local error of the positions, error [nv], without the part that the constraints remove:
 * the stabilised form projects positions onto them, so that driven coordinates have no error,
 * however rough the drives are.  `way` [nv] is work memory. */
static torsor_status find_local_error(double *error, double *way, alpha_step *s) {
  const torsor_problem *problem = s->problem;
  const torsor_point end = trial_point(s);
  const unsigned char *nonholonomic = problem->nonholonomic;
  double *rate = s->x + s->nv;
  problem->bracket(problem->self, error, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) error[i] = local_error(s, i, error[i]);
  if (!s->ggl) return TORSOR_OK;
  torsor_status status = start_constraint_rate(rate, problem, &end, error, error + s->nv);
  for (int i = 0; i < s->nl; ++i) rate[i] = nonholonomic && nonholonomic[i] ? 0 : -rate[i];
  if (!status) status = find_displacement(way, s);
  for (int i = 0; i < s->nv && !status; ++i) error[i] += way[i];
  return status;
}

/* Finds the local error of the velocities per second: x [nv] times the returned factor is l_v/h =
 * h^2 (1/6 - (d^2 + 2 gamma d + gamma)/2) v''', d = alpha_m - alpha_f, since a_n approximates
 * v'(t_n + d h); h^2 v''' is the second difference of v'. */
static double find_velocity_error(double *x, const alpha_step *s) {
  const torsor_alpha *p = &s->alpha;
  const double d = p->alpha_m - p->alpha_f, *before = s->past.value[1];
  for (int i = 0; i < s->nv; ++i) x[i] = s->y1[i] - 2 * s->y0[i] + before[i];
  return 1.0 / 6 - (d * d + 2 * p->gamma * d + p->gamma) / 2;
}

/* Records an error x [nv] of the positions at the end of the step; a part that may be rounding, in
 * tiny steps, is subtracted. */
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
  double *x = s->x, *error = x + s->ny; /* followed by memory for nv + nl more */
  torsor_status status = find_local_error(error, s->moved, s);
  if (status) return status;
  note_error(s, error);
  if (s->ggl && s->problem->taninv) {
    status = find_way_to_constraints(s->moved, s);
    if (status) return status;
    note_error(s, s->moved);
  }
  if (known && allowed->velocity > 0) {
    const double factor = find_velocity_error(x, s);
    kit_note_error(s->it, x, factor, allowed->velocity, allowed->velocity);
  }
  return kit_judge(s->it, known);
}
