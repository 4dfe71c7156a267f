/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_LINEARISE_H
#define TORSOR_ASSEMBLY_LINEARISE_H

/** The tangents of a model apart from each other, in body axes whatever the groups of its nodes.
 *
 *  The coordinates of node i are its body variation e (frame <- frame exp(e)), of a point mass its
 *  translation alone, of a node on SO(3) its rotation alone: the place of a component is that of
 * the node's velocities. */

#include "assembly/assembly.h"
#include "assembly/solver/pattern.h"

/** Matrices [nonzeros] on the pattern of the model's (velocities, multipliers):
 *    M  dr/dV'                          nothing else
 *    C  dr/dV                           and B in the rows of nonholonomic constraints
 *    K  dr/dq at constant V, V', lambda, B^T + dr/dlambda in the columns of multipliers, and in the
 * rows of constraints B, or D(B V + Phi_t) where they are nonholonomic */
typedef struct tangents {
  const pattern *p;
  double *M, *C, *K;
} tangents;

torsor_status tangents_create(tangents *out, assembly *a, arena *memory);

/** At p, all of which must be given. */
torsor_status tangents_fill(tangents *out, assembly *a, const torsor_point *p);

/** The dense blocks of element i at the motion last set; `in` is what it sees.  Valid until the
 * next call. */
struct element_blocks;
torsor_status element_tangents(const struct element_blocks **out, assembly *a, int i,
                               const torsor_point *p);

/** Components 0..5 of body twists that the velocities of a node's group are: first and count. */
static inline int group_first_component(torsor_group group) {
  return group == TORSOR_GROUP_SO3 ? 3 : 0;
}

#endif
