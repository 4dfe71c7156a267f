/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_MARKERS_H
#define TORSOR_SCENE_MARKERS_H

#include "scene/element_values.h"

/** The frame that a body's name or {"body", "position", "orientation"} stands for; `conditions` are
 *  those of a parameter. */
torsor_status marker_read(torsor_marker *out, const element_context *context, const json_node *node,
                          unsigned conditions);

#endif
