/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong use of joints: every parameter of every type, and what makes no sense together. */
#include <stdio.h>

#include "check.h"
#include "support.h"

enum { TEXT = 6000 };

/* ---- every parameter of every type ---------------------------------------------------------- */

/* A wrong value of each kind and a word of the message; NULL: none is wrong by itself. */
static const char *wrong_value(const torsor_param *param, const char **word) {
  const bool signs = param->conditions & (TORSOR_POSITIVE | TORSOR_NONNEGATIVE);
  switch (param->kind) {
  case TORSOR_PARAM_NUMBER:
    *word = signs ? "must be" : "a number";
    return signs ? "-1" : "[1]";
  case TORSOR_PARAM_DIRECTION:
    *word = "is zero";
    return "[0, 0, 0]";
  case TORSOR_PARAM_VECTOR:
    *word = "3 numbers";
    return "[1, 2]";
  case TORSOR_PARAM_CHOICE:
    *word = "must be";
    return "\"xyzzy\"";
  case TORSOR_PARAM_MARKER:
    *word = "no body \"nobody\"";
    return "\"nobody\"";
  case TORSOR_PARAM_FUNCTION:
    *word = "no parameter \"q\"";
    return "\"sin(q)\"";
  case TORSOR_PARAM_COORDINATE:
    *word = "no joint coordinate \"nobody.angle\"";
    return "\"nobody.angle\"";
  case TORSOR_PARAM_CURVE:
    *word = "at least 4 points, but has 3";
    return "{\"points\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}";
  default:
    *word = NULL;
    return NULL;
  }
}

/* Name of the element of that type in its example; of one that is made of others, that in the text.
 */
static void find_name(char name[64], const torsor_element_type *type) {
  char word[80];
  snprintf(word, sizeof word, "\", \"type\": \"%s\"", type->name);
  const char *end = strstr(type->example, word), *begin = end;
  while (begin && begin > type->example && begin[-1] != '"') --begin;
  if (begin) snprintf(name, 64, "%.*s", (int)(end - begin), begin);
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, type->example, NULL, &error), TORSOR_OK);
  const int count = torsor_model_count(world.model).elements;
  for (int i = 0; i < count; ++i)
    if (!strcmp(torsor_model_element_type(world.model, i)->name, type->name))
      snprintf(name, 64, "%s", torsor_model_element_name(world.model, i));
  support_close(&world);
}

static bool is_refused(const char *text, const char *set, const char *key, const char *word) {
  const char *const changes[] = {set, NULL};
  support_world world;
  torsor_error error = {0};
  const torsor_status status = support_open(&world, text, set ? changes : NULL, &error);
  if (!status) support_close(&world);
  if (status == TORSOR_SCENE && strstr(error.path, key) && strstr(error.message, word)) return true;
  print_error("%s: %s at \"%s\": %s (expected \"%s\" at \"%s\")\n", set ? set : text,
              torsor_status_name(status), error.path, error.message, word, key);
  return false;
}

/* The example with `key` turned into a comment. */
static void leave_out(char out[TEXT], const torsor_element_type *type, const char *key) {
  char quoted[80], type_word[80];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  snprintf(type_word, sizeof type_word, "\"type\": \"%s\"", type->name);
  const char *own = strstr(type->example, type_word);
  const char *found = own ? strstr(own, quoted) : NULL;
  CHECK_TRUE(found != NULL);
  snprintf(out, TEXT, "%.*s\"_%s", (int)(found - type->example), type->example, found + 1);
}

static int check_parameter(const torsor_element_type *type, const torsor_param *param,
                           const char *name) {
  char text[TEXT];
  const char *word;
  const char *value = wrong_value(param, &word);
  int wrong = 0;
  if (value) {
    snprintf(text, sizeof text, "joints.%s.%s=%s", name, param->key, value);
    wrong += !is_refused(type->example, text, param->key, word);
  }
  if (!param->fallback) {
    leave_out(text, type, param->key);
    wrong += !is_refused(text, NULL, param->key, "is missing");
  }
  return wrong;
}

static void every_parameter(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(NULL);
  int types = 0, params = 0, wrong = 0;
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    if (type->kind != TORSOR_JOINT) continue;
    char name[64] = "";
    ++types;
    find_name(name, type);
    for (const torsor_param *param = type->params; param->key; ++param, ++params)
      wrong += check_parameter(type, param, name);
  }
  print_message("  %d parameters of %d types, %d wrong answers\n", params, types, wrong);
  CHECK_INT(wrong, 0);
  torsor_registry_destroy(registry);
}

/* ---- what makes no sense together ------------------------------------------------------------ */

#define BODIES                                                                                     \
  "{\"torsor\": 1, \"bodies\": ["                                                                  \
  "{\"name\": \"arm\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]},"            \
  "{\"name\": \"leg\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1],"             \
  " \"position\": [1, 0, 0]},"                                                                     \
  "{\"name\": \"dot\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [0, 0, 1]}],"          \
  " \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "         \
  "\"arm\"},"                                                                                      \
  "{\"name\": \"pin\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","                      \
  " \"position\": [1, 0, 0]}, \"b\": \"leg\"}, {\"name\": \"bad\", "
#define AFTER                                                                                      \
  "}, {\"name\": \"late\", \"type\": \"revolute\", \"a\": \"arm\","                                \
  " \"b\": {\"body\": \"leg\", \"position\": [-1, 0, 0]}}]}"

#define ON(type, more)  "\"type\": \"" type "\", \"a\": \"ground\", \"b\": \"arm\"" more
#define DOT(type, more) "\"type\": \"" type "\", \"a\": \"arm\", \"b\": \"dot\"" more
#define TURNED(type, w, more)                                                                      \
  "\"type\": \"" type "\", \"a\": \"ground\", \"b\": {\"body\": \"arm\", \"orientation\":"         \
  " {\"rotation_vector\": " w "}}" more
#define WIRE(points, more)                                                                         \
  "\"type\": \"point_on_curve\", \"a\": \"ground\", \"b\": \"dot\", \"curve\": {\"points\": "      \
  "[" points "]" more "}"
#define RIGHT_ANGLE "[0, 1.5707963267948966, 0]"

typedef struct misuse {
  const char *joint, *path, *message, *hint;
} misuse;

static const misuse table[] = {
    {"\"type\": \"weld\", \"a\": \"arm\", \"b\": \"arm\"", "joints[2]",
     "\"bad\" has both markers on the same body", "two bodies"},
    {"\"type\": \"weld\", \"a\": \"ground\", \"b\": \"ground\"", "joints[2]",
     "\"bad\" has both markers on the ground", "two bodies"},
    {DOT("revolute", ""), "joints[2].b", "\"dot\" is a point_mass: it has no orientation",
     "rigid_body"},
    {DOT("constant_velocity", ""), "joints[2].b", "no orientation", NULL},
    {DOT("knife_edge", ""), "joints[2].b", "no orientation", NULL},
    {"\"type\": \"spherical\", \"a\": \"arm\", \"b\": {\"body\": \"dot\", \"position\": [1, 0, 0]}",
     "joints[2].b.body", "cannot have an offset", "leave"},
    {"\"type\": \"point_on_plane\", \"a\": \"dot\", \"b\": \"arm\"", "joints[2].a",
     "\"dot\" is a point_mass: it has no orientation", "rigid_body"},
    {"\"type\": \"point_on_line\", \"a\": \"dot\", \"b\": \"arm\"", "joints[2].a",
     "it has no orientation", "rigid_body"},
    {"\"type\": \"motion\", \"a\": \"dot\", \"b\": \"arm\", \"x\": 0", "joints[2].a",
     "it has no orientation", "rigid_body"},
    {"\"type\": \"velocity_constraint\", \"a\": \"dot\", \"b\": \"arm\", \"linear\": [1, 0, 0]",
     "joints[2].a", "it has no orientation", "rigid_body"},
    {"\"type\": \"point_on_curve\", \"a\": \"dot\", \"b\": \"arm\", \"curve\": {\"points\": "
     "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}",
     "joints[2].a", "it has no orientation", "rigid_body"},
    {ON("screw", ", \"pitch\": 0"), "joints[2]", "the pitch of screw \"bad\" is 0", "revolute"},
    {ON("distance", ""), "joints[2]", "coincide: the distance would be 0", "spherical"},
    {ON("distance", ", \"length\": 0"), "joints[2].length", "greater than 0", NULL},
    {"\"type\": \"drive\", \"coordinate\": \"pin.angle\"", "joints[2].motion", "is missing",
     "function of t"},
    {"\"type\": \"drive\", \"coordinate\": \"pin.angle\", \"motion\": \"swing\"",
     "joints[2].motion", "swing", NULL},
    {"\"type\": \"drive\", \"coordinate\": \"late.angle\", \"motion\": 0", "joints[2].coordinate",
     "no joint coordinate \"late.angle\"", "before"},
    {"\"type\": \"drive\", \"coordinate\": \"ball.angle\", \"motion\": 0", "joints[2].coordinate",
     "no joint coordinate \"ball.angle\"", "pin.angle"},
    {"\"type\": \"drive\", \"coordinate\": \"pin.rate\", \"motion\": 0", "joints[2].coordinate",
     "no joint coordinate \"pin.rate\"", NULL},
    {"\"type\": \"drive\", \"coordinate\": \"pin\", \"motion\": 0", "joints[2].coordinate",
     "no joint coordinate \"pin\"", NULL},
    {"\"type\": \"velocity_drive\", \"coordinate\": \"pin.angle\"", "joints[2].rate", "is missing",
     "function of t"},
    {"\"type\": \"coupling\", \"first\": \"pin.angle\", \"second\": \"pin.angle\", \"ratio\": 2",
     "joints[2]", "both coordinates are the same", "gear pair"},
    {"\"type\": \"coupling\", \"first\": \"pin.angle\", \"second\": \"late.angle\", \"ratio\": 2",
     "joints[2].second", "no joint coordinate \"late.angle\"", "before"},
    {"\"type\": \"velocity_coupling\", \"first\": \"pin.angle\", \"second\": \"pin.angle\","
     " \"ratio\": 2",
     "joints[2]", "both coordinates are the same", "gear pair"},
    {ON("velocity_constraint", ""), "joints[2]", "\"bad\" has no coefficients", "linear"},
    {DOT("velocity_constraint", ", \"angular\": [1, 0, 0]"), "joints[2]",
     "angular velocity of a point mass", "rigid_body"},
    {DOT("velocity_constraint", ", \"linear\": [1, 0, 0], \"axes\": \"b\""), "joints[2]",
     "axes of a point mass", "\"axes\": \"a\""},
    {ON("motion", ""), "joints[2]", "\"bad\" prescribes nothing", "functions of t"},
    {DOT("motion", ", \"angle\": \"t\""), "joints[2]", "turns a point mass", "rigid_body"},
    {ON("motion", ", \"x\": \"t +\""), "joints[2].x", "missing", NULL},
    {WIRE("[0, 0, 1], [1, 0, 1], [2, 0, 1]", ""), "joints[2].curve.points",
     "at least 4 points, but has 3", "in order"},
    {WIRE("[0, 0, 1], [1, 0, 1], [1, 0, 1], [3, 0, 1]", ""), "joints[2].curve.points[2]",
     "repeats the point before", NULL},
    {WIRE("[0, 0, 0], [1e9, 0, 0], [1e9, 1e-8, 0], [0, 2, 0]", ""), "joints[2].curve.points[2]",
     "is too near to the point before it", "leave one of them out"},
    {WIRE("[0, 0, 0], [1e9, 0, 0], [0, 2, 0], [0, 1e-8, 0]", ", \"closed\": true"),
     "joints[2].curve.points[3]", "is too near to the point before it", NULL},
    {WIRE("[-1e308, 0, 0], [1e308, 0, 0], [0, 2, 0], [0, 1, 0]", ""), "joints[2].curve.points[1]",
     "is too far from the point before it", NULL},
    {WIRE("[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]", ", \"closed\": true"),
     "joints[2].curve.points[4]", "repeats the first point", "goes back"},
    {WIRE("[0, 0, 1], [1, 0, 1], [2, 0, 1], [1, 0.01, 1]", ""), "joints[2].curve.points",
     "turns too sharply", "add points"},
    {WIRE("[0, 0, 1], [1, 0], [2, 0, 1], [3, 0, 1]", ""), "joints[2].curve.points[1]", "3 numbers",
     NULL},
    {WIRE("[0, 0, 1], [1, 0, 1], [2, 0, 1], [3, 0, 1]", ", \"closed\": 1"),
     "joints[2].curve.closed", "true or false", NULL},
    {WIRE("[0, 0, 1], [1, 0, 1], [2, 0, 1], [3, 0, 1]", ", \"close\": true"),
     "joints[2].curve.close", "unknown key", "\"closed\""},
    {"\"type\": \"point_on_curve\", \"a\": \"ground\", \"b\": \"dot\", \"curve\": [[0, 0, 1]]",
     "joints[2].curve", "must be a curve", "points"},
    {ON("point_on_curv", ""), "joints[2].type", "no joint type", "point_on_curve"},
};

static void makes_no_sense(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    const misuse *m = &table[i];
    char text[TEXT];
    snprintf(text, sizeof text, BODIES "%s" AFTER, m->joint);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status) support_close(&world);
    const bool right = status == TORSOR_SCENE && !strcmp(error.path, m->path) &&
                       strstr(error.message, m->message) &&
                       (!m->hint || strstr(error.hint, m->hint)) && error.line == 1;
    if (right) continue;
    ++wrong;
    print_error("%s\n  %s at \"%s\": %s (%s)\n  expected at \"%s\": %s (%s)\n", m->joint,
                torsor_status_name(status), error.path, error.message, error.hint, m->path,
                m->message, m->hint ? m->hint : "");
  }
  print_message("  %zu kinds of misuse, %d with a wrong answer\n", sizeof table / sizeof *table,
                wrong);
  CHECK_INT(wrong, 0);
}

/* ---- starts that contradict ------------------------------------------------------------------ */

static const misuse starts[] = {
    {"\"type\": \"weld\", \"a\": {\"body\": \"ground\", \"position\": [0.1, 0, 0]}, \"b\": \"arm\"",
     "bad", "positions", NULL},
    {TURNED("revolute", RIGHT_ANGLE, ", \"axis_b\": [0, 0, 1]"), "bad", "positions", NULL},
    {"\"type\": \"drive\", \"coordinate\": \"pin.angle\", \"motion\": 1", "bad", "positions", NULL},
    {WIRE("[0, 1, 1], [1, 1, 1], [2, 1, 1], [3, 1, 1]", ""), "bad", "positions", NULL},
    {ON("motion", ", \"x\": \"1 + t\""), "bad", "positions", NULL},
    {ON("universal", ", \"axis_a\": [0, 1, 0]"), "bad", "row 3 is 1 instead of 0", NULL},
    {TURNED("constant_velocity", "[3.141592653589793, 0, 0]", ", \"axis_b\": [0, 0, 1]"), "bad",
     "point the same way", NULL},
    {TURNED("weld", "[3.141592653589793, 0, 0]", ""), "bad", "180 or 120 degrees", NULL},
    {TURNED("revolute", "[3.141592653589793, 0, 0]", ", \"axis_b\": [0, 0, 1]"), "bad",
     "opposite to that of marker a", NULL},
};

/* The joint is blamed by name. */
static void contradicts_the_start(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    char text[TEXT];
    snprintf(text, sizeof text, BODIES "%s}], \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}",
             starts[i].joint);
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    torsor_status status = support_open(&world, text, NULL, &error);
    if (status) print_error("%s: %s\n", starts[i].joint, error.message);
    CHECK_INT(status, TORSOR_OK);
    status = support_run(&trace, &summary, &world, &error);
    print_message("  %s\n", error.message);
    CHECK_INT(status, TORSOR_INCONSISTENT);
    CHECK_STR(error.element, starts[i].path);
    CHECK_CONTAINS(error.message, starts[i].message);
    support_trace_release(&trace);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_parameter),
      cmocka_unit_test(makes_no_sense),
      cmocka_unit_test(contradicts_the_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
