/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

#include "bad_scenes/syntax.h"
#include "bad_scenes/values.h"

enum { ROOM = 8192 };

/* The bad scene's text; `length` without the terminating zero. */
static void make_text(char out[ROOM], const bad_scene *bad) {
  if (!bad->find) {
    snprintf(out, ROOM, "%s", bad->replace);
    return;
  }
  const char *found = strstr(good_scene, bad->find);
  CHECK_TRUE(found != NULL);
  snprintf(out, ROOM, "%.*s%s%s", (int)(found - good_scene), good_scene, bad->replace,
           found + strlen(bad->find));
}

/* Line and column, counted in characters, of byte `offset`. */
static void count_position(const char *text, size_t offset, int *line, int *column) {
  *line = *column = 1;
  const bool bom = strncmp(text, "\xef\xbb\xbf", 3) == 0;
  for (size_t i = bom ? 3 : 0; i < offset; ++i) {
    const bool inside = (text[i] & 0xc0) == 0x80;
    *column = text[i] == '\n' ? 1 : *column + !inside;
    *line += text[i] == '\n';
  }
}

static torsor_status open_text(const char *text, torsor_error *error) {
  torsor_registry *registry = torsor_registry_create(error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "bad.json", registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, scene, error);
  CHECK_TRUE(!status == (model != NULL));
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status;
}

/* Returns a description of the expected part that the error lacks, or NULL. */
static const char *wrong_part(const torsor_error *error, const bad_scene *bad, const char *text) {
  const char *at = bad->at ? strstr(text, bad->at) : text + strlen(text);
  int line = 0, column = 0;
  if (at) count_position(text, (size_t)(at - text), &line, &column);
  if (strcmp(error->file, "bad.json") != 0) return "file";
  if (bad->path && strcmp(error->path, bad->path) != 0) return "path";
  if (bad->message && !strstr(error->message, bad->message)) return "message";
  if (bad->hint && !strstr(error->hint, bad->hint)) return "hint";
  if (!error->message[0]) return "message";
  if (error->line < 1 || error->column < 1) return "place";
  const bool placed = bad->at || (bad->path && !bad->path[0]);
  if (placed && (!at || error->line != line || error->column != column)) return "place";
  return NULL;
}

static void check_table(const bad_scene *table, size_t count) {
  int wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    char text[ROOM];
    make_text(text, &table[i]);
    torsor_error error = {0};
    const torsor_status status = open_text(text, &error);
    const char *part = status != TORSOR_SCENE ? "status" : wrong_part(&error, &table[i], text);
    if (!part) continue;
    ++wrong;
    print_error("%zu: '%s' -> '%s': wrong %s\n  %s: %s:%d:%d: %s: %s\n  hint: %s\n", i,
                table[i].find ? table[i].find : "", table[i].replace, part,
                torsor_status_name(status), error.file, error.line, error.column, error.path,
                error.message, error.hint);
  }
  print_message("  %zu kinds of bad scenes, %d with a wrong answer\n", count, wrong);
  CHECK_INT(wrong, 0);
}

static void good_scene_is_good(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(open_text(good_scene, &error), TORSOR_OK);
  CHECK_STR(error.message, "");
  CHECK_STR(error.file, "");
}

static void syntax(void **state) {
  (void)state;
  check_table(bad_syntax, sizeof bad_syntax / sizeof *bad_syntax);
}

static void values(void **state) {
  (void)state;
  check_table(bad_values, sizeof bad_values / sizeof *bad_values);
}

static void nesting(void **state) {
  (void)state;
  char text[600] = "{\"torsor\": 1, \"_deep\": ";
  const size_t start = strlen(text);
  for (int depth = 99; depth <= 100; ++depth) { /* one level is the scene itself */
    memset(text + start, '[', (size_t)depth);
    memset(text + start + depth, ']', (size_t)depth);
    strcpy(text + start + 2 * depth, ", \"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", "
                                     "\"mass\": 1}]}");
    torsor_error error = {0};
    CHECK_INT(open_text(text, &error), depth == 99 ? TORSOR_OK : TORSOR_SCENE);
    if (depth == 99) continue;
    CHECK_CONTAINS(error.message, "nested deeper than 100");
    CHECK_INT(error.column, (int)start + 100);
  }
}

static void no_body(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(open_text("{\"torsor\": 1}", &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "no body");
  CHECK_INT(error.line, 1);
}

static void long_chain_of_parameters(void **state) {
  (void)state;
  char text[ROOM];
  int used = snprintf(text, ROOM, "{\"torsor\": 1, \"parameters\": {");
  for (int i = 0; i < 120; ++i)
    used += snprintf(text + used, ROOM - (size_t)used, "\"p%d\": \"p%d\", ", i, i + 1);
  snprintf(text + used, ROOM - (size_t)used, "\"p120\": 1}}");
  torsor_error error = {0};
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "in a chain of over 100");
  CHECK_STR(error.path, "parameters.p100");
}

static void long_values_are_cut(void **state) {
  (void)state;
  char text[ROOM], word[2001];
  memset(word, 'x', 2000);
  word[2000] = '\0';
  torsor_error error = {0};
  snprintf(text, ROOM, "{\"torsor\": \"%s\"}", word);
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "xxx...\"");
  snprintf(text, ROOM, "{\"torsor\": 1, \"%s\": 1}", word);
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "xxx...\"");
  snprintf(text, ROOM, "{\"torsor\": 1, \"gravity\": [0, 0, \"%s\"]}", word);
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "there is no parameter \"xxx");
  snprintf(text, ROOM, "{\"torsor\": 1, \"parameters\": {\"%.100s\": 1}}", word);
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "cannot be the name of a parameter");
  snprintf(text, ROOM, "{\"torsor\": 1, \"bodies\": [{\"name\": \"%.64s\"}]}", word);
  CHECK_INT(open_text(text, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "longer than 63");
  CHECK_INT(open_text("{\"torsor\": \"\\u001b[31m\\u007f\"}", &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "\"\\u001b[31m\\u007f\"");
}

static void columns_count_characters(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(open_text("{\"_\xc3\xa9\": \"\xe2\x82\xac\", \"torsor\": 2}", &error), TORSOR_SCENE);
  CHECK_INT(error.column, 23);
  CHECK_INT(open_text("\xef\xbb\xbf{\r\n\"torsor\": 2}", &error), TORSOR_SCENE);
  CHECK_INT(error.line, 2);
  CHECK_INT(error.column, 11);
}

static void error_may_be_null(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_values / sizeof *bad_values; ++i) {
    char text[ROOM];
    make_text(text, &bad_values[i]);
    CHECK_INT(open_text(text, NULL), TORSOR_SCENE);
  }
  for (size_t i = 0; i < sizeof bad_syntax / sizeof *bad_syntax; ++i) {
    char text[ROOM];
    make_text(text, &bad_syntax[i]);
    CHECK_INT(open_text(text, NULL), TORSOR_SCENE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_scene_is_good),
      cmocka_unit_test(syntax),
      cmocka_unit_test(values),
      cmocka_unit_test(nesting),
      cmocka_unit_test(no_body),
      cmocka_unit_test(long_chain_of_parameters),
      cmocka_unit_test(long_values_are_cut),
      cmocka_unit_test(columns_count_characters),
      cmocka_unit_test(error_may_be_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
