/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_NARROWING_H
#define TORSOR_ASSEMBLY_NARROWING_H

/** A matrix whose pivots are narrower.
 *
 *  Joints with phi = P^T R_a^T (x - x_a) + constant, where a point x of node b is seen from node a,
 * bring a force P lambda that turns with a: K couples the velocities of a and b.  Let theta be the
 * rotation of a and Lambda = P^T (P lambda)~.  With lambda = lambda' + k Lambda T theta (C), and k
 * Lambda^T times the joint's rows added to those of theta (L), A becomes L A C without these
 * couplings, exactly and whatever phi is. A^-1 = C (L A C)^-1 L. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "base/tape.h"

typedef struct narrowing_joint {
  int theta, row; /* places among the unknowns */
} narrowing_joint;

/** Rows of theta += left rows of phi; lambda += right theta. */
typedef struct narrowing_map {
  m3 left, right;
} narrowing_map;

/** Joints by the parts of a solver: those of part i are first[i] to first[i + 1]. */
typedef struct narrowing_list {
  int first[SOLVER_PARTS + 1];
  int *joint;
} narrowing_list;

typedef struct narrowing {
  int joints, *of;        /* [elements] joint of an element, -1 = none; NULL: no joints */
  narrowing_joint *joint; /* [joints] */
  narrowing_map *map;     /* [joints] */
  narrowing_list before, after;
} narrowing;

/** Has the element a force that turns with the axes it is seen from? */
static inline bool is_narrowed(const model_element *e) {
  return e->seen_from >= 0;
}

/** Of a matrix with nv velocities and nl multipliers. MEMORY. */
torsor_status narrowing_create(narrowing *out, const torsor_model *model,
                               const linear_solver *solver, arena *memory);
/** All that moves. */
void narrowing_walk(narrowing *n, tape *t);

/** Lambda of an element, by its multipliers (NULL: zero). */
m3 narrowing_force(const model_element *e, const double *lambda);

/** L x before, or with `back` C x after a solve, of one part; SOLVER_PARTS: of all. */
void narrowing_apply(double *x, const narrowing *n, int part, bool back);

#endif
