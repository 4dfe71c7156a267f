/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/impact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Regularisation of dependent rows, relative to a mass matrix scaled to 1; the iteration removes
 * its effect. */
static const double REGULARISATION = 1e-8;

/* Corrections stop at a few units of round-off; each one reduces what is left by the factor of the
 * regularisation over the smallest eigenvalue of B M^-1 B^T. */
static const double ROUND_OFF = 16 * DBL_EPSILON;
enum { CORRECTIONS = 12 };

/* Velocities that are off by more than this, relative to those before, satisfy no constraints. */
static const double MOST_LEFT = 1e-6;

/* Work memory of one impact. */
typedef struct finder {
  assembly *a;
  const torsor_problem *problem;
  torsor_point at;     /* t and q */
  double *v, *w, *y;   /* [nv] velocities before, [nv] their change, [nl] its multipliers over m */
  double *now, *r0;    /* [nv] */
  double *still, *off; /* [nl] Phi_t; what is left of the rows */
  double *before;      /* [nl] B v before */
  double *rows, *x;    /* [nl] scales of the rows, [nv + nl] */
  double mass, length;
} finder;

static torsor_status find_rates(double *out, const finder *f, const double *v) {
  torsor_point p = f->at;
  p.v = v;
  return f->problem->residual(f->problem->self, &p, NULL, NULL, out);
}

/* Finds the right side: f->x = (-(M w + B^T y)/m, -(B (v + w) + Phi_t)). */
static torsor_status find_right_side(finder *f) {
  const torsor_problem *pr = f->problem;
  double *force = f->x, *rate = f->x + pr->nv;
  torsor_point p = f->at;
  p.a = f->w;
  p.lambda = f->y;
  for (int i = 0; i < pr->nl; ++i) f->y[i] *= f->mass;
  torsor_status status = pr->residual(pr->self, &p, force, NULL, NULL);
  for (int i = 0; i < pr->nl; ++i) f->y[i] /= f->mass;
  for (int i = 0; i < pr->nv; ++i) {
    force[i] = -(force[i] - f->r0[i]) / f->mass;
    f->now[i] = f->v[i] + f->w[i];
  }
  if (!status) status = find_rates(rate, f, f->now);
  for (int i = 0; i < pr->nl; ++i) rate[i] = -rate[i];
  return status;
}

/* The largest violation of the rows over their scales. */
static double largest_part(const double *rate, const double *scale, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i)
    if (rate[i] != 0) most = fmax(most, scale[i] > 0 ? fabs(rate[i]) / scale[i] : fabs(rate[i]));
  return most;
}

/* The fastest velocity, 1/s: of rotations, and of translations over the model's length. */
static double fastest(const finder *f, const double *v) {
  double rate = 0;
  for (int i = 0; i < f->problem->nv; ++i)
    rate = fmax(rate, fabs(v[i]) / (f->problem->rotation[i] ? 1 : f->length));
  return rate;
}

static torsor_status solve(finder *f) {
  const torsor_problem *pr = f->problem;
  const int nv = pr->nv, nl = pr->nl;
  const double moved = assembly_moved_mass(f->a, &f->at);
  const double part = (moved > 0 ? f->mass / moved : 1) / (f->length * f->length);
  const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY,
                                  .m = 1 / f->mass,
                                  .e = pr->redundant ? REGULARISATION * part : 0,
                                  .rows = f->rows};
  torsor_status status = pr->factor(pr->self, &f->at, &weights);
  double left = HUGE_VAL;
  for (int k = 0; k < CORRECTIONS && !status; ++k) {
    if ((status = find_right_side(f))) break;
    const double before = left;
    left = largest_part(f->x + nv, f->rows, nl);
    if (left <= ROUND_OFF * fastest(f, f->now) || (k > 2 && left >= before / 2)) break;
    status = pr->solve(pr->self, f->x);
    for (int i = 0; i < nv; ++i) f->w[i] += f->x[i];
    for (int i = 0; i < nl; ++i) f->y[i] += f->x[nv + i];
  }
  if (status) return status;
  const double scale = fmax(fastest(f, f->v), fastest(f, f->now));
  return left <= MOST_LEFT * scale ? TORSOR_OK : TORSOR_INCONSISTENT;
}

/* Work of each joint: -Lambda^T B (v0 + v1)/2. */
static torsor_status find_work(double *work, finder *f) {
  const torsor_model *model = assembly_model(f->a);
  torsor_status status = find_rates(f->off, f, f->now);
  for (int i = 0; i < model->element_count && !status; ++i) {
    const model_element *e = &model->element[i];
    for (int row = e->first_row; row < e->first_row + e->rows; ++row) {
      const double mean = (f->before[row] + f->off[row]) / 2 - f->still[row];
      work[i] -= f->mass * f->y[row] * mean;
    }
  }
  return status;
}

static void lay_out(finder *f, double *memory) {
  const size_t nv = (size_t)f->problem->nv, nl = (size_t)f->problem->nl;
  f->w = memory;
  f->now = f->w + nv;
  f->r0 = f->now + nv;
  f->y = f->r0 + nv;
  f->still = f->y + nl;
  f->off = f->still + nl;
  f->before = f->off + nl;
  f->rows = f->before + nl;
  f->x = f->rows + nl;
}

torsor_status impact_find(impact *out, assembly *a, const torsor_point *p) {
  const torsor_problem *pr = assembly_problem(a);
  const torsor_model *model = assembly_model(a);
  const size_t nv = (size_t)pr->nv, nl = (size_t)pr->nl, count = (size_t)model->element_count;
  *out = (impact){.memory = calloc(5 * nv + 6 * nl + count + 1, sizeof(double))};
  if (!out->memory) return TORSOR_MEMORY;
  finder f = {.a = a, .problem = pr, .at = {.t = p->t, .q = p->q}, .length = model_size(model)};
  f.v = out->memory;
  out->v = f.v;
  lay_out(&f, out->memory + nv);
  out->work = f.x + nv + nl;
  memcpy(f.v, p->v, nv * sizeof *f.v);
  f.mass = assembly_mass_scale(a, &f.at);
  if (!(f.mass > 0)) f.mass = 1;
  torsor_status status = assembly_row_scales(f.rows, a, &f.at, f.length);
  memset(f.now, 0, nv * sizeof *f.now);
  if (!status) status = find_rates(f.still, &f, f.now);
  if (!status) status = find_rates(f.before, &f, f.v);
  const torsor_point rest = {.t = p->t, .q = p->q, .v = f.now, .a = f.w, .lambda = f.y};
  if (!status) status = pr->residual(pr->self, &rest, f.r0, NULL, NULL);
  if (!status) status = solve(&f);
  if (!status) status = find_work(out->work, &f);
  memcpy(f.v, f.now, nv * sizeof *f.v);
  for (size_t i = 0; i < nl; ++i) f.rows[i] = f.mass * f.y[i];
  memset(f.now, 0, nv * sizeof *f.now);
  memset(f.r0, 0, nv * sizeof *f.r0);
  memset(f.off, 0, nl * sizeof *f.off);
  out->rest = (torsor_point){.t = p->t, .q = p->q, .v = f.now, .a = f.r0, .lambda = f.off};
  out->blow = out->rest;
  out->blow.a = f.w;
  out->blow.lambda = f.rows;
  return status;
}

void impact_release(impact *i) {
  free(i->memory);
  *i = (impact){0};
}
