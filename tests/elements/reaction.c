/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces that depend on multipliers: second order of motion, reaction and effort, on both groups
 * and in both formulations, and what is said where reactions are not unique. */
#include <stdio.h>

#include "check.h"
#include "closed.h"

/* A rod of 2 kg about its end in a bearing of radius 0.1 m with coefficient 0.2, from the x axis at
 * 2 rad/s: the friction acts, and follows the reaction, from the start. */
#define ROD_MASS 2.0
#define ARM      0.5
#define INERTIA  (0.2 + ROD_MASS * ARM * ARM)
#define GRAVITY  9.81
#define RUB      (0.2 * 0.1)
#define WIDTH    0.5
#define SPIN     2.0
#define DURATION 1.5

/* clang-format off */
#define PENDULUM(joints) \
  "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" \
  BODY("rod", ", \"position\": [0.5, 0, 0], \"angular_velocity\": [0, 0, 2]") "]," \
  " \"joints\": [{\"name\": \"bearing\", \"type\": \"revolute\", \"a\": \"ground\"," \
  " \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}}" joints "]," \
  " \"forces\": [{\"name\": \"rub\", \"type\": \"friction\", \"coordinate\": \"bearing.angle\"," \
  " \"coefficient\": 0.2, \"radius\": 0.1, \"rate_width\": 0.5}]}"
/* clang-format on */

static const char *const signals[] = {"bearing.angle", "bearing.rate", "bearing.force",
                                      "rub.effort", NULL};
enum { ANGLE = 1, RATE, FORCE, EFFORT = FORCE + 3, COLUMNS };

/* Force of the bearing on the rod. */
static void bearing_force(double f[2], double angle, double rate, double second) {
  const double c = cos(angle), s = sin(angle);
  f[0] = ROD_MASS * ARM * (-second * s - rate * rate * c);
  f[1] = ROD_MASS * (ARM * (second * c - rate * rate * s) + GRAVITY);
}

/* The friction depends on the force, so on the acceleration: a fixed point that contracts by
 * 0.03. */
static double acceleration(double angle, double rate, double *effort, double f[2]) {
  const double weight = -ROD_MASS * GRAVITY * ARM * cos(angle) / INERTIA;
  double second = weight;
  for (int k = 0; k < 15; ++k) {
    bearing_force(f, angle, rate, second);
    *effort = -RUB * hypot(f[0], f[1]) * tanh(rate / WIDTH);
    second = weight + *effort / INERTIA;
  }
  return second;
}

/* Angle and rate after `n` steps of the classical Runge-Kutta method. */
static void advance(double y[2], double h, long n) {
  double f[2], effort;
  for (long i = 0; i < n; ++i) {
    double k[4][2], at[2] = {y[0], y[1]};
    static const double next[3] = {0.5, 0.5, 1};
    for (int stage = 0; stage < 4; ++stage) {
      k[stage][0] = at[1];
      k[stage][1] = acceleration(at[0], at[1], &effort, f);
      for (int j = 0; stage < 3 && j < 2; ++j) at[j] = y[j] + next[stage] * h * k[stage][j];
    }
    for (int j = 0; j < 2; ++j) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
}

/* Largest errors of angle, rate, bearing force and effort. */
typedef struct errors {
  double of[4];
} errors;

static const char *const part[4] = {"angle", "rate", "force", "effort"};

static errors compare(const support_trace *trace) {
  errors e = {{0}};
  double y[2] = {0, SPIN}, t = 0;
  for (int i = 0; i < trace->rows; ++i) {
    const double *row = support_row(trace, i);
    /* the Runge-Kutta error at this step is 1e-10 */
    const long n = lround((row[0] - t) / 2e-3);
    if (n) advance(y, (row[0] - t) / (double)n, n);
    t = row[0];
    double f[2], effort;
    acceleration(y[0], y[1], &effort, f);
    const double off[4] = {fabs(row[ANGLE] - y[0]), fabs(row[RATE] - y[1]),
                           hypot(row[FORCE] - f[0], row[FORCE + 1] - f[1]),
                           fabs(row[EFFORT] - effort)};
    for (int k = 0; k < 4; ++k) e.of[k] = check_max(e.of[k], off[k]);
  }
  return e;
}

static errors measure(const char *group, const char *formulation, int level) {
  char simulation[200], set_group[40];
  snprintf(
      simulation, sizeof simulation,
      "simulation={\"step\": %.17g, \"duration\": %g, \"rtol\": 1e-12, \"formulation\": \"%s\"}",
      ldexp(0.01, -level), DURATION, formulation);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {simulation, set_group, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, PENDULUM(""), set, &error), TORSOR_OK);
  torsor_simulation s = *torsor_scene_simulation(world.scene);
  s.every = 10 << level;
  const torsor_status status = support_run_as(&trace, &summary, &world, &s, signals, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  const errors e = compare(&trace);
  support_trace_release(&trace);
  support_close(&world);
  return e;
}

static void second_order(void **state) {
  (void)state;
  static const char *const formulations[] = {"index3", "ggl"};
  for (int g = 0; g < 2; ++g)
    for (int f = 0; f < 2; ++f) {
      errors before = {{0}};
      for (int level = 0; level < 3; ++level) {
        const errors now = measure(closed_groups[g], formulations[f], level);
        print_message("  %-6s %-6s 1/h = %4d:", closed_groups[g], formulations[f], 100 << level);
        for (int k = 0; k < 4; ++k) {
          const double slope = level ? log2(before.of[k] / now.of[k]) : 0;
          print_message("  |e_%s| %.2e (%.2f)", part[k], now.of[k], slope);
          if (level) CHECK_ORDER(slope, 2, 0.1);
        }
        print_message("\n");
        before = now;
      }
    }
}

/* The multipliers of dependent rows are not unique, and neither is a friction that follows them. */
static void ambiguous_reactions_are_reported(void **state) {
  (void)state;
  static const char *const text = PENDULUM(
      ", {\"name\": \"second\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","
      " \"position\": [0, 0, 1]}, \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 1]}}");
  const char *const set[] = {"simulation={\"step\": 0.01, \"duration\": 0.1}", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, set, &error), TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
  CHECK_TRUE(strstr(trace.warnings, "friction \"rub\" depends on the reactions of \"bearing\"") !=
             NULL);
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_order),
      cmocka_unit_test(ambiguous_reactions_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
