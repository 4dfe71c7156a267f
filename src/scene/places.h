/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PLACES_H
#define TORSOR_SCENE_PLACES_H

/** Bodies that are placed by others at the start, by "in" or by a joint with "start", and the named
 *  markers of bodies. */

#include <torsor/element.h>

#include "scene/reader.h"
#include "scene/spaces.h"

typedef struct scene_places scene_places;

/** Find the places of the bodies of a scene and its assemblies.  *out is NULL where nothing asks
 * for that. */
torsor_status places_find(scene_places **out, const scene_spaces *spaces,
                          const torsor_registry *registry, const reader *r);
void places_destroy(scene_places *places);

/** The named marker `name`, "arm.tip", as the space has it: its frame, and its body, by its
 *  name in the whole scene.  False when there is none.  `places` may be NULL. */
bool places_marker(se3 *frame, char body[MODEL_NAME_ROOM], const scene_places *places,
                   const scene_space *space, const char *name);

/** The frame in which "ground" is for an assembly; false: the inertial one. */
bool places_ground(se3 *frame, const scene_places *places, const scene_space *space);

/** Is there an assembly of this name, in the whole scene? */
bool places_is_assembly(const scene_places *places, const char *name);

/** Put the frame that was found for the body `name` of the whole scene, and its velocity, into the
 * values of its instance. */
void places_apply(const scene_places *places, const torsor_element_type *type, const char *name,
                  void *instance);

#endif
