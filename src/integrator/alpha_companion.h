/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_COMPANION_H
#define TORSOR_INTEGRATOR_ALPHA_COMPANION_H

/** Global error estimate of a motion with constant steps, by a companion solution (a neighbouring
 * problem in the sense of Zadunaisky, Numer. Math. 27 (1976) 21-39; see Skeel, Numer. Math. 48
 * (1986) 1-20).
 *
 * The companion takes the same steps from the same start, but a small part of their local errors is
 * removed from each.  Its distance from the motion is, to first order, that part of the global
 * error: with the amplification of errors by the motion, with their reduction by joints, stiff
 * forces and dampers, and with the errors of v' and lambda.  A step of the companion takes one or a
 * few solutions with the matrix that the step of the motion has left. */

#include <torsor/integrator.h>

#include "base/tape.h"

/** Values by whose polynomial local errors are found. */
enum { COMPANION_NODES = 4 };

/** Weights of a quadrature over a step, of values at `node`, in steps from its start. */
typedef struct companion_rule {
  int count;
  double node[COMPANION_NODES];
  double of_velocity[COMPANION_NODES], of_position[COMPANION_NODES];
  double lower[COMPANION_NODES]; /* of velocities without the last node */
} companion_rule;

typedef struct companion {
  bool known;     /* the companion has been started */
  int starts;     /* number of starts of the motion, those at events and at samples of controllers
                     included */
  bool apart;     /* local errors have been removed since the start */
  bool resolved;  /* the last step resolved the motion: its local errors are small */
  bool lost;      /* its iteration has failed, and it is no longer computed */
  double t;       /* end of the last step */
  double size[2]; /* sizes of the last step and of the one before */
  int steps;      /* number of steps since the start */
  double contraction;    /* by a correction of the iteration */
  companion_rule rule;   /* that of the last step */
  double unsure[2];      /* by how much a lower degree changes local errors of velocities, of
                            translations and of rotations */
  double *q, *v, *a, *y; /* state at the end of the last step, as in alpha_step */
  double *before[2]; /* [nv] v' of the motion at the start of the last step and of the one before */
  double *bracket;   /* [nv] [v, v'] at the end of the last step */
  double *q1, *v1, *y1, *u, *force, *moved, *phi, *off, *x; /* the present step, and work */
  double *shown_a, *shown_lambda;
} companion;

struct alpha_step;

/** Walks over everything that changes during a run, and takes its memory (base/tape.h). */
void companion_walk(companion *c, tape *t, const torsor_problem *problem, int ny);

/** Takes the companion's step beside the one that is about to be accepted. */
void companion_follow(struct alpha_step *s);

/** Restarts the companion with the motion. */
void companion_start(companion *c);

/** Is the distance an estimate of the global error?  It is not after many starts. */
bool companion_tells(const companion *c);

/** Adapts the companion to a step size, or to other parameters, by which the distance between a_n
 * and v' is multiplied by `ratio`. */
void companion_scale(companion *c, const torsor_problem *problem, double ratio);

/** Finds the companion's state at the end of the last step, comparable with the one `shown`, from
 * which it differs by `part` of the error.  Returns false where nothing is known. */
bool companion_state(torsor_state *out, double *part, torsor_integrator *integrator,
                     const torsor_state *shown);

#endif
