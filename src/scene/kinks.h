/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_KINKS_H
#define TORSOR_SCENE_KINKS_H

#include "scene/functions.h"

/** Forgets the kinks of controls that have been read so far, before a model is built. */
void kinks_forget(function_list *list);

/** Adds an event for each kink of the controls that were read since, after the other `events`. */
torsor_status kinks_add(torsor_builder *builder, function_list *list, int events,
                        torsor_error *error);

#endif
