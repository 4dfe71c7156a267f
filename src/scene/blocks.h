/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_BLOCKS_H
#define TORSOR_SCENE_BLOCKS_H

#include <torsor/model.h>

#include "base/arena.h"
#include "scene/reader.h"

/** A block of a controller: a state with the expression of its rate, or a value that is an
 *  expression. */
typedef struct block {
  const char *name, *text;
  bool state;
  double initial; /* of a state */
  int entry;      /* of the list "controllers" */
} block;

typedef struct scene_blocks {
  int count, size;
  block *item; /* [count] from an arena, as their texts */
} scene_blocks;

/** Is the entry of "controllers" made of blocks, and no sampled callback? */
bool blocks_are(const json_node *entry);

/** Reads the blocks of the list "controllers", which may be missing, into `out`. */
torsor_status blocks_read(scene_blocks *out, arena *memory, const reader *r, const json_node *list);

/** The block of this name, or NULL. */
const block *blocks_find(const scene_blocks *blocks, const char *name);

/** Is `word`, or `word` without ".value", a state? */
bool blocks_have_state(const scene_blocks *blocks, const char *word);

/** Replaces the names of values in `text` by their expressions, and "x.value" of a state by "x".
 *  *owned, to be freed, is NULL where nothing was replaced.  TORSOR_SCENE with a message where
 *  values depend on each other in a circle. */
torsor_status blocks_expand(const char **out, char **owned, const scene_blocks *blocks,
                            const char *text, torsor_error *error);

#endif
