/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "integrator/stage_kit.h"

#include <string.h>

void stage_set_past(extrapolation *past, const torsor_problem *problem) {
  past->length = past->counted = problem->nv + problem->nl;
  past->first = problem->nv;
  past->problem = problem;
}

void stage_set_newton(newton *n, double *x, const torsor_problem *problem) {
  n->x = x;
  n->block_count = 2;
  n->blocks[0] = (newton_block){.data = x, .length = problem->nv};
  n->blocks[1] = (newton_block){.data = x + problem->nv, .length = problem->nl};
}

void stage_begin(newton *n, extrapolation *past, const double *a, const double *lambda) {
  const size_t nv = (size_t)past->problem->nv, nl = (size_t)past->problem->nl;
  newton_init(n);
  extrapolation_clear(past);
  memcpy(past->value[0], a, nv * sizeof *a);
  memcpy(past->value[0] + nv, lambda, nl * sizeof *lambda);
}

void stage_add(double *y, const double *x, const saddle *systems, double k) {
  const int nv = systems->problem->nv, nl = systems->problem->nl;
  for (int i = 0; i < nv; ++i) y[i] += x[i] / k;
  for (int i = nv; i < nv + nl; ++i) y[i] += x[i] * systems->mass / k;
}

void stage_measure_nothing(void *self, const double *x) {
  (void)self, (void)x;
}
