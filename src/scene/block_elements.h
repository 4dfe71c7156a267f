/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_BLOCK_ELEMENTS_H
#define TORSOR_SCENE_BLOCK_ELEMENTS_H

#include "scene/blocks.h"
#include "scene/functions.h"

/** Adds the states to a model, before what may read them. */
torsor_status blocks_add_states(torsor_builder *builder, const scene_blocks *blocks,
                                const reader *r, const json_node *list);

/** Adds the rates of states, and values as signals, after all joints and bodies. */
torsor_status blocks_add_rates(torsor_builder *builder, const scene_blocks *blocks,
                               function_list *functions, const reader *r, const json_node *list);

#endif
