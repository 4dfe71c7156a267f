/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"
#include "stage_kit.h"
#include "step_errors.h"

/* RATTLE on Lie groups, a variational (symplectic) integrator.  From the discrete Lagrangian, u =
 * log(q0^-1 q1),
 *
 *   L = h/2 V.M V - h/2 (U(q0, t0) + U(q1, t1)),   V = u/h
 *
 * and from D u = T(u)^-1 e at q1, -T(-u)^-1 e at q0, the equations of the momenta p = M v follow:
 *
 *   T(-u)^-T M V = p0 - h/2 (grad U(q0) + B(q0)^T lambda0),   Phi(q1, t1) = 0
 *   p1 = T(u)^-T M V - h/2 (grad U(q1) + B(q1)^T lambda1),    B(q1) v1 + Phi_t = 0
 *
 * The first line is solved by Newton's method for u and h^2/2 lambda0; the second one is linear. */

/* Newton's method iterates to round-off, since an error in every step would accumulate over a long
 * run. */
static const double ROUNDOFF = 4 * DBL_EPSILON;

/* Largest correction that ends the iteration, relative to the largest unknown: half a unit in the
 * last place.  The error of the iteration has the same sign in step after step, which rounding
 * errors have not. */
static const double LEFT = DBL_EPSILON / 2;

/* Accelerations so large that other forces vanish beside M times them by rounding; a power of 2. */
static const double LARGE = 0x1p60;

typedef struct rattle_step {
  const torsor_problem *problem;
  newton *newton;
  saddle *systems;
  torsor_counters *counters;
  const double *q0, *v0; /* accepted state */
  int nv, nl;

  double t0, t1, h, k; /* k = h^2/2 */

  double *p0, *f0;     /* momentum and grad U at t0 */
  double *y1;          /* 2/h (V - v0) and lambda0 */
  extrapolation past;  /* past values of y1 */
  double *q1, *u, *V;  /* trial step */
  double *momentum;    /* M V */
  double *back, *left; /* -u, and T(-u)^-T M V */
  double *large, *zero, *y, *force;
  double *p1, *f1, *v1, *a1, *lambda1; /* results at t1 */
  double *x;                           /* Newton's correction, and work */
} rattle_step;

static void set_step(rattle_step *s, double t0, double t1, double h) {
  s->t0 = t0;
  s->t1 = t1;
  s->h = h;
  s->k = h * h / 2;
}

/* Finds r = M a + grad U + B^T lambda at rest. */
static torsor_status balance(rattle_step *s, double *r, double *phi, double *phi_v, double t,
                             const double *q, const double *a, const double *lambda) {
  const torsor_point p = {.t = t, .q = q, .v = s->zero, .a = a, .lambda = lambda};
  return s->problem->residual(s->problem->self, &p, r, phi, phi_v);
}

/* Finds out = M v, exact except for its own rounding; phi may be NULL. */
static torsor_status times_mass(rattle_step *s, double *out, double *phi, double t, const double *q,
                                const double *v) {
  for (int i = 0; i < s->nv; ++i) s->large[i] = LARGE * v[i];
  const torsor_status status = balance(s, out, phi, NULL, t, q, s->large, s->zero);
  for (int i = 0; i < s->nv; ++i) out[i] /= LARGE;
  return status;
}

/* ---- positions ---------------------------------------------------------------------------- */

static void set_motion(rattle_step *s) {
  for (int i = 0; i < s->nv; ++i) {
    s->V[i] = s->v0[i] + s->h / 2 * s->y1[i];
    s->u[i] = s->h * s->V[i];
    s->back[i] = -s->u[i];
  }
  s->problem->plus(s->problem->self, s->q1, s->q0, s->u);
}

/* force = B0^T h^2/2 lambda0. */
static void find_reaction(rattle_step *s) {
  for (int i = 0; i < s->nl; ++i) s->y[i] = s->k * s->y1[s->nv + i];
  s->problem->gradient_force(s->problem->self, s->force, s->y);
}

static void predict(void *self) {
  rattle_step *s = self;
  newton_block *b = s->newton->blocks;
  extrapolation_predict(&s->past, s->y1);
  set_motion(s);
  b[0].tolerance = LEFT * vec_largest(s->u, s->nv);
  b[1].tolerance = LEFT * s->k / s->systems->mass * vec_largest(s->y1 + s->nv, s->nl);
}

static torsor_status residual(void *self, double *x) {
  rattle_step *s = self;
  double *phi = x + s->nv;
  const torsor_status status = times_mass(s, s->momentum, phi, s->t1, s->q1, s->V);
  if (status) return status;
  s->problem->taninv(s->problem->self, s->left, s->back, s->momentum, true);
  find_reaction(s);
  for (int i = 0; i < s->nv; ++i)
    x[i] = (s->h * (s->p0[i] - s->left[i]) - s->k * s->f0[i] - s->force[i]) / s->systems->mass;
  for (int i = 0; i < s->nl; ++i) phi[i] = -phi[i];
  return TORSOR_OK;
}

/* Factors the iteration matrix: D(T(-u)^-T M u) = M + h/2 C up to terms of the size of u^2, where C
 * is that of the gyroscopic terms. */
static torsor_status factor(void *self) {
  const rattle_step *s = self;
  const torsor_point p = {
      .t = s->t1, .q = s->q1, .v = s->V, .a = s->zero, .lambda = s->zero, .u = s->u};
  torsor_weights w = {.system = TORSOR_SYSTEM_INDEX3,
                      .m = 1 / s->systems->mass,
                      .c = s->h / 2 / s->systems->mass,
                      .frozen = true};
  saddle_weigh(s->systems, &w);
  return s->problem->factor(s->problem->self, &p, &w);
}

static torsor_status solve(void *self, double *x) {
  const rattle_step *s = self;
  return saddle_solve_stage(s->systems, x, false);
}

static void correct(void *self, const double *x) {
  rattle_step *s = self;
  stage_add(s->y1, x, s->systems, s->k);
  set_motion(s);
}

static torsor_status roundoff(void *self, double *x) {
  rattle_step *s = self;
  const torsor_point p = {.t = s->t1, .q = s->q1, .v = s->V};
  const double impulse = fmax(s->h * vec_largest(s->p0, s->nv), vec_largest(s->force, s->nv));
  const double size = fmax(impulse, s->k * vec_largest(s->f0, s->nv)) / s->systems->mass;
  for (int i = 0; i < s->nv; ++i) x[i] = ROUNDOFF * size * kit_part(i);
  double *rows = x + s->nv;
  kit_roundoff_rows(rows, NULL, s->systems, &p, 0);
  /* in models of some metres rows of angles count as lengths: the largest error of all rows decides
   * where a change point is passed */
  const double phi = kit_roundoff_position(s->problem, &p);
  for (int i = 0; i < s->nl; ++i)
    if (fabs(rows[i]) < fabs(phi * kit_part(i))) rows[i] = phi * kit_part(i);
  return TORSOR_OK;
}

static const newton_system system_table = {.predict = predict,
                                           .residual = residual,
                                           .factor = factor,
                                           .solve = solve,
                                           .measure = stage_measure_nothing,
                                           .correct = correct,
                                           .roundoff = roundoff};

static torsor_status find_positions(rattle_step *s) {
  newton_system system = system_table;
  system.self = s;
  /* the matrix of the velocities overwrites that of the positions in every step */
  newton_forget(s->newton);
  torsor_status status = s->problem->freeze_gradient(s->problem->self, s->t0, s->q0);
  if (!status) status = newton_solve(s->newton, &system, s->counters);
  /* extrapolated multipliers must not accumulate a part that causes no force; they remain as they
   * are if the filter fails */
  if (!status && s->systems->e > 0) saddle_filter(s->systems, s->y1 + s->nv, NULL);
  return status;
}

/* ---- velocities --------------------------------------------------------------------------- */

/* Refines the velocities: one step of iterative refinement of p1 = M v1 and of the constraints. */
static torsor_status refine_velocities(rattle_step *s) {
  const torsor_point p = {.t = s->t1, .q = s->q1, .v = s->v1};
  double *x = s->x;
  torsor_status status = times_mass(s, s->momentum, NULL, s->t1, s->q1, s->v1);
  if (!status) status = s->problem->residual(s->problem->self, &p, NULL, NULL, x + s->nv);
  for (int i = 0; i < s->nv; ++i) x[i] = s->p1[i] - s->momentum[i];
  for (int i = s->nv; i < s->nv + s->nl; ++i) x[i] = -x[i];
  if (!status) status = saddle_solve(s->systems, x, NULL);
  for (int i = 0; i < s->nv && !status; ++i) s->v1[i] += x[i];
  ++s->counters->residual_evaluations;
  return status;
}

/* Finds p1, f1 and v1 from the positions. */
static torsor_status find_velocities(rattle_step *s) {
  const int nv = s->nv, nl = s->nl;
  const torsor_point p = {.t = s->t1, .q = s->q1, .v = s->zero};
  double *x = s->x;
  torsor_status status = times_mass(s, s->momentum, NULL, s->t1, s->q1, s->V);
  find_reaction(s);
  if (!status) status = balance(s, s->f1, NULL, x + nv, s->t1, s->q1, s->zero, s->zero);
  if (!status) status = saddle_factor(s->systems, &p, TORSOR_SYSTEM_ACCELERATION);
  if (status) return status;
  ++s->counters->factorizations;
  s->problem->taninv(s->problem->self, s->left, s->back, s->momentum, true);
  for (int i = 0; i < nv; ++i)
    s->momentum[i] -= s->left[i] - s->p0[i] + (s->k * s->f0[i] + s->force[i]) / s->h;
  s->problem->taninv(s->problem->self, s->p1, s->u, s->momentum, true);
  for (int i = 0; i < nv; ++i) x[i] = s->p1[i] - s->h / 2 * s->f1[i];
  for (int i = 0; i < nl; ++i) x[nv + i] = -x[nv + i];
  if ((status = saddle_solve(s->systems, x, NULL))) return status;
  memcpy(s->v1, x, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) s->lambda1[i] = x[nv + i] * 2 / s->h;
  status = balance(s, x, NULL, NULL, s->t1, s->q1, s->zero, s->lambda1);
  for (int i = 0; i < nv; ++i) s->p1[i] -= s->h / 2 * x[i];
  s->counters->residual_evaluations += 3;
  return status ? status : refine_velocities(s);
}

/* Finds v' and the multipliers of the motion at t1, as lambda0 and lambda1 have errors of first
 * order. */
static torsor_status find_accelerations(rattle_step *s) {
  memset(s->a1, 0, (size_t)s->nv * sizeof *s->a1);
  memset(s->lambda1, 0, (size_t)s->nl * sizeof *s->lambda1);
  const torsor_point p = {.t = s->t1, .q = s->q1, .v = s->v1, .a = s->a1, .lambda = s->lambda1};
  torsor_status status = start_solve_accelerations(s->a1, s->lambda1, NULL, s->systems, &p, s->x);
  ++s->counters->residual_evaluations;
  if (!status && s->systems->e > 0) status = saddle_filter(s->systems, s->lambda1, NULL);
  for (int i = 0; i < s->nv && !status; ++i)
    if (!isfinite(s->a1[i])) status = TORSOR_NONFINITE;
  return status;
}

static torsor_status find_end(rattle_step *s) {
  torsor_status status = find_positions(s);
  if (!status) status = find_velocities(s);
  return status ? status : find_accelerations(s);
}

/* ---- the method --------------------------------------------------------------------------- */

static torsor_status check(const torsor_problem *problem, const torsor_settings *settings,
                           torsor_error *error) {
  (void)settings;
  if (!problem->conservative) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "the method \"rattle\" is for conservative systems with a constant mass matrix: %s",
                problem->obstacle ? problem->obstacle
                                  : "the problem does not declare that it is one");
    torsor_hint(error, "choose another method, such as \"generalized_alpha\"");
    return TORSOR_ARGUMENT;
  }
  if (problem->nonholonomic || problem->reactive)
    return torsor_fail(error, TORSOR_ARGUMENT, "the method \"rattle\" is not for %s",
                       problem->nonholonomic ? "nonholonomic constraints"
                                             : "forces that depend on multipliers");
  if (!problem->taninv)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method \"rattle\" needs the inverse of the group's tangent map");
  return TORSOR_OK;
}

static void walk(torsor_integrator *it, tape *t) {
  rattle_step *s = it->own;
  const int nv = s->nv, nl = s->nl;
  extrapolation_walk(&s->past, t);
  TAPE_ARRAY(t, s->p0, nv);
  TAPE_ARRAY(t, s->f0, nv);
  TAPE_ARRAY(t, s->y1, nv + nl);
  TAPE_ARRAY(t, s->q1, s->problem->nq);
  TAPE_ARRAY(t, s->u, nv);
  TAPE_ARRAY(t, s->V, nv);
  TAPE_ARRAY(t, s->momentum, nv);
  TAPE_ARRAY(t, s->back, nv);
  TAPE_ARRAY(t, s->left, nv);
  TAPE_ARRAY(t, s->large, nv);
  TAPE_ARRAY(t, s->zero, nv + nl);
  TAPE_ARRAY(t, s->y, nl);
  TAPE_ARRAY(t, s->force, nv);
  TAPE_ARRAY(t, s->p1, nv);
  TAPE_ARRAY(t, s->f1, nv);
  TAPE_ARRAY(t, s->v1, nv);
  TAPE_ARRAY(t, s->a1, nv);
  TAPE_ARRAY(t, s->lambda1, nl);
  TAPE_ARRAY(t, s->x, nv + nl);
}

static torsor_status create(torsor_integrator *it) {
  rattle_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->problem = it->problem;
  s->newton = &it->newton;
  s->systems = &it->systems;
  s->counters = &it->counters;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  s->q0 = it->q;
  s->v0 = it->v;
  stage_set_past(&s->past, it->problem);
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  if (take.status) return take.status;
  it->errors.increment = s->u;
  stage_set_newton(s->newton, s->x, it->problem);
  return TORSOR_OK;
}

static torsor_status start(torsor_integrator *it, double h) {
  rattle_step *s = it->own;
  set_step(s, it->t, it->t, h);
  torsor_status status = start_motion(it->a, it->lambda, it, s->x);
  stage_begin(s->newton, &s->past, it->a, it->lambda);
  if (!status) status = times_mass(s, s->p0, NULL, it->t, it->q, it->v);
  if (!status) status = balance(s, s->f0, NULL, NULL, it->t, it->q, s->zero, s->zero);
  return status;
}

static void accept(torsor_integrator *it, rattle_step *s) {
  const size_t nv = (size_t)s->nv, nl = (size_t)s->nl;
  extrapolation_push(&s->past, s->y1);
  memcpy(s->p0, s->p1, nv * sizeof *s->p0);
  memcpy(s->f0, s->f1, nv * sizeof *s->f0);
  memcpy(it->q, s->q1, (size_t)s->problem->nq * sizeof *it->q);
  memcpy(it->v, s->v1, nv * sizeof *it->v);
  memcpy(it->a, s->a1, nv * sizeof *it->a);
  memcpy(it->lambda, s->lambda1, nl * sizeof *it->lambda);
}

/* Adds the local errors of the step.  Forces act at the ends of steps, however stiff they are, so
 * the matrix of the velocities is used, which removes only the part that constraints prevent. */
static void add_errors(torsor_integrator *it, rattle_step *s) {
  const step_errors e = {
      .it = it,
      .h = s->h,
      .end = {.t = s->t1, .q = s->q1, .v = s->v1, .a = s->a1, .lambda = s->lambda1},
      .v0 = it->v,
      .a0 = it->a,
      .a1 = s->a1,
      .m = 1,
      .third = 1.0 / 12,
      .known = s->past.history > 0};
  const long window = error_sum_window(&it->errors, it->a, s->a1);
  if (!window) return;
  step_errors_find(&e, s->u);
  step_errors_add(&e, window);
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  rattle_step *s = it->own;
  set_step(s, it->t, t1, h);
  torsor_status status = find_end(s);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(s->systems->e > 0)) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(s->systems, &p);
    status = find_end(s);
  }
  const torsor_point p = {
      .t = t1, .q = s->q1, .v = s->v1, .a = s->a1, .lambda = s->lambda1, .u = s->u};
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) {
    add_errors(it, s);
    accept(it, s);
  } else
    kit_describe_failure(&it->failure, s->problem, status, h, &p, s->newton, s->x);
  return status;
}

/* Forgets past values, which belong to other step sizes. */
static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  (void)h, (void)h_old;
  rattle_step *s = it->own;
  extrapolation_forget(&s->past);
  return TORSOR_OK;
}

const method method_rattle = {
    .name = "rattle",
    .title = "RATTLE on Lie groups: symplectic, keeps momenta, for conservative systems, order 2",
    .order = 2,
    .check = check,
    .create = create,
    .walk = walk,
    .start = start,
    .step = step,
    .resize = resize,
    .settles = true,
    .estimates_error = false};
