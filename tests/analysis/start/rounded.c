/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mechanisms whose joints repeat each other but for the digits that their numbers have: they move
 * as those with all digits do. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/lie.h>

#include "support.h"

enum { ALL_DIGITS = 17 };

/* Default tolerance of Newton's iterations, in parts of what a step changes: rad here. */
#define RTOL 1e-8
static const v3 TILT = {0.7, -0.4, 1.1}; /* rotation vector of the plane of the linkage */

typedef struct draft {
  char text[6000];
  int length, digits;
} draft;

static void add(draft *d, const char *words) {
  d->length += snprintf(d->text + d->length, sizeof d->text - (size_t)d->length, "%s", words);
}

static void add_vector(draft *d, const char *key, v3 x) {
  d->length +=
      snprintf(d->text + d->length, sizeof d->text - (size_t)d->length,
               "\"%s\": [%.*g, %.*g, %.*g]", key, d->digits, x.x, d->digits, x.y, d->digits, x.z);
}

/* A link from p to q in the plane, with its frame in the middle and its x axis along it. */
static void add_link(draft *d, const char *name, v3 p, v3 q) {
  const m3 R = so3_rodrigues(TILT);
  const v3 along = v3_sub(q, p);
  const m3 turned = m3_mul(R, so3_rodrigues((v3){0, 0, atan2(along.y, along.x)}));
  char begin[200];
  snprintf(
      begin, sizeof begin,
      "{\"name\": \"%s\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.01, 0.2, 0.2], ",
      name);
  add(d, begin);
  add_vector(d, "position", m3_mulv(R, v3_scale(v3_add(p, q), 0.5)));
  add(d, ", \"orientation\": {");
  add_vector(d, "rotation_vector", so3_log_matrix(turned));
  add(d, "}}");
}

static void add_marker(draft *d, const char *key, const char *body, v3 at) {
  char begin[100];
  snprintf(begin, sizeof begin, ", \"%s\": {\"body\": \"%s\", ", key, body);
  add(d, begin);
  add_vector(d, "position", at);
  add(d, "}");
}

/* A pin between points of two links, with the axis of its first marker. */
static void add_pin(draft *d, const char *name, const char *type, v3 axis, const char *a, v3 at_a,
                    const char *b, v3 at_b) {
  char begin[100];
  snprintf(begin, sizeof begin, "{\"name\": \"%s\", \"type\": \"%s\"", name, type);
  add(d, begin);
  if (strcmp(type, "spherical") != 0) {
    add(d, ", ");
    add_vector(d, "axis", axis);
  }
  add_marker(d, "a", a, at_a);
  add_marker(d, "b", b, at_b);
  add(d, "}");
}

static v3 along_x(double x) {
  return (v3){x, 0, 0};
}

/* A four-bar linkage in a tilted plane that falls from rest, with numbers of so many digits: crank
 * from the origin to p, rod from p to q, rocker from q to e.  Four hinges repeat three rows; a
 * spherical joint and a cylindrical one in place of the last two repeat none. */
static void write_linkage(draft *d, int digits, bool repeats, v3 p, v3 q, v3 e) {
  const m3 R = so3_rodrigues(TILT);
  const v3 normal = m3_mulv(R, (v3){0, 0, 1}), z = {0, 0, 1}, origin = {0, 0, 0};
  const double crank = v3_norm(p) / 2, rod = v3_norm(v3_sub(q, p)) / 2,
               rocker = v3_norm(v3_sub(e, q)) / 2;
  *d = (draft){.digits = digits};
  add(d, "{\"torsor\": 1, ");
  add_vector(d, "gravity", m3_mulv(R, (v3){0, -9.81, 0}));
  add(d, ", \"bodies\": [");
  add_link(d, "crank", origin, p);
  add(d, ", ");
  add_link(d, "rod", p, q);
  add(d, ", ");
  add_link(d, "rocker", q, e);
  add(d, "], \"joints\": [");
  add_pin(d, "first", "revolute", normal, "ground", origin, "crank", along_x(-crank));
  add(d, ", ");
  add_pin(d, "second", "revolute", z, "crank", along_x(crank), "rod", along_x(-rod));
  add(d, ", ");
  add_pin(d, "third", repeats ? "revolute" : "spherical", z, "rod", along_x(rod), "rocker",
          along_x(-rocker));
  add(d, ", ");
  add_pin(d, "fourth", repeats ? "revolute" : "cylindrical", normal, "ground", m3_mulv(R, e),
          "rocker", along_x(rocker));
  add(d, "], \"simulation\": {\"step\": 1e-3, \"duration\": 1}}");
}

static const v3 P = {0.162090691760442, 0.252441295442369, 0}, Q = {0.993207349, 0.596726847, 0},
                E = {1.02, -0.0987654321, 0};

static double final_angle(const char *text, const char *const *set, char *warnings) {
  static const char *const names[] = {"first.angle", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  if (support_open(&world, text, set, &error)) fail_msg("%s", error.message);
  if (support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error))
    fail_msg("%s: %s", set ? set[0] : "default", error.message);
  const double angle = support_row(&trace, trace.rows - 1)[1];
  memcpy(warnings, trace.warnings, sizeof trace.warnings);
  support_trace_release(&trace);
  support_close(&world);
  return angle;
}

/* A linkage with redundant hinges moves as one without redundant rows does, whatever digits both
 * have.  They close their loops differently, by up to ten roundings of 10^(1 - digits)/2
 * (`contradict` says by how much), and Newton's iteration leaves RTOL of the accelerations, and so
 * of the way, in both; a motion multiplies both by what a crank that is longer by 1e-6 shows. */
static void linkages_move_whatever_digits_they_have(void **state) {
  static const char *const methods[][2] = {{"simulation.formulation=ggl", NULL},
                                           {"simulation.formulation=index3", NULL},
                                           {"simulation.method=radau", NULL},
                                           {"simulation.method=soi2", NULL},
                                           {"simulation.method=rattle", NULL}};
  static const int digits[] = {ALL_DIGITS, 12, 10, 9, 8, 7};
  (void)state;
  draft d;
  char warnings[2000];
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    write_linkage(&d, ALL_DIGITS, false, P, Q, E);
    const double exact = final_angle(d.text, methods[m], warnings);
    write_linkage(&d, ALL_DIGITS, false, v3_scale(P, 1 + 1e-6), Q, E);
    const double growth = 1 + fabs(final_angle(d.text, methods[m], warnings) - exact) / 1e-6;
    for (size_t k = 0; k < sizeof digits / sizeof *digits; ++k) {
      write_linkage(&d, digits[k], true, P, Q, E);
      const double with = final_angle(d.text, methods[m], warnings);
      CHECK_TRUE(!strstr(warnings, "halved") && !strstr(warnings, "cannot move"));
      CHECK_TRUE(!strstr(warnings, "but for the rounding") == (digits[k] == ALL_DIGITS));
      CHECK_TRUE(!strstr(warnings, "3 of 20 constraint rows are redundant") ==
                 (digits[k] != ALL_DIGITS));
      write_linkage(&d, digits[k], false, P, Q, E);
      const double without = final_angle(d.text, methods[m], warnings);
      const double limit = growth * (10 * pow(10, 1 - digits[k]) / 2 + 2 * RTOL * fabs(exact));
      print_message("  %s, %d digits: angle %.9f rad, off by %.1e (limit %.1e)\n", methods[m][0],
                    digits[k], with, fabs(with - without), limit);
      CHECK_TRUE(fabs(with - without) <= limit);
    }
  }
}

/* How many of the redundant rows of a linkage are ignored. */
static int count_ignored(const char *text, int *redundant) {
  support_world world;
  torsor_error error = {0};
  torsor_check check;
  int count = 0;
  if (support_open(&world, text, NULL, &error)) fail_msg("%s", error.message);
  if (torsor_check_model(&check, world.model, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < check.redundant_count; ++i) count += check.redundant[i].ignored;
  *redundant = check.redundant_count;
  torsor_check_destroy(&check);
  support_close(&world);
  return count;
}

/* A parallelogram that lies flat has one more dependent row, which constrains motions of second
 * order: it stays, while those that rounding alone sets apart do not. */
static void dead_centres_are_not_ignored(void **state) {
  (void)state;
  const v3 p = {0.3, 0, 0}, q = {1.3, 0, 0}, e = {1, 0, 0};
  for (int digits = 7; digits <= ALL_DIGITS; digits += ALL_DIGITS - 7) {
    draft d;
    int redundant;
    write_linkage(&d, digits, true, p, q, e);
    const int ignored = count_ignored(d.text, &redundant);
    print_message("  flat parallelogram of %d digits: %d rows redundant, %d ignored\n", digits,
                  redundant, ignored);
    CHECK_INT(redundant,
              digits == ALL_DIGITS ? 4 : 3); /* rounding leaves the linkage nearly flat */
    CHECK_INT(ignored, digits == ALL_DIGITS ? 0 : 3);
  }
}

#define DOOR                                                                                       \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"door\", \"type\": "       \
  "\"rigid_body\", \"mass\": 20, "                                                                 \
  "\"inertia\": [1, 2, 1.5], \"position\": [0.5, 0, 1], \"velocity\": [0, 1, 0], "                 \
  "\"angular_velocity\": [0, 0, 2]}], "                                                            \
  "\"joints\": [{\"name\": \"low\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": {\"body\": " \
  "\"door\", \"position\": "                                                                       \
  "[-0.5, 0, -1]}}, {\"name\": \"high\", \"type\": \"revolute\", \"axis\": [%.17g, 0, 1], "        \
  "\"axis_b\": [0, 0, 1], \"a\": "                                                                 \
  "{\"body\": \"ground\", \"position\": [0, 0, 2]}, \"b\": {\"body\": \"door\", \"position\": "    \
  "[-0.5, 0, 1]}}], "                                                                              \
  "\"simulation\": {\"step\": 1e-3, \"duration\": 1}}"

/* A door that turns at 2 rad/s: its hinges bear 20 kg times 0.5 m times (2 rad/s)^2 to the axis and
 * the weight, whatever they bear each.  With hinges that are not aligned, forces differ in parts of
 * what is off. */
static void hinges_of_a_door_need_not_be_aligned(void **state) {
  static const char *const names[] = {"low.angle",    "low.force.x",  "low.force.z",
                                      "high.force.x", "high.force.z", NULL};
  (void)state;
  double aligned[6] = {0};
  for (int k = 0; k < 4; ++k) {
    const double off = k ? pow(10, -5 - k) * 5 : 0;
    char text[2000];
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    snprintf(text, sizeof text, DOOR, off);
    if (support_open(&world, text, NULL, &error)) fail_msg("%s", error.message);
    if (support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names,
                       &error))
      fail_msg("%s", error.message);
    const double *row = support_row(&trace, trace.rows - 1);
    print_message("  hinge off by %.1e rad: turned by %.9f rad, forces %.6f %.6f %.6f %.6f N\n",
                  off, row[1], row[2], row[3], row[4], row[5]);
    /* steps of the damped start leave an error of the first order in the third one of 1/16 step */
    CHECK_TRUE(fabs(row[1] - 2) < 1e-6);
    CHECK_TRUE(fabs(row[3] + row[5] - 20 * 9.81) < 1e-5 * 20 * 9.81);
    CHECK_TRUE(fabs(row[2] + row[4] + 20 * 0.5 * 4 * cos(2)) < 1e-5 * 40);
    CHECK_TRUE(!strstr(trace.warnings, "but for the rounding") == (k == 0));
    if (!k) memcpy(aligned, row, sizeof aligned);
    for (int i = 2; i < 6; ++i)
      CHECK_TRUE(fabs(row[i] - aligned[i]) <= 100 * off * 20 * 9.81 + 1e-6);
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* The ignored rows are part of the state of a run: a restored run continues to the bit. */
static void runs_go_on_with_what_is_ignored(void **state) {
  (void)state;
  draft d;
  support_world world;
  torsor_error error = {0};
  torsor_run *run[2] = {NULL, NULL};
  write_linkage(&d, 8, true, P, Q, E);
  if (support_open(&world, d.text, NULL, &error)) fail_msg("%s", error.message);
  for (int k = 0; k < 2; ++k)
    CHECK_INT(
        torsor_run_create(&run[k], world.model, torsor_scene_simulation(world.scene), NULL, &error),
        TORSOR_OK);
  for (int i = 0; i < 40; ++i) CHECK_INT(torsor_run_step(run[0], &error), TORSOR_OK);
  size_t size = 0;
  torsor_run_save(run[0], NULL, 0, &size, &error);
  void *saved = malloc(size);
  if (!saved) fail_msg("out of memory");
  CHECK_INT(torsor_run_save(run[0], saved, size, &size, &error), TORSOR_OK);
  CHECK_INT(torsor_run_restore(run[1], saved, size, &error), TORSOR_OK);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 40; ++i) CHECK_INT(torsor_run_step(run[k], &error), TORSOR_OK);
  const double angle[2] = {torsor_run_signal(run[0], "first.angle"),
                           torsor_run_signal(run[1], "first.angle")};
  print_message("  angles %.17g and %.17g rad\n", angle[0], angle[1]);
  CHECK_TRUE(angle[0] == angle[1]);
  free(saved);
  for (int k = 0; k < 2; ++k) torsor_run_destroy(run[k]);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(linkages_move_whatever_digits_they_have),
                                     cmocka_unit_test(dead_centres_are_not_ignored),
                                     cmocka_unit_test(hinges_of_a_door_need_not_be_aligned),
                                     cmocka_unit_test(runs_go_on_with_what_is_ignored)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
