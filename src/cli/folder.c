/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/file.h"

char *path_format(torsor_error *error, const char *format, ...) {
  char *path;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&path, format, arguments);
  va_end(arguments);
  if (length >= 0) return path;
  torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return NULL;
}

const char *path_last(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

bool folder_exists(const char *name) {
  struct stat status;
  return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_exists(const char *name) {
  struct stat status;
  return stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

torsor_status folder_make(const char *name, torsor_error *error) {
  char *path = path_format(error, "%s", name);
  if (!path) return TORSOR_MEMORY;
  int error_number = 0;
  for (char *c = path; *c && !error_number; ++c) {
    if (c[1] != '/' && c[1] != '\0') continue;
    const char kept = c[1];
    c[1] = '\0';
    const int failed = mkdir(path, 0777) == 0 ? 0 : errno;
    if (failed && !folder_exists(path)) error_number = failed == EEXIST ? ENOTDIR : failed;
    c[1] = kept;
  }
  free(path);
  if (name[0] == '\0') error_number = ENOENT;
  return error_number ? file_fail(error, name, "make the folder", error_number) : TORSOR_OK;
}

torsor_status folder_check_writable(const char *name, const char *const *files,
                                    torsor_error *error) {
  if (access(name, W_OK | X_OK) != 0) return file_fail(error, name, "write into the folder", errno);
  torsor_status status = TORSOR_OK;
  for (; *files && !status; ++files) {
    char *path = path_format(error, "%s/%s", name, *files);
    if (!path) return TORSOR_MEMORY;
    if (access(path, W_OK) != 0 && errno != ENOENT)
      status = file_fail(error, path, "write the file", errno);
    free(path);
  }
  return status;
}

/* ---- folders of results -------------------------------------------------------------------------- */

static bool has_file(const char *folder, const char *name) {
  char *file = path_format(NULL, "%s/%s", folder, name);
  const bool found = file && file_exists(file);
  free(file);
  return found;
}

bool folder_has_results(const char *folder) {
  static const char *const names[] = {"trajectory.csv", "state.nc", "summary.json", "modes.csv",
                                      "checkpoint"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (has_file(folder, names[i])) return true;
  return false;
}

static void hint_results(torsor_error *error, const char *maker) {
  torsor_hint(
      error,
      "`%s` leaves it; a folder of results has scene.json, trajectory.csv and summary.json, "
      "after `torsor run --full` also state.nc, after `torsor modes` modes.csv",
      maker);
}

torsor_status folder_fail_missing(const char *name, torsor_error *error) {
  torsor_fail(error, TORSOR_FILE, "there is no folder or file \"%s\"", name);
  hint_results(error, "torsor run SCENE -o FOLDER");
  return TORSOR_FILE;
}

torsor_status folder_find_result(char **file, const char *folder, const char *name,
                                 const char *maker, torsor_error *error) {
  *file = path_format(error, "%s/%s", folder, name);
  if (!*file) return TORSOR_MEMORY;
  if (file_exists(*file)) return TORSOR_OK;
  free(*file);
  *file = NULL;
  if (file_exists(folder))
    torsor_fail(error, TORSOR_FILE, "\"%s\" is a file, not a folder of results", folder);
  else if (!folder_exists(folder))
    return folder_fail_missing(folder, error);
  else if (folder_has_results(folder))
    torsor_fail(error, TORSOR_FILE, "there is no %s in \"%s\"", name, folder);
  else
    torsor_fail(error, TORSOR_FILE, "\"%s\" is no folder of results: there is no %s in it", folder,
                name);
  hint_results(error, maker);
  return TORSOR_FILE;
}

/* A scene as runs keep it, on one line and without a space but in strings; people write others. */
static bool is_kept_scene(const text *t) {
  bool quoted = false;
  for (size_t i = 0; i + 1 < t->length; ++i) {
    const char c = t->data[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (!quoted && strchr(" \t\r\n", c)) return false;
  }
  return t->length > 2 && t->data[t->length - 1] == '\n' && t->data[t->length - 2] == '}';
}

torsor_status folder_check_stranger(const char *folder, torsor_error *error) {
  if (folder_has_results(folder)) return TORSOR_OK;
  char *scene = path_format(error, "%s/scene.json", folder);
  text content = {0};
  torsor_status status = scene ? TORSOR_OK : TORSOR_MEMORY;
  const bool there = scene && file_exists(scene);
  if (there) status = file_read(&content, scene, error);
  if (!status && there && !is_kept_scene(&content)) {
    status = TORSOR_ARGUMENT;
    torsor_fail(error, status,
                "the output would replace \"%s\", which is no run's: no results are beside it",
                scene);
    torsor_hint(error, "give another folder with -o, or remove or rename that file");
  }
  text_release(&content);
  free(scene);
  return status;
}

/* ---- what ships ----------------------------------------------------------------------------------- */

/* Takes `folder`; gives it back when it holds references. */
static char *with_references(char *folder) {
  if (!folder) return NULL;
  char *reference = path_format(NULL, "%s/reference", folder);
  const bool good = reference && folder_exists(reference);
  free(reference);
  if (good) return folder;
  free(folder);
  return NULL;
}

/* The path `relative` from the folder of the program. */
static char *beside_program(const char *relative) {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return NULL;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash) return NULL;
  *slash = '\0';
  return path_format(NULL, "%s/%s", program, relative);
}

char *folder_data(torsor_error *error) {
  const char *given = getenv("TORSOR_DATA");
  if (given && given[0]) {
    char *folder = with_references(path_format(NULL, "%s", given));
    if (folder) return folder;
    torsor_fail(error, TORSOR_FILE, "TORSOR_DATA names no folder with reference/ in it: %s", given);
    return NULL;
  }
  char *folder = with_references(beside_program("../share/torsor"));
  if (!folder) folder = with_references(path_format(NULL, "%s", TORSOR_DATADIR));
  if (folder) return folder;
  torsor_fail(error, TORSOR_FILE, "the shipped scenes and references are not found");
  torsor_hint(error, "set TORSOR_DATA to the folder with scenes/ and reference/");
  return NULL;
}

/* Takes `file`; gives it back when there is such a file. */
static char *if_there(char *file) {
  if (file && file_exists(file)) return file;
  free(file);
  return NULL;
}

char *folder_bundle(void) {
  const char *given = getenv("TORSOR_REPORT");
  if (given && given[0]) return if_there(path_format(NULL, "%s", given));
  char *file = if_there(beside_program("../share/torsor/report.html"));
  if (!file) file = if_there(path_format(NULL, "%s/report.html", TORSOR_DATADIR));
  return file ? file : if_there(beside_program("../../report/report.html"));
}
