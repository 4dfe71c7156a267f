/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Largest entries of vectors, in lanes and what is left of them, with what is not finite at every
 * place. */
#include "base/vec.h"
#include "check.h"

enum { LONGEST = 3 * VEC_LANES + 3 };

/* Entries of both signs, the largest at place k. */
static void fill(double *x, int n, int k) {
  for (int i = 0; i < n; ++i) x[i] = (i % 2 ? -1 : 1) * (1 + 0.01 * i);
  if (n) x[k] = k % 2 ? 7 : -7;
}

static void largest_entries(void **state) {
  (void)state;
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  double x[LONGEST];
  int looked = 0;
  CHECK_NEAR(vec_largest(x, 0), 0, 0);
  CHECK_NEAR(vec_largest_finite(x, 0), 0, 0);
  for (int n = 1; n <= LONGEST; ++n)
    for (int k = 0; k < n; ++k, ++looked) {
      fill(x, n, k);
      CHECK_NEAR(vec_largest(x, n), 7, 0);
      CHECK_NEAR(vec_largest_finite(x, n), 7, 0);
      CHECK_TRUE(vec_is_finite(x, n));
      for (int i = 0; i < 3; ++i) {
        x[k] = bad[i];
        CHECK_FALSE(vec_is_finite(x, n));
        CHECK_NEAR(vec_largest_finite(x, n), HUGE_VAL, 0);
      }
    }
  print_message("%d places in vectors of 1 to %d\n", looked, LONGEST);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(largest_entries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
