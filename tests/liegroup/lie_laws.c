/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The laws of a Lie group and of its exponential, for every group, at all sizes of rotation.
 *
 * Defects are in units of eps times the size of the terms that cancel; the bound of 16 is 8
 * roundings of 2 eps, more than any law here goes through. */

#include "lie_groups.h"

static const double bound = 16, pole2 = 39.47841760435743; /* 4 pi^2 */

/* Distance of two group elements; a quaternion and its negative are the same rotation. */
static double distance(const struct law_group *g, const double *a, const double *b) {
  if (g->wq < 0) return differ(a, b, g->nq);
  double opposite[4];
  for (int i = 0; i < 4; i++) opposite[i] = -b[g->wq + i];
  double same = differ(a + g->wq, b + g->wq, 4), other = differ(a + g->wq, opposite, 4);
  return check_max(differ(a, b, g->wq), same < other ? same : other);
}

/* ---- group laws ---- */

static double law_associative(const struct law_group *g, double angle, check_rng *rng) {
  double a[MAXQ], b[MAXQ], c[MAXQ], v[MAXV], ab[MAXQ], bc[MAXQ], left[MAXQ], right[MAXQ];
  random_element(g, a, rng);
  random_element(g, b, rng);
  random_vector(g, v, angle, rng);
  g->exp(c, v);
  g->compose(ab, a, b);
  g->compose(left, ab, c);
  g->compose(bc, b, c);
  g->compose(right, a, bc);
  return distance(g, left, right) / 3;
}

static double law_inverse(const struct law_group *g, double angle, check_rng *rng) {
  double a[MAXQ], b[MAXQ], v[MAXV], e[MAXQ], left[MAXQ], right[MAXQ];
  random_vector(g, v, angle, rng);
  g->exp(a, v);
  g->inverse(b, a);
  g->identity(e);
  g->compose(left, a, b);
  g->compose(right, b, a);
  return check_max(distance(g, left, e), distance(g, right, e));
}

static double law_log_exp(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], w[MAXV], q[MAXQ];
  random_vector(g, v, angle, rng);
  g->exp(q, v);
  g->log(w, q);
  int rotation = g->wv < 0 ? g->nv : g->wv;
  double defect = differ(v, w, rotation) / 3; /* |T^-T T^T| up to pi */
  double turn = g->wv < 0 ? 0 : differ(v + g->wv, w + g->wv, 3);
  return turn != 0 ? check_max(defect, turn / angle) : defect;
}

static double law_exp_log(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], p[MAXQ], q[MAXQ];
  random_vector(g, v, angle, rng);
  g->exp(q, v);
  g->log(v, q);
  g->exp(p, v);
  return distance(g, p, q) / 3;
}

static double law_plus_minus(const struct law_group *g, double angle, check_rng *rng) {
  double a[MAXQ], b[MAXQ], c[MAXQ], v[MAXV], w[MAXV];
  random_element(g, a, rng);
  random_vector(g, v, angle, rng);
  g->plus(b, a, v);
  g->minus(w, b, a);
  g->plus(c, a, w);
  double defect = distance(g, b, c) / 3;
  return angle < 3 ? check_max(defect, differ(v, w, g->nv) / 6) : defect;
}

static void test_group(void **state) {
  (void)state;
  hold("associative", law_associative, 6, CHECK_EPS, bound);
  hold("inverse", law_inverse, 6, CHECK_EPS, bound);
  hold("log exp v = v, relative", law_log_exp, 3.1415925, CHECK_EPS, bound);
  hold("exp log a = a", law_exp_log, 6, CHECK_EPS, bound);
  hold("plus, minus", law_plus_minus, 6, CHECK_EPS, bound);
}

/* ---- adjoint ---- */

static double law_adjoint_product(const struct law_group *g, double angle, check_rng *rng) {
  double a[MAXQ], b[MAXQ], ab[MAXQ], v[MAXV], A[MAXM], B[MAXM], AB[MAXM], product[MAXM];
  int n = g->nv;
  random_element(g, a, rng);
  random_vector(g, v, angle, rng);
  g->exp(b, v);
  g->compose(ab, a, b);
  g->adjoint(A, a);
  g->adjoint(B, b);
  g->adjoint(AB, ab);
  multiply(product, A, B, n, n, n);
  double defect = differ(product, AB, n * n) / 3;
  g->adjoint_inverse(B, a);
  multiply(product, A, B, n, n, n);
  rn_scalar_matrix(AB, 1, n);
  return check_max(defect, differ(product, AB, n * n) / 3);
}

/* a exp(v) a^-1 = exp(Ad(a) v), and Ad(a) [v, w] = [Ad(a) v, Ad(a) w]. */
static double law_adjoint_action(const struct law_group *g, double angle, check_rng *rng) {
  double a[MAXQ], b[MAXQ], c[MAXQ], v[MAXV], w[MAXV], Av[MAXV], Aw[MAXV];
  double A[MAXM], left[MAXV], right[MAXV], bracket[MAXV];
  int n = g->nv;
  random_element(g, a, rng);
  random_vector(g, v, angle, rng);
  random_vector(g, w, 1, rng);
  g->adjoint(A, a);
  multiply(Av, A, v, n, n, 1);
  multiply(Aw, A, w, n, n, 1);
  g->exp(b, v);
  g->compose(c, a, b);
  g->inverse(b, a);
  g->compose(c, c, b);
  g->exp(b, Av);
  double defect = distance(g, b, c) / 4;
  g->ad(A, v);
  multiply(bracket, A, w, n, n, 1);
  g->adjoint(A, a);
  multiply(left, A, bracket, n, n, 1);
  g->ad(A, Av);
  multiply(right, A, Aw, n, n, 1);
  return check_max(defect, differ(left, right, n) / (4 * (1 + angle)));
}

static double law_jacobi(const struct law_group *g, double angle, check_rng *rng) {
  double x[3][MAXV], A[3][MAXM], inner[MAXV], outer[MAXV], sum[MAXV] = {0}, scale = 0;
  int n = g->nv;
  for (int i = 0; i < 3; i++) {
    random_vector(g, x[i], i == 0 ? angle : 1, rng);
    g->ad(A[i], x[i]);
  }
  for (int i = 0; i < 3; i++) {
    multiply(inner, A[(i + 1) % 3], x[(i + 2) % 3], n, n, 1);
    multiply(outer, A[i], inner, n, n, 1);
    rn_compose(sum, sum, outer, n);
    scale = check_max(scale, size_of(outer, n));
    multiply(inner, A[i], x[(i + 1) % 3], n, n, 1);
    multiply(outer, A[(i + 1) % 3], x[i], n, n, 1);
    rn_inverse(outer, outer, n);
    CHECK_LE(differ(inner, outer, n), 4 * CHECK_EPS * (1 + angle));
  }
  return scale > 0 ? size_of(sum, n) / scale : 0;
}

/* hat is an isomorphism: hat([v, w]) = hat(v) hat(w) - hat(w) hat(v), and vee inverts it. */
static double law_hat(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], w[MAXV], A[MAXM], V[MAXH], W[MAXH], VW[MAXH], WV[MAXH], bracket[MAXV];
  random_vector(g, v, angle, rng);
  random_vector(g, w, 1, rng);
  g->ad(A, v);
  multiply(bracket, A, w, g->nv, g->nv, 1);
  g->hat(V, v);
  g->hat(W, w);
  multiply(VW, V, W, g->nh, g->nh, g->nh);
  multiply(WV, W, V, g->nh, g->nh, g->nh);
  rn_minus(VW, VW, WV, g->nh * g->nh);
  g->hat(WV, bracket);
  g->vee(w, V);
  CHECK_NEAR(differ(v, w, g->nv), 0, 0);
  return differ(VW, WV, g->nh * g->nh) / (1 + angle);
}

/* The matrix of exp(v) is the matrix exponential of hat(v), by its power series (30 terms: the rest
 * is below 1e-32 up to angle 1, where this law stops). */
static double law_matrix_exponential(const struct law_group *g, double angle, check_rng *rng) {
  if (!g->matrix) return 0;
  double v[MAXV], q[MAXQ], V[MAXH], term[MAXH], next[MAXH], sum[MAXH], expected[MAXH];
  int n = g->nh;
  random_vector(g, v, angle, rng);
  g->exp(q, v);
  g->matrix(expected, q);
  g->hat(V, v);
  rn_scalar_matrix(term, 1, n);
  rn_copy(sum, term, n * n);
  for (int k = 1; k <= 30; k++) {
    multiply(next, term, V, n, n, n);
    for (int i = 0; i < n * n; i++) term[i] = next[i] / k;
    rn_compose(sum, sum, term, n * n);
  }
  return differ(sum, expected, n * n) / 2;
}

static void test_adjoint(void **state) {
  (void)state;
  hold("Ad(ab) = Ad(a) Ad(b), Ad^-1", law_adjoint_product, 6, CHECK_EPS, bound);
  hold("exp(Ad(a) v) = a exp(v) a^-1", law_adjoint_action, 6, CHECK_EPS, bound);
  hold("Jacobi identity", law_jacobi, 6, CHECK_EPS, bound);
  hold("hat is an isomorphism", law_hat, 6, CHECK_EPS, bound);
  hold("exp is the exponential of hat", law_matrix_exponential, 1, CHECK_EPS, bound);
}

/* ---- tangent ---- */

/* T(-v) = Ad(exp v) T(v) and T(v) v = v. */
static double law_tan(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV], back[MAXV] = {0}, q[MAXQ], T[MAXM], A[MAXM], left[MAXM], right[MAXM], Tv[MAXV];
  int n = g->nv;
  random_vector(g, v, angle, rng);
  rn_inverse(back, v, n);
  g->tan(left, back);
  g->tan(T, v);
  g->exp(q, v);
  g->adjoint(A, q);
  multiply(right, A, T, n, n, n);
  multiply(Tv, T, v, n, n, 1);
  double defect = differ(left, right, n * n) / 3;
  return check_max(defect, differ(Tv, v, n) / (1 + angle));
}

/* T^-1 T = I and T^-1(v) - T^-1(-v) = ad(v). */
static double law_taninv(const struct law_group *g, double angle, check_rng *rng) {
  double v[MAXV] = {0}, T[MAXM], N[MAXM], product[MAXM], one[MAXM], ad[MAXM];
  int n = g->nv;
  random_vector(g, v, angle, rng);
  double pole = pole2 / (pole2 - angle * angle), scale = 3 * pole * pole * (1 + angle);
  g->tan(T, v);
  g->taninv(N, v);
  multiply(product, N, T, n, n, n);
  rn_scalar_matrix(one, 1, n);
  double defect = differ(product, one, n * n) / scale;
  g->ad(ad, v);
  rn_inverse(v, v, n);
  g->taninv(T, v);
  rn_minus(N, N, T, n * n);
  return check_max(defect, differ(N, ad, n * n) / scale);
}

/* A 6x6 function of h is also a polynomial in ad(h):
 *   I + (a - x a1/2) ad + (b - x b1/2) ad^2 - (a1/2) ad^3 - (b1/2) ad^4,
 * with the coefficients a ... b1 of the 3x3 function of w.  Independent of the block formulas. */
static double polynomial_defect(m6 expected, twist h, lie_map m) {
  double x = v3_norm2(h.ang),
         c[] = {1, m.a - x * m.a1 / 2, m.b - x * m.b1 / 2, -m.a1 / 2, -m.b1 / 2};
  m6 power = m6_identity(), sum = m6_zero(), ad = se3_ad(h);
  double scale = 0;
  for (int k = 0; k < 5; k++) {
    sum = m6_axpy(c[k], power, sum);
    scale = check_max(scale, fabs(c[k]) * size_of(&power.m[0][0], 36));
    power = m6_mul(power, ad);
  }
  return differ(&sum.m[0][0], &expected.m[0][0], 36) / scale;
}

static void test_polynomial(void **state) {
  (void)state;
  check_rng rng = {43};
  double worst = 0, worst_inverse = 0;
  for (int i = 0; i < ANGLES; i++)
    for (int j = 0; j < TRIES; j++) {
      double v[MAXV];
      random_vector(&groups[GROUPS - 1], v, angles[i], &rng);
      twist h = tw_load(v);
      double x = v3_norm2(h.ang);
      worst = check_max(worst, polynomial_defect(se3_tan(h), h, lie_map_tan(x)));
      worst_inverse =
          check_max(worst_inverse, polynomial_defect(se3_taninv(h), h, lie_map_taninv(x)));
    }
  check_report("se3_tan is a polynomial in ad", worst / CHECK_EPS, bound);
  check_report("se3_taninv is a polynomial in ad", worst_inverse / CHECK_EPS, bound);
  CHECK_LE(worst / CHECK_EPS, bound);
  CHECK_LE(worst_inverse / CHECK_EPS, bound);
}

static void test_tangent(void **state) {
  (void)state;
  hold("T(-v) = Ad(exp v) T(v), T(v) v = v", law_tan, 6, CHECK_EPS, bound);
  hold("T^-1 T = I, T^-1(v) - T^-1(-v) = ad(v)", law_taninv, 6, CHECK_EPS, bound);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_group),
      cmocka_unit_test(test_adjoint),
      cmocka_unit_test(test_tangent),
      cmocka_unit_test(test_polynomial),
  };
  return cmocka_run_group_tests_name("lie laws", tests, NULL, NULL);
}
