/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PATHS_H
#define TORSOR_SCENE_PATHS_H

#include "scene/element_values.h"

/** The path of a rope; owned by the functions of the scene. */
torsor_status path_read(torsor_path *out, const element_context *context, const json_node *node);

#endif
