/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beams that move: the shipped scenes for a short time (energy, both groups, orders), rigid motion,
 * damping, and how often a tumbling beam's matrix is factorised. */
#include <stdio.h>

#include "check.h"
#include "closed.h"

/* ---- the shipped scenes ---------------------------------------------------------------------- */

typedef struct shipped {
  const char *scene;
  double h, duration;
  int every; /* steps of h between the rows */
  const char *first, *second;
} shipped;

static const shipped scenes[] = {
    {"spaghetti_2d", 0.01, 1, 10, "rope.start.position", "rope.end.position"},
    {"spaghetti_3d", 0.01, 1.2, 12, "rope.start.position", "rope.end.position"},
    {"right_angle_cantilever", 0.025, 3, 8, "leg_1.end.position", "leg_2.end.position"},
    {"rotating_beam", 0.02, 3, 15, "arm.end.position", "arm[3].position"},
    {"composite_cantilever_step", 0.002, 0.3, 15, "beam.end.position", "beam[3].position"},
    {"four_bar_misaligned", 0.005, 0.6, 12, "bar_1.end.position", "bar_2.end.position"},
    {"lateral_buckling", 5e-4, 0.06, 12, "blade.end.position", "link.end.position"},
    {"rotating_shaft", 0.002, 0.3, 15, "shaft[4].position", "disc.position"},
    {"flexible_slider_crank", 0.005, 0.6, 12, "crank.end.position", "rod.end.position"},
    {"blades", 0.005, 0.5, 10, "blade0.end.position", "blade2.end.position"},
};

/* Rows t, six positions, energy balance; Newton's tolerance far below the errors of the step. */
static support_trace run_scene(torsor_summary *summary, const shipped *s, const char *group,
                               int refine) {
  char step[60], time[60], every[40], set_group[40];
  snprintf(step, sizeof step, "simulation.step=%.17g", s->h / refine);
  snprintf(time, sizeof time, "simulation.duration=%.17g", s->duration);
  snprintf(every, sizeof every, "output.every=%d", s->every * refine);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {step, time, every, set_group, "simulation.rtol=1e-11", NULL};
  const char *const signals[] = {s->first, s->second, "energy.balance", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_error error = {0};
  support_load(&world, s->scene, set);
  const torsor_status status = support_run_as(
      &trace, summary, &world, torsor_scene_simulation(world.scene), signals, &error);
  if (status) print_error("%s: %s\n", s->scene, error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

static double apart(const support_trace *a, const support_trace *b) {
  double most = 0;
  CHECK_INT(a->rows, b->rows);
  for (int i = 0; i < a->rows; ++i)
    for (int k = 1; k <= 6; ++k)
      most = check_max(most, fabs(support_row(a, i)[k] - support_row(b, i)[k]));
  return most;
}

/* The work of forces, drives and damping is the change of the energy, within an error of order 2,
 * whose largest value over oscillating rows falls by orders of 1.7 to 2.3 from one halving to the
 * next (composite_cantilever_step, four halvings); and the groups solve the same equations: at half
 * the step they are apart by no more than 1.5 times the sum of their errors there, a third of what
 * halving the step changed. */
static void check_scene(const shipped *s) {
  support_trace trace[2][2];
  double error = 0;
  for (int g = 0; g < 2; ++g) {
    torsor_summary summary[2];
    char label[120];
    for (int k = 0; k < 2; ++k) trace[g][k] = run_scene(&summary[k], s, closed_groups[g], 1 + k);
    const double order =
        torsor_order(summary[0].energy_max_balance, summary[1].energy_max_balance, 2, 1);
    snprintf(label, sizeof label, "%s, %s: balance %.3g of %.3g J, order", s->scene,
             closed_groups[g], summary[1].energy_max_balance, summary[1].energy_supplied);
    check_report(label, order, 2);
    CHECK_ORDER(order, 2, 0.35);
    error += apart(&trace[g][0], &trace[g][1]) / 3;
  }
  const double off = apart(&trace[0][1], &trace[1][1]);
  check_report("the groups apart, m", off, 1.5 * error);
  CHECK_LE(off, 1.5 * error);
  for (int i = 0; i < 4; ++i) support_trace_release(&trace[i / 2][i % 2]);
}

static void energy_and_groups(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) check_scene(&scenes[i]);
}

/* ---- multipliers and section forces ---------------------------------------------------------- */

enum { LAMBDA = 1, MOMENT = 7, FORCE = 10, COLUMNS = 13 };

static void last_row(double row[COLUMNS], const char *group, const char *step) {
  char set_group[40];
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {step, set_group, "simulation.duration=3.2", "simulation.rtol=1e-11",
                             NULL};
  static const char *const signals[] = {"root.lambda", "leg_1.section_moment[0]",
                                        "leg_1.section_force[0]", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  support_load(&world, "right_angle_cantilever", set);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  CHECK_INT(trace.columns, COLUMNS);
  memcpy(row, support_row(&trace, trace.rows - 1), COLUMNS * sizeof *row);
  support_trace_release(&trace);
  support_close(&world);
}

static void order_of(const char *what, double row[3][COLUMNS], int first, int count) {
  double coarse = 0, fine = 0;
  char label[100];
  for (int k = first; k < first + count; ++k) {
    coarse = check_max(coarse, fabs(row[0][k] - row[1][k]));
    fine = check_max(fine, fabs(row[1][k] - row[2][k]));
  }
  const double order = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, order", what, coarse, fine);
  check_report(label, order, 2);
  CHECK_ORDER(order, 2, 0.1);
}

/* Steps of 0.02 s do not resolve the waves of shear in these thick sections. */
static void second_order(void **state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    double row[3][COLUMNS];
    last_row(row[0], closed_groups[g], "simulation.step=0.01");
    last_row(row[1], closed_groups[g], "simulation.step=0.005");
    last_row(row[2], closed_groups[g], "simulation.step=0.0025");
    print_message(" %s\n", closed_groups[g]);
    order_of("multipliers of the root", row, LAMBDA, 6);
    order_of("section moment", row, MOMENT, 3);
    order_of("section force", row, FORCE, 3);
  }
}

/* ---- rigid motion
 * --------------------------------------------------------------------------------- */

/* A beam with all couplings that forces bend and throw, as it is and in another place. */
#define THROWN                                                                                     \
  "{\"torsor\": 1, \"parameters\": {\"a\": %s}, \"bodies\": [{\"name\": \"b\", \"type\":"          \
  " \"beam\", \"length\": 3, \"elements\": 4, \"curvature\": [0.1, -0.2, 0.3], \"position\":"      \
  " [%.17g, %.17g, %.17g], \"orientation\": {\"rotation_vector\": [%.17g, %.17g, %.17g]},"         \
  " \"section\": {\"stiffness\": [[900, 10, 0, 0, 0, 20], [10, 700, 0, 0, 0, 0], [0, 0, 600, 0,"   \
  " 0, 0], [0, 0, 0, 30, 5, 0], [0, 0, 0, 5, 40, 0], [20, 0, 0, 0, 0, 50]], \"inertia\": [[2, 0,"  \
  " 0, 0, 0, -0.4], [0, 2, 0, 0, 0, 0], [0, 0, 2, 0.4, 0, 0], [0, 0, 0.4, 1, 0, 0], [0, 0, 0, 0,"  \
  " 1, 0], [-0.4, 0, 0, 0, 0, 1]]}}], \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\":" \
  " \"b.end\", \"force\": [%.17g, %.17g, %.17g], \"moment\": [%.17g, %.17g, %.17g]}]}"

static support_trace throw_beam(const char *group, v3 x, v3 w) {
  static const char *const signals[] = {"b.start.position", "b.end.position", "b.section_moment",
                                        NULL};
  const so3 R = so3_exp(w);
  const v3 f = so3_rotate(R, (v3){3, -20, 10}), m = so3_rotate(R, (v3){5, 8, -4});
  char text[2000];
  snprintf(text, sizeof text, THROWN, "0", x.x, x.y, x.z, w.x, w.y, w.z, f.x, f.y, f.z, m.x, m.y,
           m.z);
  return closed_run(text, signals, group, 0.01, 1);
}

/* Frames and forces turned, the motion turns with them.  Rounding: of the turned input and of the
 * 100 steps, each by some eps of the distance, of the curvature EI eps/length; it grows with the
 * motion by less than a hundredfold. */
static void objective(void **state) {
  (void)state;
  const v3 x = {4, -3, 2}, w = {0.7, -1.1, 0.4}, zero = {0, 0, 0};
  const so3 R = so3_exp(w);
  for (int g = 0; g < 2; ++g) {
    support_trace here = throw_beam(closed_groups[g], zero, zero);
    support_trace there = throw_beam(closed_groups[g], x, w);
    double off = 0, moved = 0, moment = 0, change = 0;
    const double *first = support_row(&here, 0), *last = support_row(&here, here.rows - 1);
    CHECK_GE(v3_norm(v3_sub(v3_load(last + 4), v3_load(first + 4))), 1);
    for (int row = 0; row < here.rows; ++row) {
      const double *a = support_row(&here, row) + 1, *b = support_row(&there, row) + 1;
      for (int k = 0; k < 2; ++k) {
        const v3 turned = v3_add(x, so3_rotate(R, v3_load(a + 3 * k)));
        off = check_max(off, v3_norm(v3_sub(turned, v3_load(b + 3 * k))));
        moved = check_max(moved, v3_norm(turned));
      }
      for (int k = 6; k < here.columns - 1; ++k) {
        moment = check_max(moment, fabs(a[k]));
        change = check_max(change, fabs(a[k] - b[k]));
      }
    }
    const double bound = 100 * 100 * CHECK_EPS;
    check_report("turned: positions, of the distance", off / moved, bound);
    check_report("turned: section moments, of the largest", change / moment, bound);
    CHECK_LE(off, bound * moved);
    CHECK_LE(change, bound * moment);
    support_trace_release(&here);
    support_trace_release(&there);
  }
}

/* ---- damping
 * -------------------------------------------------------------------------------------- */

/* A cantilever that sags a little under its weight. */
#define SAGGING                                                                                    \
  "{\"torsor\": 1, \"gravity\": [0, 0, -1e-3], \"bodies\": [{\"name\": \"b\", \"type\": \"beam\"," \
  " \"length\": 1, \"elements\": 4, \"damping_factor\": 0.02, \"section\": {\"stiffness\": [1e4,"  \
  " 1e4, 1e4, 1, 1, 1], \"inertia\": [1, 1, 1, 2e-4, 1e-4, 1e-4]}}], \"joints\": [{\"name\":"      \
  " \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}]}"

/* Extrema after the higher modes have died out, each from the parabola through three rows. */
static int extrema(double t[3], double z[3], const support_trace *trace, double after) {
  int found = 0;
  for (int i = 1; i + 1 < trace->rows && found < 3; ++i) {
    const double *a = support_row(trace, i - 1), *b = support_row(trace, i),
                 *c = support_row(trace, i + 1);
    if (b[0] < after || (b[1] - a[1]) * (c[1] - b[1]) > 0) continue;
    const double slope = (c[1] - a[1]) / 2, bend = c[1] - 2 * b[1] + a[1];
    t[found] = b[0] - slope / bend * (b[0] - a[0]);
    z[found++] = b[1] - slope * slope / (2 * bend);
  }
  return found;
}

/* Damping ratio from the differences of extrema, and what the factor says at the frequency that is
 * seen. */
static void decrement(double *ratio, double *expected, double h) {
  static const char *const signals[] = {"b.end.position.z", NULL};
  support_trace trace = closed_run(SAGGING, signals, closed_groups[0], h, 6);
  double t[3], z[3];
  CHECK_INT(extrema(t, z, &trace, 3), 3);
  const double decay = log(fabs((z[0] - z[1]) / (z[1] - z[2])));
  const double w = 2 * PI / (t[2] - t[0]); /* damped */
  *ratio = decay / hypot(decay, PI);
  *expected = w / sqrt(1 - *ratio * *ratio) * 0.02 / 2;
  support_trace_release(&trace);
}

/* pi f lag, within the error of the step, of order 2: its third, with half as much again for the
 * next order. */
static void kelvin_voigt(void **state) {
  (void)state;
  double ratio[2], expected[2];
  for (int i = 0; i < 2; ++i) decrement(&ratio[i], &expected[i], 0.01 / (1 << i));
  const double coarse = ratio[0] - expected[0], fine = ratio[1] - expected[1];
  const double bound = 1.5 * fabs(coarse - fine) / 3;
  print_message("  damping ratio %.6f, pi f lag %.6f\n", ratio[1], expected[1]);
  check_report("logarithmic decrement: damping ratio off by", fabs(fine), bound);
  CHECK_LE(fabs(fine), bound);
  CHECK_LE(bound, 0.01 * expected[1]);
}

/* ---- factorisations
 * ---------------------------------------------------------------------------------- */

/* A slender beam that tumbles freely, 8 rad in 4 s. */
#define TUMBLING                                                                                   \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 4,"              \
  " \"elements\": 8, \"velocity\": [0, -4, 0], \"angular_velocity\": [0.5, 0, 2], \"section\":"    \
  " {\"shape\": \"rectangle\", \"width\": 0.05, \"height\": 0.02, \"E\": 7e9, \"nu\": 0.3,"        \
  " \"density\": 2700}}], \"simulation\": {\"step\": 1, \"duration\": 4, \"start\": \"plain\"}}"

static torsor_counters tumble(double *drift, const char *group, double h) {
  char step[60], set_group[40];
  snprintf(step, sizeof step, "simulation.step=%.17g", h);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {step, set_group, NULL};
  static const char *const signals[] = {"b.end.position", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(support_open(&world, TUMBLING, set, NULL), TORSOR_OK);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  support_trace_release(&trace);
  support_close(&world);
  *drift = summary.energy_max_drift;
  return summary.counters;
}

/* A matrix that stays behind the beam by an angle contracts by that angle in an iteration: by a
 * third of a radian it takes nine for 1e-4, which cost more than the three of another one.  So the
 * 8 rad take at most three times 8 factorisations where it does stay behind, and fewer on either
 * group: on SE(3) because it does not turn with the beam, on R3xSO3 because the solver takes the
 * unknowns in axes that do.  At long steps both make up for changing stresses. */
static void factorisations(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const double h = k ? 0.0025 : 0.01;
    for (int g = 0; g < 2; ++g) {
      double drift;
      const torsor_counters c = tumble(&drift, closed_groups[g], h);
      print_message("  %s, h = %g: %.2f iterations and %.4f factorisations a step, drift %.2g J\n",
                    closed_groups[g], h, (double)c.newton_iterations / (double)c.steps,
                    (double)c.factorizations / (double)c.steps, drift);
      if (k) CHECK_LE((double)c.factorizations, 3 * 8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_and_groups), cmocka_unit_test(second_order),
      cmocka_unit_test(objective),         cmocka_unit_test(kelvin_voigt),
      cmocka_unit_test(factorisations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
