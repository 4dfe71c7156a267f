/* SPDX-License-Identifier: GPL-3.0-or-later */

/* T and the derivatives of T and T^-T against central differences, for every group; T^-1 needs
 * none: it is the inverse of T (tests/liegroup/lie_laws.c).
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

/* ---- products of maps on se(3) --------------------------------------------------------------- */

/* T(part h) T^-1(h). */
static const double part = 0.3;

static lie_map product_map(twist h) {
  const double x = v3_norm2(h.ang);
  return lie_map_product(lie_map_scale(lie_map_tan(part * part * x), part), lie_map_taninv(x), x);
}

static twist random_twist(check_rng *rng, double size) {
  double h[6];
  for (int i = 0; i < 6; i++) h[i] = check_uniform(rng, -size, size);
  return tw_load(h);
}

enum { ALONG, GRADIENT, GRADIENT_T, GRADIENT2, MAPS };

/* Returns the value of the map whose derivative is under test. */
static twist mapped(int what, twist h, twist e, twist k) {
  const lie_map m = product_map(h);
  if (what == GRADIENT_T) return m6_tmulv(se3_map(h, m), k);
  if (what == GRADIENT2) return m6_mulv(se3_map_along(h, e, m), k);
  return m6_mulv(se3_map(h, m), k);
}

static twist derivative(int what, twist h, twist e, twist k, twist direction) {
  const lie_map m = product_map(h);
  if (what == ALONG) return m6_mulv(se3_map_along(h, direction, m), k);
  if (what == GRADIENT) return m6_mulv(se3_map_gradient(h, k, m), direction);
  if (what == GRADIENT_T) return m6_mulv(se3_map_gradientT(h, k, m), direction);
  return m6_mulv(se3_map_gradient2(h, e, k, m), direction);
}

static double largest(twist a) {
  double x[6], most = 0;
  tw_store(x, a);
  for (int i = 0; i < 6; i++) most = check_max(most, fabs(x[i]));
  return most;
}

/* The product of two maps is the map of the product, and its first and second derivatives are those
 * of differences. */
static void test_products(void **state) {
  (void)state;
  static const char *const name[MAPS] = {"S along", "D(S k)", "D(S^T k)", "D(D S[e] k)"};
  check_rng rng = {.state = 4096};
  double product = 0, defect[MAPS] = {0};
  for (int i = 0; i < 400; i++) {
    const twist h = random_twist(&rng, i % 2 ? 1.6 : 0.1), e = random_twist(&rng, 1);
    const twist k = random_twist(&rng, 1), direction = random_twist(&rng, 1);
    const twist apart = m6_mulv(se3_tan(tw_scale(h, part)), m6_mulv(se3_taninv(h), k));
    product = check_max(product, largest(tw_sub(mapped(GRADIENT, h, e, k), apart)));
    for (int what = 0; what < MAPS; what++) {
      const twist up = mapped(what, tw_axpy(step, direction, h), e, k);
      const twist down = mapped(what, tw_axpy(-step, direction, h), e, k);
      const twist slope = tw_scale(tw_sub(up, down), 1 / (2 * step));
      const twist off = tw_sub(slope, derivative(what, h, e, k, direction));
      defect[what] = check_max(defect[what], largest(off));
    }
  }
  /* Sums of some twenty products of numbers up to 4. */
  check_report("T(s h) T^-1(h) as one map", product, 80 * CHECK_EPS);
  CHECK_LE(product, 80 * CHECK_EPS);
  for (int what = 0; what < MAPS; what++) {
    check_report(name[what], defect[what], bound * unit);
    CHECK_LE(defect[what], bound * unit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences),
                                     cmocka_unit_test(test_products)};
  return cmocka_run_group_tests_name("lie differences", tests, NULL, NULL);
}
