/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_WORK_H
#define TORSOR_ANALYSIS_WORK_H

#include <torsor/analysis.h>

#include "assembly/assembly.h"

/** What acts on the bodies, integrated over the accepted steps by the trapezoidal rule (order 2). */
typedef struct work {
  const torsor_model *model;
  bool energies, impulses; /* which of them are wanted; set before work_start */
  double t, next_t;        /* of the last step */
  double *done; /* [elements] J, on the bodies, beyond what its own energy gives back, at t */
  double *power, *next; /* [elements] W, at t and at next_t */
  double energy_start;  /* of the whole model, J */
  v3 force, moment;     /* from outside at t, inertial axes, about the origin */
  v3 next_force, next_moment;
  v3 impulse, angular_impulse;             /* their integrals up to t */
  double *shown;                           /* [elements] what `done` is at the time last shown... */
  v3 shown_impulse, shown_angular_impulse; /* ... and the impulses */
  torsor_motion *moved; /* [nodes] the motions at rest, or a little earlier or later */
} work;

/** Sums of the whole model: E - E(0) = supplied - dissipated + balance. */
typedef struct work_sums {
  double supplied;   /* work of drives and of sources, J */
  double dissipated; /* by all other forces, J */
  double balance;    /* what is missing: the error of the integration, J */
} work_sums;

/** Does the element work on the bodies?  Forces do, and joints that move on their own. */
bool work_is_done_by(const model_element *element);

/** Memory, and the powers at the first point (motion set).  `energies` is cleared where nothing works. */
torsor_status work_start(work *w, assembly *a, const torsor_model *model, const torsor_point *p,
                         arena *memory);

/** Go on to the next point (motion set). */
torsor_status work_follow(work *w, assembly *a, const torsor_point *p);

/** The last step ends at t within it... */
void work_cut(work *w, double t);
/** ... where a force is about to be switched: energy that appears or vanishes with it is its work.  The
 *  motion is that at p... */
void work_switch(work *w, const assembly *a, int force, bool acts, const torsor_point *p);
/** ... and the powers are now those at p (motion set). */
torsor_status work_restart(work *w, const assembly *a, const torsor_point *p);

/** What is shown is that of time t in the last step. */
void work_show(work *w, double t);

/** Sums at the time shown; `energy` = total energy there. */
work_sums work_sum(const work *w, double energy);

#endif
