/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/base.h>

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *torsor_status_text(torsor_status status) {
  switch (status) {
#define TEXT(name, value, text)                                                                    \
  case TORSOR_##name:                                                                              \
    return text;
    TORSOR_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "unknown status";
}

const char *torsor_status_name(torsor_status status) {
  switch (status) {
#define NAME(name, value, text)                                                                    \
  case TORSOR_##name:                                                                              \
    return #name;
    TORSOR_STATUS_LIST(NAME)
#undef NAME
  }
  return "UNKNOWN";
}

torsor_status torsor_fail(torsor_error *error, torsor_status status, const char *format, ...) {
  if (!error) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  error->status = status;
  error->hint[0] = '\0';
  error->t = nan("");
  return status;
}

void torsor_fail_at(torsor_error *error, double t) {
  if (error) error->t = t;
}

int torsor_error_text(char *out, size_t room, const torsor_error *e) {
  char place[sizeof e->file + 32] = "";
  if (e->file[0] && e->line > 0 && e->column > 0)
    snprintf(place, sizeof place, "%s:%d:%d: ", e->file, e->line, e->column);
  else if (e->file[0] && e->line > 0)
    snprintf(place, sizeof place, "%s:%d: ", e->file, e->line);
  else if (e->file[0])
    snprintf(place, sizeof place, "%s: ", e->file);
  return snprintf(out, room, "%s%s%s%s%s%s", place, e->path, e->path[0] ? ": " : "", e->message,
                  e->hint[0] ? "\n  hint: " : "", e->hint);
}

void torsor_blame(torsor_error *error, const char *element) {
  if (error) snprintf(error->element, sizeof error->element, "%s", element);
}

void torsor_hint(torsor_error *error, const char *format, ...) {
  if (!error) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->hint, sizeof error->hint, format, arguments);
  va_end(arguments);
}

enum { LONGEST_NAME = 63 };

/* Edit distance (insert, delete, replace, swap of neighbours) without regard to case. */
static int edit_distance(const char *a, const char *b) {
  int row[3][LONGEST_NAME + 1];
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST_NAME || m > LONGEST_NAME) return n + m;
  for (int j = 0; j <= m; ++j) row[0][j] = j;
  for (int i = 1; i <= n; ++i) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; ++j) {
      const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      int best = before[j - 1] + (ca != cb);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
      if (swapped && older[j - 2] + 1 < best) best = older[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

const char *torsor_near_name(const char *word, const char *const *names, int count) {
  const char *nearest = NULL;
  int best = 1 + (int)strlen(word) / 3;
  for (int i = 0; i < count; ++i) {
    const int distance = edit_distance(word, names[i]);
    if (distance > best || (distance == best && nearest)) continue;
    best = distance;
    nearest = names[i];
  }
  return nearest;
}

void torsor_text_free(char *text) {
  free(text);
}

const char *torsor_version(void) {
  return TORSOR_VERSION;
}
