/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions by tables whose rate jumps: reported once, with time and size, by check and run; others
 * are not. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

#define SCENE(table, use)                                                                          \
  "{\"torsor\": 1, \"functions\": {\"road\": {\"table\": " table "}}, \"bodies\": [{\"name\": "    \
  "\"b\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [" use      \
  "], "                                                                                            \
  "\"simulation\": {\"step\": 0.01, \"duration\": 1}}"
#define RAIL                                                                                       \
  "{\"name\": \"rail\", \"type\": \"prismatic\", \"a\": \"ground\", \"b\": \"b\"}, {\"name\": "    \
  "\"act\", \"type\": \"drive\", \"coordinate\": \"rail.travel\", \"motion\": \"road\"}"
#define HINGE                                                                                      \
  "{\"name\": \"pin\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"b\"}, {\"name\": "      \
  "\"act\", \"type\": \"drive\", \"coordinate\": \"pin.angle\", \"motion\": \"road\"}"
#define SHAKER                                                                                     \
  "{\"name\": \"act\", \"type\": \"motion\", \"a\": \"ground\", \"b\": \"b\", \"x\": 0, \"y\": "   \
  "\"road\", \"z\": 0, \"angle\": 0}"
#define BELT                                                                                       \
  "{\"name\": \"rail\", \"type\": \"prismatic\", \"a\": \"ground\", \"b\": \"b\"}, {\"name\": "    \
  "\"act\", \"type\": \"velocity_drive\", \"coordinate\": \"rail.travel\", \"rate\": \"road\"}"
#define LINEAR ", \"interpolation\": \"linear\""

static const struct {
  const char *text, *reported[4]; /* parts of the one warning; NULL: none */
} cases[] = {
    {SCENE("[[0, 0], [0.2, 0], [0.4, 0.1], [2, 0.1]]" LINEAR, RAIL),
     {"jumps by 0.5 m/s at t = 0.2 s and 1 time later", "\"act\"", "functions.road", "\"cubic\""}},
    {SCENE("[[0, 0], [0.2, 0], [0.4, 0.1], [2, 0.1]]" LINEAR, HINGE),
     {"jumps by 0.5 rad/s at t = 0.2 s", "\"motion\" of drive \"act\"", "straight",
      "\"monotone\""}},
    {SCENE("[[-1, 0], [0, 0], [0.5, 0.1]]" LINEAR, SHAKER),
     {"jumps by -0.2 m/s at t = 0.5 s,", "\"y\" of motion", "ends with a slope", "an impulse"}},
    /* natural spline through (0, 0), (1/4, 0), (1/2, 1): y'' = 24 in the middle, end slope 4 +
       24/4/3 */
    {SCENE("[[0, 0], [0.25, 0], [0.5, 1]]", RAIL),
     {"jumps by -5 m/s at t = 0.5 s,", "ends with a slope", "rows beyond", ":1:"}},
    {SCENE("[[0.3, 0], [0.5, 1], [3, 1]]" LINEAR, RAIL),
     {"jumps by 5 m/s at t = 0.3 s and 1 time later", "begins with a slope", "", ""}},
    {SCENE("[[0, 0], [0.5, 1], [0.8, 1.6], [2, 4]]" LINEAR, RAIL), {NULL}}, /* one line */
    {SCENE("[[0, 0], [0.25, 0], [1.5, 1]]", RAIL), {NULL}},                 /* ends after the run */
    {SCENE("[[0, 0], [0.2, 0], [0.5, 1], [0.6, 1]], \"interpolation\": \"monotone\"", RAIL),
     {NULL}},
    {SCENE("[[0, 0], [0.25, 0], [1, 1]]", RAIL), {NULL}}, /* ends with the run */
    {SCENE("[[0, 0], [0.2, 0], [0.4, 0.1], [2, 0.1]]" LINEAR, BELT), {NULL}}, /* no positions */
};

static void check_case(size_t i, const char *warnings, int count) {
  if (!cases[i].reported[0]) {
    if (count) fail_msg("case %zu: %s", i, warnings);
    return;
  }
  print_message("  %s\n", warnings);
  CHECK_INT(count, 1);
  for (int k = 0; k < 4; ++k) CHECK_CONTAINS(warnings, cases[i].reported[k]);
}

static void jumps_are_told_by_both(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    torsor_check check;
    if (support_open(&world, cases[i].text, NULL, &error)) fail_msg("%s", error.message);
    CHECK_INT(torsor_check_model(&check, world.model, &error), TORSOR_OK);
    const int before = check.warning_count;
    CHECK_INT(torsor_check_jumps(&check, world.model, 1), TORSOR_OK);
    check_case(i, check.warning_count > before ? check.warnings[before] : "",
               check.warning_count - before);
    torsor_check_destroy(&check);
    CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
    const char *reported = strstr(trace.warnings, "the rate of");
    CHECK_TRUE(!reported == !cases[i].reported[0]);
    if (reported) CHECK_TRUE(!strstr(reported + 1, "the rate of"));
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* A table through 2 t whose last row is at the end of the run, or beside it by the last bit: the
 * last row of results has its rate, whichever way the times are rounded, and nothing is reported.
 * Positions are solved to the rounding of lengths of some metres, velocities too: 1e-9 is far from
 * both and from the 2 m/s that are lost when the end of the step lies beyond the table. */
static void tables_end_with_the_run(void **state) {
  static const double run[][2] = {{0.3, 1e-3}, {0.7, 1e-3}, {0.9, 1e-2},
                                  {1.1, 1e-3}, {2.3, 1e-2}, {0.6, 2e-2}};
  static const char *const method[] = {"simulation.formulation=ggl",
                                       "simulation.formulation=index3", "simulation.method=radau",
                                       "simulation.method=soi2"};
  static const char *const names[] = {"rail.speed", NULL};
  double worst = 0;
  (void)state;
  for (size_t i = 0; i < 3 * 4 * sizeof run / sizeof *run; ++i) {
    const double *r = run[i / 12], toward[] = {0, r[0], 9};
    const double end = nextafter(r[0], toward[i / 4 % 3]);
    char text[2000], step[64], duration[64];
    snprintf(text, sizeof text, SCENE("[[0, 0], [%.17g, %.17g]]" LINEAR, RAIL), end, 2 * end);
    snprintf(step, sizeof step, "simulation.step=%.17g", r[1]);
    snprintf(duration, sizeof duration, "simulation.duration=%.17g", r[0]);
    const char *const set[] = {
        method[i % 4], step, duration, "bodies[0].velocity=[2, 0, 0]", "joints[0].axis=[1, 0, 0]",
        NULL};
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    if (support_open(&world, text, set, &error)) fail_msg("%s", error.message);
    if (support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names,
                       &error))
      fail_msg("%s", error.message);
    CHECK_STR(trace.warnings, "");
    worst = fmax(worst, fabs(support_row(&trace, trace.rows - 1)[1] - 2));
    support_trace_release(&trace);
    support_close(&world);
  }
  print_message("  largest error of the last speeds: %.2g m/s\n", worst);
  CHECK_TRUE(worst < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(jumps_are_told_by_both),
                                     cmocka_unit_test(tables_end_with_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
