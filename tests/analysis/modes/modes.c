/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes about states at rest, against closed forms. */
#include <stdio.h>

#include "check.h"
#include "modes_kit.h"
#include "support.h"

static const torsor_modes_settings ten = TORSOR_MODES_SETTINGS_INIT;

/* Round-off of mu of small systems: some dozen operations on numbers of its size. */
static const double ROUND_OFF = 200 * CHECK_EPS;

static const char *const oscillator =
    "{\"torsor\": 1, \"parameters\": {\"c\": 0.6}, \"bodies\": [{\"name\": \"m\", \"type\": "
    "\"point_mass\", "
    "\"mass\": 2, \"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"rail\", \"type\": "
    "\"point_on_line\", "
    "\"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"m\"}], \"forces\": [{\"name\": \"s\", "
    "\"type\": "
    "\"spring_damper\", \"a\": \"ground\", \"b\": \"m\", \"stiffness\": 50, \"damping\": \"c\"}]}";

static void damped_oscillator(void **state) {
  (void)state;
  torsor_modes *m = modes_of(oscillator, NULL, &ten);
  CHECK_INT(m->count, 1);
  CHECK_INT(m->mode[0].kind, TORSOR_MODE_OSCILLATION);
  CHECK_NEAR(m->mode[0].re, -0.6 / 4, ROUND_OFF * 5);
  CHECK_NEAR(m->mode[0].im, sqrt(25 - 0.0225), ROUND_OFF * 5);
  CHECK_NEAR(m->mode[0].damping_ratio, 0.6 / 20, ROUND_OFF);
  CHECK_FALSE(m->mode[0].unstable);
  CHECK_FALSE(m->undamped);
  CHECK_NEAR(m->mode[0].effective_mass[0], 2, ROUND_OFF * 2);
  torsor_modes_destroy(m);
}

/* c = 25: mu = (-c +- sqrt(c^2 - 4 k m)) / 2 m = (-25 +- 15) / 4. */
static void overdamped_oscillator(void **state) {
  (void)state;
  torsor_modes *m = modes_of(oscillator, (const char *const[]){"parameters.c=25", NULL}, &ten);
  CHECK_INT(m->count, 2);
  CHECK_INT(m->mode[0].kind, TORSOR_MODE_REAL);
  CHECK_NEAR(m->mode[0].re, -2.5, ROUND_OFF * 10);
  CHECK_NEAR(m->mode[1].re, -10, ROUND_OFF * 10);
  CHECK_NEAR(m->mode[1].damping_ratio, 1, 0);
  torsor_modes_destroy(m);
}

/* Negative damping grows. */
static void growth_is_reported(void **state) {
  (void)state;
  static const char *const pushed =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"m\", \"type\": \"rigid_body\", \"mass\": 2, "
      "\"inertia\": "
      "[1, 1, 1], \"position\": [0, 0, 0.5]}], \"gravity\": [0, 0, -10], \"joints\": [{\"name\": "
      "\"pin\", "
      "\"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"m\", "
      "\"position\": [0, 0, -0.5]}}]}";
  torsor_modes *m = modes_of(pushed, NULL, &ten);
  const double omega = sqrt(10 / 1.5); /* upright: m g l / (J + m l^2) */
  CHECK_INT(m->count, 2);
  CHECK_TRUE(m->undamped);
  CHECK_NEAR(m->mode[0].re, -omega, ROUND_OFF * omega);
  CHECK_NEAR(m->mode[1].re, omega, ROUND_OFF * omega);
  CHECK_FALSE(m->mode[0].unstable);
  CHECK_TRUE(m->mode[1].unstable);
  torsor_modes_destroy(m);
}

/* ---- mechanisms ---------------------------------------------------------------------------- */

/* A door on two hinges, five rows of which repeat others, with a torsion of its own weight: the
 * axis leans by 30 degrees, so that m g sin(30) l / (J + m l^2). */
static void door_with_two_hinges(void **state) {
  (void)state;
  static const char *const door =
      "{\"torsor\": 1, \"gravity\": [-4.905, 0, -8.4957], \"bodies\": [{\"name\": \"door\", "
      "\"type\": "
      "\"rigid_body\", \"mass\": 30, \"inertia\": [10, 12, 3.6], \"position\": [-0.5, 0, 1]}], "
      "\"joints\": "
      "[{\"name\": \"low\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"a\": \"ground\", \"b\": "
      "{\"body\": \"door\", \"position\": [0.5, 0, -1]}}, {\"name\": \"high\", \"type\": "
      "\"revolute\", "
      "\"axis\": [0, 0, 1], \"a\": {\"body\": \"ground\", \"position\": [0, 0, 2]}, \"b\": "
      "{\"body\": "
      "\"door\", \"position\": [0.5, 0, 1]}}]}";
  const double omega = sqrt(30 * 4.905 * 0.5 / (3.6 + 30 * 0.25));
  for (int solver = TORSOR_MODES_DENSE; solver <= TORSOR_MODES_SPARSE; ++solver) {
    torsor_modes *m = modes_of(door, NULL,
                               &(torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                                        .solver = (torsor_modes_solver)solver});
    CHECK_INT(m->constraints, 5);
    check_report("door, relative error", fabs(modes_omega(m, 0) / omega - 1), 1e-8);
    CHECK_NEAR(modes_omega(m, 0), omega,
               1e-8 * omega); /* multipliers: regularised by 1e-8, iterated */
    torsor_modes_destroy(m);
  }
}

/* Two uniform rods of length 1 and mass 1: (M, K) by Lagrange. */
static void double_pendulum(void **state) {
  (void)state;
  static const char *const pendulum =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"up\", \"type\": "
      "\"rigid_body\", "
      "\"mass\": 1, \"inertia\": [0.0834, 0.08333333333333333, 0.01], \"position\": [0, 0, -0.5]}, "
      "{\"name\": "
      "\"low\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.0834, 0.08333333333333333, "
      "0.01], "
      "\"position\": [0, 0, -1.5]}], \"joints\": [{\"name\": \"a\", \"type\": \"revolute\", "
      "\"axis\": "
      "[0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"up\", \"position\": [0, 0, 0.5]}}, "
      "{\"name\": "
      "\"b\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"up\", \"position\": "
      "[0, 0, -0.5]}, \"b\": {\"body\": \"low\", \"position\": [0, 0, 0.5]}}]}";
  /* M = [[4/3, 1/2], [1/2, 1/3]], K = g [[3/2, 0], [0, 1/2]]: det(K - w M) = 0 */
  const double a = 7. / 36, b = -9.81 * (0.5 + 2. / 3), c = 9.81 * 9.81 * 0.75;
  const double root = sqrt(b * b - 4 * a * c);
  const double expected[] = {sqrt((-b - root) / (2 * a)), sqrt((-b + root) / (2 * a))};
  for (int group = 0; group < 2; ++group) {
    const char *const set[] = {group ? "group=SE3" : "group=R3xSO3", NULL};
    torsor_modes *m = modes_of(pendulum, set, &ten);
    CHECK_INT(m->count, 2);
    for (int i = 0; i < 2; ++i) CHECK_NEAR(modes_omega(m, i), expected[i], ROUND_OFF * expected[i]);
    torsor_modes_destroy(m);
  }
}

/* A hanging parallelogram: three rows of its four hinges repeat others.  Cranks of mass m = 1,
 * coupler 2. */
static void parallelogram(void **state) {
  (void)state;
  static const char *const linkage =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"l\", \"type\": "
      "\"rigid_body\", "
      "\"mass\": 1, \"inertia\": [0.01, 0.0133333333333333333, 0.004], \"position\": [0, 0, "
      "-0.2]}, "
      "{\"name\": \"r\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, "
      "0.0133333333333333333, "
      "0.004], \"position\": [1, 0, -0.2]}, {\"name\": \"c\", \"type\": \"rigid_body\", \"mass\": "
      "2, "
      "\"inertia\": [0.1, 0.2, 0.2], \"position\": [0.5, 0, -0.4]}], \"joints\": [{\"name\": "
      "\"lg\", "
      "\"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"l\", "
      "\"position\": [0, 0, 0.2]}}, {\"name\": \"rg\", \"type\": \"revolute\", \"axis\": [0, 1, "
      "0], \"a\": "
      "{\"body\": \"ground\", \"position\": [1, 0, 0]}, \"b\": {\"body\": \"r\", \"position\": "
      "[0, 0, 0.2]}}, {\"name\": \"lc\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
      "{\"body\": "
      "\"l\", \"position\": [0, 0, -0.2]}, \"b\": {\"body\": \"c\", \"position\": [-0.5, 0, 0]}}, "
      "{\"name\": \"rc\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"r\", "
      "\"position\": [0, 0, -0.2]}, \"b\": {\"body\": \"c\", \"position\": [0.5, 0, 0]}}]}";
  const double L = 0.4, inertia = 2 * L * L / 3 + 2 * L * L, weight = 9.81 * (2 * L / 2 + 2 * L);
  torsor_modes *m = modes_of(linkage, NULL, &ten);
  CHECK_INT(m->count, 1);
  CHECK_INT(m->constraints, 17);
  const double omega = sqrt(weight / inertia);
  check_report("parallelogram, relative error", fabs(modes_omega(m, 0) / omega - 1), 1e-8);
  CHECK_NEAR(modes_omega(m, 0), omega, 1e-8 * omega);
  torsor_modes_destroy(m);
}

/* ---- participation --------------------------------------------------------------------------- */

/* All modes of what nothing holds together have the mass of the whole. */
static void effective_masses_add_up(void **state) {
  (void)state;
  static const char *const free_body =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2, "
      "\"inertia\": "
      "[1, 2, 2.5], \"position\": [1, 2, 3]}, {\"name\": \"b\", \"type\": \"rigid_body\", "
      "\"mass\": 3, "
      "\"inertia\": [1, 1.5, 1.2], \"position\": [2, 2, 3]}], \"forces\": [{\"name\": \"s\", "
      "\"type\": "
      "\"spring_damper\", \"a\": \"a\", \"b\": \"b\", \"stiffness\": 50}]}";
  torsor_modes *m =
      modes_of(free_body, NULL,
               &(torsor_modes_settings){.size = sizeof(torsor_modes_settings), .count = 12});
  double sum[TORSOR_MODE_DIRECTIONS] = {0};
  for (int i = 0; i < m->count; ++i)
    for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d) sum[d] += m->mode[i].effective_mass[d];
  for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d)
    CHECK_NEAR(sum[d], m->mass[d], ROUND_OFF * m->mass[d]);
  CHECK_NEAR(m->mass[0], 5, ROUND_OFF);
  CHECK_NEAR(m->mass[4], 3.5 + 2 * 0.36 + 3 * 0.16, 10 * ROUND_OFF);
  CHECK_NEAR(m->centre.x, 1.6, ROUND_OFF);
  CHECK_NEAR(m->centre.z, 3, ROUND_OFF);
  int rigid = 0;
  for (int i = 0; i < m->count; ++i) rigid += m->mode[i].kind == TORSOR_MODE_RIGID;
  CHECK_INT(rigid, 11); /* all but the spring's own: sqrt(k (1/2 + 1/3)) */
  CHECK_NEAR(modes_omega(m, 11), sqrt(50 * 5. / 6), ROUND_OFF * 10);
  CHECK_INT(m->zeros, 22);
  torsor_modes_destroy(m);
}

/* ---- beams ---------------------------------------------------------------------------------- */

#define BEAM(extra)                                                                                \
  "{\"torsor\": 1, \"parameters\": {\"n\": 8}, \"bodies\": [{\"name\": \"beam\", \"type\": "       \
  "\"beam\", \"elements\": \"n\", " extra

/* Steel, 1 m, 50 x 50 mm, shear coefficients 5/6: frequencies by a spectral solution of
 * Timoshenko's equations (1e-11).  Each is there twice, and between them those of twist and
 * extension. */
#define STEEL(order)                                                                               \
  BEAM("\"order\": " order                                                                         \
       ", \"end\": [1, 0, 0], \"section\": {\"shape\": \"rectangle\", \"width\": 0.05,"            \
       " \"height\": 0.05, \"E\": 2.1e11, \"nu\": 0.3, \"density\": 7850,"                         \
       " \"shear_coefficients\": [0.83333333333333333, 0.83333333333333333]}}], \"joints\":"       \
       " [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"beam.start\"}]}")

static void timoshenko_cantilever(void **state) {
  (void)state;
  static const char *const scene[] = {STEEL("2"), STEEL("4")};
  static const double omega[] = {261.96356435545124, 1622.5775315332126, 4461.353438873691};
  static const int place[] = {0, 2, 4};
  double limit[3], error[3], order[3];
  for (int k = 0; k < 2; ++k) {
    modes_limits(limit, error, order, scene[k], place, 3, 8);
    for (int i = 0; i < 3; ++i) {
      check_report("Timoshenko cantilever, relative error", fabs(limit[i] / omega[i] - 1),
                   error[i] / omega[i]);
      CHECK_NEAR(limit[i], omega[i], error[i]);
      /* of a thick beam at either order, by its rotary inertia; order 4 has its share at order 4 */
      CHECK_ORDER(order[i], 2, k ? 0.4 : 0.2);
    }
  }
}

/* EI = m = L = 1, all else stiff, no rotary inertia to speak of: omega = (beta L)^2 up to 12 (beta
 * L)^2 1e-8. */
#define SLENDER                                                                                    \
  "\"section\": {\"stiffness\": [1e7, 1e7, 1e7, 1e3, 1e3, 1], \"inertia\": [1, 1, 1, 1e-7, "       \
  "1e-7, 1e-7]}"

static void check_slender(const char *scene, const int *place, const double *beta, int count,
                          double scale, const char *what) {
  double limit[4], error[4], order[4];
  modes_limits(limit, error, order, scene, place, count, 8);
  for (int i = 0; i < count; ++i) {
    const double omega = beta[i] * beta[i] * scale, shear = beta[i] * beta[i] * 2e-7 * omega;
    check_report(what, fabs(limit[i] / omega - 1), (error[i] + shear) / omega);
    CHECK_NEAR(limit[i], omega, error[i] + shear);
  }
}

static void free_beam(void **state) {
  (void)state;
  static const double beta[] = {4.73004074486270403, 7.85320462409583756, 10.9956078380016709};
  static const int place[] = {6, 7, 8};
  const char *scene = BEAM("\"end\": [1, 0, 0], " SLENDER "}]}");
  check_slender(scene, place, beta, 3, 1, "free beam, relative error");
  torsor_modes *m = modes_of(scene, NULL, &ten);
  for (int i = 0; i < 6; ++i) CHECK_INT(m->mode[i].kind, TORSOR_MODE_RIGID);
  double sum[TORSOR_MODE_DIRECTIONS] = {0};
  for (int i = 0; i < 6; ++i)
    for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d) sum[d] += m->mode[i].effective_mass[d];
  for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d)
    CHECK_NEAR(sum[d], m->mass[d], 1e-9 * m->mass[d]); /* what is lost where zeros are separated */
  torsor_modes_destroy(m);
}

/* Six equal eigenvalues of which the iteration from one vector would miss some. */
static void no_rigid_motion_is_missed(void **state) {
  (void)state;
  static const char *const mesh[] = {"parameters.n=32", "parameters.n=64", "parameters.n=128"};
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static const torsor_modes_settings settings = {
      .size = sizeof(torsor_modes_settings), .count = 10, .solver = TORSOR_MODES_SPARSE};
  const char *scene = BEAM("\"end\": [1, 0, 0], " SLENDER "}]}");
  for (int k = 0; k < 6; ++k) {
    const char *const set[] = {mesh[k / 2], groups[k % 2], NULL};
    torsor_modes *m = modes_of(scene, set, &settings);
    int rigid = 0;
    for (int i = 0; i < m->count; ++i) rigid += m->mode[i].kind == TORSOR_MODE_RIGID;
    CHECK_INT(rigid, 6);
    torsor_modes_destroy(m);
  }
}

/* A ring of radius 1: in its plane omega^2 = n^2 (n^2 - 1)^2/(n^2 + 1), each twice. */
static void ring(void **state) {
  (void)state;
  static const int place[] = {6, 8};
  const char *scene = BEAM("\"length\": \"2*pi\", \"curvature\": [0, 0, 1], " SLENDER
                           "}], \"joints\": [{\"name\": \"weld\", \"type\": \"weld\", \"a\": "
                           "\"beam.start\", \"b\": \"beam.end\"}]}");
  const double omega[] = {sqrt(36. / 5), sqrt(9. * 64 / 10)};
  double limit[2], error[2], order[2];
  modes_limits(limit, error, order, scene, place, 2, 8);
  for (int i = 0; i < 2; ++i) {
    check_report("ring, relative error", fabs(limit[i] / omega[i] - 1), error[i] / omega[i] + 1e-5);
    CHECK_NEAR(limit[i], omega[i], error[i] + 1e-5 * omega[i]); /* n^2 EI/EA, n^2 EI/GA, J */
  }
}

/* Two legs at a right angle, clamped at their feet, bend as clamped and pinned ones, or as clamped
 * ones. */
static void angle_frame(void **state) {
  (void)state;
  static const double beta[] = {3.92660231204791878, 4.73004074486270403, 7.06858274562873209};
  static const int place[] = {0, 1, 2};
#define TURNED "\"orientation\": {\"rotation_vector\": [0, 0, \"pi/2\"]}}"
  const char *scene = BEAM(
      "\"end\": [1, 0, 0], " SLENDER
      "}, {\"name\": \"leg\", \"type\": \"beam\", \"elements\": \"n\", \"position\": [1, 0, 0], "
      "\"end\": [1, 1, 0], " SLENDER
      "}], \"joints\": [{\"name\": \"foot\", \"type\": \"weld\", \"a\": \"ground\", \"b\": "
      "\"beam.start\"}, {\"name\": \"other\", \"type\": \"weld\", \"a\": {\"body\": "
      "\"ground\", \"position\": [1, 1, 0], " TURNED ", \"b\": \"leg.end\"}, {\"name\": "
      "\"corner\", \"type\": \"weld\", \"a\": {\"body\": \"beam.end\", " TURNED
      ", \"b\": \"leg.start\"}]}");
  check_slender(scene, place, beta, 3, 1, "frame, relative error");
}

/* Both solutions of the same beam; the sparse one with its shapes. */
static void solutions_agree(void **state) {
  (void)state;
  static const char *const scene =
      BEAM("\"end\": [1, 0, 0], \"damping_factor\": 1e-5, \"section\": {\"shape\": \"rectangle\", "
           "\"width\": 0.05, "
           "\"height\": 0.03, \"E\": 2.1e11, \"nu\": 0.3, \"density\": 7850}}], \"joints\": "
           "[{\"name\": \"clamp\", "
           "\"type\": \"weld\", \"a\": \"ground\", \"b\": \"beam.start\"}]}");
  const char *const sets[2][2] = {{"parameters.n=16", NULL}, {"bodies[0].damping_factor=0", NULL}};
  for (int k = 0; k < 2; ++k) {
    torsor_modes *m[2];
    for (int s = 0; s < 2; ++s)
      m[s] = modes_of(
          scene, sets[k],
          &(torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                   .count = 8,
                                   .solver = s ? TORSOR_MODES_SPARSE : TORSOR_MODES_DENSE});
    CHECK_INT(m[0]->undamped, k);
    CHECK_INT(m[1]->undamped, k);
    for (int i = 0; i < 8; ++i) {
      const torsor_mode *x = &m[0]->mode[i], *y = &m[1]->mode[i];
      const double omega = modes_omega(m[0], i);
      /* eps times the quotient of the largest and the least mu^2, 1e6 rad/s and 160 rad/s */
      check_report("dense against sparse", hypot(x->re - y->re, x->im - y->im) / omega, 1e-8);
      CHECK_LE(hypot(x->re - y->re, x->im - y->im), 1e-8 * omega);
      CHECK_NEAR(x->effective_mass[1], y->effective_mass[1], 1e-6 * m[0]->mass[1]);
    }
    torsor_modes_destroy(m[0]);
    torsor_modes_destroy(m[1]);
  }
}

/* pi f factor, what docs/scene.md says of a beam's damping. */
static void beam_damping(void **state) {
  (void)state;
  static const char *const scene =
      BEAM("\"end\": [1, 0, 0], \"damping_factor\": 1e-5, \"section\": {\"shape\": \"rectangle\", "
           "\"width\": 0.05, "
           "\"height\": 0.03, \"E\": 2.1e11, \"nu\": 0.3, \"density\": 7850}}], \"joints\": "
           "[{\"name\": \"clamp\", "
           "\"type\": \"weld\", \"a\": \"ground\", \"b\": \"beam.start\"}]}");
  torsor_modes *m = modes_of(scene, NULL, &ten);
  for (int i = 0; i < 4; ++i) {
    const double omega = modes_omega(m, i);
    CHECK_NEAR(m->mode[i].damping_ratio, omega * 1e-5 / 2, 1e-7 * omega * 1e-5);
  }
  torsor_modes_destroy(m);
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void refusals(void **state) {
  (void)state;
  static const char *const falling = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": "
                                     "[{\"name\": \"stone\", \"type\": \"point_mass\", "
                                     "\"mass\": 2}]}";
  torsor_error error;
  CHECK_INT(modes_refused(falling, &ten, &error), TORSOR_INCONSISTENT);
  CHECK_CONTAINS(error.message, "body \"stone\" accelerates by 9.81 m/s^2");
  CHECK_CONTAINS(error.hint, "equilibrium");
  CHECK_INT(
      modes_refused(oscillator,
                    &(torsor_modes_settings){.size = sizeof(torsor_modes_settings), .count = 7},
                    &error),
      TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "only 1");
  CHECK_INT(
      modes_refused(oscillator,
                    &(torsor_modes_settings){.size = sizeof(torsor_modes_settings), .count = -1},
                    &error),
      TORSOR_ARGUMENT);
  CHECK_INT(modes_refused(falling,
                          &(torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                                   .about = TORSOR_ABOUT_EQUILIBRIUM},
                          &error),
            TORSOR_STEP);
  CHECK_CONTAINS(error.message, "stone");
}

/* A beam that hangs from its clamp is heavier at the root: its equilibrium is found first. */
static void equilibrium_first(void **state) {
  (void)state;
  static const char *const hanging = "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": "
                                     "[{\"name\": \"m\", \"type\": \"point_mass\", "
                                     "\"mass\": 2, \"position\": [0, 0, -1]}], \"forces\": "
                                     "[{\"name\": \"s\", \"type\": \"spring_damper\", "
                                     "\"a\": \"ground\", \"b\": \"m\", \"stiffness\": 100}]}";
  torsor_modes *m = modes_of(hanging, NULL,
                             &(torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                                      .about = TORSOR_ABOUT_EQUILIBRIUM});
  /* 1.2 m long: swings by sqrt(g/1.2), bounces by sqrt(k/m); tolerance of the equilibrium 1e-10 */
  CHECK_NEAR(modes_omega(m, 0), sqrt(10 / 1.2), 1e-9);
  CHECK_NEAR(modes_omega(m, 1), sqrt(10 / 1.2), 1e-9);
  CHECK_NEAR(modes_omega(m, 2), sqrt(50.), 1e-9);
  CHECK_NEAR(m->node[0].x.z, -1.2, 1e-9);
  torsor_modes_destroy(m);
}

static void count_warnings(void *data, const char *message) {
  CHECK_CONTAINS(message, "round-off of the fastest");
  ++*(int *)data;
}

static torsor_modes *modes_reported(const char *text, const char *const *set,
                                    const torsor_modes_settings *settings, int *warnings) {
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = warnings, .warn = count_warnings};
  support_world world;
  torsor_error error = {0};
  torsor_modes *m = NULL;
  *warnings = 0;
  CHECK_INT(support_open(&world, text, set, &error), TORSOR_OK);
  CHECK_INT(torsor_modes_find(&m, world.model, settings, &hooks, &error), TORSOR_OK);
  support_close(&world);
  return m;
}

/* Damped a little, EI = m = L = 1, GA = 1e6, of rotary inertia 1e-9: the fastest modes of elements
 * of order 2, of 3e7 rad/s, leave matrices the round-off of 60 eps times their squares, 13, in
 * those of the slow ones, 12 and 500.  They are found nevertheless, as without damping, which
 * changes mu by its square, to a millionth; dense matrices that are asked for warn. */
static void tiny_rotary_inertia(void **state) {
  (void)state;
#define TINY                                                                                       \
  "\"order\": 2, \"end\": [1, 0, 0], \"damping_factor\": 1e-6, \"section\": {\"stiffness\": "      \
  "[1e6, 1e6, 1e6, 1, "                                                                            \
  "1, 1], \"inertia\": [1, 1, 1, 2e-9, 1e-9, 1e-9]}}]"
  static const char *const clamped =
      BEAM(TINY ", \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", "
                "\"b\": \"beam.start\"}]}");
  static const char *const scene[] = {clamped, BEAM(TINY "}")};
  const char *const n[] = {"parameters.n=10", NULL};
  const char *const free[] = {"parameters.n=10", "bodies[0].damping_factor=0", NULL};
  for (int k = 0; k < 2; ++k) {
    int warnings;
    torsor_modes *m = modes_reported(scene[k], n, &ten, &warnings);
    torsor_modes *u = modes_reported(scene[k], free, &ten, &warnings);
    CHECK_INT(warnings, 0);
    CHECK_FALSE(m->dense);
    for (int i = 0; i < 10; ++i) {
      const double omega = modes_omega(u, i), off = fabs(modes_omega(m, i) - omega);
      CHECK_INT(m->mode[i].kind, k && i < 6 ? TORSOR_MODE_RIGID : TORSOR_MODE_OSCILLATION);
      CHECK_LE(off, 1e-6 * omega);
      CHECK_NEAR(m->mode[i].re, -1e-6 * omega * omega / 2, 1e-6 * omega);
    }
    print_message("  %s: %.7g rad/s\n", k ? "free" : "clamped", modes_omega(m, k ? 6 : 0));
    torsor_modes_destroy(m);
    torsor_modes_destroy(u);
    m = modes_reported(scene[k], n,
                       &(torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                                .solver = TORSOR_MODES_DENSE},
                       &warnings);
    CHECK_INT(warnings, 1);
    torsor_modes_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damped_oscillator),
      cmocka_unit_test(overdamped_oscillator),
      cmocka_unit_test(growth_is_reported),
      cmocka_unit_test(door_with_two_hinges),
      cmocka_unit_test(double_pendulum),
      cmocka_unit_test(parallelogram),
      cmocka_unit_test(effective_masses_add_up),
      cmocka_unit_test(timoshenko_cantilever),
      cmocka_unit_test(free_beam),
      cmocka_unit_test(no_rigid_motion_is_missed),
      cmocka_unit_test(ring),
      cmocka_unit_test(angle_frame),
      cmocka_unit_test(solutions_agree),
      cmocka_unit_test(beam_damping),
      cmocka_unit_test(refusals),
      cmocka_unit_test(equilibrium_first),
      cmocka_unit_test(tiny_rotary_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
