/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/json_scan.h"

static void name_file(torsor_error *error, const char *file) {
  if (!error) return;
  *error = (torsor_error){0};
  snprintf(error->file, sizeof error->file, "%s", file);
}

static torsor_status fail_errno(torsor_error *error, int number, const char *hint) {
  char reason[128];
  torsor_fail(error, TORSOR_FILE, "cannot be read: %s", strerror_r(number, reason, sizeof reason));
  torsor_hint(error, "%s", hint);
  return TORSOR_FILE;
}

static torsor_status fail_size(torsor_error *error, long long bytes) {
  torsor_fail(error, TORSOR_FILE, "the file is too large: over %lld MB", bytes >> 20);
  torsor_hint(error, "scenes may have %d MB", SOURCE_BYTES >> 20);
  return TORSOR_FILE;
}

static torsor_status read_all(char **text, size_t *length, int descriptor, size_t expected,
                              torsor_error *error) {
  size_t size = expected + 2, used = 0;
  char *bytes = malloc(size);
  while (bytes) {
    const ssize_t count = read(descriptor, bytes + used, size - used - 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int number = errno;
      free(bytes);
      return fail_errno(error, number, "is it a text file?");
    }
    if (count == 0) {
      bytes[used] = '\0';
      *text = bytes;
      *length = used;
      return TORSOR_OK;
    }
    used += (size_t)count;
    if (used > SOURCE_BYTES) {
      free(bytes);
      return fail_size(error, SOURCE_BYTES);
    }
    if (used + 1 < size) continue;
    size *= 2;
    char *grown = realloc(bytes, size);
    if (!grown) free(bytes);
    bytes = grown;
  }
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status source_read(char **text, size_t *length, const char *file, torsor_error *error) {
  name_file(error, file);
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail_errno(error, errno,
                      errno == ENOENT ? "check the name of the file" : "check its permissions");
  struct stat about;
  torsor_status status;
  if (fstat(descriptor, &about))
    status = fail_errno(error, errno, "");
  else if (S_ISDIR(about.st_mode))
    status = fail_errno(error, EISDIR, "give a file of this folder");
  else if (S_ISREG(about.st_mode) && about.st_size > SOURCE_BYTES)
    status = fail_size(error, (long long)about.st_size);
  else
    status = read_all(text, length, descriptor,
                      S_ISREG(about.st_mode) ? (size_t)about.st_size : 4096, error);
  close(descriptor);
  return status;
}

torsor_status source_parse(cJSON **out, const char *text, size_t length, const char *name,
                           torsor_error *error) {
  name_file(error, name);
  const torsor_status status = json_scan_check(text, length, "file", error);
  if (status) return status;
  /* the parser takes a byte order mark for one in longer texts only */
  const size_t mark = json_scan_bom(text, length);
  *out = cJSON_ParseWithLength(text + mark, length - mark);
  return *out ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}
