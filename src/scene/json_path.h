/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JSON_PATH_H
#define TORSOR_SCENE_JSON_PATH_H

#include <stdbool.h>
#include <stddef.h>

/** The position of a value in a JSON text: a chain of steps from the value up to the root. */
typedef struct json_path {
  const struct json_path *up; /* NULL: this is the root */
  const char *key;            /* step into an object; NULL: into an array ... */
  int index;                  /* ... at this index */
} json_path;

/** Write `path` as bodies[0].mass into out [size]; keys that are no words as ["a key"]. */
void json_path_print(char *out, size_t size, const json_path *path);

/** Is `path` equal to `ancestor` or below it? */
bool json_path_within(const json_path *path, const json_path *ancestor);

/** Byte offset of the value at `path` in the valid JSON `text` (zero-terminated), or with `key` of
 *  the key in front of it.  Where the text has no such value: of the nearest one above it. */
size_t json_path_locate(const char *text, const json_path *path, bool key);

#endif
