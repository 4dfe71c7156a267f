/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PLACES_H
#define TORSOR_SCENE_PLACES_H

/** Bodies that are placed by others at the start, by "in" or by a joint with "start", and the named
 *  markers of bodies. */

#include <torsor/element.h>

#include "scene/reader.h"

typedef struct scene_places scene_places;

/** Find the places of the bodies of the scene `root`.  *out is NULL where nothing in it asks for
 *  that. */
torsor_status places_find(scene_places **out, const json_node *root,
                          const torsor_registry *registry, const reader *r);
void places_destroy(scene_places *places);

/** The named marker `name`, "arm.tip": its body, and its frame in that.  NULL when there is none.
 *  `places` may be NULL. */
const char *places_marker(se3 *frame, const scene_places *places, const char *name);

/** Put the frame that was found for the body `name`, and its velocity, into the values of its
 *  instance. */
void places_apply(const scene_places *places, const torsor_element_type *type, const char *name,
                  void *instance);

#endif
