/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints whose rows hold in positions that they do not mean: refused, left by bodies that are
 * placed by guess, and not entered by a step. */
#include <stdio.h>

#include "analysis/start/initial.h"
#include "assembly/assembly_private.h"
#include "check.h"
#include "support.h"

static const char *const groups[] = {"R3xSO3", "SE3"};

/* A body that hangs on another one, which is turned and moved, by markers that are turned as
 * well. */
static const char scene[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"base\", \"type\": \"rigid_body\", \"mass\": 2, "
    "\"inertia\": [0.2, 0.3, 0.4], \"group\": \"%s\", \"position\": [0.3, -0.2, 0.1], "
    "\"orientation\": {\"rotation_vector\": [0.4, -0.7, 0.9]}}, {\"name\": \"arm\", \"type\": "
    "\"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.25], \"group\": \"%s\"%s, "
    "\"position\": [%.17g, %.17g, %.17g], \"orientation\": {\"quaternion\": [%.17g, %.17g, %.17g, "
    "%.17g]}}], \"joints\": [{\"name\": \"joint\", \"type\": \"%s\"%s, \"a\": {\"body\": \"base\", "
    "\"position\": [0.1, 0.2, -0.1], \"orientation\": {\"rotation_vector\": [0.3, 0.2, -0.5]}}, "
    "\"b\": {\"body\": \"arm\", \"position\": [-0.2, 0.1, 0.3], \"orientation\": "
    "{\"rotation_vector\": [-0.6, 0.1, 0.2]}}}]}";

static const se3 base = {{0}, {0.3, -0.2, 0.1}};

static se3 marker(v3 at, v3 turn) {
  return (se3){so3_exp(turn), at};
}

/* Frame of the arm whose marker b stands at `relative` in marker a. */
static se3 arm_at(se3 relative) {
  const se3 body = {so3_exp((v3){0.4, -0.7, 0.9}), base.x};
  const se3 a = marker((v3){0.1, 0.2, -0.1}, (v3){0.3, 0.2, -0.5});
  const se3 b = marker((v3){-0.2, 0.1, 0.3}, (v3){-0.6, 0.1, 0.2});
  return se3_compose(se3_compose(body, se3_compose(a, relative)), se3_inverse(b));
}

typedef struct found {
  support_world world;
  assembly *a;
  arena memory;
  initial_state state;
  torsor_status status;
  torsor_error error;
} found;

static void find(found *f, const char *group, const char *type, const char *more, bool guess,
                 se3 relative) {
  char text[3000];
  const se3 arm = arm_at(relative);
  *f = (found){0};
  snprintf(text, sizeof text, scene, group, group, guess ? ", \"placement\": \"guess\"" : "",
           arm.x.x, arm.x.y, arm.x.z, arm.R.w, arm.R.x, arm.R.y, arm.R.z, type, more);
  if (support_open(&f->world, text, NULL, &f->error))
    fail_msg("%s: %s: %s", type, f->error.path, f->error.message);
  CHECK_INT(assembly_create(&f->a, f->world.model, NULL, false, NULL), TORSOR_OK);
  f->status = initial_state_find(&f->state, f->a, f->world.model, NULL, &f->memory, &f->error);
}

static void let_go(found *f) {
  arena_release(&f->memory);
  assembly_destroy(f->a);
  support_close(&f->world);
}

/* Rotation from marker b to marker a where the state has put them. */
static m3 relative_now(const found *f) {
  const torsor_point p = {.q = f->state.q};
  const m3 a = so3_rodrigues((v3){0.3, 0.2, -0.5}), b = so3_rodrigues((v3){-0.6, 0.1, 0.2});
  assembly_set_motion(f->a, &p);
  return m3_tmul(m3_mul(assembly_motion(f->a, 0)->R, a), m3_mul(assembly_motion(f->a, 1)->R, b));
}

/* Joints that hold with R = identity, and what of R they keep: all of it, an axis, or, of the
 * shafts (x, y, z) the one along z, which may bend, or that x of a is across y of b. */
typedef enum keeps { ALL, AXIS, SHAFT, CROSS } keeps;
typedef struct kind {
  const char *type, *more;
  keeps keeps;
} kind;

#define AXES ", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 1]"
static const kind kinds[] = {
    {"weld", "", ALL},
    {"motion", ", \"x\": 0, \"y\": 0, \"z\": 0, \"angle\": 0", ALL},
    {"motion", ", \"angle\": \"0*t\"", ALL},
    {"revolute", AXES, AXIS},
    {"cylindrical", AXES, AXIS},
    {"screw", AXES ", \"pitch\": 0.1", AXIS},
    {"planar", ", \"normal\": [0, 0, 1], \"normal_b\": [0, 0, 1]", AXIS},
    {"constant_velocity", AXES, SHAFT},
    {"universal", "", CROSS},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Rotations in which the rows of a kind are 0 though it does not mean them. */
static int far_turns(v3 turn[8], keeps what) {
  const double third = 2 * M_PI / 3 / sqrt(3);
  const v3 half[3] = {{M_PI, 0, 0}, {0, M_PI, 0}, {0, 0, M_PI}};
  int count = 0;
  if (what == CROSS) return 0;
  if (what == SHAFT) { /* how it is twisted follows from the start */
    turn[count++] = half[0];
    turn[count++] = half[1];
    return count;
  }
  turn[count++] = half[0];
  turn[count++] = half[1];
  if (what == AXIS) {
    turn[count++] = (v3){M_PI * 0.6, M_PI * 0.8, 0};
    return count;
  }
  turn[count++] = half[2];
  turn[count++] = (v3){-third, -third, -third}; /* cyclic, with e3.R e2 = e1.R e3 = e2.R e1 = 0 */
  turn[count++] = (v3){-third, third, third};
  turn[count++] = (v3){third, -third, third};
  turn[count++] = (v3){third, third, -third};
  return count;
}

/* How far R is from what a kind means. */
static double off(m3 R, keeps what) {
  if (what == AXIS) return hypot(R.m[0][2], R.m[1][2]) + fmax(0, -R.m[2][2]);
  if (what == SHAFT) return R.m[2][2] < -0.999 ? 1 : 0;
  if (what == CROSS) return fabs(R.m[0][1]);
  double most = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) most = fmax(most, fabs(R.m[i][j] - (i == j)));
  return most;
}

static bool holds(const found *f) {
  double phi[TORSOR_ELEMENT_ROWS] = {0}, most = 0;
  const torsor_problem *pr = assembly_problem(f->a);
  const torsor_point p = {.q = f->state.q};
  CHECK_INT(pr->residual(pr->self, &p, NULL, phi, NULL), TORSOR_OK);
  for (int i = 0; i < pr->nl; ++i) most = fmax(most, fabs(phi[i]));
  return most <= 64 * CHECK_EPS; /* sums of products of a few rotations */
}

static void exact_bodies_are_refused(void **state) {
  (void)state;
  int refused = 0, missing = 0;
  for (int k = 0; k < KINDS; ++k)
    for (int g = 0; g < 2; ++g) {
      v3 turn[8];
      const int count = far_turns(turn, kinds[k].keeps);
      for (int i = 0; i < count; ++i) {
        found f;
        find(&f, groups[g], kinds[k].type, kinds[k].more, false,
             (se3){so3_exp(turn[i]), {0, 0, 0}});
        CHECK_TRUE(holds(&f)); /* its rows do not tell */
        if (f.status != TORSOR_INCONSISTENT) {
          ++missing;
          print_error("%s turn %d is accepted\n", kinds[k].type, i);
        } else {
          CHECK_CONTAINS(f.error.message, "\"joint\"");
          CHECK_CONTAINS(f.error.hint, "\"placement\": \"guess\"");
          ++refused;
        }
        let_go(&f);
      }
    }
  print_message("  %d positions refused\n", refused);
  CHECK_INT(missing, 0);
}

/* From any guess, also one at 90 degrees or in the far position itself, the near side is
 * reached. */
static void guesses_come_to_the_near_side(void **state) {
  (void)state;
  check_rng rng = {3};
  int count = 0, wrong = 0;
  double worst = 0;
  for (int k = 0; k < KINDS; ++k)
    for (int n = 0; n < 60; ++n) {
      v3 turn[8];
      const int far = far_turns(turn, kinds[k].keeps);
      v3 w = {check_uniform(&rng, -1, 1), check_uniform(&rng, -1, 1), check_uniform(&rng, -1, 1)};
      w = v3_scale(w, check_uniform(&rng, 0, M_PI) / v3_norm(w));
      if (n < far) w = turn[n];
      if (n == far) w = (v3){M_PI / 2, 0, 0};
      if (n == far + 1) w = (v3){0, -M_PI / 2, 0};
      if (n == far + 2) w = (v3){3.05, 0, 0};
      if (n == far + 3) w = (v3){0, 0, -M_PI / 2};
      const v3 p = {check_uniform(&rng, -0.2, 0.2), check_uniform(&rng, -0.2, 0.2), 0.1};
      found f;
      find(&f, groups[n % 2], kinds[k].type, kinds[k].more, true, (se3){so3_exp(w), p});
      if (f.status) {
        ++wrong;
        print_error("%s from [%g, %g, %g]: %s\n", kinds[k].type, w.x, w.y, w.z, f.error.message);
      } else {
        worst = check_max(worst, off(relative_now(&f), kinds[k].keeps));
      }
      ++count;
      let_go(&f);
    }
  print_message("  %d guesses\n", count);
  check_report("off from what the joint means", worst, 64 * CHECK_EPS);
  CHECK_INT(wrong, 0);
  CHECK_LE(worst, 64 * CHECK_EPS);
}

/* Types whose axes follow from the start hold there by themselves; a step into the far position is
 * none. */
static void steps_do_not_enter(void **state) {
  (void)state;
  static const kind all[] = {{"prismatic", "", ALL},    {"constant_orientation", "", ALL},
                             {"weld", "", ALL},         {"revolute", AXES, AXIS},
                             {"cylindrical", "", AXIS}, {"screw", ", \"pitch\": 0.1", AXIS},
                             {"planar", "", AXIS},      {"constant_velocity", "", SHAFT}};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    v3 turn[8];
    const int count = far_turns(turn, all[k].keeps);
    for (int i = 0; i < count; ++i) {
      found f, far;
      find(&f, "R3xSO3", all[k].type, all[k].more, false, se3_identity());
      CHECK_INT(f.status, TORSOR_OK);
      find(&far, "R3xSO3", "spherical", "", false, (se3){so3_exp(turn[i]), {0, 0, 0}});
      const torsor_problem *pr = assembly_problem(f.a);
      const torsor_point start = {.q = f.state.q, .v = f.state.v};
      const torsor_point next = {.t = 1e-3, .q = far.state.q, .v = f.state.v};
      const torsor_point same = {.t = 1e-3, .q = f.state.q, .v = f.state.v};
      assembly_start_coordinates(f.a, &start);
      CHECK_INT(pr->accept(pr->self, &next), TORSOR_DOMAIN);
      CHECK_INT(assembly_failed_element(f.a), 2);
      CHECK_INT(pr->accept(pr->self, &same), TORSOR_OK);
      let_go(&f);
      let_go(&far);
    }
  }
}

/* Three hinges in a row, all of whose guesses are turned round, and a body that is held at its
 * other end. */
static void chains_and_first_markers(void **state) {
  (void)state;
  static const char chain[] =
      "{\"torsor\": 1, \"placement\": \"guess\", \"bodies\": ["
      "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "
      "\"position\": [0.4, 0, 0.1], \"orientation\": {\"rotation_vector\": [3.0, 0.1, 0]}}, "
      "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "
      "\"position\": [1.5, 0.1, 0], \"orientation\": {\"rotation_vector\": [0.2, 2.9, 0]}}, "
      "{\"name\": \"c\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "
      "\"position\": [2.4, 0, -0.1], \"orientation\": {\"rotation_vector\": [0, 0.1, 3]}}], "
      "\"joints\": ["
      "{\"name\": \"j1\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 1], "
      "\"a\": {\"body\": \"a\", \"position\": [-0.5, 0, 0]}, \"b\": \"ground\"}, "
      "{\"name\": \"j2\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 1], "
      "\"a\": {\"body\": \"a\", \"position\": [0.5, 0, 0]}, "
      "\"b\": {\"body\": \"b\", \"position\": [-0.5, 0, 0]}}, "
      "{\"name\": \"j3\", \"type\": \"weld\", \"a\": {\"body\": \"b\", \"position\": [0.5, 0, 0]}, "
      "\"b\": {\"body\": \"c\", \"position\": [-0.5, 0, 0]}}]}";
  found f = {0};
  CHECK_INT(support_open(&f.world, chain, NULL, &f.error), TORSOR_OK);
  CHECK_INT(assembly_create(&f.a, f.world.model, NULL, false, NULL), TORSOR_OK);
  f.status = initial_state_find(&f.state, f.a, f.world.model, NULL, &f.memory, &f.error);
  if (f.status) print_error("%s\n", f.error.message);
  CHECK_INT(f.status, TORSOR_OK);
  const torsor_point p = {.q = f.state.q};
  CHECK_INT(assembly_astray(f.a, &p), -1);
  for (int i = 0; i < 3; ++i) CHECK_NEAR(assembly_motion(f.a, i)->R.m[2][2], 1, 64 * CHECK_EPS);
  let_go(&f);
}

/* The report on an axis that a guess has rotated: it names the angle, and there is none where axes
 * agree or are given. */
static void axes_from_guesses_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *orientation, *joint, *reported;
  } cases[] = {
      {"[\"10 deg\", 0, 0]", "\"type\": \"revolute\"", "\"b\", 10 degrees"},
      {"[0, \"-25 deg\", 0]", "\"type\": \"planar\"", "give \"normal_b\""},
      {"[\"10 deg\", 0, 0]", "\"type\": \"prismatic\"", "turned by 10 degrees"},
      {"[0, 0, \"10 deg\"]", "\"type\": \"revolute\"", NULL},
      {"[\"10 deg\", 0, 0]", "\"type\": \"revolute\", \"axis_b\": [0, 0, 1]", NULL},
      {"[0, 0, 0]", "\"type\": \"prismatic\"", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[900];
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    snprintf(
        text, sizeof text,
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
        "\"inertia\": [1, 1, 1], \"placement\": \"guess\", \"orientation\": {\"rotation_vector\": "
        "%s}}], \"joints\": [{\"name\": \"h\", %s, \"a\": \"ground\", \"b\": \"b\"}]}",
        cases[i].orientation, cases[i].joint);
    if (support_open(&world, text, NULL, &error) || support_run(&trace, &summary, &world, &error))
      fail_msg("%s", error.message);
    const char *reported = strstr(trace.warnings, "follows from the guessed");
    CHECK_TRUE(!reported == !cases[i].reported);
    if (reported) CHECK_CONTAINS(reported, cases[i].reported);
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* An axis that is off by 1e-3 of the size is refused, one that is off by 1e-8 counts as rounding,
 * at any size. */
static void rounding_follows_the_size(void **state) {
  (void)state;
  static const double sizes[] = {1e-6, 1e-3, 1, 1e4}, off[] = {1e-3, 1e-8};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 2; ++k) {
      const double s = sizes[i];
      char text[900];
      found f = {0};
      snprintf(
          text, sizeof text,
          "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
          "\"inertia\": [%.17g, %.17g, %.17g], \"position\": [%.17g, 0, 0]}], \"joints\": "
          "[{\"name\": "
          "\"h\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": {\"body\": \"b\", "
          "\"position\": "
          "[%.17g, 0, 0]}}]}",
          s * s, s * s, s * s, s * (1 + off[k]), -s);
      if (support_open(&f.world, text, NULL, &f.error)) fail_msg("%s", f.error.message);
      CHECK_INT(assembly_create(&f.a, f.world.model, NULL, false, NULL), TORSOR_OK);
      f.status = initial_state_find(&f.state, f.a, f.world.model, NULL, &f.memory, &f.error);
      CHECK_INT(f.status, k ? TORSOR_OK : TORSOR_INCONSISTENT);
      let_go(&f);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_bodies_are_refused),
      cmocka_unit_test(guesses_come_to_the_near_side),
      cmocka_unit_test(steps_do_not_enter),
      cmocka_unit_test(chains_and_first_markers),
      cmocka_unit_test(axes_from_guesses_are_reported),
      cmocka_unit_test(rounding_follows_the_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
