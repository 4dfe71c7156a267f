/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draft_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Setters of a draft take the values that suit a parameter and refuse others. */

enum { FORMS = 14 };

static const char *const form_names[FORMS] = {
    "number", "bool",  "text",     "vector", "numbers",      "matrix 3x3", "matrix 4x3",
    "6x6",    "texts", "rotation", "marker", "marker_frame", "table",      "json"};

/* Set the parameter with the form; the values are such as suit what takes them. */
static torsor_status set_form(torsor_item *force, const char *key, const char *word, int form) {
  static const double three[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, pair[2] = {1, 2};
  static const double four[12] = {0, 0, 0, 1, 0, 0, 2, 0.1, 0, 3, 0, 0};
  static const double x[] = {0, 1, 2}, y[] = {0, 2, 1};
  static const char *const texts[] = {"1", "1 + 1"};
  double six[36] = {0};
  for (int i = 0; i < 6; ++i) six[7 * i] = 1;
  switch (form) {
  case 0:
    return torsor_set_number(force, key, 2);
  case 1:
    return torsor_set_bool(force, key, true);
  case 2:
    return torsor_set_text(force, key, word);
  case 3:
    return torsor_set_vector(force, key, (v3){1, 1, 1});
  case 4:
    return torsor_set_numbers(force, key, pair, 2);
  case 5:
    return torsor_set_matrix(force, key, three, 3, 3);
  case 6:
    return torsor_set_matrix(force, key, four, 4, 3);
  case 7:
    return torsor_set_matrix(force, key, six, 6, 6);
  case 8:
    return torsor_set_texts(force, key, texts, 2);
  case 9:
    return torsor_set_rotation(force, key, so3_exp((v3){0.1, 0.2, 0.3}));
  case 10:
    return torsor_set_marker(force, key, "box", (v3){0, 0, 1});
  case 11:
    return torsor_set_marker_frame(force, key, "box", (v3){0, 0, 1}, so3_exp((v3){0, 0, 1}));
  case 12:
    return torsor_set_table(force, key, x, y, 3);
  default:
    return torsor_set_json(force, key, "null");
  }
}

/* For each kind: its parameter, a text that suits it (NULL: the name of a file), and the forms that
 * it takes. */
static const struct {
  const char *key, *word, *forms;
} kinds[] = {
    {"number", "2*pi", "number,text"},
    {"integer", "1 + 2", "number,text"},
    {"choice", "green", "text"},
    {"boolean", "true", "bool"},
    {"vector", "x", "vector"},
    {"direction", "x", "vector"},
    {"inertia", "x", "vector,matrix 3x3"},
    {"orientation", "x", "rotation"},
    {"spin", "x", "vector"},
    {"group", "SE3", "text"},
    {"marker", "box", "text,marker,marker_frame"},
    {"curve", "x", "matrix 4x3"},
    {"matrix6", "x", "6x6"},
    {"numbers", "x", "vector,numbers,texts"},
    {"section", "bar", "text"},
    {"sections", "bar", "text"},
    {"function", "sin(t)", "number,text,table"},
    {"characteristic", "2*red", "text,table"},
    {"control", "hinge.angle + t", "number,text,table"},
    {"coordinate", "hinge.angle", "text"},
    {"chain", "wing", "text"},
    {"profile", "1 - s", "number,text,table"},
    {"matrix", NULL, "text,matrix 3x3,matrix 4x3,6x6"},
    {"frames", "x", "matrix 3x3,matrix 4x3"},
};

static bool takes(const char *forms, const char *form) {
  const size_t length = strlen(form);
  for (const char *at = forms; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, form, length) == 0 && (at[length] == ',' || !at[length])) return true;
  }
  return false;
}

static void write_matrix(const char *file) {
  FILE *out = fopen(file, "w");
  CHECK_TRUE(out != NULL);
  fputs("%%MatrixMarket matrix array real general\n1 1\n3\n", out);
  CHECK_INT(fclose(out), 0);
}

static void check_form(const char *key, const char *word, int form, bool good) {
  torsor_item *force;
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_draft *draft = open_draft(&force);
  const torsor_status status = set_form(force, key, word, form);
  const torsor_error *found = torsor_draft_error(draft);
  if (status != (good ? TORSOR_OK : TORSOR_SCENE))
    print_error("%s by %s: %s %s\n", key, form_names[form], torsor_status_name(status),
                found ? found->message : "");
  CHECK_INT(status, good ? TORSOR_OK : TORSOR_SCENE);
  CHECK_INT(found != NULL, !good);
  const torsor_status whole = torsor_draft_scene(&scene, draft, &error);
  if (whole != status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(whole, status);
  if (!good) {
    char path[64];
    snprintf(path, sizeof path, "forces[0].%s", key);
    CHECK_INT(strncmp(error.path, path, strlen(path)), 0);
    CHECK_STR(error.element, "probe");
    CHECK_STR(error.parameter, key);
    CHECK_STR(error.file, "");
    CHECK_INT(error.line, 0);
    const bool json = strstr(error.message, "an array") || strstr(error.message, "in quotes") ||
                      strstr(error.hint, "{\"");
    if (json) CHECK_CONTAINS(error.hint, "in C: torsor_set_");
  }
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

static void kinds_and_setters(void **state) {
  (void)state;
  int good = 0, bad = 0;
  char file[64];
  snprintf(file, sizeof file, "/tmp/torsor_test_%ld.mtx", (long)getpid());
  write_matrix(file);
  CHECK_INT(sizeof params / sizeof *params - 1, sizeof kinds / sizeof *kinds);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    for (int form = 0; form < FORMS; ++form) {
      const bool fits = takes(kinds[i].forms, form_names[form]);
      check_form(kinds[i].key, kinds[i].word ? kinds[i].word : file, form, fits);
      good += fits;
      bad += !fits;
    }
  unlink(file);
  print_message("  %d values taken, %d refused\n", good, bad);
}

/* The values arrive in the element. */
static void values_arrive(void **state) {
  (void)state;
  torsor_item *force;
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_draft *draft = open_draft(&force);
  const so3 turn = so3_exp((v3){0.1, 0.2, 0.3});
  double six[36];
  for (int i = 0; i < 36; ++i) six[i] = i;
  static const double list[] = {3, 1, 4, 1, 5};
  torsor_set_number(force, "number", 0.1);
  torsor_set_number(force, "integer", -7);
  torsor_set_bool(force, "boolean", true);
  torsor_set_text(force, "choice", "green");
  torsor_set_vector(force, "vector", (v3){1, 2, 3});
  torsor_set_rotation(force, "orientation", turn);
  torsor_set_matrix(force, "matrix6", six, 6, 6);
  torsor_set_matrix(force, "matrix", six, 2, 3);
  torsor_set_numbers(force, "numbers", list, 5);
  torsor_set_marker_frame(force, "marker", "box", (v3){4, 5, 6}, turn);
  torsor_set_json(force, "spin", "{\"in\": \"inertial\", \"value\": [0, \"pi\", 0]}");
  const torsor_status status = torsor_draft_scene(&scene, draft, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_NEAR(kept.number, 0.1, 0);
  CHECK_INT(kept.integer, -7);
  CHECK_TRUE(kept.boolean);
  CHECK_INT(kept.choice, 1);
  CHECK_NEAR(v3_norm(v3_sub(kept.vector, (v3){1, 2, 3})), 0, 0);
  /* four numbers, scaled to length 1 */
  CHECK_NEAR(v3_norm(so3_log(so3_compose(so3_inverse(turn), kept.orientation))), 0, 4 * CHECK_EPS);
  CHECK_NEAR(kept.matrix6.m[4][2], 26, 0);
  CHECK_NEAR(v3_norm(v3_sub(kept.marker.x, (v3){4, 5, 6})), 0, 0);
  CHECK_INT(kept.numbers.count, 5);
  CHECK_INT(kept.matrix.rows, 2);
  CHECK_INT(kept.matrix.columns, 3);
  CHECK_TRUE(kept.spin.in_inertial);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_and_setters),
                                     cmocka_unit_test(values_arrive)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
