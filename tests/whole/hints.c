/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Hints of statics and modes are followed: each gets on. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "equilibria.h"
#include "modes_kit.h"

static const torsor_modes_settings about_initial = {.size = sizeof(torsor_modes_settings),
                                                    .fewer = true};
static const torsor_modes_settings about_equilibrium = {
    .size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_EQUILIBRIUM, .fewer = true};
static const torsor_modes_settings about_steady = {
    .size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_STEADY, .fewer = true};

/* ---- what is free ---------------------------------------------------------------------------- */

/* A tube free in space whose ends are tied, which compresses it by P: EI w'''' + P w'' = m omega^2
 * w with w'' = 0 and EI w''' + P w' = 0 at the ends, as the chord that the tie pulls along stays as
 * it is in the first, even mode. */
static const char tied[] = "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
                           "\"col\", \"type\": \"beam\", \"elements\": 40, "
                           "\"end\": [6.44217687237691, 0, 7.648421872844885], \"section\": "
                           "{\"shape\": \"tube\", \"radius\": 0.05, "
                           "\"thickness\": 0.005, \"E\": 2.1e11, \"nu\": 0.3, \"density\": "
                           "7850}}], \"forces\": [{\"name\": \"tie\", \"type\": "
                           "\"spring_damper\", \"a\": \"col.start\", \"b\": \"col.end\", "
                           "\"stiffness\": 1e5, \"length\": 10, \"preload\": 2e4}]}";

static double even_mode(double omega, double P, double EI, double m, double half) {
  const double p = P / EI, root = sqrt(p * p / 4 + m * omega * omega / EI);
  const double a = sqrt(p / 2 + root), b = sqrt(root - p / 2);
  const double B = a * a * cos(a * half) / (b * b * cosh(b * half));
  return a * (a * a - p) * sin(a * half) + B * b * (b * b + p) * sinh(b * half);
}

static double first_even_mode(double P, double EI, double m, double half) {
  double low = 0.1, high = 0.1;
  const double sign = even_mode(low, P, EI, m, half);
  while (even_mode(high, P, EI, m, half) * sign > 0) high *= 1.02;
  low = high / 1.02;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    if (even_mode(middle, P, EI, m, half) * sign > 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void free_and_prestressed(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(modes_refused(tied, &about_equilibrium, &error), TORSOR_STEP);
  CHECK_CONTAINS(error.hint, "--about steady");
  error = (torsor_error){0};
  CHECK_INT(modes_refused(tied, &about_initial, &error), TORSOR_INCONSISTENT);
  CHECK_CONTAINS(error.hint, "--about steady");
  const double pi = acos(-1.0), outer = 0.05, inner = 0.045;
  const double A = pi * (outer * outer - inner * inner);
  const double I = pi / 4 * (pow(outer, 4) - pow(inner, 4));
  const double omega = first_even_mode(2e4, 2.1e11 * I, 7850 * A, 5);
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  for (int g = 0; g < 2; ++g) {
    torsor_modes *m = modes_of(tied, (const char *const[]){groups[g], NULL}, &about_steady);
    for (int i = 0; i < 6; ++i) CHECK_INT(m->mode[i].kind, TORSOR_MODE_RIGID);
    for (int i = 0; i < m->count; ++i) CHECK_FALSE(m->mode[i].unstable);
    /* shear and rotary inertia, (k r)^2 (1 + E/(k G)) = 1e-3 of a tube of 10 m with r = 34 mm and k
     * = 4.7/10, and 40 elements: (k h)^2/12 = 1e-3; the tie shortens what it pulls, P L/EA =
     * 6e-4 */
    check_report("first bending of a free tube", modes_omega(m, 6) / omega - 1, 4e-3);
    CHECK_NEAR(modes_omega(m, 6), omega, 4e-3 * omega);
    torsor_modes_destroy(m);
  }
}

/* ---- what is no equilibrium
 * ---------------------------------------------------------------------- */

static const char hanging[] = "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": "
                              "\"m\", \"type\": \"point_mass\", \"mass\": 2}], "
                              "\"joints\": [{\"name\": \"rail\", \"type\": \"point_on_line\", "
                              "\"axis\": [0, 0, 1], \"a\": \"ground\", \"b\": \"m\"}], "
                              "\"forces\": [{\"name\": \"s\", \"type\": \"spring_damper\", \"a\": "
                              "{\"body\": \"ground\", \"position\": [0, 0, 1]}, "
                              "\"b\": \"m\", \"stiffness\": 200, \"length\": 1}]}";

static void not_in_balance(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(modes_refused(hanging, &about_initial, &error), TORSOR_INCONSISTENT);
  CHECK_CONTAINS(error.hint, "--about equilibrium");
  CHECK_CONTAINS(error.hint, "--about steady");
  const torsor_modes_settings *const ways[] = {&about_equilibrium, &about_steady};
  for (int i = 0; i < 2; ++i) {
    torsor_modes *m = modes_of(hanging, NULL, ways[i]);
    CHECK_NEAR(modes_omega(m, 0), 10, 1e-9);
    torsor_modes_destroy(m);
  }
}

/* More modes than there are, and as many. */
static void too_many_modes(void **state) {
  (void)state;
  torsor_error error = {0};
  const torsor_modes_settings many = {
      .size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_EQUILIBRIUM, .count = 3};
  const torsor_modes_settings one = {
      .size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_EQUILIBRIUM, .count = 1};
  CHECK_INT(modes_refused(hanging, &many, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "fewer with -n");
  torsor_modes *m = modes_of(hanging, NULL, &one);
  CHECK_INT(m->count, 1);
  torsor_modes_destroy(m);
}

/* ---- what nothing holds
 * -------------------------------------------------------------------------- */

#define LOOSE(more)                                                                                \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"m\", \"type\": \"point_mass\", \"mass\": 2}], "       \
  "\"forces\": [{\"name\": \"F\", "                                                                \
  "\"type\": \"force\", \"at\": \"m\", \"force\": [3, 0, 0]}" more                                 \
  "], \"statics\": {\"steps\": 1}, \"output\": "                                                   \
  "{\"signals\": [\"m.position\"]}}"

static void nothing_holds(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_find(&o, LOOSE(""), NULL);
  CHECK_INT(o.status, TORSOR_STEP);
  CHECK_CONTAINS(o.error.message, "body \"m\" is unconstrained");
  CHECK_CONTAINS(o.error.hint, "a spring");
  const double *end =
      equilibria_end(&o,
                     LOOSE(", {\"name\": \"s\", \"type\": \"spring_damper\", \"a\": {\"body\": "
                           "\"ground\", \"position\": [-1, 0, 0]}, \"b\": "
                           "\"m\", \"stiffness\": 10, \"length\": 1}"),
                     NULL);
  CHECK_NEAR(end[1], 0.3, 64 * CHECK_EPS);
}

/* ---- friction
 * ------------------------------------------------------------------------------------ */

/* A box on four feet that are pressed in by mg/4 or so: with the centre of mass 0.03 m off the
 * middle of 0.4 m the feet bear m g/4 (1 +- 0.03/0.2), but for its tilt, which moves the centre by
 * 0.1 m times itself. */
#define FOOT(name, x, y)                                                                           \
  "{\"name\": \"" name                                                                             \
  "\", \"type\": \"contact\", \"a\": \"ground\", \"b\": {\"body\": \"box\", \"position\": [" x     \
  ", " y                                                                                           \
  ", -0.1]}, \"stiffness\": 1e6, \"exponent\": 1.5, \"dissipation\": 0.5, \"friction\": 0.5}"
#define BOX(more)                                                                                  \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"box\", \"type\": "        \
  "\"rigid_body\", \"mass\": 10, "                                                                 \
  "\"inertia\": [0.2, 0.2, 0.3], \"center_of_mass\": [0.03, 0, 0], \"position\": [0, 0, 0.1]}], "  \
  "\"forces\": [" FOOT("c0", "0.2", "0.2") ", " FOOT("c1", "0.2", "-0.2") ", " FOOT(               \
      "c2", "-0.2", "0.2") ", " FOOT("c3", "-0.2", "-0.2") more                                    \
      "], \"statics\": {\"steps\": 5}, \"output\": {\"signals\": [\"c0.force.z\", "                \
      "\"c2.force.z\", \"box.rotation_vector.y\"]}}"

static void box_on_friction(void **state) {
  (void)state;
  equilibria o = {0};
  const double *end = equilibria_end(&o, BOX(""), NULL);
  CHECK_CONTAINS(o.warnings, "only friction keeps the scene in place");
  const double mean = 98.1 / 4, tilt = end[3];
  CHECK_GE(tilt, 1e-5);
  const double arm = (0.03 * cos(tilt) + 0.1 * sin(tilt)) / (0.2 * cos(tilt));
  check_report("force of a foot, N", end[1] - mean * (1 + arm), 1e-6);
  CHECK_NEAR(end[1], mean * (1 + arm), 1e-6);
  CHECK_NEAR(end[2], mean * (1 - arm), 1e-6);
  CHECK_NEAR(end[1], 28.204, 28.204 * tilt);
  CHECK_NEAR(end[2], 20.846, 20.846 * tilt);
  /* pushed, it would need a force of friction, which statics do not know: that is reported, and
   * what is reported helps */
  static const char push[] =
      ", {\"name\": \"F\", \"type\": \"force\", \"at\": \"box\", \"force\": [3, 0, 0]}";
  static const char stay[] =
      ", {\"name\": \"s\", \"type\": \"bushing\", \"a\": {\"body\": \"ground\", \"position\": [0, "
      "0, 0.1]}, \"b\": \"box\", \"stiffness\": [100, 100, 0], \"rotational_stiffness\": [0, 0, "
      "1]}";
  char text[4000];
  snprintf(text, sizeof text, "%s", BOX("@"));
  char whole[4000];
  const char *at = strchr(text, '@');
  snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - text), text, push, at + 1);
  equilibria_find(&o, whole, NULL);
  CHECK_INT(o.status, TORSOR_STEP);
  CHECK_CONTAINS(o.error.hint, "friction");
  snprintf(whole, sizeof whole, "%.*s%s%s%s", (int)(at - text), text, push, stay, at + 1);
  equilibria_end(&o, whole, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_and_prestressed), cmocka_unit_test(not_in_balance),
      cmocka_unit_test(too_many_modes),       cmocka_unit_test(nothing_holds),
      cmocka_unit_test(box_on_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
