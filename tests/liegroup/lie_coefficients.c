/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scalar functions of the rotation angle t against 60-digit values.
 *
 * For t <= pi (t < 2 for the two that vanish at pi): error in units in the last place.  The bounds
 * add 0.5 to 1 for a libm function and 0.5 for each operation after it, times the cancellation that
 * is left at a switch-over (at most 2).
 * For all t: error over eps (|f| + |x df/dx|), i.e. relative to the change that one rounding of the
 * argument makes: cos(t/2) and sin t/t vanish at pi, T^-1 is infinite at 2 pi.  For T beyond pi the
 * closed forms of the second derivatives, just above their switch-over, lose a factor of 2 more;
 * the bound of the second measure, in eps and not in ulp, has room for that.
 */

#include "check.h"
#include "lie_table.h"

#include <stdio.h>
#include <torsor/lie/coefficients.h>

#define ROWS (sizeof lie_scalars_table / sizeof lie_scalars_table[0])

enum { FUNCTIONS = 12 };

static const struct {
  const char *name;
  double bound, reach; /* plain ulp are counted for x < reach */
} functions[FUNCTIONS] = {
    {"cos(t/2)", 2, 4},         {"sin(t/2)/t", 3, 9.87},    {"sin t/t", 4, 4},
    {"(1-cos t)/t^2", 4, 9.87}, {"(t-sin t)/t^3", 4, 9.87}, {"T: a1", 4, 9.87},
    {"T: b1", 4, 9.87},         {"T: a2", 4, 9.87},         {"T: b2", 4, 9.87},
    {"T^-1: b", 4, 9.87},       {"T^-1: b1", 6, 9.87},      {"T^-1: b2", 8, 9.87},
};

static void evaluate(double value[FUNCTIONS], double x) {
  lie_half half = lie_half_at(x);
  lie_trig s = lie_trig_at(x);
  lie_map T = lie_map_tan(x), N = lie_map_taninv(x);
  double all[FUNCTIONS] = {half.c, half.h, s.s1, s.s2, s.s3, T.a1,
                           T.b1,   T.a2,   T.b2, N.b,  N.b1, N.b2};
  memcpy(value, all, sizeof all);
  CHECK_NEAR(T.a, -s.s2, 0);
  CHECK_NEAR(T.b, s.s3, 0);
  CHECK_NEAR(N.a, 0.5, 0);
}

static void expect(double value[FUNCTIONS], double slope[FUNCTIONS],
                   const struct lie_scalars *row) {
  double pole = 39.47841760435743 / (39.47841760435743 - row->x);
  double f[FUNCTIONS] = {row->c,  row->h,  row->s1, row->s2, row->s3, row->a1,
                         row->b1, row->a2, row->b2, row->k,  row->k1, row->k2};
  /* 2 df/dx; none for a2 and b2 of T, which change slowly; T^-1 b2 ~ 1/(4 pi^2 - x)^3 */
  double d[FUNCTIONS] = {-row->h / 2,
                         (row->c / 2 - row->h) / (row->x > 0 ? row->x : 1),
                         row->s3 - row->s2,
                         -row->a1,
                         row->b1,
                         row->a2,
                         row->b2,
                         0,
                         0,
                         row->k1,
                         row->k2,
                         0};
  memcpy(value, f, sizeof f);
  for (int i = 0; i < FUNCTIONS; i++) slope[i] = fabs(0.5 * row->x * d[i]);
  slope[11] = 3 * fabs(row->k2) * pole;
}

static void test_table(void **state) {
  (void)state;
  double ulp[FUNCTIONS] = {0}, relative[FUNCTIONS] = {0};
  for (size_t i = 0; i < ROWS; i++) {
    double value[FUNCTIONS], expected[FUNCTIONS], slope[FUNCTIONS];
    evaluate(value, lie_scalars_table[i].x);
    expect(expected, slope, &lie_scalars_table[i]);
    for (int f = 0; f < FUNCTIONS; f++) {
      double error = fabs(value[f] - expected[f]);
      if (lie_scalars_table[i].x < functions[f].reach)
        ulp[f] = check_max(ulp[f], check_ulp(value[f], expected[f]));
      relative[f] = check_max(relative[f], error / (CHECK_EPS * (fabs(expected[f]) + slope[f])));
    }
  }
  for (int f = 0; f < FUNCTIONS; f++) {
    char label[64];
    snprintf(label, sizeof label, "%s, ulp, x < %g", functions[f].name, functions[f].reach);
    check_report(label, ulp[f], functions[f].bound);
    snprintf(label, sizeof label, "%s, conditioned, t < 2 pi", functions[f].name);
    check_report(label, relative[f], functions[f].bound);
  }
  for (int f = 0; f < FUNCTIONS; f++) {
    CHECK_LE(ulp[f], functions[f].bound);
    CHECK_LE(relative[f], functions[f].bound);
  }
}

/* Identities between the functions hold densely, not only at the table's points: a digit lost
 * anywhere between two rows shows.  Round-off: 16 eps of the largest term. */
static void test_identities(void **state) {
  (void)state;
  double worst = 0;
  for (int i = 0; i <= 40000; i++) {
    double x = i < 20000 ? pow(10, -16 + i * 8e-4) : (i - 20000) * 1.9e-3;
    lie_half half = lie_half_at(x);
    lie_trig s = lie_trig_at(x);
    lie_map T = lie_map_tan(x), N = lie_map_taninv(x);
    double left[] = {half.c * half.c + x * half.h * half.h,
                     s.s1 + x * s.s3,
                     s.s1 + x * T.a1,
                     3 * s.s3 + x * T.b1,
                     4 * T.a1 + x * T.a2,
                     5 * T.b1 + x * T.b2,
                     2 * s.s2 * N.b,
                     2 * s.s2 * N.b1,
                     6 * T.a2 + x * T.a3,
                     7 * T.b2 + x * T.b3};
    double right[] = {
        1, 1, 2 * s.s2, s.s2, s.s2 - s.s3, -T.a1, T.a1, T.a2 + 2 * T.a1 * N.b, -T.a1 - T.b1, -T.a2};
    double scale[] = {1,
                      1,
                      1,
                      3 * s.s3,
                      4 * T.a1 + fabs(x * T.a2),
                      5 * fabs(T.b1) + x * T.b2,
                      T.a1 * (1 + x * N.b),
                      fabs(T.a2) + 2 * T.a1 * N.b,
                      6 * fabs(T.a2) + x * T.a3,
                      7 * T.b2 + fabs(x * T.b3)};
    for (int k = 0; k < 10; k++)
      worst = check_max(worst, fabs(left[k] - right[k]) / (CHECK_EPS * scale[k]));
  }
  check_report("identities, t <= 6.16, eps of the largest term", worst, 16);
  CHECK_LE(worst, 16);
}

/* b3 of T^-1 against its sum over the poles, 96/((2 pi n)^2 - x)^4, whose terms are positive; what
 * is left out behind 200 poles is below 1e-18 of it. */
static void test_poles(void **state) {
  (void)state;
  double worst = 0;
  for (int i = 0; i <= 1000; i++) {
    const double x = 9.87 * i / 1000;
    long double sum = 0;
    for (int n = 200; n >= 1; n--) {
      const long double d = 39.478417604357434475337963999504605L * n * n - (long double)x;
      sum += 96 / (d * d * d * d);
    }
    worst = check_max(worst, (double)fabsl((long double)lie_map_taninv(x).b3 / sum - 1));
  }
  /* The pole's place and x are rounded: 4 eps, and a few products. */
  check_report("T^-1: b3, relative, t <= pi", worst, 16 * CHECK_EPS);
  CHECK_LE(worst, 16 * CHECK_EPS);
}

/* The error of T^-1 stays below the 7.5e-9 that its limit promises; beyond it everything is NaN. */
static void test_limit(void **state) {
  (void)state;
  double pi2 = 9.869604401089358, limit = LIE_TANINV_LIMIT;
  CHECK_TRUE(lie_taninv_defined(0));
  CHECK_TRUE(lie_taninv_defined(limit));
  CHECK_FALSE(lie_taninv_defined(nextafter(limit, HUGE_VAL)));
  CHECK_FALSE(lie_taninv_defined((double)NAN));
  double beyond[] = {nextafter(limit, HUGE_VAL), 4 * pi2, 50, 1e300, HUGE_VAL, (double)NAN};
  for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
    lie_map m = lie_map_taninv(beyond[i]);
    CHECK_TRUE(isnan(m.a) && isnan(m.b) && isnan(m.b1) && isnan(m.b2) && isnan(m.b3));
  }
  /* b = 1/x - cot(t/2)/(2t); with delta = 2 pi - t, cot(t/2) = -cot(delta/2) = -2/delta + ... */
  double t = sqrt(limit), delta = (6.283185307179586 - t) + 2.4492935982947064e-16;
  double expected = 1 / limit + (1 / delta - delta / 12) / t;
  double error = fabs(lie_map_taninv(limit).b / expected - 1);
  check_report("T^-1 at its limit, relative", error, 2 * CHECK_EPS * 0x1p24);
  CHECK_LE(error, 2 * CHECK_EPS * 0x1p24);
}

static void test_not_finite(void **state) {
  (void)state;
  double bad[] = {(double)NAN, HUGE_VAL};
  for (int i = 0; i < 2; i++) {
    lie_trig s = lie_trig_at(bad[i]);
    CHECK_TRUE(isnan(s.s1) && isnan(s.s3));
    CHECK_TRUE(isnan(lie_half_at(bad[i]).c));
    CHECK_TRUE(isnan(lie_map_tan(bad[i]).b2) && isnan(lie_map_tan(bad[i]).b3));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table), cmocka_unit_test(test_identities), cmocka_unit_test(test_poles),
      cmocka_unit_test(test_limit), cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests_name("lie coefficients", tests, NULL, NULL);
}
