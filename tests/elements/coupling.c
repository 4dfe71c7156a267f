/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gear pair: two wheels on parallel shafts whose angles are coupled, driven by a constant torque;
 * a planetary gear. */
#include "check.h"
#include "closed.h"

#define J1     0.2
#define J2     0.03
#define RATIO  0.5
#define TORQUE 4.0

static const char gears[] =
    "{\"torsor\": 1, \"bodies\": ["
    "{\"name\": \"wheel\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.2]},"
    "{\"name\": \"pinion\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.03],"
    " \"position\": [0.3, 0, 0]}],"
    "\"joints\": ["
    "{\"name\": \"shaft1\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"},"
    "{\"name\": \"shaft2\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","
    " \"position\": [0.3, 0, 0]}, \"b\": \"pinion\"},"
    "{\"name\": \"teeth\", \"type\": \"coupling\", \"first\": \"shaft1.angle\","
    " \"second\": \"shaft2.angle\", \"ratio\": 0.5}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\","
    " \"coordinate\": \"shaft1.angle\", \"effort\": 4}],"
    "\"simulation\": {\"step\": 0.01, \"duration\": 10},"
    "\"output\": {\"every\": 10, \"signals\": [\"shaft1.angle\", \"shaft2.angle\","
    " \"teeth.effort\"]}}";

/* Both wheels turn as one of inertia J1 + J2/ratio^2: a parabola, which the method follows exactly,
 * over 99 and 199 turns.  What is left are Newton's tolerance, 1e-8 of the acceleration twice
 * integrated, and for the coupling itself round-off of an angle of some 1000 rad. */
static void gear_pair(void **state) {
  static const char *const variants[][2] = {
      {"group=R3xSO3", NULL}, {"group=SE3", NULL}, {"simulation.formulation=ggl", NULL}};
  (void)state;
  const double acceleration = TORQUE / (J1 + J2 / (RATIO * RATIO));
  const double bounds[3] = {1e-8 * acceleration * 100 / 2, 64 * CHECK_EPS * 1000, 1e-7 * TORQUE};
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, gears, variants[i], &error), TORSOR_OK);
    CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
    double worst[3] = {0};
    for (int k = 0; k < trace.rows; ++k) {
      const double *v = support_row(&trace, k);
      worst[0] = check_max(worst[0], fabs(v[1] - acceleration * v[0] * v[0] / 2));
      worst[1] = check_max(worst[1], fabs(v[1] + RATIO * v[2]));
      worst[2] = check_max(worst[2], fabs(v[3] - (J1 * acceleration - TORQUE)));
    }
    print_message(" %s\n", variants[i][0]);
    check_report("angle of the wheel against the parabola, rad", worst[0], bounds[0]);
    check_report("angle + ratio angle, rad", worst[1], bounds[1]);
    check_report("effort of the teeth, N m", worst[2], bounds[2]);
    for (int k = 0; k < 3; ++k) CHECK_LE(worst[k], bounds[k]);
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* Radii 0.2 (sun), 0.1 (planet), 0.4 (ring, fixed): to the carrier's angle q belong -4 q of the
 * planet and 2 q of the sun against the carrier.  Both meshes see the carrier twice. */
static const char planetary[] = SCENE(
    BODY("carrier", "") ", " BODY("sun", "") ", " BODY("planet", ", \"position\": [0.3, 0, 0]"),
    "{\"name\": \"main\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"carrier\"},"
    "{\"name\": \"inner\", \"type\": \"revolute\", \"a\": \"carrier\", \"b\": \"sun\"},"
    "{\"name\": \"pin\", \"type\": \"revolute\", \"a\": {\"body\": \"carrier\","
    " \"position\": [0.3, 0, 0]}, \"b\": \"planet\"},"
    "{\"name\": \"ring_mesh\", \"type\": \"coupling\", \"first\": \"pin.angle\","
    " \"second\": \"main.angle\", \"ratio\": 4},"
    "{\"name\": \"sun_mesh\", \"type\": \"coupling\", \"first\": \"inner.angle\","
    " \"second\": \"pin.angle\", \"ratio\": 0.5}",
    "{\"name\": \"motor\", \"type\": \"force\", \"at\": \"sun\", \"moment\": [0, 0, 5]}");

/* (J + J (1 + 2)^2 + m R^2 + J (1 - 4)^2) q'' = 5 (1 + 2) with J = 0.2, m = 2, R = 0.3. */
static double carrier_angle(double t) {
  return 15 / (0.2 + 1.8 + 0.18 + 1.8) * t * t / 2;
}

static void planetary_gear(void **state) {
  (void)state;
  const closed_case c = {"planetary gear", planetary, "main.angle", carrier_angle, 0.01, 2};
  closed_check(&c);
}

static void check_refused(const char *change, const char *message, const char *hint) {
  const char *const set[] = {change, NULL};
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, gears, set, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, message);
  CHECK_CONTAINS(error.hint, hint);
}

static void wrong_use(void **state) {
  (void)state;
  check_refused("joints.teeth.ratio=0", "couples nothing: the ratio is 0", "gear pair");
  check_refused("joints.teeth.second=shaft1.angle", "both coordinates are the same", "gear pair");
  check_refused("joints.teeth.second=shaft2.angel", "no joint coordinate \"shaft2.angel\"",
                "did you mean \"shaft2.angle\"?");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gear_pair), cmocka_unit_test(planetary_gear),
                                     cmocka_unit_test(wrong_use)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
