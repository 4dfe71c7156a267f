/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/complex_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <klu.h>

#include "assembly/solver/equilibrate.h"

/* The pivot threshold, as in klu_solver.c. */
#define PIVOT_TOLERANCE 0.1

/* Old pivots are taken again while the entries of the factors grow by less than a million: the
 * refinement then still restores all digits. */
#define LEAST_GROWTH 1e-6

struct complex_solver {
  pattern p;
  const double *given;         /* [2 nonzeros] the matrix factored last */
  double *Ax, *magnitude;      /* [2 nonzeros] scaled values; [nonzeros] */
  double *row, *column, *work; /* [n] [n] scales, [2 n] */
  double *x, *rest;            /* [2 n] [2 n] */
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

void complex_solver_destroy(complex_solver *s) {
  if (!s) return;
  klu_z_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
  free(s->Ax);
  free(s->row);
  free(s);
}

static torsor_status status_of(const complex_solver *s) {
  switch (s->common.status) {
  case KLU_OK:
    return TORSOR_OK;
  case KLU_OUT_OF_MEMORY:
    return TORSOR_MEMORY;
  default:
    return TORSOR_SINGULAR;
  }
}

torsor_status complex_solver_create(complex_solver **out, const pattern *p) {
  complex_solver *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) return TORSOR_MEMORY;
  s->p = *p;
  klu_defaults(&s->common);
  s->common.scale = -1;
  s->common.tol = PIVOT_TOLERANCE;
  s->Ax = calloc(3 * (size_t)p->nonzeros + 1, sizeof *s->Ax);
  s->row = calloc(8 * (size_t)p->n + 1, sizeof *s->row);
  torsor_status status = s->Ax && s->row ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    s->magnitude = s->Ax + 2 * (size_t)p->nonzeros;
    s->column = s->row + p->n;
    s->work = s->column + p->n;
    s->x = s->work + 2 * (size_t)p->n;
    s->rest = s->x + 2 * (size_t)p->n;
    s->symbolic = klu_analyze(p->n, s->p.Ap, s->p.Ai, &s->common);
    if (!s->symbolic) status = s->common.status ? status_of(s) : TORSOR_SINGULAR;
  }
  if (status)
    complex_solver_destroy(s);
  else
    *out = s;
  return status;
}

double complex_solver_work(const complex_solver *s) {
  return 4 * s->symbolic->est_flops; /* a complex product takes four real ones */
}

static void scale_values(complex_solver *s) {
  for (int j = 0; j < s->p.n; ++j)
    for (int k = s->p.Ap[j]; k < s->p.Ap[j + 1]; ++k) {
      const double scale = s->row[s->p.Ai[k]] * s->column[j];
      s->Ax[2 * k] = scale * s->given[2 * k];
      s->Ax[2 * k + 1] = scale * s->given[2 * k + 1];
    }
}

/* Factors with the pivots of the last factorisation; returns false where they are not good. */
static bool factor_again(complex_solver *s) {
  if (!s->numeric) return false;
  scale_values(s);
  if (!klu_z_refactor(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, s->numeric, &s->common)) return false;
  if (s->common.status != KLU_OK) return false;
  klu_z_rgrowth(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, s->numeric, &s->common);
  return s->common.rgrowth > LEAST_GROWTH;
}

torsor_status complex_solver_factor(complex_solver *s, const double *Ax) {
  s->given = Ax;
  for (int k = 0; k < s->p.nonzeros; ++k) {
    s->magnitude[k] = hypot(Ax[2 * k], Ax[2 * k + 1]);
    if (!isfinite(s->magnitude[k])) return TORSOR_NONFINITE;
  }
  if (factor_again(s)) return TORSOR_OK;
  equilibrate(s->row, s->column, s->work, &s->p, s->magnitude);
  scale_values(s);
  klu_z_free_numeric(&s->numeric, &s->common);
  s->numeric = klu_z_factor(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, &s->common);
  if (s->numeric) return status_of(s);
  return s->common.status == KLU_OUT_OF_MEMORY ? TORSOR_MEMORY : TORSOR_SINGULAR;
}

static torsor_status solve_once(complex_solver *s, double *x) {
  const int n = s->p.n;
  for (int i = 0; i < 2 * n; ++i) x[i] *= s->row[i / 2];
  if (!klu_z_solve(s->symbolic, s->numeric, n, 1, x, &s->common)) return status_of(s);
  for (int i = 0; i < 2 * n; ++i) x[i] *= s->column[i / 2];
  return TORSOR_OK;
}

/* rest -= A x. */
static void subtract_product(complex_solver *s) {
  for (int j = 0; j < s->p.n; ++j) {
    const double re = s->x[2 * j], im = s->x[2 * j + 1];
    for (int k = s->p.Ap[j]; k < s->p.Ap[j + 1]; ++k) {
      double *y = s->rest + 2 * (size_t)s->p.Ai[k];
      y[0] -= s->given[2 * k] * re - s->given[2 * k + 1] * im;
      y[1] -= s->given[2 * k] * im + s->given[2 * k + 1] * re;
    }
  }
}

torsor_status complex_solver_solve(complex_solver *s, double *x) {
  const size_t bytes = 2 * (size_t)s->p.n * sizeof *x;
  memcpy(s->x, x, bytes);
  memcpy(s->rest, x, bytes);
  torsor_status status = solve_once(s, s->x);
  if (status) return status;
  subtract_product(s);
  status = solve_once(s, s->rest);
  for (int i = 0; i < 2 * s->p.n && !status; ++i) {
    x[i] = s->x[i] + s->rest[i];
    if (!isfinite(x[i])) status = TORSOR_NONFINITE;
  }
  return status;
}
