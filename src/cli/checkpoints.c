/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/checkpoints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/folder.h"
#include "results/file.h"

static const char name[] = "checkpoint";

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

torsor_status checkpoints_open(checkpoints *c, const char *folder, double interval,
                               torsor_error *error) {
  c->interval = interval;
  c->last = seconds_now();
  if (!(interval > 0)) return TORSOR_OK;
  c->file = path_format(error, "%s/%s", folder, name);
  return c->file ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status checkpoints_clear(const char *folder, torsor_error *error) {
  char *file = path_format(error, "%s/%s", folder, name);
  if (!file) return TORSOR_MEMORY;
  const bool gone = unlink(file) == 0 || errno == ENOENT;
  const torsor_status status = gone ? TORSOR_OK : file_fail(error, file, "remove the file", errno);
  free(file);
  return status;
}

void checkpoints_release(checkpoints *c) {
  checkpoint_release(&c->from);
  free(c->file);
  c->file = NULL;
}

bool checkpoints_due(checkpoints *c) {
  const double now = seconds_now();
  if (now - c->last < c->interval) return false;
  c->last = now;
  return c->surely = true;
}

/* ---- going on -------------------------------------------------------------------------------- */

static torsor_status check_changes(const cli *common, torsor_error *error) {
  static const char allowed[] = "simulation.duration=";
  for (int i = 0; i < common->set_count; ++i) {
    if (strncmp(common->set[i], allowed, sizeof allowed - 1) == 0) continue;
    torsor_fail(error, TORSOR_ARGUMENT,
                "--set %s is not possible: a continued run keeps its settings", common->set[i]);
    torsor_hint(error,
                "change simulation.duration only, or run the changed scene from its beginning");
    return TORSOR_ARGUMENT;
  }
  return TORSOR_OK;
}

static torsor_status find_checkpoint(char **file, const char *folder, torsor_error *error) {
  *file = path_format(error, "%s/%s", folder, name);
  if (!*file) return TORSOR_MEMORY;
  if (file_exists(*file)) return TORSOR_OK;
  torsor_fail(error, TORSOR_FILE, "there is no checkpoint in \"%s\"", folder);
  torsor_hint(error, "the run ended before its first checkpoint, or had --checkpoint 0: run its "
                     "scene.json from the beginning");
  return TORSOR_FILE;
}

static torsor_status check_scene(const checkpoint *from, const session *s, const char *file,
                                 torsor_error *error) {
  if (strcmp(from->hash, torsor_scene_resume_hash(s->scene)) == 0) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              "is not the scene of the checkpoint beside it, as it was changed");
  torsor_hint(error, "change simulation.duration only, or run the changed scene from its "
                     "beginning, into another folder");
  if (error) {
    snprintf(error->file, sizeof error->file, "%s", file);
    error->path[0] = '\0';
    error->line = error->column = 0;
  }
  return TORSOR_SCENE;
}

torsor_status checkpoints_resume(checkpoints *c, session *s, const cli *common, const char *folder,
                                 torsor_error *error) {
  char *scene = NULL, *file = NULL;
  torsor_status status = check_changes(common, error);
  if (!status)
    status = folder_find_result(&scene, folder, "scene.json", "torsor run SCENE -o FOLDER", error);
  if (!status) status = find_checkpoint(&file, folder, error);
  if (!status) status = checkpoint_read(&c->from, file, error);
  c->surely = true;
  if (!status) status = session_open_scene(s, common, scene, error);
  if (!status) status = check_scene(&c->from, s, scene, error);
  free(scene);
  free(file);
  return status;
}

torsor_status checkpoints_pass_on(const checkpoints *c, const char *folder, torsor_error *error) {
  char *file = path_format(error, "%s/%s", folder, name);
  const torsor_status status = file ? checkpoint_write(file, &c->from, true, error) : TORSOR_MEMORY;
  free(file);
  return status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static torsor_status copy_bytes(int to, int from, long long bytes) {
  char chunk[1 << 16];
  while (bytes > 0) {
    const size_t wanted = bytes < (long long)sizeof chunk ? (size_t)bytes : sizeof chunk;
    const ssize_t count = read(from, chunk, wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENODATA;
    if (count <= 0 || !file_write_all(to, chunk, (size_t)count)) return TORSOR_FILE;
    bytes -= count;
  }
  return TORSOR_OK;
}

torsor_status checkpoints_copy(const char *what, const char *from, const char *to, long long bytes,
                               torsor_error *error) {
  char *source = path_format(error, "%s/%s", from, what);
  char *target = path_format(error, "%s/%s", to, what);
  torsor_status status = source && target ? TORSOR_OK : TORSOR_MEMORY;
  const int in = status ? -1 : open(source, O_RDONLY | O_CLOEXEC);
  if (!status && in < 0) status = file_fail(error, source, "open the file", errno);
  const int out = status ? -1 : file_create(target);
  if (!status && out < 0) status = file_fail(error, target, "open the file for writing", errno);
  if (!status && copy_bytes(out, in, bytes))
    status = file_fail(error, target, "copy the file", errno);
  if (in >= 0) close(in);
  if (out >= 0 && close(out) != 0 && !status)
    status = file_fail(error, target, "write the file", errno);
  free(source);
  free(target);
  return status;
}
