/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/study_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/study/keep.h"
#include "cli/study/study_read.h"
#include "results/file.h"

torsor_status study_folder_check(const char *folder, torsor_error *error) {
  if (folder_has_file(folder, "study.json")) return TORSOR_OK;
  torsor_fail(error, TORSOR_FILE, "there is no study in \"%s\"", folder);
  torsor_hint(error, "`torsor sweep STUDY.json -o DIR` makes one");
  return TORSOR_FILE;
}

/* Is nothing in the folder but a study.json that another worker is writing? */
static bool is_empty(const char *folder) {
  static const char *const passed[] = {".", "..", "study.json.tmp"};
  DIR *list = opendir(folder);
  const struct dirent *entry;
  bool empty = true;
  while (list && (entry = readdir(list))) {
    bool passes = false;
    for (int i = 0; i < 3; ++i) passes = passes || strcmp(entry->d_name, passed[i]) == 0;
    empty = empty && passes;
  }
  if (list) closedir(list);
  return empty;
}

static torsor_status remove_file(const char *folder, const char *name, torsor_error *error) {
  char *path = path_format(error, "%s/%s", folder, name);
  if (!path) return TORSOR_MEMORY;
  const torsor_status status = unlink(path) == 0 || errno == ENOENT
                                   ? TORSOR_OK
                                   : file_fail(error, path, "remove the file", errno);
  free(path);
  return status;
}

/* Removes what an earlier study has left. */
static torsor_status clear(const char *folder, torsor_error *error) {
  static const char *const names[] = {"table.csv", "table.nc", "summary.json", "points.csv",
                                      "fit.json",  "fit.csv",  "data.csv",     "report.html"};
  torsor_status status = TORSOR_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names && !status; ++i)
    status = remove_file(folder, names[i], error);
  char *rows = path_format(error, "%s/rows", folder);
  if (!rows) return TORSOR_MEMORY;
  struct dirent **entry = NULL;
  const int count = scandir(rows, &entry, NULL, NULL);
  for (int i = 0; i < count; ++i) {
    const size_t length = strlen(entry[i]->d_name);
    const bool is_rows = length > 4 && strcmp(entry[i]->d_name + length - 4, ".csv") == 0;
    if (!status && is_rows) status = remove_file(rows, entry[i]->d_name, error);
    free(entry[i]);
  }
  free(entry);
  free(rows);
  return status ? status : keep_clear(folder, error);
}

static torsor_status check_use(const char *folder, folder_use use, torsor_error *error) {
  /* in this order: the study of another worker may come meanwhile */
  const bool empty = is_empty(folder), there = folder_has_file(folder, "study.json");
  if (!there && !empty) {
    torsor_fail(error, TORSOR_ARGUMENT, "the folder \"%s\" has files that are no study", folder);
    torsor_hint(error, "give another folder with -o");
    return TORSOR_ARGUMENT;
  }
  if (!there || use != FOLDER_FRESH) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "the folder \"%s\" has a study already", folder);
  torsor_hint(error, "--resume goes on with it, --new begins anew and removes its rows");
  return TORSOR_ARGUMENT;
}

/* Replaces the name of a file beside the study by its whole path; false where memory is short. */
static bool make_whole(cJSON *object, const char *key, const study *s) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!cJSON_IsString(item)) return true;
  const char *last = strrchr(s->file, '/'), *name = item->valuestring;
  const int folder = last && name[0] != '/' ? (int)(last - s->file) + 1 : 0;
  char *place = path_format(NULL, "%.*s%s", folder, s->file, name);
  char *whole = place ? realpath(place, NULL) : NULL;
  cJSON *path = place ? cJSON_CreateString(whole ? whole : place) : NULL;
  free(whole);
  free(place);
  return path && cJSON_ReplaceItemInObjectCaseSensitive(object, key, path);
}

/* The study, with whole paths of its files, as a study that can be run from anywhere. */
static torsor_status keep_study(const char *folder, const sampler *s, torsor_error *error) {
  static const char *const notes[] = {"_hash", "_scene_hash", "_version"};
  const study *of = s->study;
  cJSON *copy = cJSON_Duplicate(of->root, true);
  char *file = path_format(error, "%s/study.json", folder);
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
  for (int i = 0; i < 3 && copy; ++i) /* those of a study that was kept before */
    cJSON_DeleteItemFromObjectCaseSensitive(copy, notes[i]);
  const bool fine =
      copy && file && make_whole(copy, "scene", of) &&
      make_whole(cJSON_GetObjectItemCaseSensitive(copy, "data"), "file", of) &&
      make_whole(cJSON_GetObjectItemCaseSensitive(copy, "design"), "points", of) &&
      cJSON_AddStringToObject(copy, "_hash", hash) &&
      cJSON_AddStringToObject(copy, "_scene_hash", torsor_scene_hash(s->session.scene)) &&
      cJSON_AddStringToObject(copy, "_version", torsor_version());
  char *words = fine ? cJSON_Print(copy) : NULL;
  const torsor_status status =
      words ? file_replace(file, words, strlen(words), error) : study_memory_short(error);
  cJSON_free(words);
  cJSON_Delete(copy);
  free(file);
  return status;
}

torsor_status study_folder_claim(folder_lock *lock, const char *folder, folder_use use,
                                 const sampler *s, torsor_error *error) {
  inputs in = {0};
  static const char *const written[] = {"study.json", "points.csv",   "table.csv",
                                        "table.nc",   "summary.json", NULL};
  torsor_status status = folder_exists(folder) ? check_use(folder, use, error) : TORSOR_OK;
  if (!status) status = folder_check_apart(folder, s->study->file, error);
  if (!status) status = folder_check_apart(folder, s->study->scene, error);
  if (!status) status = inputs_add(&in, s->study->file, error);
  if (!status) status = inputs_check_folder(&in, folder, written, error);
  if (!status) status = folder_make(folder, error);
  if (!status) status = folder_lock_take(lock, folder, error);
  if (!status && use == FOLDER_NEW) status = clear(folder, error);
  if (!status) status = keep_study(folder, s, error);
  inputs_release(&in);
  return status;
}
