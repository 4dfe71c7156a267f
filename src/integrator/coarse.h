/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_COARSE_H
#define TORSOR_INTEGRATOR_COARSE_H

/** Whether steps are too coarse for a motion: local errors of some of them, added up for all, beside how far it goes. */

#include <torsor/integrator.h>

#include "base/tape.h"

/** Translations and rotations are apart in all pairs. */
typedef struct coarse_watch {
  double position[2], velocity[2]; /* local errors, added up */
  double fastest[2];               /* largest velocity */
  double duration;                 /* s, of the steps that were followed */
  double usual;                    /* how much v' changes in a step */
  long waited;                     /* steps since the last one that was looked at */
  double *way, *low, *high;        /* [nv] integral of v, and its extremes */
  double *before,
      h_before; /* [nv] v' at the begin of the last step, and its size; 0 = there is none */
  double *error, *first, *here, *moved; /* [nv + nl], [nv], [nv], [nv + nl]: work */
} coarse_watch;

/** All that moves; takes the memory. */
void coarse_walk(coarse_watch *w, const torsor_problem *problem, tape *t);

/** The next step has none before it. */
void coarse_restart(coarse_watch *w);

/** Nothing followed yet. */
void coarse_begin(coarse_watch *w, const torsor_problem *problem);

/** A step from `begin` to `end` (t, v, and a = v' of the equations of motion) is accepted.  For how many steps its local
 *  errors are to stand: 0 = they are not wanted.  Methods that know them tell by coarse_add... */
double coarse_follow(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                     const torsor_point *end);

/** Add local errors x [nv] of positions or of velocities, less what constraints and stiff forces take out of them. */
void coarse_add(coarse_watch *w, const torsor_problem *problem, const double *x, bool velocity,
                double weight);

/** ... and for others of order 2 they are found from v' at the ends (all of the points) and added: the matrix `weights`, at `end`, says
 *  what a step takes out. */
torsor_status coarse_look(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                          const torsor_point *end, double weight, const torsor_weights *weights);

/** Once the step has been looked at: v' at its begin is that before the next one. */
void coarse_keep(coarse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                 double h);

/** The sums in parts of what has moved. */
torsor_errors coarse_errors(const coarse_watch *w, const torsor_problem *problem);

#endif
