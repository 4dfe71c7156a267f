/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alpha_kit.h"
#include "parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUNDOFF = 8 * DBL_EPSILON;

/* Signs come from the parity of the index's bits, sizes from the golden section: the errors of a
 * few rows do not cancel, as equal ones would in half of all pairs. */
double kit_part(int i) {
  const double golden = 0.6180339887498949, turns = (i + 1) * golden;
  const double size = (1 + turns - floor(turns)) / 2;
  unsigned bits = (unsigned)i * 2654435761u >> 16;
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  bits ^= bits >> 2;
  bits ^= bits >> 1;
  return bits & 1 ? -size : size;
}

torsor_alpha kit_parameters(const torsor_settings *settings, int damped) {
  return damped > 0 ? torsor_alpha_chung_hulbert(0) : settings->alpha;
}

double kit_place_size(const torsor_problem *problem, const double *q) {
  return fmax(parts_largest_of(problem, q, problem->unitless, 0, problem->nq), problem->length);
}

static double size_of_turns(const torsor_problem *problem, const double *v) {
  return parts_largest_of(problem, v, problem->rotation, 1, problem->nv);
}

/* Returns the size of velocities, m/s; rotations count as the velocity that they cause at the
 * model's length. */
static double size_of_velocities(const torsor_problem *problem, const double *v, double turns) {
  const double length =
      problem->length > 0 ? problem->length : 1; /* used where nothing in the model has a size */
  return fmax(parts_largest_of(problem, v, problem->rotation, 0, problem->nv), turns * length);
}

double kit_motion_size(const torsor_problem *problem, const double *v) {
  return size_of_velocities(problem, v, size_of_turns(problem, v));
}

double kit_roundoff_position(const torsor_problem *problem, const torsor_point *p) {
  return ROUNDOFF * kit_place_size(problem, p->q);
}

double kit_roundoff_velocity(const torsor_problem *problem, const torsor_point *p) {
  return ROUNDOFF * kit_motion_size(problem, p->v);
}

double kit_row_length(const saddle *systems, int i, double size) {
  return fmax(systems->moved[i], systems->turned[i] / (size > 0 ? size : 1));
}

void kit_roundoff_rows(double *phi, double *phi_v, const saddle *systems, const torsor_point *p,
                       double z) {
  const torsor_problem *problem = systems->problem;
  const double places = kit_place_size(problem, p->q), turns = size_of_turns(problem, p->v);
  const double velocities = size_of_velocities(problem, p->v, 0);
  for (int i = 0; i < problem->nl; ++i) {
    const double moved = systems->moved[i], turned = systems->turned[i], part = kit_part(i);
    phi[i] = ROUNDOFF * fmax(moved * places, turned) * part;
    if (phi_v) phi_v[i] = z * ROUNDOFF * fmax(moved * velocities, turned * turns) * part;
  }
}

/* Number of rounding errors that a model at rest accumulates over steps, which index 3 multiplies
 * by 1/(1 - rho). */
static const double GATHERED = 32;

double kit_still(const torsor_problem *problem, const torsor_point *p, bool turns, double h) {
  return GATHERED / h * (turns ? ROUNDOFF : kit_roundoff_position(problem, p));
}

double kit_centre_noise(const torsor_problem *problem, const torsor_point *p, bool turns) {
  const double rounding = kit_roundoff_position(problem, p), length = problem->length;
  return saddle_noise(!turns ? rounding : length > 0 ? rounding / length : ROUNDOFF);
}

bool kit_is_loose(const torsor_integrator *it, const torsor_point *p) {
  const torsor_problem *problem = it->problem;
  const newton_block *b = it->newton.blocks;
  const double floor = fmax(b[0].floor, it->newton.block_count > 2 ? b[2].floor : 0);
  if (it->regularises || problem->nl == 0 || !(floor > 0) || it->systems.e > 0) return false;
  return floor > kit_centre_noise(problem, p, false) && floor > kit_centre_noise(problem, p, true);
}

/* Displaces x by rounding errors of the given size or angle, in one of three patterns: no direction
 * in space is perpendicular to all of them, as a rotating stiff spring would sooner or later be to
 * a single one. */
static void displace(double *x, const torsor_problem *problem, double size, double angle,
                     int pattern) {
  for (int i = 0; i < problem->nv; ++i) {
    const double error = problem->rotation && problem->rotation[i] ? angle : size;
    x[i] += (pattern && i % 3 == pattern ? -error : error) * kit_part(i);
  }
}

torsor_status kit_roundoff_force(double *r, const torsor_problem *problem, const torsor_point *p,
                                 double scale, double *work) {
  const int nv = problem->nv;
  const double shift = kit_roundoff_position(problem, p);
  const double shift_v = kit_roundoff_velocity(problem, p), turns = size_of_turns(problem, p->v);
  double *u = work, *here = u + nv, *there = here + nv, *q = there + nv;
  torsor_point at = *p;
  torsor_status status = problem->residual(problem->self, &at, here, NULL, NULL);
  memset(r, 0, (size_t)nv * sizeof *r);
  for (int pattern = 0; pattern < 3 && !status; ++pattern) {
    memset(u, 0, (size_t)nv * sizeof *u);
    displace(u, problem, shift, ROUNDOFF, pattern);
    problem->plus(problem->self, q, p->q, u);
    memcpy(u, p->v, (size_t)nv * sizeof *u);
    displace(u, problem, shift_v, ROUNDOFF * turns, pattern);
    at.q = q;
    at.v = u;
    status = problem->residual(problem->self, &at, there, NULL, NULL);
    for (int i = 0; i < nv; ++i) {
      const double change = scale * (there[i] - here[i]);
      if (fabs(change) > fabs(r[i])) r[i] = change;
    }
  }
  return status;
}

void kit_move_nonholonomic(const torsor_problem *problem, double *phi, double *phi_v) {
  const unsigned char *nonholonomic = problem->nonholonomic;
  for (int i = 0; nonholonomic && i < problem->nl; ++i) {
    if (!nonholonomic[i]) continue;
    phi[i] = phi_v[i];
    phi_v[i] = 0;
  }
}

void kit_note_error(torsor_integrator *it, const double *x, double factor, double position,
                    double rotation) {
  const torsor_problem *problem = it->problem;
  step_control *c = &it->control;
  for (int i = 0; i < problem->nv; ++i) {
    const double allowed = problem->rotation && problem->rotation[i] ? rotation : position;
    const double part = allowed > 0 ? fabs(factor * x[i]) / allowed : 0;
    if (part <= c->error || isnan(c->error)) continue;
    c->error = part;
    c->worst = i;
  }
}

torsor_status kit_judge(torsor_integrator *it, bool known) {
  step_control *c = &it->control;
  c->unsure = !known && it->settings.accuracy.velocity > 0;
  return c->error <= 1 || c->passing ? TORSOR_OK : TORSOR_ACCURACY;
}

/* Checks the local errors per second: of the positions l_q/h = h^2/6 ((1 - 6 beta - 3 d) v'' + [v,
 * v']/2) (S4 eq. 17), d = alpha_m - alpha_f, and of the velocities l_v/h = h^2 (1/6 - (d^2 + 2
 * gamma d + gamma)/2) v''', since a_n approximates v'(t_n + d h).  v'' and v''' are differences of
 * v'. */
torsor_status kit_check_error(torsor_integrator *it, double h, const double *v,
                              const double *before, const double *a0, const double *a1,
                              double *work) {
  const torsor_problem *problem = it->problem;
  const torsor_alpha *p = &it->settings.alpha;
  const torsor_accuracy *allowed = &it->settings.accuracy;
  const double d = p->alpha_m - p->alpha_f;
  const double of_q = 1 - 6 * p->beta - 3 * d;
  const double of_v = 1.0 / 6 - (d * d + 2 * p->gamma * d + p->gamma) / 2;
  if (!it->control.on) return TORSOR_OK;
  double *x = work;
  problem->bracket(problem->self, x, v, a1);
  for (int i = 0; i < problem->nv; ++i) x[i] = of_q * (a1[i] - a0[i]) / h + x[i] / 2;
  kit_note_error(it, x, h * h / 6, allowed->position, allowed->rotation);
  for (int i = 0; i < problem->nv && before; ++i) x[i] = a1[i] - a0[i] - (a0[i] - before[i]);
  if (before) kit_note_error(it, x, of_v, allowed->velocity, allowed->velocity);
  return kit_judge(it, before);
}

/* Returns the index of the largest entry, or of the first that is not finite; -1 when n = 0. */
static int worst_entry(const double *x, int n) {
  int worst = -1;
  double size = -1;
  for (int i = 0; i < n; ++i) {
    if (!isfinite(x[i])) return i;
    if (fabs(x[i]) > size) {
      size = fabs(x[i]);
      worst = i;
    }
  }
  return worst;
}

void kit_describe_failure(torsor_failure *failure, const torsor_problem *problem,
                          torsor_status status, double h, const torsor_point *p, const newton *n,
                          double *x) {
  *failure = (torsor_failure){.status = status,
                              .t = p->t,
                              .h = h,
                              .velocity = -1,
                              .constraint = -1,
                              .iterations = n->iterations};
  /* otherwise x does not contain a correction */
  if (status == TORSOR_NEWTON || status == TORSOR_NONFINITE) {
    failure->velocity = worst_entry(x, problem->nv);
    failure->value = x[failure->velocity];
  }
  double *phi = x;
  if (problem->nl == 0 || problem->residual(problem->self, p, NULL, phi, NULL)) return;
  failure->constraint = worst_entry(phi, problem->nl);
  if (failure->velocity < 0) failure->value = phi[failure->constraint];
}
