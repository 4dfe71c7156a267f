/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"

/* Accelerations and multipliers of the acceleration level at a motion that a method has found:
 *
 *      [[M, B^T], [B, 0]] (v', lambda) = (-g, -phi_a)
 *
 * They depend on q and v alone, so that they contain no transients of the method's recursion.  Near
 * a change point B is nearly singular, Phi = 0 is satisfied up to an error e, and the solution
 * changes by e over the cube of the smallest singular value.  That is estimated with the matrix of
 * the system: e is mapped to dq, the change of B v by dq to dv, and phi_a(v + dv) - phi_a(v) to
 * dv'. */

/* Largest change of the accelerations by this error, relative to them. */
static const double MOST_SPREAD = 0.01;

/* Rounding error of a velocity constraint, relative to its terms: see kit_roundoff_velocity. */
static const double ROUNDOFF = 8 * DBL_EPSILON;

/* Are the velocities no larger than those that rounding errors of positions cause within the
 * smallest step? */
static bool is_still(const torsor_integrator *it, const torsor_point *p) {
  const torsor_problem *problem = it->problem;
  const double least = it->counters.smallest_step, h = least > 0 ? least : it->settings.step;
  for (int i = 0; i < problem->nv; ++i) {
    const bool turns = problem->rotation && problem->rotation[i];
    if (fabs(p->v[i]) > kit_still(problem, p, turns, h)) return false;
  }
  return true;
}

static double largest_turn(const torsor_problem *problem, const double *v) {
  double most = 0;
  for (int i = 0; i < problem->nv; ++i)
    if (problem->rotation && problem->rotation[i]) most = fmax(most, fabs(v[i]));
  return most;
}

/* Finds *size = x^T M x at p, where `rest` [nv] is the balance without accelerations.  `work`
 * [nv]. */
static torsor_status weigh(double *size, const torsor_problem *problem, torsor_point p,
                           const double *x, const double *rest, double *work) {
  p.a = x;
  const torsor_status status = problem->residual(problem->self, &p, work, NULL, NULL);
  *size = 0;
  for (int i = 0; i < problem->nv; ++i) *size += (work[i] - rest[i]) * x[i];
  return status;
}

/* Finds dv' and dlambda, x [nv + nl], for the error dv of the velocities in x, by the matrix
 * factored last.  `work` [nv + 2 nl]. */
static torsor_status spread(double *x, saddle *systems, const torsor_point *p, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  double *v = work, *here = work + nv, *there = here + nl;
  torsor_point moved = *p;
  moved.v = v;
  for (int i = 0; i < nv; ++i) v[i] = p->v[i] + x[i];
  torsor_status status = problem->hidden(problem->self, p, here);
  if (!status) status = problem->hidden(problem->self, &moved, there);
  if (status) return status;
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) x[nv + i] = here[i] - there[i];
  return saddle_solve(systems, x, NULL);
}

/* Updates the largest sizes of v and v' of the states that were shown, in the metric of the mass
 * matrix.  `rest` [nv] receives the balance without accelerations, by which v'^T M v' = -v'^T (g +
 * B^T lambda).  `work` [nv]. */
static torsor_status follow_sizes(shown_sizes *most, const torsor_problem *problem, torsor_point p,
                                  double *rest, double *work) {
  const double *a = p.a;
  double speed = 0, action = 0;
  memset(work, 0, (size_t)problem->nv * sizeof *work);
  p.a = work;
  torsor_status status = problem->residual(problem->self, &p, rest, NULL, NULL);
  for (int i = 0; i < problem->nv; ++i) action -= a[i] * rest[i];
  if (!status) status = weigh(&speed, problem, p, p.v, rest, work);
  if (status) return status;
  most->action = fmax(most->action, action);
  most->speed = fmax(most->speed, speed);
  most->reaction = fmax(most->reaction, vec_largest(p.lambda, problem->nl));
  return TORSOR_OK;
}

/* Are dv' and dlambda in x small compared with v' and lambda of the states that were shown, and
 * with the accelerations by rotating velocities?  `work` [nv]. */
static torsor_status is_small(bool *small, const torsor_problem *problem, const torsor_point *p,
                              const shown_sizes *most, const double *x, const double *rest,
                              double *work) {
  const double turn = largest_turn(problem, p->v);
  double moved = 0;
  const torsor_status status = weigh(&moved, problem, *p, x, rest, work);
  *small = moved <= MOST_SPREAD * MOST_SPREAD * fmax(most->action, turn * turn * most->speed) &&
           vec_largest(x + problem->nv, problem->nl) <= MOST_SPREAD * most->reaction;
  return status;
}

/* x = dx with M dx + B^T y = 0 and B dx = size times rounding errors of the rows, by the matrix
 * factored last. */
static torsor_status displace(double *x, saddle *systems, const torsor_point *p, double size) {
  const int nv = systems->problem->nv, nl = systems->problem->nl;
  const double places = kit_place_size(systems->problem, p->q);
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) x[nv + i] = size * kit_row_length(systems, i, places) * kit_part(i);
  return saddle_solve(systems, x, NULL);
}

/* Records the largest violation of B v + Phi_t = 0, which index 3 does not enforce. */
static torsor_status note_violation(torsor_integrator *it, const torsor_point *p,
                                    const double *rest, double *x, double *work) {
  const torsor_problem *problem = it->problem;
  const int nv = problem->nv;
  torsor_findings *f = &it->findings;
  double off = 0;
  memset(x, 0, (size_t)nv * sizeof *x);
  torsor_status status = problem->residual(problem->self, p, NULL, NULL, x + nv);
  if (!status) status = saddle_solve(&it->systems, x, NULL);
  if (!status) status = weigh(&off, problem, *p, x, rest, work);
  if (status || !(off > it->last.most.violation)) return status;
  it->last.most.violation = off;
  f->violation_at = p->t;
  return TORSOR_OK;
}

/* Finds the violation of B v + Phi_t = 0, *off: the present one, where the method enforces it, or
 * that after a displacement of positions by the violation of Phi = 0, or by rounding.  x [nv + nl],
 * `work` [nq + 2 nl]. */
static torsor_status find_off(double *off, bool met, saddle *systems, const torsor_point *p,
                              double *x, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nl = problem->nl;
  double *q = work, *here = q + problem->nq, *there = here + nl;
  torsor_status status = problem->residual(problem->self, p, NULL, there, here);
  const double places = kit_place_size(problem, p->q);
  double size = kit_roundoff_position(problem, p);
  for (int i = 0; i < nl; ++i)
    size = fmax(size, fabs(there[i]) / kit_row_length(systems, i, places));
  if (!status) status = displace(x, systems, p, size);
  if (status) return status;
  problem->plus(problem->self, q, p->q, x);
  torsor_point moved = *p;
  moved.q = q;
  status = problem->residual(problem->self, &moved, NULL, NULL, there);
  for (int i = 0; i < nl; ++i) {
    const double most = fmax(met ? fabs(here[i]) : 0, fabs(there[i] - here[i]));
    *off = fmax(*off, most / kit_row_length(systems, i, places));
  }
  return status;
}

/* Decides whether the reactions are determined, with the matrix of the acceleration level at p,
 * whose a and lambda are its solution.  `work` [nq + 3 nv + 3 nl]. */
static torsor_status find_determined(bool *determined, torsor_integrator *it, const torsor_point *p,
                                     double *work) {
  const torsor_problem *problem = it->problem;
  saddle *systems = &it->systems;
  shown_sizes *most = &it->last.most;
  const bool met = it->settings.formulation != TORSOR_INDEX3;
  const int nv = problem->nv, nl = problem->nl;
  const double rounding = kit_roundoff_velocity(problem, p);
  double *x = work, *rest = x + nv + nl, *other = rest + nv, moved = 0, off = rounding;
  *determined = true;
  if (is_still(it, p)) return TORSOR_OK;
  torsor_status status = follow_sizes(most, problem, *p, rest, x);
  if (status || !(rounding > 0)) return status;
  if (!met) status = note_violation(it, p, rest, x, other);
  if (!status) status = find_off(&off, met, systems, p, x, other);
  if (!status) status = displace(x, systems, p, off);
  if (!status) status = weigh(&moved, problem, *p, x, rest, other);
  if (status) return status;
  /* if the second solution amplified as the first one did, this would be the square of the relative
   * change of v' */
  if (moved <= MOST_SPREAD * MOST_SPREAD * ROUNDOFF * off / rounding * most->speed)
    return TORSOR_OK;
  status = spread(x, systems, p, other);
  return status ? status : is_small(determined, problem, p, most, x, rest, other);
}

bool start_is_loose(torsor_integrator *it, double t) {
  const torsor_problem *problem = it->problem;
  saddle *systems = &it->systems;
  const int nv = problem->nv;
  double *q = it->last.shown.q, *x = it->last.work, h = t - it->t;
  if (problem->nl == 0 || systems->e > 0) return false;
  for (int i = 0; i < nv; ++i) x[i] = h * (it->v[i] + h / 2 * it->a[i]);
  problem->plus(problem->self, q, it->q, x);
  const torsor_point p = {.t = t, .q = q, .v = it->v};
  systems->aside = true;
  torsor_status status = saddle_factor(systems, &p, TORSOR_SYSTEM_VELOCITY);
  const double rounding = kit_roundoff_position(problem, &p);
  if (!status) status = displace(x, systems, &p, rounding);
  systems->aside = false;
  if (!problem->recall || problem->recall(problem->self)) newton_forget(&it->newton);
  return status == TORSOR_SINGULAR ||
         (!status && kit_motion_size(problem, x) > saddle_noise(rounding));
}

/* Finds the defect of the acceleration constraint, out [nl] = B a + phi_a; `met`: B v + Phi_t = 0
 * is satisfied.  `work` [nv + nl]. */
static torsor_status find_defect(double *out, const torsor_problem *problem, torsor_point p,
                                 const double *a, bool met, double *work) {
  double *v = work, *rate = v + problem->nv;
  const int nl = problem->nl;
  p.a = a;
  if (problem->defect) return problem->defect(problem->self, &p, out);
  torsor_status status = problem->hidden(problem->self, &p, out);
  if (!met && !status) status = problem->residual(problem->self, &p, NULL, NULL, rate);
  for (int i = 0; i < nl && !met; ++i) out[i] -= rate[i];
  for (int i = 0; i < problem->nv; ++i) v[i] = p.v[i] + a[i];
  p.v = v;
  if (!status) status = problem->residual(problem->self, &p, NULL, NULL, rate);
  for (int i = 0; i < nl; ++i) out[i] += rate[i];
  return status;
}

/* A matrix serves for the defect correction if it reduces the defect to the fraction CONTRACTION,
 * or changes v' and lambda by less than the fraction SMALL_CHANGE, so that they need not be known
 * better. */
static const double CONTRACTION = 0.1, SMALL_CHANGE = 1e-3;

/* Adds x [nv + nl] to a and lambda; returns whether it is a small change. */
static bool change(double *a, double *lambda, const double *x, int nv, int nl) {
  const double in_a = vec_largest(x, nv), in_lambda = vec_largest(x + nv, nl);
  vec_add_scaled(a, 1, x, nv);
  vec_add_scaled(lambda, 1, x + nv, nl);
  return in_a <= SMALL_CHANGE * vec_largest(a, nv) &&
         in_lambda <= SMALL_CHANGE * vec_largest(lambda, nl);
}

/* Makes one step of defect correction with the present matrix. */
static torsor_status move_near(double *a, double *lambda, torsor_integrator *it,
                               const torsor_point *p, double *work) {
  const torsor_problem *problem = it->problem;
  const int nv = problem->nv, nl = problem->nl;
  const bool met = it->settings.formulation == TORSOR_GGL;
  double *x = work, *defect = x + nv, *rest = defect + nl;
  torsor_status status = find_defect(defect, problem, *p, a, met, rest);
  const double before = vec_largest(defect, nl);
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) defect[i] = -defect[i];
  if (!status) status = saddle_solve(&it->systems, x, NULL);
  if (status || change(a, lambda, x, nv, nl)) return status;
  status = find_defect(defect, problem, *p, a, met, rest);
  if (status) return status;
  return vec_largest(defect, nl) <= CONTRACTION * before ? TORSOR_OK : TORSOR_SINGULAR;
}

torsor_status start_reactions_near(double *a, double *lambda, torsor_integrator *it, double t,
                                   const double *q, const double *v, double *work) {
  const torsor_problem *problem = it->problem;
  const torsor_point p = {.t = t, .q = q, .v = v, .lambda = lambda};
  if (it->systems.e > 0 || problem->reactive || !problem->recall_aside) return TORSOR_SINGULAR;
  if (problem->recall_aside(problem->self)) return TORSOR_SINGULAR;
  const torsor_status status = move_near(a, lambda, it, &p, work);
  if (!problem->recall || problem->recall(problem->self)) newton_forget(&it->newton);
  return status;
}

torsor_status start_reactions_beside(double *a, double *lambda, torsor_integrator *it,
                                     const torsor_point *p, const double *q, const double *v,
                                     double *work) {
  const torsor_problem *problem = it->problem;
  saddle *systems = &it->systems;
  const int nv = problem->nv, nl = problem->nl;
  const bool met = it->settings.formulation != TORSOR_INDEX3;
  double *x = work, *rest = x + nv + nl;
  const torsor_point there = {.t = p->t, .q = q, .v = v, .a = p->a, .lambda = p->lambda};
  systems->aside = true;
  torsor_status status = problem->residual(problem->self, &there, x, NULL, NULL);
  if (!status && nl) status = find_defect(x + nv, problem, there, p->a, met, rest);
  for (int i = 0; i < nv + nl; ++i) x[i] = -x[i];
  if (!status && (!problem->recall_aside || problem->recall_aside(problem->self)))
    status = saddle_factor(systems, p, TORSOR_SYSTEM_ACCELERATION);
  if (!status) status = saddle_solve(systems, x, NULL);
  systems->aside = false;
  if (!problem->recall || problem->recall(problem->self)) newton_forget(&it->newton);
  for (int i = 0; i < nv; ++i) a[i] = p->a[i] + x[i];
  for (int i = 0; i < nl; ++i) lambda[i] = p->lambda[i] + x[nv + i];
  return status;
}

torsor_status start_reactions(bool *determined, double *a, double *lambda, torsor_integrator *it,
                              double t, const double *q, const double *v, double *work) {
  const torsor_problem *problem = it->problem;
  saddle *systems = &it->systems;
  systems->aside = true;
  torsor_status status = start_accelerations_near(a, lambda, NULL, systems, t, q, v, work);
  const torsor_point p = {.t = t, .q = q, .v = v, .a = a, .lambda = lambda};
  *determined = true;
  if (!status && problem->nl > 0 && !it->beside) status = find_determined(determined, it, &p, work);
  if (!status && systems->e > 0) status = saddle_filter(systems, lambda, NULL);
  systems->aside = false;
  if (!problem->recall || problem->recall(problem->self)) newton_forget(&it->newton);
  return status;
}
