/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FILES_H
#define TORSOR_SCENE_FILES_H

#include <stdbool.h>

#include "base/arena.h"

/** Names of further files that a scene was read from, such as matrices. */
typedef struct scene_file {
  struct scene_file *next;
  const char *name;
} scene_file;

typedef struct scene_files {
  arena *memory;
  scene_file *first;
} scene_files;

/** Remember a name; false when memory is short. */
static inline bool scene_files_add(scene_files *files, const char *name) {
  scene_file *file = arena_take(files->memory, 1, sizeof *file);
  const char *copy = arena_string(files->memory, name);
  if (!file || !copy) return false;
  *file = (scene_file){files->first, copy};
  files->first = file;
  return true;
}

#endif
