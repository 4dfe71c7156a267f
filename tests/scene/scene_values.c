/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

/* A force that has every kind of parameter and keeps what it was given. */
typedef struct probe {
  double number, optional;
  int integer, choice, absent_choice, absent_integer;
  bool boolean;
  v3 vector, direction, absent_vector;
  m3 inertia, absent_inertia;
  so3 orientation, absent_orientation;
  torsor_angular_velocity spin, absent_spin;
  torsor_group group;
  torsor_marker marker;
} probe;

static probe kept;

static const char *const choices[] = {"red", "green", NULL};

#define PARAM(key, kind, fallback, conditions)                                                     \
  {                                                                                                \
#key, TORSOR_PARAM_##kind, offsetof(probe, key), NULL, fallback, "doc of " #key, choices,      \
        conditions                                                                                 \
  }

static const torsor_param params[] = {
    PARAM(number, NUMBER, "\"2*3\"", 0),
    PARAM(optional, NUMBER, TORSOR_OPTIONAL, TORSOR_NONNEGATIVE),
    PARAM(integer, INTEGER, "3", TORSOR_NONNEGATIVE),
    PARAM(choice, CHOICE, "\"green\"", 0),
    PARAM(absent_choice, CHOICE, TORSOR_OPTIONAL, 0),
    PARAM(absent_integer, INTEGER, TORSOR_OPTIONAL, TORSOR_POSITIVE),
    PARAM(boolean, BOOLEAN, "true", 0),
    PARAM(vector, VECTOR, "[1, 2, 3]", 0),
    PARAM(direction, DIRECTION, "[0, 3, 4]", 0),
    PARAM(absent_vector, VECTOR, TORSOR_OPTIONAL, 0),
    PARAM(inertia, INERTIA, "[1, 1, 1]", 0),
    PARAM(absent_inertia, INERTIA, TORSOR_OPTIONAL, 0),
    PARAM(orientation, ORIENTATION, "{\"quaternion\": [1, 0, 0, 0]}", 0),
    PARAM(absent_orientation, ORIENTATION, TORSOR_OPTIONAL, 0),
    PARAM(spin, ANGULAR_VELOCITY, "[0, 0, 0]", 0),
    PARAM(absent_spin, ANGULAR_VELOCITY, TORSOR_OPTIONAL, 0),
    PARAM(group, GROUP, TORSOR_OPTIONAL, 0),
    PARAM(marker, MARKER, "\"ground\"", 0),
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  kept = *(const probe *)self;
  setup->nodes = 0;
  if (kept.number != 1313) return TORSOR_OK;
  snprintf(error->path, sizeof error->path, "number");
  return torsor_fail(error, TORSOR_SCENE, "1313 brings bad luck");
}

static const torsor_element_type probe_type = PROBE_TYPE(probe, params, prepare);

/* Build a scene whose only force is a probe with the members `values`. */
static torsor_status build(const char *values, const char *top, torsor_error *error) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, %s \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1], \"position\": [1, 2, 3], "
      "\"orientation\": {\"euler\": \"zyx\", \"angles\": [\"pi/2\", 0, 0]}}], "
      "\"forces\": [{\"name\": \"p\", \"type\": \"probe\"%s%s}]}",
      top, *values ? ", " : "", values);
  torsor_registry *registry = torsor_registry_create(error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_status status = torsor_registry_add(registry, &probe_type, error);
  if (!status)
    status = torsor_scene_parse(&scene, text, strlen(text), "probe", registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, scene, error);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status;
}

static void build_good(const char *values, const char *top) {
  torsor_error error = {0};
  const torsor_status status = build(values, top, &error);
  if (status) print_error("%s %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static void check_vector(v3 v, double x, double y, double z, double tolerance) {
  CHECK_NEAR(v.x, x, tolerance);
  CHECK_NEAR(v.y, y, tolerance);
  CHECK_NEAR(v.z, z, tolerance);
}

static void defaults(void **state) {
  (void)state;
  build_good("", "");
  CHECK_NEAR(kept.number, 6, 0);
  CHECK_TRUE(torsor_absent_number(kept.optional));
  CHECK_INT(kept.integer, 3);
  CHECK_INT(kept.choice, 1);
  CHECK_INT(kept.absent_choice, -1);
  CHECK_INT(kept.absent_integer, -1);
  CHECK_TRUE(kept.boolean);
  check_vector(kept.vector, 1, 2, 3, 0);
  check_vector(kept.direction, 0, 0.6, 0.8, 2 * CHECK_EPS);
  CHECK_TRUE(torsor_absent_vector(kept.absent_vector));
  CHECK_NEAR(kept.inertia.m[1][1], 1, 0);
  CHECK_TRUE(torsor_absent_number(kept.absent_inertia.m[0][0]));
  CHECK_NEAR(kept.orientation.w, 1, 0);
  CHECK_TRUE(torsor_absent_number(kept.absent_orientation.w));
  CHECK_FALSE(kept.spin.in_inertial);
  CHECK_TRUE(torsor_absent_vector(kept.absent_spin.value));
  CHECK_INT(kept.group, TORSOR_GROUP_R3SO3);
  CHECK_INT(kept.marker.node, TORSOR_GROUND);
}

static void given(void **state) {
  (void)state;
  build_good("\"number\": -1e-3, \"optional\": 0, \"integer\": \"2^3\", \"choice\": \"red\", "
             "\"boolean\": false, \"vector\": [\"m\", \"-m\", 0.1], \"direction\": [0, 0, -1e200], "
             "\"group\": \"SO3\", \"spin\": {\"in\": \"inertial\", \"value\": [1, 2, 3]}, "
             "\"comment\": 3, \"_any\": {}",
             "\"parameters\": {\"k\": \"2*m\", \"m\": \"n + 1\", \"n\": 4},");
  CHECK_NEAR(kept.number, -1e-3, 0);
  CHECK_NEAR(kept.optional, 0, 0);
  CHECK_INT(kept.integer, 8);
  CHECK_INT(kept.choice, 0);
  CHECK_FALSE(kept.boolean);
  check_vector(kept.vector, 5, -5, 0.1, 0);
  check_vector(kept.direction, 0, 0, -1, 0);
  CHECK_INT(kept.group, TORSOR_GROUP_SO3);
  CHECK_TRUE(kept.spin.in_inertial);
  check_vector(kept.spin.value, 1, 2, 3, 0);
}

static void group_of_the_scene(void **state) {
  (void)state;
  build_good("", "\"group\": \"SE3\",");
  CHECK_INT(kept.group, TORSOR_GROUP_SE3);
}

static void expressions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"pi", 3.14159265358979323846},
      {"e", 2.71828182845904523536},
      {" 1 + 2*3 ", 7},
      {"-2^2", -4},
      {"2^3^2", 512},
      {"(1+2)*3", 9},
      {"1e-3", 1e-3},
      {"1E3", 1000},
      {".5", 0.5},
      {"5.", 5},
      {"0.1", 0.1},
      {"k < 2 ? 3 : 4", 4},
      {"k == 2 && 1 != 2", 1},
      {"sqrt(k*2)", 2},
      {"atan2(1, 1)*4", 3.14159265358979323846},
      {"max(1, k, 3) + min(1, k)", 4},
      {"sum(1, 2, 3) + avg(1, 3)", 8},
      {"e1 + 2*e1", 9},
      {"1e1+e1", 13},
      {"log(e)", 1},
      {"ln(e)", 1},
      {"log10(1000)", 3},
      {"log2(8)", 3},
      {"abs(-3) + sign(-2) + rint(2.4)", 4},
      {"sin(pi/2) + cos(0) + tan(0)", 2},
      {"asin(1)*2", 3.14159265358979323846},
      {"acos(0)*2", 3.14159265358979323846},
      {"atan(1)*4", 3.14159265358979323846},
      {"sinh(0) + cosh(0) + tanh(0)", 1},
      {"asinh(0) + acosh(1) + atanh(0)", 0},
      {"exp(0)", 1},
      {"k", 2},
      {"+k", 2},
      {"1\\n+ 2", 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char values[96];
    snprintf(values, sizeof values, "\"number\": \"%s\"", cases[i].text);
    build_good(values, "\"parameters\": {\"k\": 2, \"e1\": 3},");
    /* A few roundings of the library's functions. */
    CHECK_NEAR(kept.number, cases[i].value, 4 * CHECK_EPS * fabs(cases[i].value));
  }
}

/* Rotations about single axes, as matrices. */
static m3 turn(char axis, double angle) {
  const double c = cos(angle), s = sin(angle);
  if (axis == 'x') return (m3){{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  if (axis == 'y') return (m3){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  return (m3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

static double difference(m3 A, m3 B) {
  double largest = 0;
  for (int i = 0; i < 9; ++i) largest = fmax(largest, fabs(A.m[i / 3][i % 3] - B.m[i / 3][i % 3]));
  return largest;
}

static void euler_sequences(void **state) {
  (void)state;
  static const char axes[] = "xyz";
  const double angle[3] = {0.3, -1.1, 2.5};
  double worst = 0;
  int sequences = 0;
  for (int code = 0; code < 27; ++code) {
    const char word[4] = {axes[code / 9], axes[code / 3 % 3], axes[code % 3], '\0'};
    if (word[0] == word[1] || word[1] == word[2]) continue;
    char values[128];
    snprintf(values, sizeof values,
             "\"orientation\": {\"euler\": \"%s\", \"angles\": [0.3, -1.1, 2.5]}", word);
    build_good(values, "");
    m3 R = m3_identity();
    for (int i = 0; i < 3; ++i) R = m3_mul(R, turn(word[i], angle[i]));
    worst = fmax(worst, difference(so3_matrix(kept.orientation), R));
    ++sequences;
  }
  CHECK_INT(sequences, 12);
  check_report("Euler angles, 12 sequences", worst, 8 * CHECK_EPS);
  CHECK_LE(worst, 8 * CHECK_EPS); /* two products of rotations on either side */
}

static void orientations_agree(void **state) {
  (void)state;
  const m3 wanted = turn('z', 0.5);
  static const char *const forms[] = {
      "{\"rotation_vector\": [0, 0, 0.5]}",
      "{\"quaternion\": [\"cos(0.25)\", 0, 0, \"sin(0.25)\"]}",
      "{\"quaternion\": [\"-cos(0.25)\", 0, 0, \"-sin(0.25)\"]}",
      "{\"euler\": \"zxz\", \"angles\": [0.2, 0, 0.3]}",
      "{\"matrix\": [[\"cos(0.5)\", \"-sin(0.5)\", 0], [\"sin(0.5)\", \"cos(0.5)\", 0], [0,0,1]]}",
      "{\"_note\": 1, \"comment\": \"\", \"rotation_vector\": [0, 0, \"0.5 - 2*pi\"]}",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char values[256];
    snprintf(values, sizeof values, "\"orientation\": %s", forms[i]);
    build_good(values, "");
    CHECK_LE(difference(so3_matrix(kept.orientation), wanted), 8 * CHECK_EPS);
  }
}

static void written_rotations_are_made_exact(void **state) {
  (void)state;
  static const char *const forms[] = {
      "{\"quaternion\": [0.968912, 0, 0, 0.247404]}",
      "{\"matrix\": [[0.877583, -0.479426, 0], [0.479426, 0.877583, 0], [0, 0, 1]]}",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char values[256];
    snprintf(values, sizeof values, "\"orientation\": %s", forms[i]);
    build_good(values, "");
    const so3 q = kept.orientation;
    CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 4 * CHECK_EPS);
    CHECK_LE(difference(so3_matrix(q), turn('z', 0.5)), 2e-6); /* six decimals */
  }
}

static void inertias(void **state) {
  (void)state;
  build_good("\"inertia\": [0.5, 0.5, 1]", ""); /* a disc: equality */
  build_good("\"inertia\": [0.333333, 0.333333, 0.666667]", "");
  build_good("\"inertia\": [1e-300, 1e-300, 1e-300]", "");
  build_good("\"inertia\": [1e300, 1e300, 1e300]", "");
  build_good("\"inertia\": [[1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300]]", "");
  build_good("\"inertia\": [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 3]]", "");
  CHECK_NEAR(kept.inertia.m[0][1], 0.5, 0);
  build_good("\"inertia\": [[2, \"0.1 + 0.2\", 0], [\"0.3\", 2, 0], [0, 0, 3]]", "");
  CHECK_NEAR(kept.inertia.m[0][1], kept.inertia.m[1][0], 0);
  torsor_error error = {0};
  CHECK_INT(build("\"inertia\": [[2, 0.3, 0], [0.30000001, 2, 0], [0, 0, 3]]", "", &error),
            TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "not symmetric");
  CHECK_INT(build("\"inertia\": [0.333, 0.333, 0.667]", "", &error), TORSOR_SCENE);
  CHECK_INT(build("\"inertia\": [[1, 1, 0], [1, 1, 0], [0, 0, 1]]", "", &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "positive definite");
  CHECK_INT(build("\"inertia\": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]", "", &error), TORSOR_SCENE);
}

/* The turned diagonal is found to be the same body. */
static void inertia_is_judged_in_any_frame(void **state) {
  (void)state;
  check_rng rng = {1};
  for (int trial = 0; trial < 100; ++trial) {
    const bool flat = trial % 2;
    const double third = flat ? 3.0001 : 2.9999; /* 1 + 2 = 3 is the border */
    const v3 spin = {check_uniform(&rng, -3, 3), check_uniform(&rng, -3, 3),
                     check_uniform(&rng, -3, 3)};
    const m3 R = so3_matrix(so3_exp(spin));
    const m3 J = m3_mul(m3_mul(R, m3_diagonal((v3){third, 1, 2})), m3_transpose(R));
    char values[512];
    snprintf(values, sizeof values,
             "\"inertia\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]",
             J.m[0][0], J.m[0][1], J.m[0][2], J.m[0][1], J.m[1][1], J.m[1][2], J.m[0][2], J.m[1][2],
             J.m[2][2]);
    torsor_error error = {0};
    CHECK_INT(build(values, "", &error), flat ? TORSOR_SCENE : TORSOR_OK);
  }
}

static void markers(void **state) {
  (void)state;
  build_good("\"marker\": {\"body\": \"b\", \"position\": [1, 0, 0], "
             "\"orientation\": {\"rotation_vector\": [0, 0, \"pi/2\"]}}",
             "");
  CHECK_INT(kept.marker.node, 0);
  check_vector(kept.marker.x, 1, 0, 0, 0);
  check_vector(kept.marker.x0, 1, 3, 3, 8 * CHECK_EPS);
  CHECK_NEAR(kept.marker.R0.m[0][0], -1, 8 * CHECK_EPS);
  build_good("\"marker\": \"b\"", "");
  check_vector(kept.marker.x0, 1, 2, 3, 8 * CHECK_EPS);
  build_good("\"marker\": {\"body\": \"ground\", \"position\": [4, 5, 6]}", "");
  CHECK_INT(kept.marker.node, TORSOR_GROUND);
  check_vector(kept.marker.x0, 4, 5, 6, 0);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *values, *path, *message;
  } cases[] = {
      {"\"number\": 1313", "forces[0].number", "1313 brings bad luck"},
      {"\"optional\": -1", "forces[0].optional", "must be 0 or greater, but is -1"},
      {"\"integer\": -1", "forces[0].integer", "must be at least 0, but is -1"},
      {"\"absent_integer\": 0", "forces[0].absent_integer", "must be at least 1, but is 0"},
      {"\"integer\": 1.5", "forces[0].integer", "must be a whole number, but is 1.5"},
      {"\"integer\": 3e9", "forces[0].integer", "must be a whole number, but is 3000000000"},
      {"\"boolean\": 1", "forces[0].boolean", "must be true or false, but is 1"},
      {"\"choice\": \"blue\"", "forces[0].choice", "must be \"red\" or \"green\", but is \"blue\""},
      {"\"spin\": 3", "forces[0].spin", "must be an array of 3 numbers, but is 3"},
      {"\"group\": \"R3\"", "forces[0].group", "must be \"R3xSO3\", \"SE3\" or \"SO3\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_error error = {0};
    CHECK_INT(build(cases[i].values, "", &error), TORSOR_SCENE);
    CHECK_STR(error.path, cases[i].path);
    CHECK_STR(error.element, "p");
    CHECK_STR(error.parameter, cases[i].path + strlen("forces[0]."));
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_INT(error.line, 1);
    CHECK_GE(error.column, 150);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(given),
      cmocka_unit_test(group_of_the_scene),
      cmocka_unit_test(expressions),
      cmocka_unit_test(euler_sequences),
      cmocka_unit_test(orientations_agree),
      cmocka_unit_test(written_rotations_are_made_exact),
      cmocka_unit_test(inertias),
      cmocka_unit_test(inertia_is_judged_in_any_frame),
      cmocka_unit_test(markers),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
