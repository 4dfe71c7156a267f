/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_COROTATION_H
#define TORSOR_ASSEMBLY_COROTATION_H

/** Corotated factors: how the factorisation of an earlier configuration serves a rotated one.
 *
 * In body axes the matrix of a step hardly changes while the bodies rotate.  Nodes on R3xSO(3) and
 * joints with the ground have components along inertial axes instead.  Let D rotate their vectors
 * by R R0^T, where R0 is the rotation of the body when the matrix A0 was factored.  Then A is close
 * to D A0 D^T, and A^-1 to D A0^-1 D^T, which makes D A0 D^T a better chord matrix for the Newton
 * iteration than A0. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "base/tape.h"

/** A vector among the unknowns whose components are along axes fixed to the ground. */
typedef struct corotation_vector {
  int node, place;
  const m3 *axes; /* the axes as columns; NULL: the inertial axes */
} corotation_vector;

typedef struct corotation {
  int nodes;
  m3 *R0; /* [nodes] rotations at the configuration that was factored */
} corotation;

/** The vectors among the unknowns of one matrix, sorted by the solver's parts: those of part i are
 * first[i] to first[i + 1] - 1. */
typedef struct corotation_list {
  int first[SOLVER_PARTS + 1];
  corotation_vector *vector;
} corotation_list;

torsor_status corotation_create(corotation *out, const torsor_model *model, arena *memory);
/** Walks over everything that changes during a run (base/tape.h). */
void corotation_walk(corotation *turns, tape *t);

/** Lists the vectors of a matrix whose unknowns are nv velocities and then `blocks` blocks of nl
 * multipliers.  Fails with MEMORY. */
torsor_status corotation_list_create(corotation_list *out, const torsor_model *model, int blocks,
                                     const linear_solver *solver, arena *memory);

/** Remembers the rotations of the motion [nodes] at which the matrix was factored. */
void corotation_keep(corotation *t, const torsor_model *model, const torsor_motion *motion);

/** x <- D^T x before a solution or, with `back`, x <- D x after it, for the vectors of one part of
 * the unknowns; SOLVER_PARTS means all of them. */
void corotation_apply(double *x, const corotation *t, const corotation_list *list,
                      const torsor_motion *motion, int part, bool back);

/** Does the same for the multipliers y of one element along `axes` fixed to the ground, which
 * rotate with a node. */
void corotation_turn(double *y, const corotation *t, const torsor_motion *motion, int node,
                     const m3 *axes, bool back);

#endif
