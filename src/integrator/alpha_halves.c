/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_step.h"

/* A step of the stabilised form is solved by halves, which is one block Gauss-Seidel sweep in place
 * of Newton's: first the velocities that satisfy their constraints, then the correction that moves
 * the positions onto theirs.  Its effect on forces and velocity constraints is left to the next
 * iteration.
 *
 * The predicted correction is B0^T s.  The small error of the prediction is corrected in the
 * direction for which the solution was made, that of an earlier B0: the iteration then contracts by
 * what B has changed since that time, and with the present B0 by twice as much. */

/* Number of rounding errors above which constraint residuals are known to a few digits. */
static const double MOST_NOISE = 64;

/* Corrections of positions below their tolerance, or below this fraction of it where rows are
 * regularised, and below this fraction of the error that a controlled step may make, are left to
 * the next iteration, or step. */
static const double LEAST_MOVED = 1.0 / 8;

/* Do constraint rows determine s?  Otherwise B0^T s itself is applied, and filtered. */
static bool is_determined(const alpha_step *s) {
  return !(s->systems->e > 0);
}

/* Splits the right side: the rows that the velocities must satisfy go to x, those for the positions
 * behind `rest`.  Returns the largest difference between the two. */
static double part_rows(alpha_step *s, double *x) {
  const unsigned char *nonholonomic = s->problem->nonholonomic;
  double *phi = x + s->nv, *phi_v = phi + s->nl, *of_positions = s->rest + s->nv, most = 0;
  for (int i = 0; i < s->nl; ++i) {
    const bool kept = !(nonholonomic && nonholonomic[i]);
    of_positions[i] = 0;
    if (!kept) continue;
    of_positions[i] = phi[i] - phi_v[i];
    most = vec_larger(fabs(of_positions[i]), most);
    if (!is_determined(s)) of_positions[i] = phi[i];
    phi[i] = phi_v[i];
  }
  return most;
}

/* Finds the correction that follows the solution x, whose B u is what the rows of the velocities
 * ask for: what the rows of the positions ask for beyond that remains.  Where rows depend on each
 * other they are regularised, and B u is not. */
static torsor_status find_correction(alpha_step *s, const double *x) {
  const torsor_problem *problem = s->problem;
  double *rest = s->rest;
  if (is_determined(s)) {
    const torsor_status status =
        problem->solve_correction(problem->self, rest, TORSOR_CORRECTION_STILL);
    for (int i = 0; i < s->nv; ++i) s->moved[i] = -rest[i];
    return status;
  }
  memcpy(rest, x, (size_t)s->nv * sizeof *rest);
  torsor_status status = problem->solve_correction(problem->self, rest, TORSOR_CORRECTION_WHOLE);
  if (!status) status = saddle_filter_correction(s->systems, rest + s->nv);
  if (!status) problem->gradient_force(problem->self, s->moved, rest + s->nv);
  return status;
}

/* Records by how much positions move at most for a residual of their rows that is not rounding. */
static void note_reach(alpha_step *s, double off) {
  const torsor_point p = trial_point(s);
  if (!(s->shift > s->reach * off)) return;
  if (off > MOST_NOISE * kit_roundoff_position(s->problem, &p)) s->reach = s->shift / off;
}

/* Returns the smallest correction of positions that has to be made. */
static double least_moved(const alpha_step *s) {
  const torsor_accuracy *allowed = &s->settings->accuracy;
  double least = s->newton->blocks[2].tolerance * (is_determined(s) ? 1 : LEAST_MOVED);
  if (allowed->position > 0) least = fmin(least, LEAST_MOVED * s->h * allowed->position);
  if (allowed->rotation > 0) least = fmin(least, LEAST_MOVED * s->h * allowed->rotation);
  return least;
}

torsor_status alpha_solve_halves(alpha_step *s, double *x) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv, nl = s->nl;
  const double *rest = s->rest;
  double *correction = x + nv + nl;
  const double off = part_rows(s, x);
  torsor_status status = problem->solve(problem->self, x);
  if (!status && s->systems->e > 0) status = saddle_filter(s->systems, x + nv, NULL);
  if (status) return status;
  s->moves = s->thorough || !(s->reach > 0) || !(off * s->reach <= least_moved(s));
  s->thorough = false;
  s->shift = 0;
  if (!s->moves) return TORSOR_OK;
  status = find_correction(s, x);
  memcpy(correction, rest + nv, (size_t)nl * sizeof *correction);
  s->shift = vec_largest_finite(s->moved, nv);
  note_reach(s, off);
  return status;
}

void alpha_fit_multipliers(alpha_step *s) {
  const torsor_problem *problem = s->problem;
  double *correction = s->y1 + s->nv + s->nl, *left = s->rest;
  if (!is_determined(s)) return;
  problem->gradient_force(problem->self, s->moved, correction);
  for (int i = 0; i < s->nv; ++i) left[i] = s->force[i] - s->moved[i];
  memset(left + s->nv, 0, (size_t)s->nl * sizeof *left);
  if (problem->solve_correction(problem->self, left, TORSOR_CORRECTION_FIT)) return;
  vec_add_scaled(correction, 1, left + s->nv, s->nl);
}
