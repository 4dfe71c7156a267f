/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign of products of inertia: J_xy = - integral of x y dm, so that a body's angular momentum
 * is that of the masses that it is made of. */
#include "check.h"

#include <stdio.h>

#include "support.h"

typedef struct part {
  double mass;
  v3 x;
} part;

/* Their centre of mass is the origin. */
static const part parts[] = {{1, {0.3, 0.2, -0.1}},
                             {2, {-0.1, 0.3, 0.25}},
                             {1.5, {0.2, -0.4, 0.1}},
                             {0.5, {-0.5, 0.2, 0.4}},
                             {1, {-0.15, -0.3, -0.75}}};
enum { PARTS = sizeof parts / sizeof *parts };

static void momentum_is_that_of_the_masses(void **state) {
  (void)state;
  double J[3][3] = {{0}};
  v3 momentum = v3_zero(), middle = v3_zero();
  const v3 w = {1, -2, 3};
  for (int k = 0; k < PARTS; ++k) {
    const double x[3] = {parts[k].x.x, parts[k].x.y, parts[k].x.z}, m = parts[k].mass;
    for (int i = 0; i < 3; ++i) {
      J[i][i] += m * v3_norm2(parts[k].x);
      for (int j = 0; j < 3; ++j) J[i][j] -= m * x[i] * x[j];
    }
    momentum = v3_axpy(m, v3_cross(parts[k].x, v3_cross(w, parts[k].x)), momentum);
    middle = v3_axpy(m, parts[k].x, middle);
  }
  CHECK_LE(v3_norm(middle), 1e-15);
  char text[1200];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 6, "
           "\"inertia\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]], "
           "\"angular_velocity\": [1, -2, 3]}], \"output\": {\"signals\": [\"angular_momentum\"]}}",
           J[0][0], J[0][1], J[0][2], J[1][0], J[1][1], J[1][2], J[2][0], J[2][1], J[2][2]);
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  if (support_open(&world, text, NULL, &error) || support_run(&trace, &summary, &world, &error))
    fail_msg("%s", error.message);
  const double *row = support_row(&trace, 0);
  /* sums of five products of numbers up to 3 */
  CHECK_NEAR(row[1], momentum.x, 32 * CHECK_EPS);
  CHECK_NEAR(row[2], momentum.y, 32 * CHECK_EPS);
  CHECK_NEAR(row[3], momentum.z, 32 * CHECK_EPS);
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_is_that_of_the_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
