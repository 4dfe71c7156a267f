/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes about steady motions, against closed forms and the published bicycle. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "modes_kit.h"

static const torsor_modes_settings all = TORSOR_MODES_SETTINGS_INIT;

/* Round-off of eigenvalues of matrices with entries of some thousand, which are not normal. */
static const double ROUND_OFF = 1e-9;

static void has_eigenvalue(const torsor_modes *m, double re, double im, const char *what) {
  double nearest = HUGE_VAL;
  for (int i = 0; i < m->count; ++i)
    nearest = fmin(nearest, hypot(m->mode[i].re - re, m->mode[i].im - im));
  check_report(what, nearest, ROUND_OFF * (1 + hypot(re, im)));
  CHECK_LE(nearest, ROUND_OFF * (1 + hypot(re, im)));
}

/* ---- the linearised system
 * ----------------------------------------------------------------------- */

enum { MOST = 64 };

/* y += c A x. */
static void add_product(double *y, double c, const torsor_linear_matrix *A, const double *x) {
  for (int k = 0; k < A->count; ++k) y[A->row[k]] += c * A->value[k] * x[A->column[k]];
}

/* Complex e [velocities]: body axes at each node. */
static void body_axes(double *re, double *im, const torsor_modes *m, int mode) {
  for (int i = 0, node = -1; i < m->velocities; ++i) {
    node += m->column[i].place == 0;
    const torsor_mode_amplitude *a = &m->amplitude[mode * m->nodes + node];
    const m3 R = so3_matrix(m->node[node].R);
    const bool turns = m->column[i].place > 2;
    double x[3], y[3];
    v3_store(x, m3_tmulv(R, turns ? a->rotation_re : a->translation_re));
    v3_store(y, m3_tmulv(R, turns ? a->rotation_im : a->translation_im));
    re[i] = x[m->column[i].place % 3];
    im[i] = y[m->column[i].place % 3];
  }
}

/* Length of what the rows of B, orthonormalised, leave of f. */
static double outside_rows(const double *f, const torsor_modes *m) {
  static double row[MOST][MOST];
  double left[MOST];
  const torsor_linear_matrix *B = &m->matrix[TORSOR_MATRIX_B];
  memset(row, 0, sizeof row);
  memcpy(left, f, sizeof left);
  for (int k = 0; k < B->count; ++k) row[B->row[k]][B->column[k]] = B->value[k];
  for (int i = 0; i <= B->rows; ++i) {
    double *x = i < B->rows ? row[i] : left, size = 0;
    if (i < B->rows && m->row[i].dependent) memset(x, 0, sizeof row[i]);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < i; ++k) {
        double dot = 0;
        for (int j = 0; j < MOST; ++j) dot += row[k][j] * x[j];
        for (int j = 0; j < MOST; ++j) x[j] -= dot * row[k][j];
      }
    for (int j = 0; j < MOST; ++j) size += x[j] * x[j];
    if (i == B->rows) return sqrt(size);
    for (int j = 0; j < MOST && size > 0; ++j) x[j] /= sqrt(size);
  }
  return 0;
}

/* Every mode that is no rigid motion fulfils the system that is written. */
static void matrices_have_the_modes(void **state) {
  (void)state;
  const char *const set[] = {"parameters.push=0", "parameters.v=4", NULL};
  const torsor_modes_settings with = {.size = sizeof(torsor_modes_settings), .matrices = true};
  torsor_modes *m = modes_of_scene("whipple_bicycle", set, &with);
  const torsor_linear_matrix *const A = m->matrix;
  CHECK_TRUE(m->velocities <= MOST && m->rows <= MOST);
  CHECK_INT(A[TORSOR_MATRIX_G].rows, 0);
  double force = 0, rows = 0, scale = 0;
  for (int i = 0; i < m->count; ++i) {
    const double re = m->mode[i].re, im = m->mode[i].im;
    double x[MOST] = {0}, y[MOST] = {0}, f[MOST] = {0}, g[MOST] = {0}, b[MOST] = {0}, c[MOST] = {0};
    if (m->mode[i].kind == TORSOR_MODE_RIGID) continue;
    body_axes(x, y, m, i);
    double mx[MOST], my[MOST]; /* mu e */
    for (int k = 0; k < MOST; ++k) mx[k] = re * x[k] - im * y[k];
    for (int k = 0; k < MOST; ++k) my[k] = re * y[k] + im * x[k];
    add_product(f, 1, &A[TORSOR_MATRIX_K], x);
    for (int k = 0; k < MOST; ++k) scale = fmax(scale, fabs(f[k]));
    add_product(f, 1, &A[TORSOR_MATRIX_C], mx);
    add_product(f, re, &A[TORSOR_MATRIX_M], mx);
    add_product(f, -im, &A[TORSOR_MATRIX_M], my);
    add_product(g, 1, &A[TORSOR_MATRIX_K], y);
    add_product(g, 1, &A[TORSOR_MATRIX_C], my);
    add_product(g, re, &A[TORSOR_MATRIX_M], my);
    add_product(g, im, &A[TORSOR_MATRIX_M], mx);
    force = fmax(force, hypot(outside_rows(f, m), outside_rows(g, m)));
    add_product(b, 1, &A[TORSOR_MATRIX_B], x);
    add_product(c, 1, &A[TORSOR_MATRIX_B], mx);
    add_product(c, 1, &A[TORSOR_MATRIX_Z], x);
    for (int k = 0; k < m->rows; ++k) rows = fmax(rows, fabs(m->row[k].nonholonomic ? c[k] : b[k]));
  }
  check_report("bicycle, forces that no constraint answers", force / scale, ROUND_OFF);
  check_report("bicycle, rows of constraints", rows, ROUND_OFF);
  CHECK_LE(force, ROUND_OFF * scale);
  CHECK_LE(rows, ROUND_OFF);
  torsor_modes_destroy(m);
}

/* Meijaard, Papadopoulos, Ruina and Schwab 2007, table 2: from their M, C1, K0, K2 with 14
 * digits. */
static void whipple_bicycle(void **state) {
  (void)state;
  static const double table[][4] = {/* speed, -> capsize, castering, weave */
                                    {1, -3.134231250665784, -7.110080146374409, 0},
                                    {2, -3.0715864564151407, -8.673879848317373, 0},
                                    {3, -2.6336613725366544, -10.351014672459225, 0},
                                    {4, -1.4294442736132593, -12.158614265764433, 0}};
  static const double weave[][2] = {{3.526961709900692, 0.8077402751993097},
                                    {2.6823451751274545, 1.6806629659067598},
                                    {1.7067560566397302, 2.3158244738432434},
                                    {0.41325331521123887, 3.079108186032055}};
  for (int i = 0; i < 4; ++i) {
    char speed[40];
    snprintf(speed, sizeof speed, "parameters.v=%g", table[i][0]);
    for (int group = 0; group < 2; ++group) {
      const char *const set[] = {"parameters.push=0", speed, group ? "group=SE3" : "group=R3xSO3",
                                 NULL};
      torsor_modes *m = modes_of_scene("whipple_bicycle", set, &all);
      CHECK_TRUE(m->moves);
      CHECK_NEAR(m->frame.lin.x, table[i][0], 1e-12 * table[i][0]);
      has_eigenvalue(m, table[i][1], 0, "bicycle, capsize");
      has_eigenvalue(m, table[i][2], 0, "bicycle, castering");
      has_eigenvalue(m, weave[i][0], weave[i][1], "bicycle, weave");
      CHECK_INT(m->count, 7); /* four of eigenvalue 0: place, heading, the wheels' angles */
      torsor_modes_destroy(m);
    }
  }
}

/* Weave turns stable at 4.2924 m/s, capsize unstable at 6.0243 m/s. */
static void bicycle_is_stable_between(void **state) {
  (void)state;
  static const char *const speed[] = {"parameters.v=4.29", "parameters.v=4.295",
                                      "parameters.v=6.02", "parameters.v=6.03"};
  for (int i = 0; i < 4; ++i) {
    torsor_modes *m = modes_of_scene(
        "whipple_bicycle", (const char *const[]){"parameters.push=0", speed[i], NULL}, &all);
    bool unstable = false;
    for (int k = 0; k < m->count; ++k) unstable |= m->mode[k].unstable;
    CHECK_INT(unstable, i == 0 || i == 3);
    torsor_modes_destroy(m);
  }
}

#define TOP(given)                                                                                 \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\", \"type\": "        \
  "\"rigid_body\", \"mass\": 2, \"inertia\": [0.03, 0.03, 0.01], " given                           \
  "}], \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "     \
  "{\"body\": \"top\", \"position\": [0, 0, -0.2]}}]}"

static const double J = 0.03 + 2 * 0.04, C = 0.01, WEIGHT = 2 * 9.81 * 0.2; /* about the pivot */

/* Upright, spin 200 rad/s: J mu^2 - i C w mu - m g l = 0. */
static void sleeping_top(void **state) {
  (void)state;
  const double root = sqrt(4 - 4 * J * WEIGHT);
  torsor_modes *m =
      modes_of(TOP("\"position\": [0, 0, 0.2], \"angular_velocity\": [0, 0, 200]"), NULL, &all);
  has_eigenvalue(m, 0, (2 - root) / (2 * J), "sleeping top, precession");
  has_eigenvalue(m, 0, (2 + root) / (2 * J), "sleeping top, nutation");
  CHECK_NEAR(v3_norm(m->frame.ang), 0, 0);
  torsor_modes_destroy(m);
}

/* Steady precession p at an angle of 0.6 from the vertical: nutation^2 = (C w/J - 2 p cos)^2 + p^2
 * sin^2, with C w = J p cos + m g l/p.  The origin is not the pivot. */
static void precessing_top(void **state) {
  (void)state;
  const double angle = 0.6, p = 3, c = cos(angle), s = sin(angle);
  const double spin = (J * p * c + WEIGHT / p) / C;
  char scene[1200];
  snprintf(
      scene, sizeof scene,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\", \"type\": "
      "\"rigid_body\", \"mass\": 2, \"inertia\": [0.03, 0.03, 0.01], \"position\": [%.17g, 2, "
      "%.17g], "
      "\"orientation\": {\"rotation_vector\": [0, %.17g, 0]}, \"angular_velocity\": [%.17g, 0, "
      "%.17g]}], \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": {\"body\": "
      "\"ground\", \"position\": [1, 2, 0]}, \"b\": {\"body\": \"top\", \"position\": [0, 0, "
      "-0.2]}}]}",
      1 + 0.2 * s, 0.2 * c, angle, -p * s, spin);
  torsor_modes *m = modes_of(scene, NULL, &all);
  has_eigenvalue(m, 0, sqrt(pow(C * spin / J - 2 * p * c, 2) + p * p * s * s), "top, nutation");
  CHECK_NEAR(m->frame.ang.z, p, 1e-9);
  CHECK_NEAR(m->frame.lin.x, 2 * p, 1e-9); /* of what is at the origin */
  torsor_modes_destroy(m);
}

/* A blade on a flapping hinge at e = 0.3 of a hub that turns with 20 rad/s: flap^2 = W^2 (Jz - Jx +
 * m l (l + e)) / (Jy + m l^2), in the frame of the hub. */
static void flapping_blade(void **state) {
  (void)state;
  static const char *const rotor =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"hub\", \"type\": \"rigid_body\", \"mass\": 3, "
      "\"inertia\": "
      "[1, 1, 1.5], \"angular_velocity\": [0, 0, 20]}, {\"name\": \"blade\", \"type\": "
      "\"rigid_body\", "
      "\"mass\": 2, \"inertia\": [0.02, 0.5, 0.51], \"position\": [1, 0, 0], \"angular_velocity\": "
      "[0, 0, 20]}], \"joints\": [{\"name\": \"shaft\", \"type\": \"revolute\", \"axis\": [0, 0, "
      "1], \"a\": "
      "\"ground\", \"b\": \"hub\"}, {\"name\": \"flap\", \"type\": \"revolute\", \"axis\": [0, 1, "
      "0], \"a\": "
      "{\"body\": \"hub\", \"position\": [0.3, 0, 0]}, \"b\": {\"body\": \"blade\", \"position\": "
      "[-0.7, 0, 0]}}]}";
  for (int group = 0; group < 2; ++group) {
    const char *const set[] = {group ? "group=SE3" : "group=R3xSO3", NULL};
    torsor_modes *m = modes_of(rotor, set, &all);
    has_eigenvalue(m, 0, 20 * sqrt((0.51 - 0.02 + 2 * 0.7 * 1) / (0.5 + 2 * 0.49)), "flap");
    CHECK_NEAR(m->frame.ang.z, 20, 1e-12);
    torsor_modes_destroy(m);
  }
}

/* A disc that hangs from its axle: J mu^2 -+ i C W mu + m g l = 0, forwards and backwards, seen
 * from the ground. */
static void whirling_disc(void **state) {
  (void)state;
  static const char *const overhung = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": "
                                      "[{\"name\": \"disc\", \"type\": \"rigid_body\", "
                                      "\"mass\": 4, \"inertia\": [0.05, 0.05, 0.1], \"position\": "
                                      "[0, 0, -0.5], \"angular_velocity\": "
                                      "[0, 0, 30]}], \"joints\": [{\"name\": \"hook\", \"type\": "
                                      "\"spherical\", \"a\": \"ground\", \"b\": "
                                      "{\"body\": \"disc\", \"position\": [0, 0, 0.5]}}]}";
  const double J1 = 0.05 + 1, h = 0.1 * 30, k = 4 * 9.81 * 0.5, root = sqrt(h * h + 4 * J1 * k);
  torsor_modes *m = modes_of(overhung, NULL, &all);
  has_eigenvalue(m, 0, (root - h) / (2 * J1), "hanging rotor, backwards");
  has_eigenvalue(m, 0, (root + h) / (2 * J1), "hanging rotor, forwards");
  torsor_modes_destroy(m);
}

static void refusals(void **state) {
  (void)state;
  torsor_error error;
  CHECK_INT(
      modes_refused(TOP("\"position\": [0.2, 0, 0], \"orientation\": {\"rotation_vector\": [0, "
                        "\"pi/2\", 0]}, \"angular_velocity\": [0, 0, 20]"),
                    &all, &error),
      TORSOR_INCONSISTENT);
  CHECK_CONTAINS(error.message, "not steady");
  /* a body without symmetry that turns about no axis of inertia */
  CHECK_INT(
      modes_refused(
          "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
          "\"inertia\": [1, 2, 2.5], \"angular_velocity\": [1, 1, 1]}]}",
          &all, &error),
      TORSOR_INCONSISTENT);
  /* bodies without symmetry that spin about two axes: in balance, but it is not steady */
  CHECK_INT(
      modes_refused(
          "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1, "
          "\"inertia\": [1, 2, 2.5], \"angular_velocity\": [0, 0, 1]}, {\"name\": \"b\", "
          "\"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 2, 2.5], \"position\": "
          "[3, 0, 0], \"angular_velocity\": [1, 0, 0]}]}",
          &all, &error),
      TORSOR_INCONSISTENT);
}

/* A moment in the axes of a wheel that is none at t = 0 and grows with t^3: no tangent and no
 * balance is other than that of the steady motion, only the acceleration later on. */
static void accelerates_later(void **state) {
  (void)state;
  static const char text[] = "{\"torsor\": 1, \"parameters\": {\"M\": 1}, \"bodies\": [{\"name\": "
                             "\"wheel\", \"type\": \"rigid_body\", \"mass\": 1, "
                             "\"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, 5]}], "
                             "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", "
                             "\"a\": \"ground\", \"b\": \"wheel\"}], \"forces\": [{\"name\": "
                             "\"motor\", \"type\": \"force\", \"at\": \"wheel\", "
                             "\"moment\": [0, 0, \"M\"], \"axes\": \"body\", \"scale\": \"t^3\"}]}";
  static const char *const none[] = {"parameters.M=0", NULL};
  static const torsor_modes_settings ways[] = {
      {.size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_INITIAL},
      {.size = sizeof(torsor_modes_settings), .about = TORSOR_ABOUT_STEADY},
  };
  for (int i = 0; i < 2; ++i) {
    torsor_error error;
    CHECK_INT(modes_refused(text, &ways[i], &error), i ? TORSOR_NEWTON : TORSOR_INCONSISTENT);
    CHECK_CONTAINS(error.message,
                   i ? "no steady motion is found" : "in balance, but it is not steady");
    CHECK_CONTAINS(error.message, ": the motion or the forces of \"wheel\" change later on");
    CHECK_STR(error.element, "wheel");
    CHECK_CONTAINS(error.hint, "rates of drives");
    torsor_modes *m = modes_of(text, none, &ways[i]);
    CHECK_TRUE(m->moves);
    torsor_modes_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whipple_bicycle),
      cmocka_unit_test(matrices_have_the_modes),
      cmocka_unit_test(bicycle_is_stable_between),
      cmocka_unit_test(sleeping_top),
      cmocka_unit_test(precessing_top),
      cmocka_unit_test(flapping_blade),
      cmocka_unit_test(whirling_disc),
      cmocka_unit_test(refusals),
      cmocka_unit_test(accelerates_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
