/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redundant constraints: the motion is that of the independent ones, the multipliers are those of least
 * norm. */
#include <stdio.h>

#include "check.h"
#include "support.h"

#define ROD(name, x, y, more)                                                                      \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.15]," \
  " \"position\": [" x ", " y ", 0]" more "}"
#define HINGE(name, a, b)                                                                          \
  "{\"name\": \"" name "\", \"type\": \"revolute\", \"a\": " a ", \"b\": " b "}"
#define AT(body, x, y) "{\"body\": \"" body "\", \"position\": [" x ", " y ", 0]}"

/* A four-bar linkage in a plane: crank 1, coupler 2, rocker 2 over a base of 2, turning from its start
 * by the spin of the crank under gravity. */
#define FOUR_BAR(closure)                                                                                                            \
  "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" ROD("crank", "0", "0.5", ", \"angular_velocity\": [0, 0, 6]") "," ROD( \
      "coupler", "1", "1.5",                                                                                                         \
      "") "," ROD("rocker", "2", "1",                                                                                                \
                  "") "],"                                                                                                           \
                      "\"joints\": [" HINGE(                                                                                         \
                          "A", "\"ground\"",                                                                                         \
                          AT("crank", "0",                                                                                           \
                             "-0.5")) "," HINGE("B", AT("crank", "0", "0.5"),                                                        \
                                                AT("coupler", "-1",                                                                  \
                                                   "-0.5")) "," HINGE("C",                                                           \
                                                                      AT("coupler", "1", "0.5"),                                     \
                                                                      AT("rocker", "0",                                              \
                                                                         "1")) "," closure "],"                                      \
                                                                               "\"simulation\": "                                    \
                                                                               "{\"step\": 2e-3, "                                   \
                                                                               "\"duration\": 2}}"

/* The last hinge, of five rows; and the two of them that are not redundant. */
static const char closed_by_hinge[] =
    FOUR_BAR(HINGE("D", AT("ground", "2", "0"), AT("rocker", "0", "-1")));
static const char closed_by_line[] =
    FOUR_BAR("{\"name\": \"D\", \"type\": \"point_on_line\", \"a\": " AT(
        "ground", "2", "0") ", \"b\": " AT("rocker", "0", "-1") "}");

static support_trace run(const char *text, const char *const *set, const char *const *signals) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

/* The same discrete motion, whichever rows close the loop: what differs is Newton's tolerance (1e-8 of
 * accelerations of some 100) over 2 s, twice integrated. */
static void motion_of_the_independent_rows(void **state) {
  (void)state;
  static const char *const signals[] = {"A.angle", "rocker.position", "energy.total", NULL};
  static const char *const variants[][3] = {{"group=R3xSO3", NULL},
                                            {"group=SE3", NULL},
                                            {"group=R3xSO3", "simulation.formulation=ggl", NULL}};
  const double bound = 1e-8 * 100 * 4 / 2;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    support_trace all = run(closed_by_hinge, variants[i], signals);
    support_trace few = run(closed_by_line, variants[i], signals);
    CHECK_CONTAINS(all.warnings, "3 of 20 constraint rows are redundant");
    CHECK_STR(few.warnings, "");
    double off = 0, turned = 0;
    for (int row = 0; row < all.rows; ++row) {
      for (int k = 1; k < all.columns; ++k)
        off = check_max(off, fabs(support_row(&all, row)[k] - support_row(&few, row)[k]));
      turned = check_max(turned, fabs(support_row(&all, row)[1]));
    }
    print_message(" %s %s: %.3g rad turned\n", variants[i][0], variants[i][1] ? variants[i][1] : "",
                  turned);
    CHECK_GE(turned, 3);
    check_report("hinge against point on line", off, bound);
    CHECK_LE(off, bound);
    support_trace_release(&all);
    support_trace_release(&few);
  }
}

/* A door on two hinges at equal heights over and under its centre of mass. */
static const char door[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"leaf\","
    " \"type\": \"rigid_body\", \"mass\": 20, \"inertia\": [6.7, 7.9, 1.3],"
    " \"position\": [0.4, 0, 0], \"angular_velocity\": [0, 0, 1.5]}], \"joints\": ["
    "{\"name\": \"lower\", \"type\": \"revolute\","
    " \"a\": {\"body\": \"ground\", \"position\": [0, 0, -0.7]},"
    " \"b\": {\"body\": \"leaf\", \"position\": [-0.4, 0, -0.7]}},"
    "{\"name\": \"upper\", \"type\": \"revolute\","
    " \"a\": {\"body\": \"ground\", \"position\": [0, 0, 0.7]},"
    " \"b\": {\"body\": \"leaf\", \"position\": [-0.4, 0, 0.7]}}],"
    "\"simulation\": {\"step\": 1e-3, \"duration\": 20}, \"output\": {\"every\": 100}}";

/* Each hinge carries half of the weight for 20,000 steps, and together they hold the door on its
 * circle: m w^2 r.  Forces have Newton's tolerance, 1e-8, and the 34-fold growth of rounding errors
 * eps/(beta h^2) of positions of 1 m on 20 kg. */
static void door_on_two_hinges(void **state) {
  (void)state;
  static const char *const signals[] = {"lower.force.z",
                                        "upper.force.z",
                                        "lower.force.x",
                                        "upper.force.x",
                                        "lower.force.y",
                                        "upper.force.y",
                                        NULL};
  static const char *const formulations[][2] = {{"simulation.formulation=index3", NULL},
                                                {"simulation.formulation=ggl", NULL}};
  const double half = 20 * 9.81 / 2, circle = 20 * 1.5 * 1.5 * 0.4;
  const double bound = 1e-7 * 200 + 34 * CHECK_EPS / (0.277 * 1e-6) * 20;
  for (int i = 0; i < 2; ++i) {
    support_trace trace = run(door, formulations[i], signals);
    double worst = 0;
    for (int row = 0; row < trace.rows; ++row) {
      const double *v = support_row(&trace, row);
      worst = check_max(worst, fabs(v[1] - half));
      worst = check_max(worst, fabs(v[2] - half));
      const double pull = hypot(v[3] + v[4], v[5] + v[6]);
      /* the method's own error of the force, of second order: h^2 w^2 of it */
      worst = check_max(worst, fabs(pull - circle) - 1e-6 * 2.25 * circle);
    }
    check_report(formulations[i][0], worst, bound);
    CHECK_LE(worst, bound);
    support_trace_release(&trace);
  }
}

/* Least norm is one answer: turning the order of the joints round changes which rows are called
 * redundant, and nothing else. */
static void order_does_not_matter(void **state) {
  (void)state;
  static const char *const signals[] = {"A.force", "B.force",  "C.force",
                                        "D.force", "D.moment", NULL};
  static const char swapped[] =
      "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" ROD("rocker", "2", "1", "") "," ROD("coupler", "1", "1.5", "") "," ROD(
          "crank", "0", "0.5",
          ", \"angular_velocity\": [0, 0, 6]") "],"
                                               "\"joints\": [" HINGE("D", AT("ground", "2", "0"), AT("rocker", "0", "-1")) "," HINGE(
                                                   "C", AT("coupler", "1", "0.5"),
                                                   AT("rocker", "0",
                                                      "1")) "," HINGE("B", AT("crank", "0", "0.5"),
                                                                      AT("coupler", "-1",
                                                                         "-0.5")) "," HINGE("A",
                                                                                            "\"grou"
                                                                                            "nd\"",
                                                                                            AT("cra"
                                                                                               "nk",
                                                                                               "0",
                                                                                               "-0."
                                                                                               "5")) "],"
                                                                                                     "\"simulation\": {\"step\": 2e-3, \"duration\": 2}}";
  support_trace one = run(closed_by_hinge, NULL, signals), two = run(swapped, NULL, signals);
  double off = 0, size = 0;
  for (int k = 0; k < one.rows * one.columns; ++k) {
    off = check_max(off, fabs(one.value[k] - two.value[k]));
    size = check_max(size, fabs(one.value[k]));
  }
  /* Newton's tolerance of the multipliers, grown 34-fold as any error of them. */
  check_report("forces, joints in the other order", off, 34e-8 * size);
  CHECK_LE(off, 34e-8 * size);
  support_trace_release(&one);
  support_trace_release(&two);
}

/* The four-bar chain goes through its dead centres in the index-3 form, and in the stabilised form it
 * does or says why it stops: a wrong branch or an energy from nowhere would be worse.  The energy is off
 * by what the reference's sidecar allows at h = 1e-2, 0.173 J, and by h^2. */
static void dead_centres_pass_or_are_told(void **state) {
  (void)state;
  static const double steps[] = {1e-2, 5e-3, 2e-3, 1e-3};
  for (int ggl = 0; ggl < 2; ++ggl)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
      char step[60], form[60];
      snprintf(step, sizeof step, "simulation.step=%g", steps[i]);
      snprintf(form, sizeof form, "simulation.formulation=%s", ggl ? "ggl" : "index3");
      const char *const set[] = {step, form, NULL};
      support_world world;
      support_trace trace = {0};
      torsor_summary summary;
      torsor_error error = {0};
      support_load(&world, "four_bar_chain", set);
      const torsor_status status = support_run(&trace, &summary, &world, &error);
      const double bound = 0.173 * pow(steps[i] / 1e-2, 2);
      print_message("  %s h = %g: %s at t = %.4g s, energy off by %.2e of %.2e\n",
                    ggl ? "ggl   " : "index3", steps[i], status ? "stopped" : "passed", summary.t,
                    summary.energy_max_drift, bound);
      CHECK_LE(summary.energy_max_drift, bound);
      if (status) {
        CHECK_TRUE(ggl);
        CHECK_INT(status, TORSOR_STEP);
        CHECK_CONTAINS(error.hint, "a dead centre is near");
      }
      support_trace_release(&trace);
      support_close(&world);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_of_the_independent_rows), cmocka_unit_test(door_on_two_hinges),
      cmocka_unit_test(order_does_not_matter), cmocka_unit_test(dead_centres_pass_or_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
