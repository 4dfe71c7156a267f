/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_COORDINATES_H
#define TORSOR_ASSEMBLY_COORDINATES_H

#include "assembly/assembly.h"
#include "base/tape.h"

/** Joint coordinates of a model followed over accepted steps, so that angles count their turns: of
 * all values that differ by whole periods the one nearest to what the last steps let expect. */
typedef struct coordinates {
  const torsor_model *model;
  double t;             /* of the last accepted step */
  double *value, *rate; /* [model->coordinate_count] at t, turns counted */
  double *second;       /* change of the rates in the last step over its size */
  double *expected;     /* value + s rate + s^2/2 second at the time `at` = t + s */
  double at;
  double *next_value, *next_rate; /* of the step that is judged */
  double *shown, *shown_rate;     /* at the point last shown */
} coordinates;

/** Memory, and the values where the scene puts the markers: in (-period/2, period/2]. */
torsor_status coordinates_create(coordinates *c, const torsor_model *model, arena *memory);
/** All that moves. */
void coordinates_walk(coordinates *c, tape *t);

/** Values and rates at the first point (motion set), in the turns of the above. */
void coordinates_start(coordinates *c, const assembly *a, const torsor_point *p);

/** Values, rates and time of other coordinates of the same model. */
void coordinates_copy(coordinates *c, const coordinates *from);

/** c->expected at time t. */
void coordinates_expect(coordinates *c, double t);

/** Go on to the next point (motion set), unless turns cannot be counted, TORSOR_TURN, or a
 * coordinate has left its range, TORSOR_DOMAIN: `blamed` is the joint, and c stays.  They can where
 * a coordinate is less than a quarter of its period away from what was expected, and from what the
 * mean of its rates tells. */
torsor_status coordinates_follow(coordinates *c, int *blamed, const assembly *a,
                                 const torsor_point *p);

/** c->shown and c->shown_rate: those at p within the last step, or after it as far as they are
 * expected (motion set). */
void coordinates_show(coordinates *c, const assembly *a, const torsor_point *p);

/** The last step ends at p within it (motion set): go on from there. */
void coordinates_cut(coordinates *c, const assembly *a, const torsor_point *p);

#endif
