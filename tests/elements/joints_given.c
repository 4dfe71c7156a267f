/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prescribed motions and velocities against closed solutions, on both groups. */
#include <stdio.h>

#include "check.h"
#include "closed.h"

/* ---- rate of a coordinate ------------------------------------------------------------------- */

#define TURNED                                                                                     \
  ROTOR("",                                                                                        \
        ", {\"name\": \"motor\", \"type\": \"velocity_drive\", \"coordinate\": \"axle.angle\","    \
        " \"rate\": \"2*sin(3*t)\"}",                                                              \
        "")

static double turned_angle(double t) {
  return 2.0 / 3 * (1 - cos(3 * t));
}
static double turned_effort(double t) {
  return 0.2 * 6 * cos(3 * t);
}

static void velocity_drive(void **state) {
  (void)state;
  const closed_case angle = {"angle of a driven rate", TURNED, "axle.angle", turned_angle, 0.01, 2};
  const closed_case effort = {"its effort", TURNED, "motor.effort", turned_effort, 0.01, 2};
  closed_check(&angle);
  closed_check_given(&effort, 1.2);
}

/* A gear between two wheels of moment J = 0.2 whose ratio r = 0.5 + t grows, 4 N m on the first:
 * (sqrt(1 + r^2) c2')' = -(4/J) r/sqrt(1 + r^2), and c1' = -r c2'. */
#define GEAR(ratio, rate, effort)                                                                  \
  SCENE(BODY("rotor", "") ", " BODY("disc", ", \"position\": [1, 0, 0]"),                          \
        "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"},"       \
        "{\"name\": \"pin\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","                \
        " \"position\": [1, 0, 0]}, \"b\": \"disc\"},"                                             \
        "{\"name\": \"gear\", \"type\": \"velocity_coupling\", \"first\": \"axle.angle\","         \
        " \"second\": \"pin.angle\", \"ratio\": \"" ratio "\", \"rate\": \"" rate "\"}",           \
        "{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": \"axle.angle\","    \
        " \"effort\": " effort "}")
#define VARIABLE_GEAR GEAR("0.5 + t", "0", "4")

static double gear_rate(double t) {
  const double r = 0.5 + t;
  return -20 * (1 - sqrt((1 + 0.25) / (1 + r * r)));
}
static double gear_first_rate(double t) {
  return -(0.5 + t) * gear_rate(t);
}
/* J c1'' - 4, with c1'' = -c2' - r c2'' and c2'' = -(20 r + r c2')/(1 + r^2). */
static double gear_effort(double t) {
  const double r = 0.5 + t, w = gear_rate(t), slope = -(20 * r + r * w) / (1 + r * r);
  return 0.2 * (-w - r * slope) - 4;
}

/* c1' + c2'/2 = 2 t between the same wheels, from rest: J c1'' = Q, J c2'' = Q/2. */
static double pushed_angle(double t) {
  return 1.6 * t * t / 2;
}

static void variable_gear(void **state) {
  (void)state;
  const closed_case cases[] = {
      {"rate behind a variable gear", VARIABLE_GEAR, "pin.rate", gear_rate, 0.01, 2},
      {"rate before it", VARIABLE_GEAR, "axle.rate", gear_first_rate, 0.01, 2},
      {"its effort", VARIABLE_GEAR, "gear.effort", gear_effort, 0.01, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) closed_check(&cases[i]);
  static const char *const signals[] = {"axle.angle", NULL};
  support_trace trace = closed_run(GEAR("0.5", "2*t", "0"), signals, "SE3", 0.01, 2);
  const double off = closed_off(&trace, 1, pushed_angle);
  check_report("angle before a gear with a given rate", off, 1e-9); /* Newton: a parabola */
  CHECK_LE(off, 1e-9);
  support_trace_release(&trace);
}

/* ---- motion --------------------------------------------------------------------------------- */

/* A body of 2 kg with Jz = 0.2, shaken and turned. */
#define SHAKEN                                                                                     \
  "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [" BODY(                                  \
      "body",                                                                                      \
      ", \"position\": [0.5, 0, -0.1]") "], \"joints\": [{\"name\": \"shaker\", \"type\": "        \
                                        "\"motion\", \"a\": {\"body\": \"ground\","                \
                                        " \"position\": [0.5, 0, 0]}, \"b\": \"body\", \"x\": "    \
                                        "\"0.3*sin(2*t)\", \"y\": \"t^3/8\","                      \
                                        " \"z\": \"-0.1*cos(3*t)\", \"angle\": "                   \
                                        "\"0.5*sin(4*t)\"}]}"

static double shaken_x(double t) {
  return 0.5 + 0.3 * sin(2 * t);
}
static double shaken_y(double t) {
  return t * t * t / 8;
}
static double shaken_z(double t) {
  return -0.1 * cos(3 * t);
}
static double shaken_turn(double t) {
  return sin(0.5 * sin(4 * t) / 2);
}
static double force_y(double t) {
  return 2 * 0.75 * t;
}
static double force_z(double t) {
  return 2 * (0.9 * cos(3 * t) + 10);
}
static double moment_z(double t) {
  return -0.2 * 8 * sin(4 * t);
}

/* Prescribed motions hold to Newton's tolerance on positions, and determine the forces. */
static void motion(void **state) {
  (void)state;
  static const char *const signals[] = {"body.position", "body.quaternion.z", NULL};
  double (*const exact[])(double) = {shaken_x, shaken_y, shaken_z, shaken_turn};
  for (int group = 0; group < 2; ++group) {
    support_trace trace = closed_run(SHAKEN, signals, closed_groups[group], 0.01, 2);
    for (int k = 0; k < 4; ++k) {
      const double off = closed_off(&trace, k + 1, exact[k]);
      check_report("given motion", off, 1e-9);
      CHECK_LE(off, 1e-9);
    }
    support_trace_release(&trace);
  }
  const closed_case forces[] = {{"force along y", SHAKEN, "shaker.force.y", force_y, 0.01, 2},
                                {"force along z", SHAKEN, "shaker.force.z", force_z, 0.01, 2},
                                {"moment about z", SHAKEN, "shaker.moment.z", moment_z, 0.01, 2}};
  static const double size[] = {3, 21.8, 1.6};
  for (size_t i = 0; i < sizeof forces / sizeof *forces; ++i)
    closed_check_given(&forces[i], size[i]);
}

/* Directions that are not given are free: a body falls while it is moved along x and turned. */
#define PARTLY                                                                                     \
  "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [" BODY(                                  \
      "body",                                                                                      \
      "") "], \"joints\": [{\"name\": \"shaker\", \"type\": \"motion\", \"a\": \"ground\","        \
          " \"b\": \"body\", \"x\": \"0.3*sin(2*t)\", \"axis\": [1, 0, 0], \"angle\": \"t\"}]}"

static double fall(double t) {
  return -5 * t * t;
}

static void part_of_a_motion(void **state) {
  (void)state;
  static const char *const signals[] = {"body.position.z", NULL};
  support_trace trace = closed_run(PARTLY, signals, "R3xSO3", 0.01, 2);
  const double off = closed_off(&trace, 1, fall);
  check_report("free fall of a turning body", off, 1e-9); /* Newton's tolerance: a parabola */
  CHECK_LE(off, 1e-9);
  support_trace_release(&trace);
}

/* ---- linear velocity constraints ------------------------------------------------------------- */

#define PUCK "{\"name\": \"ice\", \"type\": \"planar\", \"a\": \"ground\", \"b\": \"body\"}"
#define SLEIGH(blade)                                                                              \
  SCENE(BODY("body", ", \"angular_velocity\": [0, 0, 2]"),                                         \
        PUCK ", {\"name\": \"blade\", \"a\": \"ground\", \"b\": {\"body\": \"body\","              \
             " \"position\": [-0.4, 0, 0]}, " blade "}",                                           \
        "{\"name\": \"push\", \"type\": \"force\", \"at\": \"body\", \"force\": [3, 1, 0]}")

/* A blade in its own words and in these. */
static void blade(void **state) {
  (void)state;
  static const char *const signals[] = {"body.position", "ice.angle", "blade.lambda.0", NULL};
  for (int group = 0; group < 2; ++group) {
    support_trace own =
        closed_run(SLEIGH("\"type\": \"knife_edge\""), signals, closed_groups[group], 0.01, 3);
    support_trace other =
        closed_run(SLEIGH("\"type\": \"velocity_constraint\", \"linear\": [0, 1, 0],"
                          " \"axes\": \"b\""),
                   signals, closed_groups[group], 0.01, 3);
    double worst = 0;
    for (int i = 0; i < own.rows; ++i)
      for (int k = 1; k < own.columns; ++k)
        worst = check_max(worst, fabs(support_row(&own, i)[k] - support_row(&other, i)[k]));
    check_report("blade in general terms", worst, 1e-9); /* Newton's tolerance, amplified */
    CHECK_LE(worst, 1e-9);
    support_trace_release(&own);
    support_trace_release(&other);
  }
}

/* A wheel of radius 0.25 that rolls along x, pushed by 3 N: (m + J/r^2) x'' = 3 and x' = r w,
 * turned about y where its J is 0.3. */
#define WHEEL                                                                                      \
  SCENE(BODY("body", ""),                                                                          \
        "{\"name\": \"guide\", \"type\": \"planar\", \"normal\": [0, 1, 0], \"a\": \"ground\","    \
        " \"b\": \"body\"}, {\"name\": \"road\", \"type\": \"point_on_plane\", \"a\": \"ground\"," \
        " \"b\": \"body\"}, {\"name\": \"grip\", \"type\": \"velocity_constraint\","               \
        " \"linear\": [1, 0, 0], \"angular\": [0, -0.25, 0], \"a\": \"ground\", \"b\": \"body\"}", \
        "{\"name\": \"push\", \"type\": \"force\", \"at\": \"body\", \"force\": [3, 0, 0]}")

static double wheel_way(double t) {
  return 3 / (2 + 0.3 / 0.0625) * t * t / 2;
}
static double wheel_turn(double t) {
  return wheel_way(t) / 0.25;
}

/* A belt that carries a puck along (0.6, 0.8, 0) at cos 2t, whatever it does across. */
#define BELT                                                                                       \
  SCENE(BODY("body", ""),                                                                          \
        PUCK ", {\"name\": \"belt\", \"type\": \"velocity_constraint\", \"a\": \"ground\","        \
             " \"b\": \"body\", \"linear\": [0.6, 0.8, 0], \"rate\": \"cos(2*t)\"}",               \
        "")
static double belt_x(double t) {
  return 0.6 * sin(2 * t) / 2;
}
static double belt_force(double t) {
  return -2 * 0.8 * 2 * sin(2 * t);
}

static void general_velocities(void **state) {
  (void)state;
  static const char *const signals[] = {"body.position.x", "guide.angle", NULL};
  support_trace trace = closed_run(WHEEL, signals, "R3xSO3", 0.01, 4);
  const double way = closed_off(&trace, 1, wheel_way), turn = closed_off(&trace, 2, wheel_turn);
  check_report("way of a rolling wheel, m", way, 1e-9); /* Newton's tolerance: a parabola */
  check_report("its angle, rad", turn, 1e-9);
  CHECK_LE(way, 1e-9);
  CHECK_LE(turn, 1e-9);
  support_trace_release(&trace);
  const closed_case carried = {"way on a belt", BELT, "body.position.x", belt_x, 0.01, 3};
  const closed_case force = {"force of the belt", BELT, "belt.force.y", belt_force, 0.01, 3};
  closed_check(&carried);
  closed_check_given(&force, 3.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocity_drive), cmocka_unit_test(variable_gear),
      cmocka_unit_test(motion),         cmocka_unit_test(part_of_a_motion),
      cmocka_unit_test(blade),          cmocka_unit_test(general_velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
