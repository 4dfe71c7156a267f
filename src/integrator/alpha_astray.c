/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/vec.h"
#include "alpha_step.h"

/* Largest correction of positions, relative to the motion of the step; and one that is always
 * allowed, as a rotation of a body or relative to the model's length (as much as positions may be
 * off at the start). */
static const double MOST_CORRECTION = 0.125, LEAST_CORRECTION = 1e-6;

/* Corrections of positions that exceed their local errors by this factor are none of the motion.
 * Smaller factors are normal: B rotates away from B0 in a step, and where v' jumps within the step
 * the cubic is off by up to 4.5 of these errors. */
static const double MOST_ERRORS = 8;

/* Returns the weight of component i in the metric of the corrections. */
static double arm_of(const alpha_step *s, int i) {
  return s->problem->metric ? s->problem->metric[i] : 1;
}

static void weigh_part(void *self, int part) {
  alpha_step *s = self;
  const alpha_range r = alpha_part_of(s, s->nv, part);
  double moved = 0, local = 0, largest = 0, most = 0;
  for (int i = r.from; i < r.to; ++i) {
    const double arm = arm_of(s, i), error = arm * local_error(s, i, 0), f = arm * s->force[i];
    moved += f * f;
    local += error * error;
    largest = vec_larger(fabs(f), largest);
    most = vec_larger(fabs(arm * s->u[i] + f), most);
  }
  s->squares[0][part] = moved;
  s->squares[1][part] = local;
  s->largest[0][part] = largest;
  s->largest[1][part] = most;
}

static double root_of_sum(const double *squares, int parts) {
  double sum = 0;
  for (int i = 0; i < parts; ++i) sum += squares[i];
  return sqrt(sum);
}

/* Returns the Euclidean norm of the local errors with the brackets, which weigh_part leaves out. */
static double whole_error(alpha_step *s) {
  double *bracket = s->x + s->ny, sum = 0;
  s->problem->bracket(s->problem->self, bracket, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) sum += pow(arm_of(s, i) * local_error(s, i, bracket[i]), 2);
  return sqrt(sum);
}

/* Do the positions of the step consist almost entirely of correction? */
static bool is_all_correction(const alpha_step *s) {
  const double moved = vec_largest(s->largest[0], s->parts);
  return moved > MOST_CORRECTION * vec_largest(s->largest[1], s->parts) &&
         moved > LEAST_CORRECTION * (s->problem->metric ? 1 : s->problem->length);
}

/* Corrections grow with h^3 and, except where a drive jumps, little from step to step.  They grow
 * by more than MOST_GROWTH where another branch attracts the step, whose local errors are large
 * there, too.  Those of earlier steps lose weight by FADING in each step. */
static const double MOST_GROWTH = 4, FADING = 0.8;

static double by_cube(const alpha_step *s, double length) {
  return length / (s->h * s->h * s->h);
}

static bool has_grown(const alpha_step *s, double length) {
  return s->corrected > 0 && by_cube(s, length) > MOST_GROWTH * s->corrected;
}

void alpha_note_correction(alpha_step *s) {
  s->corrected = fmax(by_cube(s, s->correction), FADING * s->corrected);
}

/* Largest remainder of the linearised constraints, relative to the violation by the uncorrected
 * step: about the rotation of bodies in the step, in rad.  A correction that has grown is compared
 * with less. */
static const double MOST_NONLINEAR = 0.1, MOST_NONLINEAR_GROWN = 0.025;

/* Is the correction f = B0^T s the one that the linearised constraints demand?  It is where they
 * are linear, as those of drives are in the driven coordinate, however they jump:
 *
 *      B0 f = Phi(q0 exp(u + f), t1),   u + f the increment without correction.
 *
 * A step to another branch is due to the quadratic term. */
static bool is_linear(alpha_step *s, double most) {
  const torsor_problem *problem = s->problem;
  const unsigned char *nonholonomic = problem->nonholonomic;
  const int nv = s->nv, nl = s->nl;
  double *q = s->x, *u = q + problem->nq, *phi = u + nv, *rate = phi + nl, *work = rate + nl;
  for (int i = 0; i < nv; ++i) u[i] = s->u[i] + s->force[i];
  problem->plus(problem->self, q, s->it->q, u);
  const torsor_point end = trial_point(s);
  torsor_point without = end;
  without.q = q;
  without.u = NULL;
  const torsor_point begin = {
      .t = s->it->t, .q = s->it->q, .v = s->it->v, .a = s->y0, .lambda = s->y0 + nv};
  torsor_status status = problem->residual(problem->self, &without, NULL, phi, NULL);
  if (!status) status = start_constraint_rate(rate, problem, &begin, s->force, work);
  if (status) return false;
  const double places = kit_place_size(problem, end.q);
  double left = 0, size = 0;
  for (int i = 0; i < nl; ++i) {
    if (nonholonomic && nonholonomic[i]) continue;
    const double length = kit_row_length(s->systems, i, places);
    left = fmax(left, fabs(phi[i] - rate[i]) / length);
    size = fmax(size, fabs(phi[i]) / length);
  }
  return left <= most * size + 4 * kit_roundoff_position(problem, &end);
}

/* Returns the largest quotient of two weights of one kind, of translations or of rotations. */
static double arms_ratio(const alpha_step *s) {
  double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {0, 0};
  for (int i = 0; i < s->nv; ++i) {
    const int kind = s->problem->rotation && s->problem->rotation[i];
    least[kind] = fmin(least[kind], arm_of(s, i));
    most[kind] = fmax(most[kind], arm_of(s, i));
  }
  return fmax(most[0] / least[0], most[1] / least[1]);
}

/* Returns the length of a correction that moves everything by its tolerance and by rounding
 * errors. */
static double least_length(const alpha_step *s, const double noise[2]) {
  double most = 0;
  for (int i = 0; i < s->nv; ++i) {
    const int kind = s->problem->rotation && s->problem->rotation[i];
    most = fmax(most, arm_of(s, i) * (s->newton->blocks[2].tolerance + noise[kind]));
  }
  return most * sqrt(s->nv);
}

/* Decides whether a converged step is astray.  The correction B0^T s projects the local error of
 * the positions onto the constraints and is no longer than that error, as far as B equals B0.
 * Where rows become dependent, Newton's iteration also finds solutions that are nothing but
 * correction, or on another branch of the motion, or determined by rounding errors alone. */
bool alpha_is_astray(alpha_step *s) {
  const torsor_point end = trial_point(s);
  if (kit_is_loose(s->it, &end)) return true;
  if (!s->ggl) return false;
  parts_run(s->problem, s->parts, weigh_part, s);
  if (is_all_correction(s) && (alpha_is_halved(s) || !is_linear(s, MOST_NONLINEAR))) return true;
  const newton_block *b = s->newton->blocks;
  const double length = root_of_sum(s->squares[0], s->parts);
  const bool long_one = length > MOST_ERRORS * root_of_sum(s->squares[1], s->parts);
  const bool grown = has_grown(s, length);
  const bool floored = s->systems->e > 0 && fmax(b[0].floor, b[2].floor) > 0;
  s->correction = length;
  if (!long_one && !grown && !floored) return false;
  /* Rounding errors of rows move light bodies, and slender ones about their axis, in the same
   * proportion as corrections do. */
  const double floor = floored ? fmax(b[0].floor, b[2].floor / arms_ratio(s)) : 0;
  const double noise[2] = {kit_centre_noise(s->problem, &end, false),
                           kit_centre_noise(s->problem, &end, true)};
  if (floor > fmax(noise[0], noise[1])) return true;
  const double least = least_length(s, noise);
  if (!(length > least)) return false;
  if (grown) return alpha_is_halved(s) || !is_linear(s, MOST_NONLINEAR_GROWN);
  return long_one && length > MOST_ERRORS * whole_error(s) + least &&
         (alpha_is_halved(s) || !is_linear(s, MOST_NONLINEAR));
}
