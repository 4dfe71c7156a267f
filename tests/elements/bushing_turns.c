/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bushings that leave turns free, springs whose markers meet, and point masses that bear no
 * moment. */
#include "check.h"

#include <stdio.h>

#include "support.h"
#include "variant.h"

/* Signals of one run: the largest deviation of column `column` from `expected`. */
typedef double (*closed_form)(double t);

static double deviation(const char *text, int column, closed_form expected, double *last) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  double worst = 0;
  if (support_open(&world, text, NULL, &error) || support_run(&trace, &summary, &world, &error))
    fail_msg("%s (%s)", error.message, error.hint);
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    worst = check_max(worst, fabs(row[column] - expected(row[0])));
  }
  if (last) *last = support_row(&trace, trace.rows - 1)[0];
  support_trace_release(&trace);
  support_close(&world);
  return worst;
}

/* ---- bushings -------------------------------------------------------------------------------- */

#define SHAFT(more)                                                                                \
  "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"s\", \"type\": "              \
  "\"rigid_body\","                                                                                \
  " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.02], \"angular_velocity\": [0, 0, 10]}], \"joints\": "  \
  "[{\"name\": \"turned\", \"type\": \"angle_sensor\", \"a\": \"ground\", \"b\": \"s\"}], "        \
  "\"forces\": [{\"name\": \"brg\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"s\", "      \
  "\"stiffness\": [1e4, 1e4, 1e4]" more "}], \"simulation\": {\"step\": 1e-3, \"duration\": 3}, "  \
  "\"output\": {\"every\": 10, \"signals\": [\"turned.angle\", \"energy.total\"]}}"

static double spinning(double t) {
  return 10 * t;
}
static double energy_of_spin(double t) {
  (void)t;
  return 1;
}
/* J w' = -c w: 10 J/c (1 - exp(-c t/J)) with J = 0.02 and c = 0.01. */
static double slowing(double t) {
  return 20 * (1 - exp(-t / 2));
}

/* Some five turns, past every half turn; rounding adds up over 3000 steps. */
static void shafts_turn_for_ever(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
    closed_form expected;
    double bound;
  } cases[] = {
      {"no rotational stiffness", SHAFT(""), spinning, 3000 * 30 * CHECK_EPS},
      {"stiffness across the shaft", SHAFT(", \"rotational_stiffness\": [50, 80, 0]"), spinning,
       3000 * 30 * CHECK_EPS},
      /* the method's error of second order: (h/2)^2/12 of the angle, some 1e-6 */
      {"damping about the shaft",
       SHAFT(", \"rotational_stiffness\": [50, 80, 0], \"rotational_damping\": [1, 1, 0.01]"),
       slowing, 1e-5},
      {"damping, no rotational stiffness", SHAFT(", \"rotational_damping\": [0.01, 0.01, 0.01]"),
       slowing, 1e-5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double last;
    const double worst = deviation(cases[i].text, 1, cases[i].expected, &last);
    check_report(cases[i].name, worst, cases[i].bound);
    CHECK_LE(worst, cases[i].bound);
    CHECK_NEAR(last, 3, 1e-9);
  }
  CHECK_LE(deviation(SHAFT(", \"rotational_stiffness\": [50, 80, 0]"), 2, energy_of_spin, NULL),
           3000 * CHECK_EPS);
}

#define VECTORS(rotational, more)                                                                  \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"engine\", \"type\": \"rigid_body\", \"mass\": 2, "    \
  "\"inertia\": [0.1, 0.2, 0.3], \"orientation\": {\"rotation_vector\": [0.4, -0.3, 2.0]}}], "     \
  "\"forces\": [{\"name\": \"other\", \"type\": \"other\", \"a\": \"ground\", \"b\": "             \
  "{\"body\": "                                                                                    \
  "\"engine\", \"position\": [0.1, 0, -0.2]}, \"stiffness\": [30, 20, 50], "                       \
  "\"rotational_stiffness\": " rotational ", \"damping\": [0.4, 0.3, 0.2], "                       \
  "\"rotational_damping\": [0.2, 0.1, 0.3], \"preload\": [1, 0, 3]" more "}]}"

static void every_measure_has_its_tangents(void **state) {
  (void)state;
  static const char *const names[] = {"free", "axle z", "axle y, preload", "axle x",
                                      "log, torsion"};
  static const char *const texts[] = {
      VECTORS("[0, 0, 0]", ""), VECTORS("[3, 2, 0]", ""),
      VECTORS("[3, 0, 2]", ", \"rotational_preload\": [0.2, 0, -0.1]"), VECTORS("[0, 3, 2]", ""),
      VECTORS("[0, 0, 2]", "")};
  for (int i = 0; i < 5; ++i) {
    const conformance c = variant_measure("bushing", texts[i]);
    variant_check_tangents(&c, names[i]);
    check_report("  power against energy", c.power, CONFORMANCE_DIFFERENCE);
    check_report("  rigid motion", c.invariance, CONFORMANCE_ROUND_OFF);
    CHECK_LE(c.power, CONFORMANCE_DIFFERENCE);
    CHECK_LE(c.gain, CONFORMANCE_ROUND_OFF);
    CHECK_LE(c.invariance, CONFORMANCE_ROUND_OFF);
    CHECK_LE(c.balance, CONFORMANCE_ROUND_OFF);
  }
}

/* ---- springs whose markers meet -------------------------------------------------------------- */

#define POINTS(spring, velocity)                                                                   \
  "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"p\", \"type\": "              \
  "\"point_mass\", \"mass\": 2, \"velocity\": " velocity "}], \"forces\": [{\"name\": \"k\", "     \
  "\"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"p\", " spring "}], \"simulation\": "   \
  "{\"step\": 1e-3, \"duration\": 3}, \"output\": {\"every\": 10, \"signals\": [\"p.position\", "  \
  "\"energy.total\"]}}"

/* m x'' = -k x, w = 5: through the other marker again and again. */
static double swinging(double t) {
  return 0.4 * sin(5 * t);
}
static double swinging_slowly(double t) {
  return 0.2 * sin(5 * t);
}
static double energy_of_swing(double t) {
  (void)t;
  return 4 + 1;
}
/* 2 x'' + 4 x' + 50 x = 0: exp(-t) sin(sqrt(24) t) 2/sqrt(24). */
static double damped(double t) {
  return exp(-t) * sin(sqrt(24) * t) * 2 / sqrt(24);
}

/* The method's error of second order with h w = 5e-3: phase (h w)^2/12 times 15 rad, times the
 * amplitude; and as much again of what it dissipates. */
#define SWING_BOUND (2 * 25e-6 / 12 * 15)

static void springs_of_length_0(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
    int column;
    closed_form expected;
    double bound;
  } cases[] = {
      {"through the other marker", POINTS("\"stiffness\": 50, \"length\": 0", "[2, 0, 0]"), 1,
       swinging, SWING_BOUND},
      {"default length of markers that meet", POINTS("\"stiffness\": 50", "[2, 0, 0]"), 1, swinging,
       SWING_BOUND},
      {"aslant", POINTS("\"stiffness\": 50, \"length\": 0", "[2, 0, 1]"), 3, swinging_slowly,
       SWING_BOUND},
      {"energy", POINTS("\"stiffness\": 50, \"length\": 0", "[2, 0, 1]"), 4, energy_of_swing,
       5 * SWING_BOUND},
      {"with a damper", POINTS("\"stiffness\": 50, \"length\": 0, \"damping\": 4", "[2, 0, 0]"), 1,
       damped, SWING_BOUND},
      {"with a damper by characteristic",
       POINTS("\"stiffness\": 50, \"length\": 0, \"damping_force\": \"4*v\"", "[2, 0, 0]"), 1,
       damped, SWING_BOUND},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const double worst = deviation(cases[i].text, cases[i].column, cases[i].expected, NULL);
    check_report(cases[i].name, worst, cases[i].bound);
    CHECK_LE(worst, cases[i].bound);
  }
  const conformance c =
      variant_replaced("spring_damper", "\"length\": 0.7, \"preload\": 2", "\"length\": 0");
  variant_check_tangents(&c, "spring of length 0");
  CHECK_LE(c.power, CONFORMANCE_DIFFERENCE);
  CHECK_LE(c.balance, CONFORMANCE_ROUND_OFF);
  CHECK_LE(c.invariance, CONFORMANCE_ROUND_OFF);
}

/* ---- moments on point masses ----------------------------------------------------------------- */

#define TWO_POINTS(more)                                                                           \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 1}, "        \
  "{\"name\": "                                                                                    \
  "\"q\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [1, 0, 0]}], \"joints\": "          \
  "[{\"name\": "                                                                                   \
  "\"eye\", \"type\": \"sensor\", \"a\": \"p\", \"b\": \"q\"}" more "}"

/* Forces and drives along x of a sensor on a point mass would make angular momentum; its distance
 * is central. */
static void points_bear_no_moments(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool right;
  } cases[] = {
      {TWO_POINTS(
           ", {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": \"eye.y\", \"motion\": 0}]"),
       false},
      {TWO_POINTS(", {\"name\": \"d\", \"type\": \"velocity_drive\", \"coordinate\": \"eye.y\", "
                  "\"rate\": 0}]"),
       false},
      {TWO_POINTS(
           "], \"forces\": [{\"name\": \"f\", \"type\": \"coordinate_force\", \"coordinate\": "
           "\"eye.x\", \"effort\": 1}]"),
       false},
      {TWO_POINTS(
           "], \"forces\": [{\"name\": \"f\", \"type\": \"coordinate_spring\", \"coordinate\": "
           "\"eye.z\", \"stiffness\": 1}]"),
       false},
      {TWO_POINTS(", {\"name\": \"d\", \"type\": \"coupling\", \"first\": \"eye.x\", \"second\": "
                  "\"eye.distance\", \"ratio\": 1}]"),
       false},
      {TWO_POINTS(", {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": \"eye.distance\", "
                  "\"motion\": 1}]"),
       true},
      {TWO_POINTS("], \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": \"q\", "
                  "\"force\": [1, 0, 0],"
                  " \"scale\": \"-eye.x\"}]"),
       true},
      {TWO_POINTS("], \"forces\": [{\"name\": \"f\", \"type\": \"contact\", \"a\": \"ground\", "
                  "\"b\": \"q\", "
                  "\"stiffness\": 1, \"radius\": 0.1, \"friction\": 0.2}]"),
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, cases[i].text, NULL, &error);
    if (!status) support_close(&world);
    if (status) print_message("  %s\n", error.message);
    CHECK_INT(status, cases[i].right ? TORSOR_OK : TORSOR_SCENE);
    if (!cases[i].right) CHECK_CONTAINS(error.message, "point mass");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shafts_turn_for_ever),
      cmocka_unit_test(every_measure_has_its_tangents),
      cmocka_unit_test(springs_of_length_0),
      cmocka_unit_test(points_bear_no_moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
