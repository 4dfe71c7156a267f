/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SHELL_MESH_H
#define TORSOR_SCENE_SHELL_MESH_H

/** Meshes of shells (TORSOR_PARAM_MESH): {"file", "nodes", "elements", "node_sets",
 *  "element_sets"}. */

#include "scene/files.h"
#include "scene/functions.h"

/** Replaces the name of a mesh file of an element by its mesh, so that the scene needs no other
 *  files.  The name is relative to the file of `r`, and goes into `files`.  Errors in the file name
 *  it and the line. */
torsor_status shell_mesh_inline(cJSON *element, const torsor_element_type *type,
                                scene_files *files, const reader *r, const json_node *node);

/** Reads a mesh; `list` owns it. */
torsor_status shell_mesh_read(torsor_mesh *out, function_list *list, const reader *r,
                              const json_node *node);

#endif
