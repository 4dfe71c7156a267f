/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redundant constraints: the motion is that of the independent ones, the multipliers are those of
 * least norm. */
#include <stdio.h>

#include "check.h"
#include "support.h"

#define ROD(name, x, y, more)                                                                      \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.15]," \
  " \"position\": [" x ", " y ", 0]" more "}"
#define HINGE(name, a, b)                                                                          \
  "{\"name\": \"" name "\", \"type\": \"revolute\", \"a\": " a ", \"b\": " b "}"
#define AT(body, x, y) "{\"body\": \"" body "\", \"position\": [" x ", " y ", 0]}"

/* A four-bar linkage in a plane: crank 1, coupler 2, rocker 2 over a base of 2, turning from its
 * start by the spin of the crank under gravity. */
/* clang-format off */
#define FOUR_BAR(closure) \
  "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [" \
  ROD("crank", "0", "0.5", ", \"angular_velocity\": [0, 0, 6]") "," \
  ROD("coupler", "1", "1.5", "") "," ROD("rocker", "2", "1", "") "],\"joints\": [" \
  HINGE("A", "\"ground\"", AT("crank", "0", "-0.5")) "," \
  HINGE("B", AT("crank", "0", "0.5"), AT("coupler", "-1", "-0.5")) "," \
  HINGE("C", AT("coupler", "1", "0.5"), AT("rocker", "0", "1")) "," closure "]," \
  "\"simulation\": {\"step\": 2e-3, \"duration\": 2}}"
/* clang-format on */

/* The last hinge, of five rows; and the two of them that are not redundant. */
static const char closed_by_hinge[] =
    FOUR_BAR(HINGE("D", AT("ground", "2", "0"), AT("rocker", "0", "-1")));
static const char closed_by_line[] =
    FOUR_BAR("{\"name\": \"D\", \"type\": \"point_on_line\", \"a\": " AT(
        "ground", "2", "0") ", \"b\": " AT("rocker", "0", "-1") "}");

static support_trace run(const char *text, const char *const *set, const char *const *signals) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

/* The same discrete motion, whichever rows close the loop: what differs is Newton's tolerance (1e-8
 * of accelerations of some 100) over 2 s, twice integrated. */
static void motion_of_the_independent_rows(void **state) {
  (void)state;
  static const char *const signals[] = {"A.angle", "rocker.position", "energy.total", NULL};
  static const char *const variants[][3] = {{"group=R3xSO3", NULL},
                                            {"group=SE3", NULL},
                                            {"group=R3xSO3", "simulation.formulation=ggl", NULL}};
  const double bound = 1e-8 * 100 * 4 / 2;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    support_trace all = run(closed_by_hinge, variants[i], signals);
    support_trace few = run(closed_by_line, variants[i], signals);
    CHECK_CONTAINS(all.warnings, "3 of 20 constraint rows are redundant");
    CHECK_STR(few.warnings, "");
    double off = 0, turned = 0;
    for (int row = 0; row < all.rows; ++row) {
      for (int k = 1; k < all.columns; ++k)
        off = check_max(off, fabs(support_row(&all, row)[k] - support_row(&few, row)[k]));
      turned = check_max(turned, fabs(support_row(&all, row)[1]));
    }
    print_message(" %s %s: %.3g rad turned\n", variants[i][0], variants[i][1] ? variants[i][1] : "",
                  turned);
    CHECK_GE(turned, 3);
    check_report("hinge against point on line", off, bound);
    CHECK_LE(off, bound);
    support_trace_release(&all);
    support_trace_release(&few);
  }
}

/* A door on two hinges at equal heights over and under its centre of mass. */
static const char door[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"leaf\","
    " \"type\": \"rigid_body\", \"mass\": 20, \"inertia\": [6.7, 7.9, 1.3],"
    " \"position\": [0.4, 0, 0], \"angular_velocity\": [0, 0, 1.5]}], \"joints\": ["
    "{\"name\": \"lower\", \"type\": \"revolute\","
    " \"a\": {\"body\": \"ground\", \"position\": [0, 0, -0.7]},"
    " \"b\": {\"body\": \"leaf\", \"position\": [-0.4, 0, -0.7]}},"
    "{\"name\": \"upper\", \"type\": \"revolute\","
    " \"a\": {\"body\": \"ground\", \"position\": [0, 0, 0.7]},"
    " \"b\": {\"body\": \"leaf\", \"position\": [-0.4, 0, 0.7]}}],"
    "\"simulation\": {\"step\": 1e-3, \"duration\": 20}, \"output\": {\"every\": 100}}";

/* Each hinge carries half of the weight for 20,000 steps, and together they hold the door on its
 * circle: m w^2 r.  Forces have Newton's tolerance, 1e-8, and the 34-fold growth of rounding errors
 * eps/(beta h^2) of positions of 1 m on 20 kg. */
static void door_on_two_hinges(void **state) {
  (void)state;
  static const char *const signals[] = {"lower.force.z",
                                        "upper.force.z",
                                        "lower.force.x",
                                        "upper.force.x",
                                        "lower.force.y",
                                        "upper.force.y",
                                        NULL};
  static const char *const formulations[][2] = {{"simulation.formulation=index3", NULL},
                                                {"simulation.formulation=ggl", NULL}};
  const double half = 20 * 9.81 / 2, circle = 20 * 1.5 * 1.5 * 0.4;
  const double bound = 1e-7 * 200 + 34 * CHECK_EPS / (0.277 * 1e-6) * 20;
  for (int i = 0; i < 2; ++i) {
    support_trace trace = run(door, formulations[i], signals);
    double worst = 0;
    for (int row = 0; row < trace.rows; ++row) {
      const double *v = support_row(&trace, row);
      worst = check_max(worst, fabs(v[1] - half));
      worst = check_max(worst, fabs(v[2] - half));
      const double pull = hypot(v[3] + v[4], v[5] + v[6]);
      /* the method's own error of the force, of second order: h^2 w^2 of it */
      worst = check_max(worst, fabs(pull - circle) - 1e-6 * 2.25 * circle);
    }
    check_report(formulations[i][0], worst, bound);
    CHECK_LE(worst, bound);
    support_trace_release(&trace);
  }
}

/* Least norm is one answer: turning the order of the joints round changes which rows are called
 * redundant, and nothing else. */
static void order_does_not_matter(void **state) {
  (void)state;
  static const char *const signals[] = {"A.force", "B.force",  "C.force",
                                        "D.force", "D.moment", NULL};
  /* clang-format off */
  static const char swapped[] =
      "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
      ROD("rocker", "2", "1", "") "," ROD("coupler", "1", "1.5", "") ","
      ROD("crank", "0", "0.5", ", \"angular_velocity\": [0, 0, 6]") "],\"joints\": ["
      HINGE("D", AT("ground", "2", "0"), AT("rocker", "0", "-1")) ","
      HINGE("C", AT("coupler", "1", "0.5"), AT("rocker", "0", "1")) ","
      HINGE("B", AT("crank", "0", "0.5"), AT("coupler", "-1", "-0.5")) ","
      HINGE("A", "\"ground\"", AT("crank", "0", "-0.5")) "],"
      "\"simulation\": {\"step\": 2e-3, \"duration\": 2}}";
  /* clang-format on */
  support_trace one = run(closed_by_hinge, NULL, signals), two = run(swapped, NULL, signals);
  double off = 0, size = 0;
  for (int k = 0; k < one.rows * one.columns; ++k) {
    off = check_max(off, fabs(one.value[k] - two.value[k]));
    size = check_max(size, fabs(one.value[k]));
  }
  /* Newton's tolerance of the multipliers, grown 34-fold as any error of them. */
  check_report("forces, joints in the other order", off, 34e-8 * size);
  CHECK_LE(off, 34e-8 * size);
  support_trace_release(&one);
  support_trace_release(&two);
}

/* At a distance d from the centre and x off the branch constraints are off by some d x, as the
 * other branch crosses there: within rounding errors of 8 eps L, L = 2 m, both are up to the root
 * of that, and x in parts of it by up to four. */
static const double BRANCH = 4 * 6e-8;

/* A stop is no wrong answer where it tells the reason. */
static void check_stop(torsor_status status, const torsor_error *error, bool ggl) {
  CHECK_INT(status, TORSOR_STEP);
  CHECK_CONTAINS(error->message, "revolute \"");
  CHECK_CONTAINS(error->hint, "dead centre");
  CHECK_CONTAINS(error->hint, ggl ? "\"index3\", which passes it better" : "step");
}

static double energy_off(const support_trace *trace, int column) {
  double off = 0;
  for (int row = 0; row < trace->rows; ++row)
    off = check_max(off, fabs(support_row(trace, row)[column] - support_row(trace, 0)[column]));
  return off;
}

/* The couplers stay level, as the cranks turn alike: off that is the other branch of the motion. */
static double branch_off(const support_trace *trace) {
  double off = 0;
  for (int row = 0; row < trace->rows; ++row) {
    const double *v = support_row(trace, row);
    off = check_max(off, fabs(v[2] - 0.5 - 2 * v[5]));
    off = check_max(off, fabs(v[3] - 2 * v[6]));
  }
  return off;
}

typedef struct centre_run {
  double h, speed, end;
  bool ggl;
  const char *more; /* a further change; NULL: none */
} centre_run;

static torsor_status run_centres(support_trace *trace, const centre_run *r, torsor_error *error) {
  static const char *const signals[] = {"energy.total", "coupler0.position", "vertical0.position",
                                        "base0.angle", NULL};
  char step[60], form[60], speed[60], end[60];
  snprintf(step, sizeof step, "simulation.step=%.17g", r->h);
  snprintf(form, sizeof form, "simulation.formulation=%s", r->ggl ? "ggl" : "index3");
  snprintf(speed, sizeof speed, "parameters.speed=%.17g", r->speed);
  snprintf(end, sizeof end, "simulation.duration=%.17g", r->end);
  const char *const set[] = {step, form, speed, end, "output.every=1", r->more, NULL};
  support_world world;
  torsor_summary summary;
  support_load(&world, "four_bar_chain", set);
  const torsor_status status =
      support_run_as(trace, &summary, &world, torsor_scene_simulation(world.scene), signals, error);
  support_close(&world);
  return status;
}

/* The energy is off by what the reference's sidecar allows at h = 1e-2, 0.173 J, and by h^2. */
static bool check_centres(double *energy, double *branch, const centre_run *r) {
  support_trace trace = {0};
  torsor_error error = {0};
  const torsor_status status = run_centres(&trace, r, &error);
  const double off = energy_off(&trace, 1), side = branch_off(&trace);
  const double bound = 0.173 * pow(r->h / 1e-2, 2);
  *energy = check_max(*energy, off / bound);
  *branch = check_max(*branch, side);
  CHECK_LE(off, bound);
  CHECK_LE(side, BRANCH);
  if (status) check_stop(status, &error, r->ggl);
  support_trace_release(&trace);
  return !status;
}

/* The long steps alone where every access is watched, which takes minutes else. */
#ifdef TORSOR_WATCHED
enum { STEPS = 2 };
#else
enum { STEPS = 4 };
#endif

static const double centre_steps[] = {1e-2, 5e-3, 2e-3, 1e-3}; /* STEPS of them */

/* Four passages in 10 s, in both forms, whatever rounding errors are: initial velocities differ in
 * the last digits. */
static void dead_centres_are_passed(void **state) {
  (void)state;
  for (int ggl = 0; ggl < 2; ++ggl)
    for (int i = 0; i < STEPS; ++i) {
      const int runs = i < 2 ? 6 : 3;
      double energy = 0, branch = 0;
      int passed = 0;
      for (int k = 0; k < runs; ++k) {
        const centre_run r = {.h = centre_steps[i], .speed = 1 + k * 1e-13, .end = 10, .ggl = ggl};
        passed += check_centres(&energy, &branch, &r);
      }
      print_message(
          "  %s h = %g: %d of %d passed, energy off by %.2f of what it may, branch %.1e\n",
          ggl ? "ggl   " : "index3", centre_steps[i], passed, runs, energy, branch);
      CHECK_INT(passed, runs);
    }
}

/* h with which a step ends where the rods lie flat, n steps from the start, by the secant through
 * the angle there. */
static double step_to_centre(int n, double h) {
  const double pi = acos(-1);
  for (int k = 0; k < 6; ++k) {
    support_trace trace = {0};
    torsor_error error = {0};
    const centre_run r = {.h = h, .speed = 1, .end = n * h, .ggl = false};
    (void)run_centres(&trace, &r, &error);
    const double *last = support_row(&trace, trace.rows - 1), *before = last - trace.columns;
    const double rate = (last[8] - before[8]) / (last[0] - before[0]);
    h -= (last[8] + pi / 2) / rate / n;
    support_trace_release(&trace);
  }
  return h;
}

/* Steps that end at the dead centre but for 1e-6 to 1e-1 of their length, before it or behind. */
static void steps_that_end_at_a_dead_centre(void **state) {
  (void)state;
  enum { NEAREST = 6, PER_DECADE = 2 };
  for (int i = 0; i < STEPS; ++i) {
    const int n = (int)lround(0.7145 / centre_steps[i]);
    const double h = step_to_centre(n, 0.7145 / n);
    double energy = 0, branch = 0;
    int passed = 0, runs = 0;
    for (int k = PER_DECADE; k <= NEAREST * PER_DECADE; ++k)
      for (int side = -1; side <= 1; side += 2, ++runs) {
        const double near = h * (1 + side * pow(10, -(double)k / PER_DECADE) / n);
        const centre_run r = {.h = near, .speed = 1, .end = (n + 30) * near, .ggl = true};
        passed += check_centres(&energy, &branch, &r);
      }
    print_message("  h = %.9g: %d of %d passed, energy off by %.2f of what it may, branch %.1e\n",
                  h, passed, runs, energy, branch);
    CHECK_INT(passed, runs);
  }
}

/* Of 440 steps that end from 0.1 to 1e-6 of their length away from the dead centre one went on to
 * another branch of the motion for a while and lost 1.5 times the energy that it may, where
 * corrections of the positions were held against the step's motion and not against its local error;
 * so did its neighbours, at steps that differ by 1e-9. */
static void steps_that_another_branch_attracts(void **state) {
  (void)state;
  double energy = 0, branch = 0;
  for (int k = -1; k <= 1; ++k) {
    const double h = 0.002000997108395153 * (1 + k * 1e-9);
    const centre_run r = {.h = h, .speed = 1, .end = 387 * h, .ggl = true};
    CHECK_TRUE(check_centres(&energy, &branch, &r));
  }
  print_message("  energy off by %.2f of what it may, branch %.1e\n", energy, branch);
}

/* A step that may not be halved, or not often enough, finds another branch or none: the dead centre
 * is the reason.  It ends 2e-3 of its length behind the centre; halved twice, a step ends so near
 * to it that the row is found which depends on others there. */
static void steps_to_another_branch_are_reported(void **state) {
  static const struct {
    const char *halvings, *hint;
  } runs[] = {{"simulation.max_halvings=0", "a dead centre is near: row"},
              {"simulation.max_halvings=2", "a dead centre is near: row 0 of revolute \""}};
  (void)state;
  for (int i = 0; i < 2; ++i) {
    support_trace trace = {0};
    torsor_error error = {0};
    const double h = 0.010062374942804847;
    const centre_run r = {.h = h, .speed = 1, .end = 80 * h, .ggl = true, .more = runs[i].halvings};
    const torsor_status status = run_centres(&trace, &r, &error);
    print_message("  %s: %s; %s\n", runs[i].halvings, error.message, error.hint);
    check_stop(status, &error, true);
    CHECK_CONTAINS(error.hint, runs[i].hint);
    support_trace_release(&trace);
  }
}

/* A body that a weld and two rods fix has no accelerations but rounding, and all of its weight is
 * in the multipliers: the welds' of least norm, which with the rods' have the resultant m g. */
static void what_cannot_move_rests(void **state) {
  (void)state;
  static const char clamped[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"type\": "
      "\"rigid_body\", \"mass\": 1.3, \"inertia\": [0.1, 0.12, 0.13], \"center_of_mass\": [0.03, "
      "-0.07, "
      "0.05], \"position\": [0.31, -0.2, 0.7], \"orientation\": {\"rotation_vector\": [0.3, -0.8, "
      "0.4]}}], "
      "\"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": {\"body\": \"ground\", "
      "\"orientation\": \"fit\", \"position\": [0.31, -0.2, 0.7]}, \"b\": \"b\"}, {\"name\": "
      "\"rod\", "
      "\"type\": \"distance\", \"a\": {\"body\": \"ground\", \"position\": [0.4, 1.3, 2]}, \"b\": "
      "{\"body\": \"b\", \"position\": [0.1, 0.2, 0.3]}}, {\"name\": \"again\", \"type\": "
      "\"distance\", "
      "\"a\": {\"body\": \"ground\", \"position\": [0.4, 1.3, 2]}, \"b\": {\"body\": \"b\", "
      "\"position\": [0.1, 0.2, 0.3]}}], \"simulation\": {\"step\": 1e-3, \"duration\": 0.01}}";
  static const char *const signals[] = {"clamp.force.z", "rod.force.z", "again.force.z",
                                        "b.position", NULL};
  static const char *const none[] = {"gravity=[0, 0, 0]", NULL};
  for (int weightless = 0; weightless < 2; ++weightless) {
    support_trace trace = run(clamped, weightless ? none : NULL, signals);
    const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
    double moved = 0;
    for (int i = 4; i < 7; ++i) moved = check_max(moved, fabs(last[i] - first[i]));
    check_report("moved by", moved, 10 * 8 * CHECK_EPS); /* rounding of each step */
    CHECK_LE(moved, 10 * 8 * CHECK_EPS);
    /* the filter of dependent rows' multipliers leaves parts of 1e-9 */
    CHECK_NEAR(last[1] + last[2] + last[3], weightless ? 0 : 1.3 * 9.81, 1e-9 * 1.3 * 9.81);
    support_trace_release(&trace);
  }
}

/* A hinge in the frame of a body on SO(3), whose rows of place are none, and a slider that is there
 * twice, in models of the size s with masses s^3 and times sqrt(s): what they do in parts of s. */
static void run_similar(double out[4], double s) {
  char text[2000];
  const double m = s * s * s, j = m * s * s, T = sqrt(s);
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"gravity\": [1, 2, -9], \"bodies\": ["
      "{\"name\": \"top\", \"type\": \"rigid_body\", \"group\": \"SO3\", \"mass\": %.17g, "
      "\"inertia\":"
      " [%.17g, %.17g, %.17g], \"center_of_mass\": [%.17g, %.17g, 0], \"position\": [%.17g, 0, 0]},"
      "{\"name\": \"block\", \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": [%.17g, "
      "%.17g, "
      "%.17g], \"position\": [0, %.17g, 0]}], \"joints\": ["
      "{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0.6, 0, 0.8], \"a\": {\"body\": "
      "\"ground\", \"position\": [%.17g, 0, 0]}, \"b\": \"top\"},"
      "{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [0, 0.6, 0.8], \"a\": \"ground\", "
      "\"b\": {\"body\": \"block\", \"position\": [0, %.17g, 0]}},"
      "{\"name\": \"again\", \"type\": \"prismatic\", \"axis\": [0, 0.6, 0.8], \"a\": \"ground\", "
      "\"b\": {\"body\": \"block\", \"position\": [0, %.17g, 0]}}],"
      " \"simulation\": {\"step\": %.17g, \"duration\": %.17g}}",
      m, 0.1 * j, 0.12 * j, 0.14 * j, 0.1 * s, 0.05 * s, 4 * s, 2 * m, 0.1 * j, 0.12 * j, 0.14 * j,
      0.5 * s, 4 * s, -0.5 * s, -0.5 * s, 2e-3 * T, 0.2 * T);
  static const char *const signals[] = {"hinge.angle", "block.position", NULL};
  support_trace trace = run(text, NULL, signals);
  const double *last = support_row(&trace, trace.rows - 1);
  out[0] = last[1];
  for (int i = 1; i < 4; ++i) out[i] = last[1 + i] / s;
  support_trace_release(&trace);
}

/* Newton leaves 1e-8 of accelerations, which are g in parts of the length: 1e-8 g t^2/2 of the
 * way. */
static void models_of_any_size(void **state) {
  (void)state;
  double one[4], other[4];
  run_similar(one, 1);
  for (int exponent = -4; exponent <= 3; ++exponent) {
    double off = 0;
    run_similar(other, pow(10, exponent));
    for (int i = 0; i < 4; ++i) off = check_max(off, fabs(other[i] - one[i]));
    print_message("  size 1e%d m: off by %.2e\n", exponent, off);
    CHECK_LE(off, 1e-8 * 10 * 0.2 * 0.2 / 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(motion_of_the_independent_rows),
                                     cmocka_unit_test(door_on_two_hinges),
                                     cmocka_unit_test(order_does_not_matter),
                                     cmocka_unit_test(what_cannot_move_rests),
                                     cmocka_unit_test(models_of_any_size),
                                     cmocka_unit_test(dead_centres_are_passed),
                                     cmocka_unit_test(steps_that_end_at_a_dead_centre),
                                     cmocka_unit_test(steps_that_another_branch_attracts),
                                     cmocka_unit_test(steps_to_another_branch_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
