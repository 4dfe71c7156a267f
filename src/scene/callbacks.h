/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_CALLBACKS_H
#define TORSOR_SCENE_CALLBACKS_H

#include <torsor/callback.h>

#include "scene/reader.h"

/** The name of a callback of this signature that is bound to the registry. */
torsor_status callback_read(const torsor_callback **out, const torsor_registry *registry,
                            const char *signature, const reader *r, const json_node *node);

#endif
