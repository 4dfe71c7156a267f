/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Consistent initial values: what follows from the joints, what is moved and reported, what is
 * refused. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/start/initial.h"
#include "support.h"

#define BODY(name, rest)                                                                           \
  "{\"name\": \"" name                                                                             \
  "\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5], " rest "}"
#define AT(body, x) "{\"body\": \"" body "\", \"position\": " x "}"
#define JOINT(name, type, a, b)                                                                    \
  "{\"name\": \"" name "\", \"type\": \"" type "\", \"a\": " a ", \"b\": " b "}"
#define SCENE(bodies, joints)                                                                      \
  "{\"torsor\": 1, \"bodies\": [" bodies "], \"joints\": [" joints "],"                            \
  " \"simulation\": {\"step\": 1e-3, \"duration\": 0}}"

/* clang-format off */
static const char given_velocity[] = SCENE(
    BODY("top", "\"position\": [0, 1, 0], \"velocity\": [4.5, 0, 1.5]"),
    JOINT("pivot", "spherical", "\"ground\"", AT("top", "[0, -1, 0]")));

/* Two rods in a chain of hinges, with further members. */
#define RODS(first, second) SCENE(                                                                 \
    BODY("one", "\"position\": [0.5, 0, 0]" first) ","                                             \
    BODY("two", "\"position\": [1, 0.5, 0]" second),                                               \
    JOINT("shoulder", "revolute", "\"ground\"", AT("one", "[-0.5, 0, 0]")) ","                     \
    JOINT("elbow", "revolute", AT("one", "[0.5, 0, 0]"), AT("two", "[0, -0.5, 0]")))
#define TURNS(w) ", \"angular_velocity\": " w
#define MOVES(v) ", \"velocity\": " v

static const char rods_at_rest[] = RODS("", "");
static const char rods_turning[] = RODS(TURNS("[0, 0, 3]"), TURNS("[0, 0, -2]"));
static const char rods_surplus[] =
    RODS(TURNS("[0, 0, 3]") MOVES("[0, 1.5, 0]"), TURNS("[0, 0, -2]") MOVES("[1, 3, 0]"));
static const char rods_wrong[] =
    RODS(TURNS("[0, 0, 3]") MOVES("[0, 1.5, 0]"), TURNS("[0, 0, -2]") MOVES("[1, 3.5, 0]"));
static const char rods_rounded[] =
    RODS(TURNS("[0, 0, 3]") MOVES("[0, 1.5, 0]"), TURNS("[0, 0, -2]") MOVES("[1, 3.000000001, 0]"));
static const char rods_across[] = RODS(TURNS("[0, 0.1, 3]"), "");

/* A closed loop in a plane, three rows of it redundant. */
static const char parallelogram[] = SCENE(
    BODY("crank", "\"position\": [0, 0.5, 0]" TURNS("[0, 0, 2]")) ","
    BODY("coupler", "\"position\": [1, 1, 0]") ","
    BODY("rocker", "\"position\": [2, 0.5, 0]"),
    JOINT("a", "revolute", "\"ground\"", AT("crank", "[0, -0.5, 0]")) ","
    JOINT("b", "revolute", AT("crank", "[0, 0.5, 0]"), AT("coupler", "[-1, 0, 0]")) ","
    JOINT("c", "revolute", AT("coupler", "[1, 0, 0]"), AT("rocker", "[0, 0.5, 0]")) ","
    JOINT("d", "revolute", AT("ground", "[2, 0, 0]"), AT("rocker", "[0, -0.5, 0]")));

#define HUNG(x) SCENE(                                                                             \
    BODY("top", "\"position\": " x TURNS("[0, 150, -4.6]")),                                       \
    JOINT("pivot", "spherical", "\"ground\"", AT("top", "[0, -1, 0]")))
static const char hung[] = HUNG("[0, 1, 0]");
static const char hung_open[] = HUNG("[0, 1, 0.001]");
static const char hung_rounded[] = HUNG("[0, 1.000000001, 0]");

static const char far_away[] = SCENE(
    BODY("far", "\"position\": [1000000.1, 1, 0]"),
    JOINT("pin", "spherical", AT("ground", "[1000000, 0, 0]"), AT("far", "[-0.1, -1, 0]")));

static const char no_joints[] = SCENE(
    BODY("free", "\"orientation\": {\"rotation_vector\": [0.3, 1, -2]}"
                 TURNS("[4, 5, 6]") MOVES("[1, 2, 3]")) ","
    BODY("spun", "\"group\": \"SE3\"" TURNS("[-1, -2, -3]")) ","
    BODY("fixed", "\"group\": \"SO3\"" TURNS("[7, 8, 9]")), "");

static const char turned[] = SCENE(
    BODY("b", "\"group\": \"SE3\","
              " \"orientation\": {\"matrix\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}"
              TURNS("{\"in\": \"inertial\", \"value\": [4, 5, 6]}") MOVES("[1, 2, 3]")), "");

static const char fixed_and_moving[] =
    SCENE(BODY("b", "\"group\": \"SO3\"" MOVES("[1, 0, 0]")), "");
/* A rod to a place that does not move, whose length is rounded: no velocity changes it. */
#define ROD_TO_FIXED(length) SCENE(                                                                \
    BODY("b", "\"group\": \"SO3\", \"position\": [0.1, 0.2, 0.7]"),                                \
    "{\"name\": \"rod\", \"type\": \"distance\", \"a\": " AT("ground", "[1.3, -0.4, 2.9]") \
    ", \"b\": \"b\", \"length\": " length "}")
static const char rod_rounded[] = ROD_TO_FIXED("2.576819745345027");
static const char rod_too_long[] = ROD_TO_FIXED("2.577");
/* clang-format on */

/* Initial state of a scene; nothing is left open. */
typedef struct found {
  torsor_status status;
  torsor_error error;
  initial_state state;
  arena memory;
  double off_position, off_velocity; /* worst constraint residuals */
} found;

static void measure_residuals(found *out, const assembly *a, const torsor_model *model) {
  const torsor_problem *pr = assembly_problem(a);
  double *phi = calloc(2 * (size_t)model->nl + 1, sizeof *phi);
  const torsor_point p = {.q = out->state.q, .v = out->state.v};
  CHECK_INT(pr->residual(pr->self, &p, NULL, phi, phi + model->nl), TORSOR_OK);
  for (int i = 0; i < model->nl; ++i) {
    out->off_position = check_max(out->off_position, fabs(phi[i]));
    out->off_velocity = check_max(out->off_velocity, fabs(phi[model->nl + i]));
  }
  free(phi);
}

static void find(found *out, const support_world *world) {
  *out = (found){0};
  assembly *a;
  CHECK_INT(assembly_create(&a, world->model, NULL, false, NULL), TORSOR_OK);
  out->status = initial_state_find(&out->state, a, world->model, NULL, &out->memory, &out->error);
  if (!out->status) measure_residuals(out, a, world->model);
  assembly_destroy(a);
}

static void find_text(found *out, const char *text, const char *const *set) {
  support_world world;
  torsor_error error = {0};
  const torsor_status status = support_open(&world, text, set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  find(out, &world);
  support_close(&world);
}

static void release(found *f) {
  arena_release(&f->memory);
}

/* Round-off of a few products of numbers of that size. */
static double round_off(double size) {
  return 100 * CHECK_EPS * size;
}

static void expect_velocities(const found *f, const double *expected, int n, const char *what) {
  double worst = 0, size = 1;
  CHECK_INT(f->status, TORSOR_OK);
  for (int i = 0; i < n; ++i) {
    worst = check_max(worst, fabs(f->state.v[i] - expected[i]));
    size = check_max(size, fabs(expected[i]));
  }
  check_report(what, worst, round_off(size));
  CHECK_LE(worst, round_off(size));
}

static void heavy_top(void **state) {
  (void)state;
  static const double expected[6] = {4.61538, 0, 0, 0, 150, -4.61538};
  static const char *const names[] = {"heavy_top", "heavy_top_se3"};
  for (int i = 0; i < 2; ++i) {
    support_world world;
    found f;
    support_load(&world, names[i], NULL);
    find(&f, &world);
    expect_velocities(&f, expected, 6, names[i]);
    CHECK_TRUE(f.state.moved_position == 0 && f.state.moved_velocity == 0);
    release(&f);
    support_close(&world);
  }
}

/* The least change of energy: of the spins that go with the given velocity the one without spin
 * about the axis; and the scale of the masses does not matter. */
static void spin_follows_from_velocity(void **state) {
  (void)state;
  static const double expected[6] = {4.5, 0, 1.5, 1.5, 0, -4.5};
  for (int power = -9; power <= 9; power += 6) {
    char mass[40], inertia[80];
    snprintf(mass, sizeof mass, "bodies.top.mass=2e%d", power);
    snprintf(inertia, sizeof inertia, "bodies.top.inertia=[0.3e%d,0.4e%d,0.5e%d]", power, power,
             power);
    const char *const set[] = {mass, inertia, NULL};
    found f;
    find_text(&f, given_velocity, set);
    expect_velocities(&f, expected, 6, mass);
    release(&f);
  }
}

/* Rates given, all else follows. */
static void hinge_chain(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  const double expected[12] = {0, 1.5, 0, 0, 0, 3, 1, 3, 0, 0, 0, -2};
  for (int i = 0; i < 2; ++i) {
    const char *const set[] = {groups[i], NULL};
    found f;
    find_text(&f, rods_turning, set);
    expect_velocities(&f, expected, 12, groups[i]);
    release(&f);
  }
}

static void rest_when_nothing_is_given(void **state) {
  (void)state;
  found f;
  find_text(&f, rods_at_rest, NULL);
  CHECK_INT(f.status, TORSOR_OK);
  for (int i = 0; i < 12; ++i) CHECK_TRUE(f.state.v[i] == 0);
  release(&f);
}

/* More given than needed, but all of it right. */
static void consistent_surplus(void **state) {
  (void)state;
  const double expected[12] = {0, 1.5, 0, 0, 0, 3, 1, 3, 0, 0, 0, -2};
  found f;
  find_text(&f, rods_surplus, NULL);
  expect_velocities(&f, expected, 12, "everything given");
  CHECK_TRUE(f.state.moved_velocity == 0);
  release(&f);
}

static void inconsistent_velocity_is_refused(void **state) {
  (void)state;
  found f;
  find_text(&f, rods_wrong, NULL);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  print_message("  %s\n  hint: %s\n", f.error.message, f.error.hint);
  CHECK_CONTAINS(f.error.message, "velocities contradict joint \"elbow\" (revolute)");
  CHECK_CONTAINS(f.error.message, "row 1 is 0.5 instead of 0");
  CHECK_CONTAINS(f.error.hint, "leave a velocity or angular_velocity out");
  release(&f);
  /* An angular velocity across the hinge. */
  find_text(&f, rods_across, NULL);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  CHECK_CONTAINS(f.error.message, "\"shoulder\"");
  release(&f);
}

static void rounded_velocity_is_moved(void **state) {
  (void)state;
  found f;
  find_text(&f, rods_rounded, NULL);
  CHECK_INT(f.status, TORSOR_OK);
  check_report("moved", f.state.moved_velocity, 1e-9);
  CHECK_TRUE(f.state.moved_velocity > 1e-11 && f.state.moved_velocity <= 1e-9);
  check_report("residual left", f.off_velocity, round_off(3));
  CHECK_LE(f.off_velocity, round_off(3));
  release(&f);
}

/* A closed loop with redundant constraints: crank given, the rest follows; parallelogram. */
static void redundant_loop(void **state) {
  (void)state;
  found f;
  find_text(&f, parallelogram, NULL);
  const double expected[18] = {-1, 0, 0, 0, 0, 2, -2, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 2};
  expect_velocities(&f, expected, 18, "parallelogram");
  release(&f);
}

static void open_position_is_refused(void **state) {
  (void)state;
  found f;
  find_text(&f, hung_open, NULL);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  print_message("  %s\n  hint: %s\n", f.error.message, f.error.hint);
  CHECK_CONTAINS(f.error.message, "positions contradict joint \"pivot\" (spherical)");
  CHECK_CONTAINS(f.error.message, "row 2 is 0.001 instead of 0");
  CHECK_CONTAINS(f.error.hint, "correct the markers");
  release(&f);
}

static void rounded_position_is_closed(void **state) {
  (void)state;
  found f;
  find_text(&f, hung_rounded, NULL);
  CHECK_INT(f.status, TORSOR_OK);
  check_report("moved", f.state.moved_position, 1e-9);
  CHECK_TRUE(f.state.moved_position > 1e-10 && f.state.moved_position <= 1.001e-9);
  check_report("residual left", f.off_position, round_off(1));
  CHECK_LE(f.off_position, round_off(1));
  CHECK_LE(f.off_velocity, round_off(150));
  release(&f);
}

/* A row that no motion changes holds within rounding, or does not. */
static void row_of_a_fixed_place(void **state) {
  (void)state;
  found f;
  find_text(&f, rod_rounded, NULL);
  if (f.status) print_error("%s\n", f.error.message);
  CHECK_INT(f.status, TORSOR_OK);
  check_report("left open", f.off_position, 2e-15);
  CHECK_GE(f.off_position, 1e-15);
  CHECK_LE(f.off_position, 2e-15);
  release(&f);
  find_text(&f, rod_too_long, NULL);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  CHECK_CONTAINS(f.error.message, "positions contradict joint \"rod\"");
  release(&f);
}

/* Rounding of the input grows with the size of the model, and so does what is forgiven. */
static void positions_far_away(void **state) {
  (void)state;
  found f;
  find_text(&f, far_away, NULL);
  CHECK_INT(f.status, TORSOR_OK);
  CHECK_LE(f.off_position, round_off(1e6));
  release(&f);
}

/* Scenes have no such numbers, but a program can make a model with them. */
static void numbers_that_are_none(void **state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    support_world world;
    CHECK_INT(support_open(&world, hung, NULL, NULL), TORSOR_OK);
    torsor_node_init *init = &world.model->node[0].init;
    *(k == 0 ? &init->frame.x.x : k == 1 ? &init->V.ang.y : &init->V.lin.x) = (double)NAN;
    if (k == 2) init->velocity_given = true;
    found f = {0};
    assembly *a;
    CHECK_INT(assembly_create(&a, world.model, NULL, false, NULL), TORSOR_OK);
    CHECK_INT(initial_state_find(&f.state, a, world.model, NULL, &f.memory, &f.error),
              TORSOR_INCONSISTENT);
    CHECK_CONTAINS(f.error.message, "nan");
    assembly_destroy(a);
    release(&f);
    support_close(&world);
  }
}

/* Bodies that were moved are reported through the warn hook, with the joint's name; nothing is
 * reported otherwise. */
static void warnings(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {hung_rounded, "the initial positions were moved by up to 1e-09 to close joint \"pivot\""},
      {rods_rounded, "to satisfy joint \"elbow\""},
      {hung, NULL},
      {rods_at_rest, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, cases[i].text, NULL, &error), TORSOR_OK);
    CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
    if (cases[i].expected)
      CHECK_CONTAINS(trace.warnings, cases[i].expected);
    else
      CHECK_STR(trace.warnings, "");
    support_trace_release(&trace);
    support_close(&world);
  }
}

static void bodies_without_joints(void **state) {
  (void)state;
  const double expected[15] = {1, 2, 3, 4, 5, 6, 0, 0, 0, -1, -2, -3, 7, 8, 9};
  found f;
  find_text(&f, no_joints, NULL);
  expect_velocities(&f, expected, 15, "no joints");
  release(&f);
}

/* The velocity of a body on SE(3) is that of its frame; angular velocity in inertial axes
 * turned. */
static void given_axes(void **state) {
  (void)state;
  const double expected[6] = {2, -1, 3, 5, -4, 6}; /* turned by a right angle about z */
  found f;
  find_text(&f, turned, NULL);
  expect_velocities(&f, expected, 6, "SE3, turned");
  release(&f);
}

static void fixed_origin_has_no_velocity(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, fixed_and_moving, NULL, &error), TORSOR_SCENE);
  print_message("  %s\n", error.message);
  CHECK_CONTAINS(error.message, "\"b\" is given a velocity");
  CHECK_CONTAINS(error.path, "bodies[0]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heavy_top),
      cmocka_unit_test(spin_follows_from_velocity),
      cmocka_unit_test(hinge_chain),
      cmocka_unit_test(rest_when_nothing_is_given),
      cmocka_unit_test(consistent_surplus),
      cmocka_unit_test(inconsistent_velocity_is_refused),
      cmocka_unit_test(rounded_velocity_is_moved),
      cmocka_unit_test(redundant_loop),
      cmocka_unit_test(open_position_is_refused),
      cmocka_unit_test(rounded_position_is_closed),
      cmocka_unit_test(row_of_a_fixed_place),
      cmocka_unit_test(positions_far_away),
      cmocka_unit_test(numbers_that_are_none),
      cmocka_unit_test(warnings),
      cmocka_unit_test(bodies_without_joints),
      cmocka_unit_test(given_axes),
      cmocka_unit_test(fixed_origin_has_no_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
