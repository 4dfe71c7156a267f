/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_ELEMENT_NAME_H
#define TORSOR_SCENE_ELEMENT_NAME_H

#include "scene/reader.h"

/** Longest name of an element (signal names hold it and their own words), and bytes of a buffer for
 *  names in which something was replaced. */
enum { ELEMENT_NAME = 63, ELEMENT_ROOM = 256 };

/** Read the name of `element`; `buffer` holds it where a number in it was replaced. */
torsor_status element_name_read(const char **out, char buffer[ELEMENT_ROOM], const reader *r,
                                const json_node *element);

#endif
