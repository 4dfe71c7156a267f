/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SHOWN_UNITS_H
#define TORSOR_SCENE_SHOWN_UNITS_H

#include <torsor/scene.h>

#include "scene/reader.h"

/** Checks the units in which results are to be shown, output.units. */
torsor_status shown_units_check(const char *const *unit, int count, const reader *r,
                                const json_node *list);

/** The unit in which a quantity of an SI unit is shown, into out [room], with the factor; false:
 * its own. */
bool shown_units_find(char *out, size_t room, double *factor, const char *const *unit, int count,
                      const char *own);

#endif
