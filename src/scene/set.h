/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SET_H
#define TORSOR_SCENE_SET_H

#include "base/arena.h"
#include "scene/reader.h"

/** Change the scene `root` as `set` [count] of "PATH=VALUE" says, in order.  PATH: keys parted by
 *  dots, [n] in arrays; an object of an array may be named by its "name".  A key that is missing is
 *  added to an object that exists.  VALUE is JSON, else a text.  `changes` [count] from `memory`
 *  receives what was changed.  Errors name "--set PATH=VALUE" as the file. */
torsor_status set_apply(const scene_change **changes, cJSON *root, arena *memory,
                        const char *const *set, int count, torsor_error *error);

/** Finds the value at PATH (as above) of the scene `root`; ARGUMENT where there is none. */
torsor_status set_find(json_node *out, cJSON *root, arena *memory, const char *path,
                       torsor_error *error);

#endif
