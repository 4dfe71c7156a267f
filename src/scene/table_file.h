/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_TABLE_FILE_H
#define TORSOR_SCENE_TABLE_FILE_H

#include "scene/files.h"
#include "scene/reader.h"

/** Replaces {"table": "name.csv", "columns": [..], "units": [..]} by {"table": [[..], ..]}, in SI
 *  units, everywhere in the scene `root`, which then needs no other files.  The names are relative
 *  to the file in which they stand, and go into `files`.  Errors in a file name it and the line. */
torsor_status tables_inline(cJSON *root, scene_files *files, const reader *r);

#endif
