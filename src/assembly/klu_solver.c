/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/linear_solver.h"

#include <stdlib.h>

#include <klu.h>

typedef struct klu_self {
  pattern p;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} klu_self;

static void klu_destroy(void *self) {
  klu_self *s = self;
  klu_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
  free(s);
}

static torsor_status klu_status(const klu_self *s) {
  switch (s->common.status) {
  case KLU_OK: return TORSOR_OK;
  case KLU_SINGULAR: return TORSOR_SINGULAR;
  case KLU_OUT_OF_MEMORY: return TORSOR_MEMORY;
  default: return TORSOR_ARGUMENT;
  }
}

static torsor_status klu_analyse_pattern(void **self, const pattern *p) {
  klu_self *s = calloc(1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->p = *p;
  klu_defaults(&s->common);
  s->symbolic = klu_analyze(p->n, s->p.Ap, s->p.Ai, &s->common);
  if (!s->symbolic) {
    const torsor_status status = klu_status(s);
    klu_destroy(s);
    return status ? status : TORSOR_SINGULAR;
  }
  *self = s;
  return TORSOR_OK;
}

static torsor_status klu_factor_values(void *self, const double *Ax) {
  klu_self *s = self;
  klu_free_numeric(&s->numeric, &s->common);
  s->numeric = klu_factor(s->p.Ap, s->p.Ai, (double *)Ax, s->symbolic, &s->common);
  return s->numeric ? klu_status(s) : s->common.status ? klu_status(s) : TORSOR_SINGULAR;
}

static torsor_status klu_refactor_values(void *self, const double *Ax) {
  klu_self *s = self;
  if (!s->numeric) return TORSOR_SINGULAR;
  klu_refactor(s->p.Ap, s->p.Ai, (double *)Ax, s->symbolic, s->numeric, &s->common);
  return klu_status(s);
}

static torsor_status klu_solve_values(void *self, double *x) {
  klu_self *s = self;
  if (!klu_solve(s->symbolic, s->numeric, s->p.n, 1, x, &s->common)) return klu_status(s);
  return TORSOR_OK;
}

static double klu_pivot_ratio(const void *self) {
  klu_self *s = (klu_self *)self;
  klu_rcond(s->symbolic, s->numeric, &s->common);
  return s->common.rcond;
}

static double klu_growth(void *self, const double *Ax) {
  klu_self *s = self;
  klu_rgrowth(s->p.Ap, s->p.Ai, (double *)Ax, s->symbolic, s->numeric, &s->common);
  return s->common.rgrowth;
}

const linear_solver_type linear_solver_klu = {
    .name = "klu",
    .analyse = klu_analyse_pattern,
    .factor = klu_factor_values,
    .refactor = klu_refactor_values,
    .solve = klu_solve_values,
    .pivot_ratio = klu_pivot_ratio,
    .growth = klu_growth,
    .destroy = klu_destroy,
};
