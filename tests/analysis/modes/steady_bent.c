/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steady motions with bending of the size of a beam: a soft blade set across its hub, which the
 * rotation pulls outwards. */
#include <stdio.h>
#include <string.h>

#include "analysis/modes/linear_state.h"
#include "check.h"
#include "modes_kit.h"
#include "support.h"

static const torsor_modes_settings steady = {
    .size = sizeof(torsor_modes_settings), .count = 3, .about = TORSOR_ABOUT_STEADY};

/* End of the blade: EI, mass and length 1, EA = GA = 1e6, 20 rad/s, from
 * data/reference/steady_blade.csv, t = 0. */
static const double RATE = 20, END_X = 1.08992140392, END_Y = 0.412383416311, END_ERROR = 1e-10;

enum { TEXT = 2000 };

/* The hub turns freely, or is driven by the angle `motion`.  `rotary` is the rotary inertia of a
 * length. */
static void write_rotor_of(int order, char *text, int n, double rotary, const char *group,
                           const char *motion) {
  char drive[160] = "";
  if (motion)
    snprintf(drive, sizeof drive,
             ", {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"hinge.angle\", "
             "\"motion\": \"%s\"}",
             motion);
  snprintf(
      text, TEXT,
      "{\"torsor\": 1, \"group\": \"%s\", \"parameters\": {\"W\": 20, \"J\": %g}, \"sections\": "
      "{\"soft\": {\"stiffness\": [1e6, 1e6, 1e6, 1, 1, 1], \"inertia\": [1, 1, 1, \"2*J\", \"J\", "
      "\"J\"]}}, \"bodies\": [{\"name\": \"hub\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [0.1, 0.1, 0.1], \"angular_velocity\": [0, 0, \"W\"]}, {\"name\": \"blade\", "
      "\"type\": \"beam\", \"section\": \"soft\", \"elements\": %d, \"order\": %d, \"length\": 1, "
      "\"position\": "
      "[0.2, 0, 0], \"orientation\": {\"rotation_vector\": [0, 0, \"pi/2\"]}, \"velocity\": [0, "
      "\"0.2*W\", 0], \"angular_velocity\": [0, 0, \"W\"]}], \"joints\": [{\"name\": \"hinge\", "
      "\"type\": \"revolute\", \"a\": \"ground\", \"b\": \"hub\"}, {\"name\": \"root\", \"type\": "
      "\"weld\", \"a\": {\"body\": \"hub\", \"position\": [0.2, 0, 0], \"orientation\": "
      "{\"rotation_vector\": [0, 0, \"pi/2\"]}}, \"b\": \"blade.start\"}%s], \"simulation\": "
      "{\"step\": 1e-3, \"duration\": 0.1, \"initial\": \"steady\"}}",
      group, rotary, n, order, drive);
}

static void write_rotor(char *text, int n, double rotary, const char *group, const char *motion) {
  write_rotor_of(4, text, n, rotary, group, motion);
}

/* Where a run begins: the end of the blade as its hub sees it. */
static v3 end_of(const char *text) {
  static const char *const names[] = {"blade.end.position", "hinge.angle", "hub.angular_velocity",
                                      NULL};
  static const char *const set[] = {"simulation.duration=0.001", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, set, &error), TORSOR_OK);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error),
      TORSOR_OK);
  const double *row = support_row(&trace, 0);
  const v3 seen = so3_rotate(so3_exp((v3){0, 0, -row[4]}), v3_load(row + 1));
  CHECK_NEAR(row[7], RATE, 1e-9);
  support_trace_release(&trace);
  support_close(&world);
  return seen;
}

/* The same of modes. */
static v3 end_of_modes(const char *text) {
  torsor_modes *m = modes_of(text, NULL, &steady);
  CHECK_TRUE(m->moves);
  CHECK_NEAR(m->frame.ang.z, RATE, 1e-9);
  const v3 seen = m3_tmulv(so3_matrix(m->node[0].R), m->node[m->nodes - 1].x);
  torsor_modes_destroy(m);
  return seen;
}

/* Driven and free hubs, of tiny rotary inertia in the second case, with elements of either order:
 * errors of the mesh are of this order, what remains of order 2 at order 4 being 1e-3 of it, and
 * the limit is the same. */
static void blade_across_its_hub(void **state) {
  (void)state;
  static const double rotary[] = {1e-6, 1e-9};
  for (int k = 0; k < 4; ++k) {
    const int order = 2 + k / 2 * 2, driven = k % 2;
    const double parts = pow(2, order);
    v3 x[3];
    for (int mesh = 0; mesh < 3; ++mesh) {
      char text[TEXT];
      write_rotor_of(order, text, 16 << mesh, rotary[driven], driven ? "SE3" : "R3xSO3",
                     driven ? "W*t" : NULL);
      x[mesh] = mesh ? end_of_modes(text) : end_of(text);
    }
    const v3 coarse = v3_sub(x[0], x[1]), fine = v3_sub(x[1], x[2]);
    const v3 before = v3_sub(x[1], v3_scale(coarse, 1 / (parts - 1))),
             limit = v3_sub(x[2], v3_scale(fine, 1 / (parts - 1)));
    const double error = v3_norm(v3_sub(limit, before)) + END_ERROR;
    const double off = v3_norm(v3_sub(limit, (v3){END_X, END_Y, 0}));
    check_report(driven ? "driven rotor, end of the blade" : "free rotor, end of the blade", off,
                 error);
    CHECK_LE(off, error);
    CHECK_ORDER(log2(v3_norm(coarse) / v3_norm(fine)), order, order == 2 ? 0.2 : 0.4);
  }
}

/* Largest changes of the energy, a part of it, and of the end's distance from the axis in a run of
 * 0.03 s. */
static void run_from(double *energy, double *radius, const char *text, const char *step) {
  static const char *const names[] = {"energy.total", "blade.end.position", NULL};
  const char *const set[] = {"gravity=[0,0,-9.81]", "simulation.duration=0.03", step, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, set, &error), TORSOR_OK);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error),
      TORSOR_OK);
  const double *first = support_row(&trace, 0);
  *energy = *radius = 0;
  for (int i = 1; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    *energy = fmax(*energy, fabs(row[1] - first[1]) / first[1]);
    *radius = fmax(*radius, fabs(hypot(row[2], row[3]) - hypot(first[2], first[3])));
  }
  support_trace_release(&trace);
  support_close(&world);
}

/* A motion of constant twists is one of the method's as well, on SE(3): nothing swings, under its
 * weight across the plane, but by the rounding of stiffnesses of 1e6 N in forces of 250 N: 1e-12 of
 * them. */
static void run_holds_it(void **state) {
  (void)state;
  for (int driven = 0; driven < 2; ++driven) {
    char text[TEXT];
    double energy, radius;
    write_rotor(text, 32, 1e-6, "SE3", driven ? "W*t" : NULL);
    run_from(&energy, &radius, text, NULL);
    check_report(driven ? "driven rotor, energy" : "free rotor, energy", energy, 1e-12);
    check_report(driven ? "driven rotor, radius" : "free rotor, radius", radius, 1e-12);
    CHECK_LE(energy, 1e-12);
    CHECK_LE(radius, 1e-12);
  }
}

/* On R3xSO(3) circles are no motions of the method's: the run swings about them, by the square of
 * the step.  What swings faster than steps follow is damped by a part that changes with the step:
 * half a step more often the orders of the energy are 1.87, 1.89 and 1.93. */
static void run_on_the_other_group(void **state) {
  (void)state;
  double energy[2], radius[2];
  char text[TEXT];
  write_rotor(text, 16, 1e-6, "R3xSO3", "W*t");
  run_from(&energy[0], &radius[0], text, "simulation.step=1e-3");
  run_from(&energy[1], &radius[1], text, "simulation.step=5e-4");
  print_message("  R3xSO3, energy: %.3g and %.3g, radius: %.3g and %.3g m\n", energy[0], energy[1],
                radius[0], radius[1]);
  CHECK_ORDER(log2(energy[0] / energy[1]), 2, 0.2);
  CHECK_ORDER(log2(radius[0] / radius[1]), 2, 0.2);
}

/* From the ground the blade's masses turn round and only from the hub they stay: there the motion
 * is looked for first, and found.  A search from the ground first ends without a motion after
 * hundreds of iterations, and the result would be the same. */
static void looked_for_where_masses_stay(void **state) {
  (void)state;
  for (int driven = 0; driven < 2; ++driven) {
    char text[TEXT];
    support_world world;
    torsor_error error = {0};
    linear_state found;
    write_rotor(text, 8, 1e-6, "SE3", driven ? "W*t" : NULL);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
    CHECK_INT(linear_state_find(&found, world.model, &steady, NULL, &error), TORSOR_OK);
    print_message("  %d iterations, %d search\n", found.report.iterations, found.report.frames);
    CHECK_INT(found.report.frames, 1);
    CHECK_STR(world.model->element[world.model->node[found.frame_node].element].name, "hub");
    linear_state_release(&found);
    support_close(&world);
  }
}

/* Rates that are steady at t = 0 alone are no steady motion. */
static void rate_that_will_change(void **state) {
  (void)state;
  char text[TEXT];
  torsor_error error;
  write_rotor(text, 2, 1e-6, "SE3", "W*t + 500*t^4");
  CHECK_INT(modes_refused(text, &steady, &error), TORSOR_NEWTON);
  CHECK_CONTAINS(error.message, "no steady motion is found");
  CHECK_CONTAINS(
      error.message,
      "only a balance that does not last: the motion or the forces of \"hub\" change later on");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blade_across_its_hub),   cmocka_unit_test(run_holds_it),
      cmocka_unit_test(run_on_the_other_group), cmocka_unit_test(looked_for_where_masses_stay),
      cmocka_unit_test(rate_that_will_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
