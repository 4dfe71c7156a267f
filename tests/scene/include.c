/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <torsor/torsor.h>
#include <unistd.h>

/** Scenes made of several files. */

static char folder[] = "/tmp/torsor_test_XXXXXX";
static char path[5][300]; /* main, a, b, sub, sub/c */
static torsor_registry *registry;
static torsor_error error;

enum { MAIN, A, B, SUB, C };

static int set_up(void **state) {
  (void)state;
  static const char *const names[] = {"main.json", "a.json", "b.json", "sub", "sub/c.json"};
  registry = torsor_registry_create(NULL);
  if (!registry || !mkdtemp(folder)) return -1;
  for (int i = 0; i < 5; ++i) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
  return mkdir(path[SUB], 0777);
}

static int tear_down(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  unlink(path[MAIN]);
  unlink(path[A]);
  unlink(path[B]);
  unlink(path[C]);
  rmdir(path[SUB]);
  return rmdir(folder);
}

static void write_file(int which, const char *text) {
  FILE *file = fopen(path[which], "w");
  CHECK_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
}

/* Load the main file; scene and model are for the caller. */
static torsor_status load(torsor_scene **scene, torsor_model **model, const char *set) {
  *scene = NULL;
  *model = NULL;
  error = (torsor_error){0};
  torsor_status status = torsor_scene_load(scene, path[MAIN], registry, &set, set ? 1 : 0, &error);
  if (!status) status = torsor_scene_model(model, *scene, &error);
  return status;
}

static torsor_status try_load(const char *set) {
  torsor_scene *scene;
  torsor_model *model;
  const torsor_status status = load(&scene, &model, set);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  return status;
}

static void write_good(void) {
  write_file(MAIN,
             "{\"torsor\": 1, \"include\": [\"a.json\", \"sub/c.json\"],\n"
             " \"parameters\": {\"m\": \"q + 1\"},\n"
             " \"bodies\": [{\"name\": \"own\", \"type\": \"point_mass\", \"mass\": \"m\"}],\n"
             " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"a\": \"a\", \"b\": "
             "\"c\"}]}");
  write_file(A, "{\"torsor\": 1,\n \"parameters\": {\"m\": 7, \"q\": 2},\n"
                " \"functions\": {\"f\": \"q*t\"}, \"bodies\": [\n"
                "  {\"name\": \"a\", \"type\": \"point_mass\", \"mass\": \"q\"}]}");
  write_file(C, "\xef\xbb\xbf{\"torsor\": 1, \"include\": [\"../b.json\", \"../a.json\"],\n"
                " \"bodies\": [{\"name\": \"c\", \"type\": \"point_mass\", \"mass\": 1,\n"
                "   \"position\": [0, 0, \"q\"]}]}");
  write_file(B, "{\"torsor\": 1, \"parameters\": {\"q\": 3}}");
}

static void contents_come_in_front(void **state) {
  (void)state;
  torsor_scene *scene;
  torsor_model *model;
  write_good();
  const torsor_status status = load(&scene, &model, NULL);
  if (status) print_error("%s: %s: %s\n", error.file, error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_STR(torsor_model_element_name(model, 0), "a");
  CHECK_STR(torsor_model_element_name(model, 1), "c");
  CHECK_STR(torsor_model_element_name(model, 2), "own");
  CHECK_STR(torsor_scene_canonical(scene),
            "{\"bodies\":[{\"mass\":\"q\",\"name\":\"a\",\"type\":\"point_mass\"},"
            "{\"mass\":1,\"name\":\"c\",\"position\":[0,0,\"q\"],\"type\":\"point_mass\"},"
            "{\"mass\":\"m\",\"name\":\"own\",\"type\":\"point_mass\"}],"
            "\"functions\":{\"f\":\"q*t\"},"
            "\"joints\":[{\"a\":\"a\",\"b\":\"c\",\"name\":\"rod\",\"type\":\"distance\"}],"
            "\"parameters\":{\"m\":\"q + 1\",\"q\":3},\"torsor\":1}");
  /* Errors of analyses find the element in its own file. */
  error = (torsor_error){0};
  torsor_blame(&error, "c");
  torsor_scene_locate(scene, &error);
  CHECK_STR(error.file, path[C]);
  CHECK_STR(error.path, "bodies[0]");
  CHECK_INT(error.line, 2);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
}

static void errors_name_the_file(void **state) {
  (void)state;
  static const struct {
    int file;
    const char *text, *set, *path, *message;
    int where, line;
  } table[] = {
      {C, "{\"torsor\": 1,\n \"bodies\": [\n  {\"name\": \"c\", \"type\": \"point_mass\"}]}", NULL,
       "bodies[0].mass", "is missing", C, 3},
      {A, "{\"torsor\": 1,\n \"parameters\": {\"q\": 1,\n  \"z\": \"y\"}}", NULL, "parameters.z",
       "there is no parameter \"y\"", A, 3},
      {A, "{\"torsor\": 1,\n \"functions\": {\"f\": true}}", NULL, "functions.f", "function of t",
       A, 2},
      {A, "{\"torsor\": 1,", NULL, "", "ends", A, 1},
      {A, "[]", NULL, "", "must be an included file, an object", A, 1},
      {A, "{\"bodies\": []}", NULL, "torsor", "must be 1", A, 1},
      {A, "{\"torsor\": 1,\n \"gravity\": [0, 0, 0]}", NULL, "gravity", "unknown key \"gravity\"",
       A, 2},
      {A, "{\"torsor\": 1,\n \"bodies\": {}}", NULL, "bodies", "must be bodies, an array", A, 2},
      {A, "{\"torsor\": 1,\n \"parameters\": 3}", NULL, "parameters", "must be parameters", A, 2},
      {A, "{\"torsor\": 1,\n \"include\": [\"main.json\"]}", NULL, "include[0]", "in a circle", A,
       2},
      {A, "{\"torsor\": 1,\n \"include\": [\"./a.json\"]}", NULL, "include[0]", "in a circle", A,
       2},
      {A, "{\"torsor\": 1,\n \"include\": [\"no.json\"]}", NULL, "include[0]", "No such file", A,
       2},
      {A, "{\"torsor\": 1,\n \"include\": [\"sub\"]}", NULL, "include[0]", "Is a directory", A, 2},
      {A, "{\"torsor\": 1,\n \"include\": [3]}", NULL, "include[0]", "must be a text", A, 2},
      {A, "{\"torsor\": 1,\n \"include\": \"b.json\"}", NULL, "include",
       "must be included files, an array", A, 2},
      {MAIN,
       "{\"torsor\": 1, \"include\": [\"a.json\"], \"bodies\": [\n"
       " {\"name\": \"x\", \"type\": \"point_mass\", \"mass\": 1},\n {\"name\": \"a\", "
       "\"type\": \"point_mass\", \"mass\": 1}]}",
       NULL, "bodies[1].name", "", MAIN, 3},
      {MAIN, "{\"torsor\": 1, \"include\": [\"a.json\"],\n \"bodies\": 3}", NULL, "bodies",
       "must be bodies, an array", MAIN, 2},
      {MAIN, "{\"torsor\": 1, \"include\": [\"a.json\"],\n \"parameters\": 3}", NULL, "parameters",
       "must be the parameters", MAIN, 2},
      {B, "{\"torsor\": 1, \"parameters\": {\"q\": 3}}", "bodies[1].mass=-1", "bodies[1].mass",
       "greater than 0", -1, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    write_good();
    write_file(table[i].file, table[i].text);
    const torsor_status status = try_load(table[i].set);
    const char *file = table[i].where < 0 ? "--set bodies[1].mass=-1" : path[table[i].where];
    if (strcmp(error.file, file) || !strstr(error.message, table[i].message))
      print_error("%zu: %s: %s: %s\n", i, error.file, error.path, error.message);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_STR(error.file, file);
    CHECK_STR(error.path, table[i].path);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_INT(error.line, table[i].line);
  }
  print_message("  %zu kinds of wrong files\n", sizeof table / sizeof *table);
}

static void chains_end(void **state) {
  (void)state;
  char name[400], text[400];
  for (int i = 0; i <= 21; ++i) {
    snprintf(name, sizeof name, "%s/f%d.json", folder, i);
    snprintf(text, sizeof text, "{\"torsor\": 1, \"include\": [\"f%d.json\"]}", i + 1);
    FILE *file = fopen(name, "w");
    fputs(i < 21 ? text : "{\"torsor\": 1}", file);
    fclose(file);
  }
  write_file(MAIN, "{\"torsor\": 1, \"include\": [\"f0.json\"], \"bodies\": []}");
  CHECK_INT(try_load(NULL), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "in a chain of over 20");
  write_file(MAIN, "{\"torsor\": 1, \"include\": [\"f3.json\"], \"bodies\": [{\"name\": \"a\", "
                   "\"type\": \"point_mass\", \"mass\": 1}]}");
  CHECK_INT(try_load(NULL), TORSOR_OK);
  for (int i = 0; i <= 21; ++i) {
    snprintf(name, sizeof name, "%s/f%d.json", folder, i);
    unlink(name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contents_come_in_front),
      cmocka_unit_test(errors_name_the_file),
      cmocka_unit_test(chains_end),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
