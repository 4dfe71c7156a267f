/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shells that snap through and that buckle: arc lengths beyond limit points, critical loads. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "equilibria.h"

static const double PI = 3.14159265358979323846;

static equilibria found;

#define SYMMETRY(name, edge, direction)                                                            \
  "{\"name\": \"" name "\", \"type\": \"edge\", \"on\": \"s." edge                                 \
  "\", \"holds\": \"symmetry\", \"direction\": " direction "}"

/* ---- the hinged roof ---------------------------------------------------------------------------
 */

/* A quarter of a shallow roof (Sze, Liu and Lo 2004, 3.7): hinges along its straight edges, its
 * curved ones free, pushed down in the middle.  Lengths are mm, forces N; the load 1 is 3000 N. */
#define ROOF                                                                                       \
  "{\"torsor\": 1, \"parameters\": {\"m\": 4, \"h\": 12.7, \"w\": 0}, \"group\": \"R3xSO3\", "     \
  "\"bodies\": [{\"name\": \"s\", \"type\": \"shell\", \"surface\": \"cylinder\", \"elements\": "  \
  "[\"m\", \"m\"], \"radius\": 2540, \"length\": 254, \"angle\": 0.1, \"position\": "              \
  "[-2540, 0, 0], \"thickness\": \"h\", \"E\": 3102.75, \"nu\": 0.3, \"density\": 1}], "           \
  "\"joints\": [" SYMMETRY("x0", "edge_x0", "[0, 1, 0]") ", " SYMMETRY(                            \
      "y0", "edge_y0",                                                                             \
      "[0, 0, 1]") ", {\"name\": \"x1\", \"type\": \"edge\", \"on\": \"s.edge_x1\", \"holds\": "   \
                   "\"hinge\"}"
#define MIDDLE "\"s[0][0].position.x\""
#define PUSHED                                                                                     \
  ROOF "], \"forces\": [{\"name\": \"P\", \"type\": \"force\", \"at\": \"s[0][0]\", \"force\": "   \
       "[-750, 0, 0]}], \"statics\": {\"method\": \"arc_length\", \"until\": 0.8, \"arc\": 0.1}, " \
       "\"output\": {\"signals\": [" MIDDLE ", \"energy.elastic\"]}}"
#define LED                                                                                        \
  ROOF ", {\"name\": \"jack\", \"type\": \"motion\", \"a\": \"ground\", \"b\": \"s[0][0]\", "      \
       "\"x\": \"-w*load\"}], \"statics\": {\"steps\": 8}, \"output\": {\"signals\": [" MIDDLE     \
       ", \"jack.force.x\"]}}"

/* Follows the path with m elements a side and the thickness h. */
static void push(int m, double h) {
  char of[2][40];
  snprintf(of[0], sizeof of[0], "parameters.m=%d", m);
  snprintf(of[1], sizeof of[1], "parameters.h=%.17g", h);
  equilibria_end(&found, PUSHED, (const char *const[]){of[0], of[1], NULL});
}

/* The load at a deflection, by a polynomial through the four points of the path around it. */
static double load_at(double w) {
  int i = 1;
  while (i + 2 < found.rows - 1 && -found.row[i + 1][1] < w) ++i;
  double sum = 0;
  for (int k = i - 1; k <= i + 2; ++k) {
    double part = 1;
    for (int l = i - 1; l <= i + 2; ++l)
      if (l != k) part *= (w + found.row[l][1]) / (found.row[l][1] - found.row[k][1]);
    sum += part * found.row[k][0];
  }
  return sum;
}

/* Two limit points, between which one direction is unstable. */
static void turns_twice(double limit[2]) {
  CHECK_INT(found.summary.critical_count, 2);
  for (int k = 0; k < 2; ++k) {
    CHECK_TRUE(found.summary.critical[k].limit);
    CHECK_INT(found.summary.critical[k].directions, k ? -1 : 1);
    limit[k] = found.summary.critical[k].load;
  }
  CHECK_INT(found.summary.unstable, 0);
}

/* Published pairs of deflection and load as far as the first limit point.  The mesh is of order 2:
 * as elsewhere with these tables, the extrapolated load is held against them within what the
 * extrapolation adds, the last digit and the quarter of a per cent that they are off. */
static void hinged_roof(void **state) {
  (void)state;
  static const double table[][2] = {
      {0.693, 0.0877}, {1.638, 0.198},  {3.087, 0.3473}, {4.477, 0.4686},  {5.802, 0.5647},
      {7.057, 0.6381}, {8.237, 0.6908}, {9.339, 0.7246}, {10.358, 0.7412},
  };
  enum { ENTRIES = sizeof table / sizeof *table };
  double load[2][ENTRIES], limit[2][2], worst = 0, of = 1;
  for (int k = 0; k < 2; ++k) {
    push(3 + 2 * k, 12.7);
    turns_twice(limit[k]);
    for (int i = 0; i < ENTRIES; ++i) load[k][i] = load_at(table[i][0]);
  }
  for (int i = 0; i < ENTRIES; ++i) {
    const double third = (load[1][i] - load[0][i]) / (25. / 9 - 1), value = table[i][1];
    const double off = fabs(load[1][i] + third - value);
    const double bound = fabs(third) + 5e-5 + 0.0025 * value;
    CHECK_LE(off, bound);
    if (off / bound > worst / of) worst = off, of = bound;
  }
  print_message("  limit points %.6f and %.6f with 5 x 5 elements on a quarter\n", limit[1][0],
                limit[1][1]);
  check_report("hinged roof: off the table, nearest to its bound", worst, of);
}

/* The same equilibria where a jack leads the middle down: before, between and behind the limit
 * points. Newton's corrections end at 1e-10 of 550 mm, and the load changes by 0.1 per mm. */
static void as_a_jack_finds_it(void **state) {
  (void)state;
  static double row[3][2];
  push(4, 12.7);
  const int at[3] = {found.rows / 4, found.rows / 2, found.rows - 2};
  for (int i = 0; i < 3; ++i) memcpy(row[i], found.row[at[i]], sizeof row[i]);
  for (int i = 0; i < 3; ++i) {
    char of[40];
    snprintf(of, sizeof of, "parameters.w=%.17g", -row[i][1]);
    const double *end = equilibria_end(&found, LED, (const char *const[]){of, NULL});
    print_message("  middle %.6g mm: load %.9f\n", row[i][1], row[i][0]);
    check_report("hinged roof: load off what a jack bears", fabs(-end[2] / 750 - row[i][0]), 1e-8);
    CHECK_LE(fabs(-end[2] / 750 - row[i][0]), 1e-8);
  }
}

/* Half the thickness: the middle comes back, too, before it goes down.  The work of the force,
 * summed up along the path by trapezoids, is the elastic energy, up to an error of order 2 in the
 * arc: half the arc has a quarter of it, and at most half where a limit point is between two of its
 * points.  Limit points are found to 1e-9 whatever the steps are, with a last digit of 600 N. */
static void thin_roof_snaps_back(void **state) {
  (void)state;
  double off[2], limit[2][2];
  for (int k = 0; k < 2; ++k) {
    const char *const set[] = {"parameters.h=6.35", k ? "statics.arc=0.025" : "statics.arc=0.05",
                               "statics.until=0.4", NULL};
    equilibria_end(&found, PUSHED, set);
    turns_twice(limit[k]);
    double work = 0;
    int back = 0;
    for (int i = 1; i < found.rows; ++i) {
      const double *from = found.row[i - 1], *to = found.row[i];
      work -= 750 * (from[0] + to[0]) / 2 * (to[1] - from[1]);
      back += to[1] > from[1];
    }
    CHECK_GE(back, 2);
    off[k] = fabs(work / found.row[found.rows - 1][2] - 1);
    print_message("  thin roof: limit points %.6f and %.6f, %d of %d steps go back\n", limit[k][0],
                  limit[k][1], back, found.rows - 1);
  }
  CHECK_LE(limit[0][1], 0);
  for (int i = 0; i < 2; ++i) CHECK_NEAR(limit[1][i], limit[0][i], 1e-8);
  check_report("thin roof: work off the elastic energy", off[1], off[0] / 2);
  CHECK_LE(off[1], off[0] / 2);
  CHECK_LE(off[0], 1e-3);
}

/* ---- a panel under axial pressure --------------------------------------------------------------
 */

/* A strip of a tube between planes of symmetry: pressed along its axis, held at its ends by
 * diaphragms, one half of its length.  Its sizes go with sqrt(R h), so that waves stay alike; the
 * load 1 is the classical one, E h^2/(R sqrt 3). */
#define PANEL                                                                                      \
  "{\"torsor\": 1, \"parameters\": {\"m\": 4, \"h\": 0.001, \"a\": \"0.43*sqrt(h/0.004)\", "       \
  "\"N\": \"7e10*h*h/sqrt(3)\"}, \"group\": \"R3xSO3\", \"bodies\": [{\"name\": \"s\", "           \
  "\"type\": \"shell\", \"surface\": \"cylinder\", \"elements\": [\"4*m\", \"m\"], \"radius\": "   \
  "1, \"length\": \"0.1*sqrt(h/0.004)\", \"angle\": \"a\", \"thickness\": \"h\", \"E\": 7e10, "    \
  "\"nu\": 0, \"density\": 2700}], \"joints\": [" SYMMETRY(                                        \
      "x0", "edge_x0",                                                                             \
      "[0, 1, 0]") ", " SYMMETRY("x1", "edge_x1",                                                  \
                                 "[\"-sin(a)\", \"cos(a)\", 0]") ", " SYMMETRY("y0", "edge_y0",    \
                                                                               "[0, 0, 1]") ", "   \
                                                                                            "{\"n" \
                                                                                            "ame"  \
                                                                                            "\": " \
                                                                                            "\"y1" \
                                                                                            "\", " \
                                                                                            "\"ty" \
                                                                                            "pe\"" \
                                                                                            ": "   \
                                                                                            "\"ed" \
                                                                                            "ge\"" \
                                                                                            ", "   \
                                                                                            "\"on" \
                                                                                            "\": " \
                                                                                            "\"s." \
                                                                                            "edge" \
                                                                                            "_y1"  \
                                                                                            "\", " \
                                                                                            "\"ho" \
                                                                                            "lds"  \
                                                                                            "\": " \
                                                                                            "\"li" \
                                                                                            "ne\"" \
                                                                                            ", "   \
                                                                                            "\"di" \
                                                                                            "rect" \
                                                                                            "ion"  \
                                                                                            "\": " \
                                                                                            "[0, " \
                                                                                            "0, "  \
                                                                                            "1]}]" \
                                                                                            ", "   \
                                                                                            "\"fo" \
                                                                                            "rces" \
                                                                                            "\": " \
                                                                                            "[{"   \
                                                                                            "\"na" \
                                                                                            "me\"" \
                                                                                            ": "   \
                                                                                            "\"P"  \
                                                                                            "\", " \
                                                                                            "\"ty" \
                                                                                            "pe\"" \
                                                                                            ": "   \
                                                                                            "\"ed" \
                                                                                            "ge_"  \
                                                                                            "load" \
                                                                                            "\", " \
                                                                                            "\"on" \
                                                                                            "\": " \
                                                                                            "\"s." \
                                                                                            "edge" \
                                                                                            "_y1"  \
                                                                                            "\", " \
                                                                                            "\"fo" \
                                                                                            "rce"  \
                                                                                            "\": " \
                                                                                            "[0, " \
                                                                                            "0, "  \
                                                                                            "\"-"  \
                                                                                            "N\"]" \
                                                                                            "}], " \
                                                                                            "\"st" \
                                                                                            "atic" \
                                                                                            "s\":" \
                                                                                            " {"   \
                                                                                            "\"bu" \
                                                                                            "ckli" \
                                                                                            "ng\"" \
                                                                                            ": "   \
                                                                                            "3, "  \
                                                                                            "\"un" \
                                                                                            "til"  \
                                                                                            "\": " \
                                                                                            "0.5}" \
                                                                                            ", "   \
                                                                                            "\"ou" \
                                                                                            "tput" \
                                                                                            "\": " \
                                                                                            "{\"s" \
                                                                                            "igna" \
                                                                                            "ls\"" \
                                                                                            ": "   \
                                                                                            "[\"s" \
                                                                                            ".edg" \
                                                                                            "e_"   \
                                                                                            "y1."  \
                                                                                            "star" \
                                                                                            "t."   \
                                                                                            "posi" \
                                                                                            "tion" \
                                                                                            ".z\"" \
                                                                                            "]}}"

/* Solves K x = N G x for the smallest N: inverse iteration with K [5][5], G the identity in the
 * first three rows. */
static double smallest_root(double K[5][5]) {
  double x[5] = {1, 1, 1, 0, 0}, root = 0;
  for (int pass = 0; pass < 60; ++pass) {
    double A[5][6];
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) A[i][j] = K[i][j];
      A[i][5] = i < 3 ? x[i] : 0;
    }
    for (int k = 0; k < 5; ++k)
      for (int i = 0; i < 5; ++i) {
        const double c = i == k ? 0 : A[i][k] / A[k][k];
        for (int j = k; j < 6; ++j) A[i][j] -= c * A[k][j];
      }
    double top = 0, bottom = 0;
    for (int i = 0; i < 3; ++i) {
      const double y = A[i][5] / A[i][i];
      top += x[i] * y;
      bottom += y * y;
      x[i] = y;
    }
    root = top / bottom;
    const double size = sqrt(bottom);
    for (int i = 0; i < 3; ++i) x[i] /= size;
  }
  return root;
}

/* The load of buckling with p half waves along the length L and q along the arc b, in classical
 * ones: displacements u cos sin .. of the linear theory of the element's strains (along the axis,
 * the arc, the normal, and two turns of the normal), whose membrane forces do work N |du/dx|^2/2.
 */
static double wave_load(int p, int q, double h, double L, double b) {
  const double E = 7e10, s = p * PI / L, t = q * PI / b;
  const double row[8][5] = {{-s},               /* strain along x */
                            {0, t, 1},          /* y, R = 1 */
                            {-t, s},            /* twice xy */
                            {0, 0, 0, -s},      /* curvatures */
                            {0, t, 1, 0, t},    /* */
                            {0, s, 0, -t, s},   /* */
                            {0, 0, s, 1},       /* shears */
                            {0, -1, -t, 0, 1}}; /* */
  const double stiff[8] = {E * h,
                           E * h,
                           E * h / 2,
                           E * h * h * h / 12,
                           E * h * h * h / 12,
                           E * h * h * h / 24,
                           5 * E * h / 12,
                           5 * E * h / 12};
  double K[5][5] = {{0}};
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) K[i][j] += stiff[k] * row[k][i] * row[k][j];
  return smallest_root(K) / (s * s) / (E * h * h / sqrt(3));
}

/* Value without what is of order 2 and, with three meshes, of order 4 in 1/m, by Neville's scheme.
 */
static double extrapolated(const double *value, const int *m, int count) {
  double to[3];
  memcpy(to, value, (size_t)count * sizeof *to);
  for (int k = 1; k < count; ++k)
    for (int i = 0; i + k < count; ++i)
      to[i] = to[i + 1] + (to[i + 1] - to[i]) / (pow((double)m[i + k] / m[i], 2) - 1);
  return to[0];
}

/* Three loads of buckling, with waves of 1 x 2, 1 x 1 and 1 x 3 halves.  What meshes are off by is
 * of order 2 in their elements; what is left without that is its correction by a third mesh.  The
 * closed form is that of small strains: at the load f they are f e, e = h/(R sqrt 3), and change
 * lengths, and with them waves and loads, by up to twice that part. */
static void pressed_panel(void **state) {
  (void)state;
  static const int meshes[3] = {4, 6, 8}, waves[3] = {2, 1, 3};
  const double h = 0.00025, L = 0.2 * sqrt(h / 0.004), b = 0.43 * sqrt(h / 0.004);
  double load[3][3];
  for (int k = 0; k < 3; ++k) {
    char of[40];
    snprintf(of, sizeof of, "parameters.m=%d", meshes[k]);
    equilibria_end(&found, PANEL, (const char *const[]){of, "parameters.h=0.00025", NULL});
    CHECK_INT(found.summary.buckling_count, 3);
    for (int i = 0; i < 3; ++i) load[i][k] = found.summary.buckling[i];
  }
  for (int i = 0; i < 3; ++i) {
    const double limit = extrapolated(load[i], meshes, 3);
    const double left = fabs(limit - extrapolated(load[i] + 1, meshes + 1, 2));
    const double exact = wave_load(1, waves[i], h, L, b), off = fabs(limit - exact);
    const double bound = left + 2 * h / sqrt(3) * exact * exact;
    print_message("  1 x %d half waves: %.6f %.6f %.6f, limit %.6f for %.6f\n", waves[i],
                  load[i][0], load[i][1], load[i][2], limit, exact);
    check_report("pressed panel: limit off the closed form", off, bound);
    CHECK_LE(off, bound);
  }
}

/* The path itself has its bifurcation where linearised buckling says, but for strains. */
static void path_of_the_panel(void **state) {
  (void)state;
  static const char *const set[] = {"statics.until=1.1", "statics.steps=2", "statics.buckling=1",
                                    NULL};
  const double strain = 0.001 / sqrt(3);
  equilibria_end(&found, PANEL, set);
  CHECK_INT(found.summary.critical_count, 1);
  CHECK_FALSE(found.summary.critical[0].limit);
  CHECK_INT(found.summary.unstable, 1);
  const double off = fabs(found.summary.critical[0].load / found.summary.buckling[0] - 1);
  check_report("pressed panel: bifurcation off the buckling load", off, 2 * strain);
  CHECK_LE(off, 2 * strain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinged_roof),          cmocka_unit_test(as_a_jack_finds_it),
      cmocka_unit_test(thin_roof_snaps_back), cmocka_unit_test(pressed_panel),
      cmocka_unit_test(path_of_the_panel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
