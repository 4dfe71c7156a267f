/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LINEAR_STATE_H
#define TORSOR_ANALYSIS_LINEAR_STATE_H

/** The state about which a model is linearised: an equilibrium, or a steady motion (relative
 * equilibrium) as seen from moving frames. */

#include <torsor/modes.h>

#include "assembly/linearise.h"
#include "integrator/saddle.h"

/** Statistics of Newton's method in the search for a steady motion. */
typedef struct steady_report {
  int iterations; /* number of iterations, over all frames tried */
  int frames;     /* number of frames tried */
} steady_report;

/** The imbalance that remains where no steady motion is found. */
typedef struct steady_remainder {
  double part;   /* imbalance, relative to the largest forces at a node */
  int node;      /* node with the largest imbalance */
  twist A;       /* its acceleration beyond that of a steady motion, body axes */
  int otherwise; /* element whose forces or matrices change later on although all is in balance now;
                    -1 = none */
} steady_remainder;

typedef struct linear_state {
  const torsor_model *model;
  assembly *a;
  arena memory;
  saddle systems;
  double *q, *v, *acceleration, *lambda, *work;
  twist *eta, *sigma; /* [nodes] twists of the frames, and of the bodies in them: V = eta + sigma */
  bool moves, settled; /* settled: found by statics */
  twist frame;    /* twist of the frames, inertial axes, at the origin */
  int frame_node; /* node with which the frames move, -1 = none */
  tangents t;     /* tangents at the state, as seen in the frames */
  steady_remainder left;
  const char *settles; /* linear solver of the search for a steady motion; NULL: no search */
  double *begin; /* [nq + 2 nv + nl] q, v, accelerations, lambda from which the search begins */
  steady_report report;
} linear_state;

/** Finds the state and evaluates the tangents there.  Warnings go to `warn`, which may be NULL. */
torsor_status linear_state_find(linear_state *out, const torsor_model *model,
                                const torsor_modes_settings *settings, const torsor_hooks *hooks,
                                torsor_error *error);
void linear_state_release(linear_state *s);

#endif
