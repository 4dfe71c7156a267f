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

void node_wrenches(map_row rows[6], const model_node *node, const torsor_motion *motion) {
  if (node->init.group == TORSOR_GROUP_SO3) memmove(rows, rows + 3, 3 * sizeof *rows);
  if (node->init.group != TORSOR_GROUP_R3SO3) return;
  map_row turned[3] = {0};
  for (int i = 0; i < 3; ++i) map_row_add(&turned[i], motion->R.m[i], rows);
  memcpy(rows, turned, sizeof turned);
}

static void put_rows(map_row rows[3], m3 left, m3 right) {
  for (int i = 0; i < 3; ++i) {
    const double *l = left.m[i], *r = right.m[i];
    rows[i] = (map_row){{{l[0], l[1]}, {l[2], r[0]}, {r[1], r[2]}}};
  }
}

/* dU = R^T dx' + U~ theta;  dA = R^T dx'' - Omega x dU + U~ dOmega + (R^T x'')~ theta with
 * R^T x'' = A + Omega x U. */
static void fill_r3so3(node_map *map, const torsor_motion *motion, const double *u,
                       const torsor_weights *w) {
  const m3 Rt = m3_transpose(motion->R), zero = m3_zero();
  const m3 T = u ? so3_tan(v3_load(u + 3)) : m3_identity();
  const v3 U = motion->V.lin, W = motion->V.ang;
  const v3 turned = v3_add(motion->A.lin, v3_cross(W, U));
  const m3 dA = m3_sub(m3_skew(turned), m3_skew_mul(W, m3_skew(U)));
  map->turns = true;
  map->P_l = map->E_ll = Rt;
  map->E_rr = T;
  map->N_lr = m3_skew_mul(U, T);
  put_rows(map->C, m3_scale(Rt, w->c), zero);
  put_rows(map->M, m3_axpy(w->m, Rt, m3_scale(m3_skew_mul(W, Rt), -w->c)),
           m3_skew(v3_scale(U, w->c)));
  put_rows(map->N, zero, m3_scale(map->N_lr, w->k));
  put_rows(map->A, zero, m3_scale(m3_mul(dA, T), w->k));
}

void node_map_fill(node_map *map, const model_node *node, const torsor_motion *motion,
                   const double *u, const torsor_weights *weights) {
  map->first = node->init.group == TORSOR_GROUP_SO3 ? 3 : 0;
  map->nv = node->group->nv;
  map->turns = map->couples = false;
  map->plain =
      node->init.group == TORSOR_GROUP_R3 || (node->init.group != TORSOR_GROUP_R3SO3 && !u);
  map->k = weights->k;
  map->c = weights->c;
  map->m = weights->m;
  map->P_l = map->E_ll = map->E_rr = m3_identity();
  map->E_lr = m3_zero();
  switch (node->init.group) {
  case TORSOR_GROUP_R3:
    break;
  case TORSOR_GROUP_SO3:
    if (u) map->E_rr = so3_tan(v3_load(u));
    break;
  case TORSOR_GROUP_R3SO3:
    fill_r3so3(map, motion, u, weights);
    break;
  case TORSOR_GROUP_SE3:
    if (!u) break;
    const m6 T = se3_tan(tw_load(u));
    map->couples = true;
    map->E_ll = map->E_rr = m6_block(T, 0, 0);
    map->E_lr = m6_block(T, 0, 1);
    break;
  }
  put_rows(map->K, m3_scale(map->E_ll, weights->k), m3_scale(map->E_lr, weights->k));
  put_rows(map->K + 3, m3_zero(), m3_scale(map->E_rr, weights->k));
  if (map->turns) return;
  put_rows(map->C, m3_scale(map->P_l, weights->c), m3_zero());
  put_rows(map->M, m3_scale(map->P_l, weights->m), m3_zero());
}

/* d(R f) = -R f~ theta. */
bool node_wrench_tangent(m3 *F, const model_node *node, const torsor_motion *motion,
                         const node_map *map, const double w[6]) {
  if (node->init.group != TORSOR_GROUP_R3SO3) return false;
  *F = m3_mul(m3_scale(m3_mul(motion->R, m3_skew(v3_load(w))), -map->k), map->E_rr);
  return true;
}
