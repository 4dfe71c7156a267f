/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulations that name no step: trial runs find an accuracy that is a part of the motion, whatever
 * its size and unit, or constant steps where there is no error control; errors are those that are
 * reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "support.h"

/* A mass on a spring, `way` m to and fro about a place `far` m from the origin, 2 rad/s: x = far +
 * way cos 2 t. */
static void open_oscillator(support_world *world, double way, double far, const char *simulation) {
  char text[900];
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 2,"
      " \"inertia\": [0.1, 0.1, 0.1], \"position\": [%.17g, 0, 0]}], \"joints\": [{\"name\": "
      "\"rail\","
      " \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": {\"body\": \"ground\", \"position\":"
      " [%.17g, 0, 0]}, \"b\": \"b\"}], \"forces\": [{\"name\": \"s\", \"type\":"
      " \"coordinate_spring\", \"coordinate\": \"rail.travel\", \"stiffness\": 8}],"
      " \"simulation\": %s, \"output\": {\"signals\": [\"rail.travel\"]}}",
      far + way, far, simulation);
  torsor_error error = {0};
  const torsor_status status = support_open(world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static torsor_choice choose(torsor_simulation *chosen, const support_world *world) {
  torsor_choice choice;
  torsor_error error = {0};
  const torsor_status status = torsor_choose_steps(
      chosen, &choice, world->model, torsor_scene_simulation(world->scene), NULL, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  return choice;
}

/* Largest error of the rows, in parts of the way; the trace is the caller's. */
static double run_oscillator(torsor_summary *summary, support_trace *out, double way, double far,
                             const char *simulation) {
  support_world world;
  support_trace trace = {0};
  torsor_error error = {0};
  open_oscillator(&world, way, far, simulation);
  const torsor_status status = support_run(&trace, summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(trace.rows, 501);
  double most = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    most = check_max(most, fabs(row[1] - way * cos(2 * row[0])) / (2 * way));
  }
  *out = trace;
  support_close(&world);
  return most;
}

/* The motion is 2 `way` long.  What is reported is at most MOST_ERROR = 3e-3 of it, and right
 * within a factor of 3: one for the local errors that a change of the step size makes, one for the
 * phase of the largest error between the 125 states that are compared. */
static void error_is_a_part_of_the_motion(void **state) {
  (void)state;
  static const double ways[] = {1, 1e-3, 1e-6, 1e4}, fars[] = {0, 10, 10, 0};
  static const char *const simulations[] = {"{\"duration\": 20}",
                                            "{\"duration\": 20, \"formulation\": \"index3\"}",
                                            "{\"duration\": 20, \"method\": \"soi2\"}",
                                            "{\"duration\": 20, \"method\": \"hht_odae\"}",
                                            "{\"duration\": 20, \"method\": \"radau\"}",
                                            "{\"duration\": 20, \"method\": \"rattle\"}"};
  for (size_t k = 0; k < sizeof simulations / sizeof *simulations; ++k) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
      torsor_summary summary;
      support_trace trace;
      const double error = run_oscillator(&summary, &trace, ways[i], fars[i], simulations[k]);
      print_message("  %s, way %g m at %g m: %ld steps, error %.2e, reported %.2e\n",
                    simulations[k], 2 * ways[i], fars[i], summary.counters.steps, error,
                    summary.error_estimate);
      CHECK_LE(summary.error_estimate, 3e-3);
      /* rounding of the place at which it is, in parts of the way, over some 1e4 steps */
      const double rounding = 1e4 * 2.3e-16 * fars[i] / ways[i];
      CHECK_LE(error, 3 * summary.error_estimate + rounding);
      if (k == 5)
        CHECK_CONTAINS(trace.warnings, "\"rattle\" has constant steps only");
      else if (k != 1)
        CHECK_STR(trace.warnings, "");
      support_trace_release(&trace);
    }
  }
}

/* A motion that is larger by a factor is integrated by the same steps. */
static void steps_do_not_depend_on_units(void **state) {
  (void)state;
  long steps = 0;
  for (int k = -4; k <= 4; ++k) {
    support_world world;
    torsor_simulation chosen;
    const double way = pow(10, k);
    open_oscillator(&world, way, 0, "{\"duration\": 20}");
    const torsor_choice choice = choose(&chosen, &world);
    print_message("  %g m: %d trial runs, %ld steps, accuracy %.3g of the way\n", way,
                  choice.trials, choice.steps, chosen.settings.accuracy.position * 20 / choice.way);
    CHECK_NEAR(choice.way, 2 * way, 1e-2 * way);
    if (k > -4) CHECK_NEAR((double)choice.steps / (double)steps, 1, 0.01);
    steps = choice.steps;
    support_close(&world);
  }
}

/* Settings that are given stay as they are. */
static void what_is_given_is_kept(void **state) {
  (void)state;
  support_world world;
  torsor_simulation chosen;
  open_oscillator(&world, 1, 0, "{\"duration\": 20, \"step\": 0.01}");
  torsor_choice choice = choose(&chosen, &world);
  CHECK_INT(choice.trials, 0);
  CHECK_NEAR(chosen.settings.step, 0.01, 0);
  support_close(&world);
  open_oscillator(&world, 1, 0, "{\"duration\": 20, \"accuracy\": {\"position\": 0.01}}");
  choice = choose(&chosen, &world);
  CHECK_INT(choice.trials, 0);
  CHECK_NEAR(chosen.settings.accuracy.position, 0.01, 0);
  CHECK_NEAR(chosen.settings.step, 20.0 / 500, 1e-15);
  support_close(&world);
  open_oscillator(&world, 1, 0, "{\"duration\": 0}");
  choice = choose(&chosen, &world);
  CHECK_INT(choice.trials, 0);
  support_close(&world);
}

/* A body at rest has no motion to which errors could be compared, and one that moves beside it
 * has. */
static void rest_is_no_motion(void **state) {
  (void)state;
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_simulation chosen;
  open_oscillator(&world, 0, 0, "{\"duration\": 20}");
  const torsor_choice choice = choose(&chosen, &world);
  CHECK_NEAR(choice.way, 0, 0);
  CHECK_NEAR(choice.turn, 0, 0);
  CHECK_INT(support_run(&trace, &summary, &world, NULL), TORSOR_OK);
  CHECK_STR(trace.warnings, "");
  CHECK_INT(trace.rows, 501);
  support_trace_release(&trace);
  support_close(&world);
}

/* Trial runs end when their caller says so. */
static bool at_once(void *data) {
  ++*(int *)data;
  return true;
}

static void trial_runs_are_interrupted(void **state) {
  (void)state;
  support_world world;
  torsor_simulation chosen;
  torsor_choice choice;
  torsor_error error = {0};
  int asked = 0;
  open_oscillator(&world, 1, 0, "{\"duration\": 20}");
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .data = &asked, .stop = at_once};
  CHECK_INT(torsor_choose_steps(&chosen, &choice, world.model, torsor_scene_simulation(world.scene),
                                &hooks, &error),
            TORSOR_INTERRUPTED);
  CHECK_INT(asked, 1);
  support_close(&world);
}

/* A swing of some hundred turns of a double pendulum multiplies errors: the accuracy is as much
 * smaller. */
static const char *const chaotic =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1],"
    " \"position\": [0.5, 0, 0]},"
    "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1],"
    " \"position\": [1.5, 0, 0]}], \"joints\": ["
    "{\"name\": \"p\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\","
    " \"b\": {\"body\": \"a\", \"position\": [-0.5, 0, 0]}},"
    "{\"name\": \"q\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"a\", "
    "\"position\":"
    " [0.5, 0, 0]}, \"b\": {\"body\": \"b\", \"position\": [-0.5, 0, 0]}}],"
    " \"simulation\": {\"duration\": 8}, \"output\": {\"signals\": [\"b.position\"]}}";

static void sensitive_motions_get_smaller_errors(void **state) {
  (void)state;
  support_world world;
  torsor_simulation chosen;
  CHECK_INT(support_open(&world, chaotic, NULL, NULL), TORSOR_OK);
  const torsor_choice choice = choose(&chosen, &world);
  const double part = chosen.settings.accuracy.position * 8 / choice.way;
  print_message("  accuracy %.2g of the way, error %.2g by %d trial runs of %ld steps\n", part,
                choice.error, choice.trials, choice.steps);
  CHECK_LE(part, 2e-4);
  CHECK_LE(choice.error, 3e-3);
  /* against Radau's method, whose own errors are far smaller */
  support_trace ours = {0}, exact = {0};
  torsor_summary summary;
  static const char *const names[] = {"b.position", NULL};
  CHECK_INT(support_run_as(&ours, &summary, &world, &chosen, names, NULL), TORSOR_OK);
  torsor_simulation fine = *torsor_scene_simulation(world.scene);
  fine.settings.method = "radau";
  fine.settings.step = 8.0 / 4000;
  fine.every = 8;
  CHECK_INT(support_run_as(&exact, &summary, &world, &fine, names, NULL), TORSOR_OK);
  CHECK_INT(ours.rows, exact.rows);
  double most = 0;
  for (int i = 0; i < ours.rows; ++i)
    for (int j = 1; j <= 3; ++j)
      most = check_max(most, fabs(support_row(&ours, i)[j] - support_row(&exact, i)[j]));
  print_message("  true error %.2g of the way\n", most / choice.way);
  CHECK_LE(most / choice.way, 3 * choice.error);
  support_trace_release(&ours);
  support_trace_release(&exact);
  support_close(&world);
}

/* A push of 11 ms in 10 s, between two rows: 1000 N sin^2, which is 5.5 N s; before it nothing
 * moves. */
static const char *const pushed =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 2, "
    "\"inertia\":"
    " [1, 1, 1]}], \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0],"
    " \"a\": \"ground\", \"b\": \"b\"}], \"forces\": [{\"name\": \"push\", \"type\": "
    "\"coordinate_force\","
    " \"coordinate\": \"rail.travel\", \"effort\":"
    " \"t > 4.003 && t < 4.014 ? 1000*sin(3.14159265358979324*(t - 4.003)/0.011)^2 : 0\"}],"
    " \"simulation\": {\"duration\": 10}, \"output\": {\"signals\": [\"rail.travel\", "
    "\"rail.speed\"]}}";

/* A table that a motor of 50 Hz leads: in 10 s each row is at a whole period, where it is at 0.  A
 * mass hangs on it by a spring of 5 Hz. */
static const char *const shaken =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"table\", \"type\": \"rigid_body\", \"mass\": 2, "
    "\"inertia\":"
    " [1, 1, 1]}, {\"name\": \"load\", \"type\": \"rigid_body\", \"velocity\": [0, 0, 0], "
    "\"mass\": 1, \"inertia\": [1, 1, "
    "1]}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\":"
    " \"table\"}, {\"name\": \"slide\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"table\", \"b\":"
    " \"load\"}, {\"name\": \"lead\", \"type\": \"drive\", \"coordinate\": \"rail.travel\", "
    "\"motion\":"
    " \"0.001*sin(100*3.14159265358979324*t)\"}], \"forces\": [{\"name\": \"s\", \"type\": "
    "\"coordinate_spring\","
    " \"coordinate\": \"slide.travel\", \"stiffness\": 986.96044010893586}],"
    " \"simulation\": {\"duration\": 10}, \"output\": {\"signals\": [\"load.position.x\"]}}";

/* Both are right to what is reported, three times. */
static void short_events_are_seen(void **state) {
  (void)state;
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(support_open(&world, pushed, NULL, NULL), TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, NULL), TORSOR_OK);
  const double *last = support_row(&trace, trace.rows - 1);
  const double speed = 5.5 / 2, way = speed * (10 - 4.0085);
  print_message("  a push of 11 ms: %ld steps, way off by %.2e, reported %.2e\n",
                summary.counters.steps, last[1] / way - 1, summary.error_estimate);
  CHECK_NEAR(last[1] / way, 1, 3 * summary.error_estimate);
  support_trace_release(&trace);
  support_close(&world);

  /* x'' = w^2 (y - x), y = A sin W t, from rest: x = A/(1 - W^2/w^2) (sin W t - W/w sin w t) */
  CHECK_INT(support_open(&world, shaken, NULL, NULL), TORSOR_OK);
  trace = (support_trace){0};
  CHECK_INT(support_run(&trace, &summary, &world, NULL), TORSOR_OK);
  const double W = 100 * M_PI, w = 10 * M_PI, forced = 1e-3 / (1 - W * W / (w * w));
  double most = 0;
  const double begin = support_row(&trace, 0)[1];
  for (int i = 0; i < trace.rows; ++i) {
    const double t = support_row(&trace, i)[0];
    const double exact = forced * (sin(W * t) - W / w * sin(w * t));
    most = check_max(most, fabs(support_row(&trace, i)[1] - begin - exact));
  }
  torsor_simulation chosen;
  const torsor_choice choice = choose(&chosen, &world);
  print_message("  a table of 50 Hz: %ld steps, error %.2e of the way, reported %.2e\n",
                summary.counters.steps, most / choice.way, summary.error_estimate);
  CHECK_LE(most / choice.way, 3 * summary.error_estimate);
  /* velocities show the way of the table, 2 mm, where its rows do not: what they lead to in 0.02
   * s */
  CHECK_NEAR(choice.way, 1e-3 * W * 0.02, 1e-4);
  support_trace_release(&trace);
  support_close(&world);
}

/* A pendulum of some seconds for a million of them: constant steps that are damped to rest agree
 * with each other, but follow nothing, and controlled ones are too many. */
static void motions_that_no_steps_follow_are_refused(void **state) {
  (void)state;
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(
      support_open(&world, chaotic, (const char *const[]){"simulation.duration=1e6", NULL}, &error),
      TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_STEP);
  print_message("  %s; %s\n", error.message, error.hint);
  CHECK_CONTAINS(error.message, "under error control");
  CHECK_CONTAINS(error.hint, "\"step\"");
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_is_a_part_of_the_motion),
      cmocka_unit_test(steps_do_not_depend_on_units),
      cmocka_unit_test(what_is_given_is_kept),
      cmocka_unit_test(rest_is_no_motion),
      cmocka_unit_test(trial_runs_are_interrupted),
      cmocka_unit_test(short_events_are_seen),
      cmocka_unit_test(motions_that_no_steps_follow_are_refused),
      cmocka_unit_test(sensitive_motions_get_smaller_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
