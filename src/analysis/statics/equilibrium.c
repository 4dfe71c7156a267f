/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/equilibrium.h"

#include <math.h>
#include <string.h>

#include "analysis/statics/kinks.h"

/* Regularisation of dependent rows, relative to the scales of the rows, in matrices whose
 * stiffnesses are at most 1 (those of rotations at the model's size). */
static const double REGULARISATION = 1e-9;

/* Corrections below this that shrink no more consist of round-off. */
static const double NEARLY = 1e-6;

/* Round-off of a row, relative to the largest forces that it can have: some hundred roundings. */
static const double ROUNDING = 1e-13;

/* Smallest fraction of a correction that is tried. */
static const double SHORTEST = 0x1p-8;

/* Corrections are lengthened up to here, relative to the model's size, or rad. */
static const double FARTHEST = 0.5;

/* Factor on the number of iterations for forces with kinks, where a few contacts open or close in
 * each. */
enum { KINKED = 4 };

/* Corrections larger than this mean divergence; relative to the model's size, or rad. */
static const double LARGEST = 10;

/* Mass added to a tangent that is singular at a critical point, relative to the largest
 * stiffness. */
static const double LENT = 1e-12;

/* Mass added where friction keeps the scene in place: round-off of the forces moves free parts by
 * no more than the tolerance, and everything else converges by this factor in each iteration. */
static const double STUCK = 1e-6;

/* Step of difference quotients by the load: exact for loads that grow in proportion to it; else
 * truncation h^2/6 against round-off eps/h.  They decide how fast the iteration converges, not the
 * point that it converges to. */
static const double LOAD_STEP = 0x1p-16;

torsor_status static_point_create(static_point *out, const torsor_model *model, arena *memory) {
  out->load = 0;
  out->q = arena_take(memory, (size_t)model->nq, sizeof *out->q);
  out->lambda = arena_take(memory, (size_t)model->nl, sizeof *out->lambda);
  return out->q && out->lambda ? TORSOR_OK : TORSOR_MEMORY;
}

void static_point_copy(static_point *to, const static_point *from, const torsor_model *model) {
  to->load = from->load;
  memcpy(to->q, from->q, (size_t)model->nq * sizeof *to->q);
  memcpy(to->lambda, from->lambda, (size_t)model->nl * sizeof *to->lambda);
}

/* Finds the scale of forces: one over the largest stiffness, or over the stiffness that yields by
 * the model's size under the whole load.  The latter serves where nothing is stiff yet, or only as
 * stiff as round-off makes a contact that is about to close. */
static torsor_status find_scale(equilibrium *e, const double *q) {
  const double load = assembly_load(e->a);
  double force = 0, stiffness = assembly_stiffness_scale(e->a, &(torsor_point){.q = q}, e->length);
  const torsor_point at = {.q = q};
  assembly_set_load(e->a, 1, e->all);
  const torsor_status status = e->problem->residual(e->problem->self, &at, e->r, NULL, NULL);
  assembly_set_load(e->a, load, e->all);
  for (int i = 0; i < e->problem->nv && !status; ++i)
    force = fmax(force, fabs(e->r[i]) / (e->problem->rotation[i] ? e->length : 1));
  if (isfinite(force)) stiffness = fmax(stiffness, force / e->length);
  e->k = stiffness > 0 ? 1 / stiffness : 1; /* without forces any scale serves */
  if (status < 0) return status;
  const torsor_status found = assembly_regular_rows(e->rows, e->a, &at, e->length);
  return found < 0 ? found : TORSOR_OK;
}

torsor_status equilibrium_create(equilibrium *out, assembly *a, const torsor_model *model,
                                 const double *q, arena *memory) {
  const size_t nv = (size_t)model->nv, nl = (size_t)model->nl;
  out->a = a;
  out->problem = assembly_problem(a);
  out->model = model;
  out->length = model_size(model);
  double *work = arena_take(memory, 2 * nv + nl + 3 * (nv + nl), sizeof *work);
  out->rows = arena_take(memory, nl, sizeof *out->rows);
  out->moves = arena_take(memory, (size_t)model->node_count, sizeof *out->moves);
  if (!work || !out->rows || !out->moves || static_point_create(&out->trial, model, memory) ||
      static_point_create(&out->begin, model, memory))
    return TORSOR_MEMORY;
  out->weight = work;
  out->r = out->weight + nv;
  out->phi = out->r + nv;
  out->x = out->phi + nl;
  out->rate = out->x + nv + nl;
  out->aside = out->rate + nv + nl;
  const double nodes = model->node_count;
  for (int i = 0; i < model->nv; ++i)
    out->weight[i] = (out->problem->rotation[i] ? 1 : 1 / (out->length * out->length)) / nodes;
  return find_scale(out, q);
}

double equilibrium_dot(const equilibrium *e, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < e->problem->nv; ++i) sum += e->weight[i] * x[i] * y[i];
  return sum;
}

static torsor_point at_rest(const static_point *p) {
  return (torsor_point){.q = p->q, .lambda = p->lambda};
}

static torsor_status find_residual(equilibrium *e, const static_point *p, double *r, double *phi) {
  const torsor_problem *pr = e->problem;
  const torsor_point at = at_rest(p);
  assembly_set_load(e->a, p->load, e->all);
  ++e->counters->residual_evaluations;
  const torsor_status status = pr->residual(pr->self, &at, r, phi, NULL);
  double sum = 0;
  for (int i = 0; !status && i < pr->nv; ++i) sum += 0 * r[i];
  for (int i = 0; !status && i < pr->nl; ++i) sum += 0 * phi[i];
  return status || sum == 0 ? status : TORSOR_NONFINITE;
}

torsor_status equilibrium_residual(equilibrium *e, const static_point *p) {
  return find_residual(e, p, e->r, e->phi);
}

static torsor_status factor_with(equilibrium *e, const torsor_point *at, double mass) {
  const torsor_problem *pr = e->problem;
  double scale = 0;
  if (mass > 0) assembly_turn_length(e->a, at, &scale);
  const torsor_weights weights = {.system = TORSOR_SYSTEM_INDEX3,
                                  .m = scale > 0 ? mass / scale : mass,
                                  .k = e->k,
                                  .e = pr->redundant ? REGULARISATION : 0,
                                  .rows = e->rows};
  ++e->counters->factorizations;
  return pr->factor(pr->self, at, &weights);
}

torsor_status equilibrium_factor(equilibrium *e, const static_point *p, double mass) {
  const torsor_point at = at_rest(p);
  assembly_set_load(e->a, p->load, e->all);
  if (e->sticks && !(mass > 0)) return factor_with(e, &at, STUCK);
  const torsor_status status = factor_with(e, &at, mass);
  return status == TORSOR_SINGULAR && e->was_regular && !(mass > 0) ? factor_with(e, &at, LENT)
                                                                    : status;
}

torsor_status equilibrium_solve(equilibrium *e, double *x) {
  const torsor_problem *pr = e->problem;
  for (int i = 0; i < pr->nv; ++i) x[i] = -e->k * e->r[i];
  for (int i = 0; i < pr->nl; ++i) x[pr->nv + i] = -e->phi[i];
  return pr->solve(pr->self, x);
}

double equilibrium_size(const equilibrium *e, const double *x) {
  double size = 0;
  for (int i = 0; i < e->problem->nv; ++i)
    size = fmax(size, fabs(x[i]) / (e->problem->rotation[i] ? 1 : e->length));
  return size;
}

torsor_status equilibrium_rate(equilibrium *e, const static_point *p) {
  const torsor_problem *pr = e->problem;
  const double h = LOAD_STEP;
  static_point at = *p;
  double *behind = e->aside;
  at.load = p->load - h;
  torsor_status status = find_residual(e, &at, behind, behind + pr->nv);
  at.load = p->load + h;
  if (!status) status = equilibrium_residual(e, &at);
  for (int i = 0; i < pr->nv; ++i) e->r[i] = (e->r[i] - behind[i]) / (2 * h);
  for (int i = 0; i < pr->nl; ++i) e->phi[i] = (e->phi[i] - behind[pr->nv + i]) / (2 * h);
  return status ? status : equilibrium_solve(e, e->rate);
}

/* Finds the correction x at a point and, with a free load, that of the load, orthogonal to the path
 * (Riks, Int. J. Solids Struct. 15 (1979) 529-551); and its size, the largest part of length or
 * rad. */
static torsor_status find_correction(equilibrium *e, const static_point *p, bool free_load,
                                     double *x, double *load, double *size) {
  const torsor_problem *pr = e->problem;
  torsor_status status = equilibrium_residual(e, p);
  if (!status) status = equilibrium_solve(e, x);
  if (status) return status;
  *load = 0;
  if (free_load) {
    *load =
        -equilibrium_dot(e, e->rate, x) / (equilibrium_dot(e, e->rate, e->rate) + e->load_weight);
    for (int i = 0; i < pr->nv + pr->nl; ++i) x[i] += *load * e->rate[i];
  }
  *size = fmax(equilibrium_size(e, x), fabs(*load) * sqrt(e->load_weight));
  return isfinite(*size) ? TORSOR_OK : TORSOR_NONFINITE;
}

/* Line search: shortens the correction until the next one, with the same matrix, is smaller: the
 * natural monotonicity test, which does not depend on units (Deuflhard 2011, Newton Methods for
 * Nonlinear Problems, section 3.3). */
static torsor_status shorten(equilibrium *e, static_point *p, const double *x, double load,
                             double size, bool free_load) {
  torsor_status status = TORSOR_NEWTON;
  for (double s = 1; s >= SHORTEST; s /= 2) {
    double next_load, next = HUGE_VAL;
    equilibrium_move(e, &e->trial, p, x, load, s);
    status = find_correction(e, &e->trial, free_load, e->aside, &next_load, &next);
    if (status < 0) return status;
    if (status || !(next <= (1 - s / 4) * size || next <= e->tolerance)) continue;
    static_point_copy(p, &e->trial, e->model);
    return TORSOR_OK;
  }
  return status ? status : TORSOR_NEWTON;
}

static torsor_status search_line(equilibrium *e, static_point *p, const double *x, double load,
                                 double size, bool free_load) {
  stopwatch_enter(e->watch, TORSOR_PHASE_SEARCH);
  const torsor_status status = shorten(e, p, x, load, size, free_load);
  stopwatch_leave(e->watch);
  return status;
}

/* Arguments of find_slope: a point, and its correction along which the potential is minimised. */
typedef struct descent {
  equilibrium *e;
  const static_point *p;
  double load;
} descent;

/* Finds the work of the unbalanced forces at p + s (x, load) on the velocity part of x: the slope
 * of the potential, where there is one. */
static torsor_status find_slope(void *self, double s, double *slope) {
  const descent *d = self;
  equilibrium *e = d->e;
  equilibrium_move(e, &e->trial, d->p, e->x, d->load, s);
  const torsor_status status = equilibrium_residual(e, &e->trial);
  *slope = 0;
  for (int i = 0; i < e->problem->nv; ++i) *slope += e->r[i] * e->x[i];
  return status;
}

/* Line search by the potential along the correction e->x, which must be a direction of descent.
 * Forces with kinks, of contacts and stops, have a potential without kinks, while each tangent is
 * that of one side, too stiff or too soft for the other. */
static torsor_status descend(equilibrium *e, static_point *p, double load, double size) {
  descent d = {e, p, load};
  double part;
  const torsor_status status = slope_search(&part, find_slope, &d, FARTHEST / size);
  if (!status) equilibrium_move(e, p, p, e->x, load, part);
  return status;
}

void equilibrium_foresee(equilibrium *e, const static_point *from, const double *d, double s) {
  for (int i = 0; i < e->problem->nv; ++i) e->aside[i] = s * d[i];
  const torsor_point at = {.q = from->q, .v = e->aside};
  assembly_foresee(e->a, &at);
}

/* Are the unbalanced forces e->r round-off of stiffnesses times lengths and of reactions?  This is
 * checked row by row with the tangent factored last: where a kink sends corrections to and fro they
 * do not shrink either, but forces remain. */
static bool is_rounding(equilibrium *e, const static_point *p) {
  const torsor_problem *pr = e->problem;
  const int *Ap, *Ai;
  int count;
  const double *A = assembly_matrix(e->a, &count, &Ap, &Ai);
  double *size = e->aside;
  memset(size, 0, (size_t)pr->nv * sizeof *size);
  for (int j = 0; j < pr->nv + pr->nl; ++j) {
    const double part = j >= pr->nv       ? fabs(e->k * p->lambda[j - pr->nv])
                        : pr->rotation[j] ? 1
                                          : e->length;
    for (int k = Ap[j]; k < Ap[j + 1]; ++k)
      if (Ai[k] < pr->nv) size[Ai[k]] += fabs(A[k]) * part;
  }
  for (int i = 0; i < pr->nv; ++i)
    if (!(fabs(e->k * e->r[i]) <= ROUNDING * size[i])) return false;
  return true;
}

/* Makes one iteration: finds the correction e->x at p, and whether it is the last one. */
static torsor_status iterate(equilibrium *e, static_point *p, bool free_load, double *load,
                             double *size, bool *last) {
  const double before = *size;
  torsor_status status = equilibrium_factor(e, p, 0);
  if (!status && free_load) status = equilibrium_rate(e, p);
  if (!status) status = find_correction(e, p, free_load, e->x, load, size);
  if (status) return status;
  ++e->iterations;
  ++e->counters->newton_iterations;
  if (e->corrected) e->corrected(e->data, p->load, e->iterations, *size);
  *last = *size <= e->tolerance || (*size <= NEARLY && *size >= before / 2 && is_rounding(e, p));
  if (*last) equilibrium_move(e, p, p, e->x, *load, 1);
  return TORSOR_OK;
}

/* Newton's method with line search. */
static torsor_status find_damped(equilibrium *e, static_point *p, bool free_load) {
  double load, size = HUGE_VAL;
  bool last = false;
  for (e->iterations = 0; e->iterations < e->max_iterations;) {
    torsor_status status = iterate(e, p, free_load, &load, &size, &last);
    if (!status && !last) status = search_line(e, p, e->x, load, size, free_load);
    if (status || last) return status;
  }
  return TORSOR_NEWTON;
}

/* Newton's method as a minimisation of the potential. */
static torsor_status find_lowest(equilibrium *e, static_point *p, bool free_load) {
  double load, size = HUGE_VAL;
  bool last = false;
  for (e->iterations = 0; e->iterations < KINKED * e->max_iterations;) {
    torsor_status status = iterate(e, p, free_load, &load, &size, &last);
    stopwatch_enter(e->watch, TORSOR_PHASE_SEARCH);
    if (!status && !last) status = descend(e, p, load, size);
    stopwatch_leave(e->watch);
    if (status || last) return status;
  }
  return TORSOR_NEWTON;
}

/* Newton's method in the mixed form, whose stresses are unknowns of their own, eliminated element
 * by element: the tangent has the stresses that the last correction foresaw instead of those of the
 * strains, in which errors of second order in the displacements are multiplied by the largest
 * stiffnesses (Magisano, Leonetti and Garcea 2017, Comput. Methods Appl. Mech. Eng. 313,
 * 986-1005). */
static torsor_status find_mixed(equilibrium *e, static_point *p, bool free_load, bool searched) {
  double load, size = HUGE_VAL;
  bool last = false;
  const int most = searched ? KINKED * e->max_iterations : e->max_iterations;
  for (e->iterations = 0; e->iterations < most;) {
    const torsor_status status = iterate(e, p, free_load, &load, &size, &last);
    if (status || last) return status;
    double part = 1;
    const torsor_status found = searched ? kinks_search(&part, e, p, load, size) : TORSOR_OK;
    if (found || size > LARGEST) return found ? found : TORSOR_NEWTON;
    equilibrium_foresee(e, p, e->x, part);
    equilibrium_move(e, p, p, e->x, load, part);
  }
  return TORSOR_NEWTON;
}

torsor_status equilibrium_find(equilibrium *e, static_point *p, bool free_load) {
  torsor_status status = TORSOR_NEWTON;
  static_point_copy(&e->begin, p, e->model);
  if (assembly_has_stresses(e->a)) {
    for (int attempt = 0; attempt < 2 && status == TORSOR_NEWTON; ++attempt) {
      status = find_mixed(e, p, free_load, attempt > 0);
      assembly_forget(e->a);
      if (status > 0) static_point_copy(p, &e->begin, e->model);
    }
  }
  if (status > 0) status = find_damped(e, p, free_load);
  if (status != TORSOR_NEWTON) return status;
  static_point_copy(p, &e->begin, e->model);
  return find_lowest(e, p, free_load);
}

torsor_status equilibrium_guess(equilibrium *e, static_point *p) {
  const torsor_problem *pr = e->problem;
  const torsor_point at = {.q = p->q};
  const static_point rest = {.load = p->load, .q = p->q, .lambda = NULL};
  torsor_status status = equilibrium_residual(e, &rest);
  double scale;
  assembly_turn_length(e->a, &at, &scale);
  const torsor_weights weights = {.system = TORSOR_SYSTEM_ACCELERATION,
                                  .m = scale > 0 ? 1 / scale : 1,
                                  .e = pr->redundant ? REGULARISATION : 0,
                                  .rows = e->rows};
  if (!status) status = pr->factor(pr->self, &at, &weights);
  if (status) return status;
  for (int i = 0; i < pr->nv; ++i) e->x[i] = -e->r[i];
  memset(e->x + pr->nv, 0, (size_t)pr->nl * sizeof *e->x);
  status = pr->solve(pr->self, e->x);
  if (!status) memcpy(p->lambda, e->x + pr->nv, (size_t)pr->nl * sizeof *p->lambda);
  return status;
}
