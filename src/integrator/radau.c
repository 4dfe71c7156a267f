/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "alpha_kit.h"
#include "radau_kit.h"

/* The method "radau": Radau IIA collocation with three stages (order 5, L-stable, stiffly accurate;
 * Hairer and Wanner 1996, IV.5 and VII.6) in the chart q = q0 exp(theta) of each step, with
 * constraints in the stabilised index-2 form of Gear, Gupta and Leimkuhler (1985). The equations of
 * the stages i are
 *
 *   theta_i = h sum a_ij f_j,  f_j = T^-1(theta_j) (v_j - B0^T eta_j),  v_i = v0 + h sum a_ij w_j
 *   r(t_i, q_i, v_i, w_i, lambda_i) = 0,  Phi = 0,  B v_i + Phi_t = 0   (or k = 0 and eta = 0)
 *
 * Their unknowns are f, w, lambda and eta of the stages. The three stages are coupled, and instead
 * of one matrix of three times the size an inner iteration of Gauss-Seidel kind is used: a sweep
 * goes through the stages in turn as if A were a lower triangular matrix, radau_iteration, with
 * equal diagonal entries gamma (parallel to the triangular splitting of van der Houwen and de Swart
 * 1997). Each stage is then solved with one and the same matrix, that of the stabilised form with h
 * gamma. The errors of constraints and of all stiff parts contract by I - radau_iteration^-1 A,
 * which is nilpotent; those of the other parts contract by O(h). */

/* The factor on Newton's tolerance for this method at constant steps: the method is meant for ten
 * digits, where the default rtol is meant for the eight digits of a method of order 2. It was
 * measured on the heavy top, a slider-crank and a chain, 1 s at two step sizes each: the iteration
 * error that this factor leaves in positions and velocities is at most 8e-12 of them; a factor four
 * times as large leaves up to 2e-10. */
static const double SHARE = 1.0 / 4096;

/* Under step-size control Newton's iteration may leave CONTROLLED_SHARE of the allowed local error,
 * and its tolerance is multiplied by CONTROLLED_TOLERANCE: position errors that remain cause forces
 * in stiff springs, which are (h omega)^2 times as large relative to the largest force. */
static const double CONTROLLED_SHARE = 0.02, CONTROLLED_TOLERANCE = 1.0 / 64;

typedef struct stage {
  double t;
  double *q, *theta, *v;
  double *f, *w, *lambda, *eta;
  double *df, *dw;              /* changes made by the present sweep */
  double *w_last, *lambda_last; /* values of the step before */
  double *eta_last;
} stage;

typedef struct radau_step {
  const torsor_problem *problem;
  const torsor_settings *settings;
  newton *newton;
  saddle *systems;
  torsor_counters *counters;
  const torsor_integrator *it; /* q, v, a, lambda at t0 */
  int nv, nl;

  double h, h_last; /* h_last = 0: there is no step before */
  double k, z;      /* k = (h gamma)^2, z = h gamma */
  stage stage[RADAU_STAGES];

  double *u, *y, *way; /* corrections of all stages, whose norms Newton's iteration measures */
  bool own;            /* in this step, each stage has a matrix of its own ... */
  bool own_first;      /* ... from the beginning */
  radau_sharing sharing;
  bool rounding;  /* the next solve is for rounding errors and is no sweep */
  double *force;  /* [nv] B0^T eta, or its change */
  double *rate;   /* [nl] residual B v + Phi_t */
  double *change; /* [nv] estimate of the local error */
  double *a;      /* [nv] v or v' displaced by the estimate, for difference quotients */
  double *x;      /* one stage's residual and correction, and workspace behind them */
} radau_step;

/* ---- one step's numbers ------------------------------------------------------------------- */

static void set_step(radau_step *s, double t1, double h) {
  s->h = h;
  s->z = RADAU_GAMMA * h;
  s->k = s->z * s->z;
  for (int i = 0; i < RADAU_STAGES; ++i) s->stage[i].t = t1 - (1 - radau_node[i]) * h;
}

/* Computes the rate f = T^-1(theta) (v - B0^T eta) of a stage's chart coordinates, with the inverse
 * right tangent T^-1 of the exponential map. */
static void find_rate(radau_step *s, double *f, const stage *g) {
  s->problem->gradient_force(s->problem->self, s->force, g->eta);
  for (int i = 0; i < s->nv; ++i) s->force[i] = g->v[i] - s->force[i];
  s->problem->taninv(s->problem->self, f, g->theta, s->force, false);
}

/* Computes theta and v of all stages from f and w by the collocation formulas. */
static void collocate(radau_step *s) {
  for (int i = 0; i < RADAU_STAGES; ++i) {
    stage *g = &s->stage[i];
    for (int j = 0; j < s->nv; ++j) {
      double theta = 0, v = 0;
      for (int m = 0; m < RADAU_STAGES; ++m) {
        theta += radau_matrix[i][m] * s->stage[m].f[j];
        v += radau_matrix[i][m] * s->stage[m].w[j];
      }
      g->theta[j] = s->h * theta;
      g->v[j] = s->it->v[j] + s->h * v;
    }
  }
}

/* Returns the smaller of two allowed errors, of which one that is not positive is not requested;
 * infinite where neither is requested. */
static double least(double a, double b) {
  return fmin(a > 0 ? a : HUGE_VAL, b > 0 ? b : HUGE_VAL);
}

/* Sets Newton's tolerances on v', lambda and q', scaled as the unknowns are. Under step-size
 * control those on v' and q' follow from the local error that a step may leave, and are at most
 * those of the settings, because small position errors cause large forces in stiff springs. */
static void set_tolerances(radau_step *s) {
  const torsor_accuracy *allowed = &s->settings->accuracy;
  const double atol = s->settings->atol, rtol = s->settings->rtol;
  const double share = s->it->control.on ? CONTROLLED_TOLERANCE : SHARE;
  double a = share * (atol + rtol * vec_largest(s->it->a, s->nv));
  double f = share * (atol + rtol * vec_largest(s->it->v, s->nv));
  if (s->it->control.on) {
    const double way = least(allowed->position, allowed->rotation);
    f = fmin(f, CONTROLLED_SHARE * least(way, s->h * allowed->velocity));
    a = fmin(a, CONTROLLED_SHARE * least(way / s->h, allowed->velocity));
  }
  newton_block *b = s->newton->blocks;
  b[0].tolerance = s->k * a;
  b[1].tolerance = s->k / s->systems->mass * (atol + rtol * vec_largest(s->it->lambda, s->nl));
  b[2].tolerance = s->z * f;
}

/* Computes the weights of Lagrange's polynomial through the last step's three nodes, evaluated at
 * node `to` of this step: the extrapolation that starts the iteration. */
static void extrapolate(double *weight, const radau_step *s, double to) {
  const double at = 1 + to * s->h / s->h_last;
  for (int i = 0; i < RADAU_STAGES; ++i) {
    weight[i] = 1;
    for (int j = 0; j < RADAU_STAGES; ++j)
      if (j != i) weight[i] *= (at - radau_node[j]) / (radau_node[i] - radau_node[j]);
  }
}

static void predict_stage(radau_step *s, stage *g, double to) {
  const size_t nv = (size_t)s->nv, nl = (size_t)s->nl;
  if (s->h_last > 0) {
    double weight[RADAU_STAGES];
    extrapolate(weight, s, to);
    const stage *p = s->stage;
    for (size_t i = 0; i < nv; ++i)
      g->w[i] =
          weight[0] * p[0].w_last[i] + weight[1] * p[1].w_last[i] + weight[2] * p[2].w_last[i];
    for (size_t i = 0; i < nl; ++i)
      g->lambda[i] = weight[0] * p[0].lambda_last[i] + weight[1] * p[1].lambda_last[i] +
                     weight[2] * p[2].lambda_last[i];
    memcpy(g->eta, g->eta_last, nl * sizeof *g->eta);
  } else {
    memcpy(g->w, s->it->a, nv * sizeof *g->w);
    memcpy(g->lambda, s->it->lambda, nl * sizeof *g->lambda);
    memset(g->eta, 0, nl * sizeof *g->eta);
  }
}

static void predict(void *self) {
  radau_step *s = self;
  s->own = s->own_first;
  s->sharing.made = 0;
  for (int i = 0; i < RADAU_STAGES; ++i) {
    predict_stage(s, &s->stage[i], radau_node[i]);
    memcpy(s->stage[i].f, s->it->v, (size_t)s->nv * sizeof(double));
  }
  collocate(s);
  for (int i = 0; i < RADAU_STAGES; ++i) find_rate(s, s->stage[i].f, &s->stage[i]);
  collocate(s);
  set_tolerances(s);
}

/* ---- sweeps ------------------------------------------------------------------------------- */

static torsor_point stage_point(const stage *g) {
  return (torsor_point){.t = g->t, .q = g->q, .v = g->v, .a = g->w, .lambda = g->lambda};
}

/* Starts the sweep at stage i: applies the changes that the sweep made at the earlier stages (the
 * strictly lower part of radau_iteration) to theta and v, and then updates f and theta such that
 * they agree with the stage's velocity. */
static void advance_stage(radau_step *s, int i) {
  stage *g = &s->stage[i];
  for (int m = 0; m < i; ++m)
    for (int j = 0; j < s->nv; ++j) {
      g->theta[j] += s->h * radau_iteration[i][m] * s->stage[m].df[j];
      g->v[j] += s->h * radau_iteration[i][m] * s->stage[m].dw[j];
    }
  find_rate(s, g->df, g);
  for (int j = 0; j < s->nv; ++j) {
    const double f = g->df[j];
    g->df[j] -= g->f[j];
    g->f[j] = f;
    g->theta[j] += s->z * g->df[j];
  }
  s->problem->plus(s->problem->self, g->q, s->it->q, g->theta);
}

/* Computes x = minus the residual of a stage, with rows scaled as the matrix is. */
static torsor_status stage_residual(radau_step *s, double *x, const stage *g) {
  const torsor_point p = stage_point(g);
  double *phi = x + s->nv, *phi_v = phi + s->nl;
  const torsor_status status = s->problem->residual(s->problem->self, &p, x, phi, phi_v);
  if (status) return status;
  for (int i = 0; i < s->nv; ++i) x[i] *= -s->k / s->systems->mass;
  for (int i = 0; i < s->nl; ++i) phi[i] = -phi[i];
  for (int i = 0; i < s->nl; ++i) phi_v[i] *= -s->z;
  kit_move_nonholonomic(s->problem, phi, phi_v);
  return TORSOR_OK;
}

static void correct_stage(radau_step *s, int i, const double *x) {
  stage *g = &s->stage[i];
  const int nv = s->nv, nl = s->nl;
  const double *y = x + nv, *ds = y + nl;
  s->problem->gradient_force(s->problem->self, s->force, ds);
  for (int j = 0; j < nv; ++j) s->force[j] = x[j] - s->force[j];
  s->problem->taninv(s->problem->self, s->change, g->theta, s->force, false);
  for (int j = 0; j < nv; ++j) {
    g->dw[j] = x[j] / s->k;
    g->w[j] += g->dw[j];
    g->v[j] += x[j] / s->z;
    g->theta[j] += s->change[j];
    g->f[j] += s->change[j] / s->z;
    g->df[j] += s->change[j] / s->z;
    s->u[i * nv + j] = x[j];
    s->way[i * nv + j] = s->z * g->df[j];
  }
  for (int j = 0; j < nl; ++j) {
    g->lambda[j] += y[j] * s->systems->mass / s->k;
    g->eta[j] += ds[j] / s->z;
    s->y[i * nl + j] = y[j];
  }
}

/* Newton's callback for the residual, which has nothing to do here: the residuals are evaluated
 * stage by stage within the sweep, see solve. */
static torsor_status residual(void *self, double *x) {
  (void)self, (void)x;
  return TORSOR_OK;
}

static torsor_status factor_at(radau_step *s, const torsor_point *p) {
  torsor_weights w = {.system = TORSOR_SYSTEM_STABILISED,
                      .follow = s->systems->e == 0,
                      .m = 1 / s->systems->mass,
                      .c = s->z / s->systems->mass,
                      .k = s->k / s->systems->mass,
                      .z = s->z};
  saddle_weigh(s->systems, &w);
  return s->problem->factor(s->problem->self, p, &w);
}

/* Newton's callback that factors the chord matrix, at the middle stage.  Where the iteration is
 * slow with the most of them that a step may make, no such matrix represents all stages (for
 * example with a stiff spring that rotates far): from then on, each stage has a matrix of its own.
 */
static torsor_status factor(void *self) {
  radau_step *s = self;
  stage *g = &s->stage[1];
  s->own = s->own_first || s->sharing.made == s->sharing.most;
  s->sharing.made += !s->own;
  s->problem->plus(s->problem->self, g->q, s->it->q, g->theta);
  const torsor_point p = stage_point(g);
  return factor_at(s, &p);
}

/* Solves for the effect of rounding errors at one stage only, which represents all of them; the
 * parts of the other two stages are set to zero. */
static torsor_status solve_rounding(radau_step *s, double *x) {
  s->rounding = false;
  const torsor_status status = saddle_solve_stage(s->systems, x, true);
  s->problem->gradient_force(s->problem->self, s->force, x + s->nv + s->nl);
  for (int i = 0; i < s->nv; ++i) {
    s->u[i] = x[i];
    s->way[i] = x[i] - s->force[i];
  }
  memcpy(s->y, x + s->nv, (size_t)s->nl * sizeof *s->y);
  memset(s->u + s->nv, 0, (size_t)(2 * s->nv) * sizeof *s->u);
  memset(s->way + s->nv, 0, (size_t)(2 * s->nv) * sizeof *s->way);
  memset(s->y + s->nl, 0, (size_t)(2 * s->nl) * sizeof *s->y);
  return status;
}

static torsor_status solve(void *self, double *x) {
  radau_step *s = self;
  if (s->rounding) return solve_rounding(s, x);
  s->counters->residual_evaluations += RADAU_STAGES - 1;
  for (int i = 0; i < RADAU_STAGES; ++i) {
    advance_stage(s, i);
    const torsor_point p = stage_point(&s->stage[i]);
    torsor_status status = s->own ? factor_at(s, &p) : TORSOR_OK;
    s->counters->factorizations += s->own;
    if (!status) status = stage_residual(s, x, &s->stage[i]);
    if (!status) status = saddle_solve_stage(s->systems, x, true);
    if (status) return status;
    correct_stage(s, i, x);
  }
  return TORSOR_OK;
}

static void measure(void *self, const double *x) {
  (void)self, (void)x;
}

static void correct(void *self, const double *x) {
  (void)x;
  collocate(self);
}

static torsor_status roundoff(void *self, double *x) {
  radau_step *s = self;
  const int nv = s->nv, nl = s->nl;
  stage *g = &s->stage[RADAU_STAGES - 1];
  s->problem->plus(s->problem->self, g->q, s->it->q, g->theta);
  const torsor_point p = stage_point(g);
  double *phi_rows = x + nv, *rate = phi_rows + nl;
  kit_roundoff_rows(phi_rows, rate, s->systems, &p, s->z);
  kit_move_nonholonomic(s->problem, phi_rows, rate);
  s->rounding = true;
  return kit_roundoff_force(x, s->problem, &p, s->k / s->systems->mass, rate + nl);
}

static const newton_system system_table = {.predict = predict,
                                           .residual = residual,
                                           .factor = factor,
                                           .solve = solve,
                                           .measure = measure,
                                           .correct = correct,
                                           .roundoff = roundoff};

/* ---- local errors --------------------------------------------------------------------------
 *
 * The estimate follows Hairer and Wanner (1996, IV.8): an embedded formula of order 3 that also
 * uses the rate at t0, with the weight gamma. Let x be the rate, f or w, at t0 and in the stages;
 * the difference of this quadrature and the method's is then h gamma/10 times the third divided
 * difference of x. The method's own local error is of order 6, hence far smaller where the motion
 * is smooth: for x ~ exp(z t/h) it is z^6/7200, that is z^2/30 of the embedded formula's, and z is
 * found as 3 |third|/|second difference|. */

static const double SMOOTH = 3;

static const double *rate_of(const stage *g, bool velocity) {
  return velocity ? g->w : g->f;
}

/* Computes change = the estimated difference of the two quadratures, and the largest first, second
 * and third divided difference of the rate for each kind of component, translations [0] and
 * rotations [1]. */
static void find_differences(radau_step *s, const double *start, bool velocity,
                             double difference[RADAU_STAGES][2]) {
  double weight2[RADAU_STAGES], weight3[RADAU_STAGES];
  for (int i = 0; i < RADAU_STAGES; ++i) {
    weight2[i] = 1;
    for (int j = 0; j < RADAU_STAGES; ++j)
      if (j != i) weight2[i] /= radau_node[i] - radau_node[j];
    weight3[i] = weight2[i] / radau_node[i];
  }
  memset(difference, 0, RADAU_STAGES * sizeof *difference);
  for (int j = 0; j < s->nv; ++j) {
    const unsigned char *turns = s->problem->rotation;
    const int kind = turns && turns[j];
    double d1 = rate_of(&s->stage[RADAU_STAGES - 1], velocity)[j] - start[j];
    double d2 = 0, d3 = -10 * start[j];
    for (int i = 0; i < RADAU_STAGES; ++i) {
      d2 += weight2[i] * rate_of(&s->stage[i], velocity)[j];
      d3 += weight3[i] * rate_of(&s->stage[i], velocity)[j];
    }
    difference[0][kind] = fmax(difference[0][kind], fabs(d1));
    difference[1][kind] = fmax(difference[1][kind], fabs(d2));
    difference[2][kind] = fmax(difference[2][kind], fabs(d3));
    s->change[j] = s->h * RADAU_GAMMA / 10 * d3;
  }
}

/* Computes rate [nl] = B change in the rows of nonholonomic constraints, as a difference of two
 * residuals; it is 0 in all other rows. These constraints leave positions free, so that the filter
 * of position errors has to preserve this rate. */
static torsor_status keep_nonholonomic(radau_step *s, double *rate) {
  torsor_point p = stage_point(&s->stage[RADAU_STAGES - 1]);
  const double *v = p.v;
  torsor_status status = s->problem->residual(s->problem->self, &p, NULL, NULL, s->rate);
  for (int i = 0; i < s->nv; ++i) s->a[i] = v[i] + s->change[i];
  p.v = s->a;
  if (!status) status = s->problem->residual(s->problem->self, &p, NULL, NULL, rate);
  for (int i = 0; i < s->nl && !status; ++i)
    rate[i] = s->problem->nonholonomic[i] ? rate[i] - s->rate[i] : 0;
  return status;
}

/* Filters the estimate: change <- [M + h gamma C + ..]^-1 M change with the present matrix (as
 * Shampine proposed; Hairer and Wanner 1996, IV.8). This removes the parts that the method damps
 * and those that the constraints of positions, or of velocities, exclude. */
static torsor_status filter_change(radau_step *s, bool velocity) {
  const stage *g = &s->stage[RADAU_STAGES - 1];
  torsor_point p = stage_point(g);
  double *x = s->x, *here = x + s->nv + 2 * s->nl;
  torsor_status status = s->problem->residual(s->problem->self, &p, here, NULL, NULL);
  for (int i = 0; i < s->nv; ++i) s->a[i] = g->w[i] + s->change[i];
  p.a = s->a;
  if (!status) status = s->problem->residual(s->problem->self, &p, x, NULL, NULL);
  if (status) return status;
  s->counters->residual_evaluations += 2;
  for (int i = 0; i < s->nv; ++i) x[i] = (x[i] - here[i]) / s->systems->mass;
  memset(x + s->nv, 0, (size_t)(2 * s->nl) * sizeof *x);
  if (s->problem->nonholonomic && !velocity) status = keep_nonholonomic(s, x + s->nv);
  if (!status) status = s->problem->solve(s->problem->self, x);
  memcpy(s->change, x, (size_t)s->nv * sizeof *x);
  return status;
}

/* Estimates the local error of positions or velocities: it is `change` [nv] times the factor
 * `share` of the component's kind, translation or rotation, per second. Errors of velocities also
 * cause errors of positions, growing for the time `lasting` within which the velocity error
 * decays. */
static torsor_status find_error(double share[2], double lasting[2], radau_step *s,
                                const double *start, bool velocity) {
  double d[RADAU_STAGES][2];
  find_differences(s, start, velocity, d);
  for (int i = 0; i < 2; ++i) {
    const double z = d[2][i] > 0 ? 3 * d[2][i] / d[1][i] : 0;
    const double square = fmin(z * z, d[2][i] > 0 ? 6 * d[2][i] / d[0][i] : 0);
    share[i] = fmin(1, square / SMOOTH) / s->h;
    lasting[i] = !velocity ? 1 : square > 0 ? s->h / sqrt(square) : 0;
  }
  return filter_change(s, velocity);
}

/* Raises *error to the largest local error per second relative to the allowed one. */
static torsor_status estimate(double *error, radau_step *s, const double *start, bool velocity) {
  const torsor_accuracy *allowed = &s->settings->accuracy;
  double share[2], lasting[2];
  const torsor_status status = find_error(share, lasting, s, start, velocity);
  const unsigned char *turns = s->problem->rotation;
  for (int i = 0; i < s->nv; ++i) {
    const int kind = turns && turns[i];
    const double most = kind ? allowed->rotation : allowed->position;
    const double size = share[kind] * fabs(s->change[i]);
    if (most > 0) *error = fmax(*error, lasting[kind] * size / most);
    if (velocity && allowed->velocity > 0) *error = fmax(*error, size / allowed->velocity);
  }
  return status;
}

static torsor_status check_error(torsor_integrator *it, radau_step *s) {
  double error = 0;
  if (!it->control.on) return TORSOR_OK;
  torsor_status status = estimate(&error, s, it->v, false);
  if (!status) status = estimate(&error, s, it->a, true);
  if (status) return status;
  it->control.error = error;
  return error <= 1 || it->control.passing ? TORSOR_OK : TORSOR_ACCURACY;
}

/* Multiplies the local errors in errors.before, and `change`, the same errors without the part that
 * decays within one more step, by the factors of each component's kind, and adds them to the sum of
 * errors. */
static void add_change(torsor_integrator *it, radau_step *s, bool velocity, long window,
                       const double factor[2]) {
  error_sum *sum = &it->errors;
  const unsigned char *turns = s->problem->rotation;
  for (int i = 0; i < s->nv; ++i) {
    sum->before[i] *= factor[turns && turns[i]];
    s->change[i] *= factor[turns && turns[i]];
  }
  error_sum_add(sum, velocity, (double)window, sum->before, s->change);
}

/* Adds the local errors of the step that was just found to the sum of errors, multiplied by the
 * number of steps that it stands for (estimates are made for one step in a window). */
static torsor_status add_errors(torsor_integrator *it, radau_step *s) {
  const long window = error_sum_window(&it->errors, it->a, s->stage[RADAU_STAGES - 1].w);
  for (int velocity = 0; velocity < 2 && window; ++velocity) {
    double share[2], lasting[2];
    torsor_status status = find_error(share, lasting, s, velocity ? it->a : it->v, velocity);
    /* A velocity that decays with the rate z/h is in error by R(z) ~ 3/z of it where z is large,
     * with the stability function R; this is smaller than the filtered estimate by 1/(1 + z gamma),
     * hence the second filter. */
    if (!status && velocity) status = filter_change(s, true);
    memcpy(it->errors.before, s->change, (size_t)s->nv * sizeof *s->change);
    if (!status) status = filter_change(s, velocity);
    if (status) return status < 0 ? status : TORSOR_OK;
    for (int i = 0; i < 2; ++i) share[i] *= s->h;
    add_change(it, s, velocity, window, share);
    if (velocity) add_change(it, s, false, window, lasting);
  }
  return TORSOR_OK;
}

/* ---- the method --------------------------------------------------------------------------- */

static torsor_status check(const torsor_problem *problem, const torsor_settings *settings,
                           torsor_error *error) {
  (void)settings;
  if (!problem->taninv)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method \"radau\" needs the inverse tangent of the problem's chart");
  return TORSOR_OK;
}

static void walk_stage(stage *g, const torsor_problem *p, tape *t) {
  const int nv = p->nv, nl = p->nl;
  TAPE_VALUE(t, g->t);
  TAPE_ARRAY(t, g->q, p->nq);
  TAPE_ARRAY(t, g->theta, nv);
  TAPE_ARRAY(t, g->v, nv);
  TAPE_ARRAY(t, g->f, nv);
  TAPE_ARRAY(t, g->w, nv);
  TAPE_ARRAY(t, g->lambda, nl);
  TAPE_ARRAY(t, g->eta, nl);
  TAPE_ARRAY(t, g->df, nv);
  TAPE_ARRAY(t, g->dw, nv);
  TAPE_ARRAY(t, g->w_last, nv);
  TAPE_ARRAY(t, g->lambda_last, nl);
  TAPE_ARRAY(t, g->eta_last, nl);
}

static void walk(torsor_integrator *it, tape *t) {
  radau_step *s = it->own;
  const int nv = s->nv, nl = s->nl;
  for (int i = 0; i < RADAU_STAGES; ++i) walk_stage(&s->stage[i], s->problem, t);
  TAPE_VALUE(t, s->h_last);
  TAPE_VALUE(t, s->own);
  TAPE_VALUE(t, s->own_first);
  TAPE_VALUE(t, s->sharing);
  TAPE_VALUE(t, s->rounding);
  TAPE_ARRAY(t, s->u, RADAU_STAGES * nv);
  TAPE_ARRAY(t, s->y, RADAU_STAGES * nl);
  TAPE_ARRAY(t, s->way, RADAU_STAGES * nv);
  TAPE_ARRAY(t, s->force, nv);
  TAPE_ARRAY(t, s->rate, nl);
  TAPE_ARRAY(t, s->change, nv);
  TAPE_ARRAY(t, s->a, nv);
  TAPE_ARRAY(t, s->x, s->problem->nq + 4 * nv + 2 * nl);
}

static torsor_status create(torsor_integrator *it) {
  radau_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->problem = it->problem;
  s->settings = &it->settings;
  s->newton = &it->newton;
  s->systems = &it->systems;
  s->counters = &it->counters;
  s->it = it;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  if (take.status) return take.status;
  newton *n = s->newton;
  n->x = s->x;
  n->block_count = 3;
  n->blocks[0] = (newton_block){.data = s->u, .length = RADAU_STAGES * s->nv};
  n->blocks[1] = (newton_block){.data = s->y, .length = RADAU_STAGES * s->nl};
  n->blocks[2] = (newton_block){.data = s->way, .length = RADAU_STAGES * s->nv};
  return TORSOR_OK;
}

static torsor_status start(torsor_integrator *it, double h) {
  radau_step *s = it->own;
  (void)h;
  newton_init(s->newton);
  s->h_last = 0;
  s->rounding = false;
  memset(it->eta, 0, (size_t)s->nl * sizeof *it->eta);
  return start_motion(it->a, it->lambda, it, s->x);
}

/* Solves for accelerations and multipliers at t1 that are consistent with q and v, and hence of
 * order 5, as the stages' multipliers are of lower order. Where no such solution is found, the
 * values of the last stage (c = 1) are used. */
static torsor_status finish(torsor_integrator *it, radau_step *s, double t1) {
  const stage *g = &s->stage[RADAU_STAGES - 1];
  const size_t nv = (size_t)s->nv, nl = (size_t)s->nl;
  memcpy(it->lambda, g->lambda, nl * sizeof *it->lambda);
  const torsor_status status =
      start_accelerations_within(it->a, it->lambda, it, t1, it->q, it->v, s->x);
  if (status) {
    memcpy(it->a, g->w, nv * sizeof *it->a);
    memcpy(it->lambda, g->lambda, nl * sizeof *it->lambda);
  }
  return status < 0 ? status : TORSOR_OK;
}

/* Removes from the multipliers of the stages the parts in the null space of the constraints'
 * transpose, which cause no force, because repeated extrapolation would let them grow. Where the
 * filter fails, the multipliers stay as they are. */
static void filter_stages(radau_step *s) {
  const double scale = s->k / s->systems->mass;
  double *y = s->x + s->nv, *other = y + s->nl;
  for (int i = 0; i < RADAU_STAGES && s->systems->e > 0; ++i) {
    stage *g = &s->stage[i];
    for (int j = 0; j < s->nl; ++j) {
      y[j] = scale * g->lambda[j];
      other[j] = s->z * g->eta[j];
    }
    if (saddle_filter(s->systems, y, other)) return;
    for (int j = 0; j < s->nl; ++j) {
      g->lambda[j] = y[j] / scale;
      g->eta[j] = other[j] / s->z;
    }
  }
}

static torsor_status accept(torsor_integrator *it, radau_step *s, double t1) {
  const size_t nv = (size_t)s->nv, nl = (size_t)s->nl;
  filter_stages(s);
  for (int i = 0; i < RADAU_STAGES; ++i) {
    stage *g = &s->stage[i];
    memcpy(g->w_last, g->w, nv * sizeof *g->w);
    memcpy(g->lambda_last, g->lambda, nl * sizeof *g->lambda);
    memcpy(g->eta_last, g->eta, nl * sizeof *g->eta);
  }
  for (size_t i = 0; i < nl; ++i) {
    it->eta[i] = 0;
    for (int j = 0; j < RADAU_STAGES; ++j)
      it->eta[i] += radau_matrix[RADAU_STAGES - 1][j] * s->stage[j].eta[i];
  }
  s->h_last = s->h;
  const stage *g = &s->stage[RADAU_STAGES - 1];
  memcpy(it->q, g->q, (size_t)s->problem->nq * sizeof *it->q);
  memcpy(it->v, g->v, nv * sizeof *it->v);
  return finish(it, s, t1);
}

/* Before a step is refused because matrices of all stages do not contract, it is tried with one for
 * each stage. */
static torsor_status solve_step(torsor_integrator *it, radau_step *s) {
  newton_system system = system_table;
  system.self = s;
  s->own_first = false;
  radau_sharing_begin(&s->sharing);
  torsor_status status = newton_solve(s->newton, &system, &it->counters);
  const bool again = status == TORSOR_NEWTON && s->sharing.most > 1 && s->sharing.made > 1;
  radau_sharing_end(&s->sharing, !status && !s->own);
  if (!again) return status;
  s->own_first = true;
  newton_forget(s->newton);
  return newton_solve(s->newton, &system, &it->counters);
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  radau_step *s = it->own;
  stage *g = &s->stage[RADAU_STAGES - 1];
  set_step(s, t1, h);
  torsor_status status = s->problem->freeze_gradient(s->problem->self, it->t, it->q);
  if (!status) status = solve_step(it, s);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(s->systems->e > 0)) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(s->systems, &p);
    status = solve_step(it, s);
  }
  s->problem->plus(s->problem->self, g->q, it->q, g->theta);
  if (!status) {
    status = check_error(it, s);
    if (status) return status;
  }
  const torsor_point p = stage_point(g);
  if (!status && s->problem->accept) status = s->problem->accept(s->problem->self, &p);
  if (!status) status = add_errors(it, s);
  if (!status) return accept(it, s, t1);
  kit_describe_failure(&it->failure, s->problem, status, h, &p, s->newton, s->x);
  return status;
}

static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  const radau_step *s = it->own;
  (void)h, (void)h_old;
  newton_forget(s->newton);
  return TORSOR_OK;
}

const method method_radau = {.name = "radau",
                             .title = "Radau IIA on Lie groups, stabilised index 2, order 5",
                             .order = 5,
                             .settings = {"atol", "rtol"},
                             .check = check,
                             .create = create,
                             .walk = walk,
                             .start = start,
                             .step = step,
                             .resize = resize,
                             .stabilised = true,
                             .settles = true,
                             .estimates_error = true};
