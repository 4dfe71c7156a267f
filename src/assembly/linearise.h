/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_LINEARISE_H
#define TORSOR_ASSEMBLY_LINEARISE_H

/** The tangent matrices of a model, each by itself, in body axes for all groups of nodes.
 *
 * The coordinates of a node are its body variation e (frame <- frame exp(e)); a point mass has its
 * translation alone, a node on SO(3) its rotation alone.  Components have the same indices as the
 * velocities of the node. */

#include "assembly/assembly.h"
#include "assembly/solver/pattern.h"

/** Matrices [nonzeros] on the pattern of the model's (velocities, multipliers):
 *
 *    M  dr/dV', nothing else
 *    C  dr/dV, and B in the rows of nonholonomic constraints
 *    K  dr/dq at constant V, V', lambda; B^T + dr/dlambda in the columns of
 *       multipliers; in the rows of constraints B, or D(B V + Phi_t) where
 *       they are nonholonomic */
typedef struct tangents {
  const pattern *p;
  double *M, *C, *K;
} tangents;

torsor_status tangents_create(tangents *out, assembly *a, arena *memory);

/** Evaluates the matrices at p, of which everything must be given. */
torsor_status tangents_fill(tangents *out, assembly *a, const torsor_point *p);

/** Evaluates the dense blocks of element i at the motion last set and returns them in *out.  They
 * are valid until the next call. */
struct element_blocks;
torsor_status element_tangents(const struct element_blocks **out, assembly *a, int i,
                               const torsor_point *p);

/** Returns the first component (0..5) of the body twist that the velocities of a node of this group
 * are. */
static inline int group_first_component(torsor_group group) {
  return group == TORSOR_GROUP_SO3 ? 3 : 0;
}

#endif
