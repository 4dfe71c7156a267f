/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes that methods failed in though nothing was wrong with them: dampers, redundant rows,
 * rounding errors. */
#include "check.h"
#include "support.h"

#include <stdio.h>

static void run(support_trace *trace, torsor_summary *summary, const support_world *world,
                bool balance) {
  static const char *const names[] = {"energy.balance", NULL};
  torsor_error error = {0};
  *trace = (support_trace){0};
  const torsor_simulation *settings = torsor_scene_simulation(world->scene);
  const torsor_status status = balance
                                   ? support_run_as(trace, summary, world, settings, names, &error)
                                   : support_run(trace, summary, world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
}

static void run_text(support_trace *trace, torsor_summary *summary, const char *text) {
  support_world world;
  torsor_error error = {0};
  if (support_open(&world, text, NULL, &error)) print_error("%s\n", error.message);
  run(trace, summary, &world, false);
  support_close(&world);
}

/* ---- dampers ------------------------------------------------------------------------------ */

#define PAIR                                                                                       \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", \"mass\": 1, "         \
  "\"velocity\": [0.3, 0, 0]}, {\"name\": \"b\", \"type\": \"point_mass\", \"mass\": 3, "          \
  "\"position\": [1, 0, 0]}], \"forces\": [{\"name\": \"d\", \"type\": \"spring_damper\", \"a\": " \
  "\"a\", \"b\": \"b\", \"damping\": %g}], \"simulation\": {%s, \"step\": %g, \"duration\": "      \
  "0.2}, \"output\": {\"signals\": [\"a.velocity.x\", \"energy.dissipated\"]}}"

/* Both end with the momentum's share, 0.075 m/s, by what Newton may leave of it in 200 steps,
 * rtol/4096; 27/800 J are dissipated, whatever the damping.  It is linear: no step is halved. */
static void radau_and_dampers(void **state) {
  (void)state;
  static const struct {
    double damping, step;
  } runs[] = {{100, 2e-3}, {1e4, 2e-3}, {1e5, 1e-3}, {1e7, 1e-3}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    char text[1500];
    support_trace trace;
    torsor_summary summary;
    snprintf(text, sizeof text, PAIR, runs[i].damping, "\"method\": \"radau\"", runs[i].step);
    run_text(&trace, &summary, text);
    const double *last = support_row(&trace, trace.rows - 1);
    print_message("  c = %g: v = %.12f, %.9f J dissipated\n", runs[i].damping, last[1], last[2]);
    CHECK_INT(summary.counters.rejected_steps, 0);
    CHECK_NEAR(last[1], 0.075, 200 * 1e-8 / 4096 * 0.3);
    /* what decays within a step is summed to 1/z, z = c h (1 + 1/3), of it, or resolved */
    const double z = runs[i].damping * runs[i].step * 4 / 3;
    CHECK_NEAR(last[2], 0.03375, 0.03375 / z);
    support_trace_release(&trace);
  }
}

/* The energy falls, and nothing else is reported, however badly its loss is known. */
static void no_false_alarm(void **state) {
  (void)state;
  static const char *const methods[] = {
      "\"method\": \"generalized_alpha\"", "\"method\": \"soi2\"",
      "\"method\": \"hht_odae\"",          "\"method\": \"radau\"",
      "\"formulation\": \"ggl\"",          "\"method\": \"explicit\""};
  enum { EXPLICIT = 5 }; /* follows what decays, by smaller steps, and says so */
  for (int i = 0; i < 6; ++i)
    for (double damping = 1; damping < (i == EXPLICIT ? 1e4 : 1e8); damping *= 10) {
      char text[1500];
      support_trace trace;
      torsor_summary summary;
      snprintf(text, sizeof text, PAIR, damping, methods[i], 1e-3);
      run_text(&trace, &summary, text);
      print_message("  %s, c = %g: balance off by %.3g J %s\n", methods[i], damping,
                    summary.energy_max_balance, trace.warnings);
      CHECK_TRUE(strstr(trace.warnings, "the energy grew") == NULL ||
                 summary.energy_final > summary.energy_initial || summary.energy_max_drift > 0.045);
      support_trace_release(&trace);
    }
}

/* ---- redundant rows ----------------------------------------------------------------------- */

/* Multipliers of dependent rows that are extrapolated gathered what no force comes from, until
 * nothing converged: without gravity losses the energy of these stays, by 1e-7 of the kinetic
 * energy in 10 s. */
static void redundant_rows_last(void **state) {
  (void)state;
  static const char *const scenes[] = {"bennett", "bricard", "gear_train"};
  static const char *const set[] = {
      "simulation={\"method\": \"radau\", \"step\": 2e-3, \"duration\": 10}", NULL};
  for (int i = 0; i < 3; ++i) {
    support_world world;
    support_trace trace;
    torsor_summary summary;
    support_load(&world, scenes[i], set);
    run(&trace, &summary, &world, true);
    print_message("  %s: energy %.6g J, off by %.2e J, balance off by %.2e J\n", scenes[i],
                  summary.energy_initial, summary.energy_max_drift, summary.energy_max_balance);
    const double off =
        summary.energy_exchanged ? summary.energy_max_balance : summary.energy_max_drift;
    CHECK_LE(off, 1e-7 * fmax(fabs(summary.energy_initial), summary.energy_max_drift));
    CHECK_INT(summary.counters.rejected_steps, 0);
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* ---- rounding errors ---------------------------------------------------------------------- */

/* Two wheels on a car that is held, a coupling and a motor: corrections of Newton's iteration end
 * in a circle of rounding errors, 1, 2 and 1/2 of each other.  The motion is t^2 times a number,
 * which the method finds exactly. */
static void no_halving_at_rounding_errors(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"car\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1]}, {\"name\": \"w1\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [0.02, 0.015, 0.015], \"position\": [0.2, 0, 0]}, {\"name\": \"w2\", \"type\": "
      "\"rigid_body\", \"mass\": 4, \"inertia\": [0.3, 0.2, 0.2], \"position\": [0.2, 0.5, 0]}], "
      "\"joints\": [{\"name\": \"base\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"a\": "
      "\"ground\", \"b\": \"car\"}, {\"name\": \"tt\", \"type\": \"drive\", \"coordinate\": "
      "\"base.angle\", \"motion\": {\"value\": \"0.0*t\", \"rate\": \"0.0\", \"second\": 0}}, "
      "{\"name\": \"h1\", \"type\": \"revolute\", \"axis\": [1, 0, 0], \"a\": {\"body\": \"car\", "
      "\"position\": [0.2, 0, 0]}, \"b\": \"w1\"}, {\"name\": \"h2\", \"type\": \"revolute\", "
      "\"axis\": [1, 0, 0], \"a\": {\"body\": \"car\", \"position\": [0.2, 0.5, 0]}, \"b\": "
      "\"w2\"}, {\"name\": \"gear\", \"type\": \"coupling\", \"first\": \"h1.angle\", \"second\": "
      "\"h2.angle\", \"ratio\": 2.5}], \"forces\": [{\"name\": \"mot\", \"type\": "
      "\"coordinate_force\", \"coordinate\": \"h1.angle\", \"effort\": 2.0}], \"simulation\": "
      "{\"step\": 1e-3, \"duration\": 2}, \"output\": {\"every\": 10, \"signals\": "
      "[\"h1.angle\"]}}";
  support_trace trace;
  torsor_summary summary;
  run_text(&trace, &summary, text);
  const double *last = support_row(&trace, trace.rows - 1);
  const double inertia = 0.02 + 0.3 / (2.5 * 2.5), angle = 2 * 2 * 2 / inertia / 2;
  print_message("  %.15g of %.15g rad, %ld rejected\n", last[1], angle,
                summary.counters.rejected_steps);
  /* Newton leaves rtol = 1e-8 of the acceleration */
  CHECK_NEAR(last[1], angle, 1e-8 * angle);
  CHECK_INT(summary.counters.rejected_steps, 0);
  CHECK_STR(trace.warnings, "");
  support_trace_release(&trace);
}

/* A stiff spring that turns: the rounding errors of its force have its direction, wherever that
 * points. */
static void no_halving_of_a_stiff_pendulum(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"type\": "
      "\"point_mass\", \"mass\": 1, \"position\": [0.8414709865919381, 0, -0.5403023070136597]}], "
      "\"joints\": [{\"name\": \"p\", \"type\": \"point_on_plane\", \"a\": \"ground\", \"b\": "
      "\"b\", \"normal\": [0, 1, 0]}], \"forces\": [{\"name\": \"s\", \"type\": "
      "\"spring_damper\", \"a\": \"ground\", \"b\": \"b\", \"stiffness\": %g, \"length\": 1}], "
      "\"simulation\": {\"method\": \"radau\", \"step\": 2e-3, \"duration\": 2}}";
  for (double stiffness = 1e9; stiffness < 1e13; stiffness *= 10) {
    char scene[1500];
    support_trace trace;
    torsor_summary summary;
    snprintf(scene, sizeof scene, text, stiffness);
    run_text(&trace, &summary, scene);
    print_message("  k = %g: %ld rejected\n", stiffness, summary.counters.rejected_steps);
    CHECK_INT(summary.counters.rejected_steps, 0);
    support_trace_release(&trace);
  }
}

/* ---- a stiff spring beside a curved constraint ----------------------------------------------- */

#define SPHERE                                                                                     \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"type\": "          \
  "\"point_mass\", \"mass\": 1, \"position\": [0.6, 0, -0.8]}], \"joints\": [{\"name\": \"p\", "   \
  "\"type\": \"distance\", \"a\": {\"body\": \"ground\", \"position\": [0, 1.2, 0.3]}, \"b\": "    \
  "\"b\"}], \"forces\": [{\"name\": \"s\", \"type\": \"spring_damper\", \"a\": \"ground\", "       \
  "\"b\": \"b\", \"stiffness\": %.17g, \"length\": 1}], \"simulation\": {%s, \"rho_inf\": 0.8, "   \
  "\"step\": %g, \"duration\": 2}, \"output\": {\"every\": %d, \"signals\": [\"b.position.x\", "   \
  "\"b.position.y\", \"b.position.z\"]}}"

static void run_sphere(support_trace *trace, double h_omega, const char *method, int parts) {
  const double h = 2e-3, omega = h_omega / h;
  char text[1500];
  torsor_summary summary;
  snprintf(text, sizeof text, SPHERE, omega * omega, method, h / parts, parts);
  run_text(trace, &summary, text);
}

static double furthest(const support_trace *a, const support_trace *b) {
  double most = 0;
  CHECK_INT(a->rows, b->rows);
  for (int i = 0; i < a->rows; ++i)
    for (int k = 1; k < 4; ++k)
      most = check_max(most, fabs(support_row(a, i)[k] - support_row(b, i)[k]));
  return most;
}

/* The spring holds the mass on a circle, which both methods go round with errors of order 2: GGL's
 * is 4/3 of what half the step changes. SOI2 has the same formulas but where forces turn within a
 * step. */
static void soi2_beside_stiff_springs(void **state) {
  (void)state;
  for (double h_omega = 10; h_omega < 2e4; h_omega *= 10) {
    support_trace ggl, fine, soi2;
    run_sphere(&ggl, h_omega, "\"formulation\": \"ggl\"", 1);
    run_sphere(&fine, h_omega, "\"formulation\": \"ggl\"", 2);
    run_sphere(&soi2, h_omega, "\"method\": \"soi2\"", 1);
    const double error = 4.0 / 3 * furthest(&ggl, &fine), off = furthest(&soi2, &ggl);
    print_message("  h omega = %g: GGL is off by %.2g m, SOI2 differs by %.2g m\n", h_omega, error,
                  off);
    CHECK_LE(off, error);
    support_trace_release(&ggl);
    support_trace_release(&fine);
    support_trace_release(&soi2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(radau_and_dampers),
      cmocka_unit_test(no_false_alarm),
      cmocka_unit_test(redundant_rows_last),
      cmocka_unit_test(no_halving_at_rounding_errors),
      cmocka_unit_test(no_halving_of_a_stiff_pendulum),
      cmocka_unit_test(soi2_beside_stiff_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
