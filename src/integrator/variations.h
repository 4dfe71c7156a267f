/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_VARIATIONS_H
#define TORSOR_INTEGRATOR_VARIATIONS_H

/** Derivatives of a discrete motion by parameters of its problem.
 *
 * Neighbouring motions, of the problem with the parameter p + k d for k = -4 .. 4 but 0, are kept
 * on the tangent of the motion: each step is linearised about the motion's own, and one solution
 * with the exact matrix at its end finds the derivative of that end.  Derivatives of anything are
 * central differences of order 8 over the neighbours, whose rounding is eps/d. */

#include "method.h"

enum { VARIATION_REACH = 4, VARIATION_NEIGHBOURS = 2 * VARIATION_REACH };

/** Returns k of neighbour i: -4 .. -1, 1 .. 4. */
static inline int variation_offset(int i) {
  return i < VARIATION_REACH ? i - VARIATION_REACH : i - VARIATION_REACH + 1;
}

/** Returns the weight of neighbour i in d times the derivative. */
static inline double variation_weight(int i) {
  static const double weight[VARIATION_REACH] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const int k = variation_offset(i);
  return k < 0 ? -weight[-k - 1] : weight[k - 1];
}

/** The neighbours of one parameter. */
typedef struct variation {
  double step; /* d */
  /* The neighbours are at this part of their distances from the motion, at most 1: where they would
   * be too far away for differences, what depends on the parameter by the state alone is found with
   * a smaller change of that. */
  double part;
  torsor_integrator *neighbour[VARIATION_NEIGHBOURS];
} variation;

typedef struct variations {
  /* Leads the neighbours through the step that is about to be accepted. */
  torsor_status (*follow)(torsor_integrator *it);
  int count;
  variation *of;
  bool lost;    /* some neighbour could not follow the last step ... */
  bool wide;    /* ... as it is too far away */
  bool narrows; /* neighbours may come nearer (variation.part) */
  /* Work: [ny] right side and change of y, [nv] change of positions and of velocities, and
   * others. */
  double *right, *dy, *e, *dv, *u, *moved;
} variations;

/** Finds the end and the size of a neighbour's step beside the motion's from t0 to t1 of size h: it
 * has that size but after an event, whose time the parameter moves.  The steps up to the next point
 * that stands fast then fill what is left. */
void variation_step(double *end, double *size, const torsor_integrator *neighbour,
                    const torsor_integrator *motion, double t0, double t1, double h);

/** Takes a step of size h that ends at t1 whatever its error, beside that of another motion. */
torsor_status integrator_step_beside(torsor_integrator *it, double t1, double h);

/** Takes memory for `count` parameters of motions of `problem`. */
torsor_status variations_create(variations *out, int count, const torsor_problem *problem,
                                arena *memory);

#endif
