/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributed loads on beams: resultants, deflections, follower pressure, balances, switching, and
 * what is refused. */
#include <stdio.h>

#include "check.h"
#include "closed.h"
#include "conformance.h"

#define BAR                                                                                        \
  "{\"stiffness\": [1e4, 1e4, 1e4, 500, 500, 500], \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}"
/* A beam of 2 m along x, clamped at its start. */
#define CANTILEVER(elements, more, load)                                                           \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 2,"              \
  " \"elements\": " elements ", \"section\": " BAR more "}], \"joints\": [{\"name\": \"clamp\","   \
  " \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": \"q\","   \
  " \"type\": \"beam_load\", \"on\": \"b\", " load "}]"

/* ---- resultants ------------------------------------------------------------------------------ */

/* Checks the clamp's reaction in the unstrained state: minus the load's resultant, by the moments
 * of its profile. */
static void resultant_is(const char *what, const char *text, v3 force, v3 moment) {
  static const char *const signals[] = {"clamp.force", "clamp.moment", NULL};
  double row[8];
  closed_rest(row, 8, text, signals);
  /* The load is 1e-6 of what would bend the beam by its own length, so that levers change by as
   * much. */
  const double bound = 1e-5 * v3_norm(moment) + 64 * CHECK_EPS * 1e4;
  double off = v3_norm(v3_add(v3_load(row + 1), force));
  check_report(what, off, 1e-5 * v3_norm(force) + 64 * CHECK_EPS * 1e4);
  CHECK_LE(off, 1e-5 * v3_norm(force) + 64 * CHECK_EPS * 1e4);
  off = v3_norm(v3_add(v3_load(row + 4), moment));
  check_report(what, off, bound);
  CHECK_LE(off, bound);
}

static void resultants(void **state) {
  (void)state;
  resultant_is("uniform", CANTILEVER("5", "", "\"force\": [0, 0, -1e-3]") "}", (v3){0, 0, -2e-3},
               (v3){0, 2e-3, 0});
  resultant_is("from 0.3 to 0.75 of five elements",
               CANTILEVER("5", "", "\"force\": [0, 1e-3, 0], \"from\": 0.3, \"to\": 0.75") "}",
               (v3){0, 0.9e-3, 0}, (v3){0, 0, 0.9e-3 * 1.05});
  /* int s^2 2 ds = 2/3, int 2 s s^2 2 ds = 1 */
  resultant_is("parabola in two elements",
               CANTILEVER("2", "", "\"force\": [0, 1e-3, 0], \"profile\": \"s^2\"") "}",
               (v3){0, 2e-3 / 3, 0}, (v3){0, 0, 1e-3});
  resultant_is(
      "table",
      CANTILEVER(
          "4", "",
          "\"force\": [0, 1e-3, 0], \"profile\": {\"table\": [[0, 0], [0.5, 1], [1, 0]]}") "}",
      (v3){0, 1e-3, 0}, (v3){0, 0, 1e-3});
  resultant_is("moments", CANTILEVER("3", "", "\"moment\": [1e-3, 2e-3, 3e-3]") "}", (v3){0, 0, 0},
               (v3){2e-3, 4e-3, 6e-3});
  resultant_is("body axes, as the beam is turned, twice",
               CANTILEVER("3", ", \"twist\": \"pi/2\"",
                          "\"force\": [0, 1e-3, 0], \"axes\": \"body\", \"scale\": 2") "}",
               /* int (0, cos, sin)(pi x/4) dx, and x times it, over 2 m */
               (v3){0, 8e-3 / PI, 8e-3 / PI},
               (v3){0, -32e-3 / (PI * PI), 16e-3 / PI - 32e-3 / (PI * PI)});
}

/* ---- deflections ----------------------------------------------------------------------------- */

static double tip(const char *text) {
  static const char *const signals[] = {"b.end.position.z", NULL};
  double row[2];
  closed_rest(row, 2, text, signals);
  return row[1];
}

static void check_order(const char *what, double coarse, double fine, double order,
                        double tolerance) {
  char label[120];
  const double found = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, off order %g by", what, coarse, fine, order);
  check_report(label, fabs(found - order), tolerance);
  CHECK_ORDER(found, order, tolerance);
}

/* Timoshenko: q L^4/(8 EI) + q L^2/(2 GA); elements of one curvature are of order 2 in the mesh,
 * those of order 4 exact at their nodes, to round-off of EA n eps. */
static void cantilever(void **state) {
  (void)state;
#define UNIFORM "\"force\": [0, 0, -1e-3]"
  const double exact = -1e-3 * (16 / (8 * 500.0) + 4 / (2 * 1e4));
#define SECOND ", \"order\": 2"
  const double coarse = fabs(tip(CANTILEVER("8", SECOND, UNIFORM) "}") - exact);
  const double fine = fabs(tip(CANTILEVER("16", SECOND, UNIFORM) "}") - exact);
  const double nodes = fabs(tip(CANTILEVER("3", "", UNIFORM) "}") - exact);
  check_order("tip under a uniform load, m", coarse, fine, 2, 0.05);
  CHECK_LE(fine, fabs(exact) / (16 * 16));
  const double bound = 1e-6 * fabs(exact);
  check_report("tip of order 4, m", nodes, bound);
  CHECK_LE(nodes, bound);
}

/* Bending stiffness that falls evenly to a half: tip = q/2 int u^3/EI du + q L^2/(2 GA), u from the
 * end, EI = 500 (2 + u)/4 and int_0^2 u^3/(2 + u) du = 20/3 - 8 log 2. */
static void table_of_sections(void **state) {
  (void)state;
#define TABLE                                                                                      \
  "{\"table\": [[0, " BAR "], [1, {\"stiffness\": [1e4, 1e4, 1e4, 500, 250, 500], \"inertia\": "   \
  "[1, 1, 1, 0.02, 0.01, 0.01]}]]}"
#define TAPERED(elements, more)                                                                    \
  "{\"torsor\": 1, \"sections\": {\"blade\": " TABLE                                               \
  "}, \"bodies\": [{\"name\": \"b\", \"type\": "                                                   \
  "\"beam\", \"length\": 2, \"elements\": " elements ", \"section\": \"blade\"" more               \
  "}], \"joints\": ["                                                                              \
  "{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], "            \
  "\"forces\": ["                                                                                  \
  "{\"name\": \"q\", \"type\": \"beam_load\", \"on\": \"b\", " UNIFORM "}]}"
  const double exact = -1e-3 * (4 / (2 * 500.0) * (20.0 / 3 - 8 * log(2)) + 4 / (2 * 1e4));
  const double coarse = fabs(tip(TAPERED("8", SECOND)) - exact);
  const double fine = fabs(tip(TAPERED("16", SECOND)) - exact);
  check_order("tip of a tapered beam, m", coarse, fine, 2, 0.05);
  CHECK_LE(fine, fabs(exact) / (16 * 16));
  const double coarse_4 = fabs(tip(TAPERED("4", "")) - exact);
  const double fine_4 = fabs(tip(TAPERED("8", "")) - exact);
  check_order("tip of a tapered beam of order 4, m", coarse_4, fine_4, 4, 0.2);
  CHECK_LE(fine_4, fabs(exact) / pow(8, 4));
}

/* A half ring under a pressure that follows: the radius grows by p R/EA, and nothing bends: N = p R
 * per unstrained length, a state of constant strain, along which the work of the pressure does not
 * vary. */
static void ring(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position.x", "b.section_force[3].x",
                                        "b.section_moment", NULL};
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": \"2*pi\","
      " \"position\": [2, 0, 0], \"orientation\": {\"rotation_vector\": [0, 0, \"pi/2\"]},"
      " \"curvature\": [0, 0, 0.5], \"elements\": 8, \"section\": " BAR "}],"
      " \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"b\": \"b.start\", \"a\": "
      "{\"body\":"
      " \"ground\", \"position\": [2, 0, 0], \"orientation\": {\"rotation_vector\": [0, 0, "
      "\"pi/2\"]}}},"
      " {\"name\": \"slide\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": \"ground\","
      " \"b\": \"b.end\"}], \"forces\": [{\"name\": \"p\", \"type\": \"beam_load\", \"on\": \"b\","
      " \"force\": [0, -500, 0], \"axes\": \"body\"}]}";
  double row[40];
  closed_rest(row, 40, text, signals);
  double moment = 0;
  for (int i = 3; i < 3 + 24; ++i) moment = check_max(moment, fabs(row[i]));
  const double bound = 1e4 * 64 * CHECK_EPS; /* strains round like 1 */
  check_report("ring under pressure: tension, N", fabs(row[2] - 1000), bound);
  check_report("ring under pressure: moments, N m", moment, 2 * bound);
  check_report("ring under pressure: radius, m", fabs(row[1] + 2 + 0.4), bound / 1e3);
  CHECK_NEAR(row[2], 1000, bound);
  CHECK_LE(moment, 2 * bound);
  CHECK_NEAR(row[1], -2.4, bound / 1e3);
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* A free beam under loads of all kinds; energy against work, momenta against impulses. */
static void balances(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 2,"
      " \"elements\": 3, \"damping_factor\": 0.01, \"angular_velocity\": [1, 2, 0.5],"
      " \"section\": {\"stiffness\": [1e3, 1e3, 1e3, 50, 50, 50],"
      " \"inertia\": [1, 1, 1, 0.2, 0.1, 0.1]}}], \"joints\": [{\"name\": \"see\","
      " \"type\": \"sensor\", \"a\": \"ground\", \"b\": \"b.end\"}],"
      " \"forces\": [{\"name\": \"p\", \"type\": \"beam_load\", \"on\": \"b\", \"force\": [0, 3, "
      "5],"
      " \"moment\": [2, 0, 1], \"axes\": \"body\", \"profile\": \"sin(3*s + t)\"},"
      " {\"name\": \"q\", \"type\": \"beam_load\", \"on\": \"b\", \"force\": [3, 0, -5],"
      " \"from\": 0.4, \"profile\": {\"table\": [[0, 1], [1, 3]]}, \"scale\": \"cos(see.x)\"},"
      " {\"name\": \"m\", \"type\": \"beam_load\", \"on\": \"b\", \"moment\": [1, 2, -2]}]}";
  static const char *const signals[] = {"energy.balance",   "momentum",        "impulse",
                                        "angular_momentum", "angular_impulse", NULL};
  for (int g = 0; g < 2; ++g) {
    double energy[2], momentum[2], spin[2];
    for (int i = 0; i < 2; ++i) {
      support_trace trace = closed_run(text, signals, closed_groups[g], 0.01 / (1 << i), 1);
      const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
      energy[i] = fabs(last[1]);
      const v3 p = v3_sub(v3_load(last + 2), v3_load(first + 2));
      const v3 l = v3_sub(v3_load(last + 8), v3_load(first + 8));
      momentum[i] = v3_norm(v3_sub(p, v3_load(last + 5)));
      spin[i] = v3_norm(v3_sub(l, v3_load(last + 11)));
      support_trace_release(&trace);
    }
    print_message(" %s\n", closed_groups[g]);
    check_order("energy balance, J", energy[0], energy[1], 2, 0.15);
    check_order("angular momentum, N m s", spin[0], spin[1], 2, 0.15);
    if (g)
      check_order("momentum, N s", momentum[0], momentum[1], 2, 0.15);
    else
      print_message("  momentum less impulse %.3g\n", momentum[1]);
  }
}

/* An event switches all parts of the load. */
static void switching(void **state) {
  (void)state;
  static const char *const text = CANTILEVER(
      "4", "",
      "\"force\": [0, 0, 2], \"from\": 0.25, \"active\": false") ", \"events\": [{\"name\": "
                                                                 "\"gust\", \"when\": \"t - 0.5\", "
                                                                 "\"action\": {\"on\": [\"q\"]}}]}";
  static const char *const signals[] = {"q.force", NULL};
  support_trace trace = closed_run(text, signals, "SE3", 0.1, 1);
  CHECK_INT(trace.columns, 10);
  for (int part = 0; part < 3; ++part) {
    CHECK_NEAR(support_row(&trace, 3)[3 + 3 * part], 0, 0);
    CHECK_NEAR(support_row(&trace, trace.rows - 1)[3 + 3 * part], 1, 64 * CHECK_EPS);
  }
  support_trace_release(&trace);
}

/* ---- tangents in inertial axes, and what is refused
 * ------------------------------------------------ */

static void tangents(void **state) {
  (void)state;
  static const char *const scene =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 2,"
      " \"elements\": 2, \"curvature\": [0.6, 0.5, 0.9], \"section\": " BAR "}], \"forces\": ["
      "{\"name\": \"q\", \"type\": \"beam_load\", \"on\": \"b\", \"force\": [1, 2, -3],"
      " \"moment\": [3, -1, 2], \"to\": 0.8, \"profile\": \"1 + s*t\"}]}";
  torsor_registry *registry = torsor_registry_create(NULL);
  conformance c;
  torsor_error error = {0};
  CHECK_TRUE(conformance_measure_in(&c,
                                    torsor_registry_find(registry, "beam_load")->composite.parts[0],
                                    scene, registry, &error));
  c.invariance = 0; /* the load keeps its direction */
  CHECK_TRUE(conformance_holds(&c, "beam_load in inertial axes"));
  torsor_registry_destroy(registry);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *load, *path, *message;
  } table[] = {
      {"\"axes\": \"body\"", "forces[0].force", "neither a force nor a moment"},
      {"\"force\": [0, 0, 1], \"from\": 0.5, \"to\": 0.5", "forces[0].to", "on no part"},
      {"\"force\": [0, 0, 1], \"to\": 1.5", "forces[0].to", "on no part"},
      {"\"force\": [0, 0, 1], \"on\": \"bb\"", "", "twice"},
      {"\"force\": [0, 0, 1], \"profile\": \"x\"", "forces[0].profile", "x"},
      {"\"force\": [0, 0, 1], \"profile\": true", "forces[0].profile", "function of s and t"},
      {"\"force\": [0, 0, 1], \"profile\": {\"table\": [[0, 1]]}", "forces[0].profile.table",
       "rows"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[1200];
    snprintf(text, sizeof text, CANTILEVER("4", "", "%s") "}", table[i].load);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status || !strstr(error.message, table[i].message))
      print_error("%s\n -> %s: %s (%s)\n", table[i].load, error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    if (table[i].path[0]) CHECK_STR(error.path, table[i].path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resultants),        cmocka_unit_test(cantilever),
      cmocka_unit_test(table_of_sections), cmocka_unit_test(ring),
      cmocka_unit_test(balances),          cmocka_unit_test(switching),
      cmocka_unit_test(tangents),          cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
