/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_WORK_H
#define TORSOR_ANALYSIS_WORK_H

#include <torsor/analysis.h>

#include "assembly/assembly.h"

/** Points of a step where powers are looked at: its ends, and with methods of higher order two
 * between. */
enum { WORK_BEGIN, WORK_END, WORK_BETWEEN, WORK_POINTS = WORK_BETWEEN + 2 };

/** What is integrated over time. */
typedef struct work_rates {
  double *power;    /* [elements] W */
  v3 force, moment; /* from outside, inertial axes, about the origin */
} work_rates;

/** What acts on the bodies, integrated over the accepted steps by the trapezoidal rule (order 2),
 * or by Lobatto's with four points (order 6).  What forces dissipate is the power of the mean
 * velocity of each step, or with Lobatto's points where the step does not resolve it. */
typedef struct work {
  const torsor_model *model;
  bool energies, impulses; /* which of them are wanted; set before work_create */
  bool high;               /* four points, set before work_create */
  double t, end;           /* of the last step */
  int points;              /* of that step */
  work_rates at[WORK_POINTS];
  bool has_middle, has_way;
  double *middle, *way; /* [elements] W, of forces that dissipate, at the mean velocity of the
                           step's ends and of its way */
  double *done; /* [elements] J, on the bodies, beyond what its own energy gives back, at t */
  double doubt; /* J, what the work of forces that dissipate may be off by */
  double energy_start;                     /* of the whole model, J */
  v3 impulse, angular_impulse;             /* their integrals up to t */
  double *shown;                           /* [elements] what `done` is at the time last shown... */
  double shown_doubt;                      /* ... the doubt ... */
  v3 shown_impulse, shown_angular_impulse; /* ... and the impulses */
  torsor_motion *moved; /* [nodes] the motions at rest, or a little earlier or later */
} work;

/** Sums of the whole model: E - E(0) = supplied - dissipated + balance. */
typedef struct work_sums {
  double supplied;   /* work of drives and of sources, J */
  double dissipated; /* by all other forces, J */
  double balance;    /* what is missing: the error of the integration, J */
  double doubt;      /* what `dissipated` may be off by, J */
} work_sums;

/** Does the element work on the bodies?  Forces do, and joints that move on their own. */
bool work_is_done_by(const model_element *element);

/** Memory.  `energies` is cleared where nothing works. */
torsor_status work_create(work *w, const torsor_model *model, arena *memory);
/** All that moves. */
void work_walk(work *w, tape *t);
/** Whether v' and lambda of the states that are looked at matter. */
bool work_needs_reactions(const work *w);
/** The powers at the first point (motion set). */
torsor_status work_start(work *w, assembly *a, const torsor_point *p);

/** A step from where the last one ended to t.  Its powers are asked for next... */
void work_follow(work *w, double t);
/** ... at the times of its points but the first (motion set).  Where those between the ends cannot
 * be looked at `points` is to be WORK_BETWEEN. */
double work_time(const work *w, int point);
torsor_status work_look(work *w, int point, const assembly *a, const torsor_point *p);

/** Powers of forces that dissipate at torsor_integrator_middle (motion set).  Left out where that
 * cannot be found. */
torsor_status work_look_middle(work *w, bool way, const assembly *a, const torsor_point *p);
/** Whether that of the way is needed: those of the ends may not tell. */
bool work_wants_way(const work *w);

/** The last step ends at t within it... */
void work_cut(work *w, double t);
/** ... where a force is about to be switched: energy that appears or vanishes with it is its work.
 * The motion is that at p... */
void work_switch(work *w, const assembly *a, int force, bool acts, const torsor_point *p);
/** Energy that an element has got from outside by a change of its numbers. */
void work_supply(work *w, int element, double energy);
/** ... and the powers are now those at p (motion set). */
torsor_status work_restart(work *w, const assembly *a, const torsor_point *p);

/** What is shown is that of time t in the last step. */
void work_show(work *w, double t);

/** Sums at the time shown; `energy` = total energy there. */
work_sums work_sum(const work *w, double energy);

#endif
