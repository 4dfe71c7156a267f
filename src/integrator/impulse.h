/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_IMPULSE_H
#define TORSOR_INTEGRATOR_IMPULSE_H

/** Velocities that jump within a step: a drive that changes its speed at once, an impact.  No force
 * belongs to them, and none is shown at the ends of the step. */

#include <torsor/integrator.h>

#include "base/tape.h"

typedef struct impulse_watch {
  torsor_impulse found;
  double fastest[2]; /* largest velocity so far: of translations, of rotations */
  double *jump;      /* [nv] of the last step */
  double *work;      /* [nv + 3 nl] */
} impulse_watch;

/** All that moves; takes the memory. */
void impulse_walk(impulse_watch *w, const torsor_problem *problem, tape *t);

/** Nothing found yet. */
void impulse_begin(impulse_watch *w);

/** Changes of a velocity below this are no jumps: of translations (kind 0) and of rotations (1). */
double impulse_least(const impulse_watch *w, const torsor_problem *problem, int kind);

/** The step to velocities v is none of those. */
void impulse_pass(impulse_watch *w, const torsor_problem *problem, const double *v);

/** A step from `begin` to `end` (t, q, v and a) is accepted.  `a` is to be v' of the equations of
 * motion at both ends, not what a method carries along in its place. */
void impulse_follow(impulse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                    const torsor_point *end);

#endif
