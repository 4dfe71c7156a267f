/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Equilibria with kinks: contacts that open and close, stops, ropes that hang slack. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "equilibria.h"

/* A heavy beam on a plane, w = 1 N/m, EI = 100 N m^2, whose end is lifted by F: l = 2 F/w is off
 * the plane, where moment and slope vanish (linear theory), and the end rises by w l^4/(24 EI) =
 * 0.03375 m, by 0.0337382 m as an elastica (by shooting). */
static void write_lifted(char *out, size_t size, int elements, double stiffness, double exponent) {
  int at = snprintf(out, size,
                    "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"b\", "
                    "\"type\": \"beam\", "
                    "\"elements\": %d, \"length\": 10, \"section\": {\"stiffness\": [1e7, 1e7, "
                    "1e7, 100, 100, 100], "
                    "\"inertia\": [0.1, 0.1, 0.1, 1e-6, 5e-7, 5e-7]}}], \"joints\": [{\"name\": "
                    "\"clamp\", \"type\": "
                    "\"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": "
                    "\"lift\", \"type\": "
                    "\"force\", \"at\": \"b.end\", \"force\": [0, 0, 1.5]}",
                    elements);
  for (int i = 1; i <= elements; ++i)
    at += snprintf(out + at, size - (size_t)at,
                   ", {\"name\": \"c%d\", \"type\": \"contact\", \"a\": \"ground\", \"b\": "
                   "\"b[%d]\", \"stiffness\": "
                   "%g, \"exponent\": %g}",
                   i, i, stiffness, exponent);
  snprintf(out + at, size - (size_t)at,
           "], \"statics\": {\"steps\": 1}, \"output\": {\"signals\": [\"b.end.position.z\"]}}");
}

static void heavy_beam_is_lifted(void **state) {
  (void)state;
  static char text[20000];
  static const char *const steps[] = {"statics.steps=1", "statics.steps=3", "statics.steps=20"};
  static const double exponent[] = {1, 1.5, 2};
  equilibria o = {0};
  double worst = 0;
  for (int i = 0; i < 9; ++i) {
    write_lifted(text, sizeof text, i < 6 ? 10 : 40, i < 3 ? 1e5 : 1e7, exponent[i % 3]);
    double end[3];
    for (int k = 0; k < 3; ++k) {
      const char *const set[] = {steps[k], NULL};
      end[k] = equilibria_end(&o, text, set)[1];
      CHECK_INT(o.summary.unstable, 0);
      /* Newton's last correction of 1e-10 of 5 m leaves its square; the rounding of GA = 1e7 N in
       * strains, 1e-9 N, bends by that times l^3/(3 EI) = 0.1 m/N */
      worst = check_max(worst, fabs(end[k] - end[0]));
    }
    /* the place where the beam leaves the plane is known to an element, h of l = 3 m: rise is
     * stationary in it, so that the error is of the order of (h/l)^2; and 1e-2 of 2e-3 m where an
     * exponent lets the beam sink in */
    const double h = i < 6 ? 1 : 0.25, bound = 0.0337382 * h * h / 9 + 2e-5;
    if (exponent[i % 3] == 1)
      check_report("rise of a beam, less that of the elastica", end[0] - 0.0337382, bound);
    if (exponent[i % 3] == 1) CHECK_NEAR(end[0], 0.0337382, bound);
  }
  check_report("rise by other steps", worst, 1e-10);
  CHECK_LE(worst, 1e-10);
}

/* A mass on a soft spring comes down to a floor: m g = 100 z + k (z - 0.05). */
static const char floor_below[] = "{\"torsor\": 1, \"parameters\": {\"k\": 1e6}, \"gravity\": [0, "
                                  "0, -10], \"bodies\": [{\"name\": \"m\", \"type\": "
                                  "\"point_mass\", \"mass\": 2}], \"joints\": [{\"name\": "
                                  "\"rail\", \"type\": \"point_on_line\", \"axis\": [0, 0, 1], "
                                  "\"a\": \"ground\", \"b\": \"m\"}], \"forces\": [{\"name\": "
                                  "\"s\", \"type\": \"spring_damper\", \"a\": {\"body\": "
                                  "\"ground\", \"position\": [0, 0, 1]}, \"b\": \"m\", "
                                  "\"stiffness\": 100, \"length\": 1}, {\"name\": \"c\", \"type\": "
                                  "\"contact\", \"a\": {\"body\": \"ground\", \"position\": [0, 0, "
                                  "-0.05]}, \"b\": \"m\", \"stiffness\": \"k\", "
                                  "\"exponent\": 1}], \"statics\": {\"steps\": 1}, \"output\": "
                                  "{\"signals\": [\"m.position.z\"]}}";

static void mass_comes_down_to_a_floor(void **state) {
  (void)state;
  equilibria o = {0};
  for (int i = 0; i < 4; ++i) {
    const double k = pow(10, 2 + 3 * i);
    char stiffness[40];
    snprintf(stiffness, sizeof stiffness, "parameters.k=%g", k);
    for (int steps = 1; steps < 8; steps += 3) {
      char count[40];
      snprintf(count, sizeof count, "statics.steps=%d", steps);
      const char *const set[] = {stiffness, count, NULL};
      const double z = equilibria_end(&o, floor_below, set)[1];
      CHECK_NEAR(z, -(20 + k * 0.05) / (100 + k), 64 * CHECK_EPS);
    }
  }
}

/* A bar on a hinge with a weak spring falls on an elastic stop: m g l cos(angle) = c angle + k
 * (angle - 0.5). */
static void bar_meets_a_stop(void **state) {
  (void)state;
  static const char text[] = "{\"torsor\": 1, \"parameters\": {\"k\": 1e5}, \"gravity\": [0, 0, "
                             "-10], \"bodies\": [{\"name\": \"bar\", \"type\": "
                             "\"rigid_body\", \"mass\": 2, \"inertia\": [0.01, 0.02, 0.02], "
                             "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": "
                             "\"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
                             "\"ground\", \"b\": {\"body\": \"bar\", "
                             "\"position\": [-1, 0, 0]}}], \"forces\": [{\"name\": \"spring\", "
                             "\"type\": \"coordinate_spring\", \"coordinate\": "
                             "\"hinge.angle\", \"stiffness\": 1}, {\"name\": \"stop\", \"type\": "
                             "\"stop\", \"coordinate\": \"hinge.angle\", "
                             "\"upper\": 0.5, \"stiffness\": \"k\", \"exponent\": 1}], "
                             "\"statics\": {\"steps\": 1}, \"output\": {\"signals\": "
                             "[\"hinge.angle\"]}}";
  equilibria o = {0};
  for (int i = 0; i < 3; ++i) {
    const double k = pow(10, 2 + 3 * i);
    char stiffness[40];
    snprintf(stiffness, sizeof stiffness, "parameters.k=%g", k);
    for (int steps = 1; steps < 12; steps += 5) {
      char count[40];
      snprintf(count, sizeof count, "statics.steps=%d", steps);
      const char *const set[] = {stiffness, count, NULL};
      const double angle = equilibria_end(&o, text, set)[1];
      const double left = 20 * cos(angle) - angle - k * (angle - 0.5);
      /* rounding of angles of 0.5 times the stiffnesses */
      check_report("moment left over at a stop, N m", left, 16 * CHECK_EPS * (k + 20));
      CHECK_NEAR(left, 0, 16 * CHECK_EPS * (k + 20));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heavy_beam_is_lifted),
      cmocka_unit_test(mass_comes_down_to_a_floor),
      cmocka_unit_test(bar_meets_a_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
