/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_CONTROLLERS_H
#define TORSOR_SCENE_CONTROLLERS_H

#include <torsor/model.h>

#include "scene/inputs.h"
#include "scene/reader.h"

/** Add the controllers of the list "controllers", which may be missing. */
torsor_status controllers_read(torsor_builder *builder, const scene_inputs *inputs,
                               const torsor_registry *registry, const reader *r,
                               const json_node *list);

#endif
