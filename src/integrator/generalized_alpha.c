/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_step.h"
#include "parts.h"
#include "step_errors.h"

/* Generalised-alpha of S4 eq. 9 for index 3 and with S4 eq. 58 for the stabilised index 2 (GGL).
 *
 * Newton unknowns are h Dq (GGL: h Dq + h B0^T eta), lambda and s = h eta: v1, a1 and v1'
 * depend on the first alone, and linearly.  They are predicted from v1' and moved by the corrections, so
 * that nothing is divided by h that is a difference of large numbers; a1 follows from v1' once that is found.
 *
 * Large models wait for memory: a component is worked on in one go, and what another array has is not kept. */

/* Part of Newton's tolerance that a step of the index-3 form may use: what it leaves in Phi comes
 * back in lambda amplified, by up to 34 for rho_inf = 0.9 (S4 section 4.1). */
static const double INDEX3_SHARE = 1.0 / 32;

/* Largest correction of positions: part of the step's motion, and what is never too much, as a turn of a body or in lengths of the
 * model (as much as positions may be off at the start). */
static const double MOST_CORRECTION = 0.125, LEAST_CORRECTION = 1e-6;

/* Corrections of positions by more of their local errors are none: B turns away from B0 in a step, and where v' jumps within
 * the step the cubic is off by up to 4.5 of these errors. */
static const double MOST_ERRORS = 8;

static void set_step(alpha_step *s, double h) {
  const torsor_alpha *p = &s->alpha;
  s->h = h;
  s->m = (1 - p->alpha_m) / (1 - p->alpha_f);
  s->c = p->gamma * h;
  s->k = p->beta * h * h;
  s->z = p->beta * h / p->gamma;
  s->dv_du = p->gamma / (p->beta * h);
  s->dvd_du = s->m / s->k;
}

/* Components of a part of a loop. */
typedef struct range {
  int from, to;
} range;

static range part_of(const alpha_step *s, int n, int i) {
  return (range){parts_begin(n, i, s->parts), parts_begin(n, i + 1, s->parts)};
}

static const double *begin_velocity(const alpha_step *s) {
  return s->shifted ? s->v0 : s->it->v;
}

static void set_configuration(alpha_step *s) {
  s->problem->plus(s->problem->self, s->q1, s->it->q, s->u);
}

/* Tolerances on v' and lambda, brought to the scale of the unknowns: an error du stands for an
 * error of v' of m/k du, and only a bound on v' keeps what piles up over many small steps in check.
 */
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
  const range r = part_of(s, nv, part), of_y = part_of(s, nl, part);
  const double h = s->h, beta = p.beta, gamma = p.gamma;
  const double *v0 = begin_velocity(s), *a0 = s->a0, *y0 = s->y0, *y1 = s->y1;
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
  const range r = part_of(s, s->nv, part);
  vec_add_scaled(s->u + r.from, -1, s->force + r.from, r.to - r.from);
}

static void predict(void *self) {
  alpha_step *s = self;
  parts_run(s->problem, s->parts, predict_part, s);
  if (s->ggl) {
    s->problem->pinned_force(s->problem->self, s->force, s->y1 + s->nv + s->nl);
    parts_run(s->problem, s->parts, subtract_part, s);
  }
  set_configuration(s);
  set_tolerances(s);
}

/* From the problem's residual in x. */
static void scale_part(void *self, int part) {
  alpha_step *s = self;
  const range of_v = part_of(s, s->nv, part), of_y = part_of(s, s->nl, part);
  const double factor = -s->k / s->systems->mass;
  double *x = s->x, *phi = x + s->nv, *phi_v = phi + s->nl;
  for (int i = of_v.from; i < of_v.to; ++i) x[i] *= factor;
  for (int i = of_y.from; i < of_y.to; ++i) phi[i] = -phi[i];
  for (int i = of_y.from; s->ggl && i < of_y.to; ++i) phi_v[i] *= -s->z;
}

static torsor_status residual(void *self, double *x) {
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

static torsor_status factor(void *self) {
  alpha_step *s = self;
  const torsor_point p = trial_point(s);
  const torsor_weights w = {.system = s->ggl ? TORSOR_SYSTEM_STABILISED : TORSOR_SYSTEM_INDEX3,
                            .follow = s->systems->e == 0,
                            .m = s->m / s->systems->mass,
                            .c = s->c / s->systems->mass,
                            .k = s->k / s->systems->mass,
                            .z = s->z,
                            .e = s->systems->e};
  return s->problem->factor(s->problem->self, &p, &w);
}

static torsor_status solve(void *self, double *x) {
  alpha_step *s = self;
  const torsor_status status = s->problem->solve(s->problem->self, x);
  if (status || !(s->systems->e > 0)) return status;
  double *y = x + s->nv;
  return saddle_filter(s->systems, y, s->ggl ? y + s->nl : NULL);
}

static void measure(void *self, const double *x) {
  alpha_step *s = self;
  if (s->ggl) s->problem->pinned_force(s->problem->self, s->moved, x + s->nv + s->nl);
}

static void correct_part(void *self, int part) {
  alpha_step *s = self;
  const int nv = s->nv, nl = s->nl;
  const range of_v = part_of(s, nv, part), of_y = part_of(s, nl, part);
  const int first = of_y.from, count = of_y.to - first;
  const double dv_du = s->dv_du, dvd_du = s->dvd_du;
  const double *restrict x = s->x, *restrict moved = s->moved;
  double *restrict u = s->u, *restrict v1 = s->v1, *restrict y1 = s->y1, *restrict force = s->force;
  for (int i = of_v.from; i < of_v.to; ++i) {
    v1[i] += dv_du * x[i];
    y1[i] += dvd_du * x[i];
    if (!s->ggl) u[i] += x[i];
  }
  /* Near dead centres x and what is moved by multipliers are large, and nearly the same. */
  for (int i = of_v.from; s->ggl && i < of_v.to; ++i) {
    u[i] += x[i] - moved[i];
    force[i] += moved[i];
  }
  vec_add_scaled(y1 + nv + first, s->systems->mass / s->k, x + nv + first, count);
  if (s->ggl) vec_add_scaled(y1 + nv + nl + first, 1, x + nv + nl + first, count);
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
  const double phi = kit_roundoff_position(s->problem, &p);
  const double phi_v = s->z * kit_roundoff_velocity(s->problem, &p);
  double *phi_rows = x + nv, *rate = s->ggl ? phi_rows + nl : s->rate;
  for (int i = 0; i < nl; ++i) phi_rows[i] = phi * kit_part(i);
  for (int i = 0; i < nl; ++i) rate[i] = phi_v * kit_part(i);
  kit_move_nonholonomic(s->problem, phi_rows, rate);
  return kit_roundoff_force(x, s->problem, &p, phi, s->k / s->systems->mass, x + s->ny);
}

static const newton_system system_table = {.predict = predict,
                                           .residual = residual,
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
  /* Newton's correction, and work for the start. */
  TAPE_WORK(t, s->x, s->problem->nq + 6 * nv + 4 * s->nl);
}

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
  n->blocks[2] = (newton_block){.data = s->moved, .length = s->nv};
  return TORSOR_OK;
}

/* Bring v0 to v(t0) + Delta_v and a0 to v'(t0) + (alpha_m - alpha_f) h v''(t0): S4 eq. 56, 57.  The
 * stabilised form wants the second only.  `unresolved`: see start_smooth_jerk. */
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

/* A damped start: a0 = v'(t0), or of that what the step can follow, as the acceleration of a stiff damper whose velocity is gone
 * after a fraction of the step would carry the first positions far beyond where it ends.  What is left of such motions the
 * first steps damp (as R. Rannacher, Numer. Math. 43 (1984) 309-327, begins the trapezoidal rule), where rho_inf^n would let it
 * ring. */
static torsor_status damp(alpha_step *s, double t, double h) {
  set_alpha(s, KIT_DAMPED_STEPS);
  const torsor_point at = {.t = t, .q = s->it->q, .v = s->v0, .a = s->y0, .lambda = s->y0 + s->nv};
  bool unresolved;
  return start_smooth_jerk(s->a0, &unresolved, s->systems, &s->alpha, h, &at, s->x);
}

/* Where the step follows hardly anything of v'', there is nothing to perturb the start by. */
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
  extrapolation_clear(&s->past);
  s->corrected = 0;
  set_alpha(s, 0);
  memcpy(s->v0, it->v, nv * sizeof *s->v0);
  s->shifted = true;
  const torsor_status status = kit_start_motion(s->y0, s->y0 + s->nv, it, s->x);
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

/* The first steps are over: a0 stands for v'(t + d h) with another d = alpha_m - alpha_f from here on. */
static void end_damping(alpha_step *s) {
  const double before = s->alpha.alpha_m - s->alpha.alpha_f;
  if (s->damped == 0 || --s->damped > 0) return;
  set_alpha(s, 0);
  const double ratio = (s->alpha.alpha_m - s->alpha.alpha_f) / before;
  for (int i = 0; i < s->nv; ++i) s->a0[i] = s->y0[i] + ratio * (s->a0[i] - s->y0[i]);
  newton_forget(s->newton);
}

/* Extrapolated multipliers must not gather what no force comes from; those of the motion are left as they are. */
static bool is_filtered(const alpha_step *s) {
  return s->systems->e > 0;
}

static void accept_part(void *self, int part) {
  alpha_step *s = self;
  const torsor_alpha p = s->alpha;
  const range of_v = part_of(s, s->nv, part), of_y = part_of(s, s->nl, part);
  const double *restrict y0 = s->y0, *restrict y1 = s->y1, *lambda = y1 + s->nv;
  double *restrict a0 = s->a0, *restrict a = s->it->a;
  for (int i = of_v.from; i < of_v.to; ++i) {
    a0[i] = next_auxiliary(&p, y1[i], y0[i], a0[i]);
    a[i] = y1[i];
  }
  for (int i = of_y.from; !is_filtered(s) && i < of_y.to; ++i) s->it->lambda[i] = lambda[i];
  for (int i = of_y.from; s->ggl && i < of_y.to; ++i) s->it->eta[i] = lambda[s->nl + i] / s->h;
}

/* Or not, if it fails.  The matrix that does it has the multipliers in the scale of the unknowns. */
static void filter(alpha_step *s) {
  double *lambda = s->y1 + s->nv;
  const double scale = s->k / s->systems->mass;
  for (int i = 0; i < s->nl; ++i) lambda[i] *= scale;
  saddle_filter(s->systems, lambda, s->ggl ? lambda + s->nl : NULL);
  for (int i = 0; i < s->nl; ++i) lambda[i] /= scale;
}

static void accept(torsor_integrator *it, alpha_step *s) {
  interpolate_hand_over(it, &s->q1, &s->v1);
  s->shifted = false;
  if (is_filtered(s)) {
    memcpy(it->lambda, s->y1 + s->nv, (size_t)s->nl * sizeof *it->lambda);
    filter(s);
  }
  parts_run(s->problem, s->parts, accept_part, s);
  s->y1 = extrapolation_take(&s->past, s->y1);
  s->y0 = s->past.value[0];
}

/* In the metric of the corrections. */
static double arm_of(const alpha_step *s, int i) {
  return s->problem->metric ? s->problem->metric[i] : 1;
}

static void weigh_part(void *self, int part) {
  alpha_step *s = self;
  const range r = part_of(s, s->nv, part);
  double moved = 0, local = 0, largest = 0, most = 0;
  for (int i = r.from; i < r.to; ++i) {
    const double arm = arm_of(s, i), error = arm * local_error(s, i, 0), f = arm * s->force[i];
    moved += f * f;
    local += error * error;
    largest = fmax(largest, fabs(f));
    most = fmax(most, fabs(arm * s->u[i] + f));
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

/* Euclid's norm of the local errors, with the brackets, which weigh_part does without. */
static double whole_error(alpha_step *s) {
  double *bracket = s->x + s->ny, sum = 0;
  s->problem->bracket(s->problem->self, bracket, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) sum += pow(arm_of(s, i) * local_error(s, i, bracket[i]), 2);
  return sqrt(sum);
}

/* Positions are moved by hardly anything else. */
static bool is_all_correction(const alpha_step *s) {
  const double moved = vec_largest(s->largest[0], s->parts);
  return moved > MOST_CORRECTION * vec_largest(s->largest[1], s->parts) &&
         moved > LEAST_CORRECTION * (s->problem->metric ? 1 : s->problem->length);
}

/* Corrections grow with h^3 and, but where a drive jumps, little from step to step: by more where another branch attracts the step,
 * whose local errors are large there, too.  Those of the last steps count less and less. */
static const double MOST_GROWTH = 4, FADING = 0.8;

static double by_cube(const alpha_step *s, double length) {
  return length / (s->h * s->h * s->h);
}

static bool has_grown(const alpha_step *s, double length) {
  return s->corrected > 0 && by_cube(s, length) > MOST_GROWTH * s->corrected;
}

/* Part of what the uncorrected step violates the constraints by that the linearised ones may leave: about what bodies turn by in the
 * step, in rad.  A correction that has grown is held against less. */
static const double MOST_NONLINEAR = 0.1, MOST_NONLINEAR_GROWN = 0.025;

/* The correction f = B0^T s is what the constraints ask for where they are linear, as those of drives are in the driven
 * coordinate, however they jump:
 *
 *      B0 f = Phi(q0 exp(u + f), t1),   u + f the increment without correction.
 *
 * A step to another branch lives on the quadratic term. */
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
  double left = 0, size = 0;
  for (int i = 0; i < nl; ++i) {
    if (nonholonomic && nonholonomic[i]) continue;
    left = fmax(left, fabs(phi[i] - rate[i]));
    size = fmax(size, fabs(phi[i]));
  }
  return left <= most * size + 4 * kit_roundoff_position(problem, &end);
}

/* The largest arm, and how many times the smallest it is. */
static double arms_ratio(const alpha_step *s, double *most) {
  double least = s->nv > 0 ? arm_of(s, 0) : 1;
  *most = least;
  for (int i = 1; i < s->nv; ++i) {
    const double arm = arm_of(s, i);
    least = fmin(least, arm);
    *most = fmax(*most, arm);
  }
  return *most / least;
}

/* The correction B0^T s of the positions is what their local error is off the constraints by: its projection, which is no
 * longer, as far as B is B0.  Where rows become dependent Newton's iteration also finds solutions that are nothing
 * but correction, or on another branch of the motion, or has no more than rounding errors to tell by. */
static bool is_astray(alpha_step *s) {
  const torsor_point end = trial_point(s);
  if (kit_is_loose(s->it, &end)) return true;
  if (!s->ggl) return false;
  parts_run(s->problem, s->parts, weigh_part, s);
  if (is_all_correction(s) && !is_linear(s, MOST_NONLINEAR)) return true;
  const newton_block *b = s->newton->blocks;
  const double length = root_of_sum(s->squares[0], s->parts);
  const bool long_one = length > MOST_ERRORS * root_of_sum(s->squares[1], s->parts);
  const bool grown = has_grown(s, length);
  const bool floored = s->systems->e > 0 && fmax(b[0].floor, b[2].floor) > 0;
  s->correction = length;
  if (!long_one && !grown && !floored) return false;
  /* Rounding errors of rows move light bodies, and slender ones about their axis, by as much more as corrections do. */
  double most, ratio = arms_ratio(s, &most);
  const double floor = floored ? fmax(b[0].floor, b[2].floor / ratio) : 0;
  const double noise = saddle_noise(kit_roundoff_position(s->problem, &end));
  if (floor > noise) return true;
  const double least = most * sqrt(s->nv) * (b[2].tolerance + noise);
  if (!(length > least)) return false;
  if (grown) return !is_linear(s, MOST_NONLINEAR_GROWN);
  return long_one && length > MOST_ERRORS * whole_error(s) + least && !is_linear(s, MOST_NONLINEAR);
}

/* Of a step that was refused: `astray` has an iteration that ended, and the correction is that of the positions. */
static void describe_failure(alpha_step *s, torsor_status status, double h, bool astray) {
  const torsor_point p = trial_point(s);
  if (astray) memcpy(s->x, s->force, (size_t)s->nv * sizeof *s->x);
  kit_describe_failure(&s->it->failure, s->problem, status, h, &p, s->newton, s->x);
  s->it->failure.astray = astray;
}

/* Of the step that is about to be taken: the local errors of S4 eq. 17, of the velocities
 * h (1/6 - (d^2 + 2 gamma d + gamma)/2) (h^2 v'''), d = alpha_m - alpha_f. */
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
  s->problem->bracket(s->problem->self, bracket, s->v1, s->y1);
  for (int i = 0; i < s->nv; ++i) x[i] = local_error(s, i, bracket[i]);
  step_errors_add(&e, window);
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  alpha_step *s = it->own;
  set_step(s, h);
  s->t1 = t1;
  torsor_status status = s->ggl ? s->problem->pin(s->problem->self, it->t, it->q) : TORSOR_OK;
  newton_system system = system_table;
  system.self = s;
  if (!status) status = newton_solve(s->newton, &system, &it->counters);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(s->systems->e > 0) && it->regularises) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(s->systems, &p);
    status = newton_solve(s->newton, &system, &it->counters);
  }
  const bool astray = !status && is_astray(s);
  if (astray) {
    newton_reject(s->newton);
    status = TORSOR_NEWTON;
  }
  if (!status && it->control.on) {
    status = alpha_check_error(s);
    if (status) return status;
  }
  const torsor_point p = trial_point(s);
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) {
    add_errors(s);
    s->corrected = fmax(by_cube(s, s->correction), FADING * s->corrected);
    accept(it, s);
    end_damping(s);
    return TORSOR_OK;
  }
  describe_failure(s, status, h, astray);
  return status;
}

/* The auxiliary a_n stands for v'(t_n + (alpha_m - alpha_f) h): its distance from v' scales with h.
 * In the index-3 form v_n lies off the velocity constraint by B l^q / h = O(h^2), which cancels the
 * local error of the positions (S4 eq. 35); it has to scale with h^2, or the transient of S4
 * section 2.3 starts anew. */
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
  for (int i = nv + nl; i < s->ny; ++i) s->y0[i] *= ratio * ratio * ratio;
  if (s->ggl || nl == 0) return TORSOR_OK;

  double *rate = s->x, *work = s->x + nl, *dv = s->u;
  const torsor_point at = {.t = it->t, .q = it->q, .v = s->v0, .a = s->y0, .lambda = s->y0 + nv};
  torsor_status status = saddle_factor(s->systems, &at, TORSOR_SYSTEM_VELOCITY);
  if (!status) status = problem->residual(problem->self, &at, NULL, NULL, rate);
  for (int i = 0; i < nl; ++i) rate[i] *= ratio * ratio - 1;
  if (!status) status = start_project(dv, s->systems, rate, work);
  if (!status)
    for (int i = 0; i < nv; ++i) s->v0[i] += dv[i];
  /* Without the correction the step is of lower order but no less possible. */
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
    .own_multipliers = true,
    .balanced = true,
    .estimates_error = true,
    .starts_small = true,
    .starts_damped = true};
