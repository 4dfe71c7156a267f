/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motion of shells: the energy is kept to the second order of the step, by both methods. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "support.h"

/* A plate that swings about one edge. */
static const char swinging[] =
    "\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"s\", \"type\":"
    " \"shell\", \"elements\": [6, 3], \"length\": 1, \"width\": 0.5, \"thickness\": 0.005,"
    " \"E\": 2e7, \"nu\": 0.3, \"density\": 1000, \"inertia\": \"lumped\"}], \"joints\":"
    " [{\"name\": \"x0\", \"type\": \"edge\", \"on\": \"s.edge_x0\", \"holds\": \"hinge\"}],"
    " \"simulation\": {\"duration\": 0.1, \"step\": 1e-3}, \"output\": {\"signals\":"
    " [\"energy.total\", \"s[6][0].position\"]}}";

/* The largest change of the energy, and where a corner ends. */
static double swing(v3 *end, const char *scene, const char *method, const char *step) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  char of[2][60];
  snprintf(of[0], sizeof of[0], "simulation.method=%s", method);
  snprintf(of[1], sizeof of[1], "simulation.step=%s", step);
  const char *const set[] = {of[0], of[1], NULL};
  const torsor_status opened = support_open(&world, scene, set, &error);
  if (opened) print_error("%s\n", error.message);
  CHECK_INT(opened, TORSOR_OK);
  const torsor_status status = support_run(&trace, &summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  double most = 0;
  for (int i = 0; i < trace.rows; ++i)
    most = check_max(most, fabs(support_row(&trace, i)[1] - support_row(&trace, 0)[1]));
  *end = v3_load(support_row(&trace, trace.rows - 1) + 2);
  support_trace_release(&trace);
  support_close(&world);
  return most;
}

/* A soft plate swings down from a hinge: the energy is constant up to errors of order 2 of the
 * steps, on both groups and by the symplectic method, too, which needs the lumped inertia. */
static void energy_of_order_2(void **state) {
  (void)state;
  static const struct {
    const char *method, *step[2], *group;
  } runs[] = {{"generalized_alpha", {"1e-3", "5e-4"}, "R3xSO3"},
              {"generalized_alpha", {"1e-3", "5e-4"}, "SE3"},
              {"rattle", {"2e-5", "1e-5"}, "R3xSO3"},
              {"rattle", {"2e-5", "1e-5"}, "SE3"}};
  v3 end[4][2];
  for (int i = 0; i < 4; ++i) {
    char scene[2048];
    snprintf(scene, sizeof scene, "{\"group\": \"%s\", %s", runs[i].group, swinging);
    double change[2];
    for (int k = 0; k < 2; ++k)
      change[k] = swing(&end[i][k], scene, runs[i].method, runs[i].step[k]);
    const double order = log2(change[0] / change[1]);
    print_message("  %s, %s: energy off by %.3g J and %.3g J, order %.3f\n", runs[i].method,
                  runs[i].group, change[0], change[1], order);
    CHECK_ORDER(order, 2, 0.05);
  }
  for (int i = 0; i < 3; ++i) {
    /* a third of what halving the steps changes, and as much for the other run */
    const double off = v3_norm(v3_sub(end[i][1], end[3][1]));
    const double bound =
        (v3_norm(v3_sub(end[i][1], end[i][0])) + v3_norm(v3_sub(end[3][1], end[3][0]))) / 2;
    check_report("end of the motion, beside rattle on SE3", off, bound);
    CHECK_LE(off, bound);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_of_order_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
