/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long runs of RATTLE: the energy errors of the heavy top and of a chain have no trend, momenta
 * stay; beside them generalised-alpha.  TORSOR_STEPS is the number of steps of 1 ms. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

enum { WINDOWS = 40, EVERY = 10 };

static long step_count(void) {
  const char *wanted = getenv("TORSOR_STEPS");
  return wanted ? atol(wanted) : 100000;
}

/* A straight line through the means of windows: how much it rises over the run, and the standard
 * error of that from what the means scatter about it. */
typedef struct trend {
  double rise, uncertainty;
  double low, high; /* of the values themselves */
} trend;

static trend find_trend(const support_trace *trace, int column) {
  const double start = support_row(trace, 0)[column];
  const int length = (trace->rows - 1) / WINDOWS;
  double mean[WINDOWS], level = 0, slope = 0, spread = 0, scatter = 0;
  trend t = {.low = HUGE_VAL, .high = -HUGE_VAL};
  for (int k = 0; k < WINDOWS; ++k) {
    double sum = 0;
    for (int i = 0; i < length; ++i) {
      const double value = support_row(trace, 1 + k * length + i)[column] - start;
      sum += value;
      t.low = fmin(t.low, value);
      t.high = fmax(t.high, value);
    }
    mean[k] = sum / length;
    level += mean[k] / WINDOWS;
  }
  for (int k = 0; k < WINDOWS; ++k) {
    const double x = k - (WINDOWS - 1) / 2.0;
    slope += x * mean[k];
    spread += x * x;
  }
  slope /= spread;
  for (int k = 0; k < WINDOWS; ++k) {
    const double off = mean[k] - level - slope * (k - (WINDOWS - 1) / 2.0);
    scatter += off * off;
  }
  t.rise = slope * WINDOWS;
  t.uncertainty = WINDOWS * sqrt(scatter / (WINDOWS - 2) / spread);
  return t;
}

typedef struct example {
  const char *scene;
  double step;
  const char *size; /* a change of the scene, or NULL */
  double fastest;   /* largest velocity in a constraint, m/s */
} example;

static void run(support_trace *trace, torsor_summary *summary, const example *x,
                const char *method) {
  static const char *const signals[] = {"energy.total", "angular_momentum.z", NULL};
  const char *const set[] = {x->size, NULL};
  support_world world;
  torsor_error error = {0};
  support_load(&world, x->scene, set);
  torsor_simulation simulation = *torsor_scene_simulation(world.scene);
  simulation.settings = torsor_settings_default();
  simulation.settings.method = method;
  simulation.settings.step = x->step;
  simulation.duration = (double)step_count() * 1e-3;
  simulation.every = EVERY;
  CHECK_INT(support_run_as(trace, summary, &world, &simulation, signals, &error), TORSOR_OK);
  CHECK_INT(summary->counters.rejected_steps, 0);
  support_close(&world);
}

/* The rise is one that chance gives (four standard errors), and below a hundredth of the swing;
 * what the other method loses is more than chance gives once in a thousand (three standard errors:
 * the chain is chaotic, and what one sample of its motion loses varies). */
static void check_energy(const support_trace *trace, const torsor_summary *summary,
                         bool symplectic) {
  const trend t = find_trend(trace, 1);
  print_message("  %s: %ld steps, %.1f s; energy %.3e to %+.3e of %.6g J, rises by %+.1e +- %.1e\n",
                symplectic ? "rattle" : "generalised-alpha", summary->counters.steps,
                summary->cpu_seconds, t.low, t.high, summary->energy_initial, t.rise,
                t.uncertainty);
  if (symplectic) {
    CHECK_LE(fabs(t.rise), 4 * t.uncertainty);
    CHECK_LE(fabs(t.rise), (t.high - t.low) / 100);
  } else {
    CHECK_LE(t.rise, -3 * t.uncertainty);
  }
}

/* About the vertical through the pivot.  Rounding errors of `few` eps a step make a random walk;
 * beside it the coefficients of exp and T are off by some ulp of terms u^2/12, u = 0.15 in a step,
 * always the same way. */
static void check_momentum(const support_trace *trace) {
  const double start = support_row(trace, 0)[2], n = (double)step_count(), few = 16;
  const double bound = few * CHECK_EPS * fabs(start) * (sqrt(n) + 0.15 * 0.15 / 12 * n);
  double off = 0;
  for (int row = 0; row < trace->rows; ++row)
    off = check_max(off, fabs(support_row(trace, row)[2] - start));
  print_message("  angular momentum off by %.1e of %.3g, bound %.1e\n", off, start, bound);
  CHECK_LE(off, bound);
}

/* Newton ends at what 8 eps of the entries of q do to Phi, times up to eight terms; velocities are
 * solved for. */
static void check_constraints(const torsor_summary *summary, double fastest) {
  print_message("  Phi up to %.1e, B v up to %.1e\n", summary->max_phi, summary->max_phi_velocity);
  CHECK_LE(summary->max_phi, 64 * CHECK_EPS);
  CHECK_LE(summary->max_phi_velocity, 16 * CHECK_EPS * fastest);
}

static void check_example(const example *x) {
  for (int i = 0; i < 2; ++i) {
    support_trace trace = {0};
    torsor_summary summary;
    run(&trace, &summary, x, i ? "generalized_alpha" : "rattle");
    check_energy(&trace, &summary, !i);
    if (!i) check_momentum(&trace);
    if (!i) check_constraints(&summary, x->fastest);
    support_trace_release(&trace);
  }
}

/* The energy that generalised-alpha dissipates in a second is of order 3, as on an oscillator. */
static void dissipation(void **state) {
  (void)state;
  double rise[2];
  for (int i = 0; i < 2; ++i) {
    support_trace trace = {0};
    torsor_summary summary;
    run(&trace, &summary, &(example){"heavy_top", i ? 1e-3 : 2e-3, NULL, 0}, "generalized_alpha");
    rise[i] = find_trend(&trace, 1).rise;
    support_trace_release(&trace);
  }
  print_message("  %.3e and %.3e J at steps of 2 and 1 ms: order %.3f\n", rise[0], rise[1],
                log2(rise[0] / rise[1]));
  CHECK_ORDER(log2(rise[0] / rise[1]), 3, 0.1);
}

static void top(void **state) {
  (void)state;
  check_example(&(example){"heavy_top", 1e-3, NULL, 10});
}

static void top_se3(void **state) {
  (void)state;
  check_example(&(example){"heavy_top_se3", 1e-3, NULL, 10});
}

static void chain(void **state) {
  (void)state;
  check_example(&(example){"chain", 1e-3, "parameters.n=3", 4});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(top), cmocka_unit_test(top_se3),
                                     cmocka_unit_test(chain), cmocka_unit_test(dissipation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
