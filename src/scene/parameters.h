/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PARAMETERS_H
#define TORSOR_SCENE_PARAMETERS_H

#include "base/arena.h"
#include "scene/reader.h"

/** Evaluate the object "parameters" into `scope`, whose arrays come from `memory`.  The parameters
 *  may refer to each other in any order; a circle is an error that names its members. */
torsor_status parameters_read(expression_scope *scope, arena *memory, const reader *r,
                              const json_node *object);

#endif
