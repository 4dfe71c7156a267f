/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces on bodies against closed solutions, on both groups. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "variant.h"

/* ---- springs, bushings, given forces ------------------------------------------------------- */

/* Free vibration with the frequency w0 and the decay d. */
static double decaying(double t, double w0, double d) {
  const double w = sqrt(w0 * w0 - d * d);
  return exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}

/* m y'' = -(P + k y + c y') with m = 2, k = 50, c = 0.8, P = 1, y(0) = 0.1, y = L - 1. */
static double damped_exact(double t) {
  return 1 - 0.02 + 0.12 * decaying(t, 5, 0.2);
}

static const closed_case damped_spring = {
    "spring, damper and preload",
    SCENE(BODY("mass", ", \"position\": [1.1, 0, 0], \"velocity\": [0, 0, 0]"), "",
          "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"mass\","
          " \"stiffness\": 50, \"damping\": 0.8, \"length\": 1, \"preload\": 1}"),
    "mass.position.x",
    damped_exact,
    0.01,
    2};

static double bushing_x(double t) {
  return 0.1 * decaying(t, 5, 0.2);
}
static double bushing_turn(double t) {
  return 2 * decaying(t, 4, 0.4);
}

#define BUSHED                                                                                     \
  SCENE(BODY("mass", ", \"position\": [0.1, 0, 0], \"velocity\": [0, 0, 0], \"orientation\":"      \
                     " {\"rotation_vector\": [0, 0, 2]}, \"angular_velocity\": [0, 0, 0]"),        \
        "",                                                                                        \
        "{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"mass\","         \
        " \"stiffness\": [50, 40, 30], \"damping\": [0.8, 0, 0],"                                  \
        " \"rotational_stiffness\": [1, 2, 3.2], \"rotational_damping\": [0, 0, 0.16]}")

static const closed_case bushing_cases[] = {
    {"bushing: translation", BUSHED, "mass.position.x", bushing_x, 0.01, 2},
    {"bushing: rotation of 2 rad", BUSHED, "mass.rotation_vector.z", bushing_turn, 0.01, 2}};

/* 2 x'' = 6 (cos 3t, sin 3t) in the axes of a body that turns with 3 rad/s. */
static double thrust_y(double t) {
  return (3 * t - sin(3 * t)) / 3;
}
/* 2 z'' = 4 cos(2 t). */
static double inertial_z(double t) {
  return (1 - cos(2 * t)) / 2;
}

#define PUSHED                                                                                     \
  SCENE(BODY("craft", ", \"velocity\": [0, 0, 0], \"angular_velocity\": [0, 0, 3]"), "",           \
        "{\"name\": \"thrust\", \"type\": \"force\", \"at\": \"craft\", \"force\": [6, 0, 0],"     \
        " \"axes\": \"body\"}, {\"name\": \"lift\", \"type\": \"force\", \"at\": \"craft\","       \
        " \"force\": [0, 0, 4], \"scale\": \"cos(2*t)\"}")

static const closed_case given_forces[] = {
    {"force in body axes", PUSHED, "craft.position.y", thrust_y, 0.01, 2},
    {"force in inertial axes", PUSHED, "craft.position.z", inertial_z, 0.01, 2}};

/* 2 x'' = -2 x/|x|^3: a circle in 2 pi s. */
static double orbit_x(double t) {
  return cos(t);
}
static const closed_case orbit = {
    "attraction: circular orbit",
    SCENE(BODY("moon", ", \"position\": [1, 0, 0], \"velocity\": [0, 1, 0]"), "",
          "{\"name\": \"gravity\", \"type\": \"attraction\", \"a\": \"ground\", \"b\": \"moon\","
          " \"strength\": 2}"),
    "moon.position.x",
    orbit_x,
    0.02,
    6};

/* 2 w' = -0.5 w^2 for w = v - 1, w(0) = 4. */
static double drag_x(double t) {
  return t + 4 * log(1 + t);
}
static const closed_case dragged = {
    "drag in wind",
    SCENE(BODY("stone", ", \"velocity\": [5, 0, 0], \"angular_velocity\": [0, 0, 0]"), "",
          "{\"name\": \"air\", \"type\": \"drag\", \"at\": \"stone\", \"density\": 2,"
          " \"coefficient\": 0.5, \"area\": 1, \"wind\": [1, 0, 0]}"),
    "stone.position.x",
    drag_x,
    0.02,
    2};

static void forces_on_bodies(void **state) {
  (void)state;
  closed_check(&damped_spring);
  for (int i = 0; i < 2; ++i) closed_check(&bushing_cases[i]);
  for (int i = 0; i < 2; ++i) closed_check(&given_forces[i]);
  closed_check(&orbit);
  closed_check(&dragged);
}

/* A force of 2 N with a lever of 0.5 m and a moment of 0.4 N m, J = 0.2: the spin grows by 7
 * rad/s^2, which the method integrates exactly. */
static void lever_of_a_force(void **state) {
  (void)state;
  static const char *const signals[] = {"craft.angular_velocity.z", NULL};
  static const char text[] =
      SCENE(BODY("craft", ", \"angular_velocity\": [0, 0, 0]"), "",
            "{\"name\": \"jet\", \"type\": \"force\", \"at\": {\"body\": \"craft\","
            " \"position\": [0.5, 0, 0]}, \"force\": [0, 2, 0], \"moment\": [0, 0, 0.4],"
            " \"axes\": \"body\"}");
  for (int g = 0; g < 2; ++g) {
    support_trace trace = closed_run(text, signals, closed_groups[g], 0.01, 1);
    const double error = fabs(support_row(&trace, trace.rows - 1)[1] - 7);
    check_report("lever and moment: spin", error, 100 * 7 * CHECK_EPS); /* 100 steps */
    CHECK_LE(error, 100 * 7 * CHECK_EPS);
    support_trace_release(&trace);
  }
}

/* ---- two bodies and a spring ---------------------------------------------------------------- */

typedef struct drift {
  double momentum, energy, angular;
} drift;

static drift two_bodies(const char *group, double h) {
  static const char *const signals[] = {"momentum", "angular_momentum", "energy.total", NULL};
  static const char text[] =
      SCENE(BODY("one", ", \"velocity\": [0, 0.3, 0], \"angular_velocity\": [1, 2, 0.5]") "," BODY(
                "two", ", \"position\": [1, 0.2, 0], \"velocity\": [0.5, -1, 0.2],"
                       " \"angular_velocity\": [0, -1, 1]"),
            "",
            "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": {\"body\": \"one\","
            " \"position\": [0.1, 0.2, 0]}, \"b\": {\"body\": \"two\", \"position\": [0, 0, 0.3]},"
            " \"stiffness\": 30, \"length\": 0.8}");
  support_trace trace = closed_run(text, signals, group, h, 2);
  const double *first = support_row(&trace, 0);
  drift d = {0};
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    d.momentum = check_max(d.momentum, v3_norm(v3_sub(v3_load(row + 1), v3_load(first + 1))));
    d.angular = check_max(d.angular, v3_norm(v3_sub(v3_load(row + 4), v3_load(first + 4))));
    d.energy = check_max(d.energy, fabs(row[7] - first[7]));
  }
  support_trace_release(&trace);
  return d;
}

/* In inertial velocities the sum of the momenta is linear and kept to the round-off of 400 steps;
 * in body axes it is of the method's order, as energy and angular momentum are. */
static void spring_between_bodies(void **state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    const drift coarse = two_bodies(closed_groups[g], 0.01),
                fine = two_bodies(closed_groups[g], 0.005);
    const double energy = torsor_order(coarse.energy, fine.energy, 0.01, 0.005);
    const double angular = torsor_order(coarse.angular, fine.angular, 0.01, 0.005);
    print_message("  %s: energy off by %.3g, momentum %.3g, angular momentum %.3g\n",
                  closed_groups[g], fine.energy, fine.momentum, fine.angular);
    check_report("order of the energy", energy, 2);
    check_report("order of the angular momentum", angular, 2);
    CHECK_ORDER(energy, 2, 0.1);
    CHECK_ORDER(angular, 2, 0.1);
    if (g == 0) CHECK_LE(fine.momentum, 400 * 4 * CHECK_EPS);
    if (g == 1) CHECK_ORDER(torsor_order(coarse.momentum, fine.momentum, 0.01, 0.005), 2, 0.1);
  }
}

/* ---- contact -------------------------------------------------------------------------------- */

#define BALL(more, contact)                                                                        \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\", \"type\":"        \
  " \"rigid_body\", \"mass\": 0.5, \"inertia\": [0.002, 0.002, 0.002]" more "}], \"forces\":"      \
  " [{\"name\": \"floor\", \"type\": \"contact\", \"a\": \"ground\", \"b\": \"ball\","             \
  " \"radius\": 0.1" contact "}]}"

/* Without dissipation the ball has the height of 0.3 m again, in free flight z + v^2/(2 g); at h/2
 * it lacks less than what halving the step changed, for any order above 1. */
static void ball_bounces(void **state) {
  (void)state;
  static const char *const signals[] = {"ball.position.z", "ball.velocity.z", "floor.force.z",
                                        "energy.total", NULL};
  double height[2], lost[2] = {0};
  for (int k = 0; k < 2; ++k) {
    support_trace trace = closed_run(BALL(", \"position\": [0, 0, 0.3], \"velocity\": [0, 0, 0]",
                                          ", \"stiffness\": 1e4, \"exponent\": 2"),
                                     signals, "R3xSO3", 2e-4 / (1 + k), 0.4);
    const double *last = support_row(&trace, trace.rows - 1);
    height[k] = last[1] + last[2] * last[2] / (2 * 9.81);
    for (int i = 0; i < trace.rows; ++i) {
      const double *row = support_row(&trace, i);
      lost[k] = check_max(lost[k], fabs(row[4] - support_row(&trace, 0)[4]));
      CHECK_GE(row[3], 0);
    }
    CHECK_GE(last[2], 0.5);
    support_trace_release(&trace);
  }
  const double change = fabs(height[0] - height[1]);
  check_report("ball: height after the bounce", fabs(height[1] - 0.3), change);
  check_report("ball: energy", lost[1], 0.3 * lost[0]); /* of order 2 */
  CHECK_LE(fabs(height[1] - 0.3), change);
  CHECK_LE(lost[1], 0.3 * lost[0]);
}

/* A corner 0.2 m from the centre of mass, in contact all the time: 2 z'' = 200 d - 20, d = 0.2 - z,
 * from d = 0.15 at rest. */
static double resting_corner(double t) {
  return 0.1 - 0.05 * cos(10 * t);
}
static const closed_case corner = {"contact of a point",
                                   "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [" BODY(
                                       "box", ", \"position\": [0, 0, 0.05], \"velocity\": [0, 0, "
                                              "0]") "], \"forces\":"
                                                    " [{\"name\": \"floor\", \"type\": "
                                                    "\"contact\", \"a\": \"ground\", \"b\": "
                                                    "{\"body\": \"box\","
                                                    " \"position\": [0, 0, -0.2]}, \"stiffness\": "
                                                    "200, \"exponent\": 1}]}",
                                   "box.position.z",
                                   resting_corner,
                                   0.005,
                                   1};

static void corner_in_contact(void **state) {
  (void)state;
  closed_check(&corner);
}

/* Without gravity the law of Hunt and Crossley, m v dv/dd = -k d^n (1 + b v), keeps
 * v/b - ln(1 + b v)/b^2 from touch to lift-off, whatever k and n are: with b v = u before and b v =
 * -w after, u - ln(1 + u) = -w - ln(1 - w). */
static double leaving_speed(double speed, double b) {
  const double u = b * speed, level = u - log1p(u);
  double w = u;
  for (int i = 0; i < 60; ++i) w -= (-w - log1p(-w) - level) * (1 - w) / w;
  return w / b;
}

/* Speed after a head-on blow of 3 m/s; energy never grows. */
static double blown(double h, double *gain) {
  static const char *const signals[] = {"ball.velocity.x", "energy.total", "wall.force.x", NULL};
  support_trace trace =
      closed_run(SCENE(BODY("ball", ", \"position\": [0.4, 0, 0], \"velocity\": [-3, 0, 0]"), "",
                       "{\"name\": \"wall\", \"type\": \"contact\", \"a\": \"ground\", \"b\": "
                       "\"ball\", \"radius\":"
                       " 0.1, \"normal\": [1, 0, 0], \"stiffness\": 2e5, \"exponent\": 1.5, "
                       "\"dissipation\": 0.2}"),
                 signals, "R3xSO3", h, 0.15);
  double last = support_row(&trace, 0)[2];
  for (int i = 1; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    *gain = check_max(*gain, row[2] - last);
    last = row[2];
    CHECK_GE(row[3], 0);
  }
  const double speed = support_row(&trace, trace.rows - 1)[1];
  support_trace_release(&trace);
  return speed;
}

/* A step may gain less energy than the method's error of the energy that remains after the whole
 * impact, m v dv. */
static void restitution(void **state) {
  (void)state;
  const double exact = leaving_speed(3, 0.2);
  double gain[2] = {0};
  const double coarse = fabs(blown(1e-4, &gain[0]) - exact),
               fine = fabs(blown(5e-5, &gain[1]) - exact);
  const double order = torsor_order(coarse, fine, 1e-4, 5e-5);
  print_message("  restitution %.6f, of first order 1 - 2 b v/3 = %.6f; off by %.3g m/s\n",
                exact / 3, 1 - 2 * 0.2 * 3 / 3, fine);
  check_report("order of the speed after the blow", order, 2);
  check_report("energy gained in a step, J", gain[1], 2 * exact * fine);
  CHECK_GE(order, 1.9);
  CHECK_LE(gain[1], 2 * exact * fine);
}

/* Distance from rolling after a second, for a ball that slid on the floor with 2 m/s: m v l + J w
 * stays, l the height of the centre, so that it rolls with 2 m l^2/(J + m l^2) whatever the
 * friction did before. */
static double from_rolling(const char *group, double h) {
  static const char *const signals[] = {"ball.velocity.x", "ball.angular_velocity.y", NULL};
  support_trace trace = closed_run(
      BALL(", \"position\": [0, 0, \"0.1 - sqrt(0.5*9.81/1e4)\"], \"velocity\": [2, 0, 0],"
           " \"angular_velocity\": [0, 0, 0]",
           ", \"stiffness\": 1e4, \"exponent\": 2, \"friction\": 0.3, \"speed_width\": 0.01"),
      signals, group, h, 1);
  const double *last = support_row(&trace, trace.rows - 1);
  const double l = 0.1 - sqrt(0.5 * 9.81 / 1e4), rolling = l * l / (0.002 + 0.5 * l * l);
  const double v = last[1], w = last[2];
  support_trace_release(&trace);
  return check_max(fabs(v - rolling), fabs(v - l * w));
}

/* In inertial velocities momenta are kept to the round-off of 1000 steps; in body axes, of order 2,
 * at h/2 a quarter is left, and a third is allowed. */
static void sliding_ball_rolls(void **state) {
  (void)state;
  const double inertial = from_rolling("R3xSO3", 1e-3);
  const double coarse = from_rolling("SE3", 1e-3), fine = from_rolling("SE3", 5e-4);
  check_report("rolling, R3xSO3", inertial, 1000 * 2 * CHECK_EPS);
  check_report("rolling, SE3", fine, coarse / 3);
  CHECK_LE(inertial, 1000 * 2 * CHECK_EPS);
  CHECK_LE(fine, coarse / 3);
  CHECK_LE(fine, 1e-4);
}

/* ---- tangents that the examples leave out --------------------------------------------------- */

static void other_tangents(void **state) {
  (void)state;
  const conformance force =
      variant_replaced("force", "\"axes\": \"body\"", "\"axes\": \"inertial\"");
  variant_check_tangents(&force, "force in inertial axes");
  const conformance drag =
      variant_replaced("drag", "\"area\": 2e-3", "\"area\": 2, \"wind\": [3, -1, 2]");
  variant_check_tangents(&drag, "drag in wind");
  const conformance contact =
      variant_replaced("contact", "\"speed_width\": 0.5",
                       "\"tangential_stiffness\": 3, \"tangential_damping\": 0.5");
  variant_check_tangents(&contact, "contact that sticks and slips");
  const conformance blow = variant_replaced(
      "contact", "\"dissipation\": 0.1", "\"restitution\": 0.3, \"restitution_at\": \"each_blow\"");
  variant_check_tangents(&blow, "contact with a restitution at each blow");
  const conformance shapes =
      variant_replaced("shape_contact", "\"dissipation\": 0.1",
                       "\"dissipation\": 0.1, \"friction\": 0.3, \"tangential_stiffness\": 2,"
                       " \"tangential_damping\": 0.5");
  variant_check_tangents(&shapes, "contact of shapes that sticks and slips");
  static const char boxes[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"brick\", \"type\": \"rigid_body\", \"mass\": 1,"
      " \"inertia\": [0.1, 0.1, 0.05], \"velocity\": [0.1, 0.2, 0.3], \"angular_velocity\":"
      " [0.2, -0.1, 0.3], \"shape\": {\"type\": \"box\", \"size\": [2, 1.6, 1]}}, {\"name\":"
      " \"block\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.2, 0.1, 0.3],"
      " \"position\": [0.5, 0.2, 1.05], \"orientation\": {\"rotation_vector\": [0.4, 0.5, 0.3]},"
      " \"velocity\": [1, 0, -0.2], \"shape\": {\"type\": \"box\", \"size\": [1, 0.9, 0.8]}}],"
      " \"forces\": [{\"name\": \"hit\", \"type\": \"other\", \"a\": \"brick\", \"b\": \"block\","
      " \"face_stiffness\": 20, \"dissipation\": 0.1%s}]}";
  static const char *const laws[] = {
      "", ", \"friction\": 0.3, \"tangential_stiffness\": 2, \"tangential_damping\": 0.5"};
  for (int i = 0; i < 2; ++i) {
    char example[2000];
    snprintf(example, sizeof example, boxes, laws[i]);
    const conformance faces = variant_measure("shape_contact", example);
    variant_check_tangents(&faces, i ? "contact of boxes that sticks and slips" : "of boxes");
    CHECK_LE(check_max(faces.balance, faces.invariance), CONFORMANCE_ROUND_OFF);
    if (i == 0) CHECK_LE(faces.power, CONFORMANCE_DIFFERENCE);
  }
  const conformance friction = variant_replaced("friction", "\"rate_width\": 0.5",
                                                "\"stick_stiffness\": 20, \"stick_damping\": 0.05");
  variant_check_tangents(&friction, "friction that sticks and slips");
}

/* ---- where laws end ------------------------------------------------------------------------- */

/* A spring whose ends meet, and a bushing turned too far, stop the run and are named. */
static void domains_are_named(void **state) {
  (void)state;
  static const char *const texts[] = {
      SCENE(BODY("mass", ", \"position\": [1, 0, 0], \"velocity\": [-1, 0, 0]"), "",
            "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\":"
            " \"mass\"}"),
      SCENE(BODY("mass", ", \"angular_velocity\": [0, 0, 2]"), "",
            "{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"mass\","
            " \"rotational_stiffness\": [0.01, 0.01, 0.01]}")};
  static const char *const named[] = {"evaluation of spring_damper \"spring\"",
                                      "evaluation of bushing \"mount\""};
  static const char *const hints[] = {"\"spring\" takes markers that do not meet",
                                      "\"mount\" takes rotations of at most 2.8 rad"};
  static const char *const set[] = {"simulation={\"step\": 0.25, \"duration\": 2}", NULL};
  for (int i = 0; i < 2; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, texts[i], set, NULL), TORSOR_OK);
    CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_STEP);
    print_message("  %s\n", error.message);
    CHECK_CONTAINS(error.message, named[i]);
    CHECK_CONTAINS(error.hint, hints[i]);
    support_trace_release(&trace);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_bodies),      cmocka_unit_test(lever_of_a_force),
      cmocka_unit_test(spring_between_bodies), cmocka_unit_test(ball_bounces),
      cmocka_unit_test(restitution),           cmocka_unit_test(corner_in_contact),
      cmocka_unit_test(sliding_ball_rolls),    cmocka_unit_test(other_tangents),
      cmocka_unit_test(domains_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
