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

/** Column maps of one node for a linear system with weights (m, c, k, z), by 3x3 blocks.  A row (l, r) of body
 *  components goes to
 *    (l, r) E    = (l E_ll, l E_lr + r E_rr)            body variation, E = P T
 *    (l, r) P    = (l P_l, r)                           velocity
 *    (l, r) N    = (0, l N_lr)                          dV at constant v, (dP/dq v) T
 *  and with its columns as far as the group has them.  K = dr/dq is multiplied by k E, C = dr/dV by c P + k N and
 *  M = dr/dA by m P + c Q + k (dV'/dq) T. */
typedef struct node_map {
  int first, nv; /* components of a twist that the node has */
  bool turns;    /* R3xSO3: do V and V' change with q at constant v and v'? */
  bool couples;  /* SE(3): E_lr is not zero */
  m3 P_l, E_ll, E_lr, E_rr, N_lr;
  m3 K_ll, K_lr, K_rr; /* k E */
  double k, c, m;
  m3 M_ll; /* m P_l + c Q_ll */
  m3 M_lr; /* c Q_lr */
  m3 A_lr; /* k (dV'/dq) T */
} node_map;

/** What C and M are multiplied by may be left out (NULL); the same for K. */
typedef struct node_rows {
  const double *K, *C, *M; /* row of six components */
} node_rows;

/** Motion of a node from its coordinates; v and a may be NULL (zero). */
void node_motion(torsor_motion *motion, const model_node *node, const double *q, const double *v,
                 const double *a);

/** out [nv] = P^T w: a body wrench in the coordinates of the node. */
void node_wrench(double *out, const model_node *node, const torsor_motion *motion,
                 const double w[6]);

/** columns [6][6] of body wrenches <- P^T columns: the first nv entries hold the result. */
void node_wrenches(double columns[6][6], const model_node *node, const torsor_motion *motion);

/** out [nv] = row [6] P. */
static inline void node_row(double *out, const model_node *node, const torsor_motion *motion,
                            const double row[6]) {
  node_wrench(out, node, motion, row);
}

/** Fill the maps at a motion; `u` [nv] is the increment (NULL: T = I). */
void node_map_fill(node_map *map, const model_node *node, const torsor_motion *motion,
                   const double *u, const torsor_weights *weights);

/** F = k d(P^T w)/dq T, force rows and rotation columns, the derivative of node_wrench at the total body wrench
 *  `w` of the residual.  False where it vanishes: then F is left alone. */
bool node_wrench_tangent(m3 *F, const model_node *node, const torsor_motion *motion,
                         const node_map *map, const double w[6]);

/** out [6] = (l, r) E and (l, r) N: a row of body components over the columns of the node. */
static inline twist node_map_variation(const node_map *map, twist row) {
  twist out = {.lin = m3_tmulv(map->E_ll, row.lin), .ang = m3_tmulv(map->E_rr, row.ang)};
  if (map->couples) out.ang = v3_add(out.ang, m3_tmulv(map->E_lr, row.lin));
  return out;
}

/** One row of dr/dq, and of dr/dV and dr/dV' what changes with q. */
static inline twist node_map_stiffness(const node_map *map, const node_rows *row) {
  twist out = tw_zero();
  if (row->K) {
    const twist K = tw_load(row->K);
    out = (twist){.lin = m3_tmulv(map->K_ll, K.lin), .ang = m3_tmulv(map->K_rr, K.ang)};
    if (map->couples) out.ang = v3_add(out.ang, m3_tmulv(map->K_lr, K.lin));
  }
  if (map->turns && row->C)
    out.ang = v3_axpy(map->k, m3_tmulv(map->N_lr, v3_load(row->C)), out.ang);
  if (map->turns && row->M) out.ang = v3_add(out.ang, m3_tmulv(map->A_lr, v3_load(row->M)));
  return out;
}

/** One row of dr/dv and dr/dv'. */
static inline twist node_map_inertia(const node_map *map, const node_rows *row) {
  twist out = tw_zero();
  if (row->C) {
    const twist C = tw_load(row->C);
    out = tw_scale((twist){map->turns ? m3_tmulv(map->P_l, C.lin) : C.lin, C.ang}, map->c);
  }
  if (!row->M) return out;
  const twist M = tw_load(row->M);
  out.ang = v3_axpy(map->m, M.ang, out.ang);
  if (!map->turns) {
    out.lin = v3_axpy(map->m, M.lin, out.lin);
    return out;
  }
  out.lin = v3_add(out.lin, m3_tmulv(map->M_ll, M.lin));
  out.ang = v3_add(out.ang, m3_tmulv(map->M_lr, M.lin));
  return out;
}

#endif
