/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_BODY_FILE_H
#define TORSOR_SCENE_BODY_FILE_H

#include <torsor/element.h>

#include "scene/files.h"
#include "scene/reader.h"

/** Replaces the name of a body file (TORSOR_PARAM_BODY_FILE) of an element by the interfaces and
 *  matrices of that file, which the element must not have itself.  The name is relative to the file
 *  of `r`, and goes into `files`. */
torsor_status body_file_inline(cJSON *element, const torsor_element_type *type, scene_files *files,
                               const reader *r, const json_node *node);

#endif
