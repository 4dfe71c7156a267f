/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_EXTRAPOLATION_H
#define TORSOR_INTEGRATOR_EXTRAPOLATION_H

/** Predictor of the iteration by reduced-rank extrapolation: the next one of values at equally
 *  spaced times,
 *
 *      y1 = y0 + sum_j c_j D^j y0,   D^j the j-th backward difference.
 *
 *  c_j = 1 is polynomial extrapolation.  Here, for each order k, c_1 .. c_k are the coefficients
 * that would have predicted the last values best (least squares over all components, with a
 * forgetting factor), and the order is the one whose earlier coefficients predicted the last values
 * best (cross-validation).  A motion of few frequencies is continued to some parts in 1e6 per step,
 * and oscillations that a step does not resolve are not amplified, as polynomials amplify them. */

#include <stdbool.h>

#include <torsor/integrator.h>

#include "base/tape.h"

enum { EXTRAPOLATION_ORDER = 6 };

typedef struct extrapolation {
  int length; /* number of components */
  /* Coefficients are fitted to [0, first) and [first, counted), each relative to its largest. */
  int first, counted;
  int history; /* steps since the start, as far as they are counted: there are as many differences,
                  six at most */
  int fits;    /* highest order with fitted coefficients */
  int since;   /* steps since these were fitted */
  int order;   /* order of the predictor ... */
  bool plain;  /* ... with the coefficients of a polynomial */
  double *value[EXTRAPOLATION_ORDER + 1]; /* the last values, newest first */
  const torsor_problem *problem;          /* whose threads share long loops; NULL: one thread */
  /* Gram matrix of y1 - y0 and D^j y0 over the last steps. */
  double product[EXTRAPOLATION_ORDER + 1][EXTRAPOLATION_ORDER + 1];
  double fit[EXTRAPOLATION_ORDER + 1][EXTRAPOLATION_ORDER]; /* coefficients of each order */
} extrapolation;

/** Walks over the state; `length`, `first` and `counted` must be set. */
void extrapolation_walk(extrapolation *e, tape *t);
/** Starts anew from zeros. */
void extrapolation_clear(extrapolation *e);
/** Discards the history but for the last values, as the step size changes. */
void extrapolation_forget(extrapolation *e);
/** Predicts the next values, out [length]; the second function those of components `from` to `to` -
 * 1 alone. */
void extrapolation_predict(const extrapolation *e, double *out);
void extrapolation_predict_range(const extrapolation *e, double *out, int from, int to);
/** Appends the values `next` [length]. */
void extrapolation_push(extrapolation *e, const double *next);
/** Appends `next` without copying: keeps the array, and returns another one of the same length in
 * its place. */
double *extrapolation_take(extrapolation *e, double *next);

#endif
