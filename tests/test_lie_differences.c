/* SPDX-License-Identifier: GPL-3.0-or-later */

/* T and the derivatives of T and T^-T against central differences, for every group; T^-1 needs
 * none: it is the inverse of T (test_lie_laws.c).
 *
 * Step h = cbrt(eps): truncation h^2/6 f''' and round-off eps f/h are both of the order of
 * eps^(2/3) = 3.7e-11.  f and f''' are sums of a handful of terms of size up to 2 (|u| < 2,
 * coefficients < 1), hence the bound of 32 eps^(2/3); times the cube of the condition number of
 * T^-1 near its pole. */

#include "lie_groups.h"

static const double bound = 32, pole2 = 39.47841760435743; /* 4 pi^2 */
static const double step = 6.055454452393343e-06;          /* cbrt(eps) */
static const double unit = 3.6668528625014046e-11;         /* cbrt(eps)^2 */

/* f of an algebra element, with the fixed arguments k (algebra) and q (group). */
typedef void function(const struct law_group *g, double *f, const double *v, const double *k,
                      const double *q);

/* Largest difference between the columns of A and the central differences of f at v. */
static double against_differences(const struct law_group *g, const double *A, function *f,
                                  const double *v, const double *k, const double *q) {
  double u[MAXV], up[MAXV], down[MAXV], defect = 0;
  int n = g->nv;
  for (int j = 0; j < n; j++) {
    rn_copy(u, v, n);
    u[j] = v[j] + step;
    f(g, up, u, k, q);
    double width = u[j];
    u[j] = v[j] - step;
    f(g, down, u, k, q);
    width -= u[j];
    for (int i = 0; i < n; i++)
      defect = check_max(defect, fabs((up[i] - down[i]) / width - A[i * n + j]));
  }
  return defect;
}

static void relative_log(const struct law_group *g, double *f, const double *v, const double *k,
                         const double *q) {
  (void)k;
  double p[MAXQ];
  g->exp(p, v);
  g->minus(f, p, q);
}

static void tan_times(const struct law_group *g, double *f, const double *v, const double *k,
                      const double *q) {
  (void)q;
  double T[MAXM];
  g->tan(T, v);
  multiply(f, T, k, g->nv, g->nv, 1);
}

static void taninv_transpose_times(const struct law_group *g, double *f, const double *v,
                                   const double *k, const double *q) {
  (void)q;
  double N[MAXM];
  g->taninv(N, v);
  multiply(f, k, N, 1, g->nv, g->nv);
}

static double law_tan(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], q[MAXQ], T[MAXM];
  random_vector(g, v, angle, rng);
  g->exp(q, v);
  g->tan(T, v);
  return against_differences(g, T, relative_log, v, NULL, q);
}

static double law_dtan(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], k[MAXV], D[MAXM];
  random_vector(g, v, angle, rng);
  random_vector(g, k, 1, rng);
  g->dtan(D, v, k);
  return against_differences(g, D, tan_times, v, k, NULL);
}

static double law_dtaninvT(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], k[MAXV], D[MAXM], pole = pole2 / (pole2 - angle * angle);
  random_vector(g, v, angle, rng);
  random_vector(g, k, 1, rng);
  g->dtaninvT(D, v, k);
  return against_differences(g, D, taninv_transpose_times, v, k, NULL) / (pole * pole * pole);
}

static void test_differences(void **state) {
  (void)state;
  hold("T", law_tan, 6, unit, bound);
  hold("D(T k)", law_dtan, 6, unit, bound);
  hold("D(T^-T k)", law_dtaninvT, 5, unit, bound);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences)};
  return cmocka_run_group_tests_name("lie differences", tests, NULL, NULL);
}
