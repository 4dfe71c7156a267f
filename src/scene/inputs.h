/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_INPUTS_H
#define TORSOR_SCENE_INPUTS_H

#include <torsor/model.h>

#include "base/arena.h"
#include "scene/reader.h"

/** Inputs: values that the caller of a run may change between steps. */
typedef struct scene_inputs {
  int count;
  const char **name, **unit, **doc; /* [count] */
  double *value;                    /* [count] with which runs begin */
  double (*range)[2];               /* [count] least and largest value */
} scene_inputs;

/** Read the object "inputs", whose members are numbers or objects; it may be
 *  missing.  Memory from `memory`. */
torsor_status scene_inputs_read(scene_inputs *out, arena *memory, const reader *r,
                                const json_node *object);

/** Adds an input whose name stands at `node`; memory from `memory`. */
torsor_status scene_inputs_append(scene_inputs *inputs, arena *memory, const reader *r,
                                  const json_node *node, const char *name, double value);

/** Returns the index of the input `name`; -1 = none. */
int scene_inputs_find(const scene_inputs *inputs, const char *name);

/** Adds the inputs to a model. */
torsor_status scene_inputs_add(torsor_builder *builder, const scene_inputs *inputs,
                               const reader *r);

#endif
