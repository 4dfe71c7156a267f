/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_RECORDING_H
#define TORSOR_SCENE_RECORDING_H

#include <torsor/frame.h>

#include "scene/reader.h"

/** "full" and "sync" of the object "output"; what is missing keeps its default value. */
torsor_status recording_read(torsor_recording *out, const reader *r, const json_node *output);

#endif
