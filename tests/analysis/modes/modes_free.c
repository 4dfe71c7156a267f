/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free motions are not unstable, whatever their orientation, size and group; slowly growing ones
 * are. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "modes_kit.h"
#include "support.h"

static const torsor_modes_settings ten = TORSOR_MODES_SETTINGS_INIT;
static const torsor_modes_settings moving = {
    .size = sizeof(torsor_modes_settings), .count = 6, .fewer = true};

enum { TEXT = 4000, TRIALS = 60 };

/* A scene that is turned and resized: R turns the whole, Q the axes of the body in it. */
typedef struct trial {
  so3 R, Q;
  double size, mass, stiffness;
  const char *group;
} trial;

static so3 any_rotation(check_rng *rng) {
  v3 axis = {check_uniform(rng, -1, 1), check_uniform(rng, -1, 1), check_uniform(rng, -1, 1)};
  return so3_exp(v3_scale(axis, 2));
}

static trial any_trial(check_rng *rng, int i) {
  return (trial){.R = any_rotation(rng),
                 .Q = any_rotation(rng),
                 .size = pow(10, check_uniform(rng, -2, 2)),
                 .mass = pow(10, check_uniform(rng, -3, 3)),
                 .stiffness = pow(10, check_uniform(rng, -1, 6)),
                 .group = i % 2 ? "SE3" : "R3xSO3"};
}

static const char *vector_text(char *out, v3 x) {
  snprintf(out, 100, "[%.17g, %.17g, %.17g]", x.x, x.y, x.z);
  return out;
}

/* A rod along R e1, whose body axes are turned by Q^T against that: its thin inertia is about Q
 * e1. */
static void write_rod(char *out, const trial *t, const char *more) {
  const so3 B = so3_compose(t->R, so3_inverse(t->Q));
  const m3 Q = so3_matrix(t->Q);
  const double J = t->mass * t->size * t->size / 12;
  m3 I = m3_mul(m3_mul(Q, m3_diagonal((v3){J / 100, J, J})), m3_transpose(Q));
  char at[100], rotation[100];
  vector_text(at, so3_rotate(t->R, (v3){0.7 * t->size, 0.3 * t->size, -0.2 * t->size}));
  snprintf(out, TEXT,
           "{\"torsor\": 1, \"group\": \"%s\", %s \"bodies\": [{\"name\": \"rod\", \"type\": "
           "\"rigid_body\", "
           "\"mass\": %.17g, \"inertia\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, "
           "%.17g, %.17g]], "
           "\"position\": %s, \"orientation\": {\"rotation_vector\": %s}",
           t->group, more, t->mass, I.m[0][0], I.m[0][1], I.m[0][2], I.m[0][1], I.m[1][1],
           I.m[1][2], I.m[0][2], I.m[1][2], I.m[2][2], at, vector_text(rotation, so3_log(B)));
}

/* Places on the ground and on the rod of its point at `part` of its half length along the axis. */
static void places(char *ground, char *rod, const trial *t, double part) {
  const v3 along = {part * t->size / 2, 0, 0};
  const v3 at = v3_add((v3){0.7 * t->size, 0.3 * t->size, -0.2 * t->size}, along);
  vector_text(ground, so3_rotate(t->R, at));
  vector_text(rod, so3_rotate(t->Q, along));
}

static bool any_unstable(const torsor_modes *m) {
  bool unstable = false;
  for (int i = 0; i < m->count; ++i) unstable |= m->mode[i].unstable;
  return unstable;
}

static int count_rigid(const torsor_modes *m) {
  int count = 0;
  for (int i = 0; i < m->count; ++i) count += m->mode[i].kind == TORSOR_MODE_RIGID;
  return count;
}

/* On two points the rod spins freely: the eigenvalue 0, twice, of which there is one shape. */
static void rod_on_two_points(void **state) {
  (void)state;
  check_rng rng = {3};
  for (int i = 0; i < TRIALS; ++i) {
    const trial t = any_trial(&rng, i);
    const double damping = i % 3 ? 0 : 0.01 * sqrt(t.stiffness * t.mass);
    char text[TEXT], ground[2][100], rod[2][100], frame[100];
    places(ground[0], rod[0], &t, -1);
    places(ground[1], rod[1], &t, 1);
    write_rod(text, &t, "");
    vector_text(frame, so3_log(so3_compose(t.Q, so3_inverse(t.R))));
    snprintf(text + strlen(text), TEXT - strlen(text),
             "}], \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"a\": {\"body\": "
             "\"ground\", "
             "\"position\": %s}, \"b\": {\"body\": \"rod\", \"position\": %s}}], \"forces\": "
             "[{\"name\": \"k\", "
             "\"type\": \"bushing\", \"a\": {\"body\": \"ground\", \"position\": %s}, \"b\": "
             "{\"body\": \"rod\", "
             "\"position\": %s, \"orientation\": {\"rotation_vector\": %s}}, \"stiffness\": "
             "[%.17g, %.17g, %.17g], "
             "\"damping\": [%.17g, %.17g, %.17g]}]}",
             ground[0], rod[0], ground[1], rod[1], frame, t.stiffness, t.stiffness, t.stiffness,
             damping, damping, damping);
    torsor_modes *m = modes_of(text, NULL, &ten);
    CHECK_FALSE(any_unstable(m));
    CHECK_INT(count_rigid(m), 1);
    CHECK_INT(m->zeros, 2);
    torsor_modes_destroy(m);
  }
}

/* Free in space: six shapes of the eigenvalue 0, each twice. */
static void free_rod(void **state) {
  (void)state;
  check_rng rng = {5};
  for (int i = 0; i < TRIALS; ++i) {
    const trial t = any_trial(&rng, i);
    char text[TEXT];
    write_rod(text, &t, "");
    strcat(text, "}]}");
    torsor_modes *m = modes_of(text, NULL, &ten);
    CHECK_FALSE(any_unstable(m));
    CHECK_INT(count_rigid(m), 6);
    CHECK_INT(m->zeros, 12);
    torsor_modes_destroy(m);
  }
}

/* A rod that spins about its own axis, and drifts: nutation at (J_1/J - 1) w in body axes, all else
 * is free.  One that spins about its axis of the middle inertia tumbles: growth w sqrt((J_3 -
 * J_2)(J_2 - J_1)/(J_1 J_3)) (Euler's equations). */
static void spinning_rod(void **state) {
  (void)state;
  check_rng rng = {7};
  for (int i = 0; i < TRIALS; ++i) {
    const trial t = any_trial(&rng, i);
    const double rate = pow(10, check_uniform(&rng, -2, 2));
    char text[TEXT], spin[100];
    write_rod(text, &t, "");
    snprintf(text + strlen(text), TEXT - strlen(text), ", \"angular_velocity\": %s}]}",
             vector_text(spin, so3_rotate(t.Q, (v3){rate, 0, 0})));
    torsor_modes *m = modes_of(text, NULL, &moving);
    CHECK_FALSE(any_unstable(m));
    torsor_modes_destroy(m);
  }
  static const char tumbling[] = "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": "
                                 "\"rigid_body\", \"mass\": 1, \"inertia\": [1, "
                                 "1.00001, 2], \"angular_velocity\": [0, 3, 0]}]}";
  torsor_modes *m = modes_of(tumbling, NULL, &moving);
  const double growth = 3 * sqrt((2 - 1.00001) * 1e-5 / 2);
  bool found = false;
  for (int i = 0; i < m->count; ++i)
    found |= m->mode[i].unstable && fabs(m->mode[i].re - growth) < 1e-6 * growth;
  CHECK_TRUE(found);
  torsor_modes_destroy(m);
}

/* A rod that stands on a pin, held by a spring of less or more than m g l by one part in 1e8: it
 * falls, or swings, at sqrt(1e-8 m g l/(J + m l^2)); beside that torque some ten roundings of m g l
 * are parts of 1e-7, and half of that of the rate. */
static void rod_that_stands(void **state) {
  (void)state;
  check_rng rng = {11};
  double worst = 0;
  for (int i = 0; i < TRIALS; ++i) {
    const trial t = any_trial(&rng, i);
    const double lack = i % 4 < 2 ? 1e-8 : -1e-8, g = 9.81, l = t.size / 2;
    char text[TEXT], gravity[140], vector[100], ground[100], rod[100], axis[100], frame[100];
    snprintf(gravity, sizeof gravity, "\"gravity\": %s,",
             vector_text(vector, so3_rotate(t.R, (v3){-g, 0, 0})));
    places(ground, rod, &t, -1);
    write_rod(text, &t, gravity);
    vector_text(axis, so3_rotate(t.Q, (v3){0, 1, 0}));
    vector_text(frame, so3_log(so3_compose(t.R, so3_inverse(t.Q))));
    snprintf(text + strlen(text), TEXT - strlen(text),
             "}], \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"axis\": %s, \"a\": "
             "{\"body\": "
             "\"ground\", \"position\": %s, \"orientation\": {\"rotation_vector\": %s}}, \"b\": "
             "{\"body\": \"rod\", "
             "\"position\": %s}}], \"forces\": [{\"name\": \"c\", \"type\": \"coordinate_spring\", "
             "\"coordinate\": "
             "\"pin.angle\", \"stiffness\": %.17g}]}",
             axis, ground, frame, rod, t.mass * g * l * (1 - lack));
    torsor_modes *m = modes_of(text, NULL, &ten);
    CHECK_INT(any_unstable(m), lack > 0);
    const double J = t.mass * t.size * t.size / 12 + t.mass * l * l;
    const double rate = sqrt(1e-8 * t.mass * g * l / J);
    worst = check_max(worst, fabs(modes_omega(m, 0) / rate - 1));
    torsor_modes_destroy(m);
  }
  check_report("rate of a rod that falls slowly", worst, 1e-6);
  CHECK_LE(worst, 1e-6);
}

/* Ziegler's column: two bars of length 1 with masses 2 and 1 at their ends, joints of stiffness 1,
 * a force that follows the second.  It flutters above 7/2 - sqrt(2), where two frequencies meet. */
static void column_that_flutters(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"parameters\": {\"P\": 2}, \"bodies\": [{\"name\": \"p\", \"type\": "
      "\"rigid_body\", \"mass\": 2, "
      "\"inertia\": [1e-12, 1e-12, 1e-12], \"position\": [1, 0, 0]}, {\"name\": \"q\", \"type\": "
      "\"rigid_body\", "
      "\"mass\": 1, \"inertia\": [1e-12, 1e-12, 1e-12], \"position\": [2, 0, 0]}], \"joints\": "
      "[{\"name\": \"A\", "
      "\"type\": \"revolute\", \"a\": \"ground\", \"b\": {\"body\": \"p\", \"position\": [-1, 0, "
      "0]}}, {\"name\": "
      "\"B\", \"type\": \"revolute\", \"a\": \"p\", \"b\": {\"body\": \"q\", \"position\": [-1, 0, "
      "0]}}], \"forces\": "
      "[{\"name\": \"a\", \"type\": \"coordinate_spring\", \"coordinate\": \"A.angle\", "
      "\"stiffness\": 1}, {\"name\": "
      "\"b\", \"type\": \"coordinate_spring\", \"coordinate\": \"B.angle\", \"stiffness\": 1}, "
      "{\"name\": \"P\", "
      "\"type\": \"force\", \"at\": \"q\", \"force\": [\"-P\", 0, 0], \"axes\": \"body\"}]}";
  static const double off[] = {-1e-2, -1e-6, -1e-9, 1e-6, 1e-2};
  for (int i = 0; i < 5; ++i) {
    char P[60];
    snprintf(P, sizeof P, "parameters.P=%.17g", (3.5 - sqrt(2)) * (1 + off[i]));
    const char *const set[] = {P, NULL};
    torsor_modes *m = modes_of(text, set, &ten);
    CHECK_INT(any_unstable(m), off[i] > 0);
    torsor_modes_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_on_two_points),    cmocka_unit_test(free_rod),
      cmocka_unit_test(spinning_rod),         cmocka_unit_test(rod_that_stands),
      cmocka_unit_test(column_that_flutters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
