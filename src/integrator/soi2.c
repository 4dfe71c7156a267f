/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"
#include "stage_kit.h"
#include "step_errors.h"

/* The generalised-alpha-SOI2 method of S1 eq. 14: a weighted balance with M at t_{1+alpha}.  With
 * eta = (1 - alpha_m)/(1 - alpha_f) and r = g + B^T lambda, so that f = -r,
 *
 *   position stage  eta M a~ + r(q1, v~, lambda~) + past = 0,  Phi(q1) = 0,      k(q1, v~) = 0
 *   velocity stage  eta M a  + r(q1, v1, lambda1) + past = 0,  B v1 + Phi_t = 0, k(q1, v1) = 0
 *   past = (alpha_m M_alpha a_alpha + alpha_f r0)/(1 - alpha_f),  M at q0 exp((1 + alpha) h v0)
 *
 * where q1 and v~ follow from a~, and v1 from a.  The first stage is solved for q1; its other
 * unknowns are discarded.  Without holonomic rows both stages are the same (S0 eq. 2.3), and one is
 * enough.
 *
 * Both are solved for accelerations and multipliers times k = beta h^2, by the matrix of the
 * index-3 form: its constraint rows serve the velocity stage, too, when they are scaled by z = beta
 * h/gamma. */

typedef struct soi2_step soi2_step;

typedef struct stage {
  soi2_step *step;
  bool position; /* the position stage */
  newton *newton;
  extrapolation past; /* past values of y */
  double *y;          /* acceleration and multipliers */
  double *v;          /* velocity that follows from them */
  double *kept;       /* y of the last pass */
} stage;

struct soi2_step {
  const torsor_problem *problem;
  const torsor_settings *settings;
  saddle *systems;
  torsor_counters *counters;
  const double *q0, *v0; /* accepted state */
  int nv, nl;
  bool split;        /* there is a velocity stage */
  torsor_alpha p;    /* parameters of the settings, or of the first steps after a damped start */
  int damped;        /* number of such steps that are left */
  double alpha;      /* alpha_m - alpha_f */
  double alpha_last; /* the same in the last step */
  bool stiff;        /* the matrix of the position stage does not serve the velocity stage */

  double t0, t1, h;
  double m, c, k, z; /* weights of the iteration matrix */

  stage stage[2]; /* the position stage, the velocity stage */
  stage *end;     /* stage whose result is kept */
  newton newton;  /* Newton's method of the velocity stage */
  bool again;     /* the iteration begins at the last pass, not at the prediction */
  double *gap;    /* additive: a - a~ of the last pass */
  double *zero;   /* [nv + nl] */

  double *a0, *w0;             /* a_alpha and M_alpha a_alpha */
  double *r0;                  /* g + B^T lambda at t0 */
  double *past, *w1, *r1;      /* see above; w0 and r0 of the next step */
  double h_last;               /* size of the last step */
  double *a_before, *w_before; /* a_alpha and M_alpha a_alpha at its start */
  double *a_last, *w_last;

  double t_mass;
  double *q_mass, *rest; /* configuration of M, and the forces at rest there */
  double *q1, *u;        /* u: the increment to q1 */
  double *rate;          /* [nl] B v + Phi_t */
  double *shared;        /* velocity in the forces of the position stage */
  double *Ma;
  double *left; /* [nv] residual of the position stage's balance, in the scale of x */
  double *x;    /* Newton's correction, and work */
};

static void set_parameters(soi2_step *s, int damped) {
  s->damped = damped;
  s->p = kit_parameters(s->settings, damped);
  s->alpha = s->p.alpha_m - s->p.alpha_f;
}

static void set_step(soi2_step *s, double t0, double t1, double h) {
  const torsor_alpha *p = &s->p;
  s->t0 = t0;
  s->t1 = t1;
  s->h = h;
  s->m = (1 - p->alpha_m) / (1 - p->alpha_f);
  s->c = p->gamma * h;
  s->k = p->beta * h * h;
  s->z = p->beta * h / p->gamma;
}

/* ---- M a ----------------------------------------------------------------------------------
 *
 * A problem has no M of its own to ask for: it is what the balance gains with a. */

static torsor_status at_rest(soi2_step *s, double *out, const double *a) {
  const torsor_point p = {.t = s->t_mass, .q = s->q_mass, .v = s->zero, .a = a, .lambda = s->zero};
  ++s->counters->residual_evaluations;
  return s->problem->residual(s->problem->self, &p, out, NULL, NULL);
}

static bool is_finite(const double *x, int n) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Sets the configuration of M to t0 + time, or to t0 where forces are undefined before: a function
 * of time may begin with the simulation. */
static torsor_status place_mass(soi2_step *s, double time) {
  s->t_mass = s->t0 + time;
  for (int i = 0; i < s->nv; ++i) s->u[i] = time * s->v0[i];
  s->problem->plus(s->problem->self, s->q_mass, s->q0, s->u);
  const torsor_status status = at_rest(s, s->rest, s->zero);
  if (time >= 0 || (!status && is_finite(s->rest, s->nv))) return status;
  s->t_mass = s->t0;
  return at_rest(s, s->rest, s->zero);
}

/* out = M a. */
static torsor_status weigh(soi2_step *s, double *out, const double *a) {
  const torsor_status status = at_rest(s, out, a);
  for (int i = 0; i < s->nv; ++i) out[i] -= s->rest[i];
  return status;
}

/* ---- stages ------------------------------------------------------------------------------- */

static torsor_point trial_point(const stage *g) {
  const soi2_step *s = g->step;
  const bool additive = g->position && s->split && s->settings->additive;
  return (torsor_point){.t = s->t1,
                        .q = s->q1,
                        .v = additive ? s->shared : g->v,
                        .a = s->zero,
                        .lambda = g->y + s->nv,
                        .u = g->position ? s->u : NULL};
}

static void set_motion(stage *g) {
  soi2_step *s = g->step;
  const torsor_alpha *p = &s->p;
  const double h = s->h;
  for (int i = 0; i < s->nv; ++i)
    g->v[i] = s->v0[i] + h * ((1 - p->gamma) * s->a0[i] + p->gamma * g->y[i]);
  if (!g->position) return;
  for (int i = 0; i < s->nv; ++i) {
    s->u[i] = h * (s->v0[i] + h * ((0.5 - p->beta) * s->a0[i] + p->beta * g->y[i]));
    s->shared[i] = g->v[i] + p->gamma * h * s->gap[i];
  }
  s->problem->plus(s->problem->self, s->q1, s->q0, s->u);
}

static void predict(void *self) {
  stage *g = self;
  soi2_step *s = g->step;
  const double atol = s->settings->atol, rtol = s->settings->rtol;
  if (s->again)
    memcpy(g->y, g->kept, (size_t)(s->nv + s->nl) * sizeof *g->y);
  else
    extrapolation_predict(&g->past, g->y);
  set_motion(g);
  newton_block *b = g->newton->blocks;
  b[0].tolerance = s->k / s->m * (atol + rtol * vec_largest(g->y, s->nv));
  b[1].tolerance = s->k / s->systems->mass * (atol + rtol * vec_largest(g->y + s->nv, s->nl));
}

/* Replaces the rows of positions that do not belong to this stage by those of velocities. */
static void choose_rows(const stage *g, double *phi, const double *rate) {
  const soi2_step *s = g->step;
  const unsigned char *nonholonomic = s->problem->nonholonomic;
  for (int i = 0; i < s->nl; ++i)
    if (!g->position || (nonholonomic && nonholonomic[i])) phi[i] = s->z * rate[i];
}

static torsor_status residual(void *self, double *x) {
  const stage *g = self;
  soi2_step *s = g->step;
  const torsor_problem *problem = s->problem;
  const torsor_point p = trial_point(g);
  torsor_point own = p;
  own.v = g->v;
  double *phi = x + s->nv, *rate = g->position && !problem->nonholonomic ? NULL : s->rate;
  torsor_status status = weigh(s, s->Ma, g->y);
  if (!status && p.v == g->v) {
    status = problem->residual(problem->self, &p, x, phi, rate);
  } else if (!status) {
    status = problem->residual(problem->self, &own, NULL, phi, rate);
    if (!status) status = problem->residual(problem->self, &p, x, NULL, NULL);
  }
  if (status) return status;
  for (int i = 0; i < s->nv; ++i)
    x[i] = -s->k / s->systems->mass * (s->m * s->Ma[i] + x[i] + s->past[i]);
  for (int i = 0; i < s->nv && !g->position; ++i) x[i] -= s->left[i];
  choose_rows(g, phi, s->rate);
  for (int i = 0; i < s->nl; ++i) phi[i] = -phi[i];
  return TORSOR_OK;
}

static torsor_status factor(void *self) {
  const stage *g = self;
  const soi2_step *s = g->step;
  const torsor_point p = trial_point(g);
  const double mass = s->systems->mass;
  torsor_weights w = {.system = TORSOR_SYSTEM_INDEX3,
                      .follow = s->systems->e == 0,
                      .m = s->m / mass,
                      .c = s->c / mass,
                      .k = g->position ? s->k / mass : 0,
                      .z = g->position ? s->z : 0};
  saddle_weigh(s->systems, &w);
  return s->problem->factor(s->problem->self, &p, &w);
}

static torsor_status solve(void *self, double *x) {
  const stage *g = self;
  const soi2_step *s = g->step;
  return saddle_solve_stage(s->systems, x, false);
}

static void correct(void *self, const double *x) {
  stage *g = self;
  const soi2_step *s = g->step;
  stage_add(g->y, x, s->systems, s->k);
  set_motion(g);
}

static torsor_status roundoff(void *self, double *x) {
  const stage *g = self;
  const soi2_step *s = g->step;
  const torsor_point p = trial_point(g);
  kit_roundoff_rows(x + s->nv, s->rate, s->systems, &p, 1);
  choose_rows(g, x + s->nv, s->rate);
  return kit_roundoff_force(x, s->problem, &p, s->k / s->systems->mass, x + s->nv + s->nl);
}

static torsor_status solve_stage(stage *g) {
  const newton_system system = {.self = g,
                                .predict = predict,
                                .residual = residual,
                                .factor = factor,
                                .solve = solve,
                                .measure = stage_measure_nothing,
                                .correct = correct,
                                .roundoff = roundoff};
  g->step->end = g;
  return newton_solve(g->newton, &system, g->step->counters);
}

/* Displacement, relative to the model's length or in rad, by which stiffness is measured. */
static const double TRIAL = 1e-6;

/* Largest stiffness k K relative to the inertia m M with which the velocity stage may use the
 * matrix of the position stage. */
static const double MOST_STIFFNESS = 1.0 / 8;

/* Measures the stiffness.  Velocities do not feel the stiffness k K: corrections by a matrix with
 * it are too small by 1 + k K/M along a stiff spring, and seem to have converged.  It is compared
 * with m M in three displacements, one of which deforms any spring. */
static torsor_status find_stiffness(soi2_step *s) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv;
  const stage *g = &s->stage[0];
  const torsor_point here = trial_point(g);
  torsor_point there = here;
  const double length = kit_place_size(problem, s->q1);
  double *u = s->x, *inertia = u + nv, *rest = inertia + nv, *force = rest + nv, *q = force + nv;
  torsor_status status = problem->residual(problem->self, &here, rest, NULL, NULL);
  s->stiff = false;
  for (int pattern = 0; pattern < 3 && !status && !s->stiff; ++pattern) {
    for (int i = 0; i < nv; ++i) {
      const double size = TRIAL * (problem->rotation && problem->rotation[i] ? 1 : length);
      u[i] = size * (pattern && i % 3 == pattern ? -1 : 1) * kit_part(i);
    }
    problem->plus(problem->self, q, s->q1, u);
    there.q = q;
    status = weigh(s, inertia, u);
    if (!status) status = problem->residual(problem->self, &there, force, NULL, NULL);
    for (int i = 0; i < nv && !status; ++i) {
      const double stiffness = s->k * fabs(force[i] - rest[i]);
      if (!(stiffness <= MOST_STIFFNESS * s->m * fabs(inertia[i]))) s->stiff = true;
    }
  }
  return status;
}

/* Finds the residual of the position stage.  Iteration and rounding errors of q1 appear in the
 * forces of a stiff spring amplified by (h omega)^2, and a would follow them: so the balance of the
 * velocity stage gets the same residual. */
static torsor_status find_left(soi2_step *s) {
  ++s->counters->residual_evaluations;
  const torsor_status status = residual(&s->stage[0], s->x);
  memcpy(s->left, s->x, (size_t)s->nv * sizeof *s->left);
  return status;
}

/* Solves the velocity stage.  The matrix of the position stage differs from its own by the
 * stiffness alone: it is tried first where that is small. */
static torsor_status solve_velocity(soi2_step *s) {
  stage *position = &s->stage[0], *velocity = &s->stage[1];
  torsor_status status = find_left(s);
  if (!status && position->newton->made_here) status = find_stiffness(s);
  if (status) return status;
  newton_share(velocity->newton, position->newton);
  if (s->stiff) newton_forget(velocity->newton);
  status = solve_stage(velocity);
  if (!newton_is_shared(velocity->newton)) newton_forget(position->newton);
  return status;
}

/* Solves both stages of the additive variant, in which the forces of the position stage depend on
 * v1: fixed-point iteration over both stages, until v1 no longer moves the position stage. */
static torsor_status solve_additive(soi2_step *s) {
  stage *position = &s->stage[0], *velocity = &s->stage[1];
  const size_t n = (size_t)(s->nv + s->nl);
  for (int pass = 0; pass < s->settings->max_iterations; ++pass) {
    s->again = pass > 0;
    torsor_status status = solve_stage(position);
    if (!status && s->again && position->newton->met) {
      /* as in the velocity stage */
      predict(position);
      s->end = velocity;
      return TORSOR_OK;
    }
    if (!status) status = solve_velocity(s);
    if (status) return status;
    memcpy(position->kept, position->y, n * sizeof *position->kept);
    memcpy(velocity->kept, velocity->y, n * sizeof *velocity->kept);
    for (int i = 0; i < s->nv; ++i) s->gap[i] = velocity->y[i] - position->y[i];
  }
  return TORSOR_NEWTON;
}

static torsor_status solve_stages(soi2_step *s) {
  s->again = false;
  if (s->split && s->settings->additive) {
    extrapolation_predict(&s->stage[0].past, s->stage[0].y);
    extrapolation_predict(&s->stage[1].past, s->stage[1].y);
    for (int i = 0; i < s->nv; ++i) s->gap[i] = s->stage[1].y[i] - s->stage[0].y[i];
    return solve_additive(s);
  }
  const torsor_status status = solve_stage(&s->stage[0]);
  return status || !s->split ? status : solve_velocity(s);
}

/* ---- the method --------------------------------------------------------------------------- */

static void walk_stage(stage *g, int nv, int nl, tape *t) {
  extrapolation_walk(&g->past, t);
  TAPE_ARRAY(t, g->y, nv + nl);
  TAPE_ARRAY(t, g->v, nv);
  TAPE_ARRAY(t, g->kept, nv + nl);
}

static void walk(torsor_integrator *it, tape *t) {
  soi2_step *s = it->own;
  const int nv = s->nv, nl = s->nl, nq = s->problem->nq;
  for (int i = 0; i < 2; ++i) walk_stage(&s->stage[i], nv, nl, t);
  newton_walk(&s->newton, t);
  TAPE_VALUE(t, s->h_last);
  TAPE_VALUE(t, s->p);
  TAPE_VALUE(t, s->damped);
  TAPE_VALUE(t, s->alpha);
  TAPE_VALUE(t, s->alpha_last);
  TAPE_VALUE(t, s->stiff);
  TAPE_ARRAY(t, s->gap, nv);
  TAPE_ARRAY(t, s->zero, nv + nl);
  TAPE_ARRAY(t, s->a0, nv);
  TAPE_ARRAY(t, s->w0, nv);
  TAPE_ARRAY(t, s->r0, nv);
  TAPE_ARRAY(t, s->past, nv);
  TAPE_ARRAY(t, s->w1, nv);
  TAPE_ARRAY(t, s->r1, nv);
  TAPE_ARRAY(t, s->a_before, nv);
  TAPE_ARRAY(t, s->w_before, nv);
  TAPE_ARRAY(t, s->a_last, nv);
  TAPE_ARRAY(t, s->w_last, nv);
  TAPE_VALUE(t, s->t_mass);
  TAPE_ARRAY(t, s->q_mass, nq);
  TAPE_ARRAY(t, s->rest, nv);
  TAPE_ARRAY(t, s->q1, nq);
  TAPE_ARRAY(t, s->u, nv);
  TAPE_ARRAY(t, s->rate, nl);
  TAPE_ARRAY(t, s->shared, nv);
  TAPE_ARRAY(t, s->Ma, nv);
  TAPE_ARRAY(t, s->left, nv);
  TAPE_ARRAY(t, s->x, nq + 6 * nv + 4 * nl);
}

static bool has_holonomic_rows(const torsor_problem *problem) {
  if (!problem->nonholonomic) return problem->nl > 0;
  return memchr(problem->nonholonomic, 0, (size_t)problem->nl) != NULL;
}

static torsor_status create(torsor_integrator *it) {
  soi2_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->problem = it->problem;
  s->settings = &it->settings;
  s->systems = &it->systems;
  s->counters = &it->counters;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  s->split = has_holonomic_rows(it->problem);
  set_parameters(s, 0);
  s->q0 = it->q;
  s->v0 = it->v;
  for (int i = 0; i < 2; ++i) stage_set_past(&s->stage[i].past, it->problem);
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  if (take.status) return take.status;
  it->errors.increment = s->u;
  for (int i = 0; i < 2; ++i) {
    stage *g = &s->stage[i];
    g->step = s;
    g->position = i == 0;
    g->newton = g->position ? &it->newton : &s->newton;
    newton_limit(g->newton, it->settings.max_iterations, it->problem);
    stage_set_newton(g->newton, s->x, it->problem);
  }
  return TORSOR_OK;
}

/* Perturbs the starting values: a_last = v'(t0) + alpha h v'', and a_before one step earlier; both
 * are v'(t0) for a plain start. */
static torsor_status perturb(soi2_step *s, torsor_integrator *it, double h) {
  const int nv = s->nv;
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v, .a = it->a, .lambda = it->lambda};
  double *jerk = s->past;
  bool unresolved = it->begun == TORSOR_START_DAMPED;
  torsor_status status = TORSOR_OK;
  memset(jerk, 0, (size_t)nv * sizeof *jerk);
  if (it->begun == TORSOR_START_PERTURBED) {
    status = start_jerk(jerk, s->systems, it->t, h, it->q, it->v, it->a, s->x);
    if (!status) status = start_smooth_jerk(jerk, &unresolved, s->systems, &s->p, h, &p, s->x);
  }
  if (unresolved) {
    it->begun = TORSOR_START_DAMPED;
    set_parameters(s, KIT_DAMPED_STEPS);
    memset(jerk, 0, (size_t)nv * sizeof *jerk);
  }
  for (int i = 0; i < nv; ++i) s->a_last[i] = it->a[i] + s->alpha * h * jerk[i];
  if (!status && unresolved)
    status = start_smooth_jerk(s->a_last, &unresolved, s->systems, &s->p, h, &p, s->x);
  for (int i = 0; i < nv; ++i) s->a_before[i] = s->a_last[i] - h * jerk[i];
  return status;
}

/* Finds M a for both, with M at their times. */
static torsor_status start_weights(soi2_step *s, torsor_integrator *it, double h) {
  const int nv = s->nv;
  set_parameters(s, 0);
  torsor_status status = perturb(s, it, h);
  if (!status) status = place_mass(s, (s->alpha - 1) * h);
  if (!status) status = weigh(s, s->w_before, s->a_before);
  if (!status) status = place_mass(s, s->alpha * h);
  if (!status) status = weigh(s, s->w_last, s->a_last);
  memcpy(s->a0, s->a_last, (size_t)nv * sizeof *s->a0);
  memcpy(s->w0, s->w_last, (size_t)nv * sizeof *s->w0);
  s->h_last = h;
  s->alpha_last = s->alpha;
  return status;
}

static torsor_status start(torsor_integrator *it, double h) {
  soi2_step *s = it->own;
  torsor_status status = start_motion(it->a, it->lambda, it, s->x);
  set_step(s, it->t, it->t, h);
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v, .a = s->zero, .lambda = it->lambda};
  if (!status) status = s->problem->residual(s->problem->self, &p, s->r0, NULL, NULL);
  if (!status) status = start_weights(s, it, h);
  for (int i = 0; i < 2; ++i) stage_begin(s->stage[i].newton, &s->stage[i].past, s->a0, it->lambda);
  return status;
}

/* Finds the force from which the next step starts, r1, by the balance, so that it has no rounding
 * errors of stiff forces. */
static torsor_status weigh_end(soi2_step *s) {
  const torsor_status status = weigh(s, s->w1, s->end->y);
  for (int i = 0; i < s->nv; ++i) s->r1[i] = -s->m * s->w1[i] - s->past[i];
  return status;
}

static void accept(torsor_integrator *it, soi2_step *s) {
  const stage *end = s->end;
  const size_t nv = (size_t)s->nv, size = nv * sizeof(double);
  memcpy(it->lambda, end->y + nv, (size_t)s->nl * sizeof *it->lambda);
  /* a_alpha and a are those at alpha h after the ends of the step */
  for (int i = 0; i < s->nv; ++i) it->a[i] = end->y[i] - s->alpha * (end->y[i] - s->a0[i]);
  memcpy(it->q, s->q1, (size_t)s->problem->nq * sizeof *it->q);
  memcpy(it->v, end->v, size);
  memcpy(s->a_before, s->a0, size);
  memcpy(s->w_before, s->w0, size);
  memcpy(s->a_last, end->y, size);
  memcpy(s->w_last, s->w1, size);
  memcpy(s->a0, end->y, size);
  memcpy(s->w0, s->w1, size);
  memcpy(s->r0, s->r1, size);
  s->h_last = s->h;
  s->alpha_last = s->alpha;
  for (int i = 0; i < (s->split ? 2 : 1); ++i) {
    stage *g = &s->stage[i];
    /* extrapolated multipliers must not accumulate a part that causes no force; they remain as they
     * are if the filter fails */
    if (s->systems->e > 0) saddle_filter(s->systems, g->y + nv, NULL);
    extrapolation_push(&g->past, g->y);
    if (g->newton->jumped) extrapolation_forget(&g->past);
  }
}

/* Finds a_alpha and M a_alpha at alpha h after the end of the last step, on the lines through the
 * last values of both: S1 eq. 15, 16. */
static void carry_weights(soi2_step *s, double h) {
  const double weight = s->alpha * h / s->h_last - s->alpha_last;
  for (int i = 0; i < s->nv; ++i) {
    s->a0[i] = s->a_last[i] + weight * (s->a_last[i] - s->a_before[i]);
    s->w0[i] = s->w_last[i] + weight * (s->w_last[i] - s->w_before[i]);
  }
}

/* Adds the local errors of the step, by the matrix of the position stage, which equals that of the
 * velocity stage without stiff forces. */
static torsor_status add_errors(torsor_integrator *it, soi2_step *s) {
  stage *g = &s->stage[0];
  const torsor_alpha *p = &s->p;
  step_errors e = step_errors_of(it, s->t1, s->h, s->u);
  e.m = s->m;
  e.third = 1.0 / 6 - (s->alpha * s->alpha + 2 * p->gamma * s->alpha + p->gamma) / 2;
  e.known = g->past.history > 1;
  const long window = error_sum_window(&it->errors, e.a0, e.a1);
  if (!window) return TORSOR_OK;
  if (!g->newton->factored) {
    const torsor_status status = factor(g);
    newton_forget(s->stage[1].newton);
    if (status) return status < 0 ? status : TORSOR_OK;
  }
  step_errors_end(&e, window);
  return TORSOR_OK;
}

/* Ends the damped start after its last step: alpha changes. */
static void end_damping(soi2_step *s) {
  if (s->damped == 0 || --s->damped > 0) return;
  set_parameters(s, 0);
  carry_weights(s, s->h_last);
  for (int i = 0; i < 2; ++i) newton_forget(s->stage[i].newton);
}

/* Prepares everything that does not depend on the unknowns of the step. */
static torsor_status prepare(soi2_step *s) {
  const torsor_alpha *p = &s->p;
  torsor_status status = TORSOR_OK;
  if (s->settings->mass_alpha == TORSOR_MASS_EVALUATED) {
    status = place_mass(s, s->alpha * s->h);
    if (!status) status = weigh(s, s->w0, s->a0);
  }
  for (int i = 0; i < s->nv; ++i)
    s->past[i] = (p->alpha_m * s->w0[i] + p->alpha_f * s->r0[i]) / (1 - p->alpha_f);
  return status ? status : place_mass(s, (1 + s->alpha) * s->h);
}

/* Rejects a step that ends where the constraints determine nothing. */
static torsor_status refuse_loose(torsor_integrator *it, soi2_step *s) {
  torsor_point p = trial_point(s->end);
  if (!kit_is_loose(it, &p)) return TORSOR_OK;
  for (int i = 0; i < 2; ++i) newton_reject(s->stage[i].newton);
  p.v = s->end->v;
  kit_describe_failure(&it->failure, s->problem, TORSOR_NEWTON, s->h, &p, s->end->newton, s->x);
  return TORSOR_NEWTON;
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  soi2_step *s = it->own;
  set_step(s, it->t, t1, h);
  s->end = &s->stage[0];
  torsor_status status = prepare(s);
  if (!status) status = solve_stages(s);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(s->systems->e > 0) && it->regularises) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(s->systems, &p);
    status = solve_stages(s);
  }
  if (!status && (status = refuse_loose(it, s))) return status;
  if (!status) {
    const extrapolation *past = &s->end->past;
    const double *before = past->history ? past->value[1] : NULL;
    status = kit_check_error(it, h, s->end->v, before, s->a0, s->end->y, s->x);
    if (status) return status;
  }
  if (!status) status = weigh_end(s);
  torsor_point p = trial_point(s->end);
  p.v = s->end->v;
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) {
    accept(it, s);
    status = add_errors(it, s);
    end_damping(s);
    return status;
  }
  kit_describe_failure(&it->failure, s->problem, status, h, &p, s->end->newton, s->x);
  return status;
}

static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  (void)h_old;
  soi2_step *s = it->own;
  for (int i = 0; i < 2; ++i) {
    extrapolation_forget(&s->stage[i].past);
    newton_forget(s->stage[i].newton);
  }
  if (!s->settings->uncorrected) carry_weights(s, h);
  return TORSOR_OK;
}

const method method_soi2 = {
    .name = "soi2",
    .title = "Generalised-alpha-SOI2: weighted balance, overdetermined index 2, order 2",
    .order = 2,
    .settings = {"start", "multipliers", "mass_alpha", "additive", "step_correction", "rho_inf",
                 "hht", "newmark", "alpha", "atol", "rtol"},
    .create = create,
    .walk = walk,
    .start = start,
    .step = step,
    .resize = resize,
    .own_multipliers = true,
    .estimates_error = true,
    .starts_small = true,
    .starts_damped = true};
