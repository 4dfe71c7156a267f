/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_EXTRAPOLATION_H
#define TORSOR_INTEGRATOR_EXTRAPOLATION_H

/** Where a step begins its iteration: the next of values at equally spaced times,
 *
 *      y1 = y0 + sum_j c_j D^j y0,   D^j the j-th backward difference.
 *
 *  c = 1 extrapolates by polynomials.  Here c_1 .. c_k are those that would have predicted the last
 * values best (least squares over all components), for each order k, and the order is the one whose
 * coefficients predicted the last values best before these were known.  A motion of few frequencies
 * is continued to some parts in 1e6 per step, oscillations that a step does not follow are not
 * magnified. */

#include <stdbool.h>

#include <torsor/integrator.h>

#include "base/tape.h"

enum { EXTRAPOLATION_ORDER = 6 };

typedef struct extrapolation {
  int length; /* components */
  /* Coefficients are fitted to [0, first) and [first, counted), each relative to its largest. */
  int first, counted;
  int history; /* steps since the start, as far as they are counted: there are as many differences,
                  six at most */
  int fits;    /* up to which order there are coefficients */
  int since;   /* steps since these were fitted */
  int order;   /* the one that predicts ... */
  bool plain;  /* ... with the coefficients of a polynomial */
  double *value[EXTRAPOLATION_ORDER + 1]; /* the last ones, newest first */
  const torsor_problem *problem;          /* whose threads share long loops; NULL: one thread */
  /* Of y1 - y0 and D^j y0, of the last steps. */
  double product[EXTRAPOLATION_ORDER + 1][EXTRAPOLATION_ORDER + 1];
  double fit[EXTRAPOLATION_ORDER + 1][EXTRAPOLATION_ORDER]; /* coefficients of each order */
} extrapolation;

/** All that moves; `length`, `first` and `counted` are to be set. */
void extrapolation_walk(extrapolation *e, tape *t);
/** Start anew from zeros. */
void extrapolation_clear(extrapolation *e);
/** The values to come have another distance in time: of the past the last ones stay. */
void extrapolation_forget(extrapolation *e);
/** out [length] = the next values; the same of components `from` to `to` - 1 alone. */
void extrapolation_predict(const extrapolation *e, double *out);
void extrapolation_predict_range(const extrapolation *e, double *out, int from, int to);
/** `next` follows. */
void extrapolation_push(extrapolation *e, const double *next);
/** The same, without copying: `next` is kept, and an array of the same length given for it. */
double *extrapolation_take(extrapolation *e, double *next);

#endif
