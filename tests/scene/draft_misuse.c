/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draft_probe.h"

#include <stdio.h>
#include <stdlib.h>

/** Wrong calls, and what is left of a draft after them. */

/* The draft's error is this one; it is cleared. */
static void check_error(torsor_draft *draft, torsor_status status, const char *path,
                        const char *message, const char *hint) {
  const torsor_error *found = torsor_draft_error(draft);
  CHECK_TRUE(found != NULL);
  CHECK_INT(found->status, status);
  CHECK_STR(found->path, path);
  CHECK_CONTAINS(found->message, message);
  if (hint) CHECK_CONTAINS(found->hint, hint);
  CHECK_STR(found->file, "");
  CHECK_INT(found->line + found->column, 0);
  torsor_draft_clear_error(draft);
  CHECK_TRUE(!torsor_draft_error(draft));
}

static void null_does_nothing(void **state) {
  (void)state;
  torsor_scene *scene = NULL;
  char *text = NULL;
  const double one = 1;
  CHECK_INT(torsor_set_number(NULL, "mass", 1), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_bool(NULL, "mass", true), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_text(NULL, "mass", "1"), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_vector(NULL, "mass", v3_zero()), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_numbers(NULL, "mass", &one, 1), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_matrix(NULL, "mass", &one, 1, 1), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_texts(NULL, "mass", NULL, 0), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_rotation(NULL, "mass", so3_identity()), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_marker(NULL, "mass", "b", v3_zero()), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_marker_frame(NULL, "a", "b", v3_zero(), so3_identity()), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_table(NULL, "mass", &one, &one, 1), TORSOR_ARGUMENT);
  CHECK_INT(torsor_set_json(NULL, "mass", "1"), TORSOR_ARGUMENT);
  CHECK_INT(torsor_unset(NULL, "mass"), TORSOR_ARGUMENT);
  CHECK_TRUE(!torsor_item_at(NULL, "mass"));
  CHECK_TRUE(!torsor_draft_item(NULL, "scene"));
  CHECK_TRUE(!torsor_draft_find(NULL, "a"));
  CHECK_TRUE(!torsor_element_new(NULL, "rigid_body", "a"));
  CHECK_TRUE(!torsor_draft_error(NULL));
  CHECK_INT(torsor_draft_scene(&scene, NULL, NULL), TORSOR_ARGUMENT);
  CHECK_INT(torsor_draft_text(&text, NULL, NULL), TORSOR_ARGUMENT);
  torsor_draft_clear_error(NULL);
  torsor_draft_destroy(NULL);
}

static void null_is_no_value(void **state) {
  (void)state;
  torsor_item *force;
  const double one = 1;
  torsor_draft *draft = open_draft(&force);
  CHECK_INT(torsor_set_number(force, NULL, 1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0]", "a key is needed", NULL);
  CHECK_INT(torsor_set_text(force, "number", NULL), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].number", "NULL", NULL);
  CHECK_INT(torsor_set_numbers(force, "numbers", NULL, 2), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].numbers", "NULL", NULL);
  CHECK_INT(torsor_set_numbers(force, "numbers", &one, -1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].numbers", "negative", NULL);
  CHECK_INT(torsor_set_matrix(force, "matrix", &one, 1, -1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].matrix", "negative", NULL);
  CHECK_INT(torsor_set_matrix(force, "matrix", NULL, 1, 1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].matrix", "NULL", NULL);
  CHECK_INT(torsor_set_table(force, "function", &one, NULL, 1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].function", "NULL", NULL);
  CHECK_INT(torsor_set_table(force, "function", &one, &one, -1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].function", "negative", NULL);
  CHECK_INT(torsor_set_marker(force, "marker", NULL, v3_zero()), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].marker", "NULL", NULL);
  CHECK_INT(torsor_set_json(force, "number", NULL), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].number", "NULL", NULL);
  const char *const gap[] = {"a", NULL};
  CHECK_INT(torsor_set_texts(torsor_draft_item(draft, "output"), "signals", gap, 2),
            TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "output.signals", "NULL", NULL);
  CHECK_TRUE(!torsor_element_new(draft, NULL, "a"));
  check_error(draft, TORSOR_ARGUMENT, "", "a type and a name", NULL);
  CHECK_TRUE(!torsor_element_new(draft, "probe", NULL));
  check_error(draft, TORSOR_ARGUMENT, "", "a type and a name", NULL);
  CHECK_TRUE(!torsor_draft_find(draft, NULL));
  check_error(draft, TORSOR_ARGUMENT, "", "by a name", NULL);
  CHECK_TRUE(!torsor_draft_item(draft, NULL));
  check_error(draft, TORSOR_ARGUMENT, "", "a key is needed", NULL);
  torsor_draft_destroy(draft);
}

static void near_names(void **state) {
  (void)state;
  torsor_item *force;
  torsor_draft *draft = open_draft(&force);
  CHECK_TRUE(!torsor_element_new(draft, "rigid_bdy", "a"));
  CHECK_STR(torsor_draft_error(draft)->element, "a");
  check_error(draft, TORSOR_SCENE, "bodies[2].type", "there is no body type \"rigid_bdy\"",
              "did you mean \"rigid_body\"?");
  CHECK_TRUE(!torsor_element_new(draft, "xyzzy", "a"));
  check_error(draft, TORSOR_SCENE, "", "there is no element type \"xyzzy\"", "torsor_registry_at");
  CHECK_TRUE(!torsor_element_new(draft, "probe", "a.b"));
  check_error(draft, TORSOR_SCENE, "forces[1].name", "cannot be a name: \"a.b\"", "letters");
  CHECK_TRUE(!torsor_element_new(draft, "probe", "\xff"));
  check_error(draft, TORSOR_SCENE, "forces[1].name", "the text is not UTF-8", NULL);
  CHECK_TRUE(torsor_element_new(draft, "probe", "p${1 + 1}") != NULL);
  CHECK_TRUE(!torsor_draft_find(draft, "hinges"));
  check_error(draft, TORSOR_SCENE, "", "there is no element \"hinges\"", "did you mean \"hinge\"?");
  CHECK_TRUE(!torsor_draft_item(draft, "simulations"));
  check_error(draft, TORSOR_SCENE, "simulations", "unknown key \"simulations\" in a scene",
              "did you mean \"simulation\"?");
  CHECK_TRUE(!torsor_draft_item(draft, "gravity"));
  check_error(draft, TORSOR_SCENE, "gravity", "must be an array of 3 numbers, but is an object",
              NULL);
  CHECK_TRUE(!torsor_draft_item(draft, "joints"));
  check_error(draft, TORSOR_ARGUMENT, "joints", "has no members: it is an array of 1", NULL);
  CHECK_INT(torsor_set_number(force, "numbr", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].numbr", "unknown key \"numbr\" in probe",
              "did you mean \"number\"?");
  CHECK_INT(torsor_unset(force, "numbr"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].numbr", "unknown key", NULL);
  CHECK_TRUE(!torsor_item_at(force, "sectio"));
  check_error(draft, TORSOR_SCENE, "forces[0].sectio", "unknown key", "\"section\"");
  CHECK_TRUE(!torsor_item_at(force, "number"));
  check_error(draft, TORSOR_SCENE, "forces[0].number", "must be a number", "torsor_set_number");
  torsor_item *simulation = torsor_draft_item(draft, "simulation");
  CHECK_INT(torsor_set_number(simulation, "stepp", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "simulation.stepp", "unknown key", "\"step\"");
  CHECK_INT(torsor_set_number(torsor_draft_item(draft, "output"), "evry", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "output.evry", "unknown key", "\"every\"");
  CHECK_INT(torsor_set_number(torsor_draft_item(draft, "statics"), "stepps", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "statics.stepps", "unknown key", "\"steps\"");
  CHECK_INT(torsor_set_number(torsor_draft_item(draft, "parameters"), "pi", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "parameters.pi", "is a constant", NULL);
  CHECK_INT(torsor_set_bool(torsor_draft_item(draft, "functions"), "f", true), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "functions.f", "must be a function of t, but is true", NULL);
  CHECK_INT(torsor_set_text(torsor_draft_item(draft, "sections"), "s", "bar"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "sections.s", "must be a section", NULL);
  torsor_draft_destroy(draft);
}

static void numbers_are_finite(void **state) {
  (void)state;
  torsor_item *force;
  torsor_draft *draft = open_draft(&force);
  const double bad[] = {1, 2, 3, 4, 5, HUGE_VAL};
  CHECK_INT(torsor_set_number(force, "number", nan("")), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].number", "must be a finite number, but is nan", NULL);
  CHECK_INT(torsor_set_number(force, "number", -HUGE_VAL), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].number", "but is -inf", NULL);
  CHECK_INT(torsor_set_vector(force, "vector", (v3){1, nan(""), 3}), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].vector[1]", "but is nan", NULL);
  CHECK_INT(torsor_set_matrix(force, "matrix", bad, 2, 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].matrix[1][2]", "but is inf", NULL);
  CHECK_INT(torsor_set_marker(force, "marker", "box", (v3){0, 0, HUGE_VAL}), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].marker.position[2]", "but is inf", NULL);
  CHECK_INT(torsor_set_rotation(force, "orientation", (so3){.w = nan("")}), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].orientation.quaternion[0]", "but is nan", NULL);
  CHECK_INT(torsor_set_rotation(force, "orientation", (so3){0}), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].orientation.quaternion",
              "must have length 1, but is zero", NULL);
  CHECK_INT(torsor_set_number(torsor_draft_item(draft, "simulation"), "step", nan("")),
            TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "simulation.step", "but is nan", NULL);
  CHECK_INT(torsor_set_number(torsor_draft_find(draft, "box"), "mass", -2), TORSOR_SCENE);
  CHECK_STR(torsor_draft_error(draft)->element, "box");
  check_error(draft, TORSOR_SCENE, "bodies[0].mass", "must be greater than 0, but is -2",
              "mass, in kg");
  torsor_draft_destroy(draft);
}

static void sizes(void **state) {
  (void)state;
  torsor_item *force;
  torsor_draft *draft = open_draft(&force);
  const double many[36] = {0};
  CHECK_INT(torsor_set_numbers(force, "vector", many, 4), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].vector",
              "must be an array of 3 numbers, but is an array of 4", "torsor_set_vector");
  CHECK_INT(torsor_set_matrix(force, "matrix6", many, 6, 5), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].matrix6[0]", "array of 6 numbers", NULL);
  CHECK_INT(torsor_set_matrix(force, "matrix6", many, 5, 6), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].matrix6", "a list of 6 rows, but has 5", NULL);
  CHECK_INT(torsor_set_matrix(force, "inertia", many, 2, 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].inertia", "[Jx, Jy, Jz] or a 3x3 matrix",
              "torsor_set_matrix");
  CHECK_INT(torsor_set_matrix(force, "matrix", many, 0, 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].matrix", "needs 1 to 6000 rows", NULL);
  CHECK_INT(torsor_set_matrix(force, "matrix", many, 3, 0), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].matrix", "needs 1 to 6000 rows", NULL);
  CHECK_INT(torsor_set_matrix(force, "curve", many, 3, 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].curve.points[1]", "repeats the point", NULL);
  CHECK_INT(torsor_set_table(force, "function", NULL, NULL, 0), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].function.table", "needs at least 3 rows", NULL);
  CHECK_INT(torsor_set_table(force, "function", many, many, 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].function.table[1]", "must increase", NULL);
  CHECK_INT(torsor_set_numbers(force, "numbers", NULL, 0), TORSOR_OK);
  CHECK_INT(torsor_set_texts(torsor_draft_item(draft, "output"), "signals", NULL, 0), TORSOR_OK);
  torsor_error error;
  torsor_scene *scene = NULL;
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_OK);
  CHECK_INT(kept.numbers.count, 0);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

/* A member that is set behind a table or behind points may make them good. */
static void later_members(void **state) {
  (void)state;
  static const double x[] = {0, 1}, y[] = {0, 2};
  /* too sharp for an open curve, not for a closed one */
  static const double sharp[6][3] = {{1.75, 2},   {0.25, 0.75}, {1.75, 1.25},
                                     {0.5, 0.75}, {1.5, 1.5},   {0, 0.5}};
  torsor_item *force;
  torsor_error error;
  torsor_scene *scene = NULL;
  torsor_draft *draft = open_draft(&force);
  CHECK_INT(torsor_set_table(force, "function", x, y, 2), TORSOR_OK);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "forces[0].function.table");
  CHECK_CONTAINS(error.message, "cubic interpolation needs at least 3 rows, but has 2");
  CHECK_STR(error.element, "probe");
  torsor_set_text(torsor_item_at(force, "function"), "interpolation", "linear");
  CHECK_INT(torsor_set_matrix(force, "curve", sharp[0], 6, 3), TORSOR_OK);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "forces[0].curve.points");
  CHECK_CONTAINS(error.message, "too sharply");
  CHECK_INT(torsor_set_bool(torsor_item_at(force, "curve"), "closed", true), TORSOR_OK);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_OK);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

static const char *canonical(torsor_scene **scene, torsor_draft *draft) {
  torsor_error error = {0};
  torsor_scene_destroy(*scene);
  const torsor_status status = torsor_draft_scene(scene, draft, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  return torsor_scene_canonical(*scene);
}

/* Inputs, and what uses them before they are there. */
static void inputs(void **state) {
  (void)state;
  torsor_item *force;
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_draft *draft = open_draft(&force);
  CHECK_INT(torsor_set_text(force, "function", "2*push + t"), TORSOR_OK);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "forces[0].function");
  torsor_item *all = torsor_draft_item(draft, "inputs");
  CHECK_INT(torsor_set_text(torsor_item_at(all, "push"), "unit", "N"), TORSOR_OK);
  CHECK_INT(torsor_set_number(all, "wind", 3), TORSOR_OK);
  CHECK_INT(torsor_set_number(all, "sin", 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "inputs.sin", "\"sin\" is taken", NULL);
  CHECK_INT(torsor_set_bool(all, "gust", true), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "inputs.gust", "must be a number", NULL);
  CHECK_INT(torsor_set_json(all, "gust", "{\"vale\": 1}"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "inputs.gust.vale", "unknown key", "\"value\"");
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_OK);
  CHECK_CONTAINS(torsor_scene_canonical(scene),
                 "\"inputs\":{\"push\":{\"unit\":\"N\"},\"wind\":3}");
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

static void last_one_counts(void **state) {
  (void)state;
  torsor_item *force;
  torsor_scene *scene = NULL, *bare = NULL;
  torsor_draft *draft = open_draft(&force);
  const char *plain = canonical(&bare, draft);
  torsor_set_number(force, "number", 1);
  torsor_set_number(force, "number", 2);
  CHECK_CONTAINS(canonical(&scene, draft), "\"number\":2");
  CHECK_NEAR(kept.number, 2, 0);
  /* a value that is refused leaves the one before */
  CHECK_INT(torsor_set_bool(force, "number", true), TORSOR_SCENE);
  torsor_draft_clear_error(draft);
  CHECK_CONTAINS(canonical(&scene, draft), "\"number\":2");
  CHECK_INT(torsor_unset(force, "number"), TORSOR_OK);
  CHECK_INT(torsor_unset(force, "number"), TORSOR_OK);
  CHECK_STR(canonical(&scene, draft), plain);
  /* comments are no part of the scene */
  CHECK_INT(torsor_set_text(force, "_why", "because"), TORSOR_OK);
  CHECK_INT(torsor_set_json(force, "comment", "[[1], {\"a\": null}]"), TORSOR_OK);
  CHECK_STR(canonical(&scene, draft), plain);
  torsor_scene_destroy(scene);
  torsor_scene_destroy(bare);
  torsor_draft_destroy(draft);
}

/* The first error stays, and is what scene and text say. */
static void first_error_is_kept(void **state) {
  (void)state;
  torsor_item *force;
  torsor_error error;
  torsor_scene *scene = NULL;
  char *text = NULL;
  torsor_draft *draft = open_draft(&force);
  CHECK_INT(torsor_set_text(force, "choice", "blue"), TORSOR_SCENE);
  CHECK_INT(torsor_set_number(force, "number", nan("")), TORSOR_SCENE);
  CHECK_INT(torsor_set_number(torsor_element_new(draft, "prob", "q"), "number", 1),
            TORSOR_ARGUMENT);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "forces[0].choice");
  CHECK_STR(error.element, "probe");
  CHECK_STR(error.message, "must be \"red\" or \"green\", but is \"blue\"");
  CHECK_INT(torsor_draft_text(&text, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "forces[0].choice");
  CHECK_TRUE(!scene && !text);
  CHECK_INT(torsor_draft_scene(&scene, draft, NULL), TORSOR_SCENE);
  CHECK_INT(torsor_draft_text(&text, draft, NULL), TORSOR_SCENE);
  torsor_draft_clear_error(draft);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_OK);
  CHECK_STR(error.message, "");
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

/* An item is the same one as long as its object is there, and of no use afterwards. */
static void items_end(void **state) {
  (void)state;
  torsor_item *force;
  torsor_draft *draft = open_draft(&force);
  CHECK_TRUE(torsor_draft_find(draft, "probe") == force);
  torsor_item *top = torsor_draft_item(draft, "scene");
  torsor_item *marker = torsor_item_at(force, "marker");
  CHECK_TRUE(marker == torsor_item_at(force, "marker"));
  torsor_item *turn = torsor_item_at(marker, "orientation");
  CHECK_INT(torsor_set_text(marker, "body", "box"), TORSOR_OK);
  CHECK_INT(torsor_set_marker(force, "marker", "box", v3_zero()), TORSOR_OK);
  CHECK_INT(torsor_set_text(marker, "body", "box"), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].marker", "was replaced or removed",
              "find it anew");
  CHECK_INT(torsor_set_text(turn, "euler", "xyz"), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0].marker.orientation", "was replaced", NULL);
  CHECK_TRUE(!torsor_item_at(turn, "x"));
  check_error(draft, TORSOR_ARGUMENT, "forces[0].marker.orientation", "was replaced", NULL);
  marker = torsor_item_at(force, "marker"); /* the new object */
  CHECK_INT(torsor_set_text(marker, "body", "ground"), TORSOR_OK);
  CHECK_INT(torsor_set_text(force, "marker", "box"), TORSOR_OK);
  CHECK_TRUE(!torsor_item_at(force, "marker"));
  check_error(draft, TORSOR_ARGUMENT, "forces[0].marker", "it is \"box\"", "torsor_unset");
  CHECK_INT(torsor_unset(top, "forces"), TORSOR_OK);
  CHECK_INT(torsor_set_number(force, "number", 1), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "forces[0]", "was replaced or removed", NULL);
  torsor_item *again = torsor_element_new(draft, "probe", "probe");
  CHECK_TRUE(again && again != force);
  CHECK_INT(torsor_set_number(again, "number", 1), TORSOR_OK);
  CHECK_INT(torsor_set_json(top, "forces", "[{\"name\": \"x\"}, {\"type\": \"probe\"}]"),
            TORSOR_OK);
  CHECK_INT(torsor_set_number(again, "number", 1), TORSOR_ARGUMENT);
  torsor_draft_clear_error(draft);
  CHECK_TRUE(!torsor_draft_find(draft, "x")); /* it has no type */
  torsor_draft_clear_error(draft);
  again = torsor_element_new(draft, "probe", "third");
  CHECK_INT(torsor_set_bool(again, "number", true), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[2].number", "must be a number", NULL);
  CHECK_INT(torsor_set_number(top, "forces", 3), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces", "must be forces, an array [...], but is 3", NULL);
  torsor_draft_destroy(draft);
}

/* A refused element leaves nothing behind; a scene whose elements were not read yet may have
 * something else in place of their lists. */
static void refused_elements(void **state) {
  (void)state;
  static const char odd[] = "{\"torsor\": 1, \"bodies\": 3, \"joints\": [7, {}]}";
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_draft *draft = NULL;
  char *text = NULL;
  CHECK_INT(torsor_draft_create(&draft, types, &error), TORSOR_OK);
  CHECK_TRUE(!torsor_element_new(draft, "probe", "a.b"));
  check_error(draft, TORSOR_SCENE, "forces[0].name", "cannot be a name", NULL);
  CHECK_INT(torsor_draft_text(&text, draft, &error), TORSOR_OK);
  CHECK_STR(text, "{\n  \"torsor\": 1\n}\n");
  torsor_text_free(text);
  torsor_draft_destroy(draft);
  CHECK_INT(torsor_scene_parse(&scene, odd, strlen(odd), "odd", types, NULL, 0, &error), TORSOR_OK);
  CHECK_INT(torsor_draft_open(&draft, scene, &error), TORSOR_OK);
  torsor_scene_destroy(scene);
  CHECK_TRUE(!torsor_element_new(draft, "rigid_body", "a"));
  check_error(draft, TORSOR_SCENE, "bodies", "is not a list", "torsor_unset");
  CHECK_TRUE(!torsor_draft_find(draft, "a"));
  check_error(draft, TORSOR_SCENE, "", "there is no element \"a\"", NULL);
  CHECK_TRUE(torsor_element_new(draft, "spherical", "a") != NULL);
  CHECK_INT(torsor_set_number(torsor_draft_find(draft, "a"), "b", 1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "joints[2].b", "must be a marker", "torsor_set_marker");
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "bodies");
  torsor_draft_destroy(draft);
}

/* Another type for an element: its parameters are those of that type from then on. */
static void types_change(void **state) {
  (void)state;
  torsor_item *force;
  torsor_draft *draft = open_draft(&force);
  torsor_item *box = torsor_draft_find(draft, "box");
  CHECK_INT(torsor_set_text(box, "type", "probe"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "bodies[0].type", "\"probe\" is a force, not a body",
              "\"forces\"");
  CHECK_INT(torsor_set_text(box, "type", "point_mass"), TORSOR_OK);
  CHECK_INT(torsor_set_vector(box, "inertia", (v3){1, 1, 1}), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "bodies[0].inertia", "unknown key \"inertia\" in point_mass",
              NULL);
  CHECK_INT(torsor_set_text(box, "name", "case"), TORSOR_OK);
  CHECK_TRUE(torsor_draft_find(draft, "case") == box);
  CHECK_INT(torsor_set_text(box, "name", "a b"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "bodies[0].name", "cannot be a name", NULL);
  CHECK_INT(torsor_set_bool(force, "active", false), TORSOR_OK);
  CHECK_INT(torsor_set_text(force, "active", "no"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].active", "must be true or false", NULL);
  CHECK_INT(torsor_set_bool(box, "active", false), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "bodies[0].active", "unknown key", NULL);
  CHECK_INT(torsor_set_number(force, "repeat", -1), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "forces[0].repeat", "must be at least 0, but is -1", NULL);
  torsor_draft_destroy(draft);
}

static void texts(void **state) {
  (void)state;
  static const char strange[] = "say \"hi\" \\ \xe2\x82\xac\t\x01 \xf0\x9f\x8c\x80";
  torsor_item *force;
  torsor_error error = {0};
  torsor_scene *scene = NULL, *again = NULL;
  char *text = NULL;
  torsor_draft *draft = open_draft(&force);
  torsor_item *top = torsor_draft_item(draft, "scene");
  CHECK_INT(torsor_set_text(top, "title", strange), TORSOR_OK);
  CHECK_INT(torsor_set_number(top, "_\"key\" \xc3\xa9", 1), TORSOR_OK);
  canonical(&scene, draft);
  CHECK_STR(torsor_scene_title(scene), strange);
  CHECK_STR(torsor_scene_name(scene), "");
  CHECK_STR(torsor_scene_file(scene, 0), "");
  CHECK_INT(torsor_draft_text(&text, draft, &error), TORSOR_OK);
  CHECK_CONTAINS(text, "\"_\\\"key\\\" \xc3\xa9\": 1");
  CHECK_INT(torsor_scene_parse(&again, text, strlen(text), "x", types, NULL, 0, &error), TORSOR_OK);
  CHECK_STR(torsor_scene_title(again), strange);
  CHECK_STR(torsor_scene_hash(again), torsor_scene_hash(scene));
  CHECK_INT(torsor_set_text(top, "title", "\xc3"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "title", "not UTF-8", NULL);
  CHECK_INT(torsor_set_text(top, "_\xff", "a"), TORSOR_ARGUMENT);
  check_error(draft, TORSOR_ARGUMENT, "", "the key is not UTF-8", NULL);
  CHECK_INT(torsor_set_json(top, "_x", "{\"a\": [1,]}"), TORSOR_SCENE);
  check_error(draft, TORSOR_SCENE, "_x", "column 9 of the text", NULL);
  CHECK_INT(torsor_set_json(top, "_x", "\xef\xbb\xbf{\"a\": [1]}"), TORSOR_OK);
  CHECK_INT(torsor_set_json(top, "_x", ""), TORSOR_SCENE);
  torsor_draft_clear_error(draft);
  torsor_text_free(text);
  torsor_scene_destroy(scene);
  torsor_scene_destroy(again);
  torsor_draft_destroy(draft);
}

/* As deep as a file may be, and no deeper: nothing recurses further. */
static void nesting(void **state) {
  (void)state;
  torsor_item *force;
  torsor_error error = {0};
  torsor_scene *scene = NULL, *again = NULL;
  char *text = NULL, deep[400];
  torsor_draft *draft = open_draft(&force);
  torsor_item *item = torsor_draft_item(draft, "scene");
  for (int level = 2; level <= 100; ++level) item = torsor_item_at(item, "_in");
  CHECK_TRUE(item != NULL);
  CHECK_INT(torsor_set_number(item, "x", 1), TORSOR_OK);
  CHECK_INT(torsor_set_vector(item, "x", v3_zero()), TORSOR_SCENE);
  CHECK_CONTAINS(torsor_draft_error(draft)->message, "nested deeper than 100");
  torsor_draft_clear_error(draft);
  CHECK_TRUE(!torsor_item_at(item, "_in"));
  CHECK_CONTAINS(torsor_draft_error(draft)->message, "nested deeper than 100");
  torsor_draft_clear_error(draft);
  canonical(&scene, draft);
  CHECK_INT(torsor_draft_text(&text, draft, &error), TORSOR_OK);
  CHECK_INT(torsor_scene_parse(&again, text, strlen(text), "x", types, NULL, 0, &error), TORSOR_OK);
  CHECK_STR(torsor_scene_hash(again), torsor_scene_hash(scene));
  for (int depth = 98; depth <= 99; ++depth) { /* the scene and "_y" are two of 100 levels */
    memset(deep, '[', (size_t)depth);
    memset(deep + depth, ']', (size_t)depth);
    deep[2 * depth] = '\0';
    const torsor_status expected = depth == 98 ? TORSOR_OK : TORSOR_SCENE;
    CHECK_INT(torsor_set_json(torsor_draft_item(draft, "output"), "_y", deep), expected);
  }
  torsor_text_free(text);
  torsor_scene_destroy(scene);
  torsor_scene_destroy(again);
  torsor_draft_destroy(draft);
}

static void whole_scenes(void **state) {
  (void)state;
  torsor_error error;
  torsor_scene *scene = NULL;
  torsor_draft *draft = NULL;
  CHECK_INT(torsor_draft_create(&draft, types, &error), TORSOR_OK);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "no body");
  CHECK_CONTAINS(error.hint, "torsor_element_new(draft, \"point_mass\", \"ball\")");
  CHECK_STR(error.file, "");
  CHECK_INT(error.line, 0);
  torsor_item *ball = torsor_element_new(draft, "point_mass", "ball");
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.path, "bodies[0].mass");
  CHECK_STR(error.element, "ball");
  CHECK_STR(error.message, "is missing: point_mass needs it");
  CHECK_STR(error.parameter, "mass");
  torsor_set_text(ball, "mass", "2*m"); /* what m is may follow */
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "there is no parameter \"m\"");
  CHECK_STR(error.element, "ball");
  torsor_set_number(torsor_draft_item(draft, "parameters"), "m", -1);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_SCENE);
  CHECK_STR(error.message, "must be greater than 0, but is -2 (\"2*m\")");
  torsor_set_number(torsor_draft_item(draft, "parameters"), "m", 1);
  CHECK_INT(torsor_draft_scene(&scene, draft, &error), TORSOR_OK);
  /* the error of an analysis finds its element, and keeps a place that is there already */
  torsor_error other = {.element = "ball"};
  torsor_scene_locate(scene, &other);
  CHECK_STR(other.path, "bodies[0]");
  snprintf(other.path, sizeof other.path, "bodies[0].mass");
  torsor_scene_locate(scene, &other);
  CHECK_STR(other.path, "bodies[0].mass");
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(null_does_nothing),
                                     cmocka_unit_test(null_is_no_value),
                                     cmocka_unit_test(near_names),
                                     cmocka_unit_test(numbers_are_finite),
                                     cmocka_unit_test(sizes),
                                     cmocka_unit_test(later_members),
                                     cmocka_unit_test(inputs),
                                     cmocka_unit_test(last_one_counts),
                                     cmocka_unit_test(first_error_is_kept),
                                     cmocka_unit_test(items_end),
                                     cmocka_unit_test(refused_elements),
                                     cmocka_unit_test(types_change),
                                     cmocka_unit_test(texts),
                                     cmocka_unit_test(nesting),
                                     cmocka_unit_test(whole_scenes)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
