/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_COMPANION_H
#define TORSOR_INTEGRATOR_ALPHA_COMPANION_H

/** The error of a motion at constant steps, carried along with it.
 *
 *  A companion takes the same steps from the same start, but with a small part of their local
 * errors taken out of each.  Its distance from the motion is that part of the global error, to
 * first order: with what the motion makes of errors, how joints, stiff forces and dampers hold
 * them, and with those of v' and lambda.  A step of it takes one solution or a few with the matrix
 * that the step of the motion has left. */

#include <torsor/integrator.h>

#include "base/tape.h"

typedef struct companion {
  bool known;            /* it has begun */
  int starts;            /* how often the motion has, at events and controllers' samples, too */
  bool apart;            /* local errors have been taken out since then */
  bool resolved;         /* the last step followed the motion: its local errors are small */
  bool lost;             /* it could not follow the motion, and does not any more */
  double t;              /* end of the last step, ... */
  double h;              /* ... its size, ... */
  int equal;             /* ... and how many had it in a row */
  double *q, *v, *a, *y; /* at the end of the last step, as alpha_step has them */
  double *before[2]; /* [nv] v' of the motion at the begin of the last step and of the one before */
  double *bracket;   /* [nv] [v, v'] at the end of the last step */
  double *q1, *v1, *y1, *u, *force, *moved, *phi, *off,
      *x; /* of the step that is taken, and work */
  double *shown_a, *shown_lambda;
} companion;

struct alpha_step;

/** All that moves, and memory. */
void companion_walk(companion *c, tape *t, const torsor_problem *problem, int ny);

/** The step that is about to be accepted is followed. */
void companion_follow(struct alpha_step *s);

/** The motion begins (anew), and the companion with it. */
void companion_start(companion *c);

/** Do distances tell what errors add up to?  Not where those of many starts do. */
bool companion_tells(const companion *c);

/** The next step has another size, `ratio` times that of the last one, or other parameters with
 * `ratio` times the distance between a_n and v'. */
void companion_scale(companion *c, const torsor_problem *problem, double ratio);

/** v, a and lambda that belong to those `shown` at the end of the last step: `part` of the error
 * away.  False where nothing is known. */
bool companion_state(torsor_state *out, double *part, torsor_integrator *integrator,
                     const torsor_state *shown);

#endif
