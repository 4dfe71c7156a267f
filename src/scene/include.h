/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_INCLUDE_H
#define TORSOR_SCENE_INCLUDE_H

#include "base/arena.h"
#include "scene/reader.h"

/** Included files of a scene. */
typedef struct scene_parts {
  struct scene_source *first, *last; /* in the order of their contents */
  struct scene_source *models;       /* files of models */
  const scene_origin *origin;
} scene_parts;

/** Read the files named under "include" of the scene `root`, and those that they include, and put
 *  their parameters, functions, bodies, joints and forces in front of those of `root`, which
 *  override parameters and functions of the same name.  `r` reads the scene's own file.  The key
 *  "include" is gone afterwards.  A file that is met again is not read again.  To be released even
 *  after a failure. */
torsor_status include_read(scene_parts *parts, cJSON *root, arena *memory, const reader *r);
/** Name of the i-th file, from 0; NULL beyond the last. */
const char *include_file(const scene_parts *parts, int i);
void include_release(scene_parts *parts);

#endif
