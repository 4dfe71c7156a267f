/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_TURNING_H
#define TORSOR_ASSEMBLY_TURNING_H

/** A factorisation that turns with the bodies.
 *
 *  Seen from its bodies the matrix of a step hardly changes while they turn.  Nodes on R3xSO(3) and joints
 *  with the ground have inertial axes instead: with D = R R0^T on their vectors, R0 the rotation of the
 *  body when the matrix A0 was factored, A is near D A0 D^T, and A^-1 near D A0^-1 D^T. */

#include "assembly/model.h"
#include "base/tape.h"

/** A vector among the unknowns, with components along ground-fixed axes. */
typedef struct turning_vector {
  int node, place;
  m3 axes; /* columns; for velocities the identity */
} turning_vector;

typedef struct turning {
  int velocities, rows; /* how many vectors of each kind */
  turning_vector *velocity, *row;
  int nodes;
  m3 *R0; /* [nodes] */
} turning;

torsor_status turning_create(turning *out, const torsor_model *model, arena *memory);
/** All that moves. */
void turning_walk(turning *turns, tape *t);

/** The matrix was factored at this motion [nodes]. */
void turning_keep(turning *t, const torsor_model *model, const torsor_motion *motion);

/** x <- D^T x before, or with `back` x <- D x after a solve; `blocks` of nl multipliers follow nv.
 *  Part `part` of `parts` of it, which do not depend on each other. */
void turning_apply(double *x, const turning *t, const torsor_model *model,
                   const torsor_motion *motion, int blocks, bool back, int part, int parts);

#endif
