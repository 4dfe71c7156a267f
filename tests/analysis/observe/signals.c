/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, units and values of signals. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/signals.h"
#include "support.h"

/* Two bodies on either group, one at an odd place, hinged; names that start alike; a point mass. */
static const char scene_text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5],"
    " \"center_of_mass\": [0.1, 0.2, -0.3], \"position\": [1, 2, 3],"
    " \"orientation\": {\"rotation_vector\": [0.4, -0.3, 1.2]},"
    " \"velocity\": [1, -2, 0.5], \"angular_velocity\": [3, 1, -2]},"
    "{\"name\": \"top2\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1],"
    " \"position\": [1, 2, 3]},"
    "{\"name\": \"stone\", \"type\": \"point_mass\", \"mass\": 3, \"position\": [5, 0, 1],"
    " \"velocity\": [0, 2, 0]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 0, 1],"
    " \"a\": \"top\", \"b\": \"top2\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 0}}";

static void open_scene(support_world *world, const char *group) {
  const char *const set[] = {group, NULL};
  torsor_error error = {0};
  const torsor_status status = support_open(world, scene_text, set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static torsor_signals *choose(const support_world *world, const char *const *names, int count) {
  torsor_signals *signals;
  torsor_error error = {0};
  CHECK_INT(torsor_signals_create(&signals, world->model, names, count, NULL, &error), TORSOR_OK);
  return signals;
}

static void expect_names(const support_world *world, const char *name, const char *const *expected,
                         int count) {
  torsor_signals *signals = choose(world, &name, 1);
  CHECK_INT(torsor_signals_count(signals), count);
  for (int i = 0; i < count; ++i) CHECK_STR(torsor_signals_name(signals, i), expected[i]);
  torsor_signals_destroy(signals);
}

static void names_stand_for_what_is_below(void **state) {
  (void)state;
  support_world world;
  open_scene(&world, "group=SE3");
  static const char *const position[] = {"top.position.x", "top.position.y", "top.position.z"};
  static const char *const hinge[] = {
      "hinge.angle",          "hinge.rate",           "hinge.lambda.0",
      "hinge.lambda.1",       "hinge.lambda.2",       "hinge.lambda.3",
      "hinge.lambda.4",       "hinge.force.x",        "hinge.force.y",
      "hinge.force.z",        "hinge.moment.x",       "hinge.moment.y",
      "hinge.moment.z",       "hinge.phi.0",          "hinge.phi.1",
      "hinge.phi.2",          "hinge.phi.3",          "hinge.phi.4",
      "hinge.phi_velocity.0", "hinge.phi_velocity.1", "hinge.phi_velocity.2",
      "hinge.phi_velocity.3", "hinge.phi_velocity.4"};
  static const char *const energy[] = {"energy.kinetic", "energy.potential", "energy.elastic",
                                       "energy.total",   "energy.supplied",  "energy.dissipated",
                                       "energy.balance"};
  static const char *const stone[] = {
      "stone.position.x",     "stone.position.y",     "stone.position.z",
      "stone.velocity.x",     "stone.velocity.y",     "stone.velocity.z",
      "stone.acceleration.x", "stone.acceleration.y", "stone.acceleration.z"};
  expect_names(&world, "top.position", position, 3);
  expect_names(&world, "top.position.y", position + 1, 1);
  expect_names(&world, "hinge", hinge, 23);
  expect_names(&world, "energy", energy, 7);
  expect_names(&world, "stone", stone, 9); /* a point has no orientation */
  torsor_signals *signals = choose(&world, (const char *const[]){"top"}, 1);
  CHECK_INT(torsor_signals_count(signals), 25); /* without top2 */
  torsor_signals_destroy(signals);
  support_close(&world);
}

static void order_and_repetition(void **state) {
  (void)state;
  support_world world;
  open_scene(&world, "group=SE3");
  static const char *const names[] = {"energy.total", "top.position.y", "top.position",
                                      "energy.total"};
  static const char *const expected[] = {"energy.total", "top.position.y", "top.position.x",
                                         "top.position.z"};
  torsor_signals *signals = choose(&world, names, 4);
  CHECK_INT(torsor_signals_count(signals), 4);
  for (int i = 0; i < 4; ++i) CHECK_STR(torsor_signals_name(signals, i), expected[i]);
  CHECK_STR(torsor_signals_unit(signals, 0), "J");
  CHECK_STR(torsor_signals_unit(signals, 1), "m");
  torsor_signals_destroy(signals);
  support_close(&world);
}

static void default_choice(void **state) {
  (void)state;
  support_world world;
  open_scene(&world, "group=SE3");
  torsor_signals *signals = choose(&world, NULL, 0);
  /* position, quaternion, velocity, angular velocity of two bodies, position and velocity of a
   * point, angle, rate and five multipliers, four energies */
  CHECK_INT(torsor_signals_count(signals), 2 * 13 + 6 + 7 + 4);
  torsor_signals_destroy(signals);
  support_close(&world);
}

static void unknown_names(void **state) {
  (void)state;
  static const struct {
    const char *name, *hint;
  } cases[] = {{"top.positon", "top.position"},
               {"topp", "\"top\""},
               {"hinge.forces.x", "hinge.force.x"},
               {"top.position.w", "top.position"},
               {"energi", "energy"},
               {"completely wrong", "torsor list"},
               {"", "torsor list"},
               {"top.", "top"},
               {".", "torsor list"}};
  support_world world;
  open_scene(&world, "group=SE3");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char *const names[] = {"top.position", cases[i].name};
    torsor_signals *signals;
    torsor_error error = {0};
    int index = -1;
    CHECK_INT(torsor_signals_create(&signals, world.model, names, 2, &index, &error), TORSOR_SCENE);
    CHECK_TRUE(signals == NULL);
    CHECK_INT(index, 1);
    CHECK_CONTAINS(error.message, cases[i].name);
    CHECK_CONTAINS(error.hint, cases[i].hint);
    CHECK_INT(torsor_signals_create(&signals, world.model, names, 2, NULL, NULL), TORSOR_SCENE);
  }
  torsor_signals_destroy(NULL);
  support_close(&world);
}

/* Values at the start, by their meaning; the same on both groups. */
static void start_values(support_trace *trace, const char *group, const char *const *names) {
  support_world world;
  torsor_summary summary;
  torsor_error error = {0};
  open_scene(&world, group);
  *trace = (support_trace){0};
  CHECK_INT(
      support_run_as(trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error),
      TORSOR_OK);
  CHECK_INT(trace->rows, 1);
  support_close(&world);
}

static void expect_vector(const double *value, v3 expected, const char *name) {
  const double error = v3_norm(v3_sub(v3_load(value), expected));
  const double bound = 100 * CHECK_EPS * (1 + v3_norm(expected));
  check_report(name, error, bound);
  CHECK_LE(error, bound);
}

static void values_mean_what_they_say(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static const char *const names[] = {
      "top.position",       "top.velocity",     "top.angular_velocity", "top.rotation_vector",
      "momentum",           "angular_momentum", "energy.kinetic",       "energy.potential",
      "stone.acceleration", "hinge.rate",       "stone.velocity",       NULL};
  const so3 R = so3_exp((v3){0.4, -0.3, 1.2});
  const v3 x = {1, 2, 3}, v = {1, -2, 0.5}, Omega = {3, 1, -2}, c = {0.1, 0.2, -0.3};
  /* Centre of mass of top; top2 turns with top about everything but the hinge axis. */
  const v3 xc = v3_add(x, so3_rotate(R, c));
  const v3 vc = v3_add(v, so3_rotate(R, v3_cross(Omega, c)));
  const v3 spin = {3, 1, 0}; /* of top2, in the axes of top */
  for (int i = 0; i < 2; ++i) {
    support_trace trace;
    start_values(&trace, groups[i], names);
    const double *row = support_row(&trace, 0) + 1;
    print_message(" %s\n", groups[i]);
    expect_vector(row, x, "position");
    expect_vector(row + 3, v, "velocity, inertial axes");
    expect_vector(row + 6, Omega, "angular velocity, body axes");
    expect_vector(row + 9, (v3){0.4, -0.3, 1.2}, "rotation vector");
    const v3 stone = {0, 6, 0};
    const v3 p = v3_add(v3_scale(vc, 2), v3_add(v, stone));
    expect_vector(row + 12, p, "momentum");
    /* top2 rides on the hinge: its spin about the axis is the one of least energy, none. */
    const v3 own = so3_rotate(R, (v3){0.3 * 3, 0.4 * 1, 0.5 * -2});
    const v3 rider = so3_rotate(R, v3_scale(spin, 0.1));
    v3 L = v3_add(v3_cross(xc, v3_scale(vc, 2)), v3_cross(x, v));
    L = v3_add(L, v3_add(own, v3_add(rider, v3_cross((v3){5, 0, 1}, stone))));
    expect_vector(row + 15, L, "angular momentum about the origin");
    const double kinetic = v3_dot(vc, vc) + (0.3 * 9 + 0.4 * 1 + 0.5 * 4) / 2 + v3_dot(v, v) / 2 +
                           0.1 * v3_dot(spin, spin) / 2 + 3 * 4 / 2.0;
    const double potential = 9.81 * (2 * xc.z + 3 + 3 * 1);
    CHECK_NEAR(row[18], kinetic, 100 * CHECK_EPS * kinetic);
    CHECK_NEAR(row[19], potential, 100 * CHECK_EPS * potential);
    expect_vector(row + 20, (v3){0, 0, -9.81}, "acceleration of a free point");
    CHECK_NEAR(row[23], 2, 100 * CHECK_EPS); /* top2 stands still against top's -2 */
    expect_vector(row + 24, (v3){0, 2, 0}, "velocity of a free point");
    support_trace_release(&trace);
  }
}

/* pivot.force of the heavy top is the multiplier of Arnold, Bruels and Cardona 2015 (62). */
static void force_of_the_heavy_top(void **state) {
  (void)state;
  static const char *const names[] = {"heavy_top", "heavy_top_se3"};
  static const char *const signals[] = {"pivot.force", "pivot.moment", "top.acceleration", NULL};
  for (int i = 0; i < 2; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    support_load(&world, names[i], (const char *const[]){"simulation.duration=0", NULL});
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, NULL),
              TORSOR_OK);
    const double *row = support_row(&trace, 0) + 1;
    expect_vector(row, (v3){0, -319.525988166, -317.26246153846154}, "force");
    expect_vector(row + 3, v3_zero(), "moment");
    expect_vector(row + 6, (v3){0, -21.3017325444, -30.960830769230768}, "acceleration");
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* No error of whole numbers is estimated: they change at once. */
static void whole_numbers_are_known(void **state) {
  static const char *const words[] = {"touching", "candidates", "status", "count", NULL};
  static const char *const scenes[][2] = {
      {"marbles", "marbles"}, {"marbles", "marbles.on"}, {"stack_of_boxes", "floor"}};
  (void)state;
  int found = 0;
  for (int k = 0; k < 3; ++k) {
    support_world world;
    support_load(&world, scenes[k][0], NULL);
    torsor_signals *signals = choose(&world, &scenes[k][1], 1);
    for (int i = 0; i < torsor_signals_count(signals); ++i) {
      const char *name = strrchr(torsor_signals_name(signals, i), '.') + 1;
      bool whole = false;
      for (int j = 0; words[j]; ++j) whole |= strcmp(words[j], name) == 0;
      CHECK_INT(signals_column_counts(signals, i), whole);
      found += whole;
    }
    torsor_signals_destroy(signals);
    support_close(&world);
  }
  CHECK_INT(found, 3 + 5); /* five marbles */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_stand_for_what_is_below),
      cmocka_unit_test(order_and_repetition),
      cmocka_unit_test(default_choice),
      cmocka_unit_test(unknown_names),
      cmocka_unit_test(values_mean_what_they_say),
      cmocka_unit_test(force_of_the_heavy_top),
      cmocka_unit_test(whole_numbers_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
