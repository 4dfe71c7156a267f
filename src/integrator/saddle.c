/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "saddle.h"

#include "alpha_kit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Regularisation e.  Newton's method contracts by e over the smallest eigenvalue of B (M/mass)^-1
 * B^T, the filter leaves eps/e of the parts that it removes, and a dead centre can be passed while
 * that eigenvalue exceeds e. */
static const double REGULARISATION = 1e-9;

/* Largest number of refinements.  Each one gains the factor of e over the smallest eigenvalue; more
 * are useless. */
enum { MOST_SOLVES = 30 };

/* A residual below this number of units of round-off counts as zero. */
static const double ROUNDOFF = 16 * DBL_EPSILON;

void saddle_init(saddle *out, const torsor_problem *problem) {
  *out = (saddle){.problem = problem, .mass = 1};
}

void saddle_walk(saddle *s, tape *t) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  TAPE_VALUE(t, s->e);
  TAPE_VALUE(t, s->mass);
  TAPE_ARRAY(t, s->moved, nl);
  TAPE_ARRAY(t, s->turned, nl);
  TAPE_ARRAY(t, s->scales.component, nv);
  TAPE_ARRAY(t, s->scales.row, nl);
  TAPE_ARRAY(t, s->scales.correction, nl);
  TAPE_ARRAY(t, s->b, nv + nl);
  TAPE_ARRAY(t, s->y, nl);
  TAPE_ARRAY(t, s->x, nv + 2 * nl);
}

torsor_status saddle_create(saddle *out, const torsor_problem *problem, arena *memory) {
  tape take = {.memory = memory};
  saddle_init(out, problem);
  saddle_walk(out, &take);
  return take.status;
}

static void fill(double *x, int n, double value) {
  for (int i = 0; i < n; ++i) x[i] = value;
}

/* Finds the sizes of the rows; rows that nothing moves now count as lengths. */
static void find_sizes(saddle *s, const torsor_point *p) {
  const torsor_problem *problem = s->problem;
  const int nl = problem->nl;
  fill(s->moved, nl, 1);
  fill(s->turned, nl, problem->length);
  if (!nl || !problem->row_sizes) return;
  problem->row_sizes(problem->self, p, s->moved, s->turned);
  for (int i = 0; i < nl; ++i) {
    const double sum = s->moved[i] + s->turned[i];
    if (sum > 0 && isfinite(sum)) continue;
    s->moved[i] = 1;
    s->turned[i] = problem->length;
  }
}

void saddle_scale(saddle *s, const torsor_point *p) {
  const torsor_problem *problem = s->problem;
  find_sizes(s, p);
  const double mass = problem->mass_scale ? problem->mass_scale(problem->self, p) : 1;
  s->e = 0;
  s->mass = mass > 0 ? mass : 1;
}

void saddle_regularise(saddle *s, const torsor_point *p) {
  const torsor_problem *problem = s->problem;
  saddle_scale(s, p);
  s->e = REGULARISATION;
  s->scales.mass = s->mass;
  fill(s->scales.component, problem->nv, 1);
  fill(s->scales.row, problem->nl, 1);
  fill(s->scales.correction, problem->nl, 1);
  if (problem->scales) problem->scales(problem->self, p, &s->scales);
  if (s->scales.mass > 0) s->mass = s->scales.mass;
}

void saddle_weigh(const saddle *s, torsor_weights *w) {
  w->e = s->e;
  w->rows = s->scales.row;
  w->corrections = s->scales.correction;
}

torsor_status saddle_factor(saddle *s, const torsor_point *p, torsor_system system) {
  torsor_weights w = {.system = system, .m = 1 / s->mass, .aside = s->aside};
  saddle_weigh(s, &w);
  return s->problem->factor(s->problem->self, p, &w);
}

torsor_status saddle_accelerate(const saddle *s, const torsor_point *p, double *a, double *lambda) {
  const torsor_problem *problem = s->problem;
  if (!problem->accelerate || problem->redundant || s->e > 0) return TORSOR_SINGULAR;
  return problem->accelerate(problem->self, p, a, lambda, 1 / s->mass);
}

static double squared(double x) {
  return x * x;
}

/* Returns the largest entry of the solution and of the right side, scaled to components and rows of
 * size 1. */
static double size_of(const saddle *s, const double *x) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  const torsor_scales *scales = &s->scales;
  double size = 0;
  for (int i = 0; i < nv; ++i) {
    size = fmax(size, fabs(x[i]) * scales->component[i]);
    size = fmax(size, fabs(s->b[i]) / scales->component[i]);
  }
  for (int i = 0; i < nl; ++i) size = fmax(size, fabs(s->b[nv + i]) / scales->row[i]);
  return size;
}

/* Solves A0 x = b by iterative refinement, A x_k+1 = b + e D x_k, whose constraint rows have the
 * residual e (y_k+1 - y_k). */
static torsor_status iterate(saddle *s, double *x, double *left) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  memcpy(s->b, x, (size_t)(nv + nl) * sizeof *s->b);
  memset(s->y, 0, (size_t)nl * sizeof *s->y);
  *left = HUGE_VAL;
  for (int k = 0; k < MOST_SOLVES; ++k) {
    memcpy(x, s->b, (size_t)(nv + nl) * sizeof *x);
    for (int i = 0; i < nl; ++i) x[nv + i] -= s->e * squared(s->scales.row[i]) * s->y[i];
    const torsor_status status = s->problem->solve(s->problem->self, x);
    if (status) return status;
    double off = 0;
    for (int i = 0; i < nl; ++i)
      off = fmax(off, fabs(s->e * s->scales.row[i] * (x[nv + i] - s->y[i])));
    /* Where constraints fix everything that forces would move, accelerations are rounding errors of
     * the forces. */
    const double size = size_of(s, x);
    off = off > 0 ? off / size : 0;
    memcpy(s->y, x + nv, (size_t)nl * sizeof *s->y);
    const bool stalled = k > 1 && off > *left / 2;
    *left = off;
    if (off <= ROUNDOFF || stalled) break;
  }
  return TORSOR_OK;
}

torsor_status saddle_solve(saddle *s, double *x, double *left) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  double residual = 0;
  for (int i = 0; i < nv; ++i) x[i] /= s->mass;
  const torsor_status status =
      s->e > 0 ? iterate(s, x, &residual) : s->problem->solve(s->problem->self, x);
  for (int i = 0; i < nl; ++i) x[nv + i] *= s->mass;
  if (left) *left = residual;
  return status;
}

torsor_status saddle_filter(saddle *s, double *y, double *other) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  const double *row = s->scales.row, *correction = s->scales.correction;
  double *x = s->x;
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) {
    const bool crossed = other && !(s->problem->nonholonomic && s->problem->nonholonomic[i]);
    const double of_y = -s->e * squared(row[i]) * y[i];
    x[nv + i] = crossed ? -s->e * squared(correction[i]) * other[i] : of_y;
    if (other) x[nv + nl + i] = crossed ? of_y : 0;
  }
  const torsor_status status = s->problem->solve(s->problem->self, x);
  if (status) return status;
  for (int i = 0; i < nl; ++i) y[i] -= x[nv + i];
  for (int i = 0; other && i < nl; ++i) other[i] -= x[nv + nl + i];
  return TORSOR_OK;
}

torsor_status saddle_solve_stage(saddle *s, double *x, bool corrected) {
  const torsor_problem *problem = s->problem;
  const torsor_status status = problem->solve(problem->self, x);
  if (status || !(s->e > 0)) return status;
  double *y = x + problem->nv;
  return saddle_filter(s, y, corrected ? y + problem->nl : NULL);
}

torsor_status saddle_filter_correction(saddle *s, double *y) {
  const int nv = s->problem->nv, nl = s->problem->nl;
  const double *correction = s->scales.correction;
  double *x = s->x;
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < nl; ++i) x[nv + i] = -s->e * squared(correction[i]) * y[i];
  const torsor_status status =
      s->problem->solve_correction(s->problem->self, x, TORSOR_CORRECTION_WHOLE);
  for (int i = 0; i < nl && !status; ++i) y[i] -= x[nv + i];
  return status;
}

double saddle_noise(double phi) {
  return phi / sqrt(REGULARISATION);
}
