/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SIMULATION_H
#define TORSOR_SCENE_SIMULATION_H

#include <torsor/analysis.h>

#include "scene/reader.h"

/** The object "simulation"; left out, the settings are the default ones and the duration is 0. */
torsor_status simulation_read(torsor_simulation *out, const reader *r, const json_node *node);

/** Checks only the keys of the object "simulation". */
torsor_status simulation_check_keys(const reader *r, const json_node *node);

/** The spacing of output times that does not go by steps; `node` may be missing. */
torsor_status simulation_read_output(torsor_simulation *out, const reader *r,
                                     const json_node *node);

#endif
