/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies that are placed by guess are moved to fit their joints; what is exact stays. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/start/initial.h"
#include "analysis/start/placement.h"
#include "check.h"
#include "support.h"

/* Positions are sums of a few rotated lever arms. */
#define ROUND_OFF (16 * DBL_EPSILON)

#define BAR(name, arm, x, y, angle, more)                                                          \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, 0.1, 0.1]," \
  " \"position\": [" x ", " y ", 0],"                                                              \
  " \"orientation\": {\"euler\": \"zyx\", \"angles\": [" angle ", 0, 0]}" more "}"
#define PIN(name, a, ax, b, bx)                                                                    \
  "{\"name\": \"" name "\", \"type\": \"revolute\","                                               \
  " \"a\": {\"body\": \"" a "\", \"position\": [" ax ", 0, 0]},"                                   \
  " \"b\": {\"body\": \"" b "\", \"position\": [" bx ", 0, 0]}}"
/* Four-bar of crank 0.8, coupler 2, rocker 1.4 over a base of 2 m. */
#define FOUR_BAR(top, crank, coupler, rocker)                                                      \
  "{\"torsor\": 1, " top "\"bodies\": [" crank ", " coupler ", " rocker                            \
  "], \"joints\": [" PIN("A", "ground", "0", "crank", "-0.4") ", " PIN(                            \
      "B", "crank", "0.4", "coupler", "-1") ", " PIN("C", "coupler", "1", "rocker",                \
                                                     "0.7") ", " PIN("D", "ground", "2", "rocker", \
                                                                     "-0.7") "]}"
#define GUESS "\"placement\": \"guess\", "

typedef struct found {
  support_world world;
  assembly *a;
  arena memory;
  initial_state state;
  torsor_status status;
  torsor_error error;
} found;

static void find(found *f, const char *text, const char *const *set) {
  *f = (found){0};
  torsor_error error = {0};
  const torsor_status status = support_open(&f->world, text, set, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(assembly_create(&f->a, f->world.model, NULL, false, &error), TORSOR_OK);
  f->status = initial_state_find(&f->state, f->a, f->world.model, NULL, &f->memory, &f->error);
}

static void let_go(found *f) {
  arena_release(&f->memory);
  assembly_destroy(f->a);
  support_close(&f->world);
}

/* Largest residual of positions and of velocities. */
static double residual(const found *f) {
  const torsor_problem *pr = assembly_problem(f->a);
  double *phi = calloc(2 * (size_t)pr->nl, sizeof *phi), worst = 0;
  const torsor_point p = {.q = f->state.q, .v = f->state.v};
  CHECK_INT(pr->residual(pr->self, &p, NULL, phi, phi + pr->nl), TORSOR_OK);
  for (int i = 0; i < 2 * pr->nl; ++i) worst = check_max(worst, fabs(phi[i]));
  free(phi);
  return worst;
}

static const double *node_q(const found *f, int node) {
  return f->state.q + f->world.model->node[node].first_q;
}

/* Angle of a bar that lies in the plane. */
static double angle_of(const found *f, int node) {
  return so3_log(so3_load(node_q(f, node) + 3)).z;
}

/* Angle of the rocker by the cosine rule, elbow above (1) or below (-1) the diagonal. */
static double rocker_angle(double crank, double elbow) {
  const double bx = 0.8 * cos(crank) - 2, by = 0.8 * sin(crank), d = hypot(bx, by);
  const double inner = acos((d * d + 1.4 * 1.4 - 4) / (2 * d * 1.4));
  return atan2(by, bx) - elbow * inner;
}

static void each_guess_finds_its_branch(void **state) {
  (void)state;
  static const char *const texts[2] = {FOUR_BAR(GUESS, BAR("crank", "0.4", "0.1", "0.4", "1.3", ""),
                                                BAR("coupler", "1", "1", "1.2", "0", ""),
                                                BAR("rocker", "0.7", "2.1", "0.7", "1.2", "")),
                                       FOUR_BAR(GUESS, BAR("crank", "0.4", "0.1", "0.4", "1.3", ""),
                                                BAR("coupler", "1", "0.7", "-0.1", "-1", ""),
                                                BAR("rocker", "0.7", "1.6", "-0.6", "-2.1", ""))};
  for (int branch = 0; branch < 2; ++branch) {
    found f;
    find(&f, texts[branch], NULL);
    if (f.status) print_error("%s\n", f.error.message);
    CHECK_INT(f.status, TORSOR_OK);
    check_report(branch ? "elbow below: residual" : "elbow above: residual", residual(&f),
                 2 * ROUND_OFF);
    CHECK_LE(residual(&f), 2 * ROUND_OFF);
    const double expected = rocker_angle(angle_of(&f, 0), branch ? -1 : 1);
    const double off = remainder(angle_of(&f, 2) - expected, 2 * M_PI);
    check_report("  rocker against the cosine rule", fabs(off), 4 * ROUND_OFF);
    CHECK_NEAR(off, 0, 4 * ROUND_OFF);
    CHECK_NEAR(angle_of(&f, 0), 1.3, 0.3);
    let_go(&f);
  }
}

/* A body that is exact is not moved by a bit, and the others come to it. */
static void what_is_exact_stays(void **state) {
  (void)state;
  found f;
  find(&f,
       FOUR_BAR(GUESS,
                BAR("crank", "0.4", "\"0.4*cos(1.3)\"", "\"0.4*sin(1.3)\"", "1.3",
                    ", \"placement\": \"exact\""),
                BAR("coupler", "1", "1", "1.2", "0", ""),
                BAR("rocker", "0.7", "2.1", "0.7", "1.2", "")),
       NULL);
  CHECK_INT(f.status, TORSOR_OK);
  const placement_change crank = placement_moved(&f.world.model->node[0], f.state.q);
  const placement_change coupler = placement_moved(&f.world.model->node[1], f.state.q);
  /* the rest may move it by round-off, as it does every body */
  CHECK_LE(crank.distance, ROUND_OFF);
  CHECK_LE(crank.angle, ROUND_OFF);
  CHECK_TRUE(coupler.distance > 0.01);
  CHECK_NEAR(remainder(angle_of(&f, 2) - rocker_angle(1.3, 1), 2 * M_PI), 0, 4 * ROUND_OFF);
  let_go(&f);
}

/* A velocity keeps its inertial axes on both groups. */
static void velocities_keep_their_axes(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"placement\": \"guess\", \"bodies\": [{\"name\": \"rod\","
      " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.2],"
      " \"position\": [0.2, 0.1, 0.1], \"velocity\": [0, 0, 0.5], \"angular_velocity\": [0, 0, "
      "0]}],"
      " \"joints\": [{\"name\": \"sleeve\", \"type\": \"cylindrical\", \"axis\": [0, 0, 1],"
      " \"axis_b\": [\"sin(0.4)\", 0, \"cos(0.4)\"], \"a\": \"ground\", \"b\": \"rod\"}]}";
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  for (int g = 0; g < 2; ++g) {
    const char *const set[] = {groups[g], NULL};
    found f;
    find(&f, text, set);
    CHECK_INT(f.status, TORSOR_OK);
    const so3 R = so3_load(node_q(&f, 0) + 3);
    v3 velocity = v3_load(f.state.v);
    if (g) velocity = so3_rotate(R, velocity);
    CHECK_NEAR(v3_norm(so3_log(R)), 0.4, ROUND_OFF);
    CHECK_NEAR(v3_norm(v3_sub(velocity, (v3){0, 0, 0.5})), 0, ROUND_OFF);
    let_go(&f);
  }
}

static void spins_keep_their_axes(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\", \"mass\": 1,"
      " \"inertia\": [0.1, 0.2, 0.2], \"placement\": \"guess\","
      " \"orientation\": {\"rotation_vector\": [0.2, 0, 0]},"
      " \"angular_velocity\": {\"in\": \"inertial\", \"value\": [0, 0, 2]}}],"
      " \"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"axis\": [0, 0, 1],"
      " \"axis_b\": [0, 0, 1], \"a\": \"ground\", \"b\": \"rotor\"}]}";
  found f;
  find(&f, text, NULL);
  CHECK_INT(f.status, TORSOR_OK);
  const v3 spin = so3_rotate(so3_load(node_q(&f, 0) + 3), v3_load(f.state.v + 3));
  CHECK_NEAR(v3_norm(v3_sub(spin, (v3){0, 0, 2})), 0, 2 * ROUND_OFF);
  CHECK_LE(residual(&f), 2 * ROUND_OFF);
  let_go(&f);
}

static void what_cannot_fit_is_named(void **state) {
  (void)state;
  static const char *const text = FOUR_BAR(GUESS, BAR("crank", "0.4", "0.1", "0.4", "1.3", ""),
                                           BAR("coupler", "1", "1", "1.2", "0", ""),
                                           BAR("rocker", "0.7", "2.1", "0.7", "1.2", ""));
  static const char *const set[] = {"joints.D.a.position=[20, 0, 0]", NULL};
  found f;
  find(&f, text, set);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  print_message("  %s\n  %s\n", f.error.message, f.error.hint);
  CHECK_CONTAINS(f.error.message, "contradict joint");
  CHECK_CONTAINS(f.error.hint, "guess closer");
  let_go(&f);

  /* without a guess it is refused as it stands, and the hint knows the way out */
  static const char *const exact[] = {"placement=\"exact\"", NULL};
  find(&f, text, exact);
  CHECK_INT(f.status, TORSOR_INCONSISTENT);
  CHECK_CONTAINS(f.error.hint, "\"placement\": \"guess\"");
  let_go(&f);
}

static int reported;

static void count_lines(void *data, const char *message) {
  (void)data;
  print_message("  %s\n", message);
  ++reported;
}

/* A chain hung up between two points from links thrown about: 30 rad and metres off in all. */
static void a_tangle_is_assembled(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"parameters\": {\"n\": 40}, \"placement\": \"guess\", \"bodies\": ["
      "{\"name\": \"link${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1,"
      " \"inertia\": [0.01, 0.02, 0.02], \"position\": [\"0.6*i + 0.3*sin(7*i)\", \"cos(5*i)\","
      " \"0.5*sin(3*i)\"], \"orientation\": {\"rotation_vector\": [\"sin(i)\", \"cos(2*i)\","
      " \"sin(5*i)\"]}}], \"joints\": ["
      "{\"name\": \"left\", \"type\": \"spherical\", \"a\": \"ground\","
      " \"b\": {\"body\": \"link0\", \"position\": [-0.5, 0, 0]}},"
      "{\"name\": \"joint${i}\", \"repeat\": \"n - 1\", \"type\": \"spherical\","
      " \"a\": {\"body\": \"link${i}\", \"position\": [0.5, 0, 0]},"
      " \"b\": {\"body\": \"link${i + 1}\", \"position\": [-0.5, 0, 0]}},"
      "{\"name\": \"right\", \"type\": \"spherical\", \"a\": {\"body\": \"ground\","
      " \"position\": [25, 0, 0]}, \"b\": {\"body\": \"link39\", \"position\": [0.5, 0, 0]}}]}";
  found f;
  find(&f, text, NULL);
  if (f.status) print_error("%s\n", f.error.message);
  CHECK_INT(f.status, TORSOR_OK);
  check_report("tangle: residual", residual(&f), 25 * ROUND_OFF);
  CHECK_LE(residual(&f), 25 * ROUND_OFF);
  reported = 0;
  initial_state_tell(&f.state, f.world.model, count_lines, NULL);
  CHECK_INT(reported, 11);
  let_go(&f);
}

/* The four-bar in the size s, masses s^3. */
#define SIZED_BAR(name, x, y, angle)                                                               \
  "{\"name\": \"" name                                                                             \
  "\", \"type\": \"rigid_body\", \"mass\": \"s^3\", \"inertia\": [\"s^5/100\", "                   \
  "\"s^5/10\", \"s^5/10\"], \"position\": [\"" x "*s\", \"" y                                      \
  "*s\", 0], \"orientation\": {\"euler\": "                                                        \
  "\"zyx\", \"angles\": [" angle ", 0, 0]}}"
#define SIZED_PIN(name, a, ax, b, bx)                                                              \
  "{\"name\": \"" name "\", \"type\": \"revolute\", \"a\": {\"body\": \"" a                        \
  "\", \"position\": [\"" ax "*s\", 0, 0]}, \"b\": {\"body\": \"" b "\", \"position\": [\"" bx     \
  "*s\", 0, 0]}}"

/* The steps are the same but for rounding, which the damping multiplies by the roots of 1e-8: the
 * last step ends within 1e-9. */
static void guesses_of_any_size(void **state) {
  (void)state;
  /* clang-format off */
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"s\": 1}, \"placement\": \"guess\", \"bodies\": ["
      SIZED_BAR("crank", "0.1", "0.4", "1.3") ", "
      SIZED_BAR("coupler", "1", "1.2", "0") ", "
      SIZED_BAR("rocker", "2.1", "0.7", "1.2") "], \"joints\": ["
      SIZED_PIN("A", "ground", "0", "crank", "-0.4") ", "
      SIZED_PIN("B", "crank", "0.4", "coupler", "-1") ", "
      SIZED_PIN("C", "coupler", "1", "rocker", "0.7") ", "
      SIZED_PIN("D", "ground", "2", "rocker", "-0.7") "]}";
  /* clang-format on */
  double one[3] = {0};
  for (int exponent = 0; exponent <= 4; exponent += 1) {
    found f;
    char size[40];
    snprintf(size, sizeof size, "parameters.s=1e%d", exponent);
    const char *const set[] = {size, NULL};
    find(&f, scene, set);
    if (f.status) print_error("%s: %s\n", size, f.error.message);
    CHECK_INT(f.status, TORSOR_OK);
    for (int i = 0; i < 3; ++i) {
      if (!exponent) one[i] = angle_of(&f, i);
      CHECK_NEAR(angle_of(&f, i), one[i], 1e-9);
    }
    print_message("  %s: crank at %.12f rad\n", size, angle_of(&f, 0));
    let_go(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_guess_finds_its_branch), cmocka_unit_test(what_is_exact_stays),
      cmocka_unit_test(velocities_keep_their_axes),  cmocka_unit_test(spins_keep_their_axes),
      cmocka_unit_test(what_cannot_fit_is_named),    cmocka_unit_test(a_tangle_is_assembled),
      cmocka_unit_test(guesses_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
