/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_COORDINATES_H
#define TORSOR_ASSEMBLY_COORDINATES_H

#include "assembly/assembly.h"
#include "base/tape.h"

/** Joint coordinates of a model, followed over accepted steps so that angles count full turns: of
 * all values that differ by whole periods, the one nearest to an extrapolation of the last steps is
 * taken. */
typedef struct coordinates {
  const torsor_model *model;
  double t;             /* end of the last accepted step */
  double *value, *rate; /* [model->coordinate_count] at t, with turns counted */
  double *second;       /* second derivative: change of the rates in the last step over its size */
  double *expected;     /* extrapolation: value + s rate + s^2/2 second at the time `at` = t + s */
  double at;
  double *next_value, *next_rate; /* at the end of the step that is being examined */
  double *shown, *shown_rate;     /* at the point last asked for by coordinates_show */
} coordinates;

/** Takes the memory and finds the values for the markers as the scene defines them, in (-period/2,
 * period/2]. */
torsor_status coordinates_create(coordinates *c, const torsor_model *model, arena *memory);
/** Walks over everything that changes during a run (base/tape.h). */
void coordinates_walk(coordinates *c, tape *t);

/** Finds values and rates at the first point (motion set); turns are counted from the values of the
 * scene. */
void coordinates_start(coordinates *c, const assembly *a, const torsor_point *p);

/** Copies values, rates and time from coordinates of the same model. */
void coordinates_copy(coordinates *c, const coordinates *from);

/** Extrapolates to time t: sets c->expected. */
void coordinates_expect(coordinates *c, double t);

/** Accepts the next point (motion set), unless turns cannot be counted, TORSOR_TURN, or a
 * coordinate has left its range, TORSOR_DOMAIN; then `blamed` is the joint and c is unchanged.
 * Turns can be counted where a coordinate is less than a quarter of its period away both from the
 * extrapolation and from what the mean of its rates predicts. */
torsor_status coordinates_follow(coordinates *c, int *blamed, const assembly *a,
                                 const torsor_point *p);

/** Sets c->shown and c->shown_rate at p (motion set), which is within the last step, or as far
 * behind it as the extrapolation serves. */
void coordinates_show(coordinates *c, const assembly *a, const torsor_point *p);

/** Lets the last step end at p within it (motion set); the next one goes on from there. */
void coordinates_cut(coordinates *c, const assembly *a, const torsor_point *p);

#endif
