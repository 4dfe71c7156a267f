/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/equilibrate.h"
#include "assembly/solver/linear_solver.h"

#include <stdlib.h>

#include <umfpack.h>

/* Iterative refinement costs several solves, so it is used only where pivots have grown by this
 * factor and have lost digits. */
#define GROWN 1e3
enum { REFINEMENTS = 10 };

typedef struct umfpack_self {
  pattern p;
  void *symbolic, *numeric;
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
  double *Ax; /* [nonzeros] scaled matrix of the factorisation, which UMFPACK's solve asks for */
  double *row, *column; /* [n] [n] row and column scales */
  double *b, *work;     /* [n], [5 n] */
  int *iwork;           /* [n] */
} umfpack_self;

static void umfpack_destroy(void *self) {
  umfpack_self *s = self;
  umfpack_di_free_numeric(&s->numeric);
  umfpack_di_free_symbolic(&s->symbolic);
  free(s->Ax);
  free(s->row);
  free(s->b);
  free(s->work);
  free(s->iwork);
  free(s);
}

/* Translates UMFPACK's status.  A singular matrix is only a warning (status > 0) there, and a solve
 * with it gives NaN. */
static torsor_status umfpack_status(int status) {
  if (status == UMFPACK_OK) return TORSOR_OK;
  if (status == UMFPACK_ERROR_out_of_memory) return TORSOR_MEMORY;
  return status > 0 || status == UMFPACK_ERROR_invalid_matrix ? TORSOR_SINGULAR : TORSOR_ARGUMENT;
}

static torsor_status umfpack_analyse(void **self, const pattern *p, const block_plan *plan) {
  (void)plan;
  umfpack_self *s = calloc(1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  const size_t n = (size_t)p->n;
  s->p = *p;
  umfpack_di_defaults(s->control);
  s->Ax = calloc((size_t)p->nonzeros, sizeof *s->Ax);
  s->row = calloc(2 * n, sizeof *s->row);
  s->b = calloc(n, sizeof *s->b);
  s->work = calloc(5 * n, sizeof *s->work);
  s->iwork = calloc(n, sizeof *s->iwork);
  torsor_status status = TORSOR_MEMORY;
  if (s->Ax && s->row && s->b && s->work && s->iwork)
    status = umfpack_status(
        umfpack_di_symbolic(p->n, p->n, p->Ap, p->Ai, NULL, &s->symbolic, s->control, s->info));
  if (status) {
    umfpack_destroy(s);
    return status;
  }
  s->column = s->row + n;
  *self = s;
  return TORSOR_OK;
}

static torsor_status umfpack_factor(void *self, const double *Ax) {
  umfpack_self *s = self;
  umfpack_di_free_numeric(&s->numeric);
  equilibrate(s->row, s->column, s->work, &s->p, Ax);
  equilibrate_values(s->Ax, &s->p, Ax, s->row, s->column);
  const torsor_status status = umfpack_status(
      umfpack_di_numeric(s->p.Ap, s->p.Ai, s->Ax, s->symbolic, &s->numeric, s->control, s->info));
  /* UMFPACK scales rows to sums of 1, so pivots far above 1 come from growth. */
  s->control[UMFPACK_IRSTEP] = s->info[UMFPACK_UMAX] > GROWN ? REFINEMENTS : 0;
  return status;
}

static torsor_status umfpack_solve(void *self, double *x) {
  umfpack_self *s = self;
  for (int i = 0; i < s->p.n; ++i) s->b[i] = x[i] * s->row[i];
  const torsor_status status =
      umfpack_status(umfpack_di_wsolve(UMFPACK_A, s->p.Ap, s->p.Ai, s->Ax, x, s->b, s->numeric,
                                       s->control, s->info, s->iwork, s->work));
  for (int i = 0; i < s->p.n; ++i) x[i] *= s->column[i];
  return status;
}

static double umfpack_pivot_ratio(const void *self) {
  const umfpack_self *s = self;
  return s->info[UMFPACK_RCOND];
}

static int umfpack_sign(void *self) {
  const umfpack_self *s = self;
  double mantissa, exponent, info[UMFPACK_INFO];
  if (umfpack_di_get_determinant(&mantissa, &exponent, s->numeric, info) != UMFPACK_OK) return 0;
  return (mantissa > 0) - (mantissa < 0);
}

/* Reports no growth, as the refinement restores the digits that growth takes. */
static double umfpack_growth(void *self) {
  (void)self;
  return 1;
}

const linear_solver_type linear_solver_umfpack = {
    .name = "umfpack",
    .analyse = umfpack_analyse,
    .factor = umfpack_factor,
    .solve = umfpack_solve,
    .pivot_ratio = umfpack_pivot_ratio,
    .sign = umfpack_sign,
    .growth = umfpack_growth,
    .destroy = umfpack_destroy,
};
