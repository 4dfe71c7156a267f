/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vectors and matrices against their definitions, entry by entry. */

#include "check.h"

#include <torsor/lie/vec.h>

/* Sums of at most 6 products of numbers below 1, in another order: 6 eps. */
static const double bound = 6 * CHECK_EPS;

static v3 random_v3(check_rng *rng) {
  double x = check_uniform(rng, -1, 1), y = check_uniform(rng, -1, 1);
  return (v3){x, y, check_uniform(rng, -1, 1)};
}

static m3 random_m3(check_rng *rng) {
  v3 a = random_v3(rng), b = random_v3(rng);
  return m3_rows(a, b, random_v3(rng));
}

static m6 random_m6(check_rng *rng) {
  m3 A = random_m3(rng), B = random_m3(rng), C = random_m3(rng);
  return m6_blocks(A, B, C, random_m3(rng));
}

static void check_v3(v3 a, double x, double y, double z, double tolerance) {
  CHECK_NEAR(a.x, x, tolerance);
  CHECK_NEAR(a.y, y, tolerance);
  CHECK_NEAR(a.z, z, tolerance);
}

static void check_m3(m3 A, m3 B, double tolerance) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) CHECK_NEAR(A.m[i][j], B.m[i][j], tolerance);
}

static void test_v3(void **state) {
  (void)state;
  v3 a = {1, 2, 3}, b = {-4, 5, 0.5};
  double stored[3];
  check_v3(v3_zero(), 0, 0, 0, 0);
  check_v3(v3_add(a, b), -3, 7, 3.5, 0);
  check_v3(v3_sub(a, b), 5, -3, 2.5, 0);
  check_v3(v3_neg(a), -1, -2, -3, 0);
  check_v3(v3_scale(a, 2), 2, 4, 6, 0);
  check_v3(v3_axpy(2, a, b), -2, 9, 6.5, 0);
  check_v3(v3_cross(a, b), -14, -12.5, 13, 0);
  CHECK_NEAR(v3_dot(a, b), 7.5, 0);
  CHECK_NEAR(v3_norm2(a), 14, 0);
  v3_store(stored, b);
  check_v3(v3_load(stored), -4, 5, 0.5, 0);
}

static void test_norm(void **state) {
  (void)state;
  const double sizes[] = {0x1p-1074, 1e-310, 1e-300, 1e-160, 1e-150, 1, 1e150, 1e160, 1e300};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    double s = sizes[i];
    CHECK_NEAR(v3_norm((v3){2 * s, -3 * s, 6 * s}), 7 * s, 2 * CHECK_EPS * 7 * s);
    v3 unit = v3_unit((v3){2 * s, -3 * s, 6 * s});
    check_v3(unit, 2. / 7, -3. / 7, 6. / 7, 2 * CHECK_EPS);
    CHECK_NEAR(v3_norm(unit), 1, 2 * CHECK_EPS);
  }
  CHECK_NEAR(v3_norm(v3_zero()), 0, 0);
  CHECK_TRUE(isinf(v3_norm((v3){1, -HUGE_VAL, 0})));
  CHECK_TRUE(isnan(v3_norm((v3){0, (double)NAN, 0})));
  CHECK_TRUE(isnan(v3_norm((v3){1, (double)NAN, 1e300})));
  CHECK_TRUE(isnan(v3_unit(v3_zero()).x));
}

static void test_m3(void **state) {
  (void)state;
  check_rng rng = {1};
  for (int k = 0; k < 20; k++) {
    m3 A = random_m3(&rng), B = random_m3(&rng), AB = m3_mul(A, B), AtB = m3_tmul(A, B);
    v3 a = random_v3(&rng), b = random_v3(&rng), Aa = m3_mulv(A, a), Ata = m3_tmulv(A, a);
    double x[3], y[3], z[3];
    v3_store(x, a);
    v3_store(y, Aa);
    v3_store(z, Ata);
    for (int i = 0; i < 3; i++) {
      double s = 0, t = 0;
      for (int j = 0; j < 3; j++) {
        double p = 0, q = 0;
        for (int l = 0; l < 3; l++) {
          p += A.m[i][l] * B.m[l][j];
          q += A.m[l][i] * B.m[l][j];
        }
        CHECK_NEAR(AB.m[i][j], p, bound);
        CHECK_NEAR(AtB.m[i][j], q, bound);
        CHECK_NEAR(m3_transpose(A).m[i][j], A.m[j][i], 0);
        s += A.m[i][j] * x[j];
        t += A.m[j][i] * x[j];
      }
      CHECK_NEAR(y[i], s, bound);
      CHECK_NEAR(z[i], t, bound);
    }
    check_m3(m3_sub(m3_add(A, B), B), A, bound);
    check_m3(m3_axpy(2, A, B), m3_add(m3_scale(A, 2), B), bound);
    check_m3(m3_add(A, m3_zero()), A, 0);
    v3 c = m3_mulv(m3_skew(a), b), d = v3_cross(a, b), e = m3_vee(m3_skew(a));
    check_v3(c, d.x, d.y, d.z, bound);
    check_v3(e, a.x, a.y, a.z, 0);
    check_m3(m3_skew_mul(a, B), m3_mul(m3_skew(a), B), bound);
    check_m3(m3_mul_skew(A, b), m3_mul(A, m3_skew(b)), bound);
    v3 f = m3_mulv(m3_outer(a, b), d), g = v3_scale(a, v3_dot(b, d));
    check_v3(f, g.x, g.y, g.z, bound);
    v3 row = m3_row(A, 1), column = m3_column(A, 2);
    check_v3(row, A.m[1][0], A.m[1][1], A.m[1][2], 0);
    check_v3(column, A.m[0][2], A.m[1][2], A.m[2][2], 0);
    CHECK_NEAR(m3_trace(A), A.m[0][0] + A.m[1][1] + A.m[2][2], bound);
  }
}

static void test_inverse(void **state) {
  (void)state;
  check_rng rng = {2};
  m3 A = m3_diagonal((v3){2, 4, -0.5});
  check_m3(m3_inverse(A), m3_diagonal((v3){0.5, 0.25, -2}), 0);
  CHECK_NEAR(m3_det(A), -4, 0);
  CHECK_FALSE(isfinite(m3_inverse(m3_zero()).m[0][0]));
  for (int k = 0; k < 20; k++) {
    m3 B = m3_add(random_m3(&rng), m3_diagonal((v3){3, 3, 3}));
    /* dominant diagonal: condition number below 20 */
    check_m3(m3_mul(B, m3_inverse(B)), m3_identity(), 20 * bound);
    m3 C = random_m3(&rng);
    CHECK_NEAR(m3_det(m3_mul(B, C)), m3_det(B) * m3_det(C), 64 * 6 * bound); /* |det B| < 64 */
  }
}

static void test_twist(void **state) {
  (void)state;
  twist a = {{1, 2, 3}, {4, 5, 6}}, b = {{-1, 0.5, 2}, {3, -2, 1}};
  double x[6], y[6], z[6];
  tw_store(x, a);
  tw_store(y, b);
  CHECK_NEAR(tw_dot(a, b), -1 + 1 + 6 + 12 - 10 + 6, 0);
  twist results[] = {tw_add(a, b),    tw_sub(a, b),       tw_neg(a),
                     tw_scale(a, -3), tw_axpy(0.5, a, b), tw_zero()};
  for (int i = 0; i < 6; i++) {
    double expected[] = {x[i] + y[i], x[i] - y[i], -x[i], -3 * x[i], 0.5 * x[i] + y[i], 0};
    for (int k = 0; k < 6; k++) {
      tw_store(z, results[k]);
      CHECK_NEAR(z[i], expected[k], 0);
    }
    CHECK_NEAR(x[i], i + 1, 0);
  }
}

static void check_products(m6 A, m6 B, const double x[6]) {
  m6 AB = m6_mul(A, B), AtB = m6_tmul(A, B), At = m6_transpose(A);
  double y[6], z[6];
  tw_store(y, m6_mulv(A, tw_load(x)));
  tw_store(z, m6_tmulv(A, tw_load(x)));
  for (int i = 0; i < 6; i++) {
    double s = 0, t = 0;
    for (int j = 0; j < 6; j++) {
      double p = 0, q = 0;
      for (int l = 0; l < 6; l++) {
        p += A.m[i][l] * B.m[l][j];
        q += A.m[l][i] * B.m[l][j];
      }
      CHECK_NEAR(AB.m[i][j], p, bound);
      CHECK_NEAR(AtB.m[i][j], q, bound);
      CHECK_NEAR(At.m[j][i], A.m[i][j], 0);
      s += A.m[i][j] * x[j];
      t += A.m[j][i] * x[j];
    }
    CHECK_NEAR(y[i], s, bound);
    CHECK_NEAR(z[i], t, bound);
  }
}

static void test_m6(void **state) {
  (void)state;
  check_rng rng = {3};
  for (int k = 0; k < 10; k++) {
    m6 A = random_m6(&rng), B = random_m6(&rng);
    double x[6];
    for (int i = 0; i < 6; i++) x[i] = check_uniform(&rng, -1, 1);
    check_products(A, B, x);
    m6 sum = m6_add(A, B), difference = m6_sub(A, B), scaled = m6_scale(A, -2);
    m6 combined = m6_axpy(3, A, B), same = m6_mul(A, m6_identity()), none = m6_zero();
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        CHECK_NEAR(sum.m[i][j], A.m[i][j] + B.m[i][j], 0);
        CHECK_NEAR(difference.m[i][j], A.m[i][j] - B.m[i][j], 0);
        CHECK_NEAR(scaled.m[i][j], -2 * A.m[i][j], 0);
        CHECK_NEAR(combined.m[i][j], 3 * A.m[i][j] + B.m[i][j], bound);
        CHECK_NEAR(same.m[i][j], A.m[i][j], 0);
        CHECK_NEAR(none.m[i][j], 0, 0);
        CHECK_NEAR(m6_block(A, i / 3, j / 3).m[i % 3][j % 3], A.m[i][j], 0);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_v3),      cmocka_unit_test(test_norm),  cmocka_unit_test(test_m3),
      cmocka_unit_test(test_inverse), cmocka_unit_test(test_twist), cmocka_unit_test(test_m6),
  };
  return cmocka_run_group_tests_name("lie vec", tests, NULL, NULL);
}
