/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FITTED_MARKERS_H
#define TORSOR_SCENE_FITTED_MARKERS_H

#include "scene/element_values.h"

/** Does the scene say "fit" for an orientation? */
bool fitted_marker_asked(const json_node *orientation);

/** Markers of a joint that take the orientation of the other one at the start: those that say so
 *  and, in welds of beams, where neither marker gives one, since a beam's frames follow from its
 *  curve. */
torsor_status fitted_markers_find(void *instance, const element_context *context,
                                  const torsor_element_type *type, const json_node *node);

#endif
