/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_MARKET_H
#define TORSOR_SCENE_MARKET_H

#include <torsor/model.h>

#include "scene/files.h"
#include "scene/reader.h"

/** Most rows and columns of a matrix that is read. */
enum { MATRIX_ROWS = 6000 };

/** Replaces the names of Matrix Market files by the rows of the matrices in all elements of the
 *  list `key` of the scene `root`, which then needs no other files.  The names are relative to the
 *  file of `r`, and go into `files`.  Errors in a file name it and the line. */
torsor_status market_inline(cJSON *root, const char *key, const torsor_registry *registry,
                            scene_files *files, const reader *r);

#endif
