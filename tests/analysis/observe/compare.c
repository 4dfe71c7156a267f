/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include <torsor/analysis.h>

/* A table that points at constant names and at the caller's values. */
static torsor_table table_of(const char *const *names, int columns, double *value, int rows) {
  return (torsor_table){.columns = columns, .rows = rows, .name = (char **)names, .value = value};
}

static const torsor_tolerance exact = {.basis = "exact"};

typedef struct outcome {
  torsor_status status;
  torsor_difference *differences;
  int count;
  torsor_error error;
} outcome;

static outcome compare(torsor_table result, torsor_table reference,
                       const torsor_tolerance *tolerances, int tolerance_count) {
  outcome o = {0};
  o.status = torsor_compare(&o.differences, &o.count, &result, &reference, NULL, 0, tolerances,
                            tolerance_count, &exact, &o.error);
  return o;
}

static const char *const vector_names[] = {"t", "top.position.x", "top.position.y",
                                           "top.position.z", "energy.total"};

static void test_equal_tables(void **state) {
  (void)state;
  double value[] = {0, 1, 2, 3, 4, 0.5, 5, 6, 7, 8};
  const torsor_table table = table_of(vector_names, 5, value, 2);
  outcome o = compare(table, table, NULL, 0);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_INT(o.count, 2);
  CHECK_STR(o.differences[0].signal, "top.position");
  CHECK_STR(o.differences[1].signal, "energy.total");
  for (int i = 0; i < o.count; ++i) {
    CHECK_TRUE(o.differences[i].holds);
    CHECK_NEAR(o.differences[i].max_error, 0, 0);
    CHECK_STR(o.differences[i].basis, "exact");
  }
  free(o.differences);
}

static void test_components_together(void **state) {
  (void)state;
  double reference[] = {0, 0, 0, 0, 1, 0.5, 10, 0, 0, 1};
  double result[] = {0, 0, 3, 4, 1, 0.5, 10, 0, 1, 1};
  const torsor_tolerance tolerance = {"top", 2, 0.5, "test"};
  outcome o = compare(table_of(vector_names, 5, result, 2), table_of(vector_names, 5, reference, 2),
                      &tolerance, 1);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_NEAR(o.differences[0].max_error, 5, 0); /* 3-4-5 triangle: hypot is exact here */
  CHECK_NEAR(o.differences[0].at, 0, 0);
  CHECK_NEAR(o.differences[0].tolerance, 2, 0);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_TRUE(o.differences[1].holds);
  free(o.differences);
}

/* The largest error is within its tolerance, a smaller one is not: the failing row is reported. */
static void test_failing_row_is_reported(void **state) {
  (void)state;
  static const char *const names[] = {"t", "a"};
  double reference[] = {0, 1000, 1, 1}, result[] = {0, 1001, 1, 1.5};
  const torsor_tolerance tolerance = {"a", 0, 1e-2, "test"};
  outcome o =
      compare(table_of(names, 2, result, 2), table_of(names, 2, reference, 2), &tolerance, 1);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].max_error, 0.5, 0);
  CHECK_NEAR(o.differences[0].at, 1, 0);
  CHECK_NEAR(o.differences[0].tolerance, 1e-2, 0);
  free(o.differences);
}

static void test_quaternion_sign(void **state) {
  (void)state;
  static const char *const names[] = {"t", "b.quaternion.w", "b.quaternion.x", "b.quaternion.y",
                                      "b.quaternion.z"};
  static const char *const others[] = {"t", "b.vector.w", "b.vector.x", "b.vector.y", "b.vector.z"};
  double reference[] = {0, 0.5, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5};
  double result[] = {0, -0.5, -0.5, -0.5, -0.5, 1, 0.5, 0.5, 0.5, 0.5};
  outcome o = compare(table_of(names, 5, result, 2), table_of(names, 5, reference, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_INT(o.count, 1);
  CHECK_TRUE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].max_error, 0, 0);
  free(o.differences);
  o = compare(table_of(others, 5, result, 2), table_of(others, 5, reference, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].max_error, 2, 0);
  free(o.differences);
}

/* The sign is that of the whole quaternion, not of each component. */
static void test_quaternion_mixed_sign_fails(void **state) {
  (void)state;
  static const char *const names[] = {"t", "b.quaternion.w", "b.quaternion.x", "b.quaternion.y",
                                      "b.quaternion.z"};
  double reference[] = {0, 0.5, 0.5, 0.5, 0.5}, result[] = {0, 0.5, -0.5, 0.5, 0.5};
  outcome o = compare(table_of(names, 5, result, 1), table_of(names, 5, reference, 1), NULL, 0);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].max_error, 1, 0);
  free(o.differences);
}

static void test_multiplier_rows_are_one_signal(void **state) {
  (void)state;
  static const char *const names[] = {"t", "hinge.lambda.0", "hinge.lambda.1", "hinge.lambda.10"};
  double value[] = {0, 1, 2, 3};
  const torsor_table table = table_of(names, 4, value, 1);
  outcome o = compare(table, table, NULL, 0);
  CHECK_INT(o.count, 1);
  CHECK_STR(o.differences[0].signal, "hinge.lambda");
  free(o.differences);
}

/* The most special tolerance counts; one for a single column makes it a signal of its own. */
static void test_special_tolerance(void **state) {
  (void)state;
  double reference[] = {0, 0, 0, 0, 0}, result[] = {0, 0.5, 0, 0.05, 5};
  const torsor_tolerance tolerances[] = {{"energy", 10, 0, "energy"},
                                         {"top", 0.01, 0, "top"},
                                         {"top.position", 0.1, 0, "position"},
                                         {"top.position.x", 1, 0, "x"}};
  outcome o = compare(table_of(vector_names, 5, result, 1), table_of(vector_names, 5, reference, 1),
                      tolerances, 4);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_INT(o.count, 3);
  CHECK_STR(o.differences[0].signal, "top.position.x");
  CHECK_STR(o.differences[0].basis, "x");
  CHECK_STR(o.differences[1].signal, "top.position");
  CHECK_STR(o.differences[1].basis, "position");
  CHECK_NEAR(o.differences[1].max_error, 0.05, 0);
  CHECK_STR(o.differences[2].basis, "energy");
  for (int i = 0; i < o.count; ++i) CHECK_TRUE(o.differences[i].holds);
  free(o.differences);
}

/* "top" does not stand for "topple". */
static void test_names_end_at_dots(void **state) {
  (void)state;
  static const char *const names[] = {"t", "topple.angle"};
  double reference[] = {0, 0}, result[] = {0, 1};
  const torsor_tolerance tolerance = {"top", 10, 0, "other"};
  outcome o =
      compare(table_of(names, 2, result, 1), table_of(names, 2, reference, 1), &tolerance, 1);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_STR(o.differences[0].basis, "exact");
  free(o.differences);
}

static void test_selection(void **state) {
  (void)state;
  double reference[] = {0, 0, 0, 0, 0}, result[] = {0, 1, 1, 1, 1};
  const torsor_table a = table_of(vector_names, 5, result, 1);
  const torsor_table b = table_of(vector_names, 5, reference, 1);
  torsor_difference *differences = NULL;
  torsor_error error = {0};
  int count = 0;
  const char *const some[] = {"top.position.y", "energy"};
  CHECK_INT(torsor_compare(&differences, &count, &a, &b, some, 2, NULL, 0, &exact, &error),
            TORSOR_OK);
  CHECK_INT(count, 2);
  CHECK_STR(differences[0].signal, "top.position.y");
  CHECK_NEAR(differences[0].max_error, 1, 0);
  CHECK_STR(differences[1].signal, "energy.total");
  free(differences);
  const char *const wrong[] = {"top.positon"};
  CHECK_INT(torsor_compare(&differences, &count, &a, &b, wrong, 1, NULL, 0, &exact, &error),
            TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "\"top.positon\"");
  CHECK_CONTAINS(error.hint, "\"top.position\"");
}

/* 0.1 + 0.1 + 0.1 against 0.3: times agree within round-off, and never further. */
static void test_times_within_round_off(void **state) {
  (void)state;
  static const char *const names[] = {"t", "a"};
  double result[] = {0, 0, 0.1, 1, 0.2, 2, 0.1 + 0.1 + 0.1, 3, 1e6, 4, 1e6 + 0.1, 5};
  double reference[] = {0.3, 3, 1e6 + 0.1, 5};
  outcome o = compare(table_of(names, 2, result, 6), table_of(names, 2, reference, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_TRUE(o.differences[0].holds);
  free(o.differences);
  /* Steps so small that the round-off of the times exceeds 1e-9 of them. */
  double late[] = {1e6, 0, 1e6 + 1e-6, 1, 1e6 + 2e-6, 2}, ulp[] = {nextafter(1e6 + 1e-6, 2e6), 1};
  o = compare(table_of(names, 2, late, 3), table_of(names, 2, ulp, 1), NULL, 0);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_TRUE(o.differences[0].holds);
  free(o.differences);
  double near[] = {0, 0, 0.1, 1, 0.2, 2}, off[] = {0.1 + 1e-9, 1};
  o = compare(table_of(names, 2, near, 3), table_of(names, 2, off, 1), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
}

static void test_missing_time(void **state) {
  (void)state;
  static const char *const names[] = {"t", "a"};
  double result[] = {0, 0, 0.2, 0, 0.4, 0}, between[] = {0, 0, 0.1, 0}, after[] = {0, 0, 0.6, 0};
  outcome o = compare(table_of(names, 2, result, 3), table_of(names, 2, between, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
  CHECK_CONTAINS(o.error.message, "t = 0.1");
  CHECK_CONTAINS(o.error.hint, "output.every");
  CHECK_TRUE(o.differences == NULL);
  o = compare(table_of(names, 2, result, 3), table_of(names, 2, after, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
  CHECK_CONTAINS(o.error.hint, "ends at t = 0.4");
  o = compare(table_of(names, 2, result, 0), table_of(names, 2, after, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
}

static void test_missing_signal(void **state) {
  (void)state;
  static const char *const names[] = {"t", "top.velocity.x"};
  static const char *const others[] = {"t", "top.velocty.x"};
  static const char *const far[] = {"t", "a"};
  double value[] = {0, 0};
  outcome o = compare(table_of(others, 2, value, 1), table_of(names, 2, value, 1), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
  CHECK_CONTAINS(o.error.message, "\"top.velocity.x\"");
  CHECK_CONTAINS(o.error.hint, "\"top.velocty.x\"");
  o = compare(table_of(far, 2, value, 1), table_of(names, 2, value, 1), NULL, 0);
  CHECK_INT(o.status, TORSOR_MISMATCH);
  CHECK_CONTAINS(o.error.hint, "output.signals");
}

static void test_bad_tables(void **state) {
  (void)state;
  static const char *const names[] = {"t", "a"};
  double good[] = {0, 0, 1, 0}, repeated[] = {0, 0, 0, 0};
  outcome o = compare(table_of(names, 2, repeated, 2), table_of(names, 2, good, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_ARGUMENT);
  CHECK_CONTAINS(o.error.message, "result");
  o = compare(table_of(names, 2, good, 2), table_of(names, 2, repeated, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_ARGUMENT);
  CHECK_CONTAINS(o.error.message, "reference");
  o = compare(table_of(names, 2, good, 2), table_of(names, 1, good, 2), NULL, 0);
  CHECK_INT(o.status, TORSOR_ARGUMENT);
}

static void test_not_finite_never_holds(void **state) {
  (void)state;
  static const char *const names[] = {"t", "a"};
  const torsor_tolerance tolerance = {"a", 1e300, 0, "wide"};
  double reference[] = {0, 0, 1, 0, 2, 0}, result[] = {0, 0, 1, nan(""), 2, 5};
  outcome o =
      compare(table_of(names, 2, result, 3), table_of(names, 2, reference, 3), &tolerance, 1);
  CHECK_INT(o.status, TORSOR_OK);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].at, 1, 0);
  free(o.differences);
}

/* Differences are not squared: the smallest one is seen by an exact comparison. */
static void test_tiny_difference_is_seen(void **state) {
  (void)state;
  double reference[] = {0, 0, 0, 0, 0}, result[] = {0, 0, 1e-300, 0, 0};
  outcome o = compare(table_of(vector_names, 5, result, 1), table_of(vector_names, 5, reference, 1),
                      NULL, 0);
  CHECK_FALSE(o.differences[0].holds);
  CHECK_NEAR(o.differences[0].max_error, 1e-300, 0);
  free(o.differences);
}

static void test_order(void **state) {
  (void)state;
  /* Powers of two: logarithms are off by an ulp at most each, their quotient by a few. */
  CHECK_NEAR(torsor_order(4e-3, 1e-3, 0.2, 0.1), 2, 8 * CHECK_EPS);
  CHECK_NEAR(torsor_order(1e-3, 8e-3, 0.1, 0.2), 3, 16 * CHECK_EPS);
  CHECK_TRUE(isnan(torsor_order(0, 1e-3, 0.2, 0.1)));
  CHECK_TRUE(isnan(torsor_order(1e-3, nan(""), 0.2, 0.1)));
  CHECK_TRUE(isnan(torsor_order(1e-3, 1e-4, 0.1, 0.1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_tables),
      cmocka_unit_test(test_components_together),
      cmocka_unit_test(test_failing_row_is_reported),
      cmocka_unit_test(test_quaternion_sign),
      cmocka_unit_test(test_quaternion_mixed_sign_fails),
      cmocka_unit_test(test_multiplier_rows_are_one_signal),
      cmocka_unit_test(test_special_tolerance),
      cmocka_unit_test(test_names_end_at_dots),
      cmocka_unit_test(test_selection),
      cmocka_unit_test(test_times_within_round_off),
      cmocka_unit_test(test_missing_time),
      cmocka_unit_test(test_missing_signal),
      cmocka_unit_test(test_bad_tables),
      cmocka_unit_test(test_not_finite_never_holds),
      cmocka_unit_test(test_tiny_difference_is_seen),
      cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
