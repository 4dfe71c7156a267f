/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_DECOUPLING_H
#define TORSOR_ASSEMBLY_DECOUPLING_H

/** A decoupling of the KKT matrix: an equivalence transformation A -> L A C with unit triangular L
 * and C, after which joints couple the velocities of two nodes through their constraints alone, so
 * that the fronts of the elimination are narrower and the factors have less fill.
 *
 * A joint with phi = P^T R_a^T (x - x_a) + constant observes a point x of node b from node a.  Its
 * force P lambda rotates with a, so that the stiffness matrix K couples the velocities of a and b.
 * Let theta be the rotation of a and Lambda = P^T (P lambda)~.  C replaces the unknown lambda by
 * lambda' with lambda = lambda' + k Lambda T theta, and L adds k Lambda^T times the rows of the
 * joint to those of theta.  L A C is then A without these couplings, exactly and for any value of
 * phi.  A^-1 = C (L A C)^-1 L. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "base/tape.h"

/* The unknowns of a joint of this kind. */
typedef struct decoupling_joint {
  int theta, row; /* indices of the first unknown of theta and of lambda */
} decoupling_joint;

/** The blocks of L and C of one joint: rows of theta += left * rows of phi; lambda += right *
 * theta. */
typedef struct decoupling_map {
  m3 left, right;
} decoupling_map;

/** The joints sorted by the solver's parts: those of part i are first[i] to first[i + 1] - 1. */
typedef struct decoupling_list {
  int first[SOLVER_PARTS + 1];
  int *joint;
} decoupling_list;

typedef struct decoupling {
  int joints, *of; /* [elements] index of an element among the joints, or -1; NULL without joints */
  decoupling_joint *joint; /* [joints] */
  decoupling_map *map;     /* [joints] */
  decoupling_list before, after;
} decoupling;

/** Does the element have a force that rotates with the node from which it is observed? */
static inline bool is_decoupled_joint(const model_element *e) {
  return e->seen_from >= 0;
}

/** Prepares the transformation of a matrix with nv velocities and nl multipliers.  Fails with
 * MEMORY. */
torsor_status decoupling_create(decoupling *out, const torsor_model *model,
                                const linear_solver *solver, arena *memory);
/** Walks over everything that changes during a run (base/tape.h). */
void decoupling_walk(decoupling *n, tape *t);

/** Returns the matrix Lambda of an element for its multipliers (NULL: zero). */
m3 decoupling_force(const model_element *e, const double *lambda);

/** x <- L x before a solution or, with `back`, x <- C x after it, for one part of the unknowns;
 * SOLVER_PARTS means all of them. */
void decoupling_apply(double *x, const decoupling *n, int part, bool back);

#endif
