/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

#include "bad_scenes/values.h"
#include "draft_kit.h"

/** Every bad scene of test_scene_bad, made by calls: the words and the path are those for the
 *  file. */

enum { ROOM = 8192 };

static torsor_registry *registry;

static int set_up(void **state) {
  (void)state;
  registry = torsor_registry_create(NULL);
  return registry ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  return 0;
}

static void make_text(char out[ROOM], const bad_scene *bad) {
  const char *found = bad->find ? strstr(good_scene, bad->find) : NULL;
  if (bad->find) CHECK_TRUE(found != NULL);
  if (found)
    snprintf(out, ROOM, "%.*s%s%s", (int)(found - good_scene), good_scene, bad->replace,
             found + strlen(bad->find));
  else
    snprintf(out, ROOM, "%s", bad->replace);
}

static void read_text(torsor_error *error, const char *text) {
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_status status =
      torsor_scene_parse(&scene, text, strlen(text), "bad.json", registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, scene, error);
  CHECK_INT(status, TORSOR_SCENE);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
}

/* Returns whether a call was refused already. */
static bool make_draft(torsor_error *error, const cJSON *root, bool nested) {
  torsor_draft *draft = NULL;
  torsor_scene *scene = NULL;
  CHECK_INT(torsor_draft_create(&draft, registry, error), TORSOR_OK);
  draft_kit_replay(draft, root, nested, registry);
  const bool early = torsor_draft_error(draft) != NULL;
  const torsor_status status = torsor_draft_scene(&scene, draft, error);
  CHECK_INT(status, TORSOR_SCENE);
  CHECK_INT(error->status, TORSOR_SCENE);
  CHECK_TRUE(!scene);
  torsor_draft_destroy(draft);
  return early;
}

/* The name of the element that a path leads into, as far as the good scene has it. */
static const char *element_of(const char *path, const cJSON *root) {
  char list[16];
  int index;
  if (sscanf(path, "%15[a-z][%d]", list, &index) != 2) return "";
  const cJSON *element = cJSON_GetArrayItem(cJSON_GetObjectItem(root, list), index);
  const cJSON *name = cJSON_GetObjectItem(element, "name");
  return cJSON_IsString(name) ? name->valuestring : "";
}

static const char *differing(const torsor_error *draft, const torsor_error *file,
                             const cJSON *root) {
  if (strcmp(draft->message, file->message) != 0) return "message";
  if (strcmp(draft->path, file->path) != 0) return "path";
  if (strncmp(draft->hint, file->hint, strlen(file->hint)) != 0) return "hint";
  if (strstr(file->hint, "in C:")) return "hint of the file";
  if (draft->file[0]) return "file";
  if (draft->line || draft->column) return "line";
  const bool nameless = strstr(draft->path, "].name") != NULL;
  const char *element = element_of(draft->path, root);
  if (!nameless && strcmp(draft->element, element) != 0) return "element";
  if (!nameless && strcmp(file->element, element) != 0) return "element of the file";
  return NULL;
}

static void words(void **state) {
  (void)state;
  int wrong = 0, early = 0, reached = 0, unreached = 0;
  for (size_t i = 0; i < sizeof bad_values / sizeof *bad_values; ++i) {
    char text[ROOM];
    torsor_error file = {0};
    make_text(text, &bad_values[i]);
    read_text(&file, text);
    cJSON *root = cJSON_Parse(text);
    CHECK_TRUE(root != NULL);
    unreached += !cJSON_IsObject(root); /* a draft is an object */
    for (int nested = 0; nested < 2 && cJSON_IsObject(root); ++nested) {
      torsor_error draft = {0};
      early += make_draft(&draft, root, nested == 1);
      ++reached;
      const char *part = differing(&draft, &file, root);
      if (!part) continue;
      ++wrong;
      print_error("%zu: '%s' -> '%s': wrong %s\n  file:  %s: %s (%s)\n  draft: %s: %s (%s) %s\n", i,
                  bad_values[i].find ? bad_values[i].find : "", bad_values[i].replace, part,
                  file.path, file.message, file.hint, draft.path, draft.message, draft.hint,
                  draft.element);
    }
    cJSON_Delete(root);
  }
  print_message("  %d bad drafts, %d refused at the call, %d wrong; %d scenes are no drafts\n",
                reached, early, wrong, unreached);
  CHECK_INT(wrong, 0);
  CHECK_INT(unreached, 2);
  CHECK_TRUE(early > 90);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
