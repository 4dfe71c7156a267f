/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_NODE_MAP_H
#define TORSOR_ASSEMBLY_NODE_MAP_H

/** Between the coordinates of a node's group and the body twists that elements speak.
 *
 *  V = P v and V' = P v' + Q v with P, Q of the group:
 *    SE(3)    P = I                    Q = 0
 *    R3xSO(3) P = diag(R^T, I)         (Q v).lin = -Omega x U
 *    R^3      P = [I; 0]  (R = I)      SO(3)  P = [0; I]  (x fixed)
 *  A variation u of q = q0 exp(u) gives the body variation E u = P T(u) u, and for V and V' the
 *  columns below (chain rule with the derivatives of P and Q). */

#include <torsor/integrator.h>

#include "assembly/model.h"

/** Column maps of one node for a linear system with weights (m, c, k, z); 6 x nv, padded. */
typedef struct node_map {
  double E[6][6];  /* P T                           body variation */
  double N[6][6];  /* (dP/dq v) T                   dV at constant v */
  double Kc[6][6]; /* k E                           multiplies K = dr/dq */
  double Cc[6][6]; /* c P                           multiplies C = dr/dV */
  double Mc[6][6]; /* m P + c Q                     multiplies M = dr/dA */
  bool turns;      /* do V and V' change with q at constant v and v'? */
  m3 turn_V;       /* k (dV/dq) T: force rows, rotation columns; multiplies C */
  m3 turn_A;       /* k (dV'/dq) T: the same, multiplies M */
  int nv;
} node_map;

/** Motion of a node from its coordinates; v and a may be NULL (zero). */
void node_motion(torsor_motion *motion, const model_node *node, const double *q, const double *v,
                 const double *a);

/** out [nv] = P^T w: a body wrench in the coordinates of the node. */
void node_wrench(double *out, const model_node *node, const torsor_motion *motion,
                 const double w[6]);

/** block <- P^T block: six columns of body wrenches at once; the first nv rows hold the result. */
void node_wrenches(double block[6][6], const model_node *node, const torsor_motion *motion);

/** out [nv] = row [6] P. */
static inline void node_row(double *out, const model_node *node, const torsor_motion *motion,
                            const double row[6]) {
  node_wrench(out, node, motion, row);
}

/** Fill the maps at a motion; `u` [nv] is the increment (NULL: T = I). */
void node_map_fill(node_map *map, const model_node *node, const torsor_motion *motion,
                   const double *u, const torsor_weights *weights);

/** F [nv x nv] = k d(P^T w)/dq T, the derivative of node_wrench at the total body wrench `w` of the
 *  residual.  False where it vanishes: then F is left alone. */
bool node_wrench_tangent(double *F, const model_node *node, const torsor_motion *motion,
                         const double *u, const double w[6], double k);

#endif
