/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Equilibria of beams. */
#include "check.h"

#include <stdio.h>

#include "equilibria.h"

/* Errors of the 45-degree bend against the rod of its reference (data/reference/bend_45.csv, last row) with
 * 4, 8, 16 and 32 elements: of order 2 in their length; the next term of the expansion leaves a few per
 * cent of the first with 4 elements, and a quarter of that each time. */
static void order_in_the_mesh(void **state) {
  (void)state;
  static const double rod[3] = {47.150438573629, 15.684800534038, 53.474858791825};
  equilibria o = {0};
  double before = 0;
  for (int n = 4, k = 0; n <= 32; n *= 2, ++k) {
    char elements[40];
    snprintf(elements, sizeof elements, "parameters.n=%d", n);
    const char *const set[] = {elements, NULL};
    const double *end = equilibria_load(&o, "bend_45", set);
    const double off =
        sqrt(pow(end[1] - rod[0], 2) + pow(end[2] - rod[1], 2) + pow(end[3] - rod[2], 2));
    print_message("  %d elements: %.4g m\n", n, off);
    if (k > 0) CHECK_ORDER(log2(before / off), 2, 0.2 * pow(4, -k));
    before = off;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_in_the_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
