/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_LAYERS_H
#define TORSOR_SCENE_LAYERS_H

#include <torsor/element.h>

#include "scene/functions.h"
#include "scene/reader.h"

/** The layers of a shell, isotropic or orthotropic; owned by `list`. */
torsor_status layers_read(torsor_layers *out, function_list *list, const reader *r,
                          const json_node *node);

#endif
