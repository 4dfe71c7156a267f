/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_WORK_H
#define TORSOR_ANALYSIS_WORK_H

#include <torsor/analysis.h>

#include "assembly/assembly.h"

/** Points of a step at which powers are evaluated: its ends and, for methods of higher order, two
 * or four between. */
enum { WORK_BEGIN, WORK_END, WORK_BETWEEN, WORK_POINTS = WORK_BETWEEN + 4 };

/** Rates that are integrated over time. */
typedef struct work_rates {
  double *power;    /* [entries] W */
  v3 force, moment; /* resultant of external forces, inertial axes, about the origin */
} work_rates;

/** Work and impulse of the forces on the bodies, integrated over the accepted steps by the
 * trapezoidal rule (order 2) or by the Gauss-Lobatto rule with four points (order 6) or with six
 * (order 10).  The dissipation of a force is its power at the mean velocity of each step; with the
 * Gauss-Lobatto points only where the step does not resolve it. */
typedef struct work {
  const torsor_model *model;
  bool energies, impulses; /* which of the two are wanted; set before work_create */
  int most;                /* number of points: 2, 4 or 6; set before work_create */
  double t, end;           /* start and end of the last step */
  int points;              /* number of points of that step */
  work_rates at[WORK_POINTS];
  bool has_middle, has_way;
  int entries; /* the work of elements, and then what is supplied to those that have `supply` */
  double *middle, *way; /* [entries] W, power of dissipative forces at the mean velocity of the
                           step's ends, and at that of its increment */
  double *done; /* [entries] J, work on the bodies up to t, without that from the element's stored
                   energy */
  double *lost; /* [element_count] J, energy dissipated beside the powers, at the time shown */
  double *zero; /* [element_count] J, what the element itself counts where that is 0 */
  double doubt; /* J, error bound of the work of dissipative forces */
  double energy_start;                     /* energy of the whole model at the start, J */
  v3 impulse, angular_impulse;             /* impulses up to t */
  double *shown;                           /* [entries] `done` at the time last shown */
  double shown_doubt;                      /* the error bound there */
  v3 shown_impulse, shown_angular_impulse; /* the impulses there */
  torsor_motion *moved; /* [nodes] motions at rest, or displaced for differences in time */
} work;

/** Sums of the whole model: E - E(0) = supplied - dissipated + balance. */
typedef struct work_sums {
  double supplied;   /* work of drives and of sources, J */
  double dissipated; /* by all other forces, J */
  double balance;    /* remainder: the error of the integration, J */
  double doubt;      /* error bound of `dissipated`, J */
} work_sums;

/** Does the element do work on the bodies?  Forces do, and so do driven joints. */
bool work_is_done_by(const model_element *element);

/** Takes the memory.  `energies` is cleared where no element does work. */
torsor_status work_create(work *w, const torsor_model *model, arena *memory);
/** Walks over everything that changes during a run (base/tape.h). */
void work_walk(work *w, tape *t);
/** Does the result depend on v' and lambda of the states? */
bool work_needs_reactions(const work *w);
/** Evaluates the powers at the first point (motion set). */
torsor_status work_start(work *w, assembly *a, const torsor_point *p);

/** Begins a step from the end of the last one to t, whose powers are to be evaluated next... */
void work_follow(work *w, double t);
/** ... at the times of all of its points but the first (motion set).  Where the points between the
 * ends cannot be evaluated, set `points` to WORK_BETWEEN. */
double work_time(const work *w, int point);
torsor_status work_look(work *w, int point, const assembly *a, const torsor_point *p);

/** Evaluates the powers of dissipative forces at torsor_integrator_middle (motion set); this is
 * left out where the middle cannot be found. */
torsor_status work_look_middle(work *w, bool way, const assembly *a, const torsor_point *p);
/** Is the power at the velocity of the increment needed as well, as those of the ends may not
 * suffice? */
bool work_wants_way(const work *w);

/** Shortens the last step, which ends at t within it... */
void work_cut(work *w, double t);
/** ... where a force is about to be switched: energy that appears or vanishes with it counts as its
 * work.  The motion is that at p... */
void work_switch(work *w, const assembly *a, int force, bool acts, const torsor_point *p);
/** Adds energy that an element has received by a change of its parameters. */
void work_supply(work *w, int element, double energy);
/** Adds the impulses from outside of joints that were switched on, and of the fixed origins of
 * bodies on SO(3): the forces at `blow` less those at `rest` (impact.h).  The motion is `rest`
 * then. */
torsor_status work_strike(work *w, assembly *a, const torsor_point *blow, const torsor_point *rest);
/** ... and evaluates the powers at p (motion set), from where the integration goes on. */
torsor_status work_restart(work *w, const assembly *a, const torsor_point *p);

/** Sets the point in the last step at which sums are shown (motion set). */
void work_show(work *w, const assembly *a, const torsor_point *p);

/** Returns the sums at the time shown; `energy` is the total energy there. */
work_sums work_sum(const work *w, double energy);

/** Returns the work of an element at the time shown, J. */
double work_of(const work *w, int element);

/** Sums up energies and momenta of the whole model at the motion last set. */
torsor_balance balance_sum(const assembly *a, const torsor_model *model, const torsor_point *p);

#endif
