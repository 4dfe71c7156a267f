/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_NODE_MAP_H
#define TORSOR_ASSEMBLY_NODE_MAP_H

/** Maps between the velocities of a node's group and the body twists that elements use.
 *
 *  V = P v and V' = P v' + Q v with P, Q of the group:
 *    SE(3)    P = I                    Q = 0
 *    R3xSO(3) P = diag(R^T, I)         (Q v).lin = -Omega x U
 *    R^3      P = [I; 0]  (R = I)      SO(3)  P = [0; I]  (x fixed)
 *
 * A variation u of q = q0 exp(u) gives the body variation E u = P T(u) u and, for V and V', the
 * columns below (chain rule with the derivatives of P and Q; docs/theory.md). */

#include <torsor/integrator.h>

#include "assembly/model/model.h"
#include "base/pair.h"

/** A row of six columns, stored in pairs for vector instructions. */
typedef struct map_row {
  pair at[3];
} map_row;

/** Column maps of one node for a linear system with the weights (m, c, k), by 3x3 blocks.  A row
 * (l, r) of body components is mapped to
 *
 *    (l, r) E = (l E_ll, l E_lr + r E_rr)   for a body variation, E = P T
 *    (l, r) P = (l P_l, r)                  for a velocity
 *    (l, r) N = (0, l N_lr)                 for the change of V with q at constant v, (dP/dq v) T
 *
 * with its columns as far as the group has them.  K = dr/dq is multiplied by k E, C = dr/dV by c P
 * + k N, and M = dr/dA by m P + c Q + k (dV'/dq) T. */
typedef struct node_map {
  int first, nv; /* the components of a twist that the node has: first and count */
  bool turns;    /* R3xSO3: do V and V' change with q at constant v and v'? */
  bool couples;  /* SE(3): E_lr is not zero */
  bool plain;    /* E is the identity: increments are body variations as they stand */
  m3 P_l, E_ll, E_lr, E_rr, N_lr;
  double k, c, m;
  map_row K[6], C[3],
      M[3]; /* images of the rows of K, and of the translational part l of rows of C and M */
  map_row N[3], A[3]; /* the part of the latter that comes from the change of V and V' with q */
} node_map;

/** The rows of one equation in body components; NULL stands for zeros. */
typedef struct node_rows {
  const double *K, *C, *M; /* row of six components */
} node_rows;

/** Finds the motion of a node from its coordinates; v and a may be NULL (zero). */
void node_motion(torsor_motion *motion, const model_node *node, const double *q, const double *v,
                 const double *a);

/** out [nv] = P^T w: a body wrench in the coordinates of the node. */
void node_wrench(double *out, const model_node *node, const torsor_motion *motion,
                 const double w[6]);

/** Maps rows of body wrenches to the node: rows <- P^T rows, of which the first nv hold the
 * result. */
void node_wrenches(map_row rows[6], const model_node *node, const torsor_motion *motion);

/** out [nv] = row [6] P. */
static inline void node_row(double *out, const model_node *node, const torsor_motion *motion,
                            const double row[6]) {
  node_wrench(out, node, motion, row);
}

/** Fills the maps at a motion; `u` [nv] is the increment (NULL: T = I). */
void node_map_fill(node_map *map, const model_node *node, const torsor_motion *motion,
                   const double *u, const torsor_weights *weights);

/** Finds F = k d(P^T w)/dq T, the derivative of node_wrench at the total body wrench `w` of the
 * residual, with force rows and rotation columns.  Returns false and leaves F alone where it
 * vanishes. */
bool node_wrench_tangent(m3 *F, const model_node *node, const torsor_motion *motion,
                         const node_map *map, const double w[6]);

/** out [6] = (l, r) E and (l, r) N: a row of body components over the columns of the node. */
static inline twist node_map_variation(const node_map *map, twist row) {
  twist out = {.lin = m3_tmulv(map->E_ll, row.lin), .ang = m3_tmulv(map->E_rr, row.ang)};
  if (map->couples) out.ang = v3_add(out.ang, m3_tmulv(map->E_lr, row.lin));
  return out;
}

/** Are the three components zero?  Many rows of elements between two nodes are. */
static inline bool map_is_zero(const double l[3]) {
  return l[0] == 0 && l[1] == 0 && l[2] == 0;
}

/** *out += the three components of l over the columns of `rows`. */
static inline void map_row_add(map_row *out, const double l[3], const map_row rows[3]) {
  for (int k = 0; k < 3; ++k) {
    const pair factor = pair_both(l[k]);
    for (int i = 0; i < 3; ++i) out->at[i] += factor * rows[k].at[i];
  }
}

/** Does the same for rows whose first three columns are zeros. */
static inline void map_row_add_right(map_row *out, const double l[3], const map_row rows[3]) {
  for (int k = 0; k < 3; ++k) {
    const pair factor = pair_both(l[k]);
    for (int i = 1; i < 3; ++i) out->at[i] += factor * rows[k].at[i];
  }
}

static inline void map_row_add_angular(map_row *out, const double r[3], double factor) {
  out->at[1] += (pair){0, factor * r[0]};
  out->at[2] += (pair){factor * r[1], factor * r[2]};
}

/** Maps one row of dr/dq, and of dr/dV and dr/dV' the parts that come from the change of V and V'
 * with q. */
static inline void node_map_stiffness(map_row *out, const node_map *map, const node_rows *row) {
  *out = (map_row){0};
  if (row->K) {
    if (!map_is_zero(row->K)) map_row_add(out, row->K, map->K);
    if (!map_is_zero(row->K + 3)) map_row_add_right(out, row->K + 3, map->K + 3);
  }
  if (map->turns && row->C) map_row_add_right(out, row->C, map->N);
  if (map->turns && row->M) map_row_add_right(out, row->M, map->A);
}

/** *out += one row of dr/dv and dr/dv'. */
static inline void node_map_inertia(map_row *out, const node_map *map, const node_rows *row) {
  if (row->C) {
    map_row_add(out, row->C, map->C);
    map_row_add_angular(out, row->C + 3, map->c);
  }
  if (!row->M) return;
  map_row_add(out, row->M, map->M);
  map_row_add_angular(out, row->M + 3, map->m);
}

#endif
