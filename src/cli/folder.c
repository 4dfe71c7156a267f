/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
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

/* ---- folders of results ---------------------------------------------------------------------- */

bool folder_has_file(const char *folder, const char *name) {
  struct stat about;
  const int place = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool found = place >= 0 && fstatat(place, name, &about, 0) == 0 && S_ISREG(about.st_mode);
  if (place >= 0) close(place);
  return found;
}

/* Does the folder contain results of a run, of statics or of modes besides scene.json? */
static bool has_results(const char *folder) {
  static const char *const names[] = {"trajectory.csv", "state.nc", "summary.json", "modes.csv",
                                      "checkpoint"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (folder_has_file(folder, names[i])) return true;
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
  else if (has_results(folder))
    torsor_fail(error, TORSOR_FILE, "there is no %s in \"%s\"", name, folder);
  else
    torsor_fail(error, TORSOR_FILE, "\"%s\" is not a folder of results: it contains no %s", folder,
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
  if (has_results(folder)) return TORSOR_OK;
  char *scene = path_format(error, "%s/scene.json", folder);
  text content = {0};
  torsor_status status = scene ? TORSOR_OK : TORSOR_MEMORY;
  const bool there = scene && file_exists(scene);
  if (there) status = file_read(&content, scene, error);
  if (!status && there && !is_kept_scene(&content)) {
    status = TORSOR_ARGUMENT;
    torsor_fail(error, status,
                "the output would replace \"%s\", which is not a result: no results are beside it",
                scene);
    torsor_hint(error, "give another folder with -o, or remove or rename that file");
  }
  text_release(&content);
  free(scene);
  return status;
}

/* Takes away the file `name` of an older analysis. */
static torsor_status remove_file(const char *folder, const char *name, torsor_error *error) {
  char *path = path_format(error, "%s/%s", folder, name);
  if (!path) return TORSOR_MEMORY;
  const torsor_status status = unlink(path) == 0 || errno == ENOENT
                                   ? TORSOR_OK
                                   : file_fail(error, path, "remove the file", errno);
  free(path);
  return status;
}

/* The files of an analysis, besides summary, scene and checkpoint; a page goes in any case. */
static bool is_older(const char *name, bool same) {
  static const char *const others[] = {
      "trajectory.csv",  "state.nc",     "modes.csv",   "mode_[0-9][0-9][0-9].csv",
      "[MCKBZGAD].mtx",  "unknowns.csv", "linear.json", "poles.csv",
      "states.csv",      "inputs.csv",   "outputs.csv", "response.csv",
      "multipliers.csv", "campbell.csv"};
  if (strcmp(name, "report.html") == 0) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others && !same; ++i)
    if (fnmatch(others[i], name, 0) == 0) return true;
  return false;
}

torsor_status folder_clear(const char *folder, const char *canonical, torsor_error *error) {
  if (!has_results(folder)) return TORSOR_OK;
  text kept = {0};
  char *scene = path_format(error, "%s/scene.json", folder);
  if (!scene) return TORSOR_MEMORY;
  if (folder_exists(scene)) { /* nothing can be written here, and so nothing is taken away */
    free(scene);
    return TORSOR_OK;
  }
  const size_t length = strlen(canonical);
  torsor_status status = file_exists(scene) ? file_read(&kept, scene, error) : TORSOR_OK;
  const bool same = !status && kept.length == length + 1 && !memcmp(kept.data, canonical, length);
  struct dirent **entry = NULL;
  const int count = status ? 0 : scandir(folder, &entry, NULL, NULL);
  for (int i = 0; i < count; ++i) {
    if (!status && is_older(entry[i]->d_name, same))
      status = remove_file(folder, entry[i]->d_name, error);
    free(entry[i]);
  }
  free(entry);
  text_release(&kept);
  free(scene);
  return status;
}

torsor_status folder_check_apart(const char *folder, const char *scene, torsor_error *error) {
  char *place = path_format(error, "%s", scene);
  if (!place) return TORSOR_MEMORY;
  char *slash = strrchr(place, '/');
  if (slash) slash[slash == place] = '\0';
  struct stat own, results;
  const bool together = file_exists(scene) && stat(slash ? place : ".", &own) == 0 &&
                        stat(folder, &results) == 0 && own.st_ino == results.st_ino &&
                        own.st_dev == results.st_dev;
  free(place);
  if (!together) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "the results would replace files in the folder of the scene, \"%s\"", folder);
  torsor_hint(error, "give another folder with -o: results have one of their own");
  return TORSOR_ARGUMENT;
}

/* ---- installed files ------------------------------------------------------------------------- */

/* The folder of the program; false where it is not known. */
static bool find_program(char folder[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  if (length <= 0) return false;
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
  return slash;
}

/* Sets *out to the first of the paths (NULL-terminated) that exists, or to NULL.  A path that
 * begins with a dot is relative to the folder of the program.  `inside` is a file that a folder
 * must contain; "": the path is that of a file. */
static torsor_status find_path(char **out, const char *const *paths, const char *inside,
                               torsor_error *error) {
  char program[PATH_MAX];
  const bool known = find_program(program);
  for (*out = NULL; *paths; ++paths) {
    const bool beside = (*paths)[0] == '.';
    if (beside && !known) continue;
    char *place =
        beside ? path_format(error, "%s/%s", program, *paths) : path_format(error, "%s", *paths);
    char *probe = place ? path_format(error, "%s%s", place, inside) : NULL;
    const bool there = probe && (inside[0] ? folder_exists(probe) : file_exists(probe));
    const bool memory_short = !probe;
    free(probe);
    if (there) {
      *out = place;
      return TORSOR_OK;
    }
    free(place);
    if (memory_short) return TORSOR_MEMORY;
  }
  return TORSOR_OK;
}

char *folder_data(torsor_error *error) {
  static const char *const shipped[] = {"../share/torsor", TORSOR_DATADIR, NULL};
  const char *given[] = {getenv("TORSOR_DATA"), NULL};
  const bool is_given = given[0] && given[0][0];
  char *folder;
  if (find_path(&folder, is_given ? given : shipped, "/reference", error) || folder) return folder;
  if (is_given) {
    torsor_fail(error, TORSOR_FILE, "TORSOR_DATA names no folder with reference/ in it: %s",
                given[0]);
    return NULL;
  }
  torsor_fail(error, TORSOR_FILE, "the shipped scenes and references are not found");
  torsor_hint(error, "set TORSOR_DATA to the folder with scenes/ and reference/");
  return NULL;
}

torsor_status folder_bundle(char **file, torsor_error *error) {
  static const char *const shipped[] = {"../share/torsor/report.html",
                                        TORSOR_DATADIR "/report.html", "../../report/report.html",
                                        NULL};
  const char *given[] = {getenv("TORSOR_REPORT"), NULL};
  return find_path(file, given[0] && given[0][0] ? given : shipped, "", error);
}

torsor_status folder_fmu(char **folder, torsor_error *error) {
  static const char *const built[] = {"../fmu/torsor.so", TORSOR_FMUPLACE "/torsor.so",
                                      TORSOR_FMUDIR "/torsor.so", NULL};
  char *file = NULL, *named = NULL;
  const char *given = getenv("TORSOR_FMU");
  if (given && given[0] && !(named = path_format(error, "%s/torsor.so", given)))
    return TORSOR_MEMORY;
  torsor_status status =
      find_path(&file, named ? (const char *const[]){named, NULL} : built, "", error);
  free(named);
  if (!status && !file) {
    status = torsor_fail(error, TORSOR_FILE, "the library of FMUs, torsor.so, is not found");
    torsor_hint(error, "set TORSOR_FMU to the folder that has it");
  }
  char *slash = file ? strrchr(file, '/') : NULL;
  if (slash) *slash = '\0';
  *folder = file;
  return status;
}
