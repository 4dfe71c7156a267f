/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/rounded.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/start/constraints.h"
#include "assembly/rank.h"
#include "base/arena.h"

/* Rows whose directions, or values, differ by so much are meant to repeat each other: what some ten
 * numbers of a loop leave together, each rounded to DECIMAL_ROUNDING. */
static const double ROUNDED = 10 * DECIMAL_ROUNDING;

/* Contradictions up to this part of a row's scale are round-off: those of a loop of joints are
 * found by sums of products of some ten numbers. */
static const double ROUND_OFF = 256 * DBL_EPSILON;

/* The bodies are moved from q by this part of the length and by so many rad, ... */
static const double AWAY = 0.1;
/* ... in so many directions. */
enum { PLACES = 2, CORRECTIONS = 40 };

typedef struct finder {
  assembly *a;
  const torsor_problem *problem;
  const torsor_model *model;
  double length;
  unsigned char *led;       /* [nl] row that is a given function of time */
  unsigned char *candidate; /* [nl] row that depends on others */
  unsigned char *free;      /* [nl] one of both */
  double *off;              /* [nl] largest contradiction of a candidate */
  double *base;             /* [nq] where candidates are looked for */
  double *q, *x, *phi, *scale;
} finder;

static torsor_status take(finder *f, arena *memory) {
  const size_t nq = (size_t)f->model->nq, nv = (size_t)f->model->nv, nl = (size_t)f->model->nl;
  f->led = arena_take(memory, 3 * nl, 1);
  f->base = arena_take(memory, 2 * nq + nv + 4 * nl, sizeof *f->base);
  if (!f->led || !f->base) return TORSOR_MEMORY;
  f->candidate = f->led + nl;
  f->free = f->candidate + nl;
  f->q = f->base + nq;
  f->x = f->q + nq;
  f->phi = f->x + nv + nl;
  f->scale = f->phi + nl;
  f->off = f->scale + nl;
  return TORSOR_OK;
}

static bool gives_positions(const torsor_element_type *type) {
  for (const torsor_param *p = type->params; p && p->key; ++p)
    if (p->conditions & TORSOR_GIVES_POSITION) return true;
  return false;
}

/* Marks rows that are given functions of time: they would keep a driven mechanism from moving. */
static void mark_led(finder *f) {
  for (int i = 0; i < f->model->element_count; ++i) {
    const model_element *e = &f->model->element[i];
    if (e->rows && gives_positions(e->type)) memset(f->led + e->first_row, 1, (size_t)e->rows);
  }
}

/* Marks the holonomic rows that depend on others at q, and counts them. */
static torsor_status mark(int *count, finder *f, const double *q) {
  row_rank near = {0};
  gradient_rows B = {0};
  const torsor_point p = {.q = q};
  torsor_status status = assembly_gradient(&B, f->a, &p);
  if (!status) status = row_rank_find(&near, &B, ROUNDED);
  gradient_rows_release(&B);
  *count = 0;
  memset(f->candidate, 0, (size_t)f->model->nl);
  for (int i = 0; !status && i < near.dependent_count; ++i) {
    const int row = near.dependent[i].row;
    const model_element *e = &f->model->element[torsor_model_row_element(f->model, row, NULL)];
    if (row >= e->first_row + e->rows - e->nonholonomic || f->led[row]) continue;
    f->candidate[row] = 1;
    ++*count;
  }
  for (int i = 0; i < f->model->nl; ++i) f->free[i] = f->candidate[i] || f->led[i];
  row_rank_release(&near);
  return status;
}

/* Moves every body by AWAY, in directions that are no multiples of each other. */
static void move_away(finder *f, const double *q, int place) {
  const double golden = 0.6180339887498949;
  for (int i = 0; i < f->model->node_count; ++i) {
    const model_node *node = &f->model->node[i];
    for (int j = node->first_v; j < node->first_v + node->group->nv; ++j) {
      const double part = fmod(golden * (j + 1 + place * f->model->nv), 1);
      const double size = node->init.abstract ? 0 : f->problem->rotation[j] ? 1 : f->length;
      f->x[j] = AWAY * size * (2 * part - 1);
    }
  }
  f->problem->plus(f->problem->self, f->q, q, f->x);
}

static torsor_status evaluate(finder *f) {
  const torsor_point p = {.q = f->q};
  const torsor_status status = f->problem->residual(f->problem->self, &p, NULL, f->phi, NULL);
  return status ? status : assembly_row_scales(f->scale, f->a, &p, f->length);
}

/* Regularisation of the system of corrections, in parts of B M^-1 B^T: rows that contradict each
 * other in parts of ROUNDED must not move bodies, and those that do not may have small eigenvalues.
 */
static const double FAIR = DECIMAL_ROUNDING, EXACT = DECIMAL_ROUNDING * DECIMAL_ROUNDING;

/* Moves f->q onto the rows that are not ignored, by Gauss-Newton corrections that are least in the
 * metric of the masses, until their errors are below `enough` in parts of the rows' scales. Returns
 * the errors; infinite where a correction fails. */
static double close_loops(finder *f, double regularisation, double enough) {
  const torsor_problem *pr = f->problem;
  double left = HUGE_VAL;
  for (int k = 0; k < CORRECTIONS; ++k) {
    const torsor_point p = {.q = f->q};
    int row;
    if (evaluate(f)) return HUGE_VAL;
    const double off = constraints_largest(f->phi, f->scale, pr->nl, &row);
    if (off <= enough || (k > CORRECTIONS / 2 && off >= left)) return fmin(off, left);
    left = off;
    const double mass = assembly_mass_scale(f->a, &p), moved = assembly_moved_mass(f->a, &p);
    const double e = regularisation * (moved > 0 ? mass / moved : 1) / (f->length * f->length);
    const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY,
                                    .m = 1 / mass,
                                    .e = e,
                                    .rows = f->scale,
                                    .holonomic = true};
    memset(f->x, 0, (size_t)pr->nv * sizeof *f->x);
    for (int i = 0; i < pr->nl; ++i) f->x[pr->nv + i] = -f->phi[i];
    if (pr->factor(pr->self, &p, &weights) || pr->solve(pr->self, f->x)) return HUGE_VAL;
    pr->plus(pr->self, f->q, f->q, f->x);
  }
  return left;
}

/* Sets the base: away from q, where a mechanism is at no dead centre, or q itself where it cannot
 * move. */
static void leave_dead_centre(finder *f, const double *q) {
  assembly_ignore_rows(f->a, f->led);
  move_away(f, q, PLACES);
  const bool moved = close_loops(f, FAIR, ROUNDED / 2) <= ROUNDED;
  assembly_ignore_rows(f->a, NULL);
  memcpy(f->base, moved ? f->q : q, (size_t)f->model->nq * sizeof *q);
}

/* Notes by how much the candidates contradict the other rows at one place. */
static torsor_status compare(finder *f, int place) {
  assembly_ignore_rows(f->a, f->free);
  move_away(f, f->base, place);
  const double left = close_loops(f, EXACT, ROUND_OFF / 16);
  assembly_ignore_rows(f->a, NULL);
  const torsor_status status = isfinite(left) ? evaluate(f) : TORSOR_OK;
  if (status < 0) return status;
  for (int i = 0; i < f->problem->nl; ++i) {
    if (!f->candidate[i]) continue;
    const double off = fabs(f->phi[i]) / f->scale[i];
    const bool known = left <= ROUND_OFF && !status && f->scale[i] > 0;
    f->off[i] = known ? fmax(f->off[i], off) : HUGE_VAL;
  }
  return TORSOR_OK;
}

torsor_status rounded_rows_ignore(rounded_rows *out, assembly *a, const torsor_model *model,
                                  const double *q, double length) {
  finder f = {.a = a, .problem = assembly_problem(a), .model = model, .length = length};
  arena memory = {0};
  int count = 0;
  *out = (rounded_rows){0};
  assembly_ignore_rows(a, NULL);
  torsor_status status = take(&f, &memory);
  if (!status) mark_led(&f);
  if (!status) status = mark(&count, &f, q);
  if (count && !status) {
    leave_dead_centre(&f, q);
    status = mark(&count, &f, f.base);
  }
  for (int k = 0; k < PLACES && count && !status; ++k) status = compare(&f, k);
  for (int i = model->nl - 1; i >= 0 && count && !status; --i) {
    f.candidate[i] = f.candidate[i] && f.off[i] > ROUND_OFF && f.off[i] <= ROUNDED;
    if (!f.candidate[i]) continue;
    out->first = i;
    out->off = fmax(out->off, f.off[i]);
    ++out->count;
  }
  if (out->count) assembly_ignore_rows(a, f.candidate);
  arena_release(&memory);
  return status;
}
