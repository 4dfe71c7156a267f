/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Characteristics and functions of joint coordinates as a scene writes them: values, derivatives,
 * integrals. */
#include "check.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

/* A force that keeps its parameters. */
typedef struct probe {
  torsor_characteristic law;
  torsor_control control;
  m6 matrix;
} probe;

static probe kept;
static const char *const variable[] = {"x", NULL};

static const torsor_param params[] = {{"law", TORSOR_PARAM_CHARACTERISTIC, offsetof(probe, law),
                                       NULL, TORSOR_OPTIONAL, "a law", variable, 0},
                                      {"control", TORSOR_PARAM_CONTROL, offsetof(probe, control),
                                       NULL, TORSOR_OPTIONAL, "a control", NULL, 0},
                                      {"matrix", TORSOR_PARAM_MATRIX6, offsetof(probe, matrix),
                                       NULL, TORSOR_OPTIONAL, "a matrix", NULL, 0},
                                      {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  kept = *(const probe *)self;
  setup->nodes = 0;
  return TORSOR_OK;
}

static const torsor_element_type probe_type = PROBE_TYPE(probe, params, prepare);

static torsor_registry *registry;
static torsor_scene *scene;
static torsor_model *model;

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

/* Build a scene whose probe has `values`; it stays open. */
static void build(const char *values) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"parameters\": {\"k\": 3}, \"functions\": {\"ramp\": \"2*t\","
           " \"bump\": {\"table\": [[-1, -5], [1, 1], [2, 9]], \"interpolation\": \"linear\"}},"
           " \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1,"
           " \"inertia\": [1, 1, 1]}], \"joints\": [{\"name\": \"hinge0\", \"type\": \"revolute\","
           " \"a\": \"ground\", \"b\": \"b\"}, {\"name\": \"eye\", \"type\": \"sensor\","
           " \"a\": \"ground\", \"b\": \"b\"}], \"forces\": [{\"name\": \"p\", \"type\": \"probe\","
           " %s}]}",
           values);
  close_all();
  torsor_error error = {0};
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "f", registry, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static void check_law(double x, double value, double slope, double integral, double tolerance) {
  double s = -1, i = -1;
  CHECK_NEAR(kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, x, &s, &i), value, tolerance);
  CHECK_NEAR(s, slope, tolerance);
  CHECK_NEAR(i, integral, tolerance);
  CHECK_NEAR(kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, x, NULL, NULL), value,
             tolerance);
}

/* Differences of order 8 at h = 2^-14: rounding of the value times 1.5/h. */
static double rounded_slope(double size) {
  return size * CHECK_EPS * 1.5 * 16384 * 3;
}

static void laws_by_expression(void **state) {
  (void)state;
  build("\"law\": \"k*x + 5*x^3\"");
  for (double x = -2; x <= 2; x += 0.25)
    check_law(x, 3 * x + 5 * x * x * x, 3 + 15 * x * x, 1.5 * x * x + 1.25 * x * x * x * x,
              rounded_slope(50));
  build("\"law\": {\"value\": \"k*sin(x) + 1\", \"slope\": \"k*cos(x)\", \"integral\": "
        "\"x - k*cos(x)\"}");
  check_law(0.7, 3 * sin(0.7) + 1, 3 * cos(0.7), 0.7 + 3 - 3 * cos(0.7), 16 * CHECK_EPS);
  check_law(0, 1, 3, 0, 16 * CHECK_EPS);
  build("\"law\": {\"value\": 2}");
  check_law(-3, 2, 0, -6, 8 * 6 * CHECK_EPS);
}

static void laws_by_table(void **state) {
  (void)state;
  build("\"law\": \"bump\""); /* -2 at 0 */
  check_law(0, -2, 3, 0, 8 * CHECK_EPS);
  check_law(-1, -5, 3, 3.5, 16 * CHECK_EPS);
  check_law(-2, -8, 3, 10, 32 * CHECK_EPS);
  check_law(1.5, 5, 8, -0.5 + 1.5, 32 * CHECK_EPS);
  check_law(4, 25, 8, -0.5 + 5 + 34, 64 * CHECK_EPS);
  build("\"law\": {\"table\": [[1, 2], [2, 4], [4, 5]]}"); /* 0 is outside */
  double integral = -1, slope;
  kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, 0, &slope, &integral);
  CHECK_NEAR(integral, 0, 4 * CHECK_EPS);
  CHECK_TRUE(isnan(kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, nan(""), NULL, NULL)));
}

/* A monotone table gives a monotone curve through its points, whose slope and integral are its own,
 * also across the points and the ends. */
static void monotone_curve(void **state) {
  (void)state;
  static const double points[][2] = {{-1, -9}, {-0.2, -1}, {0, 0}, {0.1, 6}, {0.9, 6.1}, {1, 30}};
  build("\"law\": {\"table\": [[-1, -9], [-0.2, -1], [0, 0], [0.1, 6], [0.9, 6.1], [1, 30]]}");
  for (int i = 0; i < 6; ++i)
    CHECK_NEAR(kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, points[i][0], NULL, NULL),
               points[i][1], 64 * CHECK_EPS);
  double before = -HUGE_VAL, worst_slope = 0, worst_integral = 0;
  const double h = 1e-5;
  for (double x = -1.5; x < 1.5; x += 0.00637) {
    double slope, up, down;
    const double value = kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, x, &slope, NULL);
    CHECK_GE(value, before);
    before = value;
    const double above = kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, x + h, NULL, &up);
    const double below = kept.law.eval(kept.law.self, &(torsor_now){.load = 1}, x - h, NULL, &down);
    worst_slope = check_max(worst_slope, fabs((above - below) / (2 * h) - slope));
    worst_integral = check_max(worst_integral, fabs((up - down) / (2 * h) - value));
  }
  /* The second derivative of the steep pieces is below 6 240/0.1; half of it h is the error of a
   * difference across a point; that of the integral is h^2/6 of the second derivative, and rounding
   * eps 30/h. */
  check_report("slope of the curve", worst_slope, 3 * 2400 * h);
  check_report("integral of the curve", worst_integral, 1e-9 + 14400 * h * h / 6);
  CHECK_LE(worst_slope, 3 * 2400 * h);
  CHECK_LE(worst_integral, 1e-9 + 14400 * h * h / 6);
}

static void controls(void **state) {
  (void)state;
  build(
      "\"control\": \"k*hinge0.angle + t*hinge${1 - 1}.rate^2 + eye.distance_speed*hinge0.angle\"");
  CHECK_INT(kept.control.inputs, 3);
  CHECK_TRUE(!kept.control.input[0].rate && kept.control.input[1].rate &&
             kept.control.input[2].rate);
  CHECK_INT(kept.control.input[0].on.index, 0);
  CHECK_INT(kept.control.input[2].on.index, 3);
  CHECK_NEAR(kept.control.input[0].on.period, 6.283185307179586, 0);
  const double x[] = {0.4, -2, 1.5};
  double gradient[3];
  const double value =
      kept.control.eval(kept.control.self, &(torsor_now){.t = 0.5, .load = 1}, x, gradient);
  CHECK_NEAR(value, 1.2 + 2 + 0.6, 8 * CHECK_EPS);
  CHECK_NEAR(gradient[0], 4.5, rounded_slope(4));
  CHECK_NEAR(gradient[1], -2, rounded_slope(4));
  CHECK_NEAR(gradient[2], 0.4, rounded_slope(4));
  CHECK_NEAR(kept.control.eval(kept.control.self, &(torsor_now){.t = 0.5, .load = 1}, x, NULL),
             value, 0);
}

static void controls_of_time(void **state) {
  (void)state;
  static const char *const forms[] = {"\"control\": \"ramp\"", "\"control\": \"2*t\"",
                                      "\"control\": {\"value\": \"2*t\"}",
                                      "\"control\": {\"table\": [[0, 0], [1, 2], [2, 4]]}"};
  for (int i = 0; i < 4; ++i) {
    build(forms[i]);
    CHECK_INT(kept.control.inputs, 0);
    CHECK_NEAR(
        kept.control.eval(kept.control.self, &(torsor_now){.t = 0.75, .load = 1}, NULL, NULL), 1.5,
        4 * CHECK_EPS);
  }
  build("\"control\": 7");
  CHECK_NEAR(kept.control.eval(kept.control.self, &(torsor_now){.t = 0.75, .load = 1}, NULL, NULL),
             7, 0);
  build("\"law\": \"x\"");
  CHECK_TRUE(kept.control.eval == NULL);
}

static void matrices(void **state) {
  (void)state;
  build("\"matrix\": [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18],"
        " [19, 20, 21, 22, 23, 24], [25, 26, 27, 28, 29, \"k*10\"], [31, 32, 33, 34, 35, 36]]");
  for (int i = 0; i < 36; ++i) CHECK_NEAR(kept.matrix.m[i / 6][i % 6], i + 1, 0);
  build("\"law\": \"x\"");
  CHECK_TRUE(isnan(kept.matrix.m[0][0]) && kept.law.eval);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_by_expression), cmocka_unit_test(laws_by_table),
      cmocka_unit_test(monotone_curve),     cmocka_unit_test(controls),
      cmocka_unit_test(controls_of_time),   cmocka_unit_test(matrices),
  };
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
