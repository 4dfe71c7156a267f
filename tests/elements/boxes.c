/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes that meet at their faces, in scenes: a stack that stands, a flat blow, sliding and spinning
 * to rest, a box that leaves the edge of a table. */

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "support.h"

static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae", "radau"};
enum { METHODS = 4, ROOM = 6000 };

/* Runs a scene; the caller releases the trace. */
static support_trace run(const char *text, const char *method, const char *group, double h,
                         int steps, const char *const *signals) {
  char simulation[200], set_group[40];
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  snprintf(simulation, sizeof simulation,
           "simulation={\"method\": \"%s\", \"step\": %.17g, \"duration\": %.17g}", method, h,
           h * steps);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {simulation, set_group, NULL};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

#define GROUND                                                                                     \
  "\"ground\": {\"shape\": {\"type\": \"box\", \"size\": [2, 2, 1], \"position\": [0, 0, -0.5]}}"

/* ---- three boxes, set off against each other ---------------------------------------------------
 */

#define STACKED(name, mass, x, y, z)                                                               \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": " mass                             \
  ", \"inertia\": [0.01, 0.01, 0.02], \"position\": [" x ", " y ", " z                             \
  "], \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}}"
#define PRESSED(name, a, b)                                                                        \
  "{\"name\": \"" name "\", \"type\": \"shape_contact\", \"a\": \"" a "\", \"b\": \"" b            \
  "\", \"face_stiffness\": 1e8, \"restitution\": 0.1, \"restitution_at\": \"each_blow\","          \
  " \"friction\": 0.5, \"tangential_stiffness\": 1e6, \"tangential_damping\": 500}"

/* Weights and centres of pressure by equilibrium; the boxes tilt by their depths over their
 * widths, 1.6e-5 m over 0.2 m and twice that beside an end, which moves centres by 0.3 m times that
 * and turns the pushes, whose upright parts carry the weight: by the square of 2e-4. */
static void test_stack(void **state) {
  (void)state;
  /* clang-format off */
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], " GROUND ", \"bodies\": ["
      STACKED("one", "3", "0", "0", "0.05") ", "
      STACKED("two", "2", "0.03", "-0.02", "0.15") ", "
      STACKED("three", "1", "0.05", "0.04", "0.25") "], \"forces\": ["
      PRESSED("c1", "ground", "one") ", "
      PRESSED("c2", "one", "two") ", "
      PRESSED("c3", "two", "three") "]}";
  /* clang-format on */
  static const char *const signals[] = {"c1.normal_force",  "c2.normal_force", "c3.normal_force",
                                        "c1.point.x",       "c1.point.y",      "c2.point.x",
                                        "c2.point.y",       "c3.point.x",      "c3.point.y",
                                        "one.position.x",   "two.position.x",  "three.position.x",
                                        "one.position.y",   "two.position.y",  "three.position.y",
                                        "three.velocity.z", "c2.status",       NULL};
  static const double forces[] = {58.86, 29.43, 9.81};
  static const double centres[] = {0.11 / 6, 0, 0.11 / 3, 0, 0.05, 0.04};
  for (int m = 0; m < METHODS; ++m)
    for (int group = 0; group < 2; ++group) {
      support_trace trace = run(text, methods[m], closed_groups[group], 2e-3, 2000, signals);
      const double *before = support_row(&trace, trace.rows - 501),
                   *end = support_row(&trace, trace.rows - 1);
      double force = 0, centre = 0, creep = 0;
      for (int i = 0; i < 3; ++i) force = check_max(force, fabs(end[1 + i] / forces[i] - 1));
      for (int i = 0; i < 6; ++i) centre = check_max(centre, fabs(end[4 + i] - centres[i]));
      for (int i = 10; i < 16; ++i) creep = check_max(creep, fabs(end[i] - before[i]));
      char label[80];
      snprintf(label, sizeof label, "%s, %s: weights", methods[m], closed_groups[group]);
      check_report(label, force, 4e-8);
      check_report("  centres of pressure", centre, 5e-5);
      check_report("  creep in a second", creep, 1e-9);
      CHECK_LE(force, 4e-8);
      CHECK_LE(centre, 5e-5);
      CHECK_LE(creep, 1e-9); /* what is left of the start after 3 s, 2e-9 m/s a second before */
      CHECK_NEAR(end[17], 1, 0);
      support_trace_release(&trace);
    }
}

/* ---- one box on the ground ---------------------------------------------------------------------
 */

/* A box of 0.2 x 0.2 x 0.1 m, 1 kg, in the pose and motion `at`, without gravity or with. */
static void write_box(char *text, double gravity, const char *at, const char *law) {
  snprintf(text, ROOM,
           "{\"torsor\": 1, \"gravity\": [0, 0, %.17g], " GROUND
           ", \"bodies\": [{\"name\": \"box\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\":"
           " [0.01, 0.01, 0.02], %s, \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.1]}}],"
           " \"forces\": [{\"name\": \"floor\", \"type\": \"shape_contact\", \"a\": \"ground\","
           " \"b\": \"box\", \"face_stiffness\": 1e7, %s}]}",
           -gravity, at, law);
}

/* A flat blow leaves with e of its speed, as one at a point does: (h omega)^2 of it, omega^2 = k
 * A/m. */
static void test_blow(void **state) {
  (void)state;
  static const char *const signals[] = {"box.velocity.z", "box.angular_velocity.y", NULL};
  const double e[] = {0.3, 0.8};
  for (int i = 0; i < 2; ++i) {
    char text[ROOM], law[100];
    snprintf(law, sizeof law, "\"restitution\": %g, \"restitution_at\": \"each_blow\"", e[i]);
    write_box(text, 0, "\"position\": [0.3, 0.2, 0.055], \"velocity\": [0.1, 0, -1]", law);
    support_trace trace = run(text, methods[0], "SE3", 2e-5, 1500, signals);
    const double *end = support_row(&trace, trace.rows - 1), bound = 2e-5 * 2e-5 * 1e7 * 0.04;
    check_report("restitution of a flat blow", fabs(end[1] / e[i] - 1), bound);
    CHECK_LE(fabs(end[1] / e[i] - 1), bound);
    CHECK_LE(fabs(end[2]), 1e-9);
    support_trace_release(&trace);
  }
}

/* Slides at 1 m/s with mu = 0.3 and stops after v^2/(2 mu g); spins at 10 rad/s and stops after J
 * w/(mu m g lever), the lever of a square 0.3826 of its side where this law has 0.94/sqrt(6) =
 * 0.3838. */
static void test_friction(void **state) {
  (void)state;
  const double g = 9.81, depth = g / (1e7 * 0.04), mu = 0.3;
  static const char *const signals[] = {"box.position.x", "box.velocity.x",
                                        "box.angular_velocity.z", "floor.status", NULL};
  static const char law[] =
      "\"dissipation\": 100, \"friction\": 0.3, \"tangential_stiffness\": 1e6,"
      " \"tangential_damping\": 500";
  for (int m = 0; m < METHODS; ++m)
    for (int spins = 0; spins < 2; ++spins) {
      char text[ROOM], at[200];
      snprintf(at, sizeof at,
               "\"position\": [0, 0, %.17g], \"velocity\": [%d, 0, 0], "
               "\"angular_velocity\": [0, 0, %d]",
               0.05 - depth, !spins, 10 * spins);
      write_box(text, g, at, law);
      support_trace trace = run(text, methods[m], "R3xSO3", 5e-4, 3000, signals);
      const double *early = support_row(&trace, 400), *end = support_row(&trace, trace.rows - 1);
      const double slow = mu * g * 0.38260 * 0.2 / 0.02; /* of spinning */
      const double turn = (10 - early[3]) / 0.2 / slow - 1;
      if (spins) {
        check_report("spins down", fabs(turn), 5e-3); /* 0.3 % of the law, and the first steps */
        CHECK_LE(fabs(turn), 5e-3);
      } else {
        check_report("slides", fabs(end[1] - 1 / (2 * mu * g)), 1e-3);
        CHECK_LE(fabs(end[1] - 1 / (2 * mu * g)), 1e-3); /* two steps of 1 m/s */
      }
      CHECK_LE(fabs(end[2]) + fabs(end[3]), 1e-9);
      CHECK_NEAR(end[4], 1, 0);
      support_trace_release(&trace);
    }
}

/* A box slides off the edge of the ground, without friction: it stands until its centre passes the
 * edge, then tips and falls, and nothing turns it before.  Its energy is kept within what the
 * foundation stores under its weight, m g depth/2. */
static void test_edge(void **state) {
  (void)state;
  const double g = 9.81, depth = g / (1e7 * 0.04);
  static const char *const signals[] = {"box.position.x", "box.position.z",
                                        "box.angular_velocity.y", "energy.total", NULL};
  char text[ROOM], at[200];
  double off[2];
  snprintf(at, sizeof at, "\"position\": [0.7, 0.1, %.17g], \"velocity\": [1, 0, 0]", 0.05 - depth);
  write_box(text, g, at, "\"dissipation\": 0");
  for (int k = 0; k < 2; ++k) {
    const double h = k ? 1.25e-4 : 2.5e-4;
    support_trace trace = run(text, methods[0], "SE3", h, (int)(0.5 / h + 0.5), signals);
    const double *first = support_row(&trace, 0), *end = support_row(&trace, trace.rows - 1);
    off[k] = fabs(end[4] - first[4]);
    CHECK_GE(end[3], 1); /* it tipped */
    CHECK_LE(end[2], 0);
    for (int i = 0; i < trace.rows; ++i) {
      const double *row = support_row(&trace, i);
      if (row[1] < 0.9) CHECK_LE(fabs(row[3]), 1e-9);
    }
    support_trace_release(&trace);
  }
  check_report("energy over the edge, J", check_max(off[0], off[1]), g * depth / 2);
  CHECK_LE(check_max(off[0], off[1]), g * depth / 2);
}

/* ---- a gripper ---------------------------------------------------------------------------------
 */

/* Two fingers press on a brick of 1 kg by a force each, and rise at 1 m/s^2 for a tenth of a
 * second, then evenly: it takes 1 kg (g + a)/(2 mu) to hold it, and where they press by less it
 * slides down at g - 2 mu N/m.  Finger and brick stick by springs, which stretch by m (g + a)/(2
 * k_t) and swing by half of m a/(2 k_t). */
static void test_gripper(void **state) {
  (void)state;
  const double g = 9.81, mu = 0.5, stiffness = 1e6;
  static const char *const signals[] = {"brick.position.z",  "brick.velocity.z",
                                        "left.status",       "brick.angular_velocity.y",
                                        "left.normal_force", NULL};
  for (int m = 0; m < METHODS; ++m)
    for (int slips = 0; slips < 2; ++slips) {
      const double press = slips ? 6 : 15, depth = press / (1e8 * 0.02 * 0.02);
      char text[ROOM];
      snprintf(
          text, sizeof text,
          "{\"torsor\": 1, \"gravity\": [0, 0, %.17g], \"functions\": {\"rise\": {\"value\": \"t <"
          " 0.1 ? t^2/2 : 0.1*t - 0.005\", \"rate\": \"t < 0.1 ? t : 0.1\", \"second\": \"t < 0.1 "
          "? 1"
          " : 0\"}}, \"bodies\": [{\"name\": \"hand\", \"type\": \"rigid_body\", \"mass\": 1,"
          " \"inertia\": [1, 1, 1]}, {\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 0.1,"
          " \"inertia\": [1e-4, 1e-4, 1e-4], \"position\": [%.17g, 0, 0], \"shape\": {\"type\": "
          "\"box\","
          " \"size\": [0.01, 0.02, 0.02]}}, {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\":"
          " 0.1, \"inertia\": [1e-4, 1e-4, 1e-4], \"position\": [%.17g, 0, 0], \"shape\": "
          "{\"type\":"
          " \"box\", \"size\": [0.01, 0.02, 0.02]}}, {\"name\": \"brick\", \"type\": "
          "\"rigid_body\","
          " \"mass\": 1, \"inertia\": [1e-3, 1e-3, 1e-3], \"shape\": {\"type\": \"box\", \"size\":"
          " [0.06, 0.05, 0.4]}}], \"joints\": [{\"name\": \"lift\", \"type\": \"prismatic\", "
          "\"axis\":"
          " [0, 0, 1], \"a\": \"ground\", \"b\": \"hand\"}, {\"name\": \"motor\", \"type\": "
          "\"drive\","
          " \"coordinate\": \"lift.travel\", \"motion\": \"rise\"}, {\"name\": \"slide_one\", "
          "\"type\":"
          " \"prismatic\", \"axis\": [1, 0, 0], \"a\": \"hand\", \"b\": \"one\"}, {\"name\":"
          " \"slide_two\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": \"hand\", \"b\":"
          " \"two\"}], \"forces\": [{\"name\": \"push_one\", \"type\": \"coordinate_force\","
          " \"coordinate\": \"slide_one.travel\", \"effort\": %.17g}, {\"name\": \"push_two\", "
          "\"type\":"
          " \"coordinate_force\", \"coordinate\": \"slide_two.travel\", \"effort\": %.17g}, "
          "{\"name\":"
          " \"left\", \"type\": \"shape_contact\", \"a\": \"one\", \"b\": \"brick\","
          " \"face_stiffness\": 1e8, \"dissipation\": 100, \"friction\": 0.5, "
          "\"tangential_stiffness\":"
          " 1e6, \"tangential_damping\": 500}, {\"name\": \"right\", \"type\": \"shape_contact\", "
          "\"a\":"
          " \"two\", \"b\": \"brick\", \"face_stiffness\": 1e8, \"dissipation\": 100, "
          "\"friction\": 0.5,"
          " \"tangential_stiffness\": 1e6, \"tangential_damping\": 500}]}",
          -g, -0.035 + depth, 0.035 - depth, press, -press);
      support_trace trace = run(text, methods[m], "SE3", 2e-4, 1000, signals);
      const double *end = support_row(&trace, trace.rows - 1), t = end[0];
      const double fall = g - 2 * mu * press, stretch = (g + 1) / (2 * stiffness);
      const double off = fabs(end[1] - (slips ? -fall * t * t / 2 : 0.1 * t - 0.005));
      /* until the springs have their force, for sqrt(m/(2 k_t)), it falls faster */
      const double late = 2 * mu * press * sqrt(0.5 / stiffness) * t;
      const double bound = slips ? late : 1.5 * stretch;
      check_report(slips ? "slides out" : "is lifted", off, bound);
      CHECK_LE(off, bound);
      CHECK_NEAR(end[3], slips ? 2 : 1, 0);
      CHECK_LE(fabs(end[4]), 1e-6);
      CHECK_LE(fabs(end[5] / press - 1), 1e-6);
      support_trace_release(&trace);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stack), cmocka_unit_test(test_blow),    cmocka_unit_test(test_friction),
      cmocka_unit_test(test_edge),  cmocka_unit_test(test_gripper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
