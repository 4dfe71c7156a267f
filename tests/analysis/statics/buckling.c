/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Buckling loads where the load turns the structure first, and directions that become unstable at
 * once. */
#include "check.h"

#include <stdio.h>

#include "assembly/solver/inertia.h"
#include "equilibria.h"

static const double pi = 3.14159265358979323846;

static const char *const groups[] = {"group=R3xSO3", "group=SE3"};

/* ---- negative eigenvalues -------------------------------------------------------------------- */

/* A = T D T^T with a regular T of any kind has as many as D (Sylvester): rows in units that differ
 * by factors up to 1e12, zeros on the diagonal as of multipliers. */
static void negative_eigenvalues_are_counted(void **state) {
  (void)state;
  enum { N = 9 };
  check_rng rng = {18};
  for (int k = 0; k < 400; ++k) {
    double T[N][N], D[N], A[N * N];
    int negative = 0;
    for (int i = 0; i < N; ++i) {
      D[i] = check_uniform(&rng, -1, 1);
      D[i] += D[i] < 0 ? -0.1 : 0.1; /* far from 0 beside what rounding leaves */
      negative += D[i] < 0;
      for (int j = 0; j < N; ++j) T[i][j] = (i == j ? 2 * N : 0) + check_uniform(&rng, -1, 1);
    }
    double unit[N];
    for (int i = 0; i < N; ++i) unit[i] = pow(10, check_uniform(&rng, -6, 6));
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int m = 0; m < N; ++m) sum += T[i][m] * D[m] * T[j][m];
        A[i + j * N] = sum * unit[i] * unit[j];
      }
    CHECK_INT(inertia_negative(A, N), negative);
  }
  double saddle[9] = {0, 0, 1e6, 0, -3, 0, 1e6, 0, 0};
  CHECK_INT(inertia_negative(saddle, 3), 2);
}

/* ---- beams on their edge --------------------------------------------------------------------- */

/* A cantilever with a weak and a strong direction, a dead force across its end in the strong one: P
 * is Prandtl's 4.012599 sqrt(EI GJ)/L^2.  Before it buckles its end turns by P L^2/(2 EI_strong),
 * which adds parts of the order of EI/EI_strong + GJ/EI_strong to the load. */
static const char on_edge[] = "{\"torsor\": 1, \"parameters\": {\"n\": 16, \"strong\": 25}, "
                              "\"bodies\": [{\"name\": \"b\", \"type\": \"beam\", "
                              "\"elements\": \"n\", \"length\": 1, \"section\": {\"stiffness\": "
                              "[1e6, 1e6, 1e6, 1.3, \"strong\", 1], "
                              "\"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}}], \"joints\": "
                              "[{\"name\": \"clamp\", \"type\": \"weld\", \"a\": "
                              "\"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": \"P\", "
                              "\"type\": \"force\", \"at\": \"b.end\", "
                              "\"force\": [0, 0, \"-4.012599344*sqrt(1.3)\"]}], \"statics\": "
                              "{\"steps\": 40, \"until\": 1.3, \"buckling\": 1}, "
                              "\"output\": {\"signals\": [\"b.end.position\"]}}";

static void beam_on_its_edge(void **state) {
  (void)state;
  static const double strong[] = {25, 100, 1000};
  equilibria o = {0};
  for (int i = 0; i < 3; ++i) {
    double load[2][2];
    for (int g = 0; g < 2; ++g)
      for (int k = 0; k < 2; ++k) {
        char text[2][40];
        snprintf(text[0], 40, "parameters.n=%d", k ? 32 : 16);
        snprintf(text[1], 40, "parameters.strong=%g", strong[i]);
        const char *const set[] = {groups[g], text[0], text[1], NULL};
        equilibria_end(&o, on_edge, set);
        CHECK_INT(o.summary.buckling_count, 1);
        CHECK_INT(o.summary.unstable, 1);
        CHECK_INT(o.summary.critical[0].directions, 1);
        load[g][k] = fabs(o.summary.buckling[0]);
      }
    /* differences of the tangent are off by 1e-6, see buckling.c */
    check_report("load of both groups", fabs(load[0][1] - load[1][1]), 4e-6);
    CHECK_NEAR(load[0][0], load[1][0], 4e-6);
    CHECK_NEAR(load[0][1], load[1][1], 4e-6);
    /* of order 2 in the mesh; what is left is of order 4 and that of the turn */
    const double mesh = load[0][0] - load[0][1], limit = load[0][1] - mesh / 3;
    const double bound = 2.3 / strong[i] + mesh * mesh * 16;
    check_report("load without end of meshes, less 1", limit - 1, bound);
    CHECK_NEAR(limit, 1, bound);
  }
}

/* The part by which waves cos(k s) of columns of elements of length h need a larger load than those
 * of Euler's column, where shear and shortening are small: see column_of_order_4 in
 * statics_beams.c. */
static double wave_error(double kh) {
  return 7 * pow(kh, 4) / 720;
}

/* ---- columns on a turntable ------------------------------------------------------------------ */

/* Euler's column of equal bending both ways, whose base turns about its axis as the load says:
 * nothing is strained by that, and both directions buckle at pi^2 EI/(4 L^2). */
static const char turntable[] = "{\"torsor\": 1, \"parameters\": {\"n\": 20, \"rate\": 0.1, \"x\": "
                                "1, \"y\": 0, \"z\": 0, \"L\": 240, "
                                "\"EI\": 5934.292, \"until\": 0.5}, \"sections\": {\"s\": "
                                "{\"stiffness\": [712400, 226583, 226583, 58730.4, "
                                "\"EI\", \"EI\"], \"inertia\": [1, 1, 1, 2, 1, 1]}}, \"bodies\": "
                                "[{\"name\": \"b\", \"type\": \"beam\", "
                                "\"section\": \"s\", \"position\": [0, 0, 0], \"end\": [\"L*x\", "
                                "\"L*y\", \"L*z\"], \"elements\": \"n\"}], "
                                "\"joints\": [{\"name\": \"c\", \"type\": \"revolute\", \"axis\": "
                                "[\"x\", \"y\", \"z\"], \"a\": \"ground\", "
                                "\"b\": \"b.start\"}, {\"name\": \"d\", \"type\": \"drive\", "
                                "\"coordinate\": \"c.angle\", \"motion\": "
                                "\"rate*load\"}], \"forces\": [{\"name\": \"P\", \"type\": "
                                "\"force\", \"at\": \"b.end\", \"force\": "
                                "[\"-x*pi^2*EI/4/L^2\", \"-y*pi^2*EI/4/L^2\", "
                                "\"-z*pi^2*EI/4/L^2\"], \"scale\": \"load\"}], \"statics\": "
                                "{\"steps\": 1, \"until\": \"until\", \"buckling\": 2}, "
                                "\"output\": {\"signals\": [\"b.end.position\"]}}";

static void column_on_a_turntable(void **state) {
  (void)state;
  static const char *const turn[] = {"parameters.rate=0", "parameters.rate=0.1",
                                     "parameters.rate=-2"};
  static const char *const axis[][3] = {
      {"parameters.x=1", "parameters.y=0", "parameters.z=0"},
      {"parameters.x=0.6", "parameters.y=0", "parameters.z=0.8"},
      {"parameters.x=-0.48", "parameters.y=0.64", "parameters.z=0.6"}};
  static const char *const until[] = {"parameters.until=0.5", "parameters.until=0.001"};
  equilibria o = {0};
  for (int i = 0; i < 3 * 3 * 2 * 2; ++i) {
    const int t = i % 3, a = i / 3 % 3, g = i / 9 % 2, u = i / 18;
    double off[2];
    for (int k = 0; k < 2; ++k) {
      const char *const set[] = {groups[g],
                                 turn[t],
                                 axis[a][0],
                                 axis[a][1],
                                 axis[a][2],
                                 until[u],
                                 k ? "parameters.n=32" : "parameters.n=16",
                                 NULL};
      equilibria_end(&o, turntable, set);
      CHECK_INT(o.summary.buckling_count, 2);
      CHECK_STR(o.warnings, "");
      off[k] = o.summary.buckling[0] - 1;
      /* both directions: a double root is parted by the root of the differences' error of 1e-6 */
      CHECK_NEAR(o.summary.buckling[1], o.summary.buckling[0], 1e-3);
    }
    /* of order 4 in the mesh; and 1e-3 of a double root */
    check_report("buckling load on a turntable, less 1", off[1], 1e-3);
    CHECK_NEAR(off[0], wave_error(pi / 2 / 16), 1e-3);
    CHECK_NEAR(off[1], wave_error(pi / 2 / 32), 1e-3);
  }
}

/* The same column whose end is held by a stiff spring of the ground in one direction, which turns
 * past that of the column: no tangent that changes in proportion to the load can tell, and that is
 * reported.  Both directions are those of the path: free, at 1, and held, at 8.1830 (tan x = x). */
static void column_that_turns_in_its_stay(void **state) {
  (void)state;
  char text[sizeof turntable + 200];
  const char *at = strstr(turntable, "], \"statics\"");
  snprintf(text, sizeof text,
           "%.*s, {\"name\": \"stay\", \"type\": \"bushing\", \"a\": {\"body\": \"ground\", "
           "\"position\": "
           "[\"L\", 0, 0]}, \"b\": \"b.end\", \"stiffness\": [0, 1000, 0]}%s",
           (int)(at - turntable), turntable, at);
  equilibria o = {0};
  for (int g = 0; g < 2; ++g) {
    const char *const set[] = {groups[g], "parameters.until=8.5", "statics.steps=10", NULL};
    equilibria_end(&o, text, set);
    CHECK_CONTAINS(o.warnings, "the equilibrium is already unstable");
    CHECK_INT(o.summary.critical_count, 2);
    CHECK_INT(o.summary.unstable, 2);
    /* twice the mesh's error, and twice the strains of shear, which are left out */
    const double held = 4.493409457909064, shear = pi * pi * 5934.292 / 4 / 240 / 240 / 226583;
    const double second = 4 * held * held / (pi * pi);
    check_report("free column, less 1", o.summary.critical[0].load - 1, 2 * wave_error(pi / 40));
    check_report("held column, less 1", o.summary.critical[1].load / second - 1,
                 2 * wave_error(held / 20));
    CHECK_NEAR(o.summary.critical[0].load, 1, 2 * (wave_error(pi / 40) + shear));
    CHECK_NEAR(o.summary.critical[1].load / second, 1,
               2 * (wave_error(held / 20) + second * shear));
  }
}

/* ---- several directions at once
 * ------------------------------------------------------------------ */

/* A round column has two directions, and both become unstable at Euler's load; the second mode's
 * two at 9 times that.  Of two unequal ones each has a load of its own, however near they are. */
static const char round_column[] = "{\"torsor\": 1, \"parameters\": {\"n\": 20, \"other\": 1}, "
                                   "\"bodies\": [{\"name\": \"b\", \"type\": \"beam\", "
                                   "\"elements\": \"n\", \"length\": 1, \"section\": "
                                   "{\"stiffness\": [1e5, 1e5, 1e5, 1, 1, \"other\"], "
                                   "\"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}}], \"joints\": "
                                   "[{\"name\": \"clamp\", \"type\": \"weld\", \"a\": "
                                   "\"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": "
                                   "\"P\", \"type\": \"force\", \"at\": \"b.end\", "
                                   "\"force\": [\"-pi^2/4\", 0, 0]}], \"statics\": {\"steps\": 10, "
                                   "\"until\": 2}, \"output\": {\"signals\": "
                                   "[\"b.end.position\"]}}";

static void two_directions_at_once(void **state) {
  (void)state;
  static const char *const steps[] = {"statics.steps=1", "statics.steps=3", "statics.steps=10"};
  equilibria o = {0};
  for (int i = 0; i < 6; ++i)
    for (int arc = 0; arc < 2; ++arc) {
      const char *const set[] = {groups[i / 3], steps[i % 3],
                                 arc ? "statics.method=arc_length" : "statics.method=newton", NULL};
      equilibria_end(&o, round_column, set);
      CHECK_INT(o.summary.critical_count, 1);
      CHECK_FALSE(o.summary.critical[0].limit);
      CHECK_INT(o.summary.critical[0].directions, 2);
      CHECK_INT(o.summary.unstable, 2);
      check_report("double bifurcation, less 1", o.summary.critical[0].load - 1,
                   2 * wave_error(pi / 40));
      /* what is of order 2 of the strains, 2.5e-5 of (k h)^2/4, and rounding of the stretch's
       * stiffness, 4e4 of the bending of all in an element, that cancels: 1e-11 a time, in the sums
       * of 40 solutions, beside the 1e-9 to which critical points are found */
      CHECK_NEAR(o.summary.critical[0].load, 1 + wave_error(pi / 40), 5e-8);
      CHECK_STR(o.warnings, "");
    }
  static const char *const other[] = {"parameters.other=1.02", "parameters.other=1.3"};
  for (int i = 0; i < 2; ++i) {
    const char *const set[] = {other[i], "statics.steps=1", NULL};
    const double ratio = i ? 1.3 : 1.02;
    equilibria_end(&o, round_column, set);
    CHECK_INT(o.summary.critical_count, 2);
    CHECK_INT(o.summary.unstable, 2);
    for (int k = 0; k < 2; ++k) CHECK_INT(o.summary.critical[k].directions, 1);
    CHECK_NEAR(o.summary.critical[1].load / o.summary.critical[0].load, ratio, 1e-5);
  }
  const char *const far[] = {"statics.until=30", "statics.steps=4", NULL};
  equilibria_end(&o, round_column, far);
  CHECK_INT(o.summary.critical_count, 3);
  CHECK_INT(o.summary.unstable, 6);
  const char *const few[] = {"statics.until=0.9", NULL};
  equilibria_end(&o, round_column, few);
  CHECK_INT(o.summary.unstable, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(negative_eigenvalues_are_counted),
      cmocka_unit_test(beam_on_its_edge),
      cmocka_unit_test(column_on_a_turntable),
      cmocka_unit_test(column_that_turns_in_its_stay),
      cmocka_unit_test(two_directions_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
