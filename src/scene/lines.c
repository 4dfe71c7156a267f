/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/lines.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

torsor_status lines_open(line_reader *r, const char *file, torsor_error *error) {
  *r = (line_reader){.name = file, .error = error};
  r->file = fopen(file, "r");
  if (r->file) return TORSOR_OK;
  const torsor_status status = errno == ENOMEM ? TORSOR_MEMORY : TORSOR_FILE;
  torsor_fail(error, status, "cannot be read: %s", strerror(errno));
  if (error) snprintf(error->file, sizeof error->file, "%s", file);
  return status;
}

void lines_close(line_reader *r) {
  if (r->file) fclose(r->file);
  free(r->line);
  r->file = NULL;
  r->line = NULL;
}

char *lines_next(line_reader *r) {
  const ssize_t length = getline(&r->line, &r->room, r->file);
  if (length < 0) return NULL;
  ++r->number;
  r->line[strcspn(r->line, "\r\n")] = '\0';
  return r->line;
}

torsor_status lines_status(const line_reader *r) {
  if (feof(r->file)) return TORSOR_OK;
  if (!ferror(r->file)) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  lines_fail(r, r->number, "", "cannot be read on");
  return torsor_fail(r->error, TORSOR_FILE, "cannot be read on");
}

torsor_status lines_fail(const line_reader *r, int line, const char *hint, const char *format,
                         ...) {
  char message[400];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  torsor_fail(r->error, TORSOR_SCENE, "%s", message);
  torsor_hint(r->error, "%s", hint);
  if (r->error) {
    snprintf(r->error->file, sizeof r->error->file, "%s", r->name);
    r->error->line = line;
    r->error->column = line ? 1 : 0;
  }
  return TORSOR_SCENE;
}

/* Writes the number at `from` as strtod reads it: E for D, and E before a sign within. */
static size_t copy_number(char *to, size_t size, const char *from) {
  size_t n = 0, read = 0;
  while (n + 2 < size) {
    const char c = from[read];
    const bool digit = isdigit((unsigned char)c) || c == '.';
    const bool exponent = n && strchr("eEdD", c) && c;
    const bool sign = c == '+' || c == '-';
    if (!digit && !exponent && !sign) break;
    if (sign && n && to[n - 1] != 'E') to[n++] = 'E';
    to[n++] = exponent ? 'E' : c;
    ++read;
  }
  to[n] = '\0';
  return read;
}

bool lines_number(double *out, char **at) {
  char copy[64], *end = copy;
  *at += strspn(*at, " \t");
  const size_t read = copy_number(copy, sizeof copy, *at);
  if (!read) return false;
  *out = strtod(copy, &end);
  if (*end || !isfinite(*out)) return false;
  *at += read;
  return true;
}

bool lines_count(long *out, char **at) {
  char *end = *at;
  errno = 0;
  *out = strtol(*at, &end, 10);
  if (end == *at || errno || *out < 1 || *out > INT_MAX) return false;
  *at = end;
  return true;
}

bool lines_grow(void **list, int count, size_t size) {
  if (count && (count & (count - 1))) return true;
  void *more = realloc(*list, (count ? 2 * (size_t)count : 1) * size);
  if (more) *list = more;
  return more != NULL;
}

bool lines_beside(char *out, size_t size, const char *beside, const char *name) {
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  const int folder = slash && name[0] != '/' ? (int)(slash + 1 - beside) : 0;
  return snprintf(out, size, "%.*s%s", folder, beside ? beside : "", name) < (int)size;
}
