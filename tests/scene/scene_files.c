/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <torsor/torsor.h>
#include <unistd.h>

#include "bad_scenes/bad_scenes.h"

static char folder[] = "/tmp/torsor_test_XXXXXX";
static char path[300];
static torsor_error error;

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

/* `name` in the folder, with these bytes. */
static void write_file(const char *name, const char *bytes, size_t length) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  CHECK_TRUE(file != NULL);
  CHECK_INT(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* The canonical text, read in another folder, is the same scene: nothing else is needed. */
static void check_whole(const torsor_scene *scene, const torsor_registry *registry) {
  const char *text = torsor_scene_canonical(scene);
  torsor_scene *again = NULL;
  torsor_model *model = NULL;
  torsor_error failure = {0};
  CHECK_INT(torsor_scene_parse(&again, text, strlen(text), "/nonexistent/scene.json", registry,
                               NULL, 0, &failure),
            TORSOR_OK);
  CHECK_STR(torsor_scene_hash(again), torsor_scene_hash(scene));
  CHECK_STR(torsor_scene_canonical(again), text);
  CHECK_INT(torsor_scene_model(&model, again, &failure), TORSOR_OK);
  torsor_model_destroy(model);
  torsor_scene_destroy(again);
}

static torsor_status load(const char *file) {
  torsor_registry *registry = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  error = (torsor_error){0};
  torsor_status status = torsor_scene_load(&scene, file, registry, NULL, 0, &error);
  CHECK_TRUE(!status == (scene != NULL));
  if (!status) status = torsor_scene_model(&model, scene, &error);
  if (!status) check_whole(scene, registry);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status;
}

static void check_refused(const char *file, torsor_status status, const char *message) {
  CHECK_INT(load(file), status);
  CHECK_CONTAINS(error.message, message);
  CHECK_STR(error.file, file);
  CHECK_STR(error.path, "");
}

static void good(void **state) {
  (void)state;
  write_file("good.json", good_scene, strlen(good_scene));
  CHECK_INT(load(path), TORSOR_OK);
  unlink(path);
}

static void byte_order_mark(void **state) {
  (void)state;
  char bytes[4096];
  snprintf(bytes, sizeof bytes, "\xef\xbb\xbf%s", good_scene);
  write_file("bom.json", bytes, strlen(bytes));
  CHECK_INT(load(path), TORSOR_OK);
  unlink(path);
}

static void missing(void **state) {
  (void)state;
  check_refused("/nonexistent/scene.json", TORSOR_FILE, "No such file");
  CHECK_CONTAINS(error.hint, "name");
}

static void directory(void **state) {
  (void)state;
  check_refused(folder, TORSOR_FILE, "Is a directory");
}

static void unreadable(void **state) {
  (void)state;
  write_file("secret.json", good_scene, strlen(good_scene));
  chmod(path, 0);
  if (geteuid() == 0)
    print_message("  root reads everything: permission not tested\n");
  else
    check_refused(path, TORSOR_FILE, "Permission denied");
  unlink(path);
  check_refused("/proc/self/mem", TORSOR_FILE, "cannot be read");
}

static void empty(void **state) {
  (void)state;
  write_file("empty.json", "", 0);
  check_refused(path, TORSOR_SCENE, "the file is empty");
  CHECK_INT(error.line, 1);
  unlink(path);
}

static void binary(void **state) {
  (void)state;
  static const char elf[] = "\x7f"
                            "ELF\2\1\1\0\0\0\0\0";
  write_file("binary.json", elf, sizeof elf);
  check_refused(path, TORSOR_SCENE, "is not text: it holds a zero byte");
  unlink(path);
  static const char utf16[] = "\xff\xfe{\0}\0";
  write_file("utf16.json", utf16, sizeof utf16 - 1);
  check_refused(path, TORSOR_SCENE, "UTF-16");
  static const char unmarked[][9] = {"{\0}\0", "\0{\0}", "{\0\0\0}\0\0\0", "\0\0\0{\0\0\0}"};
  for (int i = 0; i < 4; ++i) {
    write_file("utf16.json", unmarked[i], i < 2 ? 4 : 8);
    check_refused(path, TORSOR_SCENE, "UTF-16 or UTF-32");
  }
  unlink(path);
  char late[6000];
  memset(late, ' ', sizeof late);
  late[5000] = '\0';
  write_file("late.json", late, sizeof late);
  check_refused(path, TORSOR_SCENE, "zero byte");
  CHECK_INT(error.column, 5001);
  unlink(path);
}

static void too_large(void **state) {
  (void)state;
  write_file("large.json", "{", 1);
  CHECK_INT(truncate(path, 100000000), 0); /* takes no room on the disc */
  check_refused(path, TORSOR_FILE, "too large");
  CHECK_CONTAINS(error.hint, "64 MB");
  unlink(path);
  check_refused("/dev/zero", TORSOR_FILE, "too large");
}

static void from_a_pipe(void **state) {
  (void)state;
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  CHECK_INT(write(ends[1], good_scene, strlen(good_scene)), strlen(good_scene));
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  CHECK_INT(load(path), TORSOR_OK);
  close(ends[0]);
}

static const char *data_folder(void) {
  const char *data = getenv("TORSOR_DATA");
  return data ? data : "data";
}

static void shipped_scenes(void **state) {
  (void)state;
  glob_t found;
  snprintf(path, sizeof path, "%s/scenes/*.json", data_folder());
  CHECK_INT(glob(path, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    const torsor_status status = load(found.gl_pathv[i]);
    if (status) print_error("%s: %s %s\n", found.gl_pathv[i], error.path, error.message);
    CHECK_INT(status, TORSOR_OK);
  }
  print_message("  %zu scenes\n", found.gl_pathc);
  globfree(&found);
}

static void examples_of_the_types(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(&error);
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const char *example = torsor_registry_at(registry, i)->example;
    write_file("example.json", example, strlen(example));
    const torsor_status status = load(path);
    if (status)
      print_error("%s: %s %s\n", torsor_registry_at(registry, i)->name, error.path, error.message);
    CHECK_INT(status, TORSOR_OK);
    unlink(path);
  }
  torsor_registry_destroy(registry);
}

/* ---- references ------------------------------------------------------------------------------ */

static void shipped_references(void **state) {
  (void)state;
  glob_t found;
  torsor_reference reference;
  snprintf(path, sizeof path, "%s/reference/*.json", data_folder());
  CHECK_INT(glob(path, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    const torsor_status status = torsor_reference_load(&reference, found.gl_pathv[i], &error);
    if (status) print_error("%s: %s %s\n", found.gl_pathv[i], error.path, error.message);
    CHECK_INT(status, TORSOR_OK);
    CHECK_TRUE(reference.title[0] != '\0');
    CHECK_GE(reference.tolerance_count, 1);
    CHECK_INT(access(reference.data, R_OK), 0);
    torsor_reference_destroy(&reference);
  }
  print_message("  %zu references\n", found.gl_pathc);
  globfree(&found);
}

static void write_sidecar(const char *name, const char *text) {
  write_file(name, text, strlen(text));
}

static void reference_members(void **state) {
  (void)state;
  torsor_reference reference;
  char csv[320];
  write_sidecar("a.json", "{\"title\": \"t\", \"source\": 3, \"tolerance\": {\"comment\": \"c\", "
                          "\"x\": {\"value\": 0.5, \"basis\": \"b\"}, "
                          "\"y.z\": {\"value\": 0, \"rtol\": 1e-3, \"basis\": \"why\"}}}");
  snprintf(csv, sizeof csv, "%s/a.csv", folder);
  CHECK_INT(torsor_reference_load(&reference, csv, &error), TORSOR_OK);
  CHECK_STR(reference.title, "t");
  CHECK_STR(reference.data, csv);
  CHECK_INT(reference.tolerance_count, 2);
  CHECK_STR(reference.tolerances[0].signal, "x");
  CHECK_NEAR(reference.tolerances[0].atol, 0.5, 0);
  CHECK_NEAR(reference.tolerances[0].rtol, 0, 0);
  CHECK_STR(reference.tolerances[1].basis, "why");
  CHECK_NEAR(reference.tolerances[1].rtol, 1e-3, 0);
  torsor_reference_destroy(&reference);
  unlink(path);
  write_sidecar("b.json", "{\"data\": \"other.csv\"}");
  CHECK_INT(torsor_reference_load(&reference, path, &error), TORSOR_OK);
  snprintf(csv, sizeof csv, "%s/other.csv", folder);
  CHECK_STR(reference.data, csv);
  CHECK_INT(reference.tolerance_count, 0);
  CHECK_INT(reference.modes, 0);
  torsor_reference_destroy(&reference);
  unlink(path);
  write_sidecar("c.json", "{\"modes\": {\"about\": \"steady\", \"count\": 4}}");
  CHECK_INT(torsor_reference_load(&reference, path, &error), TORSOR_OK);
  CHECK_INT(reference.modes, 4);
  CHECK_INT(reference.about, TORSOR_ABOUT_STEADY);
  torsor_reference_destroy(&reference);
  unlink(path);
}

static void bad_references(void **state) {
  (void)state;
  static const struct {
    const char *text, *path, *message;
  } cases[] = {
      {"[", "", "ends inside the array"},
      {"[]", "", "must be a sidecar, an object"},
      {"{\"title\": 3}", "title", "must be a text"},
      {"{\"data\": 3}", "data", "must be a text"},
      {"{\"tolerance\": 3}", "tolerance", "must be the tolerances"},
      {"{\"tolerance\": {\"x\": 3}}", "tolerance.x", "must be a tolerance, an object"},
      {"{\"tolerance\": {\"x\": {}}}", "tolerance.x.value", "is missing"},
      {"{\"tolerance\": {\"x\": {\"value\": 1}}}", "tolerance.x.basis", "is missing"},
      {"{\"tolerance\": {\"x\": {\"value\": -1}}}", "tolerance.x.value", "must be 0 or greater"},
      {"{\"tolerance\": {\"x\": {\"value\": 1, \"rtol\": true}}}", "tolerance.x.rtol",
       "but is true"},
      {"{\"modes\": 4}", "modes", "must be what the modes are about, an object"},
      {"{\"modes\": {\"about\": \"rest\", \"count\": 4}}", "modes.about", "\"rest\""},
      {"{\"modes\": {\"about\": \"steady\"}}", "modes.count", "is missing"},
      {"{\"modes\": {\"about\": \"steady\", \"count\": 0}}", "modes.count", "but is 0"},
      {"{\"tolerance\": {\"x\": {\"valu\": 1}}}", "tolerance.x.valu", "unknown key"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_reference reference;
    write_sidecar("bad.json", cases[i].text);
    CHECK_INT(torsor_reference_load(&reference, path, &error), TORSOR_SCENE);
    CHECK_STR(error.file, path);
    CHECK_STR(error.path, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_INT(error.line, 1);
    CHECK_INT(reference.tolerance_count, 0);
    unlink(path);
  }
  torsor_reference reference;
  CHECK_INT(torsor_reference_load(&reference, "/nonexistent/a.csv", &error), TORSOR_FILE);
  CHECK_STR(error.file, "/nonexistent/a.json");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good),
      cmocka_unit_test(byte_order_mark),
      cmocka_unit_test(missing),
      cmocka_unit_test(directory),
      cmocka_unit_test(unreadable),
      cmocka_unit_test(empty),
      cmocka_unit_test(binary),
      cmocka_unit_test(too_large),
      cmocka_unit_test(from_a_pipe),
      cmocka_unit_test(shipped_scenes),
      cmocka_unit_test(examples_of_the_types),
      cmocka_unit_test(shipped_references),
      cmocka_unit_test(reference_members),
      cmocka_unit_test(bad_references),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
