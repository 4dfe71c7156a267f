/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Angles of any sequence, the angle between two directions, and reactions in the axes of markers.
 */
#include <stdio.h>
#include <string.h>

#include <torsor/joint.h>

#include "assembly/assembly_private.h"
#include "check.h"
#include "closed.h"

static const char *const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                        "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

/* ---- what is measured ------------------------------------------------------------------------ */

/* A body of the orientation {"euler", "angles"}, seen by sensors of a sequence and of an axis. */
static void open_turned(support_world *world, const char *sequence, const double angle[3]) {
  char text[900];
  torsor_error error = {0};
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1,"
           " \"inertia\": [1, 1, 1], \"orientation\": {\"euler\": \"%s\", \"angles\": [%.17g, "
           "%.17g, %.17g]}}], \"joints\": [{\"name\": \"s\", \"type\": \"orientation_sensor\","
           " \"sequence\": \"%s\", \"a\": \"ground\", \"b\": \"b\"}, {\"name\": \"n\", \"type\":"
           " \"axis_sensor\", \"axis_a\": [0.6, 0, 0.8], \"axis_b\": [0, 1, 0], \"a\": \"ground\","
           " \"b\": \"b\"}]}",
           sequence, angle[0], angle[1], angle[2], sequence);
  const torsor_status status = support_open(world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static const torsor_joint *joint_of(const support_world *world, int element) {
  return world->model->element[element].instance;
}

static torsor_relative_in start_of(const torsor_joint *joint) {
  return (torsor_relative_in){.R = m3_tmul(joint->a.R0, joint->b.R0)};
}

static torsor_coordinate_out measure(const torsor_joint *joint, int index, v3 turn) {
  torsor_relative_in at = start_of(joint);
  torsor_coordinate_out out = {.second = true};
  at.R = m3_mul(at.R, so3_rodrigues(turn));
  joint->coordinate(joint, index, &at, &out);
  return out;
}

/* The angles are those by which the body was turned: rounding of a rotation of size 1, and of an
 * inverse function whose slope is 1/sin of what the second angle keeps from its ends, 0.2 rad. */
static void angles_come_back(void **state) {
  (void)state;
  const double bound = 64 * CHECK_EPS / sin(0.2);
  double worst = 0;
  check_rng rng = {7};
  for (size_t k = 0; k < sizeof sequences / sizeof *sequences; ++k)
    for (int n = 0; n < 20; ++n) {
      const bool again = sequences[k][0] == sequences[k][2];
      const double second = check_uniform(&rng, 0.2, PI - 0.2) - (again ? 0 : PI / 2);
      const double angle[3] = {check_uniform(&rng, -3, 3), second, check_uniform(&rng, -3, 3)};
      support_world world;
      open_turned(&world, sequences[k], angle);
      for (int i = 0; i < 3; ++i) {
        const double got = measure(joint_of(&world, 1), i, v3_zero()).value;
        worst = check_max(worst, fabs(got - angle[i]));
      }
      support_close(&world);
    }
  check_report("angles of all sequences, rad", worst, bound);
  CHECK_LE(worst, bound);
}

/* Differences of order 2 with the step 1e-5: rounding eps/h, and h^2 times third derivatives, which
 * 0.2 rad from an end are up to 2/sin^3(0.2) = 255. */
static double slope_error(const torsor_joint *joint, int index) {
  const double h = 1e-5;
  const torsor_coordinate_out at = measure(joint, index, v3_zero());
  double worst = 0;
  for (int k = 0; k < 3; ++k) {
    v3 turn[2] = {v3_zero(), v3_zero()};
    ((double *)&turn[0])[k] = h;
    ((double *)&turn[1])[k] = -h;
    const torsor_coordinate_out up = measure(joint, index, turn[0]),
                                down = measure(joint, index, turn[1]);
    worst = check_max(worst, fabs((up.value - down.value) / (2 * h) - at.J[3 + k]));
    for (int j = 0; j < 3; ++j)
      worst = check_max(worst, fabs((up.J[3 + j] - down.J[3 + j]) / (2 * h) - at.K[3 + j][3 + k]));
  }
  return worst;
}

static void derivatives_are_those_of_the_angles(void **state) {
  (void)state;
  const double bound = 1e-10 * 255 + 255 * CHECK_EPS / 1e-5;
  double worst = 0;
  check_rng rng = {8};
  for (size_t k = 0; k < sizeof sequences / sizeof *sequences; ++k)
    for (int n = 0; n < 5; ++n) {
      const bool again = sequences[k][0] == sequences[k][2];
      const double angle[3] = {check_uniform(&rng, -2, 2),
                               check_uniform(&rng, 0.4, PI - 0.4) - (again ? 0 : PI / 2),
                               check_uniform(&rng, -2, 2)};
      support_world world;
      open_turned(&world, sequences[k], angle);
      for (int i = 0; i < 3; ++i) worst = check_max(worst, slope_error(joint_of(&world, 1), i));
      const double apart = measure(joint_of(&world, 2), 0, v3_zero()).value;
      if (fabs(apart - PI / 2) < PI / 2 - 0.4)
        worst = check_max(worst, slope_error(joint_of(&world, 2), 0));
      support_close(&world);
    }
  check_report("derivatives of the angles", worst, bound);
  CHECK_LE(worst, bound);
}

/* Where the first and the last axis are parallel the sum of the outer angles (the difference, of an
 * odd order of different axes) is what it was, and nothing is NaN.  The second angle is within
 * sqrt(eps) of its end: its cosine, or sine, is exact to eps. */
static void ends_of_the_second_angle(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof sequences / sizeof *sequences; ++k) {
    const bool again = sequences[k][0] == sequences[k][2];
    const double angle[3] = {0.7, again ? 0 : PI / 2, 0.4};
    support_world world;
    open_turned(&world, sequences[k], angle);
    torsor_coordinate_out c[3];
    for (int i = 0; i < 3; ++i) {
      c[i] = measure(joint_of(&world, 1), i, v3_zero());
      for (int j = 0; j < 6; ++j) CHECK_TRUE(isfinite(c[i].J[j]));
    }
    CHECK_LE(fabs(c[1].value - angle[1]), 4 * sqrt(CHECK_EPS));
    const bool cyclic = (sequences[k][1] - sequences[k][0] + 3) % 3 == 1;
    const double sign = again || cyclic ? 1 : -1;
    CHECK_LE(fabs(remainder(c[0].value + sign * c[2].value - (0.7 + sign * 0.4), 2 * PI)),
             8 * sqrt(CHECK_EPS));
    support_close(&world);
  }
}

/* ---- motions --------------------------------------------------------------------------------- */

/* A symmetric top without moment, about z as its momentum: J1 = 0.2, J3 = 0.3, tilted by 0.5.  It
 * precesses by H/J1, keeps its tilt, and spins by H cos(0.5) (1/J3 - 1/J1); H = 2 N m s. */
#define TILT      0.5
#define PRECESSES (2 / 0.2)
#define SPINS     (2 * cos(TILT) * (1 / 0.3 - 1 / 0.2))

static double first(double t) {
  return PRECESSES * t;
}
static double second(double t) {
  (void)t;
  return TILT;
}
static double third(double t) {
  return SPINS * t;
}
static double precession(double t) {
  (void)t;
  return PRECESSES;
}

static const char top[] =
    "{\"torsor\": 1, \"parameters\": {\"w\": \"2/0.2*sin(0.5)\"}, \"bodies\": [{\"name\": \"top\","
    " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.2, 0.2, 0.3], \"orientation\":"
    " {\"euler\": \"zxz\", \"angles\": [0, 0.5, 0]}, \"angular_velocity\": [0, \"w\","
    " \"2*cos(0.5)/0.3\"]}], \"joints\": [{\"name\": \"e\", \"type\": \"orientation_sensor\","
    " \"sequence\": \"zxz\", \"a\": \"ground\", \"b\": \"top\"}, {\"name\": \"tilt\", \"type\":"
    " \"axis_sensor\", \"a\": \"ground\", \"b\": \"top\"}, {\"name\": \"own\", \"type\":"
    " \"orientation_sensor\", \"sequence\": \"zxz\", \"a\": \"top\", \"b\": \"ground\"}]}";

/* Both outer angles count their turns: 10 s are 16 turns.  The sensor that looks from the top has
 * the angles of the inverse rotation, the last one first, and its middle one turned round. */
static void turns_are_counted(void **state) {
  (void)state;
  static const closed_case cases[] = {{"angle_1 of the top", top, "e.angle_1", first, 0.01, 10},
                                      {"angle_2 of the top", top, "e.angle_2", second, 0.01, 10},
                                      {"angle_3 of the top", top, "e.angle_3", third, 0.01, 10},
                                      {"rate_1 of the top", top, "e.rate_1", precession, 0.01, 10},
                                      {"tilt of the top", top, "tilt.angle", second, 0.01, 10}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const closed_case *c = &cases[i];
    const char *const signals[] = {c->signal, NULL};
    double off[2];
    for (int half = 0; half < 2; ++half) {
      support_trace trace =
          closed_run(c->text, signals, closed_groups[i % 2], half ? c->h / 2 : c->h, c->duration);
      off[half] = closed_off(&trace, 1, c->exact);
      support_trace_release(&trace);
    }
    /* A mean error of order 2 of a rotation of 100 rad at w h = 0.1: (w h)^2/12 of it, 0.1 rad. */
    check_report(c->title, off[0], 0.1);
    CHECK_LE(off[0], 0.1);
    CHECK_LE(off[1], off[0] / 3.5 + 1e-9);
  }
}

/* ---- reactions in the axes of markers -------------------------------------------------------- */

static const char swing[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"u\", \"type\":"
    " \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3], \"angular_velocity\": [0.5, 1, 2],"
    " \"orientation\": {\"rotation_vector\": [0.2, 0.5, -0.4]}}, {\"name\": \"l\", \"type\":"
    " \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"position\": [1, 0, 0]}],"
    " \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"a\": {\"body\": \"ground\","
    " \"orientation\": {\"euler\": \"xyz\", \"angles\": [0.1, 0.2, 0.3]}}, \"b\": \"u\"},"
    " {\"name\": \"hinge\", \"type\": \"revolute\", \"a\": {\"body\": \"u\", \"orientation\":"
    " {\"rotation_vector\": [0, 0, 1]}, \"position\": [0.3, 0, 0]}, \"b\": {\"body\": \"l\","
    " \"orientation\": {\"rotation_vector\": [1, 0.2, 0]}}}], \"placement\": \"guess\"}";

static so3 quaternion_at(const double *row, int column) {
  return (so3){row[column], row[column + 1], row[column + 2], row[column + 3]};
}

/* The same vectors, turned by hand: rounding of forces of some 100 N. */
static void reactions_in_marker_axes(void **state) {
  (void)state;
  static const char *const signals[] = {
      "u.quaternion", "l.quaternion",   "hinge.force", "hinge.force_a", "hinge.force_b",
      "hinge.moment", "hinge.moment_b", "ball.force",  "ball.force_a",  NULL};
  const so3 on_u = so3_exp((v3){0, 0, 1}), on_l = so3_exp((v3){1, 0.2, 0});
  const so3 on_ground = so3_compose(so3_compose(so3_exp((v3){0.1, 0, 0}), so3_exp((v3){0, 0.2, 0})),
                                    so3_exp((v3){0, 0, 0.3}));
  for (int group = 0; group < 2; ++group) {
    support_trace trace = closed_run(swing, signals, closed_groups[group], 0.01, 1);
    double worst = 0, size = 0;
    for (int i = 0; i < trace.rows; ++i) {
      const double *row = support_row(&trace, i);
      const so3 u = quaternion_at(row, 1), l = quaternion_at(row, 5);
      const so3 turn[4] = {so3_compose(u, on_u), so3_compose(l, on_l), so3_compose(l, on_l),
                           on_ground};
      static const int from[4] = {9, 9, 18, 24}, to[4] = {12, 15, 21, 27};
      for (int k = 0; k < 4; ++k) {
        const v3 expected = m3_tmulv(so3_matrix(turn[k]), v3_load(row + from[k]));
        worst = check_max(worst, v3_norm(v3_sub(expected, v3_load(row + to[k]))));
        size = check_max(size, v3_norm(expected));
      }
    }
    check_report("vectors in marker axes", worst, 64 * CHECK_EPS * size);
    CHECK_LE(worst, 64 * CHECK_EPS * size);
    CHECK_TRUE(size > 1);
    support_trace_release(&trace);
  }
}

/* ---- wrong uses ------------------------------------------------------------------------------ */

static void wrong_uses(void **state) {
  (void)state;
  static const struct {
    const char *joints, *path, *message;
  } cases[] = {
      {"{\"name\": \"s\", \"type\": \"orientation_sensor\", \"sequence\": \"zyy\", \"a\":"
       " \"ground\", \"b\": \"b\"}",
       "joints[0].sequence", "\"zyy\""},
      {"{\"name\": \"s\", \"type\": \"orientation_sensor\", \"a\": \"ground\", \"b\": \"p\"}",
       "joints[0].b", "orientation"},
      {"{\"name\": \"s\", \"type\": \"axis_sensor\", \"axis_b\": [0, 0, 0], \"a\": \"ground\","
       " \"b\": \"b\"}",
       "joints[0].axis_b", "zero"},
      {"{\"name\": \"s\", \"type\": \"axis_sensor\", \"axis\": [0, 0, 1], \"a\": \"ground\", "
       "\"b\": \"b\"}",
       "joints[0].axis", "axis"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[600];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1,"
             " \"inertia\": [1, 1, 1]}, {\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 1}],"
             " \"joints\": [%s]}",
             cases[i].joints);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    CHECK_STR(error.path, cases[i].path);
    if (!strstr(error.message, cases[i].message)) print_error("%s\n", error.message);
    CHECK_TRUE(strstr(error.message, cases[i].message) != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles_come_back),
      cmocka_unit_test(derivatives_are_those_of_the_angles),
      cmocka_unit_test(ends_of_the_second_angle),
      cmocka_unit_test(turns_are_counted),
      cmocka_unit_test(reactions_in_marker_axes),
      cmocka_unit_test(wrong_uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
