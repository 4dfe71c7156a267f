/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_CHECK_H
#define TORSOR_TESTS_CHECK_H

/** Tools that all tests share: cmocka, number checks that show the numbers, a fixed-seed
 * generator. */

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define CHECK_EPS DBL_EPSILON

/** |value - expected| <= tolerance; NaN fails, equal infinities pass. */
#define CHECK_NEAR(value, expected, tolerance)                                                     \
  check_near_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)

/** value <= bound; NaN fails. */
#define CHECK_LE(value, bound) check_le_at((value), (bound), #value, __FILE__, __LINE__)

/** value >= bound; NaN fails. */
#define CHECK_GE(value, bound) check_ge_at((value), (bound), #value, __FILE__, __LINE__)

#define CHECK_TRUE(condition)  check_true_at((condition), #condition, __FILE__, __LINE__)
#define CHECK_FALSE(condition) check_true_at(!(condition), "not " #condition, __FILE__, __LINE__)

/** Integers (or enums, statuses) are equal. */
#define CHECK_INT(value, expected)                                                                 \
  check_int_at((long long)(value), (long long)(expected), #value, __FILE__, __LINE__)

/** Strings are equal; NULL fails. */
#define CHECK_STR(value, expected)                                                                 \
  check_str_at((value), (expected), false, #value, __FILE__, __LINE__)

/** `value` contains `part`; NULL fails. */
#define CHECK_CONTAINS(value, part) check_str_at((value), (part), true, #value, __FILE__, __LINE__)

/** A convergence order: |slope - order| <= tolerance. */
#define CHECK_ORDER(slope, order, tolerance) CHECK_NEAR(slope, order, tolerance)

static inline void check_near_at(double value, double expected, double tolerance, const char *text,
                                 const char *file, int line) {
  if (value == expected || fabs(value - expected) <= tolerance) return;
  print_error("%s:%d: %s = %.17g, expected %.17g, difference %.3g, tolerance %.3g\n", file, line,
              text, value, expected, value - expected, tolerance);
  _fail(file, line);
}

static inline void check_le_at(double value, double bound, const char *text, const char *file,
                               int line) {
  if (value <= bound) return;
  print_error("%s:%d: %s = %.17g, at most %.17g expected\n", file, line, text, value, bound);
  _fail(file, line);
}

static inline void check_ge_at(double value, double bound, const char *text, const char *file,
                               int line) {
  if (value >= bound) return;
  print_error("%s:%d: %s = %.17g, at least %.17g expected\n", file, line, text, value, bound);
  _fail(file, line);
}

static inline void check_true_at(bool condition, const char *text, const char *file, int line) {
  if (condition) return;
  print_error("%s:%d: %s expected\n", file, line, text);
  _fail(file, line);
}

static inline void check_int_at(long long value, long long expected, const char *text,
                                const char *file, int line) {
  if (value == expected) return;
  print_error("%s:%d: %s = %lld, expected %lld\n", file, line, text, value, expected);
  _fail(file, line);
}

static inline void check_str_at(const char *value, const char *expected, bool part,
                                const char *text, const char *file, int line) {
  if (value && expected && (part ? strstr(value, expected) != NULL : strcmp(value, expected) == 0))
    return;
  print_error("%s:%d: %s = \"%s\", expected %s\"%s\"\n", file, line, text, value ? value : "(null)",
              part ? "to contain " : "", expected ? expected : "(null)");
  _fail(file, line);
}

/** Print what a test measured beside the bound that it was held to. */
static inline void check_report(const char *name, double measured, double bound) {
  print_message("  %-52s %10.3g   bound %.3g\n", name, measured, bound);
}

/** The larger of both; NaN when either is (fmax would hide it). */
static inline double check_max(double a, double b) {
  return !isnan(b) && (isnan(a) || a >= b) ? a : b;
}

/** |value - expected| in units in the last place of `expected`; 0 when both are equal, infinity
 *  when not a number. */
static inline double check_ulp(double value, double expected) {
  if (value == expected) return 0;
  if (!isfinite(value) || !isfinite(expected)) return HUGE_VAL;
  double size = fabs(expected);
  return fabs(value - expected) / (nextafter(size, HUGE_VAL) - size);
}

/** Deterministic generator (splitmix64, public domain algorithm of S. Vigna). */
typedef struct check_rng {
  uint64_t state;
} check_rng;

static inline uint64_t check_rng_next(check_rng *rng) {
  uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Uniform in [low, high). */
static inline double check_uniform(check_rng *rng, double low, double high) {
  return low + (high - low) * ((double)(check_rng_next(rng) >> 11) * 0x1p-53);
}

#endif
