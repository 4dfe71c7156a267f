/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EVENTS_H
#define TORSOR_SCENE_EVENTS_H

#include "scene/functions.h"
#include "scene/relays.h"

/** Read the list "events" into `builder`, which has all elements; it may be missing.  What the
 *  events need belongs to `functions`. */
torsor_status events_read(torsor_builder *builder, function_list *functions, const reader *r,
                          const json_node *list);

/** Checks that the signals of the model's events, read from `list`, exist. */
torsor_status events_check(const torsor_model *model, const scene_relays *relays, const reader *r,
                           const json_node *list, const json_node *controllers);

/** Adds the two events of each relay, after those of the scene. */
torsor_status events_add_relays(torsor_builder *builder, function_list *functions,
                                const scene_relays *relays, const reader *r, const json_node *list);

#endif
