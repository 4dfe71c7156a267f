/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"

/* Largest number of iterations.  Forces that depend on multipliers make the start nonlinear:
 * Newton's method begins at the multipliers without them, and ends when a correction gains nothing
 * more. */
enum { MOST_ITERATIONS = 30 };
static const double ROUNDOFF = 16 * DBL_EPSILON;

/* Initial values may violate constraints by the rounding of decimal input, not by more. */
static const double CONTRADICTION = 1e-6;

/* Corrects a and lambda of the linear system for forces that depend on lambda.  B v' + phi_a = 0 is
 * satisfied already. */
static torsor_status correct_reactions(double *a, double *lambda, saddle *systems,
                                       const torsor_point *p, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  double before = HUGE_VAL;
  for (int k = 0; k < MOST_ITERATIONS; ++k) {
    torsor_status status = problem->residual(problem->self, p, work, NULL, NULL);
    for (int i = 0; i < nv; ++i) work[i] = -work[i];
    memset(work + nv, 0, (size_t)nl * sizeof *work);
    if (!status) status = saddle_factor(systems, p, TORSOR_SYSTEM_ACCELERATION);
    if (!status) status = saddle_solve(systems, work, NULL);
    if (status) return status;
    for (int i = 0; i < nv; ++i) a[i] += work[i];
    for (int i = 0; i < nl; ++i) lambda[i] += work[nv + i];
    const double off = fmax(vec_largest(work, nv) / fmax(vec_largest(a, nv), DBL_MIN),
                            vec_largest(work + nv, nl) / fmax(vec_largest(lambda, nl), DBL_MIN));
    if (!isfinite(off)) return TORSOR_NONFINITE;
    if (off <= ROUNDOFF || (off > before / 2 && off <= sqrt(ROUNDOFF))) return TORSOR_OK;
    before = off;
  }
  return TORSOR_NEWTON;
}

torsor_status start_solve_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                        const torsor_point *p, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  torsor_status status = problem->residual(problem->self, p, work, NULL, NULL);
  if (!status && nl) status = problem->hidden(problem->self, p, work + nv);
  if (status) return status;
  for (int i = 0; i < nv + nl; ++i) work[i] = -work[i];
  if ((status = saddle_solve(systems, work, left))) return status;
  memcpy(a, work, (size_t)nv * sizeof *a);
  for (int i = 0; i < nl; ++i) lambda[i] += work[nv + i];
  return TORSOR_OK;
}

torsor_status start_accelerations_near(double *a, double *lambda, double *left, saddle *systems,
                                       double t, const double *q, const double *v, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv;
  memset(a, 0, (size_t)nv * sizeof *a);
  const torsor_point p = {.t = t, .q = q, .v = v, .a = a, .lambda = lambda};
  torsor_status status = saddle_factor(systems, &p, TORSOR_SYSTEM_ACCELERATION);
  if (!status) status = start_solve_accelerations(a, lambda, left, systems, &p, work);
  if (status) return status;
  return problem->reactive ? correct_reactions(a, lambda, systems, &p, work) : TORSOR_OK;
}

torsor_status start_accelerations_within(double *a, double *lambda, torsor_integrator *it, double t,
                                         const double *q, const double *v, double *work) {
  const torsor_problem *problem = it->problem;
  saddle *systems = &it->systems;
  torsor_status status = start_accelerations_near(a, lambda, NULL, systems, t, q, v, work);
  if (!status && systems->e > 0) status = saddle_filter(systems, lambda, NULL);
  if (!problem->recall || problem->recall(problem->self)) newton_forget(&it->newton);
  return status;
}

torsor_status start_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                  double t, const double *q, const double *v, double *work) {
  const torsor_problem *problem = systems->problem;
  const size_t nl = (size_t)problem->nl;
  if (problem->reactive && problem->lambda0)
    memcpy(lambda, problem->lambda0, nl * sizeof *lambda);
  else
    memset(lambda, 0, nl * sizeof *lambda);
  return start_accelerations_near(a, lambda, left, systems, t, q, v, work);
}

torsor_status start_motion(double *a, double *lambda, torsor_integrator *it, double *work) {
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
  saddle *systems = &it->systems;
  double left;
  saddle_scale(systems, &p);
  if (it->problem->redundant) saddle_regularise(systems, &p);
  const torsor_status status =
      start_accelerations(a, lambda, &left, systems, it->t, it->q, it->v, work);
  if (status || !(systems->e > 0)) return status;
  return left > CONTRADICTION ? TORSOR_SINGULAR : saddle_filter(systems, lambda, NULL);
}

/* Finds out = v' at t + s, at the state to which two terms of the Taylor series from t lead. */
static torsor_status displaced(double *out, saddle *systems, double t, double s, const double *q,
                               const double *v, const double *a, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv;
  double *q1 = work, *u = q1 + problem->nq, *v1 = u + nv, *lambda1 = v1 + nv;
  for (int i = 0; i < nv; ++i) {
    u[i] = s * v[i] + 0.5 * s * s * a[i];
    v1[i] = v[i] + s * a[i];
  }
  problem->plus(problem->self, q1, q, u);
  const torsor_status status =
      start_accelerations(out, lambda1, NULL, systems, t + s, q1, v1, lambda1 + problem->nl);
  for (int i = 0; i < nv && !status; ++i)
    if (!isfinite(out[i])) return TORSOR_NONFINITE;
  return status;
}

torsor_status start_jerk(double *jerk, saddle *systems, double t, double h, const double *q,
                         const double *v, const double *a, double *work) {
  const int nv = systems->problem->nv;
  double *later = work, *rest = work + nv;
  const torsor_status before = displaced(jerk, systems, t, -h, q, v, a, rest);
  if (before < 0) return before;
  const torsor_status status = displaced(later, systems, t, h, q, v, a, rest);
  /* functions of time may be undefined before the simulation */
  for (int i = 0; i < nv; ++i)
    jerk[i] = before ? (later[i] - a[i]) / h : (later[i] - jerk[i]) / (2 * h);
  return status;
}

/* Fraction of v''^T M v'' below which v'' is not resolved.  Smoothing leaves 1/(1 + beta (h
 * omega)^2)^2 of a mode of frequency omega, which is this fraction at h omega = 4, and 1/(1 + gamma
 * h l)^2 of a velocity that decays at the rate l. */
static const double UNRESOLVED = 0.05;

/* Computes out = M w as the difference of two residuals, where the one without accelerations is not
 * known yet.  `work` [nv]. */
static torsor_status momentum_of(double *out, const torsor_problem *problem, torsor_point p,
                                 const double *w, double *work) {
  memset(work, 0, (size_t)problem->nv * sizeof *work);
  p.a = work;
  torsor_status status = problem->residual(problem->self, &p, out, NULL, NULL);
  memcpy(work, out, (size_t)problem->nv * sizeof *work);
  return status ? status : start_momentum_beside(out, problem, p, w, work);
}

torsor_status start_momentum_beside(double *out, const torsor_problem *problem, torsor_point p,
                                    const double *w, const double *rest) {
  p.a = w;
  const torsor_status status = problem->residual(problem->self, &p, out, NULL, NULL);
  for (int i = 0; i < problem->nv; ++i) out[i] -= rest[i];
  return status;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

torsor_status start_smooth_jerk(double *jerk, bool *unresolved, saddle *systems,
                                const torsor_alpha *alpha, double h, const torsor_point *p,
                                double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  *unresolved = false;
  double *smooth = work, *force = smooth + nv + nl, *rest = force + nv;
  torsor_status status = momentum_of(force, problem, *p, jerk, rest);
  if (!status && nl) status = start_constraint_rate(smooth + nv, problem, p, jerk, rest);
  torsor_weights w = {.system = TORSOR_SYSTEM_INDEX3,
                      .m = 1 / systems->mass,
                      .c = alpha->gamma * h / systems->mass,
                      .k = alpha->beta * h * h / systems->mass,
                      .z = alpha->beta * h / alpha->gamma};
  saddle_weigh(systems, &w);
  if (!status) status = problem->factor(problem->self, p, &w);
  for (int i = 0; i < nv; ++i) smooth[i] = force[i] / systems->mass;
  if (!status) status = problem->solve(problem->self, smooth);
  if (status) return status > 0 ? TORSOR_OK : status; /* v'' remains as it is */
  const double before = dot(force, jerk, nv);
  status = momentum_of(force, problem, *p, smooth, rest);
  const double after = dot(force, smooth, nv);
  if (status || !(after < before / 2)) return status;
  memcpy(jerk, smooth, (size_t)nv * sizeof *jerk);
  status = momentum_of(force, problem, *p, p->v, rest);
  *unresolved = after < UNRESOLVED * before && pow(h, 4) * before > dot(force, p->v, nv);
  return status;
}

/* Finds x [nv] with M x + B^T y = 0 and B x = -`off`, which is in x + nv. */
static torsor_status correct_constraints(double *x, saddle *systems, const torsor_point *p) {
  const int nv = systems->problem->nv, nl = systems->problem->nl;
  const torsor_status status = saddle_factor(systems, p, TORSOR_SYSTEM_VELOCITY);
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) x[nv + i] = -x[nv + i];
  return status ? status : saddle_solve(systems, x, NULL);
}

/* Projects one level onto its constraints by Newton's method: the positions, or else the
 * velocities. */
static torsor_status meet_constraints(double *q, double *v, bool positions, saddle *systems,
                                      double t, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  const torsor_point p = {.t = t, .q = q, .v = v};
  double *off = work + nv, before = HUGE_VAL;
  for (int k = 0; k < MOST_ITERATIONS; ++k) {
    torsor_status status =
        problem->residual(problem->self, &p, NULL, positions ? off : NULL, positions ? NULL : off);
    if (status) return status;
    const double rounding =
        positions ? kit_roundoff_position(problem, &p) : kit_roundoff_velocity(problem, &p);
    const double size = kit_place_size(problem, q);
    double now = 0;
    for (int i = 0; i < nl; ++i) now = fmax(now, fabs(off[i]) / kit_row_length(systems, i, size));
    if (!vec_is_finite(off, nl)) return TORSOR_NONFINITE;
    if (now <= 2 * rounding || now > before / 2) return TORSOR_OK;
    before = now;
    if ((status = correct_constraints(work, systems, &p))) return status;
    if (positions) problem->plus(problem->self, q, q, work);
    for (int i = 0; i < nv && !positions; ++i) v[i] += work[i];
  }
  return TORSOR_NEWTON;
}

torsor_status start_consistent(double *q, double *v, saddle *systems, double t, double *work) {
  if (!systems->problem->nl) return TORSOR_OK;
  const torsor_status status = meet_constraints(q, v, true, systems, t, work);
  return status ? status : meet_constraints(q, v, false, systems, t, work);
}

torsor_status start_constraint_rate(double *out, const torsor_problem *problem,
                                    const torsor_point *p, const double *w, double *work) {
  /* the problem evaluates B v + Phi_t: the difference from v = 0 is B w */
  const int nv = problem->nv;
  memset(work, 0, (size_t)nv * sizeof *work);
  torsor_point at = *p;
  at.v = w;
  torsor_status status = problem->residual(problem->self, &at, NULL, NULL, out);
  at.v = work;
  if (!status) status = problem->residual(problem->self, &at, NULL, NULL, work + nv);
  for (int i = 0; i < problem->nl; ++i) out[i] -= work[nv + i];
  return status;
}

torsor_status start_project(double *dv, saddle *systems, const double *rate, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  memset(work, 0, (size_t)nv * sizeof *work);
  for (int i = 0; i < nl; ++i)
    work[nv + i] = problem->nonholonomic && problem->nonholonomic[i] ? 0 : rate[i];
  const torsor_status status = saddle_solve(systems, work, NULL);
  if (!status) memcpy(dv, work, (size_t)nv * sizeof *dv);
  return status;
}
