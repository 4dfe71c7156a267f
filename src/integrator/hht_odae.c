/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"
#include "stage_kit.h"
#include "step_errors.h"

/* The extended HHT-alpha method for overdetermined DAEs, S3 eq. 3.4.  With f = -M^-1 g and the
 * reactions R_j = -M^-1 (forces of the multipliers Lambda_j) at two points,
 *
 *   a1 = (1 + alpha) f1 - alpha f0,   q1 = q0 exp(u)
 *   u  = h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1) + h^2/2 (p0 R0 + p1 R1)
 *   v1 = v0 + h ((1 - gamma) a0 + gamma a1) + h (s0 R0 + s1 R1)
 *   Phi(q1) = 0,  B v1 + Phi_t = 0,  k(q1, v1) = 0
 *
 * The unknowns of Newton's method are f1, R_j and Lambda_j.  All corrections are found with the
 * matrix of the index-3 form: once with the rows of positions, for u and p0 Lambda_0 + p1 Lambda_1,
 * once with those of velocities, for v1 and s0 Lambda_0 + s1 Lambda_1.  M^-1 then gives the
 * corrections of R_j, and the rest of du is the correction of f1.
 *
 * S3 has holonomic rows, or rows k alone.  Where both are present, a row k has two multipliers as
 * well, and the additional condition on the positions is k(t0 + h/2, q0 exp(u/2), u/h) = 0. */

/* One of the two reactions. */
typedef struct reaction {
  double p, s; /* weights in the positions and in the velocities */
  double *R, *lambda;
  double *balance; /* M R + forces of the multipliers */
} reaction;

typedef struct hht_step {
  const torsor_problem *problem;
  const torsor_settings *settings;
  newton *newton;
  saddle *systems;
  torsor_counters *counters;
  const double *q0, *v0; /* accepted state */
  int nv, nl, ny;
  torsor_alpha p; /* parameters of the settings, or of the first steps after a damped start */
  int damped;     /* number of such steps that are left */
  double alpha;
  bool index2; /* no row of positions: S3 section 6 */

  double t0, t1, h;
  double c, k, z; /* weights of the iteration matrix */

  double *a0;      /* auxiliary variable, approximates f at t0 + alpha h */
  double *f0, *r0; /* f at t0, and the balance M f + g there */
  double *y;       /* f, R0, R1, Lambda_0, Lambda_1 */
  extrapolation past;
  reaction reaction[2];

  double *q1, *v1, *u;
  double *q_place, *v_place, *u_place; /* point of a reaction that is not at an end */
  double *balance;                     /* M f1 + g1 */
  double *here, *sum;                  /* [nv] work */
  double *rate;                        /* [nl] B v1 + Phi_t */
  double *middle;                      /* [nl] the same for u/h in the middle of the step */
  double *zero;                        /* [nv + nl] */
  double *change;                      /* [nv + nl] x of solve_mass */
  double *moved;                       /* [nv] p0 dR0 + p1 dR1 */
  double *mean;    /* [nv + nl] s0 R0 + s1 R1 and the mean multipliers of this step */
  double *before;  /* the same of the last step */
  double h_before; /* size of the last step; 0 = there was none */
  double *x;       /* Newton's correction, and work */
} hht_step;

/* Parameters of the steps after a damped start: Newmark's method with both roots at infinity equal
 * to 0, which damps stiff components within two steps, as no HHT method does.  It is of first
 * order, and the error of so few steps is of second. */
static const torsor_alpha FORGETFUL = {.alpha_m = 0, .alpha_f = 0, .beta = 1, .gamma = 1.5};

static void set_parameters(hht_step *s, int damped) {
  s->damped = damped;
  s->p = damped > 0 ? FORGETFUL : s->settings->alpha;
  s->alpha = -s->p.alpha_f;
}

static void set_step(hht_step *s, double t0, double t1, double h) {
  const torsor_alpha *p = &s->p;
  s->t0 = t0;
  s->t1 = t1;
  s->h = h;
  s->c = (1 + s->alpha) * p->gamma * h;
  s->k = (1 + s->alpha) * p->beta * h * h;
  s->z = p->beta * h / p->gamma;
}

/* ---- the balances ------------------------------------------------------------------------- */

static torsor_point end_point(const hht_step *s, const double *a, const double *lambda) {
  return (torsor_point){.t = s->t1, .q = s->q1, .v = s->v1, .a = a, .lambda = lambda, .u = s->u};
}

static torsor_status balance(hht_step *s, double *out, const torsor_point *p) {
  ++s->counters->residual_evaluations;
  return s->problem->residual(s->problem->self, p, out, NULL, NULL);
}

/* Returns the point between the ends: q0 exp(part of u, or of h v0). */
static torsor_point place_between(hht_step *s, double part, bool explicit_u, bool explicit_v) {
  for (int i = 0; i < s->nv; ++i) {
    s->u_place[i] = part * (explicit_u ? s->h * s->v0[i] : s->u[i]);
    s->v_place[i] = explicit_v ? s->v1[i] : (s->v0[i] + s->v1[i]) / 2;
  }
  s->problem->plus(s->problem->self, s->q_place, s->q0, s->u_place);
  return (torsor_point){
      .t = part < 1 ? s->t0 + part * s->h : s->t1, .q = s->q_place, .v = s->v_place};
}

static bool is_midpoint(const hht_step *s) {
  const torsor_reaction kind = s->settings->reaction;
  return s->index2 || kind == TORSOR_REACTION_MIDPOINT || kind == TORSOR_REACTION_MIDPOINT_EXPLICIT;
}

/* Finds out = M R_j + forces of Lambda_j: the balance with R_j minus the balance with f, which is
 * known at both ends. */
static torsor_status weigh_reaction(hht_step *s, double *out, int j) {
  const reaction *r = &s->reaction[j];
  const bool midpoint = is_midpoint(s);
  const double *f = s->y, *base = s->balance;
  torsor_point p = end_point(s, NULL, NULL);
  if (j == 0) {
    p = (torsor_point){.t = s->t0, .q = s->q0, .v = s->v0};
    f = s->f0;
    base = s->r0;
  } else if (midpoint || s->settings->reaction == TORSOR_REACTION_EXPLICIT) {
    const bool explicit_u = s->index2 || s->settings->reaction != TORSOR_REACTION_MIDPOINT;
    p = place_between(s, midpoint ? 0.5 : 1, explicit_u, !midpoint);
    p.a = f;
    p.lambda = s->zero;
    const torsor_status status = balance(s, s->here, &p);
    if (status) return status;
    base = s->here;
  }
  for (int i = 0; i < s->nv; ++i) s->sum[i] = f[i] + r->R[i];
  p.a = s->sum;
  p.lambda = r->lambda;
  const torsor_status status = balance(s, out, &p);
  for (int i = 0; i < s->nv; ++i) out[i] -= base[i];
  return status;
}

/* Returns the first reaction in use: S3 section 6 has only one. */
static int first_reaction(const hht_step *s) {
  return s->index2 ? 1 : 0;
}

/* ---- Newton's iteration ------------------------------------------------------------------- */

static void set_motion(hht_step *s) {
  const torsor_alpha *p = &s->p;
  const double h = s->h;
  for (int i = 0; i < s->nv; ++i) {
    const double a1 = (1 + s->alpha) * s->y[i] - s->alpha * s->f0[i];
    const reaction *r = s->reaction;
    s->u[i] = h * (s->v0[i] + h * ((0.5 - p->beta) * s->a0[i] + p->beta * a1 +
                                   (r[0].p * r[0].R[i] + r[1].p * r[1].R[i]) / 2));
    s->v1[i] = s->v0[i] + h * ((1 - p->gamma) * s->a0[i] + p->gamma * a1 + r[0].s * r[0].R[i] +
                               r[1].s * r[1].R[i]);
  }
  s->problem->plus(s->problem->self, s->q1, s->q0, s->u);
}

/* Sets the tolerances of Newton's method: bounds on v' and on the multipliers, in the scale of the
 * unknowns. */
static void set_tolerances(hht_step *s) {
  const double atol = s->settings->atol, rtol = s->settings->rtol;
  const reaction *r = &s->reaction[1];
  double size = 0;
  for (int i = 0; i < s->nv; ++i) size = fmax(size, fabs(s->y[i] + r->R[i]));
  newton_block *b = s->newton->blocks;
  b[0].tolerance = b[2].tolerance = s->k * (atol + rtol * size);
  b[1].tolerance = b[3].tolerance =
      s->k / s->systems->mass * (atol + rtol * vec_largest(r->lambda, s->nl));
}

static void predict(void *self) {
  hht_step *s = self;
  extrapolation_predict(&s->past, s->y);
  set_motion(s);
  set_tolerances(s);
}

/* Chooses the rows of both systems.  Rows k are rows of velocities in both; where there are no
 * others, they are the same ones. */
static void choose_rows(const hht_step *s, double *phi, double *phi_v, const double *rate,
                        const double *middle) {
  const unsigned char *nonholonomic = s->problem->nonholonomic;
  for (int i = 0; i < s->nl; ++i) {
    phi_v[i] = s->z * rate[i];
    if (nonholonomic && nonholonomic[i]) phi[i] = s->index2 ? phi_v[i] : s->h * middle[i];
  }
}

static torsor_status find_middle(hht_step *s) {
  if (!s->problem->nonholonomic || s->index2) return TORSOR_OK;
  const torsor_point p = place_between(s, 0.5, false, false);
  for (int i = 0; i < s->nv; ++i) s->v_place[i] = s->u[i] / s->h;
  ++s->counters->residual_evaluations;
  return s->problem->residual(s->problem->self, &p, NULL, NULL, s->middle);
}

static torsor_status residual(void *self, double *x) {
  hht_step *s = self;
  double *phi = x + s->nv, *force = x + s->ny, *phi_v = force + s->nv;
  const torsor_point p = end_point(s, s->y, s->zero);
  torsor_status status = s->problem->residual(s->problem->self, &p, s->balance, phi, s->rate);
  for (int j = first_reaction(s); j < 2 && !status; ++j)
    status = weigh_reaction(s, s->reaction[j].balance, j);
  if (!status) status = find_middle(s);
  if (status) return status;
  const reaction *r = s->reaction;
  const double mass = s->systems->mass;
  const double of_u = s->h * s->h / 2 / mass, of_v = s->z * s->h / mass;
  for (int i = 0; i < s->nv; ++i) {
    const double f = s->k / mass * s->balance[i];
    x[i] = -f - of_u * (r[0].p * r[0].balance[i] + r[1].p * r[1].balance[i]);
    force[i] = -f - of_v * (r[0].s * r[0].balance[i] + r[1].s * r[1].balance[i]);
  }
  choose_rows(s, phi, phi_v, s->rate, s->middle);
  for (int i = 0; i < s->nl; ++i) {
    phi[i] = -phi[i];
    phi_v[i] = -phi_v[i];
  }
  return TORSOR_OK;
}

static torsor_weights stage_weights(const hht_step *s) {
  const double mass = s->systems->mass;
  return (torsor_weights){.system = TORSOR_SYSTEM_INDEX3,
                          .follow = true,
                          .m = 1 / mass,
                          .c = s->c / mass,
                          .k = s->k / mass,
                          .z = s->z};
}

static torsor_status factor(void *self) {
  const hht_step *s = self;
  const reaction *r = &s->reaction[1];
  for (int i = 0; i < s->nv; ++i) s->sum[i] = s->y[i] + r->R[i];
  const torsor_point p = end_point(s, s->sum, r->lambda);
  const torsor_weights w = stage_weights(s);
  return s->problem->factor(s->problem->self, &p, &w);
}

static torsor_status solve(void *self, double *x) {
  const hht_step *s = self;
  const torsor_status status = s->problem->solve(s->problem->self, x);
  return status ? status : s->problem->solve(s->problem->self, x + s->ny);
}

/* Finds Lambda_j from the corrections pi and nu of their means in the positions and in the
 * velocities.  Without rows of positions there is one multiplier. */
static void correct_multipliers(hht_step *s, const double *pi, const double *nu) {
  reaction *r = s->reaction;
  const double of_u = 2 * s->systems->mass / (s->h * s->h), of_v = s->systems->mass / (s->z * s->h);
  const double determinant = r[0].p * r[1].s - r[1].p * r[0].s;
  for (int i = 0; i < s->nl; ++i) {
    const double in_u = of_u * pi[i], in_v = of_v * nu[i];
    r[0].lambda[i] += s->index2 ? in_v : (r[1].s * in_u - r[1].p * in_v) / determinant;
    r[1].lambda[i] += s->index2 ? in_v : (r[0].p * in_v - r[0].s * in_u) / determinant;
  }
}

/* Corrects R_j so that M R_j balances the forces of Lambda_j. */
static torsor_status correct_reactions(hht_step *s) {
  torsor_status status = TORSOR_OK;
  memset(s->moved, 0, (size_t)s->nv * sizeof *s->moved);
  for (int j = first_reaction(s); j < 2 && !status; ++j) {
    reaction *r = &s->reaction[j];
    status = weigh_reaction(s, s->change, j);
    if (!status) status = s->problem->solve_mass(s->problem->self, s->change);
    for (int i = 0; i < s->nv && !status; ++i) {
      r->R[i] -= s->change[i];
      s->moved[i] -= r->p * s->change[i];
    }
  }
  return status;
}

/* Applies a correction.  If the problem cannot be evaluated here, NaN is added, which the next
 * residual detects. */
static void correct(void *self, const double *x) {
  hht_step *s = self;
  correct_multipliers(s, x + s->nv, x + s->ny + s->nv);
  const double lost = correct_reactions(s) ? (double)NAN : 0;
  for (int i = 0; i < s->nv; ++i) s->y[i] += (x[i] - s->h * s->h / 2 * s->moved[i]) / s->k + lost;
  set_motion(s);
}

static torsor_status roundoff(void *self, double *x) {
  hht_step *s = self;
  const reaction *r = &s->reaction[1];
  const torsor_point p = end_point(s, s->y, r->lambda);
  double *rows = x + s->nv, *force = x + s->ny;
  kit_roundoff_rows(rows, s->rate, s->systems, &p, 1);
  choose_rows(s, rows, force + s->nv, s->rate, s->rate);
  const torsor_status status =
      kit_roundoff_force(x, s->problem, &p, s->k / s->systems->mass, x + 2 * s->ny);
  memcpy(force, x, (size_t)s->nv * sizeof *force);
  return status;
}

static const newton_system system_table = {.predict = predict,
                                           .residual = residual,
                                           .factor = factor,
                                           .solve = solve,
                                           .measure = stage_measure_nothing,
                                           .correct = correct,
                                           .roundoff = roundoff};

/* ---- the method --------------------------------------------------------------------------- */

static bool has_rows(const torsor_problem *problem, int kind) {
  if (!problem->nonholonomic) return kind == 0 && problem->nl > 0;
  return problem->nl > 0 && memchr(problem->nonholonomic, kind, (size_t)problem->nl) != NULL;
}

static torsor_status check(const torsor_problem *problem, const torsor_settings *settings,
                           torsor_error *error) {
  const torsor_alpha *a = &settings->alpha, hht = torsor_alpha_hht(-a->alpha_f);
  const double roundoff = 4 * DBL_EPSILON;
  const bool index2 = has_rows(problem, 1) && !has_rows(problem, 0);
  if (a->alpha_m != 0 || !(a->alpha_f >= 0 && a->alpha_f <= 1.0 / 3) ||
      fabs(a->beta - hht.beta) > roundoff || fabs(a->gamma - hht.gamma) > roundoff) {
    torsor_fail(error, TORSOR_ARGUMENT, "the method \"hht_odae\" takes the parameters of HHT only");
    torsor_hint(error, "choose \"hht\" from -1/3 to 0");
    return TORSOR_ARGUMENT;
  }
  if (!isfinite(settings->reaction_weight) || settings->reaction_weight == 0.5)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "reaction_weight = %g is not possible: give a number other than 1/2",
                       settings->reaction_weight);
  if (settings->reaction_weight != 0 && (index2 || settings->reaction == TORSOR_REACTION_MIDPOINT ||
                                         settings->reaction == TORSOR_REACTION_MIDPOINT_EXPLICIT))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "reaction_weight = %g has no meaning for a reaction at the midpoint",
                       settings->reaction_weight);
  if (index2 && settings->reaction != TORSOR_REACTION_END)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "without holonomic rows \"reaction\" cannot be chosen");
  if (problem->redundant)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method \"hht_odae\" needs constraint rows that do not depend on each "
                       "other");
  if (!problem->solve_mass)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method \"hht_odae\" needs the inverse of the mass matrix");
  return TORSOR_OK;
}

static void walk(torsor_integrator *it, tape *t) {
  hht_step *s = it->own;
  const int nv = s->nv, nl = s->nl, nq = s->problem->nq;
  extrapolation_walk(&s->past, t);
  TAPE_VALUE(t, s->h_before);
  TAPE_VALUE(t, s->p);
  TAPE_VALUE(t, s->damped);
  TAPE_VALUE(t, s->alpha);
  TAPE_ARRAY(t, s->a0, nv);
  TAPE_ARRAY(t, s->f0, nv);
  TAPE_ARRAY(t, s->r0, nv);
  TAPE_ARRAY(t, s->y, 3 * nv + 2 * nl);
  for (int j = 0; j < 2; ++j) TAPE_ARRAY(t, s->reaction[j].balance, nv);
  TAPE_ARRAY(t, s->q1, nq);
  TAPE_ARRAY(t, s->v1, nv);
  TAPE_ARRAY(t, s->u, nv);
  TAPE_ARRAY(t, s->q_place, nq);
  TAPE_ARRAY(t, s->v_place, nv);
  TAPE_ARRAY(t, s->u_place, nv);
  TAPE_ARRAY(t, s->balance, nv);
  TAPE_ARRAY(t, s->here, nv);
  TAPE_ARRAY(t, s->sum, nv);
  TAPE_ARRAY(t, s->rate, nl);
  TAPE_ARRAY(t, s->middle, nl);
  TAPE_ARRAY(t, s->zero, nv + nl);
  TAPE_ARRAY(t, s->change, nv + nl);
  TAPE_ARRAY(t, s->moved, nv);
  TAPE_ARRAY(t, s->mean, nv + nl);
  TAPE_ARRAY(t, s->before, nv + nl);
  TAPE_ARRAY(t, s->x, nq + 6 * nv + 4 * nl);
}

static void choose_weights(hht_step *s) {
  const double b = s->settings->reaction_weight;
  reaction *r = s->reaction;
  r[0].p = 1 - b;
  r[1].p = b;
  r[0].s = r[1].s = 0.5;
  if (!is_midpoint(s)) return;
  r[0].p = s->index2 ? 0 : 1;
  r[1].p = s->index2 ? 1 : 0;
  r[0].s = 0;
  r[1].s = 1;
}

static torsor_status create(torsor_integrator *it) {
  hht_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->problem = it->problem;
  s->settings = &it->settings;
  s->newton = &it->newton;
  s->systems = &it->systems;
  s->counters = &it->counters;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  s->ny = s->nv + s->nl;
  set_parameters(s, 0);
  s->index2 = has_rows(it->problem, 1) && !has_rows(it->problem, 0);
  s->q0 = it->q;
  s->v0 = it->v;
  s->past.length = 3 * s->nv + 2 * s->nl;
  s->past.first = s->nv;
  s->past.problem = it->problem;
  s->past.counted = 3 * s->nv;
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  if (take.status) return take.status;
  it->errors.increment = s->u;
  for (int j = 0; j < 2; ++j) {
    s->reaction[j].R = s->y + (1 + j) * s->nv;
    s->reaction[j].lambda = s->y + 3 * s->nv + j * s->nl;
  }
  choose_weights(s);
  newton *n = s->newton;
  n->x = s->x;
  n->block_count = 4;
  for (int i = 0; i < 2; ++i) {
    const double *x = s->x + i * s->ny;
    n->blocks[2 * i] = (newton_block){.data = x, .length = s->nv};
    n->blocks[2 * i + 1] = (newton_block){.data = x + s->nv, .length = s->nl};
  }
  return TORSOR_OK;
}

static torsor_status factor_mass(const hht_step *s, double t, const double *q) {
  const torsor_point p = {.t = t, .q = q, .v = s->zero, .a = s->zero, .lambda = s->zero};
  const torsor_weights w = {.system = TORSOR_SYSTEM_MASS, .m = 1};
  return s->problem->factor(s->problem->self, &p, &w);
}

/* Finds f [nv] = -M^-1 g at (t, q, v). */
static torsor_status find_forces(hht_step *s, double *f, double t, const double *q,
                                 const double *v) {
  const torsor_point p = {.t = t, .q = q, .v = v, .a = s->zero, .lambda = s->zero};
  torsor_status status = factor_mass(s, t, q);
  if (!status) status = balance(s, s->change, &p);
  if (!status) status = s->problem->solve_mass(s->problem->self, s->change);
  for (int i = 0; i < s->nv; ++i) f[i] = -s->change[i];
  return status;
}

/* Does a0 - f change velocities within a step by more than their size, and accelerations, too?  The
 * displacement by which it was found is then far outside of the motion, as with a stiff damper. */
static bool is_beyond(const hht_step *s, const torsor_integrator *it, double h) {
  const unsigned char *turns = s->problem->rotation;
  double change[2] = {0, 0}, force[2] = {0, 0}, velocity[2] = {0, 0};
  for (int i = 0; i < s->nv; ++i) {
    const int k = turns && turns[i];
    change[k] = fmax(change[k], fabs(s->a0[i] - s->f0[i]));
    force[k] = fmax(force[k], fabs(s->f0[i]));
    velocity[k] = fmax(velocity[k], fabs(it->v[i]));
  }
  for (int k = 0; k < 2; ++k)
    if (change[k] > force[k] && h * change[k] > velocity[k]) return true;
  return false;
}

/* Prepares a damped start: a0 = f plus the part of v' - f that the step resolves; the first steps
 * damp the rest. */
static torsor_status damp(hht_step *s, torsor_integrator *it, double h) {
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v, .a = it->a, .lambda = it->lambda};
  double *smooth = s->sum;
  bool unresolved;
  set_parameters(s, KIT_DAMPED_STEPS);
  memcpy(smooth, it->a, (size_t)s->nv * sizeof *smooth);
  const torsor_status status =
      start_smooth_jerk(smooth, &unresolved, s->systems, &s->p, h, &p, s->x);
  for (int i = 0; i < s->nv; ++i) s->a0[i] = s->f0[i] + smooth[i] - it->a[i];
  return status;
}

/* Perturbs the starting values: a0 = f + alpha h f', by differences over +-h along the motion; a
 * damped start is taken where these leave the motion. */
static torsor_status perturb(hht_step *s, torsor_integrator *it, double h) {
  double *f = s->here;
  torsor_status status = TORSOR_OK;
  for (int side = -1; side <= 1 && !status; side += 2) {
    const double d = side * h;
    for (int i = 0; i < s->nv; ++i) {
      s->u_place[i] = d * (it->v[i] + d / 2 * it->a[i]);
      s->v_place[i] = it->v[i] + d * it->a[i];
    }
    s->problem->plus(s->problem->self, s->q_place, it->q, s->u_place);
    status = find_forces(s, f, it->t + d, s->q_place, s->v_place);
    for (int i = 0; i < s->nv; ++i) s->a0[i] += side * s->alpha / 2 * f[i];
  }
  if (!status && is_beyond(s, it, h)) it->begun = TORSOR_START_DAMPED;
  return status;
}

static torsor_status start(torsor_integrator *it, double h) {
  hht_step *s = it->own;
  const size_t nv = (size_t)s->nv, nl = (size_t)s->nl;
  set_parameters(s, 0);
  set_step(s, it->t, it->t, h);
  newton_init(s->newton);
  extrapolation_clear(&s->past);
  torsor_status status = start_motion(it->a, it->lambda, it, s->x);
  if (!status) status = find_forces(s, s->f0, it->t, it->q, it->v);
  memcpy(s->a0, s->f0, nv * sizeof *s->a0);
  if (!status && it->begun == TORSOR_START_PERTURBED) status = perturb(s, it, h);
  if (!status && it->begun == TORSOR_START_DAMPED) status = damp(s, it, h);
  double *y = s->past.value[0];
  for (int i = 0; i < s->nv; ++i) {
    y[i] = s->f0[i];
    y[s->nv + i] = y[2 * s->nv + i] = s->before[i] = it->a[i] - s->f0[i];
  }
  for (int j = 0; j < 2; ++j) memcpy(y + 3 * s->nv + j * s->nl, it->lambda, nl * sizeof *y);
  memcpy(s->before + s->nv, it->lambda, nl * sizeof *y);
  s->h_before = 0;
  return status;
}

/* Extrapolates the reactions.  The means of both reactions are those at t0 + h/2, to second order:
 * v' and lambda at t1 lie on the line through the last two means. */
static void extend_means(torsor_integrator *it, hht_step *s) {
  const double weight = s->h / (s->h + s->h_before);
  for (int i = 0; i < s->nv; ++i)
    it->a[i] = s->y[i] + s->mean[i] + weight * (s->mean[i] - s->before[i]);
  for (int i = s->nv; i < s->ny; ++i)
    it->lambda[i - s->nv] = s->mean[i] + weight * (s->mean[i] - s->before[i]);
  memcpy(s->before, s->mean, (size_t)s->ny * sizeof *s->before);
  s->h_before = s->h;
}

/* Finds v' and the multipliers of the motion at t1, on the acceleration level, since those of the
 * line through the means oscillate forever after a jump of the acceleration.  The latter remain
 * where the matrix is singular. */
static torsor_status set_output(torsor_integrator *it, hht_step *s) {
  double *a = s->x, *lambda = a + s->nv, *work = lambda + s->nl;
  extend_means(it, s);
  memcpy(lambda, it->lambda, (size_t)s->nl * sizeof *lambda);
  const torsor_status status = start_accelerations_within(a, lambda, it, s->t1, it->q, it->v, work);
  if (status) return status < 0 ? status : TORSOR_OK;
  memcpy(it->a, a, (size_t)s->nv * sizeof *a);
  memcpy(it->lambda, lambda, (size_t)s->nl * sizeof *lambda);
  return TORSOR_OK;
}

/* Finds the means of the reactions, at t0 + h/2. */
static void set_means(hht_step *s) {
  const reaction *r = s->reaction;
  for (int i = 0; i < s->nv; ++i) s->mean[i] = r[0].s * r[0].R[i] + r[1].s * r[1].R[i];
  for (int i = 0; i < s->nl; ++i)
    s->mean[s->nv + i] = r[0].s * r[0].lambda[i] + r[1].s * r[1].lambda[i];
}

/* Checks the local errors per second, before constraints reduce them; with f' and R' from
 * differences,
 *
 *   l_q/h = h^2/6 ((1 - 3 alpha - 6 beta) f' + (1 - 3 c) R' + [v, v']/2)
 *   l_v/h = h^2 ((1/6 - (gamma (1 + 2 alpha) - alpha)/2) f'' + d R'')
 *
 * where c = weight times position (0 to 1 in the step) of R_1 in u, and d = -1/12 for two reactions
 * at the ends, 1/24 for one in the middle. */
static torsor_status check_error(torsor_integrator *it, hht_step *s) {
  const torsor_problem *problem = s->problem;
  const torsor_alpha *p = &s->p;
  const torsor_accuracy *allowed = &it->settings.accuracy;
  const bool midpoint = is_midpoint(s), known = s->past.history > 1;
  const double h = s->h, spacing = (h + s->h_before) / 2;
  const double of_f = 1 - 3 * s->alpha - 6 * p->beta;
  const double of_R = 1 - 3 * s->reaction[1].p * (midpoint ? 0.5 : 1);
  if (!it->control.on) return TORSOR_OK;
  double *x = s->here, *a = s->sum;
  for (int i = 0; i < s->nv; ++i) a[i] = s->y[i] + s->mean[i];
  problem->bracket(problem->self, x, s->v1, a);
  for (int i = 0; i < s->nv; ++i)
    x[i] =
        of_f * (s->y[i] - s->f0[i]) / h + of_R * (s->mean[i] - s->before[i]) / spacing + x[i] / 2;
  kit_note_error(it, x, h * h / 6, allowed->position, allowed->rotation);
  const double of_f2 = 1.0 / 6 - (p->gamma * (1 + 2 * s->alpha) - s->alpha) / 2;
  const double of_R2 = midpoint ? 1.0 / 24 : -1.0 / 12;
  const double *now = s->past.value[0], *then = s->past.value[1];
  for (int i = 0, R0 = s->nv, R1 = 2 * s->nv; i < s->nv && known; ++i, ++R0, ++R1) {
    const double before =
        s->reaction[0].s * (now[R0] - then[R0]) + s->reaction[1].s * (now[R1] - then[R1]);
    x[i] = of_f2 * (s->y[i] - s->f0[i] - (now[i] - then[i])) +
           of_R2 * (s->mean[i] - s->before[i] - before);
  }
  if (known) kit_note_error(it, x, 1, allowed->velocity, allowed->velocity);
  return kit_judge(it, known);
}

static torsor_status accept(torsor_integrator *it, hht_step *s) {
  const size_t nv = (size_t)s->nv;
  for (int i = 0; i < s->nv; ++i) s->a0[i] = (1 + s->alpha) * s->y[i] - s->alpha * s->f0[i];
  memcpy(s->f0, s->y, nv * sizeof *s->f0);
  memcpy(it->q, s->q1, (size_t)s->problem->nq * sizeof *it->q);
  memcpy(it->v, s->v1, nv * sizeof *it->v);
  extrapolation_push(&s->past, s->y);
  if (s->newton->jumped) extrapolation_forget(&s->past);
  return set_output(it, s);
}

/* Adds the local errors of the step.  The errors of f and of the reactions differ in their factors,
 * but not by much. */
static torsor_status add_errors(torsor_integrator *it, hht_step *s) {
  step_errors e = step_errors_of(it, s->t1, s->h, s->u);
  e.m = 1;
  e.third = 1.0 / 6 - (s->p.gamma * (1 + 2 * s->alpha) - s->alpha) / 2;
  e.known = s->past.history > 1;
  const long window = error_sum_window(&it->errors, e.a0, e.a1);
  if (!window) return TORSOR_OK;
  const torsor_weights w = stage_weights(s);
  const torsor_status status = s->problem->factor(s->problem->self, &e.end, &w);
  newton_forget(s->newton);
  if (status) return status < 0 ? status : TORSOR_OK;
  step_errors_end(&e, window);
  return TORSOR_OK;
}

/* Ends the damped start after its last step: a0 approximates f after the end of the step, not at
 * it, on the line through f at both ends. */
static void end_damping(hht_step *s) {
  if (s->damped == 0 || --s->damped > 0) return;
  set_parameters(s, 0);
  const double *now = s->past.value[0], *then = s->past.value[1];
  for (int i = 0; i < s->nv; ++i) s->a0[i] = s->f0[i] + s->alpha * (now[i] - then[i]);
  newton_forget(s->newton);
}

/* Prepares everything that does not depend on the unknowns of the step, and factors M near its
 * end. */
static torsor_status prepare(hht_step *s) {
  const torsor_point p = {.t = s->t0, .q = s->q0, .v = s->v0, .a = s->f0, .lambda = s->zero};
  const torsor_status status = balance(s, s->r0, &p);
  predict(s);
  return status ? status : factor_mass(s, s->t1, s->q1);
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  hht_step *s = it->own;
  set_step(s, it->t, t1, h);
  newton_system system = system_table;
  system.self = s;
  torsor_status status = prepare(s);
  if (!status) status = newton_solve(s->newton, &system, &it->counters);
  set_means(s);
  if (!status && (status = check_error(it, s))) return status;
  const torsor_point p = end_point(s, s->y, s->reaction[1].lambda);
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) {
    status = accept(it, s);
    if (!status) status = add_errors(it, s);
    end_damping(s);
    return status;
  }
  kit_describe_failure(&it->failure, s->problem, status, h, &p, s->newton, s->x);
  return status;
}

/* Adapts a0 to another step size: it approximates f at t0 + alpha h, so that its distance from f0
 * scales with h (S3 eq. 2.3).  A rejected first step is repeated with the parameters of the
 * settings: with stiff forces the iteration converges for small steps only, and for half as large
 * ones with those of the damped start. */
static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  hht_step *s = it->own;
  if (h < h_old && s->damped > 0) set_parameters(s, 0);
  extrapolation_forget(&s->past);
  newton_forget(s->newton);
  if (s->settings->uncorrected) return TORSOR_OK;
  for (int i = 0; i < s->nv; ++i) s->a0[i] = s->f0[i] + h / h_old * (s->a0[i] - s->f0[i]);
  return TORSOR_OK;
}

const method method_hht_odae = {
    .name = "hht_odae",
    .title = "HHT-alpha extended to overdetermined DAEs, both levels of constraints, order 2",
    .order = 2,
    .settings = {"start", "step_correction", "reaction", "reaction_weight", "hht", "atol", "rtol"},
    .check = check,
    .create = create,
    .walk = walk,
    .start = start,
    .step = step,
    .resize = resize,
    .settles = true,
    .estimates_error = true,
    .starts_small = true};
