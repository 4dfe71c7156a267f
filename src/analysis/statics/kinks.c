/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/kinks.h"

#include <math.h>
#include <string.h>

/* Fraction of the slope that may remain after a step. */
static const double FLAT = 0.5;

/* Corrections are lengthened up to here, relative to the model's size, or rad. */
static const double FARTHEST = 0.5;

/* Step of the difference quotient of forces along a correction, on the present side of a kink:
 * truncation h, round-off eps/h. */
static const double DIFFERENCE = 0x1p-20;

/* ---- along a correction ---------------------------------------------------------------------- */

/* A point along a correction, and the slope there. */
typedef struct line_end {
  double s, slope;
} line_end;

/* Finds a point with a small slope between low, where the slope is steep, and high, where it is
 * positive or nothing can be evaluated: regula falsi (Illinois). */
static torsor_status find_flat(double *part, torsor_status (*slope)(void *, double, double *),
                               void *self, double first, line_end low, line_end high) {
  enum { MOST = 40 };
  for (int k = 0; k < MOST; ++k) {
    double s = (low.s * high.slope - high.s * low.slope) / (high.slope - low.slope), there = 0;
    if (!(s > low.s && s < high.s)) s = (low.s + high.s) / 2;
    const torsor_status status = slope(self, s, &there);
    if (status < 0) return status;
    *part = s;
    if (!status && fabs(there) <= -FLAT * first) return TORSOR_OK;
    if (!status && there < 0) {
      low = (line_end){s, there};
      high.slope /= 2;
    } else {
      high = (line_end){s, status ? HUGE_VAL : there};
      low.slope /= 2;
    }
  }
  return TORSOR_NEWTON;
}

torsor_status slope_search(double *part, torsor_status (*slope)(void *self, double s, double *out),
                           void *self, double most) {
  line_end low = {0, 0}, high = {1, 0};
  torsor_status status = slope(self, 0, &low.slope);
  const double first = low.slope;
  if (status) return status;
  if (!(first < 0)) return TORSOR_NEWTON;
  for (;; high.s *= 2) {
    status = slope(self, high.s, &high.slope);
    if (status < 0) return status;
    if (status || high.slope > FLAT * first || high.s > most) break;
    low = high;
  }
  *part = high.s;
  if (status) high.slope = HUGE_VAL;
  return high.slope > -FLAT * first ? find_flat(part, slope, self, first, low, high) : TORSOR_OK;
}

/* ---- in the mixed form ----------------------------------------------------------------------- */

typedef struct mixed_line {
  equilibrium *e;
  const static_point *p;
  double load;
  double whole;        /* work of all unbalanced forces on the correction */
  double others, bend; /* work of the elements without stresses, and its derivative */
} mixed_line;

/* Finds the work that the elements without stresses do at p + s (x, load) on x. */
static torsor_status find_others(mixed_line *l, double s, double *work) {
  equilibrium *e = l->e;
  equilibrium_move(e, &e->trial, l->p, e->x, l->load, s);
  const torsor_point at = {.q = e->trial.q}, moving = {.q = e->trial.q, .v = e->x};
  assembly_set_load(e->a, e->trial.load, e->all);
  assembly_set_motion(e->a, &moving);
  for (int i = 0; i < e->model->node_count; ++i) e->moves[i] = assembly_motion(e->a, i)->V;
  assembly_set_motion(e->a, &at);
  *work = 0;
  for (int i = 0; i < e->model->element_count; ++i) {
    const model_element *element = &e->model->element[i];
    double r[6 * element->nodes + 1];
    memset(r, 0, sizeof r);
    if (element->type->chain.stresses || element->rows || !assembly_acts(e->a, i)) continue;
    const torsor_element_in in = assembly_element_in(e->a, i, &at);
    torsor_element_out out = {.r = r};
    const torsor_status status = element->type->eval(element->instance, &in, &out);
    if (status) return status;
    for (int k = 0; k < element->nodes; ++k)
      *work += tw_dot(tw_load(r + 6 * k), e->moves[element->node[k]]);
  }
  return isfinite(*work) ? TORSOR_OK : TORSOR_NONFINITE;
}

static torsor_status mixed_slope(void *self, double s, double *slope) {
  mixed_line *l = self;
  double others = 0;
  const torsor_status status = find_others(l, s, &others);
  *slope = l->whole * (1 - s) + others - l->others - s * l->bend;
  return status;
}

torsor_status kinks_search(double *part, equilibrium *e, const static_point *p, double load,
                           double size) {
  mixed_line l = {.e = e, .p = p, .load = load};
  double near = 0;
  for (int i = 0; i < e->problem->nv; ++i) l.whole += e->r[i] * e->x[i];
  torsor_status status = find_others(&l, 0, &l.others);
  if (!status) status = find_others(&l, DIFFERENCE, &near);
  l.bend = (near - l.others) / DIFFERENCE;
  return status ? status : slope_search(part, mixed_slope, &l, FARTHEST / size);
}
