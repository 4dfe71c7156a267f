/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"
#include "probe.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

/** Functions of time: what they give, their derivatives, and what is said about wrong ones. */

/* A force that keeps its parameters. */
typedef struct probe {
  torsor_function f;
  torsor_coordinate_ref coordinate;
  double two, four;
} probe;

static probe kept, all_kept[8];
static int count_kept;

static const torsor_param params[] = {
    {"f", TORSOR_PARAM_FUNCTION, offsetof(probe, f), NULL, TORSOR_OPTIONAL, "a function", NULL, 0},
    {"coordinate", TORSOR_PARAM_COORDINATE, offsetof(probe, coordinate), NULL, TORSOR_OPTIONAL,
     "what it acts on", NULL, 0},
    {"two", TORSOR_PARAM_NUMBER, offsetof(probe, two), NULL, "\"1+1\"", "", NULL, 0},
    {"four", TORSOR_PARAM_NUMBER, offsetof(probe, four), NULL, "\"2+2\"", "", NULL, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  kept = *(const probe *)self;
  if (count_kept < 8) all_kept[count_kept++] = kept;
  setup->nodes = 0;
  return TORSOR_OK;
}

static const torsor_element_type probe_type = PROBE_TYPE(probe, params, prepare);

static torsor_registry *registry;
static torsor_scene *scene;
static torsor_model *model;
static torsor_error error;

static void close_all(void) {
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  model = NULL;
  scene = NULL;
}

static int open_registry(void **state) {
  (void)state;
  registry = torsor_registry_create(NULL);
  return registry ? torsor_registry_add(registry, &probe_type, NULL) : -1;
}

static int close_registry(void **state) {
  (void)state;
  close_all();
  torsor_registry_destroy(registry);
  return 0;
}

/* Build a scene with `top`-level members and a probe with `values`; it stays open. */
static torsor_status build(const char *top, const char *values) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, %s \"parameters\": {\"w\": 3, \"one\": 1}, \"bodies\": [{\"name\": \"b\", "
      "\"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}], "
      "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"a\": \"ground\", "
      "\"b\": \"b\"}], \"forces\": [{\"name\": \"p\", \"type\": \"probe\", %s}]}",
      top, values);
  close_all();
  count_kept = 0;
  error = (torsor_error){0};
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "f", registry, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  return status;
}

static void build_good(const char *top, const char *values) {
  const torsor_status status = build(top, values);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static void check_at(double t, double value, double rate, double second, double tolerance) {
  double r = -1, s = -1;
  CHECK_NEAR(kept.f.eval(kept.f.self, &(torsor_now){.t = t, .load = 1}, &r, &s), value, tolerance);
  CHECK_NEAR(r, rate, tolerance);
  CHECK_NEAR(s, second, tolerance);
  CHECK_NEAR(kept.f.eval(kept.f.self, &(torsor_now){.t = t, .load = 1}, NULL, NULL), value,
             tolerance);
  double alone = -1;
  kept.f.eval(kept.f.self, &(torsor_now){.t = t, .load = 1}, NULL, &alone);
  CHECK_NEAR(alone, second, tolerance);
}

static void constants(void **state) {
  (void)state;
  build_good("", "\"f\": 2.5");
  check_at(7, 2.5, 0, 0, 0);
  build_good("\"functions\": {\"c\": -3},", "\"f\": \"c\"");
  check_at(7, -3, 0, 0, 0);
  build_good("", "\"coordinate\": \"hinge.angle\"");
  CHECK_TRUE(kept.f.eval == NULL);
}

static void expressions(void **state) {
  (void)state;
  build_good("", "\"f\": \"w*t\"");
  check_at(0, 0, 3, 0, 1e-8);
  build_good("", "\"f\": \"t\"");
  check_at(2, 2, 1, 0, 1e-8);
  build_good("", "\"f\": \"one\"");
  check_at(2, 1, 0, 0, 0);
  build_good("", "\"f\": \"90 deg\"");
  check_at(2, 1.5707963267948966, 0, 0, 0);
  build_good("\"functions\": {\"_note\": 1, \"ramp\": \"t < one ? w*t : w\", \"unused\": \"1/0\"},",
             "\"f\": \"ramp\"");
  check_at(0.5, 1.5, 3, 0, 1e-8);
  check_at(1.5, 3, 0, 0, 0);
}

/* Central differences of order 8 at h = 2^-10 of functions with a time scale of 1 s: rounding of
 * the values, eps times 1.5/h and 7/h^2, with a factor of 3 for the rounding of the functions. */
static void derivatives_of_expressions(void **state) {
  (void)state;
  build_good("", "\"f\": \"sin(t) + exp(-t/3)\"");
  double worst_rate = 0, worst_second = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double t = 0.02 * i;
    double rate, second;
    kept.f.eval(kept.f.self, &(torsor_now){.t = t, .load = 1}, &rate, &second);
    worst_rate = fmax(worst_rate, fabs(rate - (cos(t) - exp(-t / 3) / 3)));
    worst_second = fmax(worst_second, fabs(second - (-sin(t) + exp(-t / 3) / 9)));
  }
  print_message("  rate %.1e, second %.1e\n", worst_rate, worst_second);
  CHECK_LE(worst_rate, 3 * 2 * CHECK_EPS * 1.5 * 1024);
  CHECK_LE(worst_second, 3 * 2 * CHECK_EPS * 7 * 1024 * 1024);
}

static void given_derivatives(void **state) {
  (void)state;
  build_good("", "\"f\": {\"value\": \"sin(w*t)\", \"rate\": \"w*cos(w*t)\", "
                 "\"second\": \"-w^2*sin(w*t)\"}");
  check_at(0.3, sin(0.9), 3 * cos(0.9), -9 * sin(0.9), 4 * CHECK_EPS * 9);
  /* differences of the rate: w^2 eps 1.5/h */
  build_good("", "\"f\": {\"value\": \"sin(w*t)\", \"rate\": \"w*cos(w*t)\"}");
  check_at(0.3, sin(0.9), 3 * cos(0.9), -9 * sin(0.9), 9 * CHECK_EPS * 1.5 * 1024);
  build_good("", "\"f\": {\"value\": 4}");
  check_at(0.3, 4, 0, 0, 0);
}

static void tables(void **state) {
  (void)state;
  build_good("",
             "\"f\": {\"table\": [[0, 0], [1, \"2*one\"], [3, 0]], \"interpolation\": \"linear\"}");
  check_at(0.5, 1, 2, 0, 4 * CHECK_EPS);
  check_at(2, 1, -1, 0, 4 * CHECK_EPS);
  check_at(-5, 0, 0, 0, 0);
  check_at(9, 0, 0, 0, 0);
  /* The natural spline through (0, 0), (1, 1), (2, 0): second derivative -3 in the middle. */
  build_good("\"functions\": {\"hill\": {\"table\": [[0, 0], [1, 1], [2, 0]]}},",
             "\"f\": \"hill\"");
  check_at(1, 1, 0, -3, 16 * CHECK_EPS);
  check_at(0.5, 0.6875, 1.125, -1.5, 16 * CHECK_EPS);
  check_at(3, 0, 0, 0, 0);
  build_good("",
             "\"f\": {\"interpolation\": \"akima\", \"table\": [[0, 0], [1, 1], [2, 2], [3, 3], "
             "[4, 4]]}");
  check_at(1.5, 1.5, 1, 0, 16 * CHECK_EPS);
  build_good("", "\"f\": {\"table\": [[-1, 5], [1, 2], [3, -4]]}");
  check_at(-1.5, 5, 0, 0, 0);
  check_at(3.5, -4, 0, 0, 0);
  double rate = 0, second = 0;
  CHECK_TRUE(
      isnan(kept.f.eval(kept.f.self, &(torsor_now){.t = nan(""), .load = 1}, &rate, &second)));
  CHECK_TRUE(isnan(rate) && isnan(second));
}

static void undefined_values_are_nan(void **state) {
  (void)state;
  build_good("", "\"f\": \"sqrt(t - 1)\"");
  CHECK_TRUE(isnan(kept.f.eval(kept.f.self, &(torsor_now){.t = 0, .load = 1}, NULL, NULL)));
  CHECK_NEAR(kept.f.eval(kept.f.self, &(torsor_now){.t = 5, .load = 1}, NULL, NULL), 2, 0);
}

static void coordinates(void **state) {
  (void)state;
  build_good("", "\"coordinate\": \"hinge.angle\"");
  CHECK_TRUE(kept.coordinate.joint != NULL);
  CHECK_INT(kept.coordinate.index, 0);
  build_good("", "\"f\": 1");
  CHECK_TRUE(kept.coordinate.joint == NULL);
}

/* Texts that are gone when the next is read: each value is its own. */
static void default_expressions(void **state) {
  (void)state;
  build_good("", "\"repeat\": 1, \"f\": \"t + i\"");
  CHECK_NEAR(kept.two, 2, 0);
  CHECK_NEAR(kept.four, 4, 0);
}

/* The index is that of the element, not the last one. */
static void functions_of_the_index(void **state) {
  (void)state;
  const char *values = "\"f\": 1}, {\"name\": \"q${i}\", \"type\": \"probe\", \"repeat\": 3, "
                       "\"f\": \"t + 10*i\"}, {\"name\": \"r\", \"type\": \"probe\"";
  build_good("", values);
  CHECK_INT(count_kept, 5);
  for (int i = 0; i < 3; ++i)
    CHECK_NEAR(all_kept[1 + i].f.eval(all_kept[1 + i].f.self, &(torsor_now){.t = 0.5, .load = 1},
                                      NULL, NULL),
               0.5 + 10 * i, 0);
}

typedef struct wrong {
  const char *top, *values, *path, *message, *hint;
} wrong;

static const wrong wrongs[] = {
    {"", "\"f\": true", "forces[0].f", "must be a function of t, but is true", "for example"},
    {"", "\"f\": [[0, 1]]", "forces[0].f", "must be a function of t, but is an array", NULL},
    {"", "\"f\": \"\"", "forces[0].f", "the expression is empty", NULL},
    {"", "\"f\": \"T\"", "forces[0].f", "there is no parameter \"T\"", "did you mean \"t\"?"},
    {"", "\"f\": \"sin(t\"", "forces[0].f", "a parenthesis is not closed", NULL},
    {"", "\"f\": \"t, 2\"", "forces[0].f", "has 2 values", NULL},
    {"\"functions\": {\"ramp\": \"t\"},", "\"f\": \"rmap\"", "forces[0].f",
     "there is no function \"rmap\"", "did you mean \"ramp\"?"},
    {"", "\"f\": {}", "forces[0].f.value", "is missing", NULL},
    {"", "\"f\": {\"valu\": 1}", "forces[0].f.valu", "unknown key \"valu\" in a function",
     "\"value\""},
    {"", "\"f\": {\"value\": \"t\", \"second\": 0}", "forces[0].f.second",
     "a second derivative without \"rate\"", "add"},
    {"", "\"f\": {\"value\": \"t\", \"rate\": \"x\"}", "forces[0].f.rate", "no parameter \"x\"",
     NULL},
    {"", "\"f\": {\"value\": [1]}", "forces[0].f.value", "must be a text in quotes", NULL},
    {"", "\"f\": {\"table\": 3}", "forces[0].f.table", "must be a table, an array", NULL},
    {"", "\"f\": {\"table\": []}", "forces[0].f.table",
     "cubic interpolation needs at least 3 rows, but has 0", NULL},
    {"", "\"f\": {\"table\": [[0, 0], [1, 1]]}", "forces[0].f.table",
     "cubic interpolation needs at least 3 rows, but has 2", "linear"},
    {"", "\"f\": {\"interpolation\": \"linear\", \"table\": [[0, 0]]}", "forces[0].f.table",
     "linear interpolation needs at least 2 rows, but has 1", NULL},
    {"", "\"f\": {\"interpolation\": \"akima\", \"table\": [[0, 0], [1, 1], [2, 2], [3, 3]]}",
     "forces[0].f.table", "akima interpolation needs at least 5 rows, but has 4", NULL},
    {"", "\"f\": {\"interpolation\": \"cubik\", \"table\": [[0, 0]]}", "forces[0].f.interpolation",
     "must be \"cubic\", \"linear\", \"akima\" or \"monotone\"", "\"cubic\""},
    {"", "\"f\": {\"table\": [[0, 0], [1, 1], [1, 2]]}", "forces[0].f.table[2]",
     "the times of a table must increase, but 1 follows 1", NULL},
    {"", "\"f\": {\"table\": [[0, 0], [1, 1, 1]]}", "forces[0].f.table[1]",
     "must be an array of 2 numbers", NULL},
    {"", "\"f\": {\"table\": [[0, 0], [1, \"t\"]]}", "forces[0].f.table[1][1]",
     "there is no parameter \"t\"", "known in functions of time only"},
    {"", "\"f\": {\"table\": [[0, 0]], \"value\": 1}", "forces[0].f.value", "unknown key", NULL},
    {"\"functions\": 3,", "\"f\": 1", "functions", "must be the functions, an object", NULL},
    {"\"functions\": {\"2x\": 3},", "\"f\": 1", "functions.2x", "cannot be the name of a function",
     "letters"},
    {"\"functions\": {\"w\": 3},", "\"f\": 1", "functions.w", "\"w\" is taken", NULL},
    {"\"functions\": {\"t\": 3},", "\"f\": 1", "functions.t", "\"t\" is taken", NULL},
    {"\"functions\": {\"sin\": 3},", "\"f\": 1", "functions.sin", "\"sin\" is taken", NULL},
    {"\"functions\": {\"a\": null},", "\"f\": 1", "functions.a", "function of t, but is null",
     NULL},
    {"\"functions\": {\"a\": \"q\"},", "\"f\": 1", "functions.a", "no parameter \"q\"", NULL},
    {"", "\"f\": \"t = 3\"", "forces[0].f", "an operator in the wrong position at character 3",
     "== compares"},
    {"", "\"coordinate\": 3", "forces[0].coordinate", "must be a text in quotes", NULL},
    {"", "\"coordinate\": \"hinge.angel\"", "forces[0].coordinate", "angel",
     "did you mean \"hinge.angle\"? (the joint stands before"},
    {"", "\"coordinate\": \"zzzzzzzz\"", "forces[0].coordinate", "zzzzzzzz",
     "a joint that comes before"},
    {"", "\"coordinate\": \"hinge.${1/2}\"", "forces[0].coordinate", "must be a whole number",
     NULL},
};

static void wrong_functions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
    const wrong *w = &wrongs[i];
    const torsor_status status = build(w->top, w->values);
    if (status != TORSOR_SCENE || strcmp(error.path, w->path) || !strstr(error.message, w->message))
      print_error("%s %s: %s: %s\n", w->top, w->values, error.path, error.message);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_STR(error.path, w->path);
    CHECK_CONTAINS(error.message, w->message);
    if (w->hint) CHECK_CONTAINS(error.hint, w->hint);
    CHECK_TRUE(error.line == 1 && error.column > 1);
  }
  print_message("  %zu kinds of wrong functions and coordinates\n", sizeof wrongs / sizeof *wrongs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants),
      cmocka_unit_test(expressions),
      cmocka_unit_test(derivatives_of_expressions),
      cmocka_unit_test(given_derivatives),
      cmocka_unit_test(tables),
      cmocka_unit_test(undefined_values_are_nan),
      cmocka_unit_test(coordinates),
      cmocka_unit_test(default_expressions),
      cmocka_unit_test(functions_of_the_index),
      cmocka_unit_test(wrong_functions),
  };
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
