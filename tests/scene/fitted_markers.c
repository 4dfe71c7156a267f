/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Markers that take the orientation of the other one: beams clamped as they lie. */
#include "check.h"

#include <stdio.h>

#include "equilibria.h"

/* A curved cantilever under P at its end: from its clamp on it is a free body, so that the clamp
 * bears -P and the moment of P about it, whatever the curve is; and without P nothing is strained
 * and nothing moves. */
#define CURVED(clamp)                                                                              \
  "{\"torsor\": 1, \"parameters\": {\"P\": 10}, \"bodies\": [{\"name\": \"b\", \"type\": "         \
  "\"beam\", \"elements\": 8, "                                                                    \
  "\"curve\": {\"points\": [[0.2, 0.1, 0], [1, 0, 0.01], [2, 0, 0.05], [3, 0.4, 0.2]]}, "          \
  "\"section\": {\"shape\": "                                                                      \
  "\"circle\", \"radius\": 0.05, \"E\": 2e11, \"nu\": 0.3, \"density\": 7800}}], \"joints\": "     \
  "[{\"name\": \"root\", "                                                                         \
  "\"type\": \"weld\", " clamp                                                                     \
  "}], \"forces\": [{\"name\": \"P\", \"type\": \"force\", \"at\": \"b.end\", \"force\": [0, 0, "  \
  "\"-P\"]}], \"statics\": {\"steps\": 1}, \"output\": {\"signals\": [\"b.end.position\", "        \
  "\"root.force\"]}}"

static const char *const clamps[] = {
    CURVED("\"a\": {\"body\": \"ground\", \"position\": [0.2, 0.1, 0]}, \"b\": \"b.start\""),
    CURVED("\"a\": {\"body\": \"ground\", \"position\": [0.2, 0.1, 0], \"orientation\": \"fit\"}, "
           "\"b\": \"b.start\""),
    CURVED("\"a\": \"b.start\", \"b\": {\"body\": \"ground\", \"position\": [0.2, 0.1, 0]}"),
    CURVED("\"a\": {\"body\": \"b.start\", \"orientation\": \"fit\"}, \"b\": {\"body\": "
           "\"ground\", \"position\": [0.2, "
           "0.1, 0]}"),
};

static void curved_beams_are_clamped_as_they_lie(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  equilibria o = {0};
  double first[3] = {0};
  for (int i = 0; i < 8; ++i) {
    const char *const none[] = {groups[i / 4], "parameters.P=0", NULL};
    const double *end = equilibria_end(&o, clamps[i % 4], none);
    CHECK_STR(o.warnings, "");
    /* the curve's end, but for the rounding of 8 elements of 0.4 m */
    const double off = v3_norm(v3_sub(v3_load(end + 1), (v3){3, 0.4, 0.2}));
    check_report("end of a curve, m", off, 100 * CHECK_EPS);
    CHECK_LE(off, 100 * CHECK_EPS);
    const char *const set[] = {groups[i / 4], NULL};
    end = equilibria_end(&o, clamps[i % 4], set);
    for (int k = 0; k < 3; ++k) {
      if (i == 0) first[k] = end[1 + k];
      CHECK_NEAR(end[1 + k], first[k],
                 1e-7); /* both groups differ by the mesh alone, of a way of 1e-4 m */
    }
    CHECK_NEAR(fabs(end[6]), 10, 1e-7);
    CHECK_GE(v3_norm(v3_sub(v3_load(end + 1), (v3){3, 0.4, 0.2})), 1e-5);
  }
}

/* Two beams that meet at any angle are welded as they lie, and a joint of bodies takes what "fit"
 * says. */
static void other_joints_fit(void **state) {
  (void)state;
  equilibria o = {0};
  const double *end =
      equilibria_end(&o,
                     "{\"torsor\": 1, \"bodies\": [{\"name\": \"p\", \"type\": \"beam\", "
                     "\"elements\": 2, \"end\": [1, 0, 0], \"section\": "
                     "{\"shape\": \"circle\", \"radius\": 0.05, \"E\": 2e11, \"nu\": 0.3, "
                     "\"density\": 7800}}, {\"name\": \"q\", "
                     "\"type\": \"beam\", \"elements\": 2, \"position\": [1, 0, 0], \"end\": [1, "
                     "0.6, 0.8], \"section\": {\"shape\": "
                     "\"circle\", \"radius\": 0.05, \"E\": 2e11, \"nu\": 0.3, \"density\": 7800}}, "
                     "{\"name\": \"box\", \"type\": "
                     "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0.6, "
                     "0.8], \"orientation\": "
                     "{\"rotation_vector\": [0.3, 2, 1]}}], \"joints\": [{\"name\": \"clamp\", "
                     "\"type\": \"weld\", \"a\": \"ground\", "
                     "\"b\": \"p.start\"}, {\"name\": \"corner\", \"type\": \"weld\", \"a\": "
                     "\"p.end\", \"b\": \"q.start\"}, {\"name\": "
                     "\"seat\", \"type\": \"weld\", \"a\": {\"body\": \"q.end\", \"orientation\": "
                     "\"fit\"}, \"b\": \"box\"}], "
                     "\"statics\": {\"steps\": 1}, \"output\": {\"signals\": [\"q.end.position\", "
                     "\"box.rotation_vector\"]}}",
                     NULL);
  const double expected[] = {1, 0.6, 0.8, 0.3, 2, 1};
  for (int k = 0; k < 6; ++k) CHECK_NEAR(end[1 + k], expected[k], 64 * CHECK_EPS);
  CHECK_STR(o.warnings, "");
}

/* Rigid bodies are welded where they are said to be: one that is turned is an error, and so are two
 * that fit each other. */
static void what_is_wrong_is_reported(void **state) {
  (void)state;
  equilibria o = {0};
  static const char turned[] = "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": "
                               "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "
                               "\"orientation\": {\"rotation_vector\": [0.4, 0, 0]}}], \"joints\": "
                               "[{\"name\": \"h\", \"type\": \"weld\", \"a\": "
                               "\"ground\", \"b\": \"b\"}], \"statics\": {\"steps\": 1}}";
  equilibria_find(&o, turned, NULL);
  CHECK_INT(o.status, TORSOR_INCONSISTENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curved_beams_are_clamped_as_they_lie),
      cmocka_unit_test(other_joints_fit),
      cmocka_unit_test(what_is_wrong_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
