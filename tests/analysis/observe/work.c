/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balance of energy and of momenta over a run: what forces, drives and the ground do is followed at
 * second order, springs alone give back all. */
#include <float.h>
#include <stdio.h>

#include "check.h"
#include "support.h"

/* A driven rod, a mass on a spring with a damper, a force that turns with the rod, a rod on a hinge
 * that rubs and hits a stop, all in one. */
static const char *const everything =
    "{\"torsor\": 1, \"gravity\": [0.5, -9.81, 0],"
    " \"bodies\": ["
    "{\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.01, 0.2, 0.2],"
    " \"position\": [0.5, 0, 0]},"
    "{\"name\": \"bob\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [2, 0.3, 0.1],"
    " \"velocity\": [0.1, 0.2, 0.3]},"
    "{\"name\": \"tail\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, 0.1, 0.1],"
    " \"position\": [1.5, 0, 0]}],"
    " \"joints\": ["
    "{\"name\": \"hinge\", \"type\": \"revolute\", \"a\": \"ground\","
    " \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}},"
    "{\"name\": \"elbow\", \"type\": \"revolute\", \"axis\": [0, 1, 1],"
    " \"a\": {\"body\": \"rod\", \"position\": [0.5, 0, 0]},"
    " \"b\": {\"body\": \"tail\", \"position\": [-0.5, 0, 0]}},"
    "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"hinge.angle\","
    " \"motion\": \"0.5*sin(3*t)\"}],"
    " \"forces\": ["
    "{\"name\": \"link\", \"type\": \"spring_damper\", \"stiffness\": 40, \"damping\": 2,"
    " \"a\": {\"body\": \"rod\", \"position\": [0.5, 0, 0]}, \"b\": \"bob\"},"
    "{\"name\": \"thrust\", \"type\": \"force\", \"at\": \"tail\", \"axes\": \"body\","
    " \"force\": [1, 2, 3], \"moment\": [0.1, 0, 0.2], \"scale\": \"sin(t)\"},"
    "{\"name\": \"rub\", \"type\": \"friction\", \"coordinate\": \"elbow.angle\", \"coulomb\": 0.1,"
    " \"coefficient\": 0.1, \"radius\": 0.05, \"rate_width\": 0.5},"
    "{\"name\": \"air\", \"type\": \"drag\", \"at\": \"tail\", \"coefficient\": 1, \"area\": "
    "0.1}]}";

static const char *const signals[] = {"energy.supplied",
                                      "energy.dissipated",
                                      "energy.balance",
                                      "momentum",
                                      "impulse",
                                      "angular_momentum",
                                      "angular_impulse",
                                      "motor.work",
                                      "link.work",
                                      "thrust.work",
                                      "rub.work",
                                      "air.work",
                                      NULL};
enum {
  SUPPLIED = 1,
  DISSIPATED,
  BALANCE,
  MOMENTUM,
  IMPULSE = MOMENTUM + 3,
  ANGULAR_MOMENTUM = IMPULSE + 3,
  ANGULAR_IMPULSE = ANGULAR_MOMENTUM + 3,
  WORK = ANGULAR_IMPULSE + 3
};

static const char index3[] = "\"formulation\": \"index3\"", ggl[] = "\"formulation\": \"ggl\"";

static void run(support_trace *trace, torsor_summary *summary, const char *text,
                const char *const *names, const char *method, double h, int every) {
  char simulation[200];
  snprintf(simulation, sizeof simulation,
           "simulation={\"step\": %.17g, \"duration\": 2, \"rtol\": 1e-12, %s}", h, method);
  const char *const set[] = {simulation, NULL};
  support_world world;
  torsor_error error = {0};
  *trace = (support_trace){0};
  torsor_status status = support_open(&world, text, set, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  torsor_simulation s = *torsor_scene_simulation(world.scene);
  s.every = every ? every : 1;
  s.output_step = every ? 0 : 0.3 * h;
  s.interpolate = !every;
  status = support_run_as(trace, summary, &world, &s, names, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
}

/* Largest errors of the balances of energy, momentum and angular momentum. */
typedef struct errors {
  double of[3];
} errors;

static errors balances(const support_trace *trace) {
  errors e = {{0}};
  const double *first = support_row(trace, 0);
  for (int i = 0; i < trace->rows; ++i) {
    const double *row = support_row(trace, i);
    e.of[0] = check_max(e.of[0], fabs(row[BALANCE]));
    for (int k = 0; k < 3; ++k) {
      const int p = MOMENTUM + k, j = ANGULAR_MOMENTUM + k;
      e.of[1] = check_max(e.of[1], fabs(row[p] - first[p] - row[IMPULSE + k]));
      e.of[2] = check_max(e.of[2], fabs(row[j] - first[j] - row[ANGULAR_IMPULSE + k]));
    }
  }
  return e;
}

static void everything_is_balanced(void **state) {
  (void)state;
  static const char *const part[3] = {"energy", "momentum", "angular momentum"};
  for (int f = 0; f < 2; ++f) {
    errors before = {{0}};
    for (int level = 0; level < 3; ++level) {
      support_trace trace;
      torsor_summary summary;
      run(&trace, &summary, everything, signals, f ? ggl : index3, ldexp(0.004, -level),
          20 << level);
      const errors now = balances(&trace);
      const double *last = support_row(&trace, trace.rows - 1);
      print_message("  %s h = %.0e:", f ? "ggl   " : "index3", ldexp(0.004, -level));
      for (int k = 0; k < 3; ++k) {
        const double slope = level ? log2(before.of[k] / now.of[k]) : 0;
        print_message("  %s off by %.2e (%.2f)", part[k], now.of[k], slope);
        if (level) CHECK_ORDER(slope, 2, 0.1);
      }
      print_message("; %.3g J supplied, %.3g J dissipated\n", last[SUPPLIED], last[DISSIPATED]);
      CHECK_NEAR(last[WORK] + last[WORK + 2], last[SUPPLIED], 1e-12 * fabs(last[SUPPLIED]));
      CHECK_NEAR(-last[WORK + 1] - last[WORK + 3] - last[WORK + 4], last[DISSIPATED],
                 1e-12 * last[DISSIPATED]);
      for (int k = 1; k < 5; ++k)
        if (k != 2) CHECK_TRUE(last[WORK + k] < 0);
      CHECK_TRUE(summary.energy_exchanged);
      CHECK_NEAR(summary.energy_max_balance, now.of[0], 0);
      before = now;
      support_trace_release(&trace);
    }
  }
}

/* Lobatto's rule keeps the order of Radau's method, also at times between steps. */
static void radau_is_balanced(void **state) {
  (void)state;
  errors before = {{0}};
  for (int level = 0; level < 3; ++level) {
    const double h = ldexp(0.05, -level);
    support_trace trace;
    torsor_summary summary;
    run(&trace, &summary, everything, signals, "\"method\": \"radau\"", h, 0);
    const errors now = balances(&trace);
    print_message("  radau h = %.0e:", h);
    for (int k = 0; k < 3; ++k) {
      const double slope = level ? log2(before.of[k] / now.of[k]) : 0;
      print_message("  off by %.2e (%.2f)", now.of[k], slope);
      if (level) CHECK_ORDER(slope, 5, 0.2); /* the times between are others in each run */
    }
    print_message("\n");
    before = now;
    support_trace_release(&trace);
  }
}

/* A spring dissipates nothing but the rounding of the differences that give the rate of its energy:
 * eps U / h per second, where the nodes move by h times their speed = eps^(1/3). */
static void springs_give_back(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1,"
      " \"inertia\": [0.1, 0.2, 0.15], \"position\": [1, 0, 0], \"velocity\": [0, 1, 0],"
      " \"angular_velocity\": [1, 2, 3]}],"
      " \"forces\": [{\"name\": \"spring\", \"type\": \"spring_damper\", \"stiffness\": 30,"
      " \"length\": 0.5, \"a\": \"ground\", \"b\": {\"body\": \"a\", \"position\": [0.1, 0.2, "
      "0]}}]}";
  static const char *const names[] = {"energy.dissipated", "energy.supplied",    "energy.elastic",
                                      "a.velocity",        "a.angular_velocity", NULL};
  support_trace trace;
  torsor_summary summary;
  run(&trace, &summary, text, names, index3, 1e-3, 10);
  double dissipated = 0, elastic = 0, speed = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    dissipated = check_max(dissipated, fabs(row[1]));
    elastic = check_max(elastic, row[3]);
    speed = check_max(speed, v3_norm(v3_load(row + 4)) + v3_norm(v3_load(row + 7)));
    CHECK_NEAR(row[2], 0, 0);
  }
  const double bound = summary.t * DBL_EPSILON * elastic * speed / cbrt(DBL_EPSILON);
  check_report("dissipated by a spring", dissipated, bound);
  CHECK_LE(dissipated, bound);
  support_trace_release(&trace);
}

/* Nothing works on a top, so nothing is followed, and the balance is the drift. */
static void a_free_body_exchanges_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"energy", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  const char *const set[] = {"simulation.duration=0.1", NULL};
  support_load(&world, "heavy_top", set);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error),
      TORSOR_OK);
  CHECK_TRUE(!summary.energy_exchanged);
  CHECK_TRUE(isnan(summary.energy_max_balance));
  double worst = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    CHECK_NEAR(row[5], 0, 0);
    CHECK_NEAR(row[6], 0, 0);
    CHECK_NEAR(row[7], row[4] - support_row(&trace, 0)[4], 0);
    worst = check_max(worst, fabs(row[7]));
  }
  CHECK_NEAR(worst, summary.energy_max_drift, 0);
  support_trace_release(&trace);
  support_close(&world);
}

/* The origin of a body of the group SO(3) is fixed without a joint, and a point mass that slides
 * takes no moment. */
static const char *const fixed_and_sliding =
    "{\"torsor\": 1, \"gravity\": [0.5, -9.81, 0], \"bodies\": ["
    "{\"name\": \"top\", \"type\": \"rigid_body\", \"group\": \"SO3\", \"mass\": 2, \"inertia\":"
    " [0.1, 0.2, 0.25], \"center_of_mass\": [0.2, 0.3, 0.1], \"position\": [1, 2, 3]},"
    "{\"name\": \"bob\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [3, -0.05, 2],"
    " \"velocity\": [1, 0, 2]}],"
    " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"a\": \"bob\","
    " \"b\": {\"body\": \"top\", \"position\": [0.5, 0.1, 0]}}],"
    " \"forces\": ["
    "{\"name\": \"thrust\", \"type\": \"force\", \"at\": \"top\", \"axes\": \"body\","
    " \"force\": [1, 2, 3], \"moment\": [0.1, 0, 0.2]},"
    "{\"name\": \"floor\", \"type\": \"contact\", \"normal\": [0, 1, 0], \"a\": \"ground\", \"b\":"
    " \"bob\", \"stiffness\": 500, \"exponent\": 2, \"friction\": 0.3, \"speed_width\": 0.5}]}";

/* Halved steps leave a quarter, 1/3 at most, of what they are off by; Newton's tolerance is 1e-12
 * of 100 N over 2 s. */
static void fixed_origin_and_sliding_point(void **state) {
  (void)state;
  static const char *const names[] = {
      "energy.supplied", "energy.dissipated", "energy.balance",  "momentum",
      "impulse",         "angular_momentum",  "angular_impulse", NULL};
  errors before = {{0}};
  for (int level = 0; level < 3; ++level) {
    support_trace trace;
    torsor_summary summary;
    run(&trace, &summary, fixed_and_sliding, names, ggl, ldexp(0.004, -level), 20 << level);
    const errors now = balances(&trace);
    print_message("  h = %.0e: energy %.2e J, momentum %.2e N s, angular %.2e N m s\n",
                  ldexp(0.004, -level), now.of[0], now.of[1], now.of[2]);
    for (int k = 0; level && k < 3; ++k) CHECK_LE(now.of[k], before.of[k] / 3 + 1e-12 * 100 * 2);
    before = now;
    support_trace_release(&trace);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_balanced),
      cmocka_unit_test(radau_is_balanced),
      cmocka_unit_test(springs_give_back),
      cmocka_unit_test(fixed_origin_and_sliding_point),
      cmocka_unit_test(a_free_body_exchanges_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
