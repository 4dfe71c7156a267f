/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PHYSICAL_H
#define TORSOR_SCENE_PHYSICAL_H

#include <torsor/element.h>

#include "scene/reader.h"

/** Unit vector along an array of three numbers that are not all zero. */
torsor_status physical_direction(v3 *out, const reader *r, const json_node *node);

/** Rotation: {"matrix"}, {"quaternion": [w, x, y, z]}, {"rotation_vector"} or {"euler": "zyx",
 *  "angles"}: R = Rz(a0) Ry(a1) Rx(a2), each about an axis of the body as turned so far. */
torsor_status physical_orientation(so3 *out, const reader *r, const json_node *node);

/** [x, y, z] in body axes or {"in": "inertial" | "body", "value": [x, y, z]}. */
torsor_status physical_angular_velocity(torsor_angular_velocity *out, const reader *r,
                                        const json_node *node);

#endif
