/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_DIFFERENCE_H
#define TORSOR_ANALYSIS_DIFFERENCE_H

/** Derivatives by central differences of order 8, with a step that is found for each value. */

#include <torsor/base.h>

#include "base/arena.h"

/** A function of one number x, value [count]. */
typedef torsor_status (*difference_function)(void *data, double x, double *value);

/** Work space for functions of `count` values. */
typedef struct difference {
  int count;
  double *side;      /* [2 count] values at x = +-k h */
  double *now, *old; /* [count] differences with the present step and twice that step */
  double *size;      /* [count] largest magnitude of the values */
  double *best;      /* [count] smallest change from one step to the next; < 0: settled */
} difference;

torsor_status difference_create(difference *out, int count, arena *memory);

/** D [count] = the derivative at x = 0.  The step begins at `largest` and is halved until the
 * difference changes by no more than its round-off, so that a function which varies on a smaller
 * scale, or is not defined so far away, is followed too.  Where that never happens, the difference
 * that changes least is taken.  Returns the status of `f` where no step is small enough for it. */
torsor_status difference_find(double *D, difference *d, difference_function f, void *data,
                              double largest);

#endif
