/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Special cases of rotations: logarithm at pi, quaternion and matrix, T^-1 at 2 pi, drift. */

#include "check.h"

#include <stdio.h>
#include <torsor/lie.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
enum { DRIFT_STEPS = 1000000 };
#else
enum { DRIFT_STEPS = 10000000 };
#endif

static const double pi = 3.141592653589793;

static v3 random_direction(check_rng *rng) {
  double x = check_uniform(rng, -1, 1), y = check_uniform(rng, -1, 1);
  return v3_unit((v3){x, y, check_uniform(rng, -1, 1)});
}

static so3 random_rotation(check_rng *rng) {
  v3 n = random_direction(rng);
  return so3_exp(v3_scale(n, check_uniform(rng, 0, pi)));
}

static double v3_gap(v3 a, v3 b) {
  return v3_norm(v3_sub(a, b));
}

static double m3_gap(m3 A, m3 B) {
  double gap = 0;
  for (int i = 0; i < 9; i++) gap = check_max(gap, fabs(A.m[i / 3][i % 3] - B.m[i / 3][i % 3]));
  return gap;
}

static double norm_defect(so3 q) {
  long double s = 0;
  const double c[] = {q.w, q.x, q.y, q.z};
  for (int i = 0; i < 4; i++) s += (long double)c[i] * (long double)c[i];
  return fabs((double)(sqrtl(s) - 1));
}

/* At exactly pi the first non-zero component of the logarithm is positive, whatever the sign of the
 * quaternion. */
static void test_log_at_pi(void **state) {
  (void)state;
  const struct {
    so3 q;
    v3 expected;
  } cases[] = {
      {{0, 1, 0, 0}, {pi, 0, 0}},
      {{0, -1, 0, 0}, {pi, 0, 0}},
      {{0, 0, 1, 0}, {0, pi, 0}},
      {{0, 0, -1, 0}, {0, pi, 0}},
      {{0, 0, 0, 1}, {0, 0, pi}},
      {{0, 0, 0, -1}, {0, 0, pi}},
      {{-0.0, 0, 0, -1}, {0, 0, pi}},
      {{0, 0.6, -0.8, 0}, {0.6 * pi, -0.8 * pi, 0}},
      {{0, -0.6, 0.8, 0}, {0.6 * pi, -0.8 * pi, 0}},
      {{0, 0, -0.6, 0.8}, {0, 0.6 * pi, -0.8 * pi}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CHECK_NEAR(v3_gap(so3_log(cases[i].q), cases[i].expected), 0, 4 * CHECK_EPS);
    v3 from_matrix = so3_log_matrix(so3_matrix(cases[i].q));
    CHECK_NEAR(v3_gap(from_matrix, cases[i].expected), 0, 8 * CHECK_EPS);
  }
  CHECK_NEAR(so3_log((so3){0, 1, 0, 0}).x, pi, 0);
  CHECK_NEAR(v3_norm(so3_log(so3_identity())), 0, 0);
  CHECK_NEAR(v3_norm(so3_log((so3){-1, 0, 0, 0})), 0, 0);
}

/* Near pi, on both sides, and for negative quaternions: |log| <= pi, turning there and back. */
static void test_log_near_pi(void **state) {
  (void)state;
  check_rng rng = {5};
  double gap = 0;
  for (double d = 1e-16; d < 1; d *= 10)
    for (int side = -1; side <= 1; side += 2) {
      v3 n = random_direction(&rng);
      so3 q = so3_exp(v3_scale(n, pi + side * d));
      v3 v = so3_log(q), opposite = so3_log((so3){-q.w, -q.x, -q.y, -q.z});
      CHECK_LE(v3_norm(v), pi * (1 + 2 * CHECK_EPS));
      gap = check_max(gap, v3_gap(v, opposite));
      v3 expected = side < 0 || q.w > 0 ? v3_scale(n, pi + side * d) : v3_scale(n, d - pi);
      gap = check_max(gap, v3_gap(v, expected));
    }
  check_report("log near pi", gap, 4 * pi * CHECK_EPS); /* cosine and its argument: eps pi each */
  CHECK_LE(gap, 4 * pi * CHECK_EPS);
}

static void test_tiny(void **state) {
  (void)state;
  const double sizes[] = {1e-300, 1e-200, 1e-160, 1e-155, 1e-150, 1e-100, 1e-20};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    v3 v = {0.3 * sizes[i], -0.5 * sizes[i], 0.7 * sizes[i]};
    CHECK_LE(v3_gap(so3_log(so3_exp(v)), v), 2 * CHECK_EPS * sizes[i]);
    CHECK_LE(v3_gap(so3_log_matrix(so3_rodrigues(v)), v), 2 * CHECK_EPS * sizes[i]);
    twist h = {{1, 2, 3}, v};
    CHECK_LE(v3_gap(se3_log(se3_exp(h)).ang, v), 2 * CHECK_EPS * sizes[i]);
    CHECK_NEAR(v3_gap(se3_log(se3_exp(h)).lin, h.lin), 0, 4 * CHECK_EPS);
  }
}

/* Every branch of the matrix conversion, rotation of vectors, order of composition.
 * so3_exp leaves |q| - 1 up to 1.5 eps, which the matrix takes 8 times into R^T R; a few roundings
 * more make 16 eps. */
static void test_matrix(void **state) {
  (void)state;
  const double bound = 16 * CHECK_EPS;
  check_rng rng = {6};
  double conversion = 0, rotation = 0, orthogonal = 0;
  for (int i = 0; i < 2000; i++) {
    so3 a = random_rotation(&rng), b = random_rotation(&rng);
    m3 A = so3_matrix(a), B = so3_matrix(b);
    v3 p = random_direction(&rng);
    so3 back = so3_from_matrix(A);
    CHECK_GE(back.w, 0);
    conversion = check_max(conversion, v3_norm(so3_minus(back, a)));
    rotation = check_max(rotation, v3_gap(so3_rotate(a, p), m3_mulv(A, p)));
    rotation = check_max(rotation, v3_gap(so3_rotate_inverse(a, p), m3_tmulv(A, p)));
    rotation = check_max(rotation, m3_gap(so3_matrix(so3_compose(a, b)), m3_mul(A, B)));
    orthogonal = check_max(orthogonal, m3_gap(m3_tmul(A, A), m3_identity()));
    CHECK_NEAR(m3_det(A), 1, bound);
  }
  check_report("matrix to quaternion, rad", conversion, bound);
  check_report("rotate against matrix", rotation, bound);
  check_report("R^T R - I", orthogonal, bound);
  CHECK_LE(conversion, bound);
  CHECK_LE(rotation, bound);
  CHECK_LE(orthogonal, bound);
  v3 y = so3_rotate(so3_exp((v3){0, 0, pi / 2}), (v3){1, 0, 0}); /* a quarter turn: x to y */
  CHECK_NEAR(v3_gap(y, (v3){0, 1, 0}), 0, 2 * CHECK_EPS);
}

/* A matrix with noise of 1e-6 gives a unit quaternion within a few times that noise. */
static void test_noisy_matrix(void **state) {
  (void)state;
  check_rng rng = {7};
  for (int i = 0; i < 2000; i++) {
    so3 a = random_rotation(&rng);
    m3 A = so3_matrix(a);
    for (int k = 0; k < 9; k++) A.m[k / 3][k % 3] += check_uniform(&rng, -1e-6, 1e-6);
    so3 q = so3_from_matrix(A);
    CHECK_LE(norm_defect(q), 2 * CHECK_EPS);
    CHECK_LE(v3_norm(so3_minus(q, a)), 2 * 9e-6);
  }
}

static void test_normalise(void **state) {
  (void)state;
  const double sizes[] = {1e-300, 1e-10, 1, 3, 1e10, 1e300};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    double s = sizes[i];
    so3 q = so3_from_quaternion(0.1 * s, -0.7 * s, 0.5 * s, 0.5 * s);
    CHECK_LE(norm_defect(q), 2 * CHECK_EPS);
    CHECK_NEAR(q.w, 0.1, CHECK_EPS);
    CHECK_NEAR(q.x, -0.7, CHECK_EPS);
  }
  CHECK_TRUE(isnan(so3_from_quaternion(0, 0, 0, 0).w));
  for (double d = 1e-9; d < 0.02; d *= 10) {
    double s = 1 + d;
    so3 q = so3_normalise((so3){0.1 * s, -0.7 * s, 0.5 * s, 0.5 * s});
    CHECK_NEAR(norm_defect(q), 1.5 * d * d, d * d * d + 2 * CHECK_EPS);
  }
}

/* T^-1 is NaN exactly where it is said to be, and never rubbish. */
static void test_taninv_singular(void **state) {
  (void)state;
  check_rng rng = {8};
  for (int i = 0; i < 200; i++) {
    v3 n = random_direction(&rng);
    double gap = pow(10, check_uniform(&rng, -16, 0));
    v3 v = v3_scale(n, 2 * pi * (1 - gap));
    twist h = {{1, 2, 3}, v}, k = {{0.5, 0.2, 0.1}, {1, 0, 0}};
    bool defined = so3_taninv_defined(v);
    CHECK_TRUE(gap > 0x1p-24 ? defined : gap > 0x1p-26 || !defined);
    CHECK_TRUE(se3_taninv_defined(h) == defined && r3so3_taninv_defined(h) == defined);
    CHECK_TRUE(isfinite(so3_taninv(v).m[0][1]) == defined);
    CHECK_TRUE(isfinite(se3_taninv(h).m[0][4]) == defined);
    CHECK_TRUE(isfinite(r3so3_taninv(h).m[3][4]) == defined);
    CHECK_TRUE(isfinite(se3_dtaninvT(h, k).m[4][4]) == defined);
    if (!defined) continue;
    m3 product = m3_mul(so3_taninv(v), so3_tan(v));
    double pole = 1 / (2 * gap); /* 4 pi^2/(4 pi^2 - x) */
    CHECK_LE(m3_gap(product, m3_identity()), 64 * CHECK_EPS * pole * pole);
  }
  CHECK_FALSE(so3_taninv_defined((v3){0, 0, 7}));
  CHECK_FALSE(so3_taninv_defined((v3){0, (double)NAN, 0}));
}

/* 10^7 steps of changing increments: the rotation matrix stays orthonormal to 1e-14. */
static void test_drift(void **state) {
  (void)state;
  check_rng rng = {9};
  v3 increments[64];
  for (int i = 0; i < 64; i++)
    increments[i] = v3_scale(random_direction(&rng), pow(10, check_uniform(&rng, -6, 0.4)));
  so3 R = so3_identity();
  double orthogonal = 0, unit = 0;
  for (int i = 0; i < DRIFT_STEPS; i++) {
    R = so3_plus(R, increments[i & 63]);
    if (i % 97 != 0) continue;
    m3 A = so3_matrix(R);
    orthogonal = check_max(orthogonal, m3_gap(m3_tmul(A, A), m3_identity()));
    unit = check_max(unit, norm_defect(R));
  }
  print_message("  %d steps\n", DRIFT_STEPS);
  check_report("R^T R - I after many steps", orthogonal, 1e-14);
  check_report("|q| - 1 after many steps", unit, 2 * CHECK_EPS); /* rounding of 4 products */
  CHECK_LE(orthogonal, 1e-14);
  CHECK_LE(unit, 2 * CHECK_EPS);
}

static void test_not_finite(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, HUGE_VAL, 1e200};
  for (int i = 0; i < 3; i++) {
    v3 v = {0, bad[i], 0};
    CHECK_FALSE(isfinite(so3_exp(v).w));
    CHECK_FALSE(isfinite(so3_tan(v).m[0][0]));
  }
  CHECK_TRUE(isnan(so3_log((so3){(double)NAN, 0, 0, 0}).x));
  CHECK_TRUE(isnan(so3_log((so3){1, (double)NAN, 0, 0}).x));
  CHECK_TRUE(isnan(so3_log((so3){0, 0, 0, 0}).x));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log_at_pi),
      cmocka_unit_test(test_log_near_pi),
      cmocka_unit_test(test_tiny),
      cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_noisy_matrix),
      cmocka_unit_test(test_normalise),
      cmocka_unit_test(test_taninv_singular),
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests_name("lie rotation", tests, NULL, NULL);
}
