/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beads on wires: without other forces one goes along any curve with constant speed. */
#include <stdio.h>

#include "check.h"
#include "closed.h"

#define SPEED 5.0

enum { TEXT = 24000 };

/* A closed wire through `count` points of curve(angle, x) and a bead at the first one with the
 * velocity SPEED along y; `more` joints. */
static void write_wire(char text[TEXT], void (*curve)(double angle, double x[3]), int count,
                       const char *more) {
  double first[3];
  curve(0, first);
  int used = snprintf(
      text, TEXT,
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"bead\", \"type\": \"point_mass\","
      " \"mass\": 2, \"position\": [%.17g, %.17g, %.17g], \"velocity\": [0, %g, 0]},"
      " " BODY("wheel",
               "") "], \"joints\": [{\"name\": \"axle\", \"type\":"
                   " \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"}, {\"name\": \"wire\","
                   " \"type\": \"point_on_curve\", \"a\": \"ground\", \"b\": \"bead\","
                   " \"curve\": {\"closed\": true, \"points\": [",
      first[0], first[1], first[2], SPEED);
  for (int i = 0; i < count; ++i) {
    double x[3];
    curve(2 * PI * i / count, x);
    used += snprintf(text + used, (size_t)(TEXT - used), "%s[%.17g, %.17g, %.17g]", i ? "," : "",
                     x[0], x[1], x[2]);
  }
  snprintf(text + used, (size_t)(TEXT - used), "]}}%s]}", more);
}

static double uniform(double t) {
  return SPEED * t;
}

static void check_uniform_motion(const char *title, void (*curve)(double angle, double x[3]),
                                 int count) {
  static char text[TEXT];
  write_wire(text, curve, count, "");
  const closed_case c = {title, text, "wire.travel", uniform, 2e-3, 8};
  closed_check(&c);
}

/* A rim that goes up and down, and comes back with a turned direction across. */
static void rim(double angle, double x[3]) {
  x[0] = 2 * cos(angle);
  x[1] = 1.2 * sin(angle);
  x[2] = 0.5 * cos(2 * angle) + 0.2 * cos(3 * angle);
}

/* Its branches cross at the origin: which one is meant depends on where the bead comes from. */
static void figure_eight(double angle, double x[3]) {
  x[0] = cos(angle);
  x[1] = sin(2 * angle) / 2;
  x[2] = 0;
}

static void uniform_motion(void **state) {
  (void)state;
  check_uniform_motion("rim", rim, 40);
  check_uniform_motion("figure eight", figure_eight, 40);
}

/* A cord around a ring comes back with its direction across turned by a right angle. */
static void cord(double angle, double x[3]) {
  const double r = 2 + 0.6 * cos(2 * angle);
  x[0] = r * cos(angle);
  x[1] = r * sin(angle);
  x[2] = 0.6 * sin(2 * angle);
}

static void turned_direction(void **state) {
  (void)state;
  static char text[TEXT];
  static const char *const rest[] = {"bodies.bead.velocity=[0,0,0]", NULL};
  support_world world;
  torsor_error error = {0};
  write_wire(text, cord, 40, "");
  CHECK_INT(support_open(&world, text, rest, &error), TORSOR_OK);
  support_close(&world);
}

/* The travel may be driven: over some rounds of the figure eight, backwards. */
static double towed(double t) {
  return -SPEED * t - sin(2 * t);
}

static void driven_travel(void **state) {
  (void)state;
  static char text[TEXT];
  static const char *const signals[] = {"wire.travel", NULL};
  write_wire(text, figure_eight, 40,
             ", {\"name\": \"tow\", \"type\": \"drive\", \"coordinate\": \"wire.travel\","
             " \"motion\": \"-5*t - sin(2*t)\"}");
  static const char *const still[] = {"bodies.bead.velocity=[0,-7,0]", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, still, &error), TORSOR_OK);
  torsor_simulation simulation = torsor_simulation_default();
  simulation.duration = 8;
  simulation.settings.step = 0.01;
  CHECK_INT(support_run_as(&trace, &summary, &world, &simulation, signals, &error), TORSOR_OK);
  const double off = closed_off(&trace, 1, towed);
  check_report("driven travel, m", off, 1e-9); /* Newton's tolerance on positions */
  CHECK_LE(off, 1e-9);
  CHECK_STR(trace.warnings, "");
  support_trace_release(&trace);
  support_close(&world);
}

/* Two wires in the same place share the force: the rows are redundant, and both wires mean the same
 * branch beyond the crossing. */
static void doubled_wire(void **state) {
  (void)state;
  static char text[TEXT], twin[TEXT];
  static const char *const signals[] = {"wire.force", "twin.force", "bead.acceleration", NULL};
  write_wire(text, figure_eight, 40, "");
  const char *joint = strstr(text, "\"type\": \"point_on_curve\"");
  CHECK_TRUE(joint != NULL);
  snprintf(twin, sizeof twin, ", {\"name\": \"twin\", %.*s", (int)(strlen(joint) - 2), joint);
  write_wire(text, figure_eight, 40, twin);
  support_trace trace = closed_run(text, signals, "R3xSO3", 2e-3, 2);
  double apart = 0, lost = 0, size = 0;
  for (int i = 1; i < trace.rows; ++i) {
    const double *v = support_row(&trace, i);
    for (int k = 1; k <= 3; ++k) {
      apart = check_max(apart, fabs(v[k] - v[k + 3]));
      lost = check_max(lost, fabs(v[k] + v[k + 3] - 2 * v[k + 6]));
      size = check_max(size, fabs(v[k]));
    }
  }
  CHECK_CONTAINS(trace.warnings, "redundant");
  /* the part d = 1e-8 that regularises the search for the shortest multipliers, before it is
   * iterated */
  check_report("force of one wire less that of the other, N", apart, 1e-8 * size);
  check_report("both less m a, N", lost, 1e-8 * size);
  CHECK_LE(apart, 1e-8 * size);
  CHECK_LE(lost, 1e-8 * size);
  support_trace_release(&trace);
}

static void unit_circle(double angle, double x[3]) {
  x[0] = cos(angle);
  x[1] = sin(angle);
  x[2] = 0;
}

/* A spline through 64 points of a circle: off by at most 5/384 h^4 in each coordinate, its
 * curvature by 3/8 h^2, for points that are h apart (fourth derivatives of size 1). */
static void circle(void **state) {
  (void)state;
  static char text[TEXT];
  static const char *const signals[] = {"bead.position", "wire.force", "wire.phi.0", NULL};
  const double h = 2 * PI / 64;
  write_wire(text, unit_circle, 64, "");
  support_trace trace = closed_run(text, signals, "R3xSO3", 1e-3, 2);
  double radius = 0, pull = 0;
  for (int i = 1; i < trace.rows; ++i) {
    const double *v = support_row(&trace, i);
    radius = check_max(radius, fabs(hypot(v[1], v[2]) - 1));
    pull = check_max(pull, fabs(hypot(v[4], v[5]) / (2 * SPEED * SPEED) - 1));
  }
  check_report("distance from the circle, m", radius, sqrt(2) * 5.0 / 384 * pow(h, 4));
  check_report("pull over m v^2/r - 1", pull, 3.0 / 8 * h * h);
  CHECK_LE(radius, sqrt(2) * 5.0 / 384 * pow(h, 4));
  CHECK_LE(pull, 3.0 / 8 * h * h);
  support_trace_release(&trace);
}

/* An open wire ends, and the run with it: at 2 m. */
static void the_end(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"bead\", \"type\": \"point_mass\", \"mass\": 2,"
      " \"velocity\": [4, 0, 0]}], \"joints\": [{\"name\": \"rail\", \"type\": \"point_on_curve\","
      " \"a\": \"ground\", \"b\": \"bead\", \"curve\": {\"points\": [[0, 0, 0], [0.5, 0, 0],"
      " [1.2, 0, 0], [2, 0, 0]]}}], \"simulation\": {\"step\": 0.01, \"duration\": 1},"
      " \"output\": {\"signals\": [\"rail.travel\", \"bead.position.x\"]}}";
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_STEP);
  CHECK_CONTAINS(error.message, "outside the range where it is defined");
  CHECK_CONTAINS(error.message, "point_on_curve \"rail\"");
  CHECK_NEAR(summary.t, 0.5, 0.01 / 1024 + 1e-9); /* the smallest step, and the slack at the end */
  const double *last = support_row(&trace, trace.rows - 1);
  CHECK_NEAR(last[1], last[2], 8 * CHECK_EPS); /* straight: its length is x, some roundings */
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_motion), cmocka_unit_test(turned_direction),
      cmocka_unit_test(driven_travel),  cmocka_unit_test(doubled_wire),
      cmocka_unit_test(circle),         cmocka_unit_test(the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
