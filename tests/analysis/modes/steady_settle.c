/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steady motions that are looked for: stretched blades, shafts that spin and sag. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "modes_kit.h"
#include "support.h"

static const torsor_modes_settings steady = {.size = sizeof(torsor_modes_settings),
                                             .about = TORSOR_ABOUT_STEADY};

enum { TEXT = 1600 };

/* EI = 100, mass 1, length 1: frequencies are 10 times dimensionless ones; 1/s is the part of what
 * no Euler-Bernoulli beam has: stretch, shear and rotary inertia. */
static void write_blade_of(int order, char *text, double eta, double s, const char *group) {
  snprintf(
      text, TEXT,
      "{\"torsor\": 1, \"group\": \"%s\", \"parameters\": {\"n\": 6, \"s\": %g, \"W\": %g}, "
      "\"sections\": {\"blade\": {\"stiffness\": [\"100*s\", \"100*s\", \"100*s\", 100, 100, "
      "100], \"inertia\": [1, 1, 1, \"0.2/s\", \"0.1/s\", \"0.1/s\"]}}, \"bodies\": "
      "[{\"name\": \"blade\", \"type\": \"beam\", \"section\": \"blade\", \"elements\": \"n\", "
      "\"order\": %d, \"length\": 1, \"angular_velocity\": [0, 0, \"W\"]}], \"joints\": "
      "[{\"name\": \"hub\", "
      "\"type\": \"revolute\", \"a\": \"ground\", \"b\": \"blade.start\"}, {\"name\": "
      "\"motor\", \"type\": \"drive\", \"coordinate\": \"hub.angle\", \"motion\": \"W*t\"}], "
      "\"simulation\": {\"step\": 2e-3, \"duration\": 0.1, \"initial\": \"steady\"}}",
      group, s, 10 * eta, order);
}

static void write_blade(char *text, double eta, double s, const char *group) {
  write_blade_of(4, text, eta, s, group);
}

/* Frequencies of the rotating Euler-Bernoulli cantilever by a spectral method (eight digits): flap,
 * out of the plane of the rotation; chord, in it: chord^2 = flap^2 - eta^2. */
static void rotating_cantilever(void **state) {
  (void)state;
  static const double table[][3] = {{2, 4.137319613769508, 22.614921956292918},
                                    {6, 7.36037303135894, 26.80908167891704},
                                    {12, 13.170150486312897, 37.60311232613122}};
  enum { MODES = 4 };
  static const int mode[MODES] = {0, 1, 2, 3};
  for (int k = 0; k < 6; ++k) {
    const double *const known = table[k % 3], eta = known[0];
    const int of = k < 3 ? 2 : 4;
    double limit[2][MODES], error[2][MODES], order[MODES];
    for (int stiff = 0; stiff < 2; ++stiff) {
      char text[TEXT];
      write_blade_of(of, text, eta, stiff ? 8e4 : 4e4, k % 2 ? "SE3" : "R3xSO3");
      modes_limits_about(limit[stiff], error[stiff], order, text, TORSOR_ABOUT_STEADY, mode, MODES,
                         6);
    }
    for (int i = 0; i < MODES; ++i) {
      const double flap = known[1 + i / 2];
      const double expected = 10 * (i % 2 ? flap : sqrt(flap * flap - eta * eta));
      /* linear in 1/s; what is left is the square of it and the error of both limits */
      const double found = 2 * limit[1][i] - limit[0][i], off = limit[1][i] - limit[0][i];
      const double tolerance = 2 * error[1][i] + error[0][i] + 8 * off * off / expected;
      char what[80];
      snprintf(what, sizeof what, "eta %g, %s %d", eta, i % 2 ? "flap" : "chord", i / 2 + 1);
      check_report(what, fabs(found - expected), tolerance);
      CHECK_NEAR(found, expected, tolerance);
      /* at order 4 parts of orders 2 and 4 cancel in some */
      if (of == 2) CHECK_ORDER(order[i], 2, 0.2);
    }
  }
}

/* Nodes on a straight line turn as one: the stretch solves (EA e)' = -m W^2 r(1 + ..).  Both groups
 * find the same; where the stretch is of the length's size Newton's method alone goes astray. */
static void groups_agree(void **state) {
  (void)state;
  static const double soft[] = {1e5, 1e2};
  for (int k = 0; k < 2; ++k) {
    torsor_modes *m[2];
    for (int group = 0; group < 2; ++group) {
      char text[TEXT];
      write_blade(text, 12, soft[k], group ? "SE3" : "R3xSO3");
      m[group] = modes_of(text, NULL, &steady);
      CHECK_TRUE(m[group]->moves);
      CHECK_NEAR(m[group]->frame.ang.z, 120, 1e-9);
    }
    const double x = m[0]->node[m[0]->nodes - 1].x.x, off = x - m[1]->node[m[1]->nodes - 1].x.x;
    check_report("blade, stretched by", x - 1, HUGE_VAL);
    check_report("blade, end of both groups", fabs(off), 1e-13);
    CHECK_GE(x - 1, k ? 0.3 : 1e-4);
    CHECK_LE(fabs(off), 1e-13); /* some hundred roundings */
    for (int i = 0; i < 6; ++i) /* of mu, eps times the stiffest mode over it */
      CHECK_NEAR(modes_omega(m[0], i), modes_omega(m[1], i), 1e-7 * modes_omega(m[0], i));
    torsor_modes_destroy(m[0]);
    torsor_modes_destroy(m[1]);
  }
}

/* On SE(3) a motion of constant twists is one of the method's as well: nothing swings, to
 * round-off. */
static void run_begins_steady(void **state) {
  (void)state;
  static const char *const names[] = {"energy.total", "blade.section_force[0].x",
                                      "blade.end.position", NULL};
  char text[TEXT];
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  write_blade(text, 6, 1e4, "SE3");
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names, &error),
      TORSOR_OK);
  double energy = 0, force = 0, radius = 0;
  const double *first = support_row(&trace, 0);
  for (int i = 1; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    energy = fmax(energy, fabs(row[1] - first[1]) / first[1]);
    force = fmax(force, fabs(row[2] - first[2]) / first[2]);
    radius = fmax(radius, fabs(hypot(row[3], row[4]) - first[3]));
  }
  /* the root's force is EA times a strain of 1e-3, whose rounding is some eps */
  check_report("steady run, energy", energy, 1e-12);
  check_report("steady run, root's force", force, 1e-9);
  check_report("steady run, radius", radius, 1e-13);
  CHECK_GE(first[3], 1.001);
  CHECK_LE(energy, 1e-12);
  CHECK_LE(force, 1e-9);
  CHECK_LE(radius, 1e-13);
  support_trace_release(&trace);
  support_close(&world);
}

/* ---- a shaft
 * ------------------------------------------------------------------------------------- */

static const double EI = 400, GA = 2e5, MASS = 2, ROTARY = 2e-3, SPIN = 300;

#define SHAFT_OF(order)                                                                            \
  "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"parameters\": {\"n\": 8, \"W\": 300}, \"sections\": " \
  "{\"round\": {\"stiffness\": [1e6, 2e5, 2e5, 300, 400, 400], \"inertia\": [2, 2, 2, 4e-3, "      \
  "2e-3, "                                                                                         \
  "2e-3]}}, \"bodies\": [{\"name\": \"shaft\", \"type\": \"beam\", \"section\": \"round\", "       \
  "\"elements\": \"n\", \"order\": " order                                                         \
  ", \"length\": 1, \"velocity\": [0, 0, 0], \"angular_velocity\": [\"W\", 0, "                    \
  "0]}], \"joints\": [{\"name\": \"left\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "    \
  "\"shaft.start\"}, {\"name\": \"right\", \"type\": \"point_on_line\", \"axis\": [1, 0, 0], "     \
  "\"a\": {\"body\": \"ground\", \"position\": [1, 0, 0]}, \"b\": \"shaft.end\"}]}"

static const char *const SHAFT = SHAFT_OF("4");

/* w = W sin(b x), turned by Y cos(b x), both times exp(i mu t) in the plane across: of the
 * Timoshenko shaft with the polar inertia 2 I, (GA b^2 - m mu^2)(EI b^2 + GA - I mu^2 + 2 I W mu) =
 * GA^2 b^2. */
static double shaft_root(double b, double guess) {
  double mu = guess;
  for (int k = 0; k < 60; ++k) {
    const double p = GA * b * b - MASS * mu * mu;
    const double q = EI * b * b + GA - ROTARY * mu * mu + 2 * ROTARY * SPIN * mu;
    const double dp = -2 * MASS * mu, dq = -2 * ROTARY * mu + 2 * ROTARY * SPIN;
    mu -= (p * q - GA * GA * b * b) / (dp * q + p * dq);
  }
  return mu;
}

/* Backwards and forwards whirl of the two lowest bending modes, with elements of either order:
 * those of order 4 have an error of order 2 of the rotary inertia, and at the second modes the 16th
 * part of one of order 4. */
static void whirling_shaft(void **state) {
  (void)state;
  enum { MODES = 4 };
  static const int mode[MODES] = {1, 2, 3, 4}; /* 0: turning on */
  static const char *const shaft[] = {SHAFT_OF("2"), SHAFT_OF("4")};
  for (int k = 0; k < 2; ++k) {
    double limit[MODES], error[MODES], order[MODES];
    modes_limits_about(limit, error, order, shaft[k], TORSOR_ABOUT_STEADY, mode, MODES, 8);
    for (int i = 0; i < MODES; ++i) {
      const double b = (1 + i / 2) * acos(-1.0), still = b * b * sqrt(EI / MASS);
      const double expected = fabs(shaft_root(b, i % 2 ? still : -still));
      check_report(i % 2 ? "shaft, forwards" : "shaft, backwards", fabs(limit[i] - expected),
                   error[i]);
      CHECK_NEAR(limit[i], expected, error[i]);
      CHECK_ORDER(order[i], 2, k ? 0.3 : 0.1);
    }
    /* far apart, beside what is left of the mesh */
    CHECK_GE(limit[1] - limit[0], 100 * (error[0] + error[1]));
  }
}

/* Each section turns in its own, slanting plane: the shaft sags as it does at rest, by 5 q L^4/(384
 * EI) + q L^2/(8 GA) but for the square of the slope: elements of order 4 are exact at their nodes.
 */
static void sagging_shaft(void **state) {
  (void)state;
  const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  const double q = 200 * MASS, expected = 5 * q / (384 * EI) + q / (8 * GA);
  for (int group = 0; group < 2; ++group) {
    const char *const moves[] = {"gravity=[0,0,-200]", "parameters.n=16", groups[group], NULL};
    const char *const rests[] = {"gravity=[0,0,-200]", "parameters.n=16", "parameters.W=0",
                                 groups[group], NULL};
    torsor_modes *m = modes_of(SHAFT, moves, &steady), *rest = modes_of(SHAFT, rests, &steady);
    CHECK_TRUE(m->moves && !rest->moves);
    CHECK_NEAR(v3_norm(m->frame.ang), 0, 0);
    double off = 0, sag = 0;
    for (int i = 0; i < m->nodes; ++i) {
      off = fmax(off, v3_norm(v3_sub(m->node[i].x, rest->node[i].x)));
      sag = fmax(sag, -m->node[i].x.z);
    }
    const double slope = q / (24 * EI), tolerance = expected * slope * slope;
    check_report("shaft, sag", fabs(sag - expected), tolerance);
    check_report("shaft, differently at rest", off, 1e-10);
    CHECK_NEAR(sag, expected, tolerance);
    CHECK_LE(off, 1e-10); /* some corrections that end both searches */
    torsor_modes_destroy(m);
    torsor_modes_destroy(rest);
  }
}

/* An arm that turns with W about z carries a disc that spins with w about the arm: the arm gives it
 * the moment J w W, across both, and bends by the angle a = J w W L/EI; two masses of 1 g make it
 * stiffer by m W^2 L^3/EI at the most, and the moment is less by the cosine of a. */
static void disc_on_an_arm(void **state) {
  (void)state;
  static const char *const scene =
      "{\"torsor\": 1, \"parameters\": {\"W\": 5, \"w\": 400}, \"sections\": {\"arm\": "
      "{\"stiffness\": "
      "[1e7, 1e7, 1e7, 100, 100, 100], \"inertia\": [1e-3, 1e-3, 1e-3, 2e-6, 1e-6, 1e-6]}}, "
      "\"bodies\": "
      "[{\"name\": \"arm\", \"type\": \"beam\", \"section\": \"arm\", \"elements\": 4, \"length\": "
      "1, "
      "\"angular_velocity\": [0, 0, \"W\"]}, {\"name\": \"disc\", \"type\": \"rigid_body\", "
      "\"mass\": "
      "1e-3, \"inertia\": [2e-3, 1e-3, 1e-3], \"position\": [1, 0, 0], \"velocity\": [0, \"W\", "
      "0], "
      "\"angular_velocity\": [\"w\", 0, \"W\"]}], \"joints\": [{\"name\": \"hub\", \"type\": "
      "\"revolute\", \"a\": \"ground\", \"b\": \"arm.start\"}, {\"name\": \"motor\", \"type\": "
      "\"drive\", \"coordinate\": \"hub.angle\", \"motion\": \"W*t\"}, {\"name\": \"axle\", "
      "\"type\": "
      "\"revolute\", \"axis\": [1, 0, 0], \"a\": \"arm.end\", \"b\": \"disc\"}]}";
  const double angle = 2e-3 * 400 * 5 / 100.0;
  for (int group = 0; group < 2; ++group) {
    const char *const set[] = {group ? "group=SE3" : "group=R3xSO3", NULL};
    torsor_modes *m = modes_of(scene, set, &steady);
    const v3 along = so3_rotate(m->node[4].R, (v3){1, 0, 0});
    const double found = asin(along.z), tolerance = (2e-3 * 25 / 100.0 + angle * angle) * angle;
    CHECK_TRUE(m->moves);
    CHECK_NEAR(m->frame.ang.z, 5, 1e-9);
    check_report("arm, bent by a gyroscopic moment", fabs(found - angle), tolerance);
    CHECK_NEAR(found, angle, tolerance);
    torsor_modes_destroy(m);
  }
}

/* ---- what is not found
 * ----------------------------------------------------------------------------- */

/* Where the blade's velocities are left out only its root moves. */
static void refusals(void **state) {
  (void)state;
  torsor_error error;
  char text[TEXT];
  write_blade(text, 6, 1e4, "SE3");
  char *given = strstr(text, "\"angular_velocity\"");
  memcpy(given, "\"_ngular_velocity\"", strlen("\"_ngular_velocity\""));
  CHECK_INT(modes_refused(text, &steady, &error), TORSOR_NEWTON);
  CHECK_CONTAINS(error.message, "no steady motion is found");
  CHECK_CONTAINS(error.message,
                 "only a balance that does not last: the motion or the forces of \"blade");
  CHECK_CONTAINS(error.hint, "angular_velocity");
  /* what is hinted at gets on */
  write_blade(text, 6, 1e4, "SE3");
  torsor_modes_destroy(modes_of(text, NULL, &steady));
}

/* A motor that starts from rest, or speeds up, keeps the places and velocities of a steady motion
 * at t = 0, and forces can balance it without its acceleration, which is looked at by itself. */
static void motor_speeds_up(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"W\": %g}, \"bodies\": [{\"name\": \"wheel\", \"type\": "
      "\"rigid_body\", \"mass\": 1, "
      "\"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, \"W\"]}, {\"name\": \"bob\", "
      "\"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [0.1, 0.1, 0.2], \"position\": [1, 0, 0], \"velocity\": [0, \"W\", 0], "
      "\"angular_velocity\": [0, 0, \"W\"]}], "
      "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "
      "\"wheel\"}, {\"name\": \"elbow\", "
      "\"type\": \"revolute\", \"a\": \"wheel\", \"b\": {\"body\": \"bob\", \"position\": [-1, 0, "
      "0]}}, {\"name\": \"motor\", "
      "\"type\": \"drive\", \"coordinate\": \"hinge.angle\", \"motion\": \"W*t + t^2\"}], "
      "\"forces\": [{\"name\": \"spring\", "
      "\"type\": \"coordinate_spring\", \"coordinate\": \"elbow.angle\", \"stiffness\": 10}]}";
  for (int W = 0; W <= 3; W += 3) {
    torsor_error error;
    char text[TEXT];
    snprintf(text, sizeof text, scene, (double)W);
    CHECK_INT(modes_refused(text, &steady, &error), TORSOR_NEWTON);
    CHECK_CONTAINS(error.message, "\"wheel\" still accelerates by 0 m/s^2 and 2 rad/s^2");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotating_cantilever),
      cmocka_unit_test(groups_agree),
      cmocka_unit_test(run_begins_steady),
      cmocka_unit_test(whirling_shaft),
      cmocka_unit_test(sagging_shaft),
      cmocka_unit_test(disc_on_an_arm),
      cmocka_unit_test(refusals),
      cmocka_unit_test(motor_speeds_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
