/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_LINEAR_H
#define TORSOR_SCENE_LINEAR_H

#include <torsor/scene.h>

#include "base/arena.h"
#include "scene/reader.h"

/** Reads the object "linear"; left out, there are no inputs and no outputs.  Memory from
 *  `memory`. */
torsor_status linear_read(torsor_linear_request *out, arena *memory, const reader *r,
                          const json_node *node);

/** Checks only the keys of the object "linear". */
torsor_status linear_check_keys(const reader *r, const json_node *node);

#endif
