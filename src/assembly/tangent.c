/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

/* Add rows of a local matrix to columns; `slot` is that of its corner.  Rows of a node follow each other in a
 * column. */
static void scatter_rows(double *x, const int *slot, const map_row *rows, int count,
                         const node_map *map) {
  double values[6][6];
  for (int i = 0; i < count; ++i) memcpy(values[i], &rows[i], sizeof values[i]);
  for (int j = 0; j < map->nv; ++j) {
    double *to = x + slot[j];
    for (int i = 0; i < count; ++i) to[i] += values[i][map->first + j];
  }
}

/* (velocity, velocity): P^T times dr/dq, dr/dv and dr/dv' in node coordinates, the first into W
 * too. */
static void add_dynamics(assembly *a, kkt *k, const model_element *e, const element_slots *slots,
                         unsigned has) {
  const int n = 6 * e->nodes;
  const element_blocks *b = &a->blocks;
  const double *K = has & TORSOR_HAS_K ? b->K : NULL, *C = has & TORSOR_HAS_C ? b->C : NULL,
               *M = has & TORSOR_HAS_M ? b->M : NULL;
  for (int i = 0, row = 0; i < e->nodes; row += a->model->node[e->node[i++]].group->nv) {
    const model_node *node = &a->model->node[e->node[i]];
    const torsor_motion *motion = &a->motion[e->node[i]];
    for (int j = 0, column = 0; j < e->nodes; column += a->map[e->node[j++]].nv) {
      const node_map *map = &a->map[e->node[j]];
      const int *slot = slots->S + row * e->dofs + column;
      map_row block[6], stiffness[6];
      for (int r = 0; r < 6; ++r) {
        const int at = (6 * i + r) * n + 6 * j;
        const node_rows rows = {K ? K + at : NULL, C ? C + at : NULL, M ? M + at : NULL};
        node_map_stiffness(&block[r], map, &rows);
        if (k->stabilised) stiffness[r] = block[r];
        node_map_inertia(&block[r], map, &rows);
      }
      node_wrenches(block, node, motion);
      scatter_rows(k->Ax, slot, block, node->group->nv, map);
      if (!k->stabilised) continue;
      node_wrenches(stiffness, node, motion);
      scatter_rows(k->W, slot, stiffness, node->group->nv, map);
    }
  }
}

static bool is_stage(const torsor_weights *w) {
  return w->system == TORSOR_SYSTEM_INDEX3 || w->system == TORSOR_SYSTEM_STABILISED;
}

/* The element's tangents that count with these weights. */
static unsigned weighted_tangents(const model_element *e, const torsor_weights *w) {
  unsigned has = e->type->tangents;
  if (!is_stage(w) || w->k == 0) has &= ~(unsigned)TORSOR_HAS_K;
  if (!is_stage(w)) has &= ~(unsigned)TORSOR_HAS_C;
  return has;
}

/* The diagonal of one row's multipliers: regularisation; s = 0 where there is no position to keep. */
static void add_diagonal(kkt *k, const element_slots *slots, int row, int constraint,
                         bool nonholonomic, const torsor_weights *w) {
  if (!k->stabilised || nonholonomic) k->Ax[slots->E[row]] -= w->e;
  if (!k->stabilised) return;
  if (nonholonomic)
    k->Ax[k->rate_s[constraint]] += 1;
  else if (k->rate_y) {
    k->Ax[k->phi_s[constraint]] -= w->e;
    k->Ax[k->rate_y[constraint]] -= w->e;
  }
}

/* P^T times dr/d(reaction). */
static void add_reaction(assembly *a, kkt *k, const model_element *e, const element_slots *slots) {
  const int rows = e->reaction_rows;
  const int *slot = slots->L;
  for (int j = 0; j < e->nodes; ++j) {
    const model_node *node = &a->model->node[e->node[j]];
    for (int row = 0; row < rows; ++row) {
      double w[6], column[6];
      for (int i = 0; i < 6; ++i) w[i] = a->blocks.L[(6 * j + i) * rows + row];
      node_wrench(column, node, &a->motion[e->node[j]], w);
      for (int i = 0; i < node->group->nv; ++i) k->Ax[slot[i * rows + row]] += column[i];
    }
    slot += node->group->nv * rows;
  }
}

static bool is_left_out(const torsor_weights *w, bool nonholonomic) {
  if (w->system == TORSOR_SYSTEM_MASS) return true;
  return w->system == TORSOR_SYSTEM_VELOCITY && w->holonomic && nonholonomic;
}

/* B^T or that of B0 [rows x dofs], B E and, stabilised, B P + z (Z E + B N); a nonholonomic row has the
 * latter in place of B E. */
static void add_constraints(assembly *a, kkt *k, const model_element *e, const element_slots *slots,
                            const double *B0, const torsor_weights *w) {
  const int n = 6 * e->nodes;
  const bool stage = is_stage(w);
  for (int row = 0; row < e->rows; ++row) {
    int place = row * e->dofs;
    const bool nonholonomic = row >= e->rows - e->nonholonomic;
    const bool rate = stage && nonholonomic; /* the row is that of B v + Phi_t */
    const int *velocity_row = rate ? slots->B : slots->V;
    add_diagonal(k, slots, row, e->first_row + row, nonholonomic, w);
    if (is_left_out(w, nonholonomic)) continue;
    for (int j = 0; j < e->nodes; ++j) {
      const node_map *map = &a->map[e->node[j]];
      const double *B = a->blocks.B + row * n + 6 * j, *Z = a->blocks.Z + row * n + 6 * j;
      double P[6], E[6], D[6];
      node_row(P, &a->model->node[e->node[j]], &a->motion[e->node[j]], B);
      tw_store(E, node_map_variation(map, tw_load(B)));
      if (k->stabilised || rate) {
        twist change = node_map_variation(map, tw_load(Z));
        if (map->turns) change.ang = v3_add(change.ang, m3_tmulv(map->N_lr, v3_load(B)));
        tw_store(D, change);
      }
      /* A column has the rows of a node one after the other. */
      double *column = k->Ax + slots->Bt[place];
      const double *given = w->pinned ? B0 + place : P;
      for (int i = 0; i < map->nv; ++i) column[i] += given[i];
      for (int i = 0; i < map->nv; ++i, ++place) {
        if (!rate) k->Ax[slots->B[place]] += E[map->first + i];
        if (!k->stabilised && !rate) continue;
        const double z = w->z * D[map->first + i];
        k->Ax[velocity_row[place]] += P[i] + z;
        if (!k->stabilised) continue;
        k->W[velocity_row[place]] += z;
        if (!rate) k->W[slots->B[place]] += E[map->first + i];
      }
    }
  }
}

/* Derivative of P^T at the total wrench of each node. */
static void add_map_tangent(assembly *a, kkt *k) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    m3 F;
    if (!node_wrench_tangent(&F, node, &a->motion[i], &a->map[i], a->wrench[i])) continue;
    for (int j = 0; j < 3; ++j) {
      const int at = k->node[i][3 + j];
      for (int row = 0; row < 3; ++row) k->Ax[at + row] += F.m[row][j];
      for (int row = 0; k->stabilised && row < 3; ++row) k->W[at + row] += F.m[row][j];
    }
  }
}

/* Given velocities are no unknowns: their rows and columns become those of the identity. */
static void fix_unknowns(kkt *k, int nv, const unsigned char *fixed) {
  for (int j = 0; j < k->p.n; ++j)
    for (int p = k->p.Ap[j]; p < k->p.Ap[j + 1]; ++p) {
      const int i = k->p.Ai[p];
      if ((i < nv && fixed[i]) || (j < nv && fixed[j])) k->Ax[p] = i == j;
    }
}

/* Evaluate the dense blocks that the system needs. */
static torsor_status eval_blocks(assembly *a, int element, const torsor_point *p, unsigned has,
                                 bool forces, bool rates) {
  const model_element *e = &a->model->element[element];
  element_blocks *b = &a->blocks;
  const size_t size = (size_t)(6 * e->nodes), square = size * size * sizeof(double);
  const size_t rows = (size_t)e->rows * size * sizeof(double);
  torsor_element_out out = {.M = has & TORSOR_HAS_M ? b->M : NULL,
                            .C = has & TORSOR_HAS_C ? b->C : NULL,
                            .K = has & TORSOR_HAS_K ? b->K : NULL,
                            .r = forces ? b->r : NULL,
                            .B = e->rows ? b->B : NULL,
                            .Z = rates ? b->Z : NULL,
                            .L = e->reaction_rows ? b->L : NULL};
  if (has & TORSOR_HAS_M) memset(b->M, 0, square);
  if (has & TORSOR_HAS_C) memset(b->C, 0, square);
  if (has & TORSOR_HAS_K) memset(b->K, 0, square);
  memset(b->r, 0, size * sizeof(double));
  memset(b->B, 0, rows);
  memset(b->Z, 0, rows);
  memset(b->L, 0, size * (size_t)e->reaction_rows * sizeof(double));
  const torsor_element_in in = assembly_tangent_in(a, element, p);
  const torsor_status status = assembly_eval(a, element, &in, &out);
  for (int i = 0; i < e->nodes; ++i)
    for (int j = 0; j < 6; ++j) a->wrench[e->node[i]][j] += b->r[6 * i + j];
  return status;
}

torsor_status assembly_fill(assembly *a, kkt *k, const torsor_point *p, const torsor_weights *w) {
  const torsor_model *model = a->model;
  const bool dynamic = is_stage(w), stiff = dynamic && w->k != 0;
  const double *B0 = a->B0;
  assembly_set_motion(a, p);
  memset(a->wrench, 0, (size_t)model->node_count * sizeof *a->wrench);
  memset(k->Ax, 0, (size_t)k->p.nonzeros * sizeof *k->Ax);
  if (k->stabilised) memset(k->W, 0, (size_t)k->p.Ap[model->nv] * sizeof *k->W);
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    node_map_fill(&a->map[i], node, &a->motion[i], p->u ? p->u + node->first_v : NULL, w);
  }
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!a->active[i]) continue;
    const unsigned has = weighted_tangents(e, w);
    const bool rates = e->rows && (k->stabilised || (dynamic && e->nonholonomic));
    const torsor_status status = eval_blocks(a, i, p, has, stiff, rates);
    if (status) return assembly_fail(a, i, status);
    if (has) add_dynamics(a, k, e, &k->element[i], has);
    add_constraints(a, k, e, &k->element[i], B0, w);
    B0 += e->rows * e->dofs;
    if (e->reaction_rows && w->system != TORSOR_SYSTEM_VELOCITY && w->system != TORSOR_SYSTEM_MASS)
      add_reaction(a, k, e, &k->element[i]);
  }
  if (stiff) add_map_tangent(a, k);
  if (k->stabilised) kkt_subtract_product(k, model, a->B0);
  if (w->system == TORSOR_SYSTEM_VELOCITY && w->fixed) fix_unknowns(k, model->nv, w->fixed);
  return TORSOR_OK;
}

/* Largest entry of one kind of blocks, `wanted` as in TORSOR_HAS_M. */
static double find_scale(assembly *a, const torsor_point *p, unsigned wanted) {
  const double *block = wanted == TORSOR_HAS_M ? a->blocks.M : a->blocks.K;
  double largest = 0;
  assembly_set_motion(a, p);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!(e->type->tangents & wanted)) continue;
    if (eval_blocks(a, i, p, wanted, wanted == TORSOR_HAS_K, false)) continue;
    for (int k = 0; k < 36 * e->nodes * e->nodes; ++k) largest = fmax(largest, fabs(block[k]));
  }
  return largest;
}

double assembly_mass_scale(assembly *a, const torsor_point *p) {
  return find_scale(a, p, TORSOR_HAS_M);
}

double assembly_stiffness_scale(assembly *a, const torsor_point *p) {
  return find_scale(a, p, TORSOR_HAS_K);
}
