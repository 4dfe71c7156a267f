/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <torsor/torsor.h>

/** Repeated elements, and names with numbers in them. */

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
  return registry ? 0 : -1;
}

static int close_registry(void **state) {
  (void)state;
  close_all();
  torsor_registry_destroy(registry);
  return 0;
}

static torsor_status build(const char *text) {
  close_all();
  error = (torsor_error){0};
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "r", registry, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  return status;
}

static void make_chain(char *out, size_t size, const char *n, const char *bodies,
                       const char *joints) {
  snprintf(out, size,
           "{\"torsor\": 1,\n \"parameters\": {\"n\": %s, \"L\": 0.1},\n \"bodies\": [\n"
           "  {\"name\": \"link${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1,\n"
           "   \"inertia\": [1, 1, 1], \"position\": [\"(i+0.5)*L\", 0, 0]%s}],\n"
           " \"joints\": [\n  {\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\",\n"
           "   \"b\": {\"body\": \"link0\", \"position\": [\"-L/2\", 0, 0]}},\n"
           "  {\"name\": \"joint${k}\", \"repeat\": \"n-1\", \"index\": \"k\", \"type\": "
           "\"spherical\",\n"
           "   \"a\": {\"body\": \"link${k}\", \"position\": [\"L/2\", 0, 0]},\n"
           "   \"b\": {\"body\": \"link${k+1}\", \"position\": [\"-L/2\", 0, 0]}%s}],\n"
           " \"output\": {\"signals\": [\"link${n-1}.position\", \"energy\"]}}",
           n, bodies, joints);
}

static void chain(void **state) {
  (void)state;
  char text[2048];
  make_chain(text, sizeof text, "5", "", "");
  CHECK_INT(build(text), TORSOR_OK);
  const torsor_model_counts counts = torsor_model_count(model);
  CHECK_INT(counts.bodies, 5);
  CHECK_INT(counts.joints, 5);
  CHECK_STR(torsor_model_element_name(model, 4), "link4");
  CHECK_STR(torsor_model_element_name(model, 9), "joint3");
  int signals = 0;
  CHECK_STR(torsor_scene_signals(scene, &signals)[0], "link4.position");
  CHECK_INT(signals, 2);
  /* The joints fit: the positions are those of their own index. */
  error = (torsor_error){0};
  make_chain(text, sizeof text, "1", "", "");
  CHECK_INT(build(text), TORSOR_OK);
  CHECK_INT(torsor_model_count(model).joints, 1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void long_chain(void **state) {
  (void)state;
  char text[2048];
  make_chain(text, sizeof text, "10000", "", "");
  const double start = seconds();
  CHECK_INT(build(text), TORSOR_OK);
  print_message("  10000 links in %.2f s\n", seconds() - start);
  CHECK_INT(torsor_model_count(model).joints, 10000);
}

static void places(void **state) {
  (void)state;
  char text[2048];
  make_chain(text, sizeof text, "5", "", "");
  CHECK_INT(build(text), TORSOR_OK);
  static const struct {
    const char *name, *path;
  } expected[] = {{"link3", "bodies[0]"},
                  {"pivot", "joints[0]"},
                  {"joint3", "joints[1]"},
                  {"joint4", ""},
                  {"link", ""}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    error = (torsor_error){0};
    torsor_blame(&error, expected[i].name);
    torsor_scene_locate(scene, &error);
    CHECK_STR(error.path, expected[i].path);
  }
}

static void names_without_repeat(void **state) {
  (void)state;
  CHECK_INT(
      build("{\"torsor\": 1, \"parameters\": {\"n\": 2}, \"bodies\": [{\"name\": \"a${n}${-n}b\", "
            "\"type\": \"point_mass\", \"mass\": 1}], \"joints\": [{\"name\": \"j\", \"type\": "
            "\"distance\", \"a\": {\"body\": \"ground\", \"position\": [1, 0, 0]}, "
            "\"b\": \"a${n}${0-n}b\"}]}"),
      TORSOR_OK);
  CHECK_STR(torsor_model_element_name(model, 0), "a2-2b");
}

static void degrees(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } expected[] = {{"30 deg", 30},   {"30*deg", 30},  {"-90 \\t deg", -90},
                  {"(2+1) deg", 3}, {"w deg", 5},    {"2*w deg + 1 deg", 11},
                  {"1e1 deg", 10},  {"deg", 1},      {"cos(60 deg)*deg", 0.5},
                  {"1. deg", 1},    {"10 deg/2", 5}, {"2^2 deg", 4}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"torsor\": 1, \"parameters\": {\"w\": 5, \"x\": \"%s\"}, \"simulation\": {\"step\": 1, "
        "\"duration\": 1, \"rtol\": \"1e3 + x\"}, \"bodies\": []}",
        expected[i].text);
    close_all();
    CHECK_INT(torsor_scene_parse(&scene, text, strlen(text), "d", registry, NULL, 0, &error),
              TORSOR_OK);
    CHECK_NEAR(torsor_scene_simulation(scene)->settings.rtol,
               1e3 + expected[i].value * 3.14159265358979323846 / 180, 2e3 * CHECK_EPS);
  }
}

typedef struct wrong {
  const char *n, *bodies, *joints, *path, *message, *hint;
  int line;
} wrong;

static void wrong_repeats(void **state) {
  (void)state;
  static const wrong table[] = {
      {"-1", "", "", "bodies[0].repeat", "must be at least 0, but is \"n\"", NULL, 4},
      {"4", "", "}, {\"name\": \"x\", \"repeat\": 1.5", "joints[2].repeat",
       "must be a whole number", NULL, 11},
      {"1000001", "", "", "bodies[0].repeat", "must be at most 1000000, but is 1000001", NULL, 4},
      {"3", ", \"index\": 3", "", "bodies[0].index", "must be a text in quotes", NULL, 5},
      {"3", ", \"index\": \"2i\"", "", "bodies[0].index", "cannot be the name of an index", NULL,
       5},
      {"3", ", \"index\": \"L\"", "", "bodies[0].index", "\"L\" is taken already", "another", 5},
      {"3", ", \"index\": \"pi\"", "", "bodies[0].index", "\"pi\" is taken already", NULL, 5},
      {"3", ", \"index\": \"t\"", "", "bodies[0].index", "\"t\" is taken already", NULL, 5},
      {"3", ", \"index\": \"j\"", "", "bodies[0].name", "there is no parameter \"i\"", NULL, 4},
      {"3", ", \"velocity\": [\"1/(i-2)\", 0, 0]", "", "bodies[0].velocity[0]",
       "gives infinity (i = 2)", NULL, 5},
      {"3", ", \"center_of_mass\": [\"q\", 0, 0]", "", "bodies[0].center_of_mass[0]",
       "there is no parameter \"q\" (expression \"q\") (i = 0)", NULL, 5},
      {"4", "",
       ", \"comment\": 1}, {\"name\": \"x${k/2}\", \"type\": \"spherical\", "
       "\"repeat\": 2, \"index\": \"k\", \"a\": \"link0\", \"b\": \"link1\"",
       "joints[2].name", "${k/2} must be a whole number, but is 0.5 (k = 1)", NULL, 11},
      {"4", "", "}, {\"name\": \"x${k\", \"repeat\": 2, \"index\": \"k\"", "joints[2].name",
       "${ is not closed by } (k = 0)", "${i}", 11},
      {"4", "", "}, {\"name\": \"x${}\"", "joints[2].name", "the expression is empty", NULL, 11},
      {"4", "",
       "}, {\"name\": \"x\", \"repeat\": 2, \"type\": \"spherical\", \"a\": \"link${3*i}\", "
       "\"b\": \"link${i+3}\"",
       "joints[2].b", "\"link4\" (i = 1)", NULL, 11},
      {"4", "",
       "}, {\"name\": \"x\", \"repeat\": 2, \"type\": \"spherical\", \"a\": \"link0\", "
       "\"b\": \"link1\"",
       "joints[2].name", "(i = 1)", NULL, 11},
      {"4", "", "}, {\"name\": \"x\", \"index\": \"k\"", "joints[2].index",
       "an index without \"repeat\"", "add", 11},
      {"4", "", "}, {\"name\": \"x${1e300}\"", "joints[2].name", "must be a whole number", NULL,
       11},
      {"4, \"i\": 2", "", "", "bodies[0].repeat", "there is a parameter \"i\" already",
       "\"index\": \"k\"", 4},
      {"4, \"pi\": 2", "", "", "parameters.pi", "is a constant of expressions", "another", 2},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    const wrong *w = &table[i];
    char text[2048];
    make_chain(text, sizeof text, w->n, w->bodies, w->joints);
    const torsor_status status = build(text);
    if (status != TORSOR_SCENE || strcmp(error.path, w->path) || !strstr(error.message, w->message))
      print_error("%zu: %s: %s\n", i, error.path, error.message);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_STR(error.path, w->path);
    CHECK_CONTAINS(error.message, w->message);
    if (w->hint) CHECK_CONTAINS(error.hint, w->hint);
    CHECK_INT(error.line, w->line);
  }
  print_message("  %zu kinds of wrong repeats\n", sizeof table / sizeof *table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain),   cmocka_unit_test(long_chain),
      cmocka_unit_test(places),  cmocka_unit_test(names_without_repeat),
      cmocka_unit_test(degrees), cmocka_unit_test(wrong_repeats),
  };
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
