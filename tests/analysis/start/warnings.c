/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probable oversights are reported, and the scenes that ship have none. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "support.h"

#define BODY(name, inertia, x)                                                                     \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": " inertia          \
  ", \"position\": [" x ", 0, 0]}"
#define HELD(type, more, inertia)                                                                  \
  "{\"torsor\": 1, \"bodies\": [" BODY("b", inertia,                                               \
                                       "1") "], \"joints\": [{\"name\": \"j\","                    \
                                            " \"type\": \"" type "\"" more                         \
                                            ", \"a\": \"ground\", \"b\": {\"body\": \"b\","        \
                                            " \"position\": [-1, 0, 0]}}]}"

/* All warnings of a scene in one text. */
static void warnings_of(char *out, size_t size, const char *text) {
  support_world world;
  torsor_error error = {0};
  torsor_check check;
  torsor_status status = support_open(&world, text, NULL, &error);
  if (!status) status = torsor_check_model(&check, world.model, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < check.warning_count; ++i) {
    print_message("  %s\n", check.warnings[i]);
    used += (size_t)snprintf(out + used, size - used, "%s\n", check.warnings[i]);
  }
  torsor_check_destroy(&check);
  support_close(&world);
}

/* Two hinges side by side hold a plate, unless a drive leads what they leave: rows that repeat
 * others leave nothing more free. A bar between two posts whose axes are off by a little is held by
 * that little alone. */
#define PLATE(more)                                                                                \
  "{\"torsor\": 1, \"bodies\": [" BODY(                                                            \
      "b", "[1, 1, 1]", "0.5") "], \"joints\": [{\"name\": \"h\", \"type\": "                      \
                               "\"revolute\", \"a\": \"ground\", \"b\": {\"body\": \"b\", "        \
                               "\"position\": [-0.5, 0, 0]}}" more "]}"
#define POST(angle)                                                                                \
  ", {\"name\": \"g\", \"type\": \"revolute\", \"axis\": [0, " angle                               \
  ", 1], \"a\": {\"body\": \"ground\", "                                                           \
  "\"position\": [0, 0, 0]}, \"b\": {\"body\": \"b\", \"position\": [-0.5, 0, 0]}}"

static void what_cannot_move_is_reported(void **state) {
  (void)state;
  static const struct {
    const char *text, *reported, *more;
  } cases[] = {
      {PLATE(", {\"name\": \"g\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\", "
             "\"position\": [1, 0, 0]}, "
             "\"b\": {\"body\": \"b\", \"position\": [0.5, 0, 0]}}"),
       "the scene cannot move", NULL},
      {PLATE(POST("2e-5")), "the scene cannot move",
       "of joint \"g\" is nearly a combination of others"},
      {PLATE(POST("0.3")), "the scene cannot move", NULL},
      {PLATE(POST("0")), NULL, NULL},
      {PLATE(""), NULL, NULL},
      {PLATE(", {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": \"h.angle\", \"motion\": "
             "\"0.1*t\"}"),
       NULL, NULL},
      {PLATE(", {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": \"h.angle\", \"motion\": "
             "\"0.1*load\"}"),
       NULL, NULL},
      {PLATE(", {\"name\": \"d\", \"type\": \"velocity_drive\", \"coordinate\": \"h.angle\", "
             "\"rate\": 2}"),
       NULL, NULL},
      {PLATE(", {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": \"h.angle\", \"motion\": "
             "\"0\"}"),
       "the scene cannot move", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char reported[2000];
    warnings_of(reported, sizeof reported, cases[i].text);
    if (cases[i].reported)
      CHECK_CONTAINS(reported, cases[i].reported);
    else
      CHECK_STR(reported, "");
    if (cases[i].more) CHECK_CONTAINS(reported, cases[i].more);
    if (cases[i].reported && !cases[i].more)
      CHECK_TRUE(!strstr(reported, "is nearly a combination"));
  }
}

static void oversights_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *text, *reported; /* reported: NULL = nothing */
  } cases[] = {
      {"{\"torsor\": 1, \"bodies\": [" BODY("b", "[1, 1, 1]", "1") ", " BODY(
           "loose", "[1, 1, 1]",
           "5") "], \"joints\": [{\"name\": \"j\", \"type\": \"spherical\", \"a\": \"ground\","
                " \"b\": {\"body\": \"b\", \"position\": [-1, 0, 0]}}]}",
       "no joint or force acts on body \"loose\""},
      {"{\"torsor\": 1, \"gravity\": [0, 0, -9810], \"bodies\": [" BODY("b", "[1, 1, 1]", "0") "]}",
       "not in millimetres"},
      {"{\"torsor\": 1, \"gravity\": [0, 0, -274], \"bodies\": [" BODY("b", "[1, 1, 1]", "0") "]}",
       NULL},
      {HELD("spherical", "", "[1e6, 1e6, 1e6]"), "radius of gyration of 1.22e+03 m"},
      {HELD("spherical", "", "[1e-7, 1e-7, 1e-7]"), NULL}, /* a small bob */
      {HELD("spherical", "", "[1e-14, 0.1, 0.1]"), "about its axis [1, 0, 0]"},
      {HELD("spherical", "", "[[0.5, 0, 0.5], [0, 1, 0], [0.5, 0, 0.50000000000001]]"),
       NULL}, /* its joint is not on that axis: the mass has to move */
      {HELD("revolute", "", "[1e-14, 0.1, 0.1]"), NULL},
      {HELD("spherical", "", "[0.001, 0.1, 0.1]"), NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char reported[1000];
    warnings_of(reported, sizeof reported, cases[i].text);
    if (cases[i].reported)
      CHECK_CONTAINS(reported, cases[i].reported);
    else
      CHECK_STR(reported, "");
  }
}

static void shipped_scenes_have_none(void **state) {
  (void)state;
  char folder[400];
  support_path(folder, sizeof folder, "scenes");
  DIR *directory = opendir(folder);
  CHECK_TRUE(directory != NULL);
  int scenes = 0;
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char name[256];
    const char *end = strstr(entry->d_name, ".json");
    if (!end) continue;
    snprintf(name, sizeof name, "%.*s", (int)(end - entry->d_name), entry->d_name);
    support_world world;
    torsor_check check;
    torsor_error error = {0};
    support_load(&world, name, NULL);
    CHECK_INT(torsor_check_model(&check, world.model, &error), TORSOR_OK);
    for (int i = 0; i < check.warning_count; ++i) print_error("%s: %s\n", name, check.warnings[i]);
    CHECK_INT(check.warning_count, 0);
    torsor_check_destroy(&check);
    support_close(&world);
    ++scenes;
  }
  closedir(directory);
  CHECK_TRUE(scenes > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oversights_are_reported),
      cmocka_unit_test(what_cannot_move_is_reported),
      cmocka_unit_test(shipped_scenes_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
