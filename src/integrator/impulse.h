/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_IMPULSE_H
#define TORSOR_INTEGRATOR_IMPULSE_H

/** Detection of velocities that jump within a step: by a drive that changes its speed at once, or
 * an impact.  Their forces are impulses, and none is shown at the ends of the step. */

#include <torsor/integrator.h>

#include "base/tape.h"

typedef struct impulse_watch {
  torsor_impulse found;
  double fastest[2]; /* largest velocity so far: of translations, of rotations */
  double *jump;      /* [nv] jump of the velocities in the last step */
  double *work;      /* [nv + 3 nl] */
} impulse_watch;

/** Walks over everything that changes during a run, and takes the memory (base/tape.h). */
void impulse_walk(impulse_watch *w, const torsor_problem *problem, tape *t);

/** Begins a run in which nothing has been found yet. */
void impulse_begin(impulse_watch *w);

/** Returns the change of a velocity below which there is no jump: of translations (kind 0) and of
 * rotations (1). */
double impulse_least(const impulse_watch *w, const torsor_problem *problem, int kind);

/** Records a step to velocities v without a jump. */
void impulse_pass(impulse_watch *w, const torsor_problem *problem, const double *v);

/** Examines an accepted step from `begin` to `end` (t, q, v and a).  `a` must be v' of the
 * equations of motion at both ends, and no auxiliary variable of a method.  `jump` [nv] is the
 * part of the change of v that no acceleration makes; NULL: what those at both ends do not account
 * for. */
void impulse_follow(impulse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                    const torsor_point *end, const double *jump);

#endif
