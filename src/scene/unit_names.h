/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_UNIT_NAMES_H
#define TORSOR_SCENE_UNIT_NAMES_H

#include <stdbool.h>

/** The quantity of a unit: powers of mass, length, time and angle, and of J, which is kept apart
 * from N m, as moments are from energies. */
enum { UNIT_POWERS = 5 };
typedef struct unit_dimension {
  int power[UNIT_POWERS];
} unit_dimension;

/** Like unit_factor, with what the unit measures. */
bool unit_measure(double *factor, unit_dimension *dimension, const char *unit);

/** The factor from a unit such as "mm", "kN/mm", "deg/s" or "N m" to the SI unit (radians for
 *  angles); false where it is not known. */
bool unit_factor(double *factor, const char *unit);

#endif
