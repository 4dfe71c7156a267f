/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces on bodies against closed solutions, on both groups; wrong use of forces and drives. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "conformance.h"

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

/* A force of 2 N with a lever of 0.5 m and a moment of 0.4 N m, J = 0.2: the spin grows by 7 rad/s^2,
 * which the method integrates exactly. */
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

/* In inertial velocities the sum of the momenta is linear and kept to the round-off of 400 steps; in
 * body axes it is of the method's order, as energy and angular momentum are. */
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

/* Distance from rolling after a second, for a ball that slid on the floor with 2 m/s: m v l + J w
 * stays, l the height of the centre, so that it rolls with 2 m l^2/(J + m l^2) whatever the friction
 * did before. */
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

/* `out` = `text` with its first `from` replaced by `to`. */
static void replaced(char *out, size_t size, const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  CHECK_TRUE(at != NULL);
  const int used = snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  CHECK_TRUE(used > 0 && (size_t)used < size);
}

/* Conformance of type `name` with `from` in its example replaced by `to`. */
static conformance measure_other(const char *name, const char *from, const char *to) {
  torsor_registry *registry = torsor_registry_create(NULL);
  torsor_element_type type = *torsor_registry_find(registry, name);
  char half[1200], example[1200], word[60];
  snprintf(word, sizeof word, "\"type\": \"%s\"", name);
  replaced(half, sizeof half, type.example, from, to);
  replaced(example, sizeof example, half, word, "\"type\": \"other\"");
  type.name = "other";
  type.example = example;
  CHECK_INT(torsor_registry_add(registry, &type, NULL), TORSOR_OK);
  conformance c;
  torsor_error error = {0};
  const bool built = conformance_measure(&c, &type, registry, &error);
  if (!built) print_error("%s: %s\n", name, error.message);
  CHECK_TRUE(built);
  torsor_registry_destroy(registry);
  return c;
}

static void other_tangents(void **state) {
  (void)state;
  const conformance force = measure_other("force", "\"axes\": \"body\"", "\"axes\": \"inertial\"");
  check_report("force in inertial axes: K", force.K, CONFORMANCE_DIFFERENCE);
  CHECK_LE(force.K, CONFORMANCE_DIFFERENCE);
  const conformance drag =
      measure_other("drag", "\"area\": 2e-3", "\"area\": 2, \"wind\": [3, -1, 2]");
  check_report("drag in wind: C", drag.C, CONFORMANCE_DIFFERENCE);
  check_report("drag in wind: K", drag.K, CONFORMANCE_DIFFERENCE);
  CHECK_LE(drag.C, CONFORMANCE_DIFFERENCE);
  CHECK_LE(drag.K, CONFORMANCE_DIFFERENCE);
}

/* ---- wrong use ------------------------------------------------------------------------------ */

/* An element of a hinged rotor, and what is said of it. */
typedef struct misuse {
  const char *element, *message, *hint;
  bool joint;
} misuse;

#define ON_AXLE "\"coordinate\": \"axle.angle\""

static const misuse misuses[] = {
    {"\"type\": \"spring_damper\", \"a\": {\"body\": \"ground\", \"position\": [1, 0, 0]}, \"b\":"
     " \"rotor\", \"stiffness\": -1",
     "0 or greater", "", false},
    {"\"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"rotor\", \"stiffness\": 1",
     "coincide", "bushing", false},
    {"\"type\": \"attraction\", \"a\": \"ground\", \"b\": \"rotor\", \"strength\": 1", "coincide",
     "move", false},
    {"\"type\": \"spring_damper\", \"a\": {\"body\": \"rotor\", \"position\": [1, 0, 0]}, \"b\":"
     " \"rotor\"",
     "same body", "two bodies", false},
    {"\"type\": \"bushing\", \"a\": \"ground\", \"b\": \"rotor\", \"stiffness\": [1, 1, 1],"
     " \"rotational_damping\": [0, -1, 0]",
     "\"rotational_damping\" of \"x\" has a negative component", "0 or greater", false},
    {"\"type\": \"force\", \"at\": \"rotor\"", "neither a force nor a moment", "\"moment\"", false},
    {"\"type\": \"force\", \"at\": \"ground\", \"force\": [1, 0, 0]", "acts on the ground",
     "name a body", false},
    {"\"type\": \"drag\", \"at\": \"ground\", \"coefficient\": 1, \"area\": 1",
     "acts on the ground", "name a body", false},
    {"\"type\": \"coordinate_spring\", " ON_AXLE ", \"damping\": -1", "0 or greater", "", false},
    {"\"type\": \"coordinate_spring\", \"coordinate\": \"axle.angel\", \"stiffness\": 1",
     "no joint coordinate \"axle.angel\"", "axle.angle", false},
    {"\"type\": \"coordinate_force\", " ON_AXLE, "is missing", "function of t", false},
    {"\"type\": \"actuator\", " ON_AXLE ", \"target\": 1, \"kp\": 1, \"limit\": 0",
     "greater than 0", "", false},
    {"\"type\": \"friction\", " ON_AXLE ", \"coulomb\": 2, \"static\": 1", "less static",
     "at least \"coulomb\"", false},
    {"\"type\": \"stop\", " ON_AXLE ", \"stiffness\": 1", "no limit", "\"lower\"", false},
    {"\"type\": \"stop\", " ON_AXLE ", \"stiffness\": 1, \"lower\": 1, \"upper\": -1", "no room",
     "less than", false},
    {"\"type\": \"stop\", " ON_AXLE ", \"stiffness\": 1, \"upper\": 1, \"exponent\": 0.5",
     "exponent 0.5", "1 or greater", false},
    {"\"type\": \"contact\", \"a\": \"ground\", \"b\": \"rotor\", \"radius\": 1, \"stiffness\": 1,"
     " \"exponent\": 0.5",
     "exponent 0.5", "1 or greater", false},
    {"\"type\": \"drive\", " ON_AXLE, "is missing", "function of t", true},
    {"\"type\": \"drive\", \"coordinate\": \"x.angle\", \"motion\": \"t\"",
     "no joint coordinate \"x.angle\"", "axle.angle", true},
};

static void wrong_use_is_explained(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
    const misuse *m = &misuses[i];
    char element[400], text[1500];
    snprintf(element, sizeof element, "%s{\"name\": \"x\", %s}", m->joint ? ", " : "", m->element);
    snprintf(text, sizeof text, ROTOR("", "%s", "%s"), m->joint ? element : "",
             m->joint ? "" : element);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status) support_close(&world);
    const char *const path = m->joint ? "joints[1]" : "forces[0]";
    if (status == TORSOR_SCENE && strstr(error.message, m->message) &&
        strstr(error.hint, m->hint) && !strncmp(error.path, path, strlen(path)))
      continue;
    ++wrong;
    print_error("%s\n  %s: %s: %s (%s)\n", m->element, torsor_status_name(status), error.path,
                error.message, error.hint);
  }
  print_message("  %zu kinds of wrong use, %d with a wrong answer\n",
                sizeof misuses / sizeof *misuses, wrong);
  CHECK_INT(wrong, 0);
}

/* A spring whose ends meet, and a bushing turned too far, stop the run and are named. */
static void domains_are_named(void **state) {
  (void)state;
  static const char *const texts[] = {
      SCENE(BODY("mass", ", \"position\": [1, 0, 0], \"velocity\": [-1, 0, 0]"), "",
            "{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\":"
            " \"mass\"}"),
      SCENE(BODY("mass", ", \"angular_velocity\": [0, 0, 2]"), "",
            "{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"mass\","
            " \"stiffness\": [1, 1, 1]}")};
  static const char *const named[] = {"evaluation of spring_damper \"spring\"",
                                      "evaluation of bushing \"mount\""};
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
    support_trace_release(&trace);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_bodies),       cmocka_unit_test(lever_of_a_force),
      cmocka_unit_test(spring_between_bodies),  cmocka_unit_test(ball_bounces),
      cmocka_unit_test(sliding_ball_rolls),     cmocka_unit_test(other_tangents),
      cmocka_unit_test(wrong_use_is_explained), cmocka_unit_test(domains_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
