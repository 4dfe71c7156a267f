/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FUNCTIONS_H
#define TORSOR_SCENE_FUNCTIONS_H

#include <torsor/element.h>

#include "scene/reader.h"

/** Functions of time: those under "functions", by name, and those written where they are used.  Owns
 *  what they need, until it is destroyed. */
typedef struct function_list function_list;

/** Read the object "functions" into a new list; it may be missing. */
torsor_status functions_read(function_list **out, const reader *r, const json_node *object);
void functions_destroy(function_list *list);

/** A number, the name of a function of `list`, an expression in t, {"value", "rate", "second"} or
 *  {"table", "interpolation"}.  Evaluation allocates nothing; one thread at a time. */
torsor_status function_read(torsor_function *out, function_list *list, const reader *r,
                            const json_node *node);

#endif
