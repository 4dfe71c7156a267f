/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_STATICS_H
#define TORSOR_SCENE_STATICS_H

#include <torsor/statics.h>

#include "scene/reader.h"

/** The object "statics"; left out, the settings are the default ones. */
torsor_status statics_read(torsor_statics *out, const reader *r, const json_node *node);

/** Checks only the keys of the object "statics". */
torsor_status statics_check_keys(const reader *r, const json_node *node);

#endif
