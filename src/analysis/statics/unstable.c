/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/unstable.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/eigen/arnoldi.h"

/* Number of eigenvalues of least magnitude that are computed where the solver does not count
 * negative pivots: at first, and at most. */
enum { FIRST = 8, MOST = 256 };

/* Eigenvalues with an imaginary part below this fraction are real: round-off splits two equal real
 * ones into a pair, with its square root as the imaginary part. */
static const double REAL = 1e-4;

/* Relative difference of mutual works up to which the tangent counts as symmetric: round-off of
 * slender beams stays below it, and follower forces that matter for stability exceed it. */
static const double SKEW = 1e-4;

/* Does the sign of the determinant agree with the number of negative eigenvalues? */
static bool agrees(const equilibrium *e, int negative) {
  const int sign = assembly_factor_sign(e->a);
  return sign == 0 || (sign > 0) == (negative % 2 == 0);
}

/* y = A^-1 W x, where W is the metric: its eigenvalues are 1/nu of K u + B^T y = nu W u, B u = 0,
 * and zeros. */
static torsor_status apply(void *self, double *y, const double *x) {
  const equilibrium *e = self;
  const torsor_problem *pr = e->problem;
  memset(y, 0, (size_t)(pr->nv + pr->nl) * sizeof *y);
  for (int i = 0; i < pr->nv; ++i) y[i] = e->weight[i] * x[i];
  return pr->solve(pr->self, y);
}

static int count_negative(const arnoldi_spectrum *s) {
  const double largest = s->count ? hypot(s->re[0], s->im[0]) : 0;
  int count = 0;
  for (int i = 0; i < s->count; ++i)
    count += fabs(s->im[i]) < REAL * fabs(s->re[i]) && s->re[i] < -s->n * DBL_EPSILON * largest;
  return count;
}

/* Counts negative eigenvalues by the eigenvalues nearest to 0: their number is doubled until there
 * are no more negative ones than before (at first than `expected`, -1: not known) and the sign of
 * the determinant agrees. */
static torsor_status count_nearest(int *count, const equilibrium *e, int expected) {
  const arnoldi_operator op = {
      .n = e->problem->nv + e->problem->nl, .apply = apply, .self = (void *)(size_t)e};
  *count = -1;
  for (int asked = FIRST, before = expected; asked <= MOST; asked *= 2) {
    arnoldi_spectrum spectrum = {0};
    const torsor_status status = arnoldi_largest(&spectrum, &op, asked);
    const int found = spectrum.count, negative = count_negative(&spectrum);
    arnoldi_release(&spectrum);
    if (status) return status < 0 ? status : TORSOR_OK;
    const bool all = found >= op.n || found < asked;
    const bool settled = negative == before && asked > 2 * negative;
    if ((all || settled) && agrees(e, negative + e->problem->nl)) {
      *count = negative;
      return TORSOR_OK;
    }
    if (all) return TORSOR_OK;
    before = negative;
  }
  return TORSOR_OK;
}

/* x = A^-1 W r with forces r made of sines: the displacements of such forces. */
static torsor_status answer(double *x, const equilibrium *e, double rate) {
  const torsor_problem *pr = e->problem;
  memset(x, 0, (size_t)(pr->nv + pr->nl) * sizeof *x);
  for (int i = 0; i < pr->nv; ++i) x[i] = e->weight[i] * sin(rate * (i + 1));
  return pr->solve(pr->self, x);
}

static double work_of(const equilibrium *e, const double *x, double rate) {
  double sum = 0;
  for (int i = 0; i < e->problem->nv; ++i) sum += e->weight[i] * sin(rate * (i + 1)) * x[i];
  return sum;
}

/* Checks the reciprocity of Maxwell and Betti: two sets of forces do the same work on each other's
 * displacements, unless some forces follow the motion.  This is done in the soft directions, on
 * which stability depends, and without units. */
static torsor_status is_reciprocal(bool *out, const equilibrium *e) {
  static const double first = 1, second = 1.7;
  double *x = e->aside;
  torsor_status status = answer(x, e, first);
  const double own = work_of(e, x, first), one = work_of(e, x, second);
  if (!status) status = answer(x, e, second);
  const double other = work_of(e, x, first), their = work_of(e, x, second);
  *out = !status && fabs(one - other) <= SKEW * sqrt(fabs(own * their));
  return status < 0 ? status : TORSOR_OK;
}

torsor_status unstable_diverging(int *count, const equilibrium *e) {
  return count_nearest(count, e, -1);
}

torsor_status unstable_count(int *count, const equilibrium *e, int expected) {
  bool reciprocal;
  *count = -1;
  const torsor_status status = is_reciprocal(&reciprocal, e);
  if (status || !reciprocal) return status;
  const int negative = assembly_factor_negative(e->a);
  *count = negative - e->problem->nl;
  if (negative >= e->problem->nl && agrees(e, negative)) return TORSOR_OK;
  return count_nearest(count, e, expected);
}
