/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of shapes in scenes: closed solutions of blows, rolling and sticking, and what every pair
 * keeps. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "support.h"

static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae", "radau"};
enum { METHODS = 4, ROOM = 4000 };

/* Runs a scene; the caller releases the trace. */
static support_trace run(torsor_summary *summary, const char *text, const char *method,
                         const char *group, double h, int steps, const char *const *signals) {
  char simulation[200], set_group[40];
  support_world world;
  support_trace trace = {0};
  torsor_error error = {0};
  snprintf(simulation, sizeof simulation,
           "simulation={\"method\": \"%s\", \"step\": %.17g, \"duration\": %.17g}", method, h,
           h * steps);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {simulation, set_group, NULL};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

/* ---- two spheres that meet obliquely --------------------------------------------------------- */

/* Masses 0.4 and 0.1, radii 0.05 and 0.03, e = 0.7, mu = 0.1: slips all through the blow.
 * Velocities after it by P_n = -(1 + e) m_n u_n and mu P_n against the slip.  The blow lasts 1e-5
 * of the time in which the spheres turn, and the lever of the friction is shorter by half the
 * depth: 1e-4. */
static void test_spheres(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 0.4,"
      " \"inertia\": [4e-4, 4e-4, 4e-4], \"velocity\": [3, 0, 1], \"shape\": {\"type\":"
      " \"sphere\", \"radius\": 0.05}}, {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\": "
      "0.1,"
      " \"inertia\": [3.6e-5, 3.6e-5, 3.6e-5], \"position\": [0.05333333333333333,"
      " 0.026666666666666665, 0.05333333333333333], \"velocity\": [-1, 0.5, 0], \"shape\":"
      " {\"type\": \"sphere\", \"radius\": 0.03}}], \"forces\": [{\"name\": \"hit\", \"type\":"
      " \"shape_contact\", \"a\": \"one\", \"b\": \"two\", \"stiffness\": 1e13, \"restitution\":"
      " 0.7, \"restitution_at\": \"each_blow\", \"friction\": 0.1, \"tangential_stiffness\": "
      "1e11}]}";
  static const char *const signals[] = {"one.velocity.x",
                                        "one.velocity.y",
                                        "one.velocity.z",
                                        "two.velocity.x",
                                        "two.velocity.y",
                                        "two.velocity.z",
                                        "one.angular_velocity.x",
                                        "one.angular_velocity.y",
                                        "one.angular_velocity.z",
                                        "two.angular_velocity.x",
                                        "two.angular_velocity.y",
                                        "two.angular_velocity.z",
                                        NULL};
  static const double after[] = {2.2065472524856284,  -0.2965683255763999, 0.32673691030257157,
                                 2.1738109900574862,  1.6862733023055996,  2.6930523887739713,
                                 -1.3354406424104752, -4.006321927231438,  3.3386016060261943,
                                 -8.902937616069842,  -26.708812848209572, 22.257344040174626};
  for (int m = 0; m < METHODS; ++m)
    for (int group = 0; group < 2; ++group) {
      torsor_summary summary;
      support_trace trace =
          run(&summary, text, methods[m], closed_groups[group], 2e-8, 800, signals);
      const double *row = support_row(&trace, trace.rows - 1);
      double worst = 0;
      for (int i = 0; i < 12; ++i)
        worst = check_max(worst, fabs(row[1 + i] - after[i]) / (i < 6 ? 3 : 30));
      char label[80];
      snprintf(label, sizeof label, "%s, %s", methods[m], closed_groups[group]);
      check_report(label, worst, 1e-3);
      CHECK_LE(worst, 1e-3); /* t_c/h = 250, and e by the speed at the end of a step */
      support_trace_release(&trace);
    }
}

/* ---- a ball in the groove of two capsules ---------------------------------------------------- */

/* Ball of 0.04 m and 2 kg between capsules of 0.03 m that are 0.11 m apart, tilted by 5 degrees:
 * rolls on two lines at the radius r cos(angle), a = g sin(tilt)/(1 + 2/5/cos^2).  Depths are 6e-6
 * m of 0.025. */
static void test_groove(void **state) {
  (void)state;
  const double g = 9.81, tilt = 5 * acos(-1) / 180, half = 0.055, k = 1e9;
  const double angle = asin(half / 0.07), N = 2 * g * cos(tilt) / (2 * cos(angle));
  const double reach = 0.07 - pow(N / k, 2 / 3.0), height = sqrt(reach * reach - half * half);
  const double exact = g * sin(tilt) / (1 + 0.4 / (cos(angle) * cos(angle)));
  char text[ROOM];
  static const char *const signals[] = {"ball.velocity.x", "left.normal_force", "left.status",
                                        "right.normal.y", NULL};
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"gravity\": [%.17g, 0, %.17g], \"ground\": {\"shape\": [{\"type\":"
      " \"capsule\", \"radius\": 0.03, \"from\": [-1, -0.055, 0], \"to\": [2, -0.055, 0]},"
      " {\"type\": \"capsule\", \"radius\": 0.03, \"from\": [-1, 0.055, 0], \"to\": [2, 0.055,"
      " 0]}]}, \"bodies\": [{\"name\": \"ball\", \"type\": \"rigid_body\", \"mass\": 2,"
      " \"inertia\": [1.28e-3, 1.28e-3, 1.28e-3], \"position\": [0, 0, %.17g], \"shape\":"
      " {\"type\": \"sphere\", \"radius\": 0.04}}], \"forces\": [{\"name\": \"left\","
      " \"type\": \"shape_contact\", \"a\": \"ground\", \"b\": \"ball\", \"shape_a\": 0,"
      " \"stiffness\": %.17g, \"dissipation\": 10, \"friction\": 0.4, \"tangential_stiffness\":"
      " 2e6, \"tangential_damping\": 1000}, {\"name\": \"right\", \"type\": \"shape_contact\","
      " \"a\": \"ground\", \"b\": \"ball\", \"shape_a\": 1, \"stiffness\": %.17g,"
      " \"dissipation\": 10, \"friction\": 0.4, \"tangential_stiffness\": 2e6,"
      " \"tangential_damping\": 1000}]}",
      g * sin(tilt), -g * cos(tilt), height, k, k);
  for (int m = 0; m < METHODS; ++m) {
    torsor_summary summary;
    support_trace trace = run(&summary, text, methods[m], "R3xSO3", 1e-3, 500, signals);
    const double *row = support_row(&trace, trace.rows - 1);
    check_report(methods[m], fabs(row[1] / (0.5 * exact) - 1), 1e-3);
    CHECK_LE(fabs(row[1] / (0.5 * exact) - 1), 1e-3); /* depth over radius 2.4e-4, and the start */
    CHECK_LE(fabs(row[2] / N - 1), 1e-3);
    CHECK_NEAR(row[3], 1, 0);
    CHECK_NEAR(row[4], -half / 0.07, 1e-3);
    CHECK_INT(summary.counters.rejected_steps, 0);
    support_trace_release(&trace);
  }
}

/* ---- a box and a drum on planes ----------------------------------------------------------------
 */

/* A cube on a slope of 20 degrees with mu = 0.4: held by its corners; and one that slides from 1
 * m/s to rest after 1/(2 a). */
static void test_box(void **state) {
  (void)state;
  const double g = 9.81, slope = 20 * acos(-1) / 180, N = g * cos(slope);
  const double a = 0.4 * N - g * sin(slope), k = 1e6, depth = N / 4 / k;
  static const char *const signals[] = {"block.position.x", "block.velocity.x",
                                        "floor.normal_force", "floor.status", NULL};
  for (int moving = 0; moving < 2; ++moving)
    for (int m = 0; m < METHODS; ++m) {
      char text[ROOM];
      torsor_summary summary;
      snprintf(
          text, sizeof text,
          "{\"torsor\": 1, \"gravity\": [%.17g, 0, %.17g], \"bodies\": [{\"name\": \"block\","
          " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01],"
          " \"position\": [0, 0, %.17g], \"velocity\": [%d, 0, 0], \"shape\": {\"type\":"
          " \"box\", \"size\": [0.4, 0.4, 0.1]}}], \"forces\": [{\"name\": \"floor\", \"type\":"
          " \"shape_contact\", \"a\": \"ground\", \"plane\": true, \"b\": \"block\","
          " \"stiffness\": %.17g, \"exponent\": 1, \"dissipation\": 50, \"friction\": 0.4,"
          " \"tangential_stiffness\": 8e5, \"tangential_damping\": 2000}]}",
          g * sin(slope), -N, 0.05 - depth, moving, k);
      support_trace trace = run(&summary, text, methods[m], "SE3", 1e-3, 4000, signals);
      const double *half = support_row(&trace, trace.rows / 2 + 1500 * moving),
                   *end = support_row(&trace, trace.rows - 1);
      /* nothing moves once it stands */
      check_report(methods[m], fabs(end[1] - half[1]), 1e-12);
      CHECK_LE(fabs(end[1] - half[1]), 1e-12);
      CHECK_LE(fabs(end[3] / N - 1), 1e-9);
      CHECK_NEAR(end[4], 1, 0);
      /* the first steps, before the springs pull, and the depth of the front corners */
      const double way = moving ? 1 / (2 * a) : g * sin(slope) / (4 * 8e5);
      check_report("  place", fabs(end[1] - way), 2e-3);
      CHECK_LE(fabs(end[1] - way), 2e-3);
      support_trace_release(&trace);
    }
}

/* A drum that lies on its side: from 3 m/s without spin to rolling at 3/(1 + kappa (r/(r - d))^2).
 */
static void test_drum(void **state) {
  (void)state;
  const double g = 9.81, r = 0.1, k = 1e6, depth = 0.5 * g / 2 / k, lever = r / (r - depth / 2);
  const double exact = 3 / (1 + 0.5 * lever * lever);
  char text[ROOM];
  static const char *const signals[] = {"drum.velocity.x", "drum.velocity.y", NULL};
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"gravity\": [0, 0, %.17g], \"bodies\": [{\"name\": \"drum\", \"type\":"
      " \"rigid_body\", \"mass\": 0.5, \"inertia\": [0.003, 0.0025, 0.003], \"position\": [0,"
      " 0, %.17g], \"velocity\": [3, 0, 0], \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1,"
      " \"from\": [0, -0.1, 0], \"to\": [0, 0.1, 0]}}], \"forces\": [{\"name\": \"floor\","
      " \"type\": \"shape_contact\", \"a\": \"ground\", \"plane\": true, \"b\": \"drum\","
      " \"stiffness\": %.17g, \"exponent\": 1, \"dissipation\": 10, \"friction\": 0.2,"
      " \"tangential_stiffness\": 1e5, \"tangential_damping\": 40}]}",
      -g, r - depth, k);
  for (int m = 0; m < METHODS; ++m) {
    torsor_summary summary;
    support_trace trace = run(&summary, text, methods[m], "R3xSO3", 1e-3, 1000, signals);
    const double *row = support_row(&trace, trace.rows - 1);
    check_report(methods[m], fabs(row[1] - exact), 1e-5);
    CHECK_LE(fabs(row[1] - exact), 1e-5);
    CHECK_LE(fabs(row[2]), 1e-5);
    support_trace_release(&trace);
  }
}

/* ---- what every pair keeps
 * ----------------------------------------------------------------------- */

static const char *const shapes[] = {"{\"type\": \"sphere\", \"radius\": 0.2}",
                                     "{\"type\": \"capsule\", \"radius\": 0.2, \"length\": 0.6}",
                                     "{\"type\": \"box\", \"size\": [0.5, 0.6, 0.4]}",
                                     "{\"type\": \"cylinder\", \"radius\": 0.3, \"length\": 0.5}"};

enum { BOX = 2 };

/* Two bodies meet in free space, in a random pose: momenta before and after, energy. */
typedef struct kept {
  double momentum, angular, energy;
} kept;

static kept collide(int a, int b, const char *group, const char *law, double h, uint64_t seed) {
  check_rng rng = {seed};
  char text[ROOM];
  const double turn[3] = {check_uniform(&rng, -1, 1), check_uniform(&rng, -1, 1),
                          check_uniform(&rng, -1, 1)};
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2,"
           " \"inertia\": [0.05, 0.06, 0.07], \"orientation\": {\"rotation_vector\": [%.17g, %.17g,"
           " %.17g]}, \"angular_velocity\": [0.3, -0.2, 0.4], \"shape\": %s}, {\"name\": \"b\","
           " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.03, 0.02], \"position\":"
           " [0.1, 0.05, 0.9], \"velocity\": [0, 0, -2], \"angular_velocity\": [1, 0, 0.5],"
           " \"shape\": %s}], \"forces\": [{\"name\": \"hit\", \"type\": \"shape_contact\", \"a\":"
           " \"a\", \"b\": \"b\", %s%s}]}",
           turn[0], turn[1], turn[2], shapes[a], shapes[b],
           a == BOX && b == BOX ? "\"face_stiffness\": 1e6" : "\"stiffness\": 2e4", law);
  static const char *const signals[] = {
      "momentum.x",         "momentum.y",         "momentum.z",
      "angular_momentum.x", "angular_momentum.y", "angular_momentum.z",
      "energy.total",       "b.velocity.z",       NULL};
  torsor_summary summary;
  support_trace trace = run(&summary, text, methods[0], group, h, (int)(0.6 / h + 0.5), signals);
  const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
  kept out = {0, 0, last[7] / first[7] - 1};
  for (int i = 1; i < 4; ++i) {
    out.momentum = check_max(out.momentum, fabs(last[i] - first[i]));
    out.angular = check_max(out.angular, fabs(last[i + 3] - first[i + 3]));
  }
  CHECK_GE(fabs(last[8] - first[8]), 0.1); /* they met */
  support_trace_release(&trace);
  return out;
}

static void test_pairs(void **state) {
  (void)state;
  static const int pairs[][2] = {{0, 0}, {1, 0}, {BOX, 0}, {3, 0}, {1, 1}, {BOX, BOX}};
  for (int p = 0; p < 6; ++p)
    for (int group = 0; group < 2; ++group) {
      const int a = pairs[p][0], b = pairs[p][1];
      const kept plain = collide(a, b, closed_groups[group], "", 2e-3, 5),
                 fine = collide(a, b, closed_groups[group], "", 5e-4, 5);
      const kept rough = collide(a, b, closed_groups[group],
                                 ", \"restitution\": 0.6, \"restitution_at\": \"each_blow\","
                                 " \"friction\": 0.3, \"static_friction\": 0.4,"
                                 " \"tangential_stiffness\": 2000, \"tangential_damping\": 2",
                                 5e-4, 5);
      char label[80];
      snprintf(label, sizeof label, "pair %d-%d, %s: energy", a, b, closed_groups[group]);
      /* blows of some 0.03 s: (pi h/0.03)^2 of the energy, on SE(3) beside the turns of the bodies
       */
      check_report(label, fabs(fine.energy), 3e-3);
      CHECK_LE(fabs(fine.energy), 3e-3);
      check_report("  with four times the step", fabs(plain.energy), 5e-2);
      CHECK_LE(fabs(plain.energy), 5e-2);
      /* R3xSO3: the tolerance of Newton's iteration, 1e-8 of v', over the blow.  SE(3) keeps
       * momenta to the second order: a sixteenth, less what of the third order is left. */
      const double momentum = group ? plain.momentum / 8 : 1e-8;
      check_report("  momentum", fine.momentum, momentum);
      CHECK_LE(fine.momentum, momentum);
      check_report("  angular momentum", fine.angular, plain.angular / 8);
      CHECK_LE(fine.angular, plain.angular / 8);
      /* a change of status counts from the end of its step: first order, on a momentum of 2 */
      check_report("  momenta with friction", check_max(rough.momentum, rough.angular), 1e-3);
      CHECK_LE(check_max(rough.momentum, rough.angular), 1e-3);
      check_report("  energy after friction", rough.energy, 0);
      CHECK_LE(rough.energy, -1e-3);
    }
}

/* ---- misuse
 * -------------------------------------------------------------------------------------- */

static const struct {
  const char *force, *message, *hint;
} misuses[] = {
    {"\"a\": \"bare\", \"b\": \"ball\"", "body of \"a\", which has no shape", "add \"shape\""},
    {"\"a\": \"ground\", \"b\": \"ball\"", "body of \"a\", which has no shape", "\"plane\": true"},
    {"\"a\": \"two\", \"b\": \"ball\"", "which has 2 shapes", "\"shape_a\""},
    {"\"a\": \"two\", \"shape_a\": 2, \"b\": \"ball\"", "asks for shape 2", "count from 0"},
    {"\"a\": \"ring\", \"b\": \"ball\"", "no contact yet", "sphere, capsule, cylinder, box"},
    {"\"a\": \"brick\", \"b\": \"rod\"", "no contact with each other yet", "spheres touch all"},
    {"\"a\": \"brick\", \"b\": \"other\"", "which meet at faces", "\"face_stiffness\" in N/m^3"},
    {"\"a\": \"brick\", \"b\": \"other\", \"face_stiffness\": 1e8", "\"exponent\" of points",
     "leave \"stiffness\""},
    {"\"a\": \"brick\", \"b\": \"ball\", \"face_stiffness\": 1e8", "but not two boxes",
     "\"stiffness\" in N/m^n"},
    {"\"a\": \"ball\", \"b\": \"ball\"", "touches with one body alone", "name two bodies"},
    {"\"a\": \"brick\", \"b\": \"ball\", \"friction\": 0.3", "no spring of what sticks",
     "\"tangential_stiffness\""},
    {"\"a\": \"brick\", \"b\": \"ball\", \"rounding\": 0.3", "rounding larger than half",
     "radius of edges"},
    {"\"a\": \"brick\", \"b\": \"ball\", \"restitution\": 0.5", "not the speed at which it holds",
     "each_blow"},
    {"\"a\": \"bob\", \"b\": \"ball\"", "orientation", ""},
};

static void test_misuse(void **state) {
  (void)state;
#define SOLID(name, shape)                                                                         \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "       \
  "\"position\": [0, 0, 3]" shape "},"
  static const char bodies[] = SOLID("bare", "")
      SOLID("two", ", \"shape\": [{\"type\": \"sphere\", \"radius\": 1}, {\"type\": \"sphere\","
                   " \"radius\": 1}]")
          SOLID("ring", ", \"shape\": {\"type\": \"torus\", \"radius\": 1, \"tube\": 0.1}")
              SOLID("rod", ", \"shape\": {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 1}")
                  SOLID("brick", ", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.4]}")
                      SOLID("other", ", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, "
                                     "0.4]}") "{\"name\": \"bob\", \"type\": \"point_mass\", "
                                              "\"mass\": 1, \"position\": [0, 0, 5]},"
                                              "{\"name\": \"ball\", \"type\": \"rigid_body\", "
                                              "\"mass\": 1, \"inertia\": [1, 1, 1],"
                                              " \"shape\": {\"type\": \"sphere\", \"radius\": "
                                              "0.1}}";
  for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
    char text[ROOM];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [%s], \"forces\": [{\"name\": \"x\", \"type\":"
             " \"shape_contact\", \"stiffness\": 1, %s}]}",
             bodies, misuses[i].force);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, misuses[i].message);
    CHECK_CONTAINS(error.hint, misuses[i].hint);
    CHECK_CONTAINS(error.path, "forces[0]");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spheres), cmocka_unit_test(test_groove), cmocka_unit_test(test_box),
      cmocka_unit_test(test_drum),    cmocka_unit_test(test_pairs),  cmocka_unit_test(test_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
