/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* `surely`: it is on the disk afterwards. */
static torsor_status replace(const char *name, const char *bytes, size_t size, bool surely,
                             torsor_error *error) {
  char *temporary = NULL;
  if (asprintf(&temporary, "%s.tmp", name) < 0)
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  torsor_status status = TORSOR_OK;
  const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0 && file_write_all(file, bytes, size) && (!surely || fsync(file) == 0);
  int error_number = errno;
  if (file >= 0 && close(file) != 0 && good) {
    good = false;
    error_number = errno;
  }
  if (good && (rename(temporary, name) != 0 || (surely && !sync_folder(name)))) {
    good = false;
    error_number = errno;
  }
  if (!good) {
    if (file >= 0) unlink(temporary);
    status = file_fail(error, name, "write the file", error_number);
  }
  free(temporary);
  return status;
}

torsor_status file_replace(const char *name, const char *bytes, size_t size, torsor_error *error) {
  return replace(name, bytes, size, false, error);
}

torsor_status file_replace_surely(const char *name, const char *bytes, size_t size,
                                  torsor_error *error) {
  return replace(name, bytes, size, true, error);
}
