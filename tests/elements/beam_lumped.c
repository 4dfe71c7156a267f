/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beams with lumped inertia: frequencies against the closed forms of the discrete bar, from which
 * side those of bending come, momenta, and RATTLE, which needs a constant mass matrix. */
#include <stdio.h>

#include "check.h"
#include "closed.h"
#include "modes_kit.h"

/* ---- frequencies ----------------------------------------------------------------------------- */

enum { ELEMENTS = 5 };

#define BAR(inertia)                                                                               \
  "{\"torsor\": 1, \"parameters\": {\"n\": 5}, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\"," \
  " \"length\": 2, \"elements\": \"n\", \"inertia\": \"" inertia                                   \
  "\", \"section\": {\"stiffness\":"                                                               \
  " [90, 40, 70, 5, 0.7, 1.3], \"inertia\": [0.4, 0.4, 0.4, 0.05, 0.02, 0.03]}}],"                 \
  " \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": "             \
  "\"b.start\"}]}"

/* The frequency of `m` nearest to omega, off by. */
static double off_nearest(const torsor_modes *m, double omega) {
  double best = HUGE_VAL;
  for (int i = 0; i < m->count; ++i) best = fmin(best, fabs(modes_omega(m, i) - omega));
  return best;
}

/* Waves of extension and of twist in a bar that is clamped at one end: with h = L/n and
 * theta = (2 j - 1) pi/(2 n) lumped masses give 2 (c/h) sin(theta/2), consistent ones
 * (c/h) sqrt(6 (1 - cos theta)/(2 + cos theta)).  Round-off of the multipliers' regularisation:
 * 1e-8. */
static void bar(void **state) {
  (void)state;
  const double c[2] = {sqrt(90 / 0.4), sqrt(5 / 0.05)}, h = 2.0 / ELEMENTS;
  for (int lumped = 0; lumped < 2; ++lumped) {
    const torsor_modes_settings all = {.size = sizeof(torsor_modes_settings),
                                       .count = 6 * ELEMENTS};
    torsor_modes *m = modes_of(lumped ? BAR("lumped") : BAR("consistent"), NULL, &all);
    double off = 0;
    for (int j = 1; j <= ELEMENTS; ++j) {
      const double theta = (2 * j - 1) * PI / (2 * ELEMENTS);
      const double of_consistent = sqrt(6 * (1 - cos(theta)) / (2 + cos(theta)));
      for (int wave = 0; wave < 2; ++wave) {
        const double exact = theta, found = lumped ? 2 * sin(theta / 2) : of_consistent;
        CHECK_TRUE(lumped ? found < exact : found > exact);
        off = check_max(off, off_nearest(m, c[wave] / h * found) / (c[wave] / h * found));
      }
    }
    check_report(lumped ? "bar, lumped: frequencies" : "bar, consistent: frequencies", off, 1e-8);
    CHECK_LE(off, 1e-8);
    torsor_modes_destroy(m);
  }
}

/* Bending: from below with lumps and of order 2; both limits agree within what the extrapolation
 * leaves. */
static void bending(void **state) {
  (void)state;
  static const int modes[] = {0, 1, 2};
  double limit[2][3], error[2][3], order[2][3];
  modes_limits(limit[0], error[0], order[0], BAR("consistent"), modes, 3, 8);
  modes_limits(limit[1], error[1], order[1], BAR("lumped"), modes, 3, 8);
  torsor_modes *coarse =
      modes_of(BAR("lumped"), (const char *const[]){"parameters.n=8", NULL},
               &(torsor_modes_settings){.size = sizeof(torsor_modes_settings), .count = 3});
  for (int i = 0; i < 3; ++i) {
    char label[80];
    const double omega = modes_omega(coarse, i), bound = error[0][i] + error[1][i];
    snprintf(label, sizeof label, "bending %d: %.6g below the limit %.9g, limits apart", i,
             limit[1][i] - omega, limit[1][i]);
    check_report(label, fabs(limit[0][i] - limit[1][i]), bound);
    CHECK_LE(fabs(limit[0][i] - limit[1][i]), bound);
    CHECK_TRUE(omega < limit[1][i]);
    CHECK_ORDER(order[1][i], 2, 0.05);
  }
  torsor_modes_destroy(coarse);
}

/* ---- momenta --------------------------------------------------------------------------------- */

/* A bar of the length 2 and the mass 0.8 about its middle, 5 elements: momenta of its motion, mass
 * L^2/12 of the consistent inertia, and with the rule of the trapeze h^2/6 more. */
static void momenta(void **state) {
  (void)state;
  static const char *const signals[] = {"momentum", "angular_momentum", "energy.kinetic", NULL};
  for (int lumped = 0; lumped < 2; ++lumped)
    for (int g = 0; g < 2; ++g) {
      char text[700];
      snprintf(text, sizeof text,
               "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"position\": "
               "[-1, 0, 0], \"length\": 2, \"elements\": 5, \"inertia\": \"%s\", \"velocity\": [1, "
               "%d, -5], \"angular_velocity\": [3, 4, 5], \"section\": {\"stiffness\": [90, 40, "
               "70, 5, 0.7, 1.3], \"inertia\": [0.4, 0.4, 0.4, 0.05, 0.02, 0.03]}}]}",
               lumped ? "lumped" : "consistent", -5);
      support_trace trace = closed_run(text, signals, closed_groups[g], 1e-6, 1e-6);
      const double *x = support_row(&trace, 0) + 1;
      /* the start moves like the middle, whose velocity is (1, 0, -1), does under the turn */
      const double across = 0.8 * (4.0 / 12 + (lumped ? 0.16 / 6 : 0));
      const double J[3] = {0.1, across + 0.04, across + 0.06}, w[3] = {3, 4, 5};
      const double v[3] = {1, 0, -9};
      double off = 0, kinetic = 0;
      for (int i = 0; i < 3; ++i) {
        off = check_max(off, fabs(x[i] - 0.8 * v[i]));
        off = check_max(off, fabs(x[3 + i] - J[i] * w[i]));
        kinetic += 0.4 * v[i] * v[i] + J[i] * w[i] * w[i] / 2;
      }
      off = check_max(off, fabs(x[6] - kinetic) / kinetic);
      check_report(lumped ? "lumped: momenta" : "consistent: momenta", off, 100 * CHECK_EPS);
      CHECK_LE(off, 100 * CHECK_EPS);
      support_trace_release(&trace);
    }
}

/* ---- RATTLE ---------------------------------------------------------------------------------- */

#define FLYING(keys, inertia)                                                                      \
  "{\"torsor\": 1, \"gravity\": [0, 0, -2], \"bodies\": [{\"name\": \"b\", \"type\": \"beam\","    \
  " \"length\": 1, \"elements\": 4, \"section\": {\"stiffness\": [200, 80, 80, 1, 2, 2],"          \
  " \"inertia\": " inertia "}" keys "}],"                                                          \
  " \"joints\": [{\"name\": \"pin\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "          \
  "\"b.start\"}], \"simulation\": {\"method\": \"rattle\", \"step\": 2e-3, \"duration\": 2},"      \
  " \"output\": {\"signals\": [\"energy.total\"]}}"
#define LUMPED  ", \"inertia\": \"lumped\""
#define CENTRED "[1, 1, 1, 0.02, 0.01, 0.01]"
#define OFF_AXIS                                                                                   \
  "[[1, 0, 0, 0, 0, -0.1], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0.1, 0, 0], [0, 0, 0.1, 0.03, 0, 0],"     \
  " [0, 0, 0, 0, 0.01, 0], [-0.1, 0, 0, 0, 0, 0.03]]"

static torsor_status run_rattle(double *worst, torsor_error *error, const char *text,
                                const char *const *set) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  *error = (torsor_error){0};
  CHECK_INT(support_open(&world, text, set, error), TORSOR_OK);
  const torsor_status status = support_run(&trace, &summary, &world, error);
  *worst = 0;
  for (int row = 0; row < trace.rows; ++row)
    *worst = check_max(*worst, fabs(support_row(&trace, row)[1] - support_row(&trace, 0)[1]));
  support_trace_release(&trace);
  support_close(&world);
  return status;
}

#define SWINGING_CABLE                                                                             \
  "{\"torsor\": 1, \"gravity\": [0, 0, -2], \"bodies\": [{\"name\": \"b\", \"type\": \"cable\","   \
  " \"end\": [1, 0, 0], \"elements\": 4, \"stiffness\": 200, \"density\": 1, \"compression\": "    \
  "true}],"                                                                                        \
  " \"joints\": [{\"name\": \"pin\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "          \
  "\"b.start\"}], \"simulation\": {\"method\": \"rattle\", \"step\": 2e-3, \"duration\": 2},"      \
  " \"output\": {\"signals\": [\"energy.total\"]}}"

/* Pendulums that bend: their energy goes up and down by what falls with h^2. */
static void energy_of_rattle(void **state) {
  (void)state;
  static const char *const text[] = {
      FLYING(LUMPED, CENTRED),  FLYING(LUMPED, CENTRED),
      FLYING(LUMPED, OFF_AXIS), FLYING(LUMPED ", \"order\": 4", CENTRED),
      SWINGING_CABLE,           FLYING(LUMPED ", \"order\": 4, \"shear_rigid\": true", CENTRED)};
  for (int i = 0; i < 6; ++i) {
    const char *const group = i ? "group=SE3" : "group=R3xSO3";
    double coarse, fine;
    torsor_error error;
    CHECK_INT(run_rattle(&coarse, &error, text[i], (const char *const[]){group, NULL}), TORSOR_OK);
    CHECK_INT(run_rattle(&fine, &error, text[i],
                         (const char *const[]){group, "simulation.step=1e-3", NULL}),
              TORSOR_OK);
    const double order = torsor_order(coarse, fine, 2, 1);
    char label[80];
    snprintf(label, sizeof label, "RATTLE, energy off by %.3g and %.3g J, off order 2 by", coarse,
             fine);
    check_report(label, fabs(order - 2), 0.1);
    CHECK_ORDER(order, 2, 0.1);
  }
}

static void refused_by_rattle(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {FLYING("", CENTRED), "has a mass matrix that changes with its shape"},
      {FLYING(LUMPED ", \"damping_factor\": 0.01", CENTRED), "has damping"},
      {FLYING(LUMPED, OFF_AXIS), "its centre of mass is not on its axis"},
      {FLYING(LUMPED ", \"inextensible\": true, \"damping_factor\": 0.01", CENTRED), "has damping"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double worst;
    torsor_error error;
    CHECK_INT(run_rattle(&worst, &error, cases[i][0], NULL), TORSOR_ARGUMENT);
    CHECK_CONTAINS(error.message, cases[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bar),
      cmocka_unit_test(bending),
      cmocka_unit_test(momenta),
      cmocka_unit_test(energy_of_rattle),
      cmocka_unit_test(refused_by_rattle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
