/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/node_map.h"

#include <string.h>

static v3 load_or_zero(const double *a) {
  return a ? v3_load(a) : v3_zero();
}
static twist load6_or_zero(const double *a) {
  return a ? tw_load(a) : tw_zero();
}

void node_motion(torsor_motion *motion, const model_node *node, const double *q, const double *v,
                 const double *a) {
  switch (node->init.group) {
  case TORSOR_GROUP_R3:
    motion->R = m3_identity();
    motion->x = v3_load(q);
    motion->V = (twist){.lin = load_or_zero(v)};
    motion->A = (twist){.lin = load_or_zero(a)};
    break;
  case TORSOR_GROUP_SO3:
    motion->R = so3_matrix(so3_load(q));
    motion->x = node->init.frame.x;
    motion->V = (twist){.ang = load_or_zero(v)};
    motion->A = (twist){.ang = load_or_zero(a)};
    break;
  case TORSOR_GROUP_R3SO3:
    motion->x = v3_load(q);
    motion->R = so3_matrix(so3_load(q + 3));
    motion->V = load6_or_zero(v);
    motion->A = load6_or_zero(a);
    motion->V.lin = m3_tmulv(motion->R, motion->V.lin);
    motion->A.lin =
        v3_sub(m3_tmulv(motion->R, motion->A.lin), v3_cross(motion->V.ang, motion->V.lin));
    break;
  case TORSOR_GROUP_SE3:
    motion->x = v3_load(q);
    motion->R = so3_matrix(so3_load(q + 3));
    motion->V = load6_or_zero(v);
    motion->A = load6_or_zero(a);
    break;
  }
}

void node_wrench(double *out, const model_node *node, const torsor_motion *motion,
                 const double w[6]) {
  switch (node->init.group) {
  case TORSOR_GROUP_R3:
    memcpy(out, w, 3 * sizeof *out);
    break;
  case TORSOR_GROUP_SO3:
    memcpy(out, w + 3, 3 * sizeof *out);
    break;
  case TORSOR_GROUP_R3SO3:
    v3_store(out, m3_mulv(motion->R, v3_load(w)));
    memcpy(out + 3, w + 3, 3 * sizeof *out);
    break;
  case TORSOR_GROUP_SE3:
    memcpy(out, w, 6 * sizeof *out);
    break;
  }
}

void node_wrenches(double block[6][6], const model_node *node, const torsor_motion *motion) {
  if (node->init.group == TORSOR_GROUP_SO3) memcpy(block, block + 3, 3 * sizeof *block);
  if (node->init.group != TORSOR_GROUP_R3SO3) return;
  const m3 *R = &motion->R;
  for (int j = 0; j < 6; ++j) {
    const v3 force = m3_mulv(*R, (v3){block[0][j], block[1][j], block[2][j]});
    block[0][j] = force.x;
    block[1][j] = force.y;
    block[2][j] = force.z;
  }
}

static void put(double A[6][6], int row, int column, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[row + i][column + j] = block.m[i][j];
}

static void put_identity(double A[6][6], int row, int column, double value) {
  for (int i = 0; i < 3; ++i) A[row + i][column + i] = value;
}

/* P = T = one identity block at `row`, no derivative terms. */
static void fill_flat(node_map *map, int row, m3 T, const torsor_weights *w) {
  put(map->E, row, 0, T);
  put(map->Kc, row, 0, m3_scale(T, w->k));
  put_identity(map->Cc, row, 0, w->c);
  put_identity(map->Mc, row, 0, w->m);
}

static void fill_se3(node_map *map, const double *u, const torsor_weights *w) {
  const m6 T = u ? se3_tan(tw_load(u)) : m6_identity();
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      map->E[i][j] = T.m[i][j];
      map->Kc[i][j] = w->k * T.m[i][j];
    }
    map->Cc[i][i] = w->c;
    map->Mc[i][i] = w->m;
  }
}

/* dU = R^T dx' + U~ theta;  dA = R^T dx'' - Omega x dU + U~ dOmega + (R^T x'')~ theta with
 * R^T x'' = A + Omega x U. */
static void fill_r3so3(node_map *map, const torsor_motion *motion, const double *u,
                       const torsor_weights *w) {
  const m3 Rt = m3_transpose(motion->R);
  const m3 T = u ? so3_tan(v3_load(u + 3)) : m3_identity();
  const m3 U = m3_skew(motion->V.lin), W = m3_skew(motion->V.ang);
  const v3 turned = v3_add(motion->A.lin, v3_cross(motion->V.ang, motion->V.lin));
  const m3 dA = m3_sub(m3_skew(turned), m3_mul(W, U));
  const m3 UT = m3_mul(U, T);
  put(map->E, 0, 0, Rt);
  put(map->E, 3, 3, T);
  put(map->N, 0, 3, UT);
  put(map->Kc, 0, 0, m3_scale(Rt, w->k));
  put(map->Kc, 3, 3, m3_scale(T, w->k));
  put(map->Cc, 0, 0, m3_scale(Rt, w->c));
  put_identity(map->Cc, 3, 3, w->c);
  put(map->Mc, 0, 0, m3_sub(m3_scale(Rt, w->m), m3_scale(m3_mul(W, Rt), w->c)));
  put(map->Mc, 0, 3, m3_scale(U, w->c));
  put_identity(map->Mc, 3, 3, w->m);
  map->turns = true;
  map->turn_V = m3_scale(UT, w->k);
  map->turn_A = m3_scale(m3_mul(dA, T), w->k);
}

void node_map_fill(node_map *map, const model_node *node, const torsor_motion *motion,
                   const double *u, const torsor_weights *weights) {
  memset(map, 0, sizeof *map);
  map->nv = node->group->nv;
  switch (node->init.group) {
  case TORSOR_GROUP_R3:
    fill_flat(map, 0, m3_identity(), weights);
    break;
  case TORSOR_GROUP_SO3:
    fill_flat(map, 3, u ? so3_tan(v3_load(u)) : m3_identity(), weights);
    break;
  case TORSOR_GROUP_R3SO3:
    fill_r3so3(map, motion, u, weights);
    break;
  case TORSOR_GROUP_SE3:
    fill_se3(map, u, weights);
    break;
  }
}

/* d(R f) = -R f~ theta. */
bool node_wrench_tangent(double *F, const model_node *node, const torsor_motion *motion,
                         const double *u, const double w[6], double k) {
  if (node->init.group != TORSOR_GROUP_R3SO3) return false;
  m3 force = m3_scale(m3_mul(motion->R, m3_skew(v3_load(w))), -k);
  if (u) force = m3_mul(force, so3_tan(v3_load(u + 3)));
  memset(F, 0, 36 * sizeof *F);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F[6 * i + 3 + j] = force.m[i][j];
  return true;
}
