/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step-size control: the error is in proportion to what is asked for, output times are met, an
 * impact is stepped through with small steps and the rest with large ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/lie.h>

#include "check.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"
#include "problems/soi2.h"
#include "problems/trial.h"
#include "support.h"

typedef struct run_result {
  double error; /* of q at multiples of the largest step */
  torsor_counters counters;
} run_result;

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static torsor_settings controlled(double step, double accuracy, torsor_formulation formulation) {
  torsor_settings s = trial_settings(step, formulation, TORSOR_START_PERTURBED, 0.9);
  s.accuracy = (torsor_accuracy){accuracy, accuracy, 0};
  s.max_halvings = 30;
  s.rtol = 1e-11;
  return s;
}

/* Where a method has formulations, the stabilised one. */
static torsor_settings settings_of(double step, double accuracy, const char *method) {
  const bool ggl = torsor_method_takes(method, "formulation");
  torsor_settings s = controlled(step, accuracy, ggl ? TORSOR_GGL : TORSOR_INDEX3);
  trial_use(&s, method);
  if (strcmp(method, "hht_odae") == 0) {
    s.alpha = torsor_alpha_hht(-0.1);
    s.rtol = 1e-9; /* Lambda_0 and Lambda_1 by themselves carry rounding errors of eps/h^2 */
  }
  return s;
}

static run_result run_pendulum(double accuracy, const char *method) {
  const torsor_dense d = pendulum_dense();
  const torsor_settings s = settings_of(0.1, accuracy, method);
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  trial t = trial_open(&d, &s, q, v);
  run_result r = {0};
  for (int n = 1; n <= 10; ++n) {
    const torsor_state now = trial_step(&t);
    CHECK_NEAR(now.t, n * 0.1, 0); /* the grid, to the bit */
    pendulum_motion(q, v, now.t, 0.2);
    r.error = check_max(r.error, distance(now.q, q, 2));
  }
  r.counters = torsor_integrator_counters(t.integrator);
  trial_close(&t);
  return r;
}

static run_result run_soi2(double accuracy, const char *method) {
  const torsor_dense d = soi2_dense();
  const torsor_settings s = settings_of(0.1, accuracy, method);
  double q[2], v[2], a[2], lambda[2];
  soi2_exact(0, q, v, a, lambda);
  trial t = trial_open(&d, &s, q, v);
  run_result r = {0};
  for (int n = 1; n <= 10; ++n) {
    const torsor_state now = trial_step(&t);
    soi2_exact(now.t, q, v, a, lambda);
    r.error = check_max(r.error, distance(now.q, q, 2));
  }
  r.counters = torsor_integrator_counters(t.integrator);
  trial_close(&t);
  return r;
}

static run_result run_top(double accuracy, const char *method) {
  enum { OUTPUTS = 10 };
  static const unsigned char rotation[6] = {0, 0, 0, 1, 1, 1};
  static heavy_top_motion exact[OUTPUTS + 1];
  torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
  d.rotation = rotation;
  const torsor_settings s = settings_of(0.02, accuracy, method);
  double q[7], v[6];
  heavy_top_reference(exact, OUTPUTS + 1, 0.02, 1000);
  heavy_top_initial(q, v, HEAVY_TOP_R3SO3);
  trial t = trial_open(&d, &s, q, v);
  run_result r = {0};
  for (int n = 1; n <= OUTPUTS; ++n) {
    const torsor_state now = trial_step(&t);
    const heavy_top_motion m = heavy_top_from_state(&now, HEAVY_TOP_R3SO3);
    r.error = check_max(r.error, v3_norm(v3_sub(m.x, exact[n].x)));
  }
  r.counters = torsor_integrator_counters(t.integrator);
  trial_close(&t);
  return r;
}

/* Errors are the sum of local ones over the time, times what the problem makes of them: within a
 * decade of what is allowed, and in proportion to it, as h^2 is to the local error per second. */
static void error_follows_accuracy(void **state) {
  (void)state;
  static const struct {
    const char *name;
    run_result (*run)(double accuracy, const char *method);
    double duration;
  } cases[] = {
      {"pendulum", run_pendulum, 1}, {"all constraints", run_soi2, 1}, {"top", run_top, 0.2}};
  enum { CASES = sizeof cases / sizeof *cases };
  static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae"};
  for (size_t i = 0; i < 3 * CASES; ++i) {
    const size_t c = i % CASES;
    const char *method = methods[i / CASES];
    double before = 0;
    for (int k = 3; k <= 7; ++k) {
      const double accuracy = pow(10, -k), allowed = accuracy * cases[c].duration;
      const run_result r = cases[c].run(accuracy, method);
      print_message("  %s %-15s %.0e: error %.2e, %ld steps of %.1e to %.1e, %ld rejected\n",
                    method, cases[c].name, accuracy, r.error, r.counters.steps,
                    r.counters.smallest_step, r.counters.largest_step, r.counters.rejected_steps);
      CHECK_LE(r.error, 10 * allowed);
      /* The local error of the top is less than S4's with SOI2; with HHT it is that before the
       * constraints take their part, which all kinds of rows at once do most. */
      CHECK_LE(allowed / (i < CASES ? 10 : i < 2 * CASES ? 20 : 30), r.error);
      if (before > 0) CHECK_NEAR(log10(before / r.error), 1, 0.25);
      before = r.error;
    }
  }
}

/* Every place and weight of the second reaction has a local error of its own. */
static void reactions_are_controlled(void **state) {
  (void)state;
  static const struct {
    const char *name;
    torsor_reaction reaction;
    double weight, velocity;
  } cases[] = {{"at the end, b = 0.3", TORSOR_REACTION_END, 0.3, 0},
               {"explicit", TORSOR_REACTION_EXPLICIT, 0, 0},
               {"midpoint", TORSOR_REACTION_MIDPOINT, 0, 0},
               {"at the end, velocity", TORSOR_REACTION_END, 0, 1},
               {"midpoint, velocity", TORSOR_REACTION_MIDPOINT, 0, 1}};
  const torsor_dense d = pendulum_dense();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double before = 0;
    for (int k = 3; k <= 5; ++k) {
      const double accuracy = pow(10, -k);
      torsor_settings s = settings_of(0.1, cases[i].velocity > 0 ? 0 : accuracy, "hht_odae");
      s.accuracy.velocity = cases[i].velocity * accuracy;
      s.reaction = cases[i].reaction;
      s.reaction_weight = cases[i].weight;
      double q[2], v[2], error = 0;
      pendulum_initial(q, v, 0.2);
      trial t = trial_open(&d, &s, q, v);
      for (int n = 1; n <= 10; ++n) {
        const torsor_state now = trial_step(&t);
        pendulum_motion(q, v, now.t, 0.2);
        error =
            check_max(error, cases[i].velocity > 0 ? distance(now.v, v, 2) : distance(now.q, q, 2));
      }
      print_message("  %s %.0e: error %.2e, %ld steps\n", cases[i].name, accuracy, error,
                    torsor_integrator_counters(t.integrator).steps);
      trial_close(&t);
      CHECK_LE(error, 10 * accuracy);
      /* of velocities it is that before the constraints take their part */
      CHECK_LE(accuracy / (cases[i].velocity > 0 ? 1000 : 20), error);
      if (before > 0) CHECK_NEAR(log10(before / error), 1, 0.25);
      before = error;
    }
  }
}

/* Velocities alone may be asked for: their error follows, too. */
static void velocity_is_controlled(void **state) {
  (void)state;
  const torsor_dense d = pendulum_dense();
  double before = 0;
  for (int k = 2; k <= 4; ++k) {
    const double accuracy = pow(10, -k);
    torsor_settings s = controlled(0.1, 0, TORSOR_GGL);
    s.accuracy.velocity = accuracy;
    double q[2], v[2], error = 0;
    pendulum_initial(q, v, 0.2);
    trial t = trial_open(&d, &s, q, v);
    for (int n = 1; n <= 10; ++n) {
      const torsor_state now = trial_step(&t);
      pendulum_motion(q, v, now.t, 0.2);
      error = check_max(error, distance(now.v, v, 2));
    }
    print_message("  velocity %.0e: error %.2e, %ld steps\n", accuracy, error,
                  torsor_integrator_counters(t.integrator).steps);
    trial_close(&t);
    CHECK_LE(error, 10 * accuracy);
    if (before > 0) CHECK_NEAR(log10(before / error), 1, 0.25);
    before = error;
  }
}

/* A ball on stiff springs between walls: free flight, and impacts of a few milliseconds.  Energy is
 * what a wrong impact changes. */
static const char *const impacts =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\","
    " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.004, 0.004, 0.004],"
    " \"position\": [0, 0, 1]}], \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\","
    " \"axis\": [0, 0, 1], \"a\": \"ground\", \"b\": \"ball\"}],"
    " \"forces\": [{\"name\": \"floor\", \"type\": \"stop\", \"coordinate\": \"rail.travel\","
    " \"lower\": 0, \"stiffness\": 1e6}]}";

/* `law`: of the spring, another setting; NULL = Hertz's. */
static torsor_summary run_impacts(const char *simulation, const char *law, double *drift) {
  const char *const set[] = {simulation, law, NULL};
  static const char *const names[] = {"energy.total", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, impacts, set, &error), TORSOR_OK);
  const torsor_status status =
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  if (strstr(simulation, "accuracy")) CHECK_STR(trace.warnings, ""); /* rejections are no news */
  *drift = summary.energy_max_drift;
  support_trace_release(&trace);
  support_close(&world);
  return summary;
}

static void impacts_get_small_steps(void **state) {
  (void)state;
  double controlled_drift, constant_drift;
  const torsor_summary a =
      run_impacts("simulation={\"step\": 0.05, \"duration\": 3, \"rho_inf\": 0.9, "
                  "\"accuracy\": {\"position\": 1e-3, \"velocity\": 10}, \"max_halvings\": 20}",
                  NULL, &controlled_drift);
  char simulation[200];
  /* the constant step of as many steps, a divisor of the output spacing */
  const double per_output = ceil((double)a.counters.steps / 60);
  snprintf(simulation, sizeof simulation,
           "simulation={\"step\": %.17g, \"duration\": 3, \"rho_inf\": 0.9, "
           "\"formulation\": \"ggl\"}",
           0.05 / per_output);
  const torsor_summary b = run_impacts(simulation, NULL, &constant_drift);
  print_message("  controlled: %ld steps of %.1e to %.1e, %ld rejected, energy off by %.2e\n"
                "  constant:   %ld steps of %.1e, energy off by %.2e\n",
                a.counters.steps, a.counters.smallest_step, a.counters.largest_step,
                a.counters.rejected_steps, controlled_drift, b.counters.steps,
                b.counters.largest_step, constant_drift);
  CHECK_LE(10 * a.counters.smallest_step, a.counters.largest_step);
  CHECK_LE(5 * controlled_drift, constant_drift);
}

/* At an equal error: constant steps, twice as many each time, until the energy is as good. */
static void impacts_cost_less(void **state) {
  (void)state;
  double wanted, drift = HUGE_VAL;
  const torsor_summary a =
      run_impacts("simulation={\"step\": 0.05, \"duration\": 3, \"rho_inf\": 0.9, "
                  "\"accuracy\": {\"position\": 1e-3, \"velocity\": 10}, \"max_halvings\": 20}",
                  NULL, &wanted);
  long steps = 0;
  for (int per_output = 8; drift > wanted && per_output < 1 << 16; per_output *= 2) {
    char simulation[200];
    snprintf(simulation, sizeof simulation,
             "simulation={\"step\": %.17g, \"duration\": 3, \"rho_inf\": 0.9}", 0.05 / per_output);
    steps = run_impacts(simulation, NULL, &drift).counters.steps;
  }
  const double tried = (double)(a.counters.steps + a.counters.rejected_steps);
  print_message(
      "  energy off by %.2e with %.0f controlled steps, rejected ones too; by %.2e with %ld "
      "constant ones: %.0f times as many\n",
      wanted, tried, drift, steps, (double)steps / tried);
  /* The steps of the impacts, 5e-5 s, would be 60000 over the whole time; half of the doubling is
   * chance. */
  CHECK_GE((double)steps / tried, 20);
}

/* A step that crosses the kink with v = sqrt(2 g) may take the force k x off by k v h over the way
 * v h, at both ends of each of the three impacts. */
static void impacts_make_no_energy(void **state) {
  (void)state;
  static const char *const forms[] = {"\"formulation\": \"index3\"", "\"formulation\": \"ggl\"",
                                      "\"method\": \"soi2\""};
  for (int i = 0; i < 3; ++i)
    for (double h = 2e-4; h > 4e-5; h /= 2) {
      char simulation[200];
      double drift;
      snprintf(simulation, sizeof simulation,
               "simulation={\"step\": %.17g, \"duration\": 3, \"rho_inf\": 0.9, %s}", h, forms[i]);
      run_impacts(simulation, "forces.floor.exponent=1", &drift);
      const double bound = 6 * 1e6 * (2 * 9.81) * h * h / 2;
      print_message("  %s, h = %g: energy off by %.2e J, bound %.2e J\n", forms[i], h, drift,
                    bound);
      CHECK_LE(drift, bound);
    }
}

static void bad_accuracies_are_refused(void **state) {
  (void)state;
  const torsor_dense d = pendulum_dense();
  torsor_problem *problem;
  torsor_integrator *it;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&problem, &d, &error), TORSOR_OK);
  torsor_settings s = controlled(0.1, -1, TORSOR_GGL);
  CHECK_INT(torsor_integrator_create(&it, problem, &s, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "must not be negative");
  s = controlled(0.1, HUGE_VAL, TORSOR_GGL);
  CHECK_INT(torsor_integrator_create(&it, problem, &s, &error), TORSOR_ARGUMENT);
  torsor_dense_destroy(problem);
}

/* An accuracy that cannot be reached within max_halvings is reported. */
static void too_much_is_reported(void **state) {
  (void)state;
  const torsor_dense d = pendulum_dense();
  torsor_problem *problem;
  torsor_integrator *it;
  torsor_error error = {0};
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  torsor_settings s = controlled(0.1, 1e-8, TORSOR_GGL);
  s.max_halvings = 3;
  CHECK_INT(torsor_dense_create(&problem, &d, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&it, problem, &s, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_start(it, 0, q, v), TORSOR_OK);
  CHECK_INT(torsor_integrator_step(it), TORSOR_STEP);
  CHECK_INT(torsor_integrator_failure(it).status, TORSOR_ACCURACY);
  torsor_integrator_destroy(it);
  torsor_dense_destroy(problem);
}

/* A cart that a drive leads with 1 m/s from some time on, before which it rests, and a bob of 1 m
 * length below it.  The rod pulls at right angles to the bob's velocity, which has no jump: seen
 * from the cart it swings with 1 m/s, up to v^2/(2 g). */
static const char *const corner =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"cart\", \"type\":"
    " \"rigid_body\", \"mass\": 3, \"inertia\": [0.1, 0.1, 0.1]}, {\"name\": \"bob\", \"type\":"
    " \"point_mass\", \"mass\": 2, \"position\": [0, 0, -1]}], \"joints\": [{\"name\": \"rail\","
    " \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"cart\"},"
    " {\"name\": \"lead\", \"type\": \"drive\", \"coordinate\": \"rail.travel\", \"motion\":"
    " {\"value\": \"t < %.17g ? 0 : t - %.17g\"}}, {\"name\": \"rod\", \"type\": \"distance\","
    " \"a\": \"cart\", \"b\": \"bob\", \"length\": 1}], \"simulation\": %s,"
    " \"output\": {\"step\": 0.01, \"signals\": [\"bob.position.z\", \"bob.velocity\", "
    "\"lead.effort\"]}}";

typedef struct swing {
  double top; /* largest height above the lowest place */
  torsor_counters counters;
  char warnings[2000];
} swing;

static swing run_corner(double at, const char *simulation) {
  char text[1600];
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  swing s = {0};
  snprintf(text, sizeof text, corner, at, at, simulation);
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  const torsor_status status = support_run(&trace, &summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  for (int i = 0; i < trace.rows; ++i) s.top = check_max(s.top, support_row(&trace, i)[1] + 1);
  s.counters = summary.counters;
  memcpy(s.warnings, trace.warnings, sizeof s.warnings);
  support_trace_release(&trace);
  support_close(&world);
  return s;
}

/* No step over a corner of a motion is accurate: it is passed by the smallest one, and the motion
 * begins anew.  The height is off by what local errors add up to, within a decade as above, and by
 * what rows 0.01 s apart miss of the highest place, at most (g h)^2/(8 g) for a bob that falls by g
 * t^2/2. */
static void corners_are_passed(void **state) {
  (void)state;
  const double height = 1 / (2 * 9.81), missed = 9.81 * 0.01 * 0.01 / 8;
  static const double places[] = {0.5, 0.5037, 0.1 + 0.2};
  static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae", "radau",
                                        "explicit"};
  for (int i = 0; i < 15; ++i) {
    for (int k = 3; k <= 5; ++k) {
      char simulation[200];
      const double accuracy = pow(10, -k), at = places[i % 3];
      snprintf(
          simulation, sizeof simulation,
          "{\"method\": \"%s\", \"step\": 0.02, \"duration\": 2, \"accuracy\": {\"position\": %g,"
          " \"rotation\": %g}, \"max_halvings\": 26}",
          methods[i / 3], accuracy, accuracy);
      const swing s = run_corner(at, simulation);
      print_message(
          "  %s, corner at %.4f s, %g m/s: height off by %.2e m, %ld steps, %ld rejected, "
          "smallest %.1e s\n",
          methods[i / 3], at, accuracy, s.top - height, s.counters.steps, s.counters.rejected_steps,
          s.counters.smallest_step);
      CHECK_NEAR(s.top, height, 10 * accuracy * 2 + missed);
      CHECK_CONTAINS(s.warnings, "an impulse: drive \"lead\" changes its speed by 1 ");
      /* HHT's estimate may let a step over it pass */
      if (i < 6) CHECK_CONTAINS(s.warnings, "the run restarted the motion");
      /* from 0.02 s to the smallest size, by 2 at least: 26, and as often again */
      CHECK_LE((double)s.counters.rejected_steps, 52);
    }
  }
}

/* A driven coordinate has no error, though its acceleration jumps from 2 to 0 m/s^2: a step's cubic
 * represents pieces of parabolas exactly, so that no step is refused. */
static void driven_coordinates_have_no_error(void **state) {
  static const char *const scene =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\":"
      " [1, 1, 1]}], \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, "
      "0], \"a\":"
      " \"ground\", \"b\": \"b\"}, {\"name\": \"lead\", \"type\": \"drive\", \"coordinate\": "
      "\"rail.travel\","
      " \"motion\": {\"value\": \"t < 0.5 ? t^2 : t - 0.25\"}}], \"simulation\": {\"step\": 0.02, "
      "\"duration\": 2,"
      " \"accuracy\": {\"position\": 1e-9, \"rotation\": 1e-9}}, \"output\": {\"step\": 0.02,"
      " \"signals\": [\"lead.effort\"]}}";
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  (void)state;
  CHECK_INT(support_open(&world, scene, NULL, &error), TORSOR_OK);
  CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
  print_message("  %ld steps, %ld rejected\n", summary.counters.steps,
                summary.counters.rejected_steps);
  CHECK_INT(summary.counters.rejected_steps, 0);
  CHECK_INT(summary.counters.steps, 100);
  CHECK_STR(trace.warnings, ""); /* no velocity jumps */
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_follows_accuracy),
      cmocka_unit_test(reactions_are_controlled),
      cmocka_unit_test(velocity_is_controlled),
      cmocka_unit_test(impacts_get_small_steps),
      cmocka_unit_test(impacts_cost_less),
      cmocka_unit_test(impacts_make_no_energy),
      cmocka_unit_test(bad_accuracies_are_refused),
      cmocka_unit_test(too_much_is_reported),
      cmocka_unit_test(corners_are_passed),
      cmocka_unit_test(driven_coordinates_have_no_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
