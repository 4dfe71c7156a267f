/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/lock.h"

bool file_write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t taken = write(file, bytes, size);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) return false;
    bytes += taken;
    size -= (size_t)taken;
  }
  return true;
}

torsor_status file_fail(torsor_error *error, const char *name, const char *action,
                        int error_number) {
  char words[128];
  torsor_fail(error, TORSOR_FILE, "cannot %s: %s", action,
              strerror_r(error_number, words, sizeof words));
  if (!error) return TORSOR_FILE;
  snprintf(error->file, sizeof error->file, "%s", name);
  error->path[0] = '\0';
  error->line = error->column = 0;
  return TORSOR_FILE;
}

torsor_status file_read(text *content, const char *name, torsor_error *error) {
  FILE *file = fopen(name, "rb");
  if (!file) return file_fail(error, name, "open the file", errno);
  char chunk[1 << 14];
  size_t count;
  errno = 0;
  while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
    text_append_bytes(content, chunk, count);
  torsor_status status = TORSOR_OK;
  if (ferror(file))
    status = file_fail(error, name, "read the file", errno);
  else if (content->failed)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  fclose(file);
  return status;
}

/* The name itself is on the disk when its folder is; some file systems cannot be asked for that. */
static bool sync_folder(const char *name) {
  const char *slash = strrchr(name, '/');
  char *folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
  const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
  const int error_number = errno;
  if (file >= 0) close(file);
  free(folder);
  errno = error_number;
  return good;
}

int file_create(const char *name) {
  struct stat about;
  const bool there = lstat(name, &about) == 0;
  const bool ours = there && (S_ISREG(about.st_mode) || S_ISLNK(about.st_mode));
  if (ours && unlink(name) != 0) return -1;
  const int fresh = there && !ours ? 0 : O_CREAT | O_EXCL;
  return open(name, O_WRONLY | fresh | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
}

/* ---- files in the making --------------------------------------------------------------------- */

/* Opens the draft: one that a killed process left is reused, anything else of that name, such as a
 * link, is removed. */
static int open_beside(const char *beside) {
  struct stat about;
  if (lstat(beside, &about) == 0 && !S_ISREG(about.st_mode)) unlink(beside);
  return open(beside, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Is the file still the one of that name?  Another process may have finished it before its lock
 * came to us. */
static bool is_beside(int file, const char *beside) {
  struct stat own, found;
  return fstat(file, &own) == 0 && lstat(beside, &found) == 0 && own.st_ino == found.st_ino &&
         own.st_dev == found.st_dev;
}

torsor_status file_draft_open(file_draft *d, const char *name, torsor_error *error) {
  *d = (file_draft){.file = -1, .name = name};
  if (asprintf(&d->beside, "%s.tmp", name) < 0) {
    d->beside = NULL;
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  long holder = 0;
  bool locked = true;
  do {
    if (d->file >= 0) close(d->file);
    d->file = open_beside(d->beside);
    if (d->file >= 0) locked = lock_take(d->file, &holder);
  } while (d->file >= 0 && locked && !is_beside(d->file, d->beside));
  if (d->file >= 0 && locked && ftruncate(d->file, 0) == 0) return TORSOR_OK;
  const int error_number = errno;
  if (d->file >= 0) close(d->file);
  free(d->beside);
  *d = (file_draft){.file = -1};
  file_fail(error, name, "write the file", error_number);
  if (locked) return TORSOR_FILE;
  char words[32];
  torsor_fail(error, TORSOR_FILE, "%s is writing the file", lock_holder(words, holder));
  torsor_hint(error, "wait for its end, or give another name");
  return TORSOR_FILE;
}

torsor_status file_draft_close(file_draft *d, int written, bool surely, torsor_error *error) {
  if (d->file < 0) return TORSOR_OK;
  torsor_status status = TORSOR_OK;
  if (!written && surely && fsync(d->file) != 0) written = errno;
  /* closing a duplicate reports late write errors; the other descriptor keeps the lock */
  if (!written && close(dup(d->file)) != 0) written = errno;
  /* the name is given before the lock ends */
  if (!written && (rename(d->beside, d->name) != 0 || (surely && !sync_folder(d->name))))
    written = errno;
  if (written) unlink(d->beside);
  close(d->file);
  if (written) status = file_fail(error, d->name, "write the file", written);
  free(d->beside);
  *d = (file_draft){.file = -1};
  return status;
}

/* `surely`: it is on the disk afterwards. */
static torsor_status replace(const char *name, const char *bytes, size_t size, bool surely,
                             torsor_error *error) {
  file_draft d;
  const torsor_status status = file_draft_open(&d, name, error);
  if (status) return status;
  const int written = file_write_all(d.file, bytes, size) ? 0 : errno;
  return file_draft_close(&d, written, surely, error);
}

torsor_status file_replace(const char *name, const char *bytes, size_t size, torsor_error *error) {
  return replace(name, bytes, size, false, error);
}

torsor_status file_replace_surely(const char *name, const char *bytes, size_t size,
                                  torsor_error *error) {
  return replace(name, bytes, size, true, error);
}
