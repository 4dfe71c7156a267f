/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dissipation of friction while it sticks, slips, lets go and grips again: the energies and the
 * losses of every type that sticks are in balance, the better the finer the steps. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "support.h"

static const char *const signals[] = {"energy.balance", "energy.dissipated", NULL};

/* Balance and dissipation at the end of a run. */
static void run(double end[2], const char *text, const char *method, const char *group, double h,
                double duration) {
  char simulation[200], set_group[40];
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  snprintf(simulation, sizeof simulation,
           "simulation={\"method\": \"%s\", \"step\": %.17g, \"duration\": %.17g}", method, h,
           duration);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {simulation, set_group, "output={\"step\": 10}", NULL};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  const double *row = support_row(&trace, trace.rows - 1);
  end[0] = row[1];
  end[1] = row[2];
  support_trace_release(&trace);
  support_close(&world);
}

/* A box that is thrown on the ground with spin, lands on a corner, and comes to rest. */
#define THROWN                                                                                     \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"ground\": {\"shape\": {\"type\": \"box\","        \
  " \"size\": [3, 3, 0.2], \"position\": [0, 0, -0.1]}}, \"bodies\": [{\"name\": \"box\","         \
  " \"type\": \"rigid_body\", \"mass\": 5, \"inertia\": [0.05, 0.06, 0.07], \"position\":"         \
  " [0, 0, 0.3], \"orientation\": {\"rotation_vector\": [0.4, 0.25, 0.1]}, \"velocity\":"          \
  " [0.8, 0.3, -0.5], \"angular_velocity\": [1, 2, 4], \"shape\": {\"type\": \"box\", \"size\":"   \
  " [0.3, 0.25, 0.2]}}], \"forces\": [{\"name\": \"floor\", \"type\": \"shape_contact\", \"a\":"   \
  " \"ground\", \"b\": \"box\", \"tangential_stiffness\": 8e4, "
#define CORNERS THROWN "\"plane\": true, \"exponent\": 1, \"stiffness\": 1e5, \"friction\": 0.4, "

/* A point that is pushed over the ground and lifted off it. */
static const char point[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"block\", \"type\":"
    " \"point_mass\", \"mass\": 1, \"position\": [0, 0, 0.02], \"velocity\": [0.3, 0, 0]}],"
    " \"forces\": [{\"name\": \"floor\", \"type\": \"contact\", \"a\": \"ground\", \"b\":"
    " \"block\", \"stiffness\": 1e4, \"exponent\": 1, \"dissipation\": 0.3, \"friction\": 0.3,"
    " \"static_friction\": 0.5, \"tangential_stiffness\": 8e3, \"tangential_damping\": 8},"
    " {\"name\": \"along\", \"type\": \"force\", \"at\": \"block\", \"force\": [4, 0, 0],"
    " \"scale\": \"sin(9*t)\"}, {\"name\": \"across\", \"type\": \"force\", \"at\": \"block\","
    " \"force\": [0, 3, 0], \"scale\": \"cos(7*t)\"}, {\"name\": \"up\", \"type\": \"force\","
    " \"at\": \"block\", \"force\": [0, 0, 4], \"scale\": \"sin(23*t)\"}]}";

/* A pendulum in a bearing whose friction follows the load, and is higher where it sticks. */
static const char bearing[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\":"
    " \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.01], \"position\": [0, 0, -0.5],"
    " \"velocity\": [-1, 0, 0], \"angular_velocity\": [0, 2, 0]}], \"joints\": [{\"name\":"
    " \"pin\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": {\"body\": \"rod\", \"position\":"
    " [0, 0, 0.5]}, \"axis\": [0, 1, 0]}], \"forces\": [{\"name\": \"rub\", \"type\":"
    " \"friction\", \"coordinate\": \"pin.angle\", \"coulomb\": 0.1, \"static\": 0.2,"
    " \"coefficient\": 0.3, \"static_coefficient\": 0.4, \"radius\": 0.1, \"stick_stiffness\":"
    " 400, \"stick_damping\": 4}, {\"name\": \"shake\", \"type\": \"coordinate_force\","
    " \"coordinate\": \"pin.angle\", \"effort\": \"3*sin(5*t)\"}]}";

/* Scenes with the largest friction times the slip there, W, and the points that have it.
 * Where m = 5 kg falls on k = 1e5 N/m with 2.3 m/s, the floor pushes with 2.3 sqrt(k m) = 1600 N.
 */
static const struct {
  const char *name, *text;
  double power;
} scenes[] = {
    {"corners", CORNERS "\"dissipation\": 0.5, \"tangential_damping\": 50}]}", 4 * 640 * 1.2},
    {"without damping along", CORNERS "\"dissipation\": 0.5}]}", 4 * 640 * 1.2},
    {"without damping across", CORNERS "\"tangential_damping\": 50}]}", 4 * 640 * 1.2},
    {"higher where it sticks",
     CORNERS "\"dissipation\": 0.5, \"tangential_damping\": 50, \"static_friction\": 0.7}]}",
     4 * 1120 * 1.2},
    {"restitution",
     CORNERS "\"restitution\": 0.5, \"restitution_at\": \"each_blow\", \"tangential_damping\":"
             " 50}]}",
     4 * 640 * 1.2},
    {"faces",
     THROWN "\"face_stiffness\": 1e7, \"dissipation\": 0.5, \"friction\": 0.4,"
            " \"tangential_damping\": 50}]}",
     4 * 640 * 1.2},
    {"point", point, 14 * 0.5 * 0.3},
    {"bearing", bearing, (0.2 + 0.1 * 0.4 * 30) * 2},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* A change of status counts from the end of its step, so that each leaves the power times the step
 * at most.  At 2^-14 s the sum of all is below the largest power times the step, and it falls from
 * 2^-10 s by 16 but for chance, which is given a factor of 4. */
static void test_balances(void **state) {
  (void)state;
  for (int i = 0; i < SCENES; ++i) {
    const double h = 0x1p-10;
    double coarse[2], fine[2];
    run(coarse, scenes[i].text, "generalized_alpha", "SE3", h, 1);
    run(fine, scenes[i].text, "generalized_alpha", "SE3", h / 16, 1);
    const double bound = fmin(scenes[i].power * h / 16, fabs(coarse[0]) / 4);
    print_message("%s: balance %.3g and %.3g of %.3g J\n", scenes[i].name, coarse[0], fine[0],
                  fine[1]);
    check_report(scenes[i].name, fabs(fine[0]), bound);
    CHECK_LE(fabs(fine[0]), bound);
  }
}

/* The same by all methods, on both groups. */
static void test_methods(void **state) {
  (void)state;
  static const char *const methods[] = {"soi2", "hht_odae", "radau"};
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < SCENES; i += SCENES - 1) {
      const double h = 0x1p-12;
      double end[2];
      run(end, scenes[i].text, methods[m], m % 2 ? "SE3" : "R3xSO3", h, 1);
      print_message("%s, %s: balance %.3g of %.3g J\n", methods[m], scenes[i].name, end[0], end[1]);
      CHECK_LE(fabs(end[0]), scenes[i].power * h);
    }
}

/* A block that is held on a slope has a spring with (m g sin a)^2/(2 k) of energy, which is lost to
 * the forces where the floor is switched off; it then falls along the slope. */
static void test_switched(void **state) {
  (void)state;
  static const char held[] =
      "{\"torsor\": 1, \"gravity\": [2, 0, -9], \"bodies\": [{\"name\": \"block\", \"type\":"
      " \"point_mass\", \"mass\": 1, \"position\": [0, 0, -9e-4]}], \"forces\": [{\"name\":"
      " \"floor\", \"type\": \"contact\", \"a\": \"ground\", \"b\": \"block\", \"stiffness\": 1e4,"
      " \"exponent\": 1, \"dissipation\": 1, \"friction\": 0.4, \"tangential_stiffness\": 100,"
      " \"tangential_damping\": 20}], \"events\": [{\"name\": \"off\", \"when\": \"t - 4\","
      " \"action\": {\"off\": [\"floor\"]}}, {\"name\": \"on\", \"when\": \"t - 4.1\","
      " \"action\": {\"on\": [\"floor\"]}}]}";
  double end[2];
  run(end, held, "generalized_alpha", "SE3", 1e-3, 4.05);
  print_message("switched off: balance %.3g of %.3g J\n", end[0], end[1]);
  /* to x = 2/100 gravity gave 2^2/100, half of it to the damper; the floor had 9^2/(2 k) */
  CHECK_NEAR(end[1], 0.04 + 0.00405, 1e-6);
  CHECK_LE(fabs(end[0]), 1e-6);
  /* 4.5 cm deep, the floor is switched on and throws the block: friction of 180 N, 0.2 m/s */
  for (int k = 0; k < 2; ++k) {
    const double h = k ? 2.5e-4 : 1e-3;
    run(end, held, "generalized_alpha", "SE3", h, 5);
    check_report("on again: balance", fabs(end[0]), 180 * 0.2 * h);
    CHECK_LE(fabs(end[0]), 180 * 0.2 * h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balances),
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_switched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
