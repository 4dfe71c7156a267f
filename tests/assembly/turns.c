/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns of joint coordinates are counted however far one step goes, or the step is made smaller. */
#include <stdio.h>

#include "check.h"
#include "closed.h"

/* Five radians in a step of 0.01 s: most of a turn. */
#define FAST 500.0
#define STEP 0.01
#define TIME 2.0
/* Uniform motion is followed exactly: round-off of 1000 rad in 200 steps. */
#define ROUND_OFF (200 * 1000 * CHECK_EPS)

#define SPINNING(rate)                                                                             \
  BODY("rotor", ", \"angular_velocity\": [0, 0, " rate "]")                                        \
  ", " BODY("pinion", ", \"position\": [1, 0, 0]")
#define AXLES                                                                                      \
  "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"},"             \
  "{\"name\": \"pin\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","                      \
  " \"position\": [1, 0, 0]}, \"b\": \"pinion\"},"

static const char gears[] =
    SCENE(SPINNING("500"),
          AXLES "{\"name\": \"teeth\", \"type\": \"coupling\", \"first\": \"axle.angle\","
                " \"second\": \"pin.angle\", \"ratio\": 0.8}",
          "{\"name\": \"servo\", \"type\": \"actuator\", \"coordinate\": \"axle.angle\","
          " \"target\": \"500*t\", \"kp\": 1}");

/* The wheel turns by most of a turn in a step, the pinion by one; the servo has nothing to do. */
static void fast_gears(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", "pin.angle", "servo.effort", NULL};
  for (int group = 0; group < 2; ++group) {
    support_trace trace = closed_run(gears, signals, closed_groups[group], STEP, TIME);
    double worst[3] = {0};
    for (int i = 0; i < trace.rows; ++i) {
      const double *v = support_row(&trace, i);
      worst[0] = check_max(worst[0], fabs(v[1] - FAST * v[0]));
      worst[1] = check_max(worst[1], fabs(v[2] + FAST / 0.8 * v[0]));
      worst[2] = check_max(worst[2], fabs(v[3]));
    }
    check_report("angle of the wheel, rad", worst[0], ROUND_OFF);
    check_report("angle of the pinion, rad", worst[1], ROUND_OFF);
    check_report("effort of the servo, N m", worst[2], ROUND_OFF);
    for (int k = 0; k < 3; ++k) CHECK_LE(worst[k], ROUND_OFF);
    support_trace_release(&trace);
  }
}

/* 10,000 turns read 10,000 turns, and never less in between. */
static void ten_thousand_turns(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", NULL};
  static const char text[] = ROTOR(", \"angular_velocity\": [0, 0, 500]", "", "");
  const double duration = 126, bound = duration / STEP * FAST * STEP * 4 * CHECK_EPS;
  support_trace trace = closed_run(text, signals, "R3xSO3", STEP, duration);
  double off = 0, jump = 0;
  for (int i = 1; i < trace.rows; ++i) {
    const double *v = support_row(&trace, i), *before = support_row(&trace, i - 1);
    off = check_max(off, fabs(v[1] - FAST * v[0]));
    jump = check_max(jump, fabs(v[1] - before[1] - FAST * STEP));
  }
  print_message("  %.2f turns\n", support_row(&trace, trace.rows - 1)[1] / (2 * PI));
  CHECK_GE(support_row(&trace, trace.rows - 1)[1], 10000 * 2 * PI);
  /* a few roundings in every step, each of an angle of some units */
  check_report("angle, rad", off, bound);
  check_report("its change in a step less w h, rad", jump, 64 * CHECK_EPS * 63000);
  CHECK_LE(off, bound);
  CHECK_LE(jump, 64 * CHECK_EPS * 63000);
  support_trace_release(&trace);
}

/* A torque that grows by 20000 N m/s on 0.2 kg m^2: at the end the wheel goes round 20 times in a
 * step, and 2.5 rad farther than at the rate it had.  No step is refused for that. */
static double spun_up(double t) {
  return 1e5 * t * t * t / 6;
}
static void accelerated_rotor(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", NULL};
  static const char text[] =
      ROTOR(", \"angular_velocity\": [0, 0, 0]", "",
            "{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": \"axle.angle\","
            " \"effort\": \"20000*t\"}");
  support_trace trace = closed_run(text, signals, "R3xSO3", STEP, 0.5);
  const double off = closed_off(&trace, 1, spun_up);
  check_report("angle of the rotor, rad", off, PI);
  CHECK_LE(off, PI); /* the right turn; the method's own error is less */
  CHECK_TRUE(strstr(trace.warnings, "halved") == NULL);
  support_trace_release(&trace);
}

/* A fine thread between two tumbling bodies stays in the turn that it is in. */
static void fine_thread(void **state) {
  (void)state;
  static const char *const signals[] = {"j.travel", "j.angle", NULL};
  static const char text[] =
      SCENE(BODY("base", ", \"angular_velocity\": [1.5, 3, -2]") ", " BODY("nut", ""),
            "{\"name\": \"j\", \"type\": \"screw\", \"axis\": [0.6, 0, 0.8], \"pitch\": 1e-3,"
            " \"a\": {\"body\": \"base\", \"position\": [0.4, -0.1, 0.2]},"
            " \"b\": {\"body\": \"nut\", \"position\": [0.4, -0.1, 0.2]}}",
            "{\"name\": \"m\", \"type\": \"force\", \"at\": \"nut\", \"moment\": [1.2, 0, 1.6],"
            " \"axes\": \"body\"}");
  support_trace trace = closed_run(text, signals, "R3xSO3", 0.1, 2);
  double worst = 0, most = 0;
  for (int i = 1; i < trace.rows; ++i) {
    const double *v = support_row(&trace, i);
    worst = check_max(worst, fabs(v[1] - 1e-3 * v[2] / (2 * PI)));
    most = check_max(most, fabs(v[2] - support_row(&trace, i - 1)[2]));
  }
  /* Newton's tolerance: rtol 1e-12 of accelerations of some 100 over beta h^2 */
  check_report("travel - pitch turns, m", worst, 1e-12);
  print_message("  up to %.2f rad in a step\n", most);
  CHECK_LE(worst, 1e-12);
  support_trace_release(&trace);
}

/* A drive that starts all at once, 4 rad in a step: no turn is lost, and a word said. */
#define JERK                                                                                       \
  SCENE(BODY("rotor", ""),                                                                         \
        "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"},"       \
        "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"axle.angle\", \"motion\":"   \
        " {\"value\": \"t < 0.1 ? 0 : 600*(t - 0.1)\", \"rate\": \"t < 0.1 ? 0 : 600\","           \
        " \"second\": 0}}",                                                                        \
        "")

static torsor_status run_jerk(support_trace *trace, const char *formulation, const char *halvings,
                              torsor_error *error) {
  static const char *const signals[] = {"axle.angle", NULL};
  const char *const set[] = {"simulation={\"step\": 0.01, \"duration\": 0.2}", formulation,
                             halvings, NULL};
  support_world world;
  torsor_summary summary;
  CHECK_INT(support_open(&world, JERK, set, error), TORSOR_OK);
  const torsor_status status =
      support_run_as(trace, &summary, &world, torsor_scene_simulation(world.scene), signals, error);
  support_close(&world);
  return status;
}

/* Index 3 finds the turns that it cannot count, and the stabilised form that its positions were set
 * right by a turn. */
static void sudden_start(void **state) {
  (void)state;
  static const char *const forms[] = {"simulation.formulation=index3",
                                      "simulation.formulation=ggl"};
  static const char *const reported[] = {
      "turns cannot be counted",
      "the correction of the positions is too large for an error of the step"};
  support_trace trace = {0};
  torsor_error error = {0};
  for (int k = 0; k < 2; ++k) {
    CHECK_INT(run_jerk(&trace, forms[k], NULL, &error), TORSOR_OK);
    CHECK_CONTAINS(trace.warnings, "turns cannot be counted");
    CHECK_CONTAINS(trace.warnings, "revolute \"axle\"");
    const double turned = support_row(&trace, trace.rows - 1)[1];
    CHECK_NEAR(turned, 60, 1e-9); /* Newton's tolerance on positions */
    support_trace_release(&trace);

    trace = (support_trace){0};
    CHECK_INT(run_jerk(&trace, forms[k], "simulation.max_halvings=1", &error), TORSOR_STEP);
    CHECK_CONTAINS(error.message, reported[k]);
    CHECK_CONTAINS(error.message, "revolute \"axle\"");
    CHECK_CONTAINS(error.hint, k ? "another step size" : "smaller step");
    support_trace_release(&trace);
    trace = (support_trace){0};
  }
}

/* Half a turn may be read as pi or -pi: all that goes by it does so alike. */
#define HALF(w)                                                                                    \
  SCENE(BODY("rotor", ", \"orientation\": {\"rotation_vector\": [0, 0, " w "]}") ", " BODY(        \
            "pinion", ", \"orientation\": {\"quaternion\": [0, 0, 0, 1]},"                         \
                      " \"position\": [1, 0, 0]"),                                                 \
        AXLES "{\"name\": \"teeth\", \"type\": \"coupling\", \"first\": \"axle.angle\","           \
              " \"second\": \"pin.angle\", \"ratio\": 1.5},"                                       \
              "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"axle.angle\","         \
              " \"motion\": \"pi + 3*t\"}",                                                        \
        "")

static void from_half_a_turn(void **state) {
  (void)state;
  static const char *const texts[] = {HALF("3.141592653589793"), HALF("-3.141592653589793"),
                                      HALF("3.14159265358"), HALF("-3.14159265358"),
                                      HALF("3.1415926536")};
  static const char *const signals[] = {"axle.angle", "pin.angle", NULL};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    support_trace trace = closed_run(texts[i], signals, closed_groups[i % 2], STEP, TIME);
    const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
    CHECK_NEAR(fabs(first[1]), PI, 1e-10);
    /* Newton's tolerance on positions */
    CHECK_NEAR(last[1] - first[1], 3 * TIME, 1e-9);
    CHECK_NEAR(last[2] - first[2], -2 * TIME, 1e-9);
    support_trace_release(&trace);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_thousand_turns), cmocka_unit_test(fast_gears),
      cmocka_unit_test(accelerated_rotor),  cmocka_unit_test(fine_thread),
      cmocka_unit_test(sudden_start),       cmocka_unit_test(from_half_a_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
