/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beams whose axis keeps its length and whose sections stay across it, by constraints: the
 * elastica, the limit of stiff beams, circles, orders in time. */
#include <stdio.h>

#include <gsl/gsl_sf_ellint.h>

#include "check.h"
#include "closed.h"

#define STRIP(elements, stiffness, more, load)                                                     \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 1, "             \
  "\"elements\": "                                                                                 \
  "" elements ", \"section\": {\"stiffness\": [" stiffness ", " stiffness ", " stiffness           \
  ", 1, 1, 1], \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}" more "}], \"joints\": [{\"name\": "      \
  "\"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": "           \
  "[{\"name\": "                                                                                   \
  "\"f\", \"type\": \"force\", \"at\": \"b.end\", " load "}]}"
#define HELD    ", \"inextensible\": true, \"shear_rigid\": true"
#define ORDER_2 ", \"order\": 2"
#define ORDER_4 ", \"order\": 4"

static void check_order(const char *what, double coarse, double fine, double ratio, double order,
                        double tolerance) {
  char label[120];
  const double found = torsor_order(coarse, fine, ratio, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, off order %g by", what, coarse, fine, order);
  check_report(label, fabs(found - order), tolerance);
  CHECK_ORDER(found, order, tolerance);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = check_max(most, fabs(a[i] - b[i]));
  return most;
}

/* ---- statics --------------------------------------------------------------------------------- */

/* A dead force P L^2/EI = 10 across the end: with k^2 = (1 + sin angle)/2 of the end and sin phi =
 * 1/(k sqrt 2) sqrt P = K(k) - F(phi, k),  x = sqrt(2 sin(angle)/P),  y = 1 - 2 (E(k) - E(phi,
 * k))/sqrt P. */
static void elastica_end(double end[2]) {
  const double P = 10;
  double low = sqrt(0.5) + 1e-9, high = 1 - 1e-12;
  for (int i = 0; i < 200; ++i) {
    const double k = (low + high) / 2, phi = asin(1 / (k * sqrt(2)));
    const double s =
        gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) - gsl_sf_ellint_F(phi, k, GSL_PREC_DOUBLE);
    if (s < sqrt(P))
      low = k;
    else
      high = k;
  }
  const double k = (low + high) / 2, phi = asin(1 / (k * sqrt(2)));
  const double E =
      gsl_sf_ellint_Ecomp(k, GSL_PREC_DOUBLE) - gsl_sf_ellint_E(phi, k, GSL_PREC_DOUBLE);
  end[0] = sqrt(2 * (2 * k * k - 1) / P);
  end[1] = 1 - 2 * E / sqrt(P);
}

#define ACROSS "\"force\": [0, 10, 0]"

static void elastica(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position", NULL};
  double end[2], coarse[4], fine[4];
  elastica_end(end);
  print_message("  end of the elastica: %.12g %.12g\n", end[0], end[1]);
  closed_rest(coarse, 4, STRIP("20", "1e3", HELD ORDER_2, ACROSS), signals);
  closed_rest(fine, 4, STRIP("40", "1e3", HELD ORDER_2, ACROSS), signals);
  check_order("elastica, m", apart(coarse + 1, end, 2), apart(fine + 1, end, 2), 2, 2, 0.05);
  CHECK_LE(apart(fine + 1, end, 2), 1e-3);
}

/* At order 4 the shears need no constraints; a half of the length of the elements leaves a
 * sixteenth of the error. */
static void elastica_of_order_4(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position", "b.strain", NULL};
  double end[2], coarse[4 + 24], fine[4 + 48], strain = 0;
  elastica_end(end);
  closed_rest(coarse, 28, STRIP("8", "1e3", HELD ORDER_4, ACROSS), signals);
  closed_rest(fine, 52, STRIP("16", "1e3", HELD ORDER_4, ACROSS), signals);
  check_order("elastica, m", apart(coarse + 1, end, 2), apart(fine + 1, end, 2), 2, 4, 0.1);
  for (int i = 4; i < 52; ++i) strain = check_max(strain, fabs(fine[i]));
  check_report("strains of the sections", strain, 64 * CHECK_EPS);
  CHECK_LE(strain, 64 * CHECK_EPS);
}

/* The limit of stiff beams with the same elements: errors fall like 1/EA, also those of the
 * section's forces, which are multipliers here. */
static void limit(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position", "b.section_force", "b.section_moment",
                                        NULL};
  enum { COLUMNS = 4 + 6 * 8 };
  double held[COLUMNS], soft[COLUMNS], stiff[COLUMNS];
#define LIMIT(order)                                                                               \
  {                                                                                                \
    STRIP("8", "1", HELD order, ACROSS), STRIP("8", "1e5", order, ACROSS),                         \
        STRIP("8", "1e6", order, ACROSS)                                                           \
  }
  static const char *const text[2][3] = {LIMIT(ORDER_2), LIMIT(ORDER_4)};
  for (int i = 0; i < 2; ++i) {
    closed_rest(held, COLUMNS, text[i][0], signals);
    closed_rest(soft, COLUMNS, text[i][1], signals);
    closed_rest(stiff, COLUMNS, text[i][2], signals);
    check_order("stiff beams: end, m", apart(soft + 1, held + 1, 3), apart(stiff + 1, held + 1, 3),
                10, 1, 0.01);
    check_order("stiff beams: forces, N", apart(soft + 4, held + 4, 48),
                apart(stiff + 4, held + 4, 48), 10, 1, 0.01);
    CHECK_LE(apart(stiff + 1, held + 1, 3), 1e-4);
  }
}

/* One strain alone. */
static void one_at_a_time(void **state) {
  (void)state;
  static const char *const signals[] = {"b.strain", NULL};
#define ALONE(which)                                                                               \
  STRIP("4", "1e3", ", \"" which "\": true" ORDER_2, ACROSS),                                      \
      STRIP("4", "1e3", ", \"" which "\": true" ORDER_4, ACROSS)
  static const char *const stretch[] = {ALONE("inextensible")};
  static const char *const shear[] = {ALONE("shear_rigid")};
  double row[13];
  for (int k = 0; k < 2; ++k) {
    closed_rest(row, 13, stretch[k], signals);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(row[1 + 3 * i], 0, 64 * CHECK_EPS);
    CHECK_GE(fabs(row[2]), 1e-3);
    closed_rest(row, 13, shear[k], signals);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(row[2 + 3 * i], 0, 64 * CHECK_EPS);
    CHECK_GE(fabs(row[1 + 9]), 1e-3);
  }
}

/* In space: shears along both axes are held, twist and bending are not. */
static void in_space(void **state) {
  (void)state;
  static const char *const signals[] = {"b.strain", "b.curvature", NULL};
#define SKEW "\"force\": [1, 0.3, -0.2], \"moment\": [0.1, 0.2, 0.3]"
  static const char *const text[] = {STRIP("4", "1e3", HELD ORDER_2, SKEW),
                                     STRIP("4", "1e3", HELD ORDER_4, SKEW)};
  for (int k = 0; k < 2; ++k) {
    double row[25], most = 0;
    closed_rest(row, 25, text[k], signals);
    for (int i = 0; i < 12; ++i) most = check_max(most, fabs(row[1 + i]));
    check_report("in space: held strains", most, 64 * CHECK_EPS);
    CHECK_LE(most, 64 * CHECK_EPS);
    for (int i = 0; i < 3; ++i) CHECK_GE(fabs(row[13 + i]), 1e-2);
  }
}

/* A moment of 2 pi EI makes a full circle, whatever the mesh. */
static void circle(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position", "b.section_moment[2].z", NULL};
#define ROUND "\"moment\": [0, 0, \"2*pi\"], \"axes\": \"body\""
  static const char *const text[] = {STRIP("5", "1e3", HELD ORDER_2, ROUND),
                                     STRIP("5", "1e3", HELD ORDER_4, ROUND)};
  for (int k = 0; k < 2; ++k) {
    double row[5];
    closed_rest(row, 5, text[k], signals);
    const double off = apart(row + 1, (double[3]){0}, 3);
    check_report("full circle: gap, m", off, 256 * CHECK_EPS);
    CHECK_LE(off, 256 * CHECK_EPS);
    CHECK_NEAR(row[4], 2 * PI, 256 * CHECK_EPS);
  }
}

/* ---- motion
 * -------------------------------------------------------------------------------------- */

/* A force that comes and goes on a clamped strip, in space: second order of positions, forces and
 * energy. */
static void order_in_time(void **state) {
  (void)state;
#define SHAKEN(more)                                                                               \
  STRIP("4", "1e3", HELD more ", \"curvature\": [0.3, 0.5, 0.2], \"damping_factor\": 0.02",        \
        "\"force\": [0, 3, 2], \"scale\": \"t < 1 ? sin(pi*t)^4 : 0\"")
  static const char *const text[] = {SHAKEN(ORDER_2), SHAKEN(ORDER_4)};
  static const char *const signals[] = {"b.end.position", "b.section_force", "energy.balance",
                                        NULL};
  for (int k = 0; k < 4; ++k) {
    const int g = k % 2;
    double row[4][17];
    for (int i = 0; i < 4; ++i) {
      support_trace trace = closed_run(text[k / 2], signals, closed_groups[g], 0.02 / (1 << i), 1);
      CHECK_INT(trace.columns, 17);
      memcpy(row[i], support_row(&trace, trace.rows - 1), sizeof row[i]);
      support_trace_release(&trace);
    }
    print_message(" %s%s\n", closed_groups[g], k / 2 ? ", order 4" : "");
    check_order("end, m", apart(row[1] + 1, row[2] + 1, 3), apart(row[2] + 1, row[3] + 1, 3), 2, 2,
                0.1);
    check_order("section forces, N", apart(row[1] + 4, row[2] + 4, 12),
                apart(row[2] + 4, row[3] + 4, 12), 2, 2, 0.2);
    check_order("energy balance, J", fabs(row[2][16]), fabs(row[3][16]), 2, 2, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastica),      cmocka_unit_test(elastica_of_order_4),
      cmocka_unit_test(limit),         cmocka_unit_test(one_at_a_time),
      cmocka_unit_test(in_space),      cmocka_unit_test(circle),
      cmocka_unit_test(order_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
