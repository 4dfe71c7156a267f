/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SAMPLES_H
#define TORSOR_SCENE_SAMPLES_H

#include "scene/functions.h"

/** Sampled blocks of controllers: their values and states are inputs of the model, which stay
 *  constant between samples. */
typedef struct scene_samples {
  int count, size;
  struct sampled *item; /* [count] from an arena */
} scene_samples;

/** Is the entry of "controllers" a sampled block? */
bool samples_are(const json_node *entry);

/** Reads the sampled blocks of the list "controllers", which may be missing, and adds their values
 *  and states to `inputs`. */
torsor_status samples_read(scene_samples *out, scene_inputs *inputs, arena *memory, const reader *r,
                           const json_node *list);

/** Adds their controllers to a model. */
torsor_status samples_add(torsor_builder *builder, const scene_samples *samples,
                          function_list *functions, const reader *r, const json_node *list);

/** Checks that the model has all signals that they read. */
torsor_status samples_check(const torsor_model *model, const scene_samples *samples,
                            const reader *r, const json_node *list);

#endif
