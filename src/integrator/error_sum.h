/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ERROR_SUM_H
#define TORSOR_INTEGRATOR_ERROR_SUM_H

/** Sum of the local errors of constant steps over a run, relative to the motion: it decides whether
 * steps are too coarse. */

#include <torsor/integrator.h>

#include "base/tape.h"

/** Errors of positions or of velocities, of [0] translations and [1] rotations. */
typedef struct error_level {
  double now[2],
      most[2]; /* errors of the steps so far, reduced by dampers, and their largest value so far */
  double single[2]; /* the largest contribution */
  int worst[2];     /* the component of the largest contribution */
} error_level;

typedef struct error_sum {
  const torsor_problem *problem;
  bool on;
  long since;     /* number of steps since the last one whose errors were found */
  double usual;   /* change of v' in a step, averaged over the last steps */
  double *change; /* [nv] change of v' in the step before the window whose errors are found next */
  double *way, *low, *high; /* [nv] integral of v, and its extremes */
  const double *increment;  /* [nv] increment of the last step, q1 = q0 exp(u); NULL: not known */
  double *unseen; /* [nv] movement of positions that velocities at the ends of steps do not show */
  double *lost;   /* [nv] error of the velocities by forces that this movement causes */
  double *x, *before, *work; /* work: [nv + 2 nl], [nv], [4 nv + 2 nl] */
  double *rest;              /* [nv] balance at the end of the step without accelerations */
  error_level position, velocity;
  double extent[2], speed[2]; /* largest range of a component, largest component of v */
  double most_lost[2];
} error_sum;

/** Walks over everything but the problem, which must be set (base/tape.h). */
void error_sum_walk(error_sum *sum, tape *t);

/** Begins a new sum. */
void error_sum_clear(error_sum *sum);

/** Records a step at whose ends v' is y0 and y1, and returns the number of steps that its errors
 * are to represent; 0 where they need not be found, or where the sum is off. */
long error_sum_window(error_sum *sum, const double *y0, const double *y1);

/** Finds the sum of the second differences of v' over the last steps of the window, x [nv]; see
 * error_sum_add. */
void error_sum_change(error_sum *sum, double *x, const double *y0, const double *y1);

/** Adds `weight` times the error x [nv] of positions or velocities, which was `before` [nv] a step
 * before; an error that fades does not last. */
void error_sum_add(error_sum *sum, bool velocities, double weight, const double *before,
                   const double *x);

/** Is there an appreciable value in `unseen`, for steps of size h? */
bool error_sum_is_unseen(const error_sum *sum, double h);

/** Adds an error x [nv] of the velocities with its sign; see error_sum_add. */
void error_sum_lose(error_sum *sum, const double *before, const double *x);

/** Reduces the errors so far by `factor`, as dampers do. */
void error_sum_fade(error_sum *sum, double factor);

/** Returns the sum of the errors relative to the motion; *component is the one with the largest
 * part.  Motions below `rounding` (m) do not count. */
double error_sum_part(const error_sum *sum, double rounding, int *component);

/** Records an accepted step of size h from velocity v0 to v1. */
void error_sum_follow(error_sum *sum, double h, const double *v0, const double *v1);

#endif
