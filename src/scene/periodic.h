/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PERIODIC_H
#define TORSOR_SCENE_PERIODIC_H

#include <torsor/periodic.h>

#include "scene/reader.h"

/** The object "periodic"; left out, there is no period. */
torsor_status periodic_read(torsor_periodic_settings *out, const reader *r, const json_node *node);

/** Checks only the keys of the object "periodic". */
torsor_status periodic_check_keys(const reader *r, const json_node *node);

#endif
