/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/inputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/folder.h"
#include "results/file.h"
#include "results/lock.h"

/* ---- input files ----------------------------------------------------------------------------- */

torsor_status inputs_add(inputs *in, const char *file, torsor_error *error) {
  char **grown = reallocarray(in->name, (size_t)in->count + 1, sizeof *grown);
  if (!grown) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  in->name = grown;
  grown[in->count] = path_format(error, "%s", file);
  if (!grown[in->count]) return TORSOR_MEMORY;
  ++in->count;
  return TORSOR_OK;
}

torsor_status inputs_add_scene(inputs *in, const session *s, const cli *common,
                               torsor_error *error) {
  torsor_status status = TORSOR_OK;
  const char *file;
  for (int i = 0; !status && (file = torsor_scene_file(s->scene, i)); ++i)
    status = inputs_add(in, file, error);
  for (int i = 0; !status && i < common->plugin_count; ++i)
    status = inputs_add(in, common->plugin[i], error);
  return status;
}

torsor_status inputs_add_result(inputs *in, const char *result, torsor_error *error) {
  if (!folder_exists(result)) return inputs_add(in, result, error);
  DIR *folder = opendir(result);
  torsor_status status = TORSOR_OK;
  const struct dirent *entry;
  while (folder && !status && (entry = readdir(folder))) {
    static const char *const read[] = {
        "trajectory.csv", "state.nc",     "scene.json",  "summary.json", "convergence.csv",
        "modes.csv",      "mode_*.csv",   "checkpoint",  "study.json",   "table.csv",
        "sample.json",    "campbell.csv", "response.csv"};
    bool known = false;
    for (size_t i = 0; i < sizeof read / sizeof *read; ++i)
      known |= fnmatch(read[i], entry->d_name, 0) == 0;
    char *file = known ? path_format(error, "%s/%s", result, entry->d_name) : NULL;
    if (known) status = file ? inputs_add(in, file, error) : TORSOR_MEMORY;
    free(file);
  }
  if (folder) closedir(folder);
  return status;
}

void inputs_release(inputs *in) {
  for (int i = 0; i < in->count; ++i) free(in->name[i]);
  free(in->name);
  *in = (inputs){0};
}

/* ---- output files ---------------------------------------------------------------------------- */

/* Returns the input that is the same file as `file`, also through links; NULL: none. */
static const char *find_input(const inputs *in, const char *file) {
  struct stat output, input;
  if (stat(file, &output) != 0 || !S_ISREG(output.st_mode)) return NULL;
  for (int i = 0; i < in->count; ++i)
    if (stat(in->name[i], &input) == 0 && input.st_ino == output.st_ino &&
        input.st_dev == output.st_dev)
      return in->name[i];
  return NULL;
}

static torsor_status refuse(const char *output, const char *input, torsor_error *error) {
  torsor_fail(error, TORSOR_ARGUMENT, "the output \"%s\" would replace \"%s\", which is read",
              output, input);
  torsor_hint(error, "choose another output with -o, or move the input");
  return TORSOR_ARGUMENT;
}

torsor_status inputs_check(const inputs *in, const char *output, torsor_error *error) {
  const char *input = find_input(in, output);
  if (input) return refuse(output, input, error);
  char *beside = path_format(error, "%s.tmp", output); /* where a new file is made */
  if (!beside) return TORSOR_MEMORY;
  input = find_input(in, beside);
  const torsor_status status = input ? refuse(beside, input, error) : TORSOR_OK;
  free(beside);
  return status;
}

static bool is_written(const char *name, const char *const *patterns) {
  char whole[256];
  const size_t length = strlen(name);
  const bool beside = length > 4 && strcmp(name + length - 4, ".tmp") == 0;
  if (length >= sizeof whole) return false;
  memcpy(whole, name, length + 1);
  if (beside) whole[length - 4] = '\0';
  for (; *patterns; ++patterns)
    if (fnmatch(*patterns, whole, 0) == 0) return true;
  return false;
}

torsor_status inputs_check_folder(const inputs *in, const char *folder, const char *const *patterns,
                                  torsor_error *error) {
  DIR *list = opendir(folder);
  torsor_status status = TORSOR_OK;
  const struct dirent *entry;
  while (list && !status && (entry = readdir(list))) {
    if (!is_written(entry->d_name, patterns)) continue;
    char *file = path_format(error, "%s/%s", folder, entry->d_name);
    if (!file) status = TORSOR_MEMORY;
    const char *input = file ? find_input(in, file) : NULL;
    if (input) status = refuse(file, input, error);
    free(file);
  }
  if (list) closedir(list);
  return status;
}

/* ---- locks ----------------------------------------------------------------------------------- */

torsor_status folder_lock_take(folder_lock *lock, const char *folder, torsor_error *error) {
  if (lock->file >= 0) return TORSOR_OK;
  const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long holder = 0;
  if (file < 0) return TORSOR_OK;
  if (lock_take(file, &holder)) {
    lock->file = file;
    return TORSOR_OK;
  }
  close(file);
  char words[32];
  file_fail(error, folder, "", 0);
  torsor_fail(error, TORSOR_FILE, "%s is writing into the folder", lock_holder(words, holder));
  torsor_hint(error, "wait for its end, or give another folder with -o");
  return TORSOR_FILE;
}

void folder_lock_release(folder_lock *lock) {
  if (lock->file >= 0) close(lock->file);
  lock->file = -1;
}

torsor_status folder_claim(folder_lock *lock, const char *folder, const char *const *written,
                           const session *s, const cli *common, torsor_error *error) {
  inputs in = {0};
  torsor_status status = folder_lock_take(lock, folder, error);
  if (!status) status = inputs_add_scene(&in, s, common, error);
  if (!status) status = inputs_check_folder(&in, folder, written, error);
  if (!status) status = folder_check_apart(folder, torsor_scene_file(s->scene, 0), error);
  if (!status) status = folder_check_stranger(folder, error);
  inputs_release(&in);
  return status;
}
