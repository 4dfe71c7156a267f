/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces that depend on joint coordinates: closed solutions, complete tangents, sensors. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "variant.h"

/* ---- closed solutions ------------------------------------------------------------------------ */

/* Free vibration with the frequency w0 and the decay d. */
static double decaying(double t, double w0, double d) {
  const double w = sqrt(w0 * w0 - d * d);
  return exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}
static double held(double t) {
  return 0.1 * decaying(t, 5, 0.2);
}
/* 0.2 a'' = -(5 a + 0.16 a'). */
static double held_angle(double t) {
  return 2 * decaying(t, 5, 0.4);
}
/* 2 x'' = -2 y for y = cos t of another body. */
static double following(double t) {
  return cos(t);
}

#define PROBE "{\"name\": \"probe\", \"type\": \"sensor\", \"a\": \"ground\", \"b\": \"mass\"}"
#define TURN  "{\"name\": \"turn\", \"type\": \"angle_sensor\", \"a\": \"ground\", \"b\": \"mass\"}"

static const closed_case cases[] = {
    {"force on a sensor",
     SCENE(BODY("mass", ", \"position\": [0.1, 0, 0], \"velocity\": [0, 0, 0]"), PROBE,
           "{\"name\": \"hold\", \"type\": \"force\", \"at\": \"mass\", \"force\": [1, 0, 0],"
           " \"scale\": \"-50*probe.x - 0.8*probe.x_speed\"}"),
     "probe.x", held, 0.01, 2},
    {"moment on a sensor, 2 rad",
     SCENE(BODY("mass", ", \"orientation\": {\"rotation_vector\": [0, 0, 2]},"
                        " \"angular_velocity\": [0, 0, 0]"),
           TURN,
           "{\"name\": \"hold\", \"type\": \"force\", \"at\": \"mass\", \"moment\": [0, 0, 1],"
           " \"axes\": \"body\", \"scale\": \"-5*turn.angle - 0.16*turn.rate\"}"),
     "turn.angle", held_angle, 0.01, 2},
    {"coordinate force on its coordinate",
     ROTOR(", \"orientation\": {\"rotation_vector\": [0, 0, 2]}", "",
           "{\"name\": \"hold\", \"type\": \"coordinate_force\", \"coordinate\": \"axle.angle\","
           " \"effort\": \"-5*axle.angle - 0.16*axle.rate\"}"),
     "axle.angle", held_angle, 0.01, 2},
    {"force that follows another body",
     SCENE(BODY("mass", ", \"position\": [1, 0, 0], \"velocity\": [0, 0, 0]") "," BODY(
               "lead", ", \"position\": [0, 1, 0], \"velocity\": [0, 0, 0]"),
           PROBE
           ", {\"name\": \"other\", \"type\": \"sensor\", \"a\": \"ground\", \"b\": \"lead\"}",
           "{\"name\": \"swing\", \"type\": \"force\", \"at\": \"lead\", \"force\": [0, -2, 0],"
           " \"scale\": \"other.y\"}, {\"name\": \"follow\", \"type\": \"force\", \"at\": \"mass\","
           " \"force\": [-2, 0, 0], \"scale\": \"other.y\"}"),
     "probe.x", following, 0.02, 2}};

static void closed_solutions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) closed_check(&cases[i]);
}

/* The same law as an actuator and as an expression: the same equations, rounded apart. */
static void actuator_by_expression(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", "servo.effort", NULL};
  support_trace trace[2] = {
      closed_run(ROTOR(", \"angular_velocity\": [0, 0, 1]", "",
                       "{\"name\": \"servo\", \"type\": \"actuator\", \"coordinate\":"
                       " \"axle.angle\", \"target\": \"0.5*t\", \"kp\": 20, \"kd\": 2}"),
                 signals, "R3xSO3", 0.01, 1),
      closed_run(ROTOR(", \"angular_velocity\": [0, 0, 1]", "",
                       "{\"name\": \"servo\", \"type\": \"coordinate_force\", \"coordinate\":"
                       " \"axle.angle\", \"effort\":"
                       " \"20*(0.5*t - axle.angle) + 2*(0.5 - axle.rate)\"}"),
                 signals, "R3xSO3", 0.01, 1)};
  double worst = 0;
  for (int i = 0; i < trace[0].rows; ++i)
    for (int k = 1; k < 3; ++k)
      worst = check_max(worst, fabs(support_row(&trace[0], i)[k] - support_row(&trace[1], i)[k]));
  /* Newton's tolerance, rtol of closed_run, over 100 steps and efforts of 20 N m/rad */
  check_report("actuator by expression", worst, 100 * 20 * 1e-12);
  CHECK_LE(worst, 100 * 20 * 1e-12);
  for (int k = 0; k < 2; ++k) support_trace_release(&trace[k]);
}

/* Forces that act on coordinates also act on those of sensors: a spring on the distance is a
 * spring_damper. */
static void spring_on_a_sensor(void **state) {
  (void)state;
  static const char *const signals[] = {"mass.position", "mass.rotation_vector", "energy.elastic",
                                        NULL};
  static const char *const springs[] = {
      "{\"name\": \"s\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": {\"body\": "
      "\"mass\","
      " \"position\": [0.1, 0.2, 0]}, \"stiffness\": 30, \"damping\": 0.5, \"length\": 0.8}",
      "{\"name\": \"s\", \"type\": \"coordinate_spring\", \"coordinate\": \"rod.distance\","
      " \"stiffness\": 30, \"damping\": 0.5, \"rest\": 0.8}"};
  support_trace trace[2];
  for (int k = 0; k < 2; ++k) {
    char text[1200];
    snprintf(text, sizeof text,
             SCENE(BODY("mass", ", \"position\": [1, 0.1, -0.3], \"velocity\": [0, 1, 0.5],"
                                " \"angular_velocity\": [1, -2, 1]"),
                   "{\"name\": \"rod\", \"type\": \"sensor\", \"a\": \"ground\", \"b\": {\"body\":"
                   " \"mass\", \"position\": [0.1, 0.2, 0]}}",
                   "%s"),
             springs[k]);
    trace[k] = closed_run(text, signals, "SE3", 0.01, 1);
  }
  double worst = 0;
  for (int i = 0; i < trace[0].rows; ++i)
    for (int k = 1; k < 8; ++k)
      worst = check_max(worst, fabs(support_row(&trace[0], i)[k] - support_row(&trace[1], i)[k]));
  /* Newton's tolerance over 100 steps, lengths of 1 m and energies of 30 J */
  check_report("spring on a sensor", worst, 100 * 30 * 1e-12);
  CHECK_LE(worst, 100 * 30 * 1e-12);
  for (int k = 0; k < 2; ++k) support_trace_release(&trace[k]);
}

/* A drive on a sensor moves a marker as given: x = 0.3 sin(2 t), its effort m x''. */
static double driven_effort(double t) {
  return -2 * 0.3 * 4 * sin(2 * t);
}
static const closed_case driven = {
    "drive on a sensor",
    SCENE(BODY("mass", ", \"velocity\": [0.6, 0, 0]"),
          PROBE ", {\"name\": \"stage\", \"type\": \"drive\", \"coordinate\": \"probe.x\","
                " \"motion\": \"0.3*sin(2*t)\"}",
          ""),
    "stage.effort",
    driven_effort,
    0.01,
    2};

static void drive_on_a_sensor(void **state) {
  (void)state;
  closed_check_given(&driven, 2.4);
}

/* ---- tangents -------------------------------------------------------------------------------- */

#define THREE                                                                                      \
  "{\"torsor\": 1, \"bodies\": ["                                                                  \
  "{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.3]},"      \
  " {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.3],"      \
  " \"position\": [1, 0, 0.4]}, {\"name\": \"three\", \"type\": \"rigid_body\", \"mass\": 1,"      \
  " \"inertia\": [0.1, 0.2, 0.3], \"position\": [1, 1, 0]}], \"joints\": ["                        \
  "{\"name\": \"probe\", \"type\": \"sensor\", \"a\": {\"body\": \"one\", \"position\":"           \
  " [0.1, 0.2, 0]}, \"b\": {\"body\": \"two\", \"position\": [0, 0.3, 0.1]}},"                     \
  " {\"name\": \"roll\", \"type\": \"angle_sensor\", \"a\": \"one\", \"b\": \"three\", \"axis\": " \
  "[1, 2, 0]},"                                                                                    \
  " {\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [1, 2, 2], \"a\": \"two\","            \
  " \"b\": \"three\"}], \"forces\": [{\"name\": \"it\", \"type\": \"other\", "
#define LAW                                                                                        \
  "\"1 + 0.3*t + sin(probe.x) - probe.distance_speed^2 + probe.y_speed*roll.angle"                 \
  " + 0.7*hinge.angle*hinge.rate + 0.2*roll.rate\"}]}"
#define BODIES                                                                                     \
  "\"hinge.angle*sin(two.position.x)*two.velocity.y + 0.3*three.angular_velocity.z^2"              \
  " + one.position.z*one.velocity.x\"}]}"

static void complete_tangents(void **state) {
  (void)state;
  const conformance inertial =
      variant_measure("force", THREE "\"at\": {\"body\": \"three\", \"position\": [0.3, 0, 0.2]},"
                                     " \"force\": [1, 2, -1], \"moment\": [0.1, 0.2, -0.4],"
                                     " \"scale\": " LAW);
  variant_check_tangents(&inertial, "force in inertial axes");
  const conformance body = variant_measure(
      "force", THREE "\"at\": \"one\", \"axes\": \"body\", \"force\": [1, 2, -1], \"scale\": " LAW);
  variant_check_tangents(&body, "force in body axes");
  const conformance inner = variant_measure("coordinate_force", THREE
                                            "\"coordinate\": \"hinge.angle\", \"effort\": " LAW);
  variant_check_tangents(&inner, "coordinate_force");
  const conformance bodies = variant_measure(
      "coordinate_force", THREE "\"coordinate\": \"hinge.angle\", \"effort\": " BODIES);
  variant_check_tangents(&bodies, "coordinate_force that reads bodies");
  check_report("coordinate_force: resultant", inner.balance, CONFORMANCE_ROUND_OFF);
  check_report("coordinate_force: rigid motion", inner.invariance, CONFORMANCE_ROUND_OFF);
  CHECK_LE(inner.balance, CONFORMANCE_ROUND_OFF);
  CHECK_LE(inner.invariance, CONFORMANCE_ROUND_OFF);
}

/* A stiff controller between two bodies through a sensor costs Newton's iteration no more than the
 * spring that it is: its tangents arrive in the right places. */
static int iterations(const char *element) {
  char text[1500];
  snprintf(text, sizeof text,
           SCENE(BODY("one", ", \"velocity\": [0, 0, 0]") "," BODY(
                     "two", ", \"position\": [1.01, 0, 0], \"velocity\": [0, 0, 0]"),
                 "{\"name\": \"probe\", \"type\": \"sensor\", \"a\": \"one\", \"b\": \"two\"}",
                 "%s"),
           element);
  support_world world;
  support_trace trace = {0};
  torsor_summary summary = {0};
  static const char *const set[] = {"simulation={\"step\": 0.01, \"duration\": 1}", NULL};
  CHECK_INT(support_open(&world, text, set, NULL), TORSOR_OK);
  torsor_error error = {0};
  const torsor_status status = support_run(&trace, &summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  const int count = (int)trace.last.newton_iterations;
  support_trace_release(&trace);
  support_close(&world);
  return count;
}

static void newton_converges_alike(void **state) {
  (void)state;
  const int spring = iterations("{\"name\": \"s\", \"type\": \"spring_damper\", \"a\": \"one\","
                                " \"b\": \"two\", \"stiffness\": 1e5, \"damping\": 300,"
                                " \"length\": 1}");
  const int control =
      iterations("{\"name\": \"p\", \"type\": \"force\", \"at\": \"two\", \"force\": [1, 0, 0],"
                 " \"scale\": \"-1e5*(probe.x - 1) - 300*probe.x_speed\"},"
                 " {\"name\": \"m\", \"type\": \"force\", \"at\": \"one\", \"force\": [-1, 0, 0],"
                 " \"scale\": \"-1e5*(probe.x - 1) - 300*probe.x_speed\"}");
  check_report("Newton iterations with controls", control, 1.5 * spring);
  CHECK_LE(control, 1.5 * spring);
}

/* ---- sensors --------------------------------------------------------------------------------- */

/* Seen from a frame that is turned by 90 deg about z and stands at (0, 2, 0): x ahead is y, y is
 * -x. */
static void sensor_sees_its_axes(void **state) {
  (void)state;
  static const char *const signals[] = {"eye", "turn", NULL};
  support_trace trace = closed_run(
      SCENE(BODY("mass", ", \"position\": [3, 6, 0], \"velocity\": [0.3, 0.4, 0.5],"
                         " \"angular_velocity\": [0, 0, 2]"),
            "{\"name\": \"eye\", \"type\": \"sensor\", \"a\": {\"body\": \"ground\", \"position\":"
            " [0, 2, 0], \"orientation\": {\"rotation_vector\": [0, 0, \"90 deg\"]}}, \"b\":"
            " \"mass\"}, " TURN,
            ""),
      signals, "R3xSO3", 1e-3, 1e-3);
  static const double expected[] = {4, 0.4, -3, -0.3, 0, 0.5, 5, (3 * 0.3 + 4 * 0.4) / 5, 0, 2};
  CHECK_INT(trace.columns, 11);
  for (int k = 0; k < 10; ++k) /* sums of a few products of size 6 */
    CHECK_NEAR(support_row(&trace, 0)[1 + k], expected[k], 8 * 6 * CHECK_EPS);
  support_trace_release(&trace);
}

/* Swing and twist: a body that is turned by 0.7 about z and then tilted by 1 rad about x and y
 * shows 0.7, as the tilt takes z along the shortest way. */
static void sensor_takes_out_the_tilt(void **state) {
  (void)state;
  static const char *const signals[] = {"turn.angle", NULL};
  const so3 turn = so3_exp((v3){0, 0, 0.7}), tilt = so3_exp((v3){0.8, -0.6, 0});
  const so3 q = so3_compose(tilt, turn);
  char text[700];
  snprintf(text, sizeof text,
           SCENE(BODY("mass", ", \"orientation\": {\"quaternion\": [%.17g, %.17g, %.17g, %.17g]}"),
                 TURN, ""),
           q.w, q.x, q.y, q.z);
  support_trace trace = closed_run(text, signals, "R3xSO3", 1e-3, 1e-3);
  CHECK_NEAR(support_row(&trace, 0)[1], 0.7, 16 * CHECK_EPS);
  support_trace_release(&trace);
}

/* Ten turns are ten turns, for what a force reads as well. */
static void sensor_counts_turns(void **state) {
  (void)state;
  static const char *const signals[] = {"turn.angle", "hold.moment.z", NULL};
  support_trace trace = closed_run(
      SCENE(BODY("mass", ", \"angular_velocity\": [0, 0, 6.283185307179586]"), TURN,
            "{\"name\": \"hold\", \"type\": \"force\", \"at\": \"mass\", \"moment\": [0, 0, 1e-9],"
            " \"scale\": \"turn.angle\"}"),
      signals, "SE3", 0.05, 10);
  const double *last = support_row(&trace, trace.rows - 1);
  /* the moment of 1e-9 angle turns it by 1e-9 w t^3/(6 J) in 10 s */
  const double moved = 1e-9 * 2 * PI * 1000 / (6 * 0.2);
  CHECK_NEAR(last[1], 20 * PI, 2 * moved);
  CHECK_NEAR(last[2], 1e-9 * last[1], 1e-9 * 20 * PI * 4 * CHECK_EPS);
  support_trace_release(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_solutions),     cmocka_unit_test(actuator_by_expression),
      cmocka_unit_test(spring_on_a_sensor),   cmocka_unit_test(drive_on_a_sensor),
      cmocka_unit_test(complete_tangents),    cmocka_unit_test(newton_converges_alike),
      cmocka_unit_test(sensor_sees_its_axes), cmocka_unit_test(sensor_takes_out_the_tilt),
      cmocka_unit_test(sensor_counts_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
