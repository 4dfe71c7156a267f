/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output at times of its own: exact times, counted turns, work and energies within steps, and
 * controlled steps that no longer mind them. */
#include <stdio.h>

#include "check.h"
#include "support.h"

/* Constant acceleration T/J = 4 from 100 rad/s: the method and the curve are exact up to
 * rounding. */
static const char rotor[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"disc\", \"type\": \"rigid_body\", \"mass\": 1,"
    " \"inertia\": [0.5, 0.5, 0.5], \"angular_velocity\": [0, 0, 100]}],"
    "\"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "
    "\"disc\"}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"axle.angle\","
    " \"effort\": 2}],"
    "\"simulation\": {\"start\": \"plain\", \"step\": 0.01, \"duration\": 1},"
    "\"output\": {\"step\": 0.007, \"interpolate\": true, \"signals\": [\"axle.angle\", "
    "\"axle.rate\", \"motor.work\","
    " \"energy.balance\", \"angular_impulse.z\", \"disc.angular_acceleration.z\"]}}";

static void rotor_is_exact_within_steps(void **state) {
  (void)state;
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(support_open(&world, rotor, NULL, NULL), TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, NULL), TORSOR_OK);
  CHECK_INT(trace.rows, 144); /* 0, 142 times 0.007, 1 */
  CHECK_INT((int)summary.counters.steps, 100);
  double worst = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i), t = i < 143 ? i * 0.007 : 1;
    CHECK_NEAR(row[0], t, 0);
    worst = check_max(worst, fabs(row[1] - t * (100 + 2 * t)));
    worst = check_max(worst, fabs(row[2] - 100 - 4 * t));
    worst = check_max(worst, fabs(row[3] - 2 * t * (100 + 2 * t)) / 2);
    worst = check_max(worst, fabs(row[4]) / 100); /* of an energy of 2500 J */
    worst = check_max(worst, fabs(row[5] - 2 * t));
    worst = check_max(worst, fabs(row[6] - 4));
  }
  /* 100 steps whose Newton iteration leaves 1e-8 of 4 rad/s^2, or rounding of 102 rad */
  check_report("rotor within steps", worst, 1e-8);
  CHECK_LE(worst, 1e-8);
  support_trace_release(&trace);
  support_close(&world);
}

/* ---- controlled steps --------------------------------------------------------------------- */

enum { TIMES = 1501 };
static const double TIME = 2e-4;

/* The heavy top for 0.3 s; returns how many steps. */
static long run_top(support_trace *out, double accuracy, const char *step, const char *output) {
  char wanted[120];
  snprintf(wanted, sizeof wanted, "simulation.accuracy={\"position\": %g, \"rotation\": %g}",
           accuracy, accuracy);
  const char *const set[] = {wanted,
                             step,
                             output,
                             "simulation.duration=0.3",
                             "simulation.rtol=1e-10",
                             "simulation.formulation=ggl",
                             "simulation.max_halvings=20",
                             "output.signals=[\"top.position\"]",
                             NULL};
  support_world world;
  torsor_summary summary;
  support_load(&world, "heavy_top", set);
  CHECK_INT(support_run(out, &summary, &world, NULL), TORSOR_OK);
  CHECK_INT(out->rows, TIMES);
  support_close(&world);
  return summary.counters.steps;
}

/* Steps meet the end and nothing else, and the errors at the output times go with the accuracy. */
static void controlled_steps_are_free(void **state) {
  (void)state;
  static const char free_output[] = "output={\"step\": 2e-4, \"interpolate\": true}",
                    step[] = "simulation.step=0.03";
  support_trace trace[3] = {0}, met = {0};
  double error[2] = {0};
  const long free_steps = run_top(&trace[0], 0.1, step, free_output);
  run_top(&trace[1], 0.01, step, free_output);
  run_top(&trace[2], 1e-4, step, free_output);
  const long steps = run_top(&met, 0.1, "simulation.step=2e-4", "output={\"every\": 1}");
  for (int i = 0; i < TIMES; ++i)
    for (int k = 0; k < 2; ++k) {
      const double *a = support_row(&trace[k], i), *b = support_row(&trace[2], i);
      CHECK_NEAR(a[0], i * TIME, i + 1 < TIMES ? 0 : 1e-15); /* the last one is the duration */
      for (int j = 1; j < 4; ++j) error[k] = check_max(error[k], fabs(a[j] - b[j]));
    }
  print_message(
      "  accuracy 0.1: error %.2e in %ld steps; 0.01: %.2e; %ld steps that meet the times\n",
      error[0], free_steps, error[1], steps);
  /* In proportion to the accuracy, seen against a run with a hundredth of the smaller error. */
  CHECK_NEAR(log10(error[0] / error[1]), 1, 0.25);
  CHECK_LE(error[0], 0.1 * 0.3);
  CHECK_LE((double)free_steps, 0.25 * (double)steps);
  for (int k = 0; k < 3; ++k) support_trace_release(&trace[k]);
  support_trace_release(&met);
}

static void both_spacings_are_refused(void **state) {
  (void)state;
  torsor_error error;
  support_world world;
  const char *const both[] = {"output.every=2", NULL};
  CHECK_INT(support_open(&world, rotor, both, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "both set the output times");
  CHECK_STR(error.path, "output.step");
  const char *const negative[] = {"output.step=-1", NULL};
  CHECK_INT(support_open(&world, rotor, negative, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "must be greater than 0");
  const char *const tiny[] = {"output.step=1e-13", NULL};
  CHECK_INT(support_open(&world, rotor, tiny, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "would write 1e+13 rows");
}

/* The shown states use factorisations of their own, beside those of the steps: positions and
 * velocities are the same to the bit whether one looks at every step, at every hundredth, or
 * between them, and so are the multipliers. */
static void check_looking(const char *simulation) {
  static const char *const output[] = {"output={\"every\": 100}", "output={\"every\": 1}",
                                       "output={\"step\": 1.3e-3, \"interpolate\": true}"};
  static const char *const signals[] = {"top.position",         "top.quaternion", "top.velocity",
                                        "top.angular_velocity", "pivot.lambda",   NULL};
  double last[3][17] = {{0}};
  for (int k = 0; k < 3; ++k) {
    const char *const set[] = {simulation, output[k], NULL};
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    support_load(&world, "heavy_top", set);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, NULL),
              TORSOR_OK);
    CHECK_INT(trace.columns, 17);
    memcpy(last[k], support_row(&trace, trace.rows - 1), sizeof last[k]);
    support_trace_release(&trace);
    support_close(&world);
  }
  print_message("  %s\n", simulation);
  CHECK_INT(memcmp(last[0], last[1], sizeof last[0]), 0);
  CHECK_INT(memcmp(last[0], last[2], sizeof last[0]), 0);
}

static void looking_changes_nothing(void **state) {
  (void)state;
#define TIMES "\"step\": 1e-3, \"duration\": 0.3}"
  check_looking("simulation={\"formulation\": \"index3\", " TIMES);
  check_looking("simulation={\"formulation\": \"ggl\", " TIMES);
  check_looking("simulation={\"method\": \"soi2\", " TIMES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotor_is_exact_within_steps), cmocka_unit_test(controlled_steps_are_free),
      cmocka_unit_test(both_spacings_are_refused), cmocka_unit_test(looking_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
