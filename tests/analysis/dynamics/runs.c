/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a run ends and what it hands over; conservation; turns; the same bytes twice. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

#define BODY(name, rest)                                                                           \
  "{\"name\": \"" name                                                                             \
  "\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5], " rest "}"
#define AT(body, x) "{\"body\": \"" body "\", \"position\": " x "}"
#define JOINT(name, type, a, b)                                                                    \
  "{\"name\": \"" name "\", \"type\": \"" type "\", \"a\": " a ", \"b\": " b "}"
/* From a plain start, whose first steps are as long as the others. */
#define SHORT                                                                                      \
  " \"simulation\": {\"start\": \"plain\", \"step\": 0.01, \"duration\": 0.2}, \"output\": {}}"

/* clang-format off */
/* A force that fails, on one of two bodies that have nothing to do with each other. */
static const char fused[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{\"name\": \"first\", \"type\": \"point_mass\", \"mass\": 1},"
    BODY("second", "\"angular_velocity\": [1, 2, 3]") "], \"forces\": ["
    "{\"name\": \"wire\", \"type\": \"fuse\", \"body\": \"first\", \"time\": 0.505}],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 1}}";

static const char pendulum[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    BODY("rod", "\"position\": [0.5, 0, 0]") "], \"joints\": ["
    JOINT("hinge", "revolute", "\"ground\"", AT("rod", "[-0.5, 0, 0]")) "]," SHORT;

static const char twice_hinged[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("rod", "\"position\": [0.5, 0, 0]") "], \"joints\": ["
    JOINT("hinge", "revolute", "\"ground\"", AT("rod", "[-0.5, 0, 0]")) ","
    JOINT("again", "revolute", "\"ground\"", AT("rod", "[-0.5, 0, 0]")) "]," SHORT;

/* Stretched between two rods of full length a mass is held twice along the line. */
static const char stretched[] =
    "{\"torsor\": 1, \"bodies\": ["
    "{\"name\": \"bead\", \"type\": \"point_mass\", \"mass\": 1}], \"joints\": ["
    JOINT("left", "distance", AT("ground", "[-1, 0, 0]"), "\"bead\"") ","
    JOINT("right", "distance", AT("ground", "[1, 0, 0]"), "\"bead\"") "]," SHORT;

/* Two bodies on a ball joint, floating and spinning without gravity. */
static const char floating[] =
    "{\"torsor\": 1, \"bodies\": ["
    BODY("one", "\"center_of_mass\": [0.1, -0.1, 0.2], \"angular_velocity\": [3, -2, 1],"
                " \"velocity\": [0.5, 0.2, -0.1]") ","
    BODY("two", "\"position\": [1, 0, 0], \"angular_velocity\": [-1, 2, 4]") "], \"joints\": ["
    JOINT("ball", "spherical", AT("one", "[0.5, 0, 0]"), AT("two", "[-0.5, 0, 0]")) "],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 2}}";

static const char falling[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": ["
    BODY("one", "\"velocity\": [1, 2, 3], \"angular_velocity\": [0, 5, 0]") ","
    BODY("two", "\"group\": \"SE3\", \"velocity\": [0, 0, 4]") ","
    "{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 3, \"velocity\": [-1, 0, 0]}],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 1}}";

static const char wheel[] =
    "{\"torsor\": 1, \"parameters\": {\"omega\": 1}, \"bodies\": ["
    BODY("wheel", "\"angular_velocity\": [0, 0, \"omega\"]") "], \"joints\": ["
    JOINT("axle", "revolute", "\"ground\"", "\"wheel\"") "],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 1}}";
/* clang-format on */

/* Open and run a text; the status of the run. */
static torsor_status run_text(support_trace *trace, torsor_summary *summary, const char *text,
                              const char *const *set, const char *const *signals,
                              torsor_error *error) {
  support_world world;
  torsor_status status = support_open(&world, text, set, error);
  if (status) print_error("%s: %s\n", error->path, error->message);
  CHECK_INT(status, TORSOR_OK);
  status =
      support_run_as(trace, summary, &world, torsor_scene_simulation(world.scene), signals, error);
  support_close(&world);
  return status;
}

/* ---- an element that fails when a test wants it to
 * ------------------------------------------------ */

typedef struct fuse {
  torsor_marker body;
  double time;
  int effect;
} fuse;

enum { LEAVES_ITS_DOMAIN, GIVES_NAN, RUNS_AWAY };

static const char *const effects[] = {"domain", "nan", "away", NULL};
static const torsor_param fuse_params[] = {
    {"body", TORSOR_PARAM_MARKER, offsetof(fuse, body), NULL, NULL, "where it acts", NULL, 0},
    {"time", TORSOR_PARAM_NUMBER, offsetof(fuse, time), "s", NULL, "when it blows", NULL, 0},
    {"effect", TORSOR_PARAM_CHOICE, offsetof(fuse, effect), NULL, "\"domain\"", "what then",
     effects, 0},
    {0}};

static torsor_status fuse_prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const fuse *f = self;
  setup->nodes = 1;
  setup->node[0] = f->body.node;
  return TORSOR_OK;
}

static torsor_status fuse_eval(const void *self, const torsor_element_in *in,
                               torsor_element_out *out) {
  const fuse *f = self;
  if (in->now->t <= f->time) return TORSOR_OK;
  if (f->effect == LEAVES_ITS_DOMAIN) return TORSOR_DOMAIN;
  if (!out->r) return TORSOR_OK;
  if (f->effect == GIVES_NAN)
    out->r[0] += (double)NAN;
  else
    out->r[1] += 1e3 + fabs(in->node[0]->A.lin.y); /* no acceleration balances that */
  return TORSOR_OK;
}

static const torsor_element_type fuse_type = {.abi = TORSOR_ELEMENT_ABI,
                                              .kind = TORSOR_FORCE,
                                              .name = "fuse",
                                              .title = "fails after a time",
                                              .doc = "for tests",
                                              .example = "{}",
                                              .size = sizeof(fuse),
                                              .params = fuse_params,
                                              .prepare = fuse_prepare,
                                              .eval = fuse_eval};

static torsor_status run_fused(support_trace *trace, torsor_summary *summary, const char *effect,
                               torsor_error *error) {
  static const char *const signals[] = {"first.position", "second.angular_velocity", NULL};
  char set_effect[60];
  snprintf(set_effect, sizeof set_effect, "forces[0].effect=%s", effect);
  const char *const set[] = {set_effect};
  support_world world = {.registry = torsor_registry_create(error)};
  CHECK_INT(torsor_registry_add(world.registry, &fuse_type, error), TORSOR_OK);
  torsor_status status = torsor_scene_parse(&world.scene, fused, strlen(fused), "fused.json",
                                            world.registry, set, 1, error);
  if (!status) status = torsor_scene_model(&world.model, world.scene, error);
  if (status) print_error("%s: %s\n", error->path, error->message);
  CHECK_INT(status, TORSOR_OK);
  status =
      support_run_as(trace, summary, &world, torsor_scene_simulation(world.scene), signals, error);
  support_close(&world);
  return status;
}

/* The step that ends past 0.505 cannot be made however small: what came before is delivered. */
static void failing_step(void **state) {
  (void)state;
  static const char *const text[] = {"range", "not finite", "does not converge"};
  for (int i = 0; i < 3; ++i) {
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(run_fused(&trace, &summary, effects[i], &error), TORSOR_STEP);
    print_message("  %s\n  hint: %s\n", error.message, error.hint);
    CHECK_INT(error.status, TORSOR_STEP);
    CHECK_INT(summary.status, TORSOR_STEP);
    CHECK_CONTAINS(error.message, "at t = 0.50");
    CHECK_CONTAINS(error.message, text[i]);
    CHECK_CONTAINS(error.message, i == 0 ? "fuse \"wire\"" : "\"first\"");
    CHECK_TRUE(error.hint[0] != '\0');
    CHECK_INT(trace.rows, 51);
    CHECK_NEAR(support_row(&trace, 50)[0], 0.5, 4 * CHECK_EPS);
    CHECK_TRUE(summary.t >= 0.5 && summary.t <= 0.505);
    CHECK_GE((double)summary.counters.rejected_steps, 1);
    for (int k = 0; k < trace.rows * trace.columns; ++k) CHECK_TRUE(isfinite(trace.value[k]));
    support_trace_release(&trace);
    CHECK_INT(run_fused(&trace, &summary, effects[i], NULL), TORSOR_STEP); /* no error wanted */
    support_trace_release(&trace);
  }
}

/* ---- other ends
 * ------------------------------------------------------------------------------------ */

static const char *const rod_signals[] = {"rod.position", "hinge", "energy", NULL};

static void identical_joints(void **state) {
  (void)state;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(run_text(&trace, &summary, twice_hinged, NULL, NULL, &error), TORSOR_OK);
  print_message("  %s", trace.warnings);
  CHECK_CONTAINS(trace.warnings, "5 of 10 constraint rows are redundant");
  CHECK_CONTAINS(trace.warnings, "row 0 of joint \"again\" (see row 0 of \"hinge\")");
  support_trace_release(&trace);
}

static void dead_centre(void **state) {
  (void)state;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(run_text(&trace, &summary, stretched, NULL, NULL, &error), TORSOR_OK);
  CHECK_CONTAINS(trace.warnings, "\"right\" (see row 0 of \"left\")");
  for (int k = 0; k < trace.rows * trace.columns; ++k) CHECK_TRUE(isfinite(trace.value[k]));
  support_trace_release(&trace);
}

static void interrupted(void **state) {
  (void)state;
  support_trace trace = {.stop_after = 7};
  torsor_summary summary;
  torsor_error error = {0};
  static const char *const rarely[] = {"output.every=100", NULL};
  CHECK_INT(run_text(&trace, &summary, pendulum, rarely, rod_signals, &error), TORSOR_INTERRUPTED);
  CHECK_CONTAINS(error.message, "t = 0.07");
  CHECK_INT(summary.counters.steps, 7);
  CHECK_INT(trace.last.steps, 7);
  CHECK_INT(trace.rows, 2); /* the first, and the state at which it stopped */
  CHECK_NEAR(support_row(&trace, 1)[0], 0.07, 4 * CHECK_EPS);
  support_trace_release(&trace);
}

static void refused_output(void **state) {
  (void)state;
  for (int row = 1; row <= 21; row += 5) {
    support_trace trace = {.refuse_row = row};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(run_text(&trace, &summary, pendulum, NULL, rod_signals, &error), TORSOR_FILE);
    CHECK_INT(error.status, TORSOR_FILE);
    CHECK_CONTAINS(error.message, "output at t = ");
    CHECK_INT(trace.rows, row - 1);
    CHECK_INT(summary.counters.steps, row - 1);
    support_trace_release(&trace);
  }
}

static void output_times(void **state) {
  (void)state;
  static const int expected[] = {0, 7, 14, 20};
  static const char *const set[] = {"output.every=7", NULL};
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(run_text(&trace, &summary, pendulum, set, rod_signals, NULL), TORSOR_OK);
  CHECK_INT(trace.rows, 4);
  for (int i = 0; i < 4; ++i) CHECK_TRUE(support_row(&trace, i)[0] == expected[i] * 0.01);
  CHECK_INT(summary.counters.steps, 20);
  CHECK_TRUE(summary.cpu_seconds >= 0 && summary.wall_seconds >= 0 && summary.setup_seconds >= 0);
  support_trace_release(&trace);
}

static void no_time_at_all(void **state) {
  (void)state;
  static const char *const set[] = {"simulation.duration=0", NULL};
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(run_text(&trace, &summary, pendulum, set, rod_signals, NULL), TORSOR_OK);
  CHECK_INT(trace.rows, 1);
  CHECK_INT(summary.counters.steps, 0);
  CHECK_TRUE(summary.energy_initial == summary.energy_final);
  support_trace_release(&trace);
}

static torsor_status count_rows(void *data, double t, const double *values, int count) {
  (void)t;
  (void)values;
  CHECK_INT(count, 0);
  ++*(int *)data;
  return TORSOR_OK;
}

/* Nothing but a model and settings: no hooks, no signals, no error. */
static void hooks_and_signals_may_be_left_out(void **state) {
  (void)state;
  support_world world;
  torsor_summary summary;
  CHECK_INT(support_open(&world, pendulum, NULL, NULL), TORSOR_OK);
  const torsor_simulation *simulation = torsor_scene_simulation(world.scene);
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, NULL, NULL, NULL), TORSOR_OK);
  const torsor_hooks none = TORSOR_HOOKS_INIT;
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, NULL, &none, NULL), TORSOR_OK);
  CHECK_INT(summary.counters.steps, 20);
  int rows = 0;
  const torsor_hooks only_times = {
      .size = sizeof(torsor_hooks), .data = &rows, .record = count_rows};
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, NULL, &only_times, NULL), TORSOR_OK);
  CHECK_INT(rows, 21);
  support_close(&world);
}

static void bad_arguments(void **state) {
  (void)state;
  support_world world;
  torsor_summary summary;
  CHECK_INT(support_open(&world, pendulum, NULL, NULL), TORSOR_OK);
  const torsor_simulation good = *torsor_scene_simulation(world.scene);
  torsor_simulation bad[9];
  for (int i = 0; i < 9; ++i) bad[i] = good;
  bad[0].every = 0;
  bad[1].duration = (double)NAN;
  bad[2].duration = -1;
  bad[3].settings.step = -1;
  bad[4].settings.step = (double)NAN;
  bad[5].duration = 1e300;
  bad[6].linear_solver = "pardiso";
  bad[7].settings.method = "euler";
  bad[8].settings.max_iterations = 0;
  for (int i = 0; i < 9; ++i) {
    torsor_error error = {0};
    CHECK_INT(torsor_simulate(&summary, world.model, &bad[i], NULL, NULL, &error), TORSOR_ARGUMENT);
    CHECK_TRUE(error.message[0] != '\0');
  }
  support_close(&world);
}

/* ---- conservation
 * ----------------------------------------------------------------------------------- */

typedef struct drift {
  double momentum, angular_momentum, energy;
} drift;

static drift find_drift(const char *const *set) {
  static const char *const signals[] = {"momentum", "angular_momentum", "energy.total", NULL};
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(run_text(&trace, &summary, floating, set, signals, &error), TORSOR_OK);
  drift worst = {0};
  const double *first = support_row(&trace, 0) + 1;
  for (int row = 0; row < trace.rows; ++row) {
    const double *now = support_row(&trace, row) + 1;
    worst.momentum = check_max(worst.momentum, v3_norm(v3_sub(v3_load(now), v3_load(first))));
    worst.angular_momentum =
        check_max(worst.angular_momentum, v3_norm(v3_sub(v3_load(now + 3), v3_load(first + 3))));
    worst.energy = check_max(worst.energy, fabs(now[6] - first[6]));
  }
  CHECK_NEAR(summary.energy_max_drift, worst.energy, 1e-13 * fabs(first[6]));
  support_trace_release(&trace);
  return worst;
}

/* Invariants of the exact motion are kept to the method's order: the drift falls fourfold with half
 * the step; between 3.3 and 4.8 where third order still shows. */
static void expect_second_order(const char *what, double coarse, double fine, double least) {
  char label[80];
  snprintf(label, sizeof label, "%s: drift at h = 0.005", what);
  check_report(label, fine, coarse / 3.3);
  CHECK_LE(fine, coarse / 3.3 + least);
}

static void conserved_quantities(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static const char *const formulations[] = {"simulation.formulation=index3",
                                             "simulation.formulation=ggl"};
  for (int k = 0; k < 4; ++k) {
    const char *const coarse[] = {groups[k / 2], formulations[k % 2], NULL};
    const char *const fine[] = {groups[k / 2], formulations[k % 2], "simulation.step=0.005", NULL};
    const drift a = find_drift(coarse), b = find_drift(fine);
    print_message(" %s, %s\n", groups[k / 2], formulations[k % 2]);
    /* Newton's tolerance on v' times the mass, summed up over 400 steps. */
    const double newton = 400 * 0.01 * 4 * (1e-12 + 1e-8 * 20);
    expect_second_order("momentum", a.momentum, b.momentum, newton);
    expect_second_order("angular momentum", a.angular_momentum, b.angular_momentum, newton);
    expect_second_order("energy", a.energy, b.energy, newton);
  }
}

/* Free bodies move each for itself: exact translation, whatever the formulation. */
static void bodies_without_joints(void **state) {
  (void)state;
  static const char *const signals[] = {"one.position", "two.position", "p.position", NULL};
  static const char *const formulations[] = {"simulation.formulation=index3",
                                             "simulation.formulation=ggl"};
  static const double expected[9] = {1, 2, -2, 0, 0, -1, -1, 0, -5};
  for (int i = 0; i < 2; ++i) {
    const char *const set[] = {formulations[i], NULL};
    support_trace trace = {0};
    torsor_summary summary;
    CHECK_INT(run_text(&trace, &summary, falling, set, signals, NULL), TORSOR_OK);
    const double *last = support_row(&trace, trace.rows - 1) + 1;
    double worst = 0;
    for (int k = 0; k < 9; ++k) worst = check_max(worst, fabs(last[k] - expected[k]));
    /* parabolas are exact; rounding of 100 sums */
    check_report("free fall of three", worst, 1e3 * CHECK_EPS);
    CHECK_LE(worst, 1e3 * CHECK_EPS);
    support_trace_release(&trace);
  }
}

/* ---- many turns
 * -------------------------------------------------------------------------------------- */

#define TURNS 10000

/* A wheel that turns evenly by `turn` rad per step: the angle is counted over all turns. */
static void spin(const char *group, const char *formulation, double turn) {
  static const char *const signals[] = {"axle.angle", "axle.rate", NULL};
  const int steps = (int)ceil(TURNS * 2 * M_PI / turn);
  char omega[60];
  snprintf(omega, sizeof omega, "parameters.omega=%.17g", turn / 0.01);
  const char *const set[] = {group, formulation, omega, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, wheel, set, &error), TORSOR_OK);
  torsor_simulation simulation = *torsor_scene_simulation(world.scene);
  simulation.duration = steps * simulation.settings.step;
  simulation.every = steps / 50;
  CHECK_INT(support_run_as(&trace, &summary, &world, &simulation, signals, &error), TORSOR_OK);
  double worst = 0;
  for (int row = 0; row < trace.rows; ++row) {
    const double *now = support_row(&trace, row);
    worst = check_max(worst, fabs(now[1] - turn / 0.01 * now[0]));
    CHECK_NEAR(now[2], turn / 0.01, 1e-9 * turn / 0.01);
  }
  /* Every step rounds the quaternion twice and the increment once: 4 round-offs of a turn at
   * most. */
  const double bound = 4 * CHECK_EPS * steps * (1 + turn);
  char label[120];
  snprintf(label, sizeof label, "%s, %s, %.3g rad a step: %.6g turns", group,
           strchr(formulation, '=') + 1, turn, support_row(&trace, trace.rows - 1)[1] / (2 * M_PI));
  check_report(label, worst, bound);
  CHECK_LE(worst, bound);
  CHECK_GE(support_row(&trace, trace.rows - 1)[1], 2 * M_PI * (TURNS - 0.01));
  support_trace_release(&trace);
  support_close(&world);
}

static void ten_thousand_turns(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static const char *const formulations[] = {"simulation.formulation=index3",
                                             "simulation.formulation=ggl"};
  for (int k = 0; k < 4; ++k) {
    spin(groups[k / 2], formulations[k % 2], 1);
    spin(groups[k / 2], formulations[k % 2], 5 * M_PI);
  }
}

/* ---- determinism
 * --------------------------------------------------------------------------------------- */

static void same_bytes_twice(void **state) {
  (void)state;
  static const char *const scenes[] = {"heavy_top", "heavy_top_se3", "triple_pendulum"};
  static const char *const formulations[] = {"simulation.formulation=index3",
                                             "simulation.formulation=ggl"};
  static const char *const solvers[] = {"simulation.linear_solver=klu",
                                        "simulation.linear_solver=umfpack"};
  for (int k = 0; k < 12; ++k) {
    const char *const set[] = {formulations[k % 2], solvers[k / 2 % 2], NULL};
    support_world world;
    support_trace first = {0}, second = {0};
    torsor_summary summary;
    support_load(&world, scenes[k / 4], set);
    CHECK_INT(support_run(&first, &summary, &world, NULL), TORSOR_OK);
    CHECK_INT(support_run(&second, &summary, &world, NULL), TORSOR_OK);
    CHECK_INT(first.rows, second.rows);
    CHECK_INT(
        memcmp(first.value, second.value, (size_t)(first.rows * first.columns) * sizeof(double)),
        0);
    support_trace_release(&second);
    support_close(&world);
    support_load(&world, scenes[k / 4], set); /* and from a scene opened anew */
    CHECK_INT(support_run(&second, &summary, &world, NULL), TORSOR_OK);
    CHECK_INT(
        memcmp(first.value, second.value, (size_t)(first.rows * first.columns) * sizeof(double)),
        0);
    support_trace_release(&first);
    support_trace_release(&second);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failing_step),          cmocka_unit_test(identical_joints),
      cmocka_unit_test(dead_centre),           cmocka_unit_test(interrupted),
      cmocka_unit_test(refused_output),        cmocka_unit_test(output_times),
      cmocka_unit_test(no_time_at_all),        cmocka_unit_test(hooks_and_signals_may_be_left_out),
      cmocka_unit_test(bad_arguments),         cmocka_unit_test(conserved_quantities),
      cmocka_unit_test(bodies_without_joints), cmocka_unit_test(ten_thousand_turns),
      cmocka_unit_test(same_bytes_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
