/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SHAPES_H
#define TORSOR_SCENE_SHAPES_H

#include <torsor/model.h>

#include "scene/reader.h"

/** Words that a shape may have as "type", and the keys that belong to each, NULL-terminated. */
enum { SHAPE_KINDS = 7, SHAPE_KEYS = 4 };
typedef struct shape_kind {
  const char *name;
  torsor_solid_kind solid;
  const char *key[SHAPE_KEYS + 1];
} shape_kind;

extern const shape_kind shape_kinds[SHAPE_KINDS];

/** Read a shape or a list of shapes; *out [*count] is to be freed even after a failure. */
torsor_status shapes_solids(torsor_solid **out, int *count, const reader *r,
                            const json_node *shape);

/** Sets the solids of the body `body`, or of "ground", from "shape" in `element`, if there is
 *  one. */
torsor_status shapes_read(torsor_builder *builder, const reader *r, const char *body,
                          const json_node *element);

#endif
