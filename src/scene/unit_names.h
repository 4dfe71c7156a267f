/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_UNIT_NAMES_H
#define TORSOR_SCENE_UNIT_NAMES_H

#include <stdbool.h>

/** The factor from a unit such as "mm", "kN/mm", "deg/s" or "N m" to the SI unit (radians for
 *  angles); false where it is not known. */
bool unit_factor(double *factor, const char *unit);

#endif
