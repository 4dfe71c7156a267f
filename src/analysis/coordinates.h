/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_COORDINATES_H
#define TORSOR_ANALYSIS_COORDINATES_H

#include "assembly/assembly.h"

/** Joint coordinates of a model followed over accepted steps, so that angles count their turns. */
typedef struct coordinates {
  const torsor_model *model;
  double *value, *rate; /* [model->coordinate_count] */
  double t;
} coordinates;

/** Memory and the values at the first point: raw, in (-period/2, period/2]. */
torsor_status coordinates_start(coordinates *c, const assembly *a, const torsor_point *p,
                                arena *memory);

/** Values at the next point (motion set): of all values that differ by whole periods the one
 *  nearest to old value + step * mean rate, so that even a step of several turns is counted. */
void coordinates_follow(coordinates *c, const assembly *a, const torsor_point *p);

#endif
