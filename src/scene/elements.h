/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_ELEMENTS_H
#define TORSOR_SCENE_ELEMENTS_H

#include <torsor/model.h>

#include "scene/reader.h"

/** A type of any kind whose name is near to `word`, or NULL. */
const torsor_element_type *element_type_near(const torsor_registry *registry, const char *word);

/** Checks the member `key` of an element of a draft as far as possible without the rest
 *  (r->postponed). *type is the type of the element, and changes with the member "type". */
torsor_status element_member_check(const torsor_element_type **type, const reader *r,
                                   const torsor_registry *registry, const json_node *element,
                                   const char *key);

#endif
