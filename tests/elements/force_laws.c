/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Springs with characteristics and coupled bushings, against closed solutions on both groups. */
#include "check.h"

#include <gsl/gsl_sf_elljac.h>
#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "variant.h"

/* ---- Duffing's spring ------------------------------------------------------------------------ */

/* 2 x'' = -(50 x + 1000 x^3) from x(0) = 0.3 at rest: x = 0.3 cn(w t, m) with w^2 = 25 + 500 0.3^2
 * and m = 500 0.3^2/(2 w^2). */
static double duffing(double t) {
  const double amplitude = 0.3, bent = 500 * amplitude * amplitude, w2 = 25 + bent;
  double sn, cn, dn;
  gsl_sf_elljac_e(sqrt(w2) * t, bent / (2 * w2), &sn, &cn, &dn);
  return amplitude * cn;
}
static double duffing_length(double t) {
  return 1 + duffing(t);
}
/* 0.2 a'' = -(5 a + 100 a^3). */
static double duffing_angle(double t) {
  return duffing(t);
}

#define SPRUNG(force)                                                                              \
  SCENE(BODY("mass", ", \"position\": [1.3, 0, 0], \"velocity\": [0, 0, 0]"), "",                  \
        "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"mass\","  \
        " \"length\": 1, \"force\": " force "}")

static const closed_case duffing_cases[] = {
    {"spring by expression", SPRUNG("\"50*x + 1000*x^3\""), "mass.position.x", duffing_length,
     0.005, 2},
    {"spring with given slope and integral",
     SPRUNG("{\"value\": \"50*x + 1000*x^3\", \"slope\": \"50 + 3000*x^2\","
            " \"integral\": \"25*x^2 + 250*x^4\"}"),
     "mass.position.x", duffing_length, 0.005, 2},
    {"torsion spring by expression",
     ROTOR(", \"orientation\": {\"rotation_vector\": [0, 0, 0.3]}", "",
           "{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\":"
           " \"axle.angle\", \"force\": \"5*x + 100*x^3\"}"),
     "axle.angle", duffing_angle, 0.005, 2}};

static void nonlinear_springs(void **state) {
  (void)state;
  for (int i = 0; i < 3; ++i) closed_check(&duffing_cases[i]);
}

/* 2 v' = -0.5 v |v| along the line, v(0) = 4 outwards: x = x0 + 4 ln(1 + t). */
static double square_damper(double t) {
  return 1 + 4 * log(1 + t);
}
static const closed_case damped = {
    "damping force by expression",
    SCENE(BODY("mass", ", \"position\": [1, 0, 0], \"velocity\": [4, 0, 0]"), "",
          "{\"name\": \"damper\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"mass\","
          " \"damping_force\": \"0.5*v*abs(v)\"}"),
    "mass.position.x",
    square_damper,
    0.02,
    2};

static void nonlinear_damper(void **state) {
  (void)state;
  closed_check(&damped);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A bump stop: 100 N/m, and 10 times that beyond 0.1 m. */
#define BUMP                                                                                       \
  "{\"table\": [[-0.5, -50], [0, 0], [0.1, 10], [0.3, 210]], \"interpolation\": \"linear\"}"

static double largest_drift(const char *text, double h) {
  static const char *const signals[] = {"energy.total", "energy.elastic", NULL};
  support_trace trace = closed_run(text, signals, "R3xSO3", h, 2);
  double drift = 0;
  for (int i = 0; i < trace.rows; ++i)
    drift = check_max(drift, fabs(support_row(&trace, i)[1] - support_row(&trace, 0)[1]));
  support_trace_release(&trace);
  return drift;
}

/* The stored energy is that of the force: what drifts is the method's, of order 2.  Steffen's curve
 * has steps of its second derivative at the points, where the error of a step is of one order less;
 * halved, the drift is a quarter, and a third is allowed. */
static void energy_of_a_table(void **state) {
  (void)state;
  static const char smooth[] =
      SPRUNG("{\"table\": [[-0.4, -60], [-0.1, -8], [0, 0], [0.15, 9], [0.4, 80]]}");
  const double coarse = largest_drift(smooth, 2e-3), fine = largest_drift(smooth, 1e-3);
  check_report("drift of the energy at h/2, J", fine, coarse / 3);
  CHECK_LE(fine, coarse / 3);
}

/* Energy and force at rest against sums by hand, also beyond both ends. */
static void bump_stop_by_hand(void **state) {
  (void)state;
  static const struct {
    double x, force, energy;
  } at[] = {{0.25, 160, 0.5 + 0.15 * (10 + 160) / 2},
            {0.4, 310, 0.5 + 0.2 * 110 + 0.1 * (210 + 310) / 2},
            {-0.3, -30, 0.3 * 30 / 2},
            {-0.8, -80, 0.5 * 50 / 2 + 0.3 * (50 + 80) / 2}};
  static const char *const signals[] = {"spring.force.x", "energy.elastic", NULL};
  for (int i = 0; i < 4; ++i) {
    char text[600];
    snprintf(text, sizeof text,
             SCENE(BODY("mass", ", \"position\": [%g, 0, 0], \"velocity\": [0, 0, 0]"), "",
                   "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\":"
                   " \"mass\", \"length\": 1, \"force\": " BUMP "}"),
             1 + at[i].x);
    support_trace trace = closed_run(text, signals, "R3xSO3", 1e-3, 1e-3);
    /* the length of 1 m takes the digits of 1 + x: eps/2 times the stiffness of 1000 N/m */
    CHECK_NEAR(support_row(&trace, 0)[1], -at[i].force, 1000 * CHECK_EPS);
    CHECK_NEAR(support_row(&trace, 0)[2], at[i].energy, 1000 * CHECK_EPS);
    support_trace_release(&trace);
  }
}

static void tangents_of_characteristics(void **state) {
  (void)state;
  const conformance table = variant_replaced(
      "spring_damper", "\"stiffness\": 20, \"damping\": 0.4, \"length\": 0.7, \"preload\": 2",
      "\"length\": 0.7, \"force\": {\"table\": [[-2, -40], [0, 3], [0.5, 20], [2, 90]],"
      " \"interpolation\": \"cubic\"}, \"damping_force\": \"0.4*v + 0.1*v^3\"");
  variant_check_tangents(&table, "spring by table");
  check_report("spring by table: power", table.power, CONFORMANCE_DIFFERENCE);
  CHECK_LE(table.power, CONFORMANCE_DIFFERENCE);
  CHECK_LE(table.gain, CONFORMANCE_ROUND_OFF);
  const conformance turning = variant_replaced("coordinate_spring", "\"damping\": 0.3",
                                               "\"damping_force\": \"0.3*v + 0.2*v*abs(v)\"");
  variant_check_tangents(&turning, "torsion damper by expression");
  CHECK_LE(turning.gain, CONFORMANCE_ROUND_OFF);
}

/* ---- bushings -------------------------------------------------------------------------------- */

/* A displacement along x and a rotation about z that are coupled: with m = 2, J = 0.2 and
 * K = [[50, 2], [2, 5]] the mode theta = sqrt(10) x has w^2 = 25 + sqrt 10, at any angle. */
static double coupled_x(double t) {
  return 0.3 * cos(sqrt(25 + sqrt(10)) * t);
}
static double coupled_turn(double t) {
  return sqrt(10) * coupled_x(t);
}

#define COUPLED                                                                                    \
  SCENE(BODY("mass", ", \"position\": [0.3, 0, 0], \"velocity\": [0, 0, 0], \"orientation\":"      \
                     " {\"rotation_vector\": [0, 0, \"0.3*sqrt(10)\"]}, \"angular_velocity\":"     \
                     " [0, 0, 0]"),                                                                \
        "",                                                                                        \
        "{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"mass\","         \
        " \"stiffness_matrix\": [[50, 0, 0, 0, 0, 2], [0, 9, 0, 0, 0, 0], [0, 0, 9, 0, 0, 0],"     \
        " [0, 0, 0, 3, 0, 0], [0, 0, 0, 0, 3, 0], [2, 0, 0, 0, 0, 5]]}")

/* Gyroscopic damping turns without loss: 2 x'' = -8 y', 2 y'' = 8 x' is a circle. */
static double circling_x(double t) {
  return 0.5 * sin(4 * t);
}

static const closed_case bushing_cases[] = {
    {"bushing: coupled translation", COUPLED, "mass.position.x", coupled_x, 0.01, 2},
    {"bushing: coupled rotation", COUPLED, "mass.rotation_vector.z", coupled_turn, 0.01, 2},
    {"bushing: gyroscopic damping",
     SCENE(BODY("mass", ", \"velocity\": [2, 0, 0]"), "",
           "{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"mass\","
           " \"stiffness\": [0, 0, 1], \"damping_matrix\": [[0, 8, 0, 0, 0, 0],"
           " [-8, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],"
           " [0, 0, 0, 0, 0, 0]]}"),
     "mass.position.x", circling_x, 0.01, 2}};

static void coupled_bushings(void **state) {
  (void)state;
  for (int i = 0; i < 3; ++i) closed_check(&bushing_cases[i]);
}

/* A preload that carries the weight leaves the body where it is, but for the round-off of the
 * load. */
static void preload_carries(void **state) {
  (void)state;
  static const char *const signals[] = {"mass.position", "mass.rotation_vector", NULL};
  support_trace trace = closed_run(
      "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"mass\", \"type\":"
      " \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.3, 0.2], \"center_of_mass\": [0.1, 0, "
      "0]}],"
      " \"forces\": [{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": "
      "\"mass\","
      " \"stiffness\": [50, 50, 50], \"rotational_stiffness\": [5, 5, 5], \"preload\": [0, 0, 20],"
      " \"rotational_preload\": [0, -2, 0]}]}",
      signals, "R3xSO3", 1e-2, 1);
  double worst = 0;
  for (int i = 0; i < trace.rows; ++i)
    for (int k = 1; k < 7; ++k) worst = check_max(worst, fabs(support_row(&trace, i)[k]));
  check_report("preload: motion", worst, 100 * 20 * CHECK_EPS); /* 100 steps, 20 N */
  CHECK_LE(worst, 100 * 20 * CHECK_EPS);
  support_trace_release(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nonlinear_springs),
      cmocka_unit_test(nonlinear_damper),
      cmocka_unit_test(energy_of_a_table),
      cmocka_unit_test(bump_stop_by_hand),
      cmocka_unit_test(tangents_of_characteristics),
      cmocka_unit_test(coupled_bushings),
      cmocka_unit_test(preload_carries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
