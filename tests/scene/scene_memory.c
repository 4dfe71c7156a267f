/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>
#include <unistd.h>

#include "bad_scenes/bad_scenes.h"
#include "base/arena.h"

/** Every cold path of a scene with the n-th allocation failing, once or from then on.  Linked with
 *  --wrap for malloc, calloc, realloc, aligned_alloc and free; cJSON allocates through its hooks.
 */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *old);
void *__real_arena_take(arena *a, size_t count, size_t size);
char *__real_arena_string(arena *a, const char *text);
void *__wrap_arena_take(arena *a, size_t count, size_t size);
char *__wrap_arena_string(arena *a, const char *text);

static long calls, failing = -1; /* failing: this call, from 0; -1 = none */
static long live;                /* blocks that are not freed yet */
static bool from_then_on;

static bool fails(void) {
  if (failing < 0) return false;
  const long call = calls++;
  return call == failing || (from_then_on && call > failing);
}

static void *counted(void *block) {
  live += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
  if (fails()) return NULL;
  return old ? __real_realloc(old, size) : counted(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__wrap_arena_take(arena *a, size_t count, size_t size) {
  return fails() ? NULL : __real_arena_take(a, count, size);
}

char *__wrap_arena_string(arena *a, const char *text) {
  return fails() ? NULL : __real_arena_string(a, text);
}

void __wrap_free(void *old) {
  live -= old != NULL;
  __real_free(old);
}

static torsor_registry *registry;

static int set_up(void **state) {
  (void)state;
  cJSON_InitHooks(&(cJSON_Hooks){__wrap_malloc, __wrap_free});
  registry = torsor_registry_create(NULL);
  return registry ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  return 0;
}

typedef torsor_status (*action)(torsor_error *error);

/* Run `act` with each of its allocations failing: it says so, but for `spare` allocations that it
 * can do without (negative: any number), and leaves no memory behind. */
static void exhaust(action act, torsor_status expected, long spare, const char *name) {
  for (int mode = 0; mode < 2; ++mode) {
    from_then_on = mode;
    long survived = 0;
    for (long n = 0;; ++n) {
      torsor_error error = {0};
      calls = 0;
      failing = n;
      const long before = live;
      const torsor_status status = act(&error);
      const long made = calls;
      failing = -1;
      CHECK_INT(live, before);
      if (made <= n) {
        CHECK_INT(status, expected);
        print_message("  %-32s %ld allocations, %ld done without\n", name, n, survived);
        CHECK_TRUE(n > 0);
        if (spare >= 0) CHECK_INT(survived, spare);
        break;
      }
      if (status != TORSOR_MEMORY) CHECK_INT(status, expected);
      if (status) CHECK_TRUE(error.message[0] != '\0');
      survived += status != TORSOR_MEMORY;
    }
  }
}

static torsor_status open_text(const char *text, const char *const *set, int count,
                               torsor_error *error) {
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "m", registry, set, count, error);
  CHECK_TRUE(!status == (scene != NULL));
  if (!status) status = torsor_scene_model(&model, scene, error);
  CHECK_TRUE(!status == (model != NULL));
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  return status;
}

static torsor_status open_good(torsor_error *error) {
  return open_text(good_scene, NULL, 0, error);
}

static torsor_status open_chain(torsor_error *error) {
  return open_text(chain_scene, NULL, 0, error);
}

static torsor_status open_curve(torsor_error *error) {
  return open_text("{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", "
                   "\"mass\": 1}], \"joints\": [{\"name\": \"j\", \"type\": \"point_on_curve\", "
                   "\"a\": \"ground\", \"b\": \"a\", \"curve\": {\"closed\": true, \"points\": "
                   "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}}]}",
                   NULL, 0, error);
}

/* Shapes of a scene, and everything that is drawn of it. */
static torsor_status draw_model(torsor_error *error) {
  static const char text[] =
      "{\"torsor\": 1, \"ground\": {\"shape\": []}, \"bodies\": [{\"name\": \"a\", \"type\": "
      "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"shape\": [{\"type\": \"sphere\", "
      "\"radius\": 1}, {\"type\": \"box\", \"size\": [1, 1, 1], \"color\": \"#ffffff\"}]}, "
      "{\"name\": \"w\", \"type\": \"beam\", \"elements\": 1, \"length\": 2, \"section\": "
      "{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 0.5, 0.5]}}], \"joints\": "
      "[{\"name\": \"j\", \"type\": \"weld\", \"a\": \"a\", \"b\": \"w.start\"}]}";
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_geometry geometry = {0};
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "m", registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, scene, error);
  if (!status) status = torsor_geometry_create(&geometry, model, error);
  torsor_geometry_destroy(&geometry);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  return status;
}

static torsor_status open_bad_repeat(torsor_error *error) {
  return open_text("{\"torsor\": 1, \"functions\": {\"f\": \"t\"}, \"bodies\": [{\"name\": "
                   "\"a${i}\", \"repeat\": 3, \"type\": \"point_mass\", \"mass\": \"2 - i\"}]}",
                   NULL, 0, error);
}

static torsor_status open_changed(torsor_error *error) {
  static const char *const set[] = {"bodies.top.mass=3", "title=x", "output={\"every\": 3}",
                                    "bodies[1].velocity=[0, 0, 1]"};
  return open_text(good_scene, set, 4, error);
}

static torsor_status open_bad_change(torsor_error *error) {
  static const char *const set[] = {"bodies.tpo.mass=3"};
  return open_text(good_scene, set, 1, error);
}

static torsor_status open_bad_marker(torsor_error *error) {
  return open_text("{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", "
                   "\"mass\": 1}], \"joints\": [{\"name\": \"j\", \"type\": \"distance\", "
                   "\"a\": \"b\", \"b\": \"ground\"}]}",
                   NULL, 0, error);
}

/* A file name of this process. */
static const char *file_name(const char *ending) {
  static char name[64];
  snprintf(name, sizeof name, "/tmp/torsor_test_%ld.%s", (long)getpid(), ending);
  return name;
}

static torsor_status open_file(torsor_error *error) {
  const char *name = file_name("json");
  FILE *file = fopen(name, "w");
  if (!file) return torsor_fail(error, TORSOR_MEMORY, "fopen");
  fputs(good_scene, file);
  fclose(file);
  torsor_scene *scene = NULL;
  const torsor_status status = torsor_scene_load(&scene, name, registry, NULL, 0, error);
  CHECK_TRUE(!status == (scene != NULL));
  torsor_scene_destroy(scene);
  unlink(name);
  return status;
}

/* A scene and a file that it includes. */
static torsor_status open_including(torsor_error *error) {
  char name[64], text[160];
  snprintf(name, sizeof name, "%s", file_name("part"));
  FILE *part = fopen(name, "w"), *file = fopen(file_name("json"), "w");
  if (!part || !file) return torsor_fail(error, TORSOR_MEMORY, "fopen");
  fputs("{\"torsor\": 1, \"parameters\": {\"m\": 1, \"n\": 2}, \"functions\": {\"f\": \"t\"}, "
        "\"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", \"mass\": \"m\"}]}",
        part);
  snprintf(text, sizeof text, "{\"torsor\": 1, \"include\": [\"%s\"], \"parameters\": {\"m\": 2}}",
           name);
  fputs(text, file);
  fclose(part);
  fclose(file);
  torsor_scene *scene = NULL;
  const torsor_status status =
      torsor_scene_load(&scene, file_name("json"), registry, NULL, 0, error);
  CHECK_TRUE(!status == (scene != NULL));
  torsor_scene_destroy(scene);
  unlink(name);
  unlink(file_name("json"));
  return status;
}

static torsor_status open_pipe(torsor_error *error) {
  char name[32], text[9000];
  int ends[2];
  if (pipe(ends)) return torsor_fail(error, TORSOR_MEMORY, "pipe");
  const int length = snprintf(text, sizeof text, "%7000s%s", "", good_scene);
  CHECK_INT(write(ends[1], text, (size_t)length), length);
  close(ends[1]);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  torsor_scene *scene = NULL;
  const torsor_status status = torsor_scene_load(&scene, name, registry, NULL, 0, error);
  CHECK_TRUE(!status == (scene != NULL));
  torsor_scene_destroy(scene);
  close(ends[0]);
  return status;
}

static torsor_status make_schema(torsor_error *error) {
  char *schema = NULL;
  const torsor_status status = torsor_schema_text(&schema, registry, error);
  CHECK_TRUE(!status == (schema != NULL));
  torsor_text_free(schema);
  return status;
}

static torsor_status open_reference(torsor_error *error) {
  FILE *file = fopen(file_name("json"), "w");
  if (!file) return torsor_fail(error, TORSOR_MEMORY, "fopen");
  fputs("{\"title\": \"t\", \"tolerance\": {\"x\": {\"value\": 1, \"basis\": \"b\"}}}", file);
  fclose(file);
  torsor_reference reference;
  const torsor_status status = torsor_reference_load(&reference, file_name("csv"), error);
  CHECK_INT(reference.tolerance_count, status ? 0 : 1);
  torsor_reference_destroy(&reference);
  unlink(file_name("json"));
  return status;
}

/* Expressions of all kinds, and one that is wrong. */
static torsor_status open_expressions(torsor_error *error) {
  return open_text(
      "{\"torsor\": 1, \"parameters\": {\"a\": \"2*sin(pi/6)^2 + (1 < 2 ? 3 : 4)\", "
      "\"b\": \"max(a, 1, 30 deg) + "
      "atan2(1, 2)\"}, \"functions\": {\"f\": {\"value\": \"a*sin(t) + load\", "
      "\"rate\": \"a*cos(t)\"}, \"g\": "
      "\"exp(-b*t)*(t > 1 && t < 2)\"}, \"bodies\": [{\"name\": \"a\", \"type\": "
      "\"point_mass\", \"mass\": "
      "\"a + b\"}], \"forces\": [{\"name\": \"p\", \"type\": \"force\", \"at\": \"a\", "
      "\"force\": [1, 0, 0], "
      "\"scale\": \"f\"}]}",
      NULL, 0, error);
}

static torsor_status open_bad_expression(torsor_error *error) {
  return open_text("{\"torsor\": 1, \"parameters\": {\"a\": \"2*sin(1, 2)\"}}", NULL, 0, error);
}

/* ---- drafts ---------------------------------------------------------------------------------- */

/* Finishes a draft and writes its scene as text. */
static torsor_status finish_draft(torsor_draft *draft, torsor_error *error) {
  torsor_scene *scene = NULL;
  char *words = NULL;
  torsor_status status = torsor_draft_scene(&scene, draft, error);
  CHECK_TRUE(!status == (scene != NULL));
  if (!status) status = torsor_draft_text(&words, draft, error);
  CHECK_TRUE(!status == (words != NULL));
  torsor_text_free(words);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(draft);
  return status;
}

/* Every setter, with objects that are found, made and replaced. */
static torsor_status make_draft(torsor_error *error) {
  static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  static const double x[] = {0, 1, 2}, y[] = {0, 2, 0};
  static const char *const signals[] = {"a.position", "energy"};
  torsor_draft *draft = NULL;
  const torsor_status status = torsor_draft_create(&draft, registry, error);
  CHECK_TRUE(!status == (draft != NULL));
  if (status) return status;
  torsor_item *top = torsor_draft_item(draft, "scene");
  torsor_set_vector(top, "gravity", (v3){0, 0, -1});
  torsor_set_texts(torsor_draft_item(draft, "output"), "signals", signals, 2);
  torsor_set_table(torsor_draft_item(draft, "functions"), "f", x, y, 3);
  torsor_set_number(torsor_draft_item(draft, "parameters"), "p", 3);
  torsor_item *a = torsor_element_new(draft, "rigid_body", "a");
  torsor_set_number(a, "mass", 1);
  torsor_set_vector(a, "inertia", (v3){1, 1, 1});
  torsor_set_rotation(a, "orientation", so3_identity());
  torsor_set_json(a, "orientation", "{\"rotation_vector\": [0, 0, 0]}");
  torsor_set_json(torsor_item_at(a, "angular_velocity"), "value", "[0, 0, 1]");
  torsor_set_text(torsor_item_at(a, "angular_velocity"), "in", "inertial");
  torsor_set_number(torsor_element_new(draft, "point_mass", "b"), "mass", 1);
  torsor_item *rail = torsor_element_new(draft, "point_on_curve", "rail");
  torsor_set_text(rail, "a", "ground");
  torsor_set_marker(rail, "b", "b", (v3){0, 0, 0});
  torsor_set_matrix(rail, "curve", square[0], 4, 3);
  torsor_set_bool(torsor_item_at(rail, "curve"), "closed", true);
  torsor_item *weld = torsor_element_new(draft, "weld", "weld");
  torsor_set_marker_frame(weld, "a", "ground", (v3){0, 0, 0}, so3_identity());
  torsor_set_text(weld, "b", "a");
  torsor_set_text(torsor_draft_find(draft, "rail"), "b", "b");
  torsor_set_number(a, "_note", 1);
  torsor_unset(a, "_note");
  torsor_unset(a, "position");
  return finish_draft(draft, error);
}

static torsor_status make_bad_draft(torsor_error *error) {
  torsor_draft *draft = NULL;
  const torsor_status status = torsor_draft_create(&draft, registry, error);
  if (status) return status;
  torsor_set_number(torsor_element_new(draft, "point_mass", "b"), "mass", -1);
  return finish_draft(draft, error);
}

static torsor_status open_draft(torsor_error *error) {
  torsor_scene *scene = NULL;
  torsor_draft *draft = NULL;
  torsor_status status =
      torsor_scene_parse(&scene, good_scene, strlen(good_scene), "m", registry, NULL, 0, error);
  if (!status) status = torsor_draft_open(&draft, scene, error);
  CHECK_TRUE(!status == (draft != NULL));
  torsor_scene_destroy(scene);
  if (status) return status;
  torsor_set_number(torsor_draft_find(draft, "top"), "mass", 3);
  return finish_draft(draft, error);
}

static void every_allocation_fails(void **state) {
  (void)state;
  exhaust(open_expressions, TORSOR_OK, 0, "expressions");
  exhaust(open_bad_expression, TORSOR_SCENE, 0, "bad expression");
  exhaust(open_good, TORSOR_OK, 0, "scene");
  exhaust(open_chain, TORSOR_OK, -1, "chain and functions");
  exhaust(open_curve, TORSOR_OK, 0, "curve");
  exhaust(draw_model, TORSOR_OK, 0, "shapes and geometry");
  exhaust(open_bad_repeat, TORSOR_SCENE, -1, "bad repeat");
  exhaust(open_changed, TORSOR_OK, 0, "scene with changes");
  exhaust(open_bad_change, TORSOR_ARGUMENT, 0, "bad change");
  exhaust(open_bad_marker, TORSOR_SCENE, 1, "bad marker");
  exhaust(open_file, TORSOR_OK, 0, "file");
  exhaust(open_including, TORSOR_OK, 0, "included file");
  exhaust(open_pipe, TORSOR_OK, 0, "pipe");
  exhaust(make_draft, TORSOR_OK, 0, "draft");
  exhaust(make_bad_draft, TORSOR_SCENE, 0, "bad draft");
  exhaust(open_draft, TORSOR_OK, 0, "draft of a scene");
  exhaust(make_schema, TORSOR_OK, 0, "schema");
  exhaust(open_reference, TORSOR_OK, 0, "reference");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
