/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_step.h"
#include "parts.h"
#include "step_errors.h"
#include "variations.h"

/* The generalised-alpha method on Lie groups: S4 eq. 9 for index 3, with S4 eq. 58 for the
 * stabilised index-2 form of Gear, Gupta and Leimkuhler (GGL).
 *
 * The unknowns of Newton's method are h Dq (GGL: h Dq + h B0^T eta), lambda and s = h eta; v1, a1
 * and v1' depend on the first alone, and linearly.  They are predicted from v1' and updated by the
 * corrections, so that no difference of large numbers is divided by h; a1 follows from v1' in the
 * end.
 *
 * Large models are limited by memory bandwidth.  So all operations on a component are done in one
 * pass, and values that another array contains are not stored twice. */

/* Factor on Newton's tolerance in the index-3 form: an error that is left in Phi returns in lambda
 * amplified, by up to 34 for rho_inf = 0.9 (S4 section 4.1). */
static const double INDEX3_SHARE = 1.0 / 32;

void alpha_set_step(alpha_step *s, double h) {
  const torsor_alpha *p = &s->alpha;
  s->h = h;
  s->m = (1 - p->alpha_m) / (1 - p->alpha_f);
  s->c = p->gamma * h;
  s->k = p->beta * h * h;
  s->z = p->beta * h / p->gamma;
  s->dv_du = p->gamma / (p->beta * h);
  s->dvd_du = s->m / s->k;
}

static void set_configuration(alpha_step *s) {
  s->problem->plus(s->problem->self, s->q1, s->it->q, s->u);
}

/* Sets the tolerances of Newton's method: those on v' and lambda, in the scale of the unknowns.  An
 * error du stands for an error m/k du of v', and only a bound on v' limits the errors that
 * accumulate over many small steps. */
static void set_tolerances(alpha_step *s) {
  const double share = s->ggl || s->nl == 0 ? 1 : INDEX3_SHARE;
  const double atol = share * s->settings->atol, rtol = share * s->settings->rtol;
  newton_block *b = s->newton->blocks;
  b[0].tolerance = s->k / s->m * (atol + rtol * vec_largest(s->largest[0], s->parts));
  b[1].tolerance = s->k / s->systems->mass * (atol + rtol * vec_largest(s->largest[1], s->parts));
  b[2].tolerance = b[0].tolerance;
}

static void predict_part(void *self, int part) {
  alpha_step *s = self;
  const torsor_alpha p = s->alpha;
  const int nv = s->nv, nl = s->nl;
  const alpha_range r = alpha_part_of(s, nv, part), of_y = alpha_part_of(s, nl, part);
  const double h = s->h, beta = p.beta, gamma = p.gamma;
  const double *v0 = alpha_begin_velocity(s), *a0 = s->a0, *y0 = s->y0, *y1 = s->y1;
  extrapolation_predict_range(&s->past, s->y1, r.from, r.to);
  for (int i = nv; i < s->ny; i += nl)
    extrapolation_predict_range(&s->past, s->y1, i + of_y.from, i + of_y.to);
  double *restrict v1 = s->v1, *restrict u = s->u;
  for (int i = r.from; i < r.to; ++i) {
    const double a1 = next_auxiliary(&p, y1[i], y0[i], a0[i]);
    v1[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1);
    u[i] = h * (v0[i] + h * ((0.5 - beta) * a0[i] + beta * a1));
  }
  s->largest[0][part] = vec_largest(y1 + r.from, r.to - r.from);
  s->largest[1][part] = vec_largest(y1 + nv + of_y.from, of_y.to - of_y.from);
}

static void subtract_part(void *self, int part) {
  alpha_step *s = self;
  const alpha_range r = alpha_part_of(s, s->nv, part);
  vec_add_scaled(s->u + r.from, -1, s->force + r.from, r.to - r.from);
}

static void predict(void *self) {
  alpha_step *s = self;
  parts_run(s->problem, s->parts, predict_part, s);
  if (s->ggl) {
    s->problem->gradient_force(s->problem->self, s->force, s->y1 + s->nv + s->nl);
    parts_run(s->problem, s->parts, subtract_part, s);
  }
  set_configuration(s);
  set_tolerances(s);
}

/* Scales the problem's residual in x to the right side of the linear system. */
static void scale_part(void *self, int part) {
  alpha_step *s = self;
  const alpha_range of_v = alpha_part_of(s, s->nv, part), of_y = alpha_part_of(s, s->nl, part);
  const double factor = -s->k / s->systems->mass;
  double *x = s->x, *phi = x + s->nv, *phi_v = phi + s->nl;
  for (int i = of_v.from; i < of_v.to; ++i) x[i] *= factor;
  for (int i = of_y.from; i < of_y.to; ++i) phi[i] = -phi[i];
  for (int i = of_y.from; s->ggl && i < of_y.to; ++i) phi_v[i] *= -s->z;
}

torsor_status alpha_residual(void *self, double *x) {
  alpha_step *s = self;
  const torsor_point p = trial_point(s);
  const unsigned char *nonholonomic = s->problem->nonholonomic;
  double *phi = x + s->nv, *phi_v = s->ggl ? phi + s->nl : nonholonomic ? s->rate : NULL;
  const torsor_status status = s->problem->residual(s->problem->self, &p, x, phi, phi_v);
  if (status) return status;
  parts_run(s->problem, s->parts, scale_part, s);
  for (int i = 0; phi_v == s->rate && phi_v && i < s->nl; ++i) phi_v[i] *= -s->z;
  kit_move_nonholonomic(s->problem, phi, phi_v);
  return TORSOR_OK;
}

/* Are multipliers filtered?  Where rows depend on each other, multipliers must not accumulate a
 * part that causes no force; those of the motion remain as they are. */
static bool is_filtered(const alpha_step *s) {
  return s->systems->e > 0;
}

torsor_weights alpha_weigh_matrix(const alpha_step *s) {
  torsor_weights w = {.system = s->ggl ? TORSOR_SYSTEM_STABILISED : TORSOR_SYSTEM_INDEX3,
                      .follow = s->systems->e == 0,
                      .split = alpha_is_halved(s),
                      .m = s->m / s->systems->mass,
                      .c = s->c / s->systems->mass,
                      .k = s->k / s->systems->mass,
                      .z = s->z};
  saddle_weigh(s->systems, &w);
  return w;
}

static torsor_status factor(void *self) {
  alpha_step *s = self;
  const torsor_point p = trial_point(s);
  const torsor_weights w = alpha_weigh_matrix(s);
  return s->problem->factor(s->problem->self, &p, &w);
}

static torsor_status solve(void *self, double *x) {
  alpha_step *s = self;
  s->moves = true;
  if (alpha_is_halved(s)) return alpha_solve_halves(s, x);
  return saddle_solve_stage(s->systems, x, s->ggl);
}

static void measure(void *self, const double *x) {
  alpha_step *s = self;
  if (!s->ggl || alpha_is_halved(s)) return;
  s->problem->gradient_force(s->problem->self, s->moved, x + s->nv + s->nl);
  s->shift = parts_largest_of(s->problem, s->moved, NULL, 0, s->nv);
}

static void correct_part(void *self, int part) {
  alpha_step *s = self;
  const int nv = s->nv, nl = s->nl;
  const alpha_range of_v = alpha_part_of(s, nv, part), of_y = alpha_part_of(s, nl, part);
  const int first = of_y.from, count = of_y.to - first;
  const double dv_du = s->dv_du, dvd_du = s->dvd_du;
  const bool corrects = s->ggl && s->moves;
  const double *restrict x = s->x, *restrict moved = s->moved;
  double *restrict u = s->u, *restrict v1 = s->v1, *restrict y1 = s->y1, *restrict force = s->force;
  for (int i = of_v.from; i < of_v.to; ++i) {
    v1[i] += dv_du * x[i];
    y1[i] += dvd_du * x[i];
    if (!corrects) u[i] += x[i];
  }
  /* Near dead centres x and the part of it that multipliers cause are large and nearly equal. */
  for (int i = of_v.from; corrects && i < of_v.to; ++i) {
    u[i] += x[i] - moved[i];
    force[i] += moved[i];
  }
  vec_add_scaled(y1 + nv + first, s->systems->mass / s->k, x + nv + first, count);
  if (corrects) vec_add_scaled(y1 + nv + nl + first, 1, x + nv + nl + first, count);
}

static void correct(void *self, const double *x) {
  alpha_step *s = self;
  (void)x; /* s->x */
  parts_run(s->problem, s->parts, correct_part, s);
  set_configuration(s);
}

static torsor_status roundoff(void *self, double *x) {
  alpha_step *s = self;
  const int nv = s->nv, nl = s->nl;
  const torsor_point p = trial_point(s);
  double *phi_rows = x + nv, *rate = s->ggl ? phi_rows + nl : s->rate;
  kit_roundoff_rows(phi_rows, rate, s->systems, &p, s->z);
  kit_move_nonholonomic(s->problem, phi_rows, rate);
  s->thorough = true;
  return kit_roundoff_force(x, s->problem, &p, s->k / s->systems->mass, x + s->ny);
}

static const newton_system system_table = {.predict = predict,
                                           .residual = alpha_residual,
                                           .factor = factor,
                                           .solve = solve,
                                           .measure = measure,
                                           .correct = correct,
                                           .roundoff = roundoff};

static void walk(torsor_integrator *it, tape *t) {
  alpha_step *s = it->own;
  const int nv = s->nv;
  extrapolation_walk(&s->past, t);
  s->y0 = s->past.value[0];
  TAPE_VALUE(t, s->alpha);
  TAPE_VALUE(t, s->damped);
  TAPE_VALUE(t, s->shifted);
  TAPE_VALUE(t, s->corrected);
  TAPE_ARRAY(t, s->v0, nv);
  TAPE_ARRAY(t, s->a0, nv);
  TAPE_WORK(t, s->q1, s->problem->nq);
  TAPE_WORK(t, s->v1, nv);
  TAPE_WORK(t, s->y1, s->ny);
  TAPE_WORK(t, s->u, nv);
  TAPE_WORK(t, s->force, s->ggl ? nv : 0);
  TAPE_WORK(t, s->moved, s->ggl ? nv : 0);
  TAPE_WORK(t, s->rate, s->nl);
  TAPE_WORK(t, s->rest, s->ggl ? nv + s->nl : 0);
  TAPE_VALUE(t, s->whole);
  TAPE_VALUE(t, s->reach);
  companion_walk(&s->companion, t, s->problem, s->ny);
  /* Newton's correction, and work memory for the start. */
  TAPE_WORK(t, s->x, s->problem->nq + 6 * nv + 4 * s->nl);
}

/* Up to this size, that of a body on a ball joint, two matrices cost no less than the whole one. */
enum { SMALL = 12 };

static torsor_status create(torsor_integrator *it) {
  alpha_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->problem = it->problem;
  s->settings = &it->settings;
  s->newton = &it->newton;
  s->systems = &it->systems;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  s->ggl = it->settings.formulation == TORSOR_GGL && s->nl > 0;
  s->ny = s->nv + s->nl + (s->ggl ? s->nl : 0);
  s->whole = s->problem->solve_correction && s->nv + 2 * s->nl > SMALL ? 0 : -1;
  s->it = it;
  s->parts = parts_of(s->ny);
  s->past.problem = it->problem;
  s->past.length = s->ny;
  s->past.first = s->nv;
  s->past.counted = s->nv + s->nl;
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  if (take.status) return take.status;
  it->errors.increment = s->u;
  newton *n = s->newton;
  n->x = s->x;
  n->block_count = s->ggl ? 3 : 2;
  n->blocks[0] = (newton_block){.data = s->x, .length = s->nv};
  n->blocks[1] = (newton_block){.data = s->x + s->nv, .length = s->nl};
  n->blocks[2] = (newton_block){.data = &s->shift, .length = 1};
  return TORSOR_OK;
}

/* Perturbs the starting values: v0 = v(t0) + Delta_v and a0 = v'(t0) + (alpha_m - alpha_f) h
 * v''(t0), S4 eq. 56, 57; the stabilised form needs the second only.  `unresolved`: see
 * start_smooth_jerk. */
static torsor_status perturb(alpha_step *s, double t, double h, bool *unresolved) {
  const torsor_problem *problem = s->problem;
  const torsor_alpha *p = &s->alpha;
  const int nv = s->nv;
  const double shift = p->alpha_m - p->alpha_f;
  double *jerk = s->u;
  torsor_status status = start_jerk(jerk, s->systems, t, h, s->it->q, s->v0, s->y0, s->x);
  const torsor_point at = {.t = t, .q = s->it->q, .v = s->v0, .a = s->y0, .lambda = s->y0 + nv};
  if (!status) status = start_smooth_jerk(jerk, unresolved, s->systems, p, h, &at, s->x);
  if (status) return status;
  for (int i = 0; i < nv; ++i) s->a0[i] = s->y0[i] + shift * h * jerk[i];
  if (s->ggl || s->nl == 0) return TORSOR_OK;

  /* l0q / h of S4 eq. 17. */
  double *local = s->v1, *bracket = s->y1, *rate = s->x, *work = s->x + s->nl;
  problem->bracket(problem->self, bracket, s->v0, s->y0);
  for (int i = 0; i < nv; ++i)
    local[i] = h * h / 6 * ((1 - 6 * p->beta - 3 * shift) * jerk[i] + 0.5 * bracket[i]);
  if ((status = saddle_factor(s->systems, &at, TORSOR_SYSTEM_VELOCITY))) return status;
  if ((status = start_constraint_rate(rate, problem, &at, local, work))) return status;
  if ((status = start_project(local, s->systems, rate, work))) return status;
  for (int i = 0; i < nv; ++i) s->v0[i] += local[i];
  return TORSOR_OK;
}

static void set_alpha(alpha_step *s, int damped) {
  s->damped = damped;
  s->alpha = kit_parameters(s->settings, damped);
}

/* Prepares a damped start.  a0 = v'(t0), or the part of it that the step resolves: the acceleration
 * of a stiff damper whose velocity vanishes within a fraction of the step would carry the first
 * positions far beyond the end of that motion.  The first steps damp the rest of such motions (as
 * R. Rannacher, Numer. Math. 43 (1984) 309-327, begins the trapezoidal rule), which would ring with
 * rho_inf^n otherwise. */
static torsor_status damp(alpha_step *s, double t, double h) {
  set_alpha(s, KIT_DAMPED_STEPS);
  const torsor_point at = {.t = t, .q = s->it->q, .v = s->v0, .a = s->y0, .lambda = s->y0 + s->nv};
  bool unresolved;
  return start_smooth_jerk(s->a0, &unresolved, s->systems, &s->alpha, h, &at, s->x);
}

/* Perturbs the start or, where the step resolves hardly anything of v'', which the perturbation
 * needs, damps it. */
static torsor_status perturb_or_damp(alpha_step *s, double t, double h) {
  const size_t size = (size_t)s->nv * sizeof(double);
  bool unresolved = false;
  const torsor_status status = perturb(s, t, h, &unresolved);
  if (status || !unresolved) return status;
  s->it->begun = TORSOR_START_DAMPED;
  memcpy(s->v0, s->it->v, size);
  memcpy(s->a0, s->y0, size);
  return damp(s, t, h);
}

static torsor_status start(torsor_integrator *it, double h) {
  alpha_step *s = it->own;
  const size_t nv = (size_t)s->nv;
  newton_init(s->newton);
  companion_start(&s->companion);
  extrapolation_clear(&s->past);
  s->corrected = 0;
  set_alpha(s, 0);
  s->reach = 0;
  memcpy(s->v0, it->v, nv * sizeof *s->v0);
  s->shifted = true;
  torsor_status status = start_motion(s->y0, s->y0 + s->nv, it, s->x);
  const torsor_weights w = alpha_weigh_matrix(s);
  if (!status && s->problem->expect) status = s->problem->expect(s->problem->self, &w);
  if (status) return status;
  memcpy(s->a0, s->y0, nv * sizeof *s->a0);
  memcpy(it->a, s->y0, nv * sizeof *it->a);
  memcpy(it->lambda, s->y0 + nv, (size_t)s->nl * sizeof *it->lambda);
  if (it->eta) memset(it->eta, 0, (size_t)s->nl * sizeof *it->eta);
  switch (it->begun) {
  case TORSOR_START_PERTURBED:
    return perturb_or_damp(s, it->t, h);
  case TORSOR_START_DAMPED:
    return damp(s, it->t, h);
  default:
    return TORSOR_OK;
  }
}

/* Ends the damped start after its last step: a0 approximates v'(t + d h), with another d = alpha_m
 * - alpha_f from here on. */
static void end_damping(alpha_step *s) {
  const double before = s->alpha.alpha_m - s->alpha.alpha_f;
  if (s->damped == 0 || --s->damped > 0) return;
  set_alpha(s, 0);
  const double ratio = (s->alpha.alpha_m - s->alpha.alpha_f) / before;
  for (int i = 0; i < s->nv; ++i) s->a0[i] = s->y0[i] + ratio * (s->a0[i] - s->y0[i]);
  companion_scale(&s->companion, s->problem, ratio);
  newton_forget(s->newton);
}

static void accept_part(void *self, int part) {
  alpha_step *s = self;
  const torsor_alpha p = s->alpha;
  const alpha_range of_v = alpha_part_of(s, s->nv, part), of_y = alpha_part_of(s, s->nl, part);
  const double *restrict y0 = s->y0, *restrict y1 = s->y1, *lambda = y1 + s->nv;
  double *restrict a0 = s->a0, *restrict a = s->it->a;
  for (int i = of_v.from; i < of_v.to; ++i) {
    a0[i] = next_auxiliary(&p, y1[i], y0[i], a0[i]);
    a[i] = y1[i];
  }
  for (int i = of_y.from; !is_filtered(s) && i < of_y.to; ++i) s->it->lambda[i] = lambda[i];
  for (int i = of_y.from; s->ggl && i < of_y.to; ++i) s->it->eta[i] = lambda[s->nl + i] / s->h;
}

/* Filters the multipliers (saddle_filter); they remain as they are if that fails.  The matrix has
 * the multipliers in the scale of the unknowns. */
static void filter(alpha_step *s) {
  double *lambda = s->y1 + s->nv;
  const double scale = s->k / s->systems->mass;
  for (int i = 0; i < s->nl; ++i) lambda[i] *= scale;
  if (alpha_is_halved(s)) {
    saddle_filter(s->systems, lambda, NULL);
    saddle_filter_correction(s->systems, lambda + s->nl);
  } else
    saddle_filter(s->systems, lambda, s->ggl ? lambda + s->nl : NULL);
  for (int i = 0; i < s->nl; ++i) lambda[i] /= scale;
}

static void accept(torsor_integrator *it, alpha_step *s) {
  interpolate_hand_over(it, &s->q1, &s->v1);
  memcpy(it->last.theta, s->u, (size_t)s->nv * sizeof *s->u);
  s->shifted = false;
  if (is_filtered(s)) {
    memcpy(it->lambda, s->y1 + s->nv, (size_t)s->nl * sizeof *it->lambda);
    filter(s);
  }
  parts_run(s->problem, s->parts, accept_part, s);
  s->y1 = extrapolation_take(&s->past, s->y1);
  s->y0 = s->past.value[0];
  if (s->newton->jumped) extrapolation_forget(&s->past);
}

void alpha_end_step(alpha_step *s) {
  accept(s->it, s);
  end_damping(s);
}

/* Describes a step that was rejected.  With `astray` the iteration has converged, and the
 * correction is that of the positions. */
static void describe_failure(alpha_step *s, torsor_status status, double h, bool astray) {
  const torsor_point p = trial_point(s);
  if (astray) memcpy(s->x, s->force, (size_t)s->nv * sizeof *s->x);
  kit_describe_failure(&s->it->failure, s->problem, status, h, &p, s->newton, s->x);
  s->it->failure.astray = astray;
}

/* Does a companion estimate the global errors? */
static bool is_accompanied(const alpha_step *s) {
  return s->it->follows && companion_tells(&s->companion);
}

/* Adds the local errors of the step that is about to be taken: S4 eq. 17, and of the velocities h
 * (1/6 - (d^2 + 2 gamma d + gamma)/2) (h^2 v'''), d = alpha_m - alpha_f. */
static void add_errors(alpha_step *s) {
  const torsor_alpha *p = &s->alpha;
  const double d = p->alpha_m - p->alpha_f;
  const step_errors e = {.it = s->it,
                         .h = s->h,
                         .end = trial_point(s),
                         .v0 = s->v0,
                         .a0 = s->y0,
                         .a1 = s->y1,
                         .m = s->m,
                         .third = 1.0 / 6 - (d * d + 2 * p->gamma * d + p->gamma) / 2,
                         .known = s->past.history > 0};
  double *x = s->it->errors.x, *bracket = s->x;
  const long window = error_sum_window(&s->it->errors, s->y0, s->y1);
  if (!window) return;
  if (is_accompanied(s)) {
    step_errors_add_unseen(&e, window);
    return;
  }
  s->problem->bracket(s->problem->self, bracket, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) x[i] = local_error(s, i, bracket[i]);
  step_errors_add(&e, window);
}

/* Solves the step by Newton's method; the result must not be *astray. */
static torsor_status find_end(bool *astray, alpha_step *s) {
  torsor_integrator *it = s->it;
  newton_system system = system_table;
  system.self = s;
  s->newton->halved = alpha_is_halved(s);
  torsor_status status = newton_solve(s->newton, &system, &it->counters);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(s->systems->e > 0) && it->regularises) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(s->systems, &p);
    status = newton_solve(s->newton, &system, &it->counters);
  }
  *astray = !status && alpha_is_astray(s);
  if (!*astray) return status;
  newton_reject(s->newton);
  return TORSOR_NEWTON;
}

/* Number of steps that use the whole matrix where the iteration by halves does not contract, or its
 * correction is suspicious. */
enum { WHOLE_STEPS = 4 };

static void end_whole(alpha_step *s) {
  if (s->whole > 0 && --s->whole == 0) newton_forget(s->newton);
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  alpha_step *s = it->own;
  alpha_set_step(s, h);
  s->t1 = t1;
  if (it->varied) s->whole = -1; /* halves leave corrections in earlier directions */
  bool astray = false;
  torsor_status status =
      s->ggl ? s->problem->freeze_gradient(s->problem->self, it->t, it->q) : TORSOR_OK;
  if (!status) status = find_end(&astray, s);
  if (alpha_is_halved(s) && status > 0) {
    s->whole = WHOLE_STEPS;
    newton_reject(s->newton);
    status = find_end(&astray, s);
  }
  if (!status && it->control.on) {
    status = alpha_check_error(s);
    if (status) return status;
  }
  /* before other points are evaluated, whose motion the kept matrix would follow */
  if (!status && alpha_is_halved(s)) alpha_fit_multipliers(s);
  if (!status && it->varied) status = it->varied->follow(it);
  const torsor_point p = trial_point(s);
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) {
    if (it->follows) companion_follow(s);
    add_errors(s);
    alpha_note_correction(s);
    alpha_end_step(s);
    end_whole(s);
    return TORSOR_OK;
  }
  describe_failure(s, status, h, astray);
  return status;
}

/* Adapts the auxiliary variables to another step size.  a_n approximates v'(t_n + (alpha_m -
 * alpha_f) h): its distance from v' scales with h.  In the index-3 form v_n violates the velocity
 * constraint by B l^q / h = O(h^2), which cancels the local error of the positions (S4 eq. 35); it
 * has to scale with h^2, or the transient of S4 section 2.3 starts anew. */
static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  alpha_step *s = it->own;
  const torsor_problem *problem = s->problem;
  const double ratio = h / h_old;
  const int nv = s->nv, nl = s->nl;
  extrapolation_forget(&s->past);
  newton_forget(s->newton);
  if (!s->shifted) memcpy(s->v0, it->v, (size_t)nv * sizeof *s->v0);
  s->shifted = true;
  for (int i = 0; i < nv; ++i) s->a0[i] = s->y0[i] + ratio * (s->a0[i] - s->y0[i]);
  companion_scale(&s->companion, problem, ratio);
  for (int i = nv + nl; i < s->ny; ++i) {
    s->y0[i] *= ratio * ratio * ratio;
    s->companion.y[i] *= ratio * ratio * ratio;
  }
  if (s->ggl || nl == 0) return TORSOR_OK;

  double *rate = s->x, *work = s->x + nl, *dv = s->u;
  const torsor_point at = {.t = it->t, .q = it->q, .v = s->v0, .a = s->y0, .lambda = s->y0 + nv};
  torsor_status status = saddle_factor(s->systems, &at, TORSOR_SYSTEM_VELOCITY);
  if (!status) status = problem->residual(problem->self, &at, NULL, NULL, rate);
  for (int i = 0; i < nl; ++i) rate[i] *= ratio * ratio - 1;
  if (!status) status = start_project(dv, s->systems, rate, work);
  if (!status)
    for (int i = 0; i < nv; ++i) {
      s->v0[i] += dv[i];
      s->companion.v[i] += dv[i];
    }
  /* without the correction the step is of lower order, but still possible */
  return status > 0 ? TORSOR_OK : status;
}

const method method_generalized_alpha = {
    .name = "generalized_alpha",
    .title = "Generalised-alpha on Lie groups, index 3 or stabilised index 2, order 2",
    .order = 2,
    .settings = {"formulation", "start", "multipliers", "correction_metric", "rho_inf", "hht",
                 "newmark", "alpha", "atol", "rtol"},
    .create = create,
    .walk = walk,
    .start = start,
    .step = step,
    .resize = resize,
    .hands_over = true,
    .leaves_way = true,
    .own_multipliers = true,
    .balanced = true,
    .estimates_error = true,
    .starts_small = true,
    .starts_damped = true,
    .companion = companion_state};
