/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alpha_companion.h"

#include <math.h>
#include <string.h>

#include "alpha_step.h"
#include "base/vec.h"

/* The fraction of the local errors that is removed: so small that the distance of the companion is
 * linear in them, and so large that rounding and Newton's tolerance contribute no more than some
 * 1e-5 of it. */
static const double PART = 0x1p-10;

/* Quadrature: integrals over a step of v' and of (1 - s) v', s from 0 to 1, by the polynomial
 * through the values at its end, at its start, and at the starts of up to two steps before. */
enum { MOST_BEFORE = COMPANION_NODES - 2 };

/* Finds their weights, those of Adams-Moulton for equal steps, of values at s = node[count]. */
static void find_weights(double of_v[COMPANION_NODES], double of_u[COMPANION_NODES],
                         const double node[COMPANION_NODES], int count) {
  for (int j = 0; j < count; ++j) {
    double c[COMPANION_NODES + 1] = {1}; /* coefficients of Lagrange's polynomial of node j */
    for (int k = 0, degree = 0; k < count; ++k) {
      if (k == j) continue;
      ++degree;
      for (int i = degree; i >= 0; --i)
        c[i] = ((i > 0 ? c[i - 1] : 0) - node[k] * c[i]) / (node[j] - node[k]);
    }
    of_v[j] = of_u[j] = 0;
    for (int i = 0; i < count; ++i) {
      of_v[j] += c[i] / (i + 1);
      of_u[j] += c[i] / ((i + 1) * (i + 2));
    }
  }
}

/* A step does not resolve a motion where local errors of velocities exceed this fraction of the
 * largest velocity: they are not removed then.  In the first steps, whose polynomials have a lower
 * degree, the estimate is less reliable for a motion that a stiff damper ends. */
static const double MOST_LOCAL = 1.0 / 16, MOST_LOCAL_FIRST = 1.0 / 256;

/* The iteration ends where the velocities are closer to its limit than this fraction of their
 * distance from the motion, or after CORRECTIONS.  The fraction is the same from step to step: it
 * accumulates over as many as there are, and motions multiply it, such as at change points. */
static const double LEFT = 0x1p-14;
enum { CORRECTIONS = 4 };

/* The distance from the limit follows from the contraction, the ratio of the first two corrections
 * of a step.  After a step that took one, it is taken to be this many times larger, as the matrix
 * of the motion may be of an earlier step by then, and is so measured again after a few. */
static const double UNMEASURED = 2;

void companion_walk(companion *c, tape *t, const torsor_problem *problem, int ny) {
  const int nv = problem->nv, nl = problem->nl;
  TAPE_VALUE(t, c->known);
  TAPE_VALUE(t, c->starts);
  TAPE_VALUE(t, c->apart);
  TAPE_VALUE(t, c->lost);
  TAPE_VALUE(t, c->t);
  TAPE_VALUE(t, c->size);
  TAPE_VALUE(t, c->steps);
  TAPE_VALUE(t, c->contraction);
  TAPE_ARRAY(t, c->q, problem->nq);
  TAPE_ARRAY(t, c->v, nv);
  TAPE_ARRAY(t, c->a, nv);
  TAPE_ARRAY(t, c->y, ny);
  for (int i = 0; i < MOST_BEFORE; ++i) TAPE_ARRAY(t, c->before[i], nv);
  TAPE_ARRAY(t, c->bracket, nv);
  TAPE_WORK(t, c->q1, problem->nq);
  TAPE_WORK(t, c->v1, nv);
  TAPE_WORK(t, c->y1, ny);
  TAPE_WORK(t, c->u, nv);
  TAPE_WORK(t, c->force, nv);
  TAPE_WORK(t, c->moved, nv + nl);
  TAPE_WORK(t, c->phi, nl);
  TAPE_WORK(t, c->off, nl);
  TAPE_WORK(t, c->x, ny + nl);
  TAPE_WORK(t, c->shown_a, nv);
  TAPE_WORK(t, c->shown_lambda, nl);
}

/* Is the system solved with the matrix of all unknowns, the corrections s among them? */
static bool is_whole(const alpha_step *s) {
  return s->ggl && !alpha_is_halved(s);
}

static const double *begin_velocity(const alpha_step *s) {
  return s->shifted ? s->v0 : s->it->v;
}

/* Begins at the state of the motion. */
static void begin(companion *c, const alpha_step *s) {
  const size_t nv = (size_t)s->nv;
  memcpy(c->q, s->it->q, (size_t)s->problem->nq * sizeof *c->q);
  memcpy(c->v, begin_velocity(s), nv * sizeof *c->v);
  memcpy(c->a, s->a0, nv * sizeof *c->a);
  memcpy(c->y, s->y0, (size_t)s->ny * sizeof *c->y);
  c->steps = 0;
  c->contraction = 1;
  c->known = true;
  c->apart = false;
}

/* Finds the weights for the sizes of the last steps, unless they are those of the step before. */
static void find_rule(companion *c, double h) {
  companion_rule *rule = &c->rule;
  const int k = c->steps < MOST_BEFORE ? c->steps : MOST_BEFORE;
  const double node[COMPANION_NODES] = {1, 0, -c->size[0] / h, -(c->size[0] + c->size[1]) / h};
  double rest[COMPANION_NODES];
  if (rule->count == k + 2 && memcmp(rule->node, node, sizeof node) == 0) return;
  *rule = (companion_rule){.count = k + 2};
  memcpy(rule->node, node, sizeof node);
  find_weights(rule->of_velocity, rule->of_position, node, k + 2);
  find_weights(rule->lower, rest, node, k > 0 ? k + 1 : 2);
}

static double combine(const double weight[COMPANION_NODES], const double *y1, const double *y0,
                      double *const *before, int i) {
  return weight[0] * y1[i] + weight[1] * y0[i] + weight[2] * before[0][i] +
         weight[3] * before[1][i];
}

/* Finds the local errors of the velocities and positions in the step, v1 and u [nv]: the defect of
 * the step against the polynomial through v' at the ends of the last steps. */
static void find_local(companion *c, const alpha_step *s) {
  const torsor_alpha *p = &s->alpha;
  const companion_rule *rule = &c->rule;
  const bool controlled = torsor_accuracy_is_set(&s->settings->accuracy);
  find_rule(c, s->h);
  c->unsure[0] = c->unsure[1] = 0;
  const double h = s->h, *y0 = s->y0, *y1 = s->y1, *a0 = s->a0;
  double *bracket = c->moved;
  s->problem->bracket(s->problem->self, bracket, s->v1, y1);
  for (int i = 0; i < s->nv; ++i) {
    const double a1 = next_auxiliary(p, y1[i], y0[i], a0[i]);
    const double turn = h / 12 * (c->steps > 0 ? (bracket[i] + c->bracket[i]) / 2 : bracket[i]);
    const double of_v = combine(rule->of_velocity, y1, y0, c->before, i);
    const double of_u = combine(rule->of_position, y1, y0, c->before, i) + turn;
    c->v1[i] = h * (of_v - (1 - p->gamma) * a0[i] - p->gamma * a1);
    c->u[i] = h * h * (of_u - (0.5 - p->beta) * a0[i] - p->beta * a1);
    c->bracket[i] = bracket[i];
    const int kind = s->problem->rotation && s->problem->rotation[i];
    if (controlled)
      c->unsure[kind] =
          fmax(c->unsure[kind], h * fabs(of_v - combine(rule->lower, y1, y0, c->before, i)));
    c->before[1][i] = c->before[0][i];
    c->before[0][i] = y0[i];
  }
}

/* Nor are they where a lower degree of the polynomial changes those of a controlled step by more
 * than this part, such as at kinks. */
static const double MOST_UNSURE = 1.0 / 2;

/* Does the step resolve the motion, so that local errors are small, and is it more than rounding
 * errors of a model at rest? */
static bool is_resolved(const companion *c, const alpha_step *s) {
  const double *v0 = begin_velocity(s);
  double error[2] = {0, 0}, local[2] = {0, 0}, size[2] = {0, 0};
  for (int i = 0; i < s->nv; ++i) {
    const int kind = s->problem->rotation && s->problem->rotation[i];
    error[kind] = fmax(error[kind], fmax(fabs(c->v1[i]), fabs(c->u[i]) / s->h));
    local[kind] = fmax(local[kind], fabs(c->v1[i]));
    size[kind] = fmax(size[kind], fmax(fabs(v0[i]), fabs(s->v1[i])));
  }
  const double most = c->steps > MOST_BEFORE ? MOST_LOCAL : MOST_LOCAL_FIRST;
  const torsor_point p = trial_point(s);
  const torsor_accuracy *asked = &s->settings->accuracy;
  const double allowed[2] = {asked->position, asked->rotation};
  bool moves = false;
  for (int kind = 0; kind < 2; ++kind) {
    if (allowed[kind] > 0 && c->unsure[kind] > MOST_UNSURE * local[kind]) return false;
    if (!(size[kind] > kit_still(s->problem, &p, kind, s->h))) continue;
    if (!(error[kind] <= most * size[kind])) return false;
    moves = true;
  }
  return moves;
}

/* Predicts v' and lambda by the change of those of the motion, and the rest by the formulas of the
 * step. */
static void predict(companion *c, const alpha_step *s) {
  const torsor_alpha *p = &s->alpha;
  const double h = s->h, part = c->resolved ? PART : 0;
  for (int i = 0; i < s->ny; ++i) c->y1[i] = s->y1[i] + (c->y[i] - s->y0[i]);
  if (is_whole(s)) s->problem->gradient_force(s->problem->self, c->force, c->y1 + s->nv + s->nl);
  for (int i = 0; i < s->nv; ++i) {
    const double a1 = next_auxiliary(p, c->y1[i], c->y[i], c->a[i]);
    const double force = is_whole(s) ? c->force[i] : s->ggl ? s->force[i] : 0;
    c->v1[i] = c->v[i] + h * ((1 - p->gamma) * c->a[i] + p->gamma * a1) + part * c->v1[i];
    c->u[i] =
        h * (c->v[i] + h * ((0.5 - p->beta) * c->a[i] + p->beta * a1)) + part * c->u[i] - force;
  }
}

/* x = minus the residual, in the rows of the present matrix.  Where this has one row per
 * constraint, it is that of the velocities, and the residuals of positions are in phi [nl]. */
static torsor_status find_residual(companion *c, const alpha_step *s) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv, nl = s->nl;
  const torsor_point p = {
      .t = s->t1, .q = c->q1, .v = c->v1, .a = c->y1, .lambda = c->y1 + nv, .u = c->u};
  double *phi = c->x + nv, *phi_v = phi + nl;
  const torsor_status status = problem->residual(problem->self, &p, c->x, phi, phi_v);
  for (int i = 0; i < nv; ++i) c->x[i] *= -s->k / s->systems->mass;
  for (int i = 0; i < nl; ++i) {
    const double rate = -s->z * (phi_v[i] - (s->ggl ? 0 : (1 - PART) * c->off[i]));
    const bool velocity = problem->nonholonomic && problem->nonholonomic[i];
    if (is_whole(s)) {
      phi[i] = velocity ? rate : -phi[i];
      phi_v[i] = velocity ? 0 : rate;
    } else {
      c->phi[i] = velocity ? 0 : -phi[i];
      phi[i] = rate;
    }
  }
  return status;
}

/* Is B x what the rows of velocities ask for, so that positions follow from the rest of theirs?  It
 * is not where rows are regularised. */
static bool leaves_rest(const alpha_step *s) {
  return !is_whole(s) && !(s->ggl && s->systems->e > 0);
}

/* Finds the correction of positions, moved [nv], where it is not x minus B0^T s: positions satisfy
 * their own rows.  With index 3 the matrix of the velocities serves for that, too. */
static torsor_status move_positions(companion *c, const alpha_step *s) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv, nl = s->nl;
  double *moved = c->moved;
  memcpy(moved + nv, c->phi, (size_t)nl * sizeof *moved);
  if (!leaves_rest(s)) {
    memcpy(moved, c->x, (size_t)nv * sizeof *moved);
    return problem->solve_correction(problem->self, moved, TORSOR_CORRECTION_WHOLE);
  }
  memset(moved, 0, (size_t)nv * sizeof *moved);
  torsor_status status = TORSOR_OK;
  if (s->ggl)
    status = problem->solve_correction(problem->self, moved, TORSOR_CORRECTION_STILL);
  else if (nl)
    status = problem->solve(problem->self, moved);
  for (int i = 0; i < nv; ++i) moved[i] += c->x[i];
  return status;
}

static torsor_status solve(companion *c, const alpha_step *s) {
  const torsor_problem *problem = s->problem;
  double *y = c->x + s->nv;
  for (int i = 0; i < s->nl && leaves_rest(s); ++i)
    if (!(problem->nonholonomic && problem->nonholonomic[i])) c->phi[i] -= y[i];
  torsor_status status = problem->solve(problem->self, c->x);
  if (!status && !is_whole(s)) status = move_positions(c, s);
  if (status || !(s->systems->e > 0)) return status;
  return saddle_filter(s->systems, y, is_whole(s) ? y + s->nl : NULL);
}

static void correct(companion *c, const alpha_step *s) {
  const int nv = s->nv, nl = s->nl;
  const double *x = c->x;
  if (is_whole(s)) s->problem->gradient_force(s->problem->self, c->force, x + nv + nl);
  for (int i = 0; i < nv; ++i) {
    c->u[i] += is_whole(s) ? x[i] - c->force[i] : c->moved[i];
    c->v1[i] += s->dv_du * x[i];
    c->y1[i] += s->dvd_du * x[i];
  }
  vec_add_scaled(c->y1 + nv, s->systems->mass / s->k, x + nv, nl);
  if (is_whole(s)) vec_add_scaled(c->y1 + nv + nl, 1, x + nv + nl, nl);
}

static double distance(const double *x, const double *y, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Iterates to the end of the step; returns false where corrections do not become small. */
static bool find_end(companion *c, const alpha_step *s) {
  const torsor_problem *problem = s->problem;
  double first = 0, size = 0;
  for (int k = 0; k < CORRECTIONS; ++k) {
    const double before = size;
    problem->plus(problem->self, c->q1, c->q, c->u);
    if (find_residual(c, s) || solve(c, s)) return false;
    correct(c, s);
    size = vec_largest(c->x, s->nv);
    if (k == 0) first = size;
    if (k < 2) c->contraction = k == 0 ? fmin(UNMEASURED * c->contraction, 1) : size / before;
    const double left = size * (k < 2 ? c->contraction : size / before);
    const double enough = LEFT * distance(c->v1, s->v1, s->nv) / s->dv_du;
    if (left <= enough || size <= s->newton->blocks[0].tolerance) break;
  }
  problem->plus(problem->self, c->q1, c->q, c->u);
  return isfinite(size) && size <= first;
}

/* Filters the multipliers as those of the motion: see accept. */
static void filter(companion *c, const alpha_step *s) {
  double *lambda = c->y1 + s->nv;
  const double scale = s->k / s->systems->mass;
  for (int i = 0; i < s->nl; ++i) lambda[i] *= scale;
  saddle_filter(s->systems, lambda, is_whole(s) ? lambda + s->nl : NULL);
  for (int i = 0; i < s->nl; ++i) lambda[i] /= scale;
}

/* Largest number of starts for which the distance still estimates the error, as each restart of the
 * motion resets it. */
enum { MOST_STARTS = 2 };

void companion_start(companion *c) {
  c->known = false;
  if (c->starts <= MOST_STARTS) ++c->starts;
}

bool companion_tells(const companion *c) {
  return !c->lost && c->resolved && c->starts <= MOST_STARTS;
}

static void swap(double **a, double **b) {
  double *other = *a;
  *a = *b;
  *b = other;
}

void companion_follow(alpha_step *s) {
  companion *c = &s->companion;
  if (c->lost) return;
  if (!c->known || c->t < s->it->t || c->t > s->it->t) begin(c, s);
  find_local(c, s);
  ++c->steps;
  c->t = s->t1;
  c->size[1] = c->size[0];
  c->size[0] = s->h;
  c->resolved = is_resolved(c, s);
  c->apart |= c->resolved;
  predict(c, s);
  if (!s->ggl && s->nl > 0) {
    const torsor_point end = trial_point(s);
    c->lost = s->problem->residual(s->problem->self, &end, NULL, NULL, c->off);
  }
  c->lost = c->lost || !find_end(c, s);
  if (c->lost) return;
  if (s->systems->e > 0) filter(c, s);
  for (int i = 0; i < s->nv; ++i) c->a[i] = next_auxiliary(&s->alpha, c->y1[i], c->y[i], c->a[i]);
  swap(&c->q, &c->q1);
  swap(&c->v, &c->v1);
  swap(&c->y, &c->y1);
}

void companion_scale(companion *c, const torsor_problem *problem, double ratio) {
  for (int i = 0; c->known && i < problem->nv; ++i) c->a[i] = c->y[i] + ratio * (c->a[i] - c->y[i]);
}

bool companion_state(torsor_state *out, double *part, torsor_integrator *it,
                     const torsor_state *shown) {
  const alpha_step *s = it->own;
  const companion *c = &s->companion;
  const last_step *last = &it->last;
  const torsor_point p = {
      .t = shown->t, .q = shown->q, .v = shown->v, .a = shown->a, .lambda = shown->lambda};
  if (!c->known || !c->apart || c->lost || shown->t < it->t) return false;
  *out = *shown;
  out->q = c->q;
  out->v = c->v;
  *part = PART;
  if (!last->known || !last->determined) return true;
  out->a = c->shown_a;
  out->lambda = c->shown_lambda;
  return !start_reactions_beside(c->shown_a, c->shown_lambda, it, &p, c->q, c->v, it->last.work);
}
