/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/equilibrate.h"
#include "assembly/solver/linear_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <klu.h>

/* Pivot threshold: the diagonal entry is kept as pivot down to this fraction of the largest entry
 * in its column.  KLU's own 1e-3 is meant for circuits: on saddle-point matrices it loses up to 4
 * digits, and 0.1 costs no measurable fill. */
#define PIVOT_TOLERANCE 0.1

/* KLU with row and column equilibration of our own: KLU would find new row scales in every
 * refactorisation and has none for columns, while ours are found together with the pivots and kept
 * with them. */
typedef struct klu_self {
  pattern p;
  double *Ax;                  /* [nonzeros] scaled values */
  double *row, *column, *work; /* [n] [n] scales, [2 n] */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int *seen; /* [n] entries of a permutation that were visited */
} klu_self;

static void klu_destroy(void *self) {
  klu_self *s = self;
  klu_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
  free(s->Ax);
  free(s->row);
  free(s->seen);
  free(s);
}

static torsor_status klu_status(const klu_self *s) {
  switch (s->common.status) {
  case KLU_OK:
    return TORSOR_OK;
  case KLU_SINGULAR:
    return TORSOR_SINGULAR;
  case KLU_OUT_OF_MEMORY:
    return TORSOR_MEMORY;
  default:
    return TORSOR_ARGUMENT;
  }
}

static torsor_status klu_analyse_pattern(void **self, const pattern *p, const block_plan *plan) {
  (void)plan;
  klu_self *s = calloc(1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->p = *p;
  klu_defaults(&s->common);
  s->common.scale = -1;
  s->common.tol = PIVOT_TOLERANCE;
  s->Ax = calloc((size_t)p->nonzeros, sizeof *s->Ax);
  s->row = calloc(4 * (size_t)p->n, sizeof *s->row);
  s->seen = calloc((size_t)p->n, sizeof *s->seen);
  torsor_status status = s->Ax && s->row && s->seen ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    s->column = s->row + p->n;
    s->work = s->column + p->n;
    s->symbolic = klu_analyze(p->n, s->p.Ap, s->p.Ai, &s->common);
    if (!s->symbolic) status = s->common.status ? klu_status(s) : TORSOR_SINGULAR;
  }
  if (status) {
    klu_destroy(s);
    return status;
  }
  *self = s;
  return TORSOR_OK;
}

static torsor_status klu_factor_values(void *self, const double *Ax) {
  klu_self *s = self;
  equilibrate(s->row, s->column, s->work, &s->p, Ax);
  equilibrate_values(s->Ax, &s->p, Ax, s->row, s->column);
  klu_free_numeric(&s->numeric, &s->common);
  s->numeric = klu_factor(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, &s->common);
  return s->numeric ? klu_status(s) : s->common.status ? klu_status(s) : TORSOR_SINGULAR;
}

static torsor_status klu_refactor_values(void *self, const double *Ax) {
  klu_self *s = self;
  if (!s->numeric) return TORSOR_SINGULAR;
  equilibrate_values(s->Ax, &s->p, Ax, s->row, s->column);
  klu_refactor(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, s->numeric, &s->common);
  return klu_status(s);
}

static torsor_status klu_solve_values(void *self, double *x) {
  klu_self *s = self;
  for (int i = 0; i < s->p.n; ++i) x[i] *= s->row[i];
  if (!klu_solve(s->symbolic, s->numeric, s->p.n, 1, x, &s->common)) return klu_status(s);
  for (int i = 0; i < s->p.n; ++i) x[i] *= s->column[i];
  return TORSOR_OK;
}

static double klu_pivot_ratio(const void *self) {
  klu_self *s = (klu_self *)self;
  klu_rcond(s->symbolic, s->numeric, &s->common);
  return s->common.rcond;
}

static double klu_growth(void *self) {
  klu_self *s = self;
  klu_rgrowth(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, s->numeric, &s->common);
  return s->common.rgrowth;
}

/* Returns the sign of a permutation, found cycle by cycle. */
static int permutation_sign(int *seen, const int *order, int n) {
  int sign = 1;
  memset(seen, 0, (size_t)n * sizeof *seen);
  for (int i = 0; i < n; ++i)
    for (int k = i, length = 0; !seen[k]; k = order[k], ++length) {
      seen[k] = 1;
      if (length) sign = -sign;
    }
  return sign;
}

/* Returns the sign of the determinant: KLU has P A Q = L U by blocks, where L has a unit diagonal;
 * the scales are positive. */
static int klu_sign(void *self) {
  klu_self *s = self;
  const double *diagonal = s->numeric->Udiag;
  int sign = permutation_sign(s->seen, s->numeric->Pnum, s->p.n) *
             permutation_sign(s->seen, s->symbolic->Q, s->p.n);
  for (int i = 0; i < s->p.n; ++i) sign *= (diagonal[i] > 0) - (diagonal[i] < 0);
  return sign;
}

static double klu_work(const void *self) {
  return ((const klu_self *)self)->symbolic->est_flops;
}

static double klu_fill(const void *self) {
  const klu_self *s = self;
  const double found = (double)s->numeric->lnz + s->numeric->unz;
  return found / (s->symbolic->lnz + s->symbolic->unz);
}

const linear_solver_type linear_solver_klu = {
    .name = "klu",
    .analyse = klu_analyse_pattern,
    .factor = klu_factor_values,
    .refactor = klu_refactor_values,
    .solve = klu_solve_values,
    .pivot_ratio = klu_pivot_ratio,
    .sign = klu_sign,
    .growth = klu_growth,
    .work = klu_work,
    .fill = klu_fill,
    .destroy = klu_destroy,
};
