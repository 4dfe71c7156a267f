/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/file.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A pipe is not waited for: without a reader it cannot be opened. */
static int open_file(const char *name) {
  const int file = file_create(name);
  const int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
  if (flags >= 0) fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

static torsor_status fail_open(torsor_error *error, const char *name) {
  const int error_number = errno;
  file_fail(error, name, "open the file for writing", error_number);
  if (error_number == ENXIO) torsor_hint(error, "start a program that reads the pipe first");
  if (error_number == ELOOP)
    torsor_hint(error, "it is a symbolic link, which is not followed: put the file in its place");
  return TORSOR_FILE;
}

torsor_status append_open(append_file *a, const char *name, size_t row, double sync, bool regular,
                          torsor_error *error) {
  *a = (append_file){.file = -1, .sync = sync};
  a->name = malloc(strlen(name) + 1);
  a->buffer = malloc(APPEND_BUFFER_BYTES + row);
  if (!a->name || !a->buffer) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  strcpy(a->name, name);
  a->file = open_file(name);
  if (a->file < 0) return fail_open(error, name);
  struct stat status;
  if (regular && (fstat(a->file, &status) != 0 || !S_ISREG(status.st_mode))) {
    file_fail(error, name, "write the file", ESPIPE);
    torsor_hint(error, "it must be a file on a disk, not a pipe or a device");
    return TORSOR_FILE;
  }
  return TORSOR_OK;
}

/* Writes all bytes or none: a part that was written before a failure is cut off again. */
static torsor_status write_whole(append_file *a, const char *bytes, size_t size) {
  if (file_write_all(a->file, bytes, size)) {
    a->whole += (off_t)size;
    return TORSOR_OK;
  }
  a->error_number = errno;
  const int cut = ftruncate(a->file, a->whole);
  (void)cut; /* devices and pipes cannot be cut */
  return TORSOR_FILE;
}

torsor_status append_flush(append_file *a) {
  if (a->error_number) return TORSOR_FILE;
  const size_t length = a->length;
  a->length = 0;
  return length ? write_whole(a, a->buffer, length) : TORSOR_OK;
}

torsor_status append_now(append_file *a, const char *bytes, size_t size) {
  const torsor_status status = append_flush(a);
  return status ? status : write_whole(a, bytes, size);
}

torsor_status append_flush_old(append_file *a) {
  if (!a->length || seconds_now() - a->oldest < a->sync) return TORSOR_OK;
  return append_flush(a);
}

char *append_room(append_file *a) {
  if (!a->length) a->oldest = seconds_now();
  return a->buffer + a->length;
}

torsor_status append_row(append_file *a, size_t size) {
  if (a->error_number) return TORSOR_FILE;
  a->length += size;
  return a->length >= APPEND_BUFFER_BYTES ? append_flush(a) : append_flush_old(a);
}

torsor_status append_sync(append_file *a) {
  const torsor_status status = append_flush(a);
  /* pipes and devices know nothing of it */
  if (status || fdatasync(a->file) == 0 || errno == EINVAL || errno == EROFS) return status;
  a->error_number = errno;
  return TORSOR_FILE;
}

/* ---- going on -------------------------------------------------------------------------------- */

torsor_status append_fail_other(const append_file *a, torsor_error *error) {
  torsor_fail(error, TORSOR_FILE, "is not the file of the checkpoint beside it");
  torsor_hint(error, "run the scene again, as the file was changed or cut");
  if (error) snprintf(error->file, sizeof error->file, "%s", a->name);
  return TORSOR_FILE;
}

torsor_status append_reopen(append_file *a, const char *name, size_t row, double sync,
                            long long whole, torsor_error *error) {
  *a = (append_file){.file = -1, .sync = sync, .whole = (off_t)whole};
  a->name = strdup(name);
  a->buffer = malloc(APPEND_BUFFER_BYTES + row);
  if (!a->name || !a->buffer) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  a->file = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct stat about;
  if (a->file < 0) return fail_open(error, name);
  const bool regular = fstat(a->file, &about) == 0 && S_ISREG(about.st_mode);
  return regular && about.st_size >= a->whole ? TORSOR_OK : append_fail_other(a, error);
}

torsor_status append_cut(append_file *a, torsor_error *error) {
  if (ftruncate(a->file, a->whole) == 0 && lseek(a->file, a->whole, SEEK_SET) >= 0)
    return TORSOR_OK;
  a->error_number = errno;
  return file_fail(error, a->name, "cut the file", errno);
}

/* ---- the end --------------------------------------------------------------------------------- */

torsor_status append_close(append_file *a, torsor_error *error) {
  if (a->file >= 0) {
    append_flush(a);
    if (close(a->file) != 0 && !a->error_number) a->error_number = errno;
  }
  torsor_status status = TORSOR_OK;
  if (a->error_number) status = file_fail(error, a->name, "write the file", a->error_number);
  free(a->name);
  free(a->buffer);
  *a = (append_file){.file = -1};
  return status;
}
