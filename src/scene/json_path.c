/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/json_path.h"

#include <stdio.h>
#include <string.h>

#include "scene/json_string.h"

static bool is_plain(const char *key) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$";
  return *key && strspn(key, letters) == strlen(key);
}

/* Length of what is written so far. */
static size_t print_step(char *out, size_t size, const json_path *path) {
  if (!path->up) {
    out[0] = '\0';
    return 0;
  }
  const size_t used = print_step(out, size, path->up);
  if (used + 1 >= size) return used;
  const char *format = !path->key             ? "[%d]"
                       : !is_plain(path->key) ? "[\"%s\"]"
                       : used                 ? ".%s"
                                              : "%s";
  const int more = path->key ? snprintf(out + used, size - used, format, path->key)
                             : snprintf(out + used, size - used, format, path->index);
  const size_t all = used + (size_t)(more > 0 ? more : 0);
  return all < size ? all : size - 1;
}

void json_path_print(char *out, size_t size, const json_path *path) {
  print_step(out, size, path);
}

static int path_depth(const json_path *path) {
  int depth = 0;
  for (; path->up; path = path->up) ++depth;
  return depth;
}

static bool same_step(const json_path *a, const json_path *b) {
  if (!a->key || !b->key) return !a->key && !b->key && a->index == b->index;
  return strcmp(a->key, b->key) == 0;
}

bool json_path_within(const json_path *path, const json_path *ancestor) {
  int below = path_depth(path) - path_depth(ancestor);
  if (below < 0) return false;
  for (; below > 0; --below) path = path->up;
  for (; path->up; path = path->up, ancestor = ancestor->up)
    if (!same_step(path, ancestor)) return false;
  return true;
}

/* ---- walking over valid text ----------------------------------------------------------------- */

static const char *skip_space(const char *at) {
  return at + strspn(at, " \t\n\r");
}

static const char *skip_string(const char *at) {
  for (++at; *at != '"'; ++at)
    if (*at == '\\') ++at;
  return at + 1;
}

static const char *skip_value(const char *at) {
  int depth = 0;
  do {
    if (*at == '"') {
      at = skip_string(at);
      continue;
    }
    if (*at == '{' || *at == '[') ++depth;
    if (*at == '}' || *at == ']') --depth;
    ++at;
  } while (depth > 0);
  return at + strcspn(at, ",]} \t\n\r");
}

typedef struct position {
  const char *key, *value;
} position;

/* The member `path` of the value at `parent`; false when there is none. */
static bool find_member(position *out, const char *parent, const json_path *path) {
  const bool object = *parent == '{';
  if (object != (path->key != NULL) || (!object && *parent != '[')) return false;
  const char *at = skip_space(parent + 1);
  for (int i = 0; *at != '}' && *at != ']'; ++i) {
    out->key = at;
    if (object) at = skip_space(skip_space(skip_string(at)) + 1);
    out->value = at;
    if (object ? json_string_equals(out->key + 1, path->key) : i == path->index) return true;
    at = skip_space(skip_value(at));
    if (*at == ',') at = skip_space(at + 1);
  }
  return false;
}

/* The deepest step of `path` that the text has; `*exact`: all of it. */
static position find_path(const char *text, const json_path *path, bool *exact) {
  if (!path->up) {
    const char *root = skip_space(text);
    *exact = true;
    return (position){root, root};
  }
  const position parent = find_path(text, path->up, exact);
  position found;
  if (!*exact) return parent;
  *exact = find_member(&found, parent.value, path);
  return *exact ? found : parent;
}

size_t json_path_locate(const char *text, const json_path *path, bool key) {
  bool exact;
  const position found = find_path(text, path, &exact);
  return (size_t)((key && exact ? found.key : found.value) - text);
}
