/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ERROR_SUM_H
#define TORSOR_INTEGRATOR_ERROR_SUM_H

/** Local errors of constant steps, summed up over a run and compared with the motion: whether steps
 * are too coarse. */

#include <torsor/integrator.h>

#include "base/tape.h"

/** Of positions and velocities, [0] translations and [1] rotations: */
typedef struct error_level {
  double now[2], most[2]; /* errors of the steps so far, as far as dampers leave them, and the
                             largest that there was */
  double single[2];       /* the largest contribution, ... */
  int worst[2];           /* ... and the component that had it */
} error_level;

typedef struct error_sum {
  const torsor_problem *problem;
  bool on;
  long since;     /* steps since the last one whose errors were found */
  double usual;   /* change of v' in a step, averaged over the last ones */
  double *change; /* [nv] change of v' in the step before those whose errors are found next */
  double *way, *low, *high; /* [nv] integral of v, and its extremes */
  const double *increment;  /* [nv] of the last step: q1 = q0 exp(u); NULL: not known */
  double *unseen; /* [nv] by what positions moved and velocities at the ends of steps do not say */
  double *lost;   /* [nv] what forces made of that in the velocities */
  double *x, *before, *work; /* work: [nv + 2 nl], [nv], [4 nv + 2 nl] */
  double *rest;              /* [nv] the balance at the end of the step without accelerations */
  error_level position, velocity;
  double extent[2], speed[2]; /* way that a component covered, largest component of v */
  double most_lost[2];
} error_sum;

/** Everything but the problem, which is to be set. */
void error_sum_walk(error_sum *sum, tape *t);

/** Nothing has happened yet. */
void error_sum_clear(error_sum *sum);

/** A step, at whose ends v' is y0 and y1: how many steps its errors are to stand for, 0 where they
 * need not be found.  0 also where the sum is off. */
long error_sum_window(error_sum *sum, const double *y0, const double *y1);

/** x [nv] = sum of the second differences of v' over the last steps of the window, see
 * error_sum_add. */
void error_sum_change(error_sum *sum, double *x, const double *y0, const double *y1);

/** Add `weight` times the error x [nv] of positions or velocities, that was `before` [nv] a step
 * before: one that fades does not last. */
void error_sum_add(error_sum *sum, bool velocities, double weight, const double *before,
                   const double *x);

/** Whether there is anything to speak of in `unseen`, for steps of size h. */
bool error_sum_is_unseen(const error_sum *sum, double h);

/** Add an error x [nv] of the velocities with its sign: see error_sum_add. */
void error_sum_lose(error_sum *sum, const double *before, const double *x);

/** Dampers take the part 1 - `factor` of the errors so far. */
void error_sum_fade(error_sum *sum, double factor);

/** What the errors come to, in parts of the motion; *component is the one that has most of it.
 * Motions below `rounding` (m) are none. */
double error_sum_part(const error_sum *sum, double rounding, int *component);

/** A step of size h from velocity v0 to v1 was taken. */
void error_sum_follow(error_sum *sum, double h, const double *v0, const double *v1);

#endif
