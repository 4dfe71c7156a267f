/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_TURNING_H
#define TORSOR_ASSEMBLY_TURNING_H

/** A factorisation that turns with the bodies.
 *
 *  Seen from its bodies the matrix of a step hardly changes while they turn.  Nodes on R3xSO(3) and
 * joints with the ground have inertial axes instead: with D = R R0^T on their vectors, R0 the
 * rotation of the body when the matrix A0 was factored, A is near D A0 D^T, and A^-1 near D A0^-1
 * D^T. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "base/tape.h"

/** A vector among the unknowns, with components along ground-fixed axes. */
typedef struct turning_vector {
  int node, place;
  const m3 *axes; /* columns; NULL: the inertial ones */
} turning_vector;

typedef struct turning {
  int nodes;
  m3 *R0; /* [nodes] */
} turning;

/** Vectors of one matrix's unknowns by the parts of its solver: those of part i are first[i] to
 * first[i + 1]. */
typedef struct turning_list {
  int first[SOLVER_PARTS + 1];
  turning_vector *vector;
} turning_list;

torsor_status turning_create(turning *out, const torsor_model *model, arena *memory);
/** All that moves. */
void turning_walk(turning *turns, tape *t);

/** Of a matrix with `blocks` of nl multipliers behind nv velocities. MEMORY. */
torsor_status turning_list_create(turning_list *out, const torsor_model *model, int blocks,
                                  const linear_solver *solver, arena *memory);

/** The matrix was factored at this motion [nodes]. */
void turning_keep(turning *t, const torsor_model *model, const torsor_motion *motion);

/** x <- D^T x before, or with `back` x <- D x after a solve, of the vectors of one part;
 * SOLVER_PARTS: of all. */
void turning_apply(double *x, const turning *t, const turning_list *list,
                   const torsor_motion *motion, int part, bool back);

#endif
