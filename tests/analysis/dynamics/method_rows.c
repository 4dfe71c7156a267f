/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every method on every kind of constraint row and every group: right, or refused with the reason;
 * at rest, and in models of any size. */
#include "check.h"
#include "support.h"

#include <stdio.h>

static const double GRAVITY = 9.81, LENGTH = 0.5, INERTIA = 0.2 + 0.25; /* about the hinge */
static const double SPEED = 0.8, TURN = 1.5, TILT = 0.7;

static const char *const methods[] = {
    "\"method\": \"generalized_alpha\", \"formulation\": \"index3\"",
    "\"method\": \"generalized_alpha\", \"formulation\": \"ggl\"",
    "\"method\": \"soi2\"",
    "\"method\": \"hht_odae\"",
    "\"method\": \"rattle\"",
    "\"method\": \"radau\"",
    "\"method\": \"explicit\""};
enum { METHODS = 7, GGL = 1, HHT = 3, RATTLE = 4, RADAU = 5 };

/* ---- closed forms ------------------------------------------------------------------------- */

static double thrown(double t) {
  return 2 * t - GRAVITY * t * t / 2;
}

/* a'' = m g l cos a/J from rest, by Runge and Kutta with steps of 1e-4: 1e-15. */
static double swing(double t, double *rate) {
  const double c = GRAVITY * LENGTH / INERTIA;
  const long n = lround(t / 1e-4) + 1;
  const double h = t / (double)n;
  double a = 0, w = 0;
  for (long i = 0; i < n; ++i) {
    const double a1 = w, w1 = c * cos(a);
    const double a2 = w + h / 2 * w1, w2 = c * cos(a + h / 2 * a1);
    const double a3 = w + h / 2 * w2, w3 = c * cos(a + h / 2 * a2);
    const double a4 = w + h * w3, w4 = c * cos(a + h * a3);
    a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  *rate = w;
  return a;
}

static double swung(double t) {
  double rate;
  return swing(t, &rate);
}

static double swinging(double t) {
  double rate;
  swing(t, &rate);
  return rate;
}

/* Moment that makes the angle 0.3 sin 2 t. */
static double driven(double t) {
  const double angle = 0.3 * sin(2 * t);
  return -INERTIA * 4 * angle - GRAVITY * LENGTH * cos(angle);
}

/* A blade at the centre of mass of a body that turns goes round in a circle. */
static double circle(double t) {
  return SPEED / TURN * (1 - cos(TURN * t));
}

static double tilted_circle(double t) {
  return cos(TILT) * circle(t);
}

/* ---- scenes ------------------------------------------------------------------------------- */

#define BODY "\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.3]"

#define HANGING "\"gravity\": [0, 0, -9.81], \"bodies\": [{" BODY ", \"position\": [0.5, 0, 0]}]"
#define PIVOTED                                                                                    \
  "\"gravity\": [0, 0, -9.81], \"bodies\": [{" BODY                                                \
  ", \"group\": \"SO3\", \"center_of_mass\": [0.5, 0, 0]}]"
#define HINGE(name, b)                                                                             \
  "{\"name\": \"" name "\", \"type\": \"revolute\", \"axis\": [0, 1, 0], " b "}"
#define AT_END "\"a\": \"ground\", \"b\": {\"body\": \"b\", \"position\": [-0.5, 0, 0]}"
#define BESIDE                                                                                     \
  "\"a\": {\"body\": \"ground\", \"position\": [0, 0.3, 0]}, "                                     \
  "\"b\": {\"body\": \"b\", \"position\": [-0.5, 0.3, 0]}"
#define AT_ORIGIN "\"a\": \"ground\", \"b\": \"b\""
#define DRIVE                                                                                      \
  ", {\"name\": \"m\", \"type\": \"drive\", \"coordinate\": \"j.angle\", \"motion\": "             \
  "\"0.3*sin(2*t)\"}"
#define VELOCITY_DRIVE                                                                             \
  ", {\"name\": \"m\", \"type\": \"velocity_drive\", \"coordinate\": \"j.angle\", \"rate\": "      \
  "\"0.6*cos(2*t)\"}"
#define BLADE "{\"name\": \"k\", \"type\": \"knife_edge\", \"a\": \"ground\", \"b\": \"b\"}"
#define FLOOR(orientation)                                                                         \
  "{\"name\": \"p\", \"type\": \"planar\", \"a\": {\"body\": \"ground\"" orientation "}, "         \
  "\"b\": \"b\"}, "
#define TILTED ", \"orientation\": {\"rotation_vector\": [0.7, 0, 0]}"

typedef struct kind {
  const char *name, *scene, *joints, *signal;
  double (*exact)(double t);
  bool nonholonomic, redundant, one_group;
} kind;

static const kind kinds[] = {
    {"none",
     "\"gravity\": [0, 0, -9.81], \"bodies\": [{" BODY
     ", \"velocity\": [1, 0, 2], \"angular_velocity\": [0, 0, 3]}]",
     "", "b.position.z", thrown, false, false, false},
    {"none, SO3", PIVOTED, "", "b.angular_velocity.y", swinging, false, false, true},
    {"holonomic", HANGING, HINGE("j", AT_END), "j.angle", swung, false, false, false},
    {"holonomic, SO3", PIVOTED, HINGE("j", AT_ORIGIN), "j.angle", swung, false, true, true},
    {"redundant", HANGING, HINGE("j", AT_END) ", " HINGE("i", BESIDE), "j.angle", swung, false,
     true, false},
    {"rheonomic", HANGING, HINGE("j", AT_END) DRIVE, "m.effort", driven, false, false, false},
    {"rheonomic, SO3", PIVOTED, HINGE("j", AT_ORIGIN) DRIVE, "m.effort", driven, false, true, true},
    {"rheonomic, redundant", HANGING, HINGE("j", AT_END) ", " HINGE("i", BESIDE) DRIVE, "m.effort",
     driven, false, true, false},
    {"nonholonomic",
     "\"bodies\": [{" BODY ", \"velocity\": [0.8, 0, 0], \"angular_velocity\": [0, 0, 1.5]}]",
     BLADE, "b.position.y", circle, true, false, false},
    {"mixed",
     "\"bodies\": [{" BODY ", \"velocity\": [0.8, 0, 0], \"angular_velocity\": [0, 0, 1.5]" TILTED
     "}]",
     FLOOR(TILTED) BLADE, "b.position.y", tilted_circle, true, false, false},
    {"rheonomic, mixed", HANGING, HINGE("j", AT_END) VELOCITY_DRIVE, "m.effort", driven, true,
     false, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- right or refused --------------------------------------------------------------------- */

typedef struct answer {
  torsor_status status;
  double error, size; /* largest over the rows, and of the signal */
  long rejected;
  torsor_error refusal;
} answer;

static answer run(const kind *k, const char *group, int method, double h) {
  char text[3000];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"group\": \"%s\", %s, \"joints\": [%s], \"simulation\": {%s, "
           "\"step\": %.17g, \"duration\": 1}}",
           group, k->scene, k->joints, methods[method], h);
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  answer a = {0};
  const char *const names[] = {k->signal, NULL};
  a.status = support_open(&world, text, NULL, &a.refusal);
  if (a.status) print_error("%s: %s\n", k->name, a.refusal.message);
  CHECK_INT(a.status, TORSOR_OK);
  a.status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names,
                            &a.refusal);
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i), exact = k->exact(row[0]);
    a.error = check_max(a.error, fabs(row[1] - exact));
    a.size = check_max(a.size, fabs(exact));
  }
  a.rejected = a.status ? 0 : summary.counters.rejected_steps;
  support_trace_release(&trace);
  support_close(&world);
  return a;
}

static bool is_refused(const kind *k, int method) {
  return (method == RATTLE && k->nonholonomic) || (method == HHT && k->redundant);
}

/* Errors of second order: four times less with half the step, and less than 3 times would be none;
 * those of Radau, and what is exact, end at rounding errors, which the multipliers of index 3 have
 * in the size eps x/h^2 of positions. */
static void check_kind(const kind *k, const char *group, int method) {
  /* the filter of dependent rows' multipliers leaves parts of 1e-9 */
  const double h = 0.01, rounding = 16 * CHECK_EPS / (h * h / 4);
  const double least = k->redundant ? 1e-9 * 5 : rounding;
  const answer coarse = run(k, group, method, h);
  if (is_refused(k, method)) {
    CHECK_INT(coarse.status, TORSOR_ARGUMENT);
    CHECK_CONTAINS(coarse.refusal.message, method == RATTLE ? "rattle" : "hht_odae");
    print_message("  %-22s %-7s %d: %s\n", k->name, group, method, coarse.refusal.message);
    return;
  }
  if (coarse.status) print_error("%s, %s: %s\n", k->name, group, coarse.refusal.message);
  CHECK_INT(coarse.status, TORSOR_OK);
  const answer fine = run(k, group, method, h / 2);
  print_message("  %-22s %-7s %d: off by %.2e, %.2e of %.2g\n", k->name, group, method,
                coarse.error, fine.error, fine.size);
  CHECK_INT(coarse.rejected + fine.rejected, 0);
  CHECK_LE(fine.error, fmax(coarse.error / 3, least));
  /* (h omega)^2 of motions of up to 4 rad/s, and 4 of it */
  CHECK_LE(coarse.error, 4 * 16 * h * h * fine.size);
}

static void every_method_on_every_row(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; ++k)
    for (int method = 0; method < METHODS; ++method) {
      check_kind(&kinds[k], "R3xSO3", method);
      if (!kinds[k].one_group) check_kind(&kinds[k], "SE3", method);
    }
}

/* ---- rest --------------------------------------------------------------------------------- */

/* Without gravity nothing moves: not the body, and no step is halved or warned of.  Newton's
 * iteration ends at rounding errors, 8 eps of positions of 1 m, and 60 steps add up no more than 60
 * of them. */
static void rest_stays(void **state) {
  (void)state;
  static const char *const joints[] = {
      "{\"name\": \"j\", \"type\": \"spherical\", \"a\": {\"body\": \"ground\", \"position\": "
      "[0.19392886947487023, -0.2477869134257349, -0.041987375233263846]}, \"b\": {\"body\": "
      "\"b\", \"position\": [0.3, 0.2, -0.8]}}",
      ("{\"name\": \"p\", \"type\": \"planar\", \"a\": \"ground\", \"b\": \"b\"}, {\"name\": "
       "\"k\", "
       "\"type\": \"knife_edge\", \"a\": \"ground\", \"b\": \"b\", \"across\": [0, 1, 0]}"),
      ""};
  static const char *const poses[] = {
      ", \"position\": [0.1, -1, 0.4], \"orientation\": {\"rotation_vector\": [0.1, -1, 1.6]}",
      ", \"orientation\": {\"rotation_vector\": [0.3, -1, 0.6]}",
      ", \"orientation\": {\"rotation_vector\": [0.3, -1, 0.6]}"};
  for (int scene = 0; scene < 3; ++scene)
    for (int method = 0; method < METHODS; ++method) {
      if (method == RATTLE && scene == 1) continue;
      if (method == GGL) continue;
      char text[1500];
      snprintf(text, sizeof text,
               "{\"torsor\": 1, \"bodies\": [{" BODY "%s}], \"joints\": [%s], \"simulation\": {%s, "
               "\"step\": 2e-3, \"duration\": 0.12}, \"output\": {\"signals\": [\"b.position\"]}}",
               poses[scene], joints[scene], methods[method]);
      support_world world;
      support_trace trace = {0};
      torsor_summary summary;
      torsor_error error = {0};
      CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
      CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
      const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
      double moved = 0;
      for (int i = 1; i < 4; ++i) moved = check_max(moved, fabs(last[i] - first[i]));
      print_message("  scene %d, method %d: ", scene, method);
      check_report("moved by", moved, 60 * 8 * CHECK_EPS);
      CHECK_LE(moved, 60 * 8 * CHECK_EPS);
      CHECK_INT(summary.counters.rejected_steps, 0);
      CHECK_STR(trace.warnings, "");
      support_trace_release(&trace);
      support_close(&world);
    }
}

/* ---- similarity --------------------------------------------------------------------------- */

/* Two bars of length s, masses s^3, times sqrt(s), gravity as it is: positions in parts of s. */
static void similar(double out[4], double s, int method) {
  char text[2000];
  const double w = 1 / sqrt(s), m = s * s * s, j = m * s * s;
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
      "{\"name\": \"l0\", \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": [%.17g, %.17g, "
      "%.17g], \"position\": [%.17g, 0, 0], \"angular_velocity\": [0, %.17g, 0], \"velocity\": [0, "
      "0, %.17g]}, {\"name\": \"l1\", \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": "
      "[%.17g, %.17g, %.17g], \"position\": [%.17g, 0, 0], \"angular_velocity\": [0, %.17g, 0], "
      "\"velocity\": [0, 0, %.17g]}], \"joints\": [{\"name\": \"j0\", \"type\": \"spherical\", "
      "\"a\": \"ground\", \"b\": {\"body\": \"l0\", \"position\": [%.17g, 0, 0]}}, {\"name\": "
      "\"j1\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"l0\", "
      "\"position\": [%.17g, 0, 0]}, \"b\": {\"body\": \"l1\", \"position\": [%.17g, 0, 0]}}], "
      "\"simulation\": {%s, \"step\": %.17g, \"duration\": %.17g}, \"output\": {\"signals\": "
      "[\"l1.position\"]}}",
      m, 0.02 * j, 0.1 * j, 0.1 * j, s / 2, -0.5 * w, s * w / 4, m, 0.02 * j, 0.1 * j, 0.1 * j,
      1.5 * s, -2 * w, s * w * 1.5, -s / 2, s / 2, -s / 2, methods[method], 2e-3 / w, 0.4 / w);
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  const torsor_status status = support_run(&trace, &summary, &world, &error);
  if (status) print_error("s = %g, method %d: %s\n", s, method, error.message);
  CHECK_INT(status, TORSOR_OK);
  for (int i = 0; i < 3; ++i) out[i] = support_row(&trace, trace.rows - 1)[1 + i] / s;
  out[3] = (double)summary.counters.rejected_steps;
  support_trace_release(&trace);
  support_close(&world);
}

/* Newton leaves rtol = 1e-8 of accelerations, which are g in parts of the length: rtol g t^2/2 of
 * the way.  The stabilised form of Radau corrects positions in a metric that adds metres and
 * radians, which turns are lost in above some hundred metres. */
static void models_of_any_size(void **state) {
  (void)state;
  const double bound = 1e-8 * GRAVITY * 0.4 * 0.4 / 2;
  for (int method = HHT; method < METHODS; ++method) {
    double one[4], other[4];
    similar(one, 1, method);
    for (int exponent = -6; exponent <= (method == RADAU ? 2 : 6); exponent += 2) {
      double off = 0;
      similar(other, pow(10, exponent), method);
      for (int i = 0; i < 3; ++i) off = check_max(off, fabs(other[i] - one[i]));
      print_message("  method %d, s = 1e%d: off by %.2e\n", method, exponent, off);
      CHECK_LE(off, bound);
      CHECK_NEAR(other[3], one[3], 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_on_every_row),
      cmocka_unit_test(rest_stays),
      cmocka_unit_test(models_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
