/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SECTIONS_H
#define TORSOR_SCENE_SECTIONS_H

#include <torsor/element.h>

#include "scene/functions.h"
#include "scene/reader.h"

/** Checks every section of the object "sections" of a scene, which may be missing. */
torsor_status sections_check(function_list *list, const reader *r, const json_node *sections);

/** The name of a section of `sections`, or a section: {"shape", ..} or {"stiffness", "inertia"};
 *  its points are owned by `list`. */
torsor_status section_read(torsor_section *out, function_list *list, const reader *r,
                           const json_node *sections, const json_node *node);

/** The "points" of a section whose other values are known, if it has any. */
torsor_status section_points_read(torsor_section *out, function_list *list, const reader *r,
                                  const json_node *section);

/** Reads a section, or {"table": [[position, section], ..]}; owned by `list`. */
torsor_status section_table_read(torsor_section_table *out, function_list *list, const reader *r,
                                 const json_node *sections, const json_node *node);

/** A list of numbers, owned by `list`. */
torsor_status numbers_read(torsor_numbers *out, function_list *list, const reader *r,
                           const json_node *node);

#endif
