/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LINEAR_STATE_H
#define TORSOR_ANALYSIS_LINEAR_STATE_H

/** The state about which a model is linearised: an equilibrium, or a steady motion seen from frames
 * in which nothing changes. */

#include <torsor/modes.h>

#include "assembly/linearise.h"
#include "integrator/saddle.h"

/** What Newton's method did in search of a steady motion. */
typedef struct steady_report {
  int iterations; /* over all frames tried */
  int frames;     /* tried */
} steady_report;

/** What is left over where no steady motion is found. */
typedef struct steady_remainder {
  double part;   /* of the largest forces at a node */
  int node;      /* where most is left over */
  twist A;       /* its acceleration that is not that of a steady motion, body axes */
  int otherwise; /* element that is seen otherwise later on although all is in balance now, -1 =
                    none */
} steady_remainder;

typedef struct linear_state {
  const torsor_model *model;
  assembly *a;
  arena memory;
  saddle systems;
  double *q, *v, *acceleration, *lambda, *work;
  twist *eta, *sigma; /* [nodes] velocities of the frames; of the bodies in them: V = eta + sigma */
  bool moves;
  twist frame;    /* inertial axes, at the origin */
  int frame_node; /* node that the frames move with, -1 = none */
  tangents t;     /* there, seen in the frames */
  steady_remainder left;
  const char *settles; /* a steady motion is looked for, with this linear solver; NULL: no */
  double *begin; /* [nq + 2 nv + nl] q, v, accelerations, lambda from which it is looked for */
  steady_report report;
} linear_state;

/** Find it and fill the tangents.  Warnings go to `warn`, which may be NULL. */
torsor_status linear_state_find(linear_state *out, const torsor_model *model,
                                const torsor_modes_settings *settings, const torsor_hooks *hooks,
                                torsor_error *error);
void linear_state_release(linear_state *s);

#endif
