/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/kkt.h"

void element_dofs(int *dof, const torsor_model *model, const model_element *element) {
  for (int k = 0; k < element->nodes; ++k) {
    const model_node *node = &model->node[element->node[k]];
    for (int i = 0; i < node->group->nv; ++i) *dof++ = node->first_v + i;
  }
}

static void list_block(entry_list *list, const int *row, int rows, const int *column, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) entry_list_add(list, row[i], column[j]);
}

/* Entries of one element, in the order in which assign_slots reads them. */
static void list_element(entry_list *list, const torsor_model *model, const model_element *e,
                         bool stabilised) {
  int dof[ELEMENT_DOFS];
  element_dofs(dof, model, e);
  if (e->type->tangents) list_block(list, dof, e->dofs, dof, e->dofs);
  for (int i = 0; i < e->rows; ++i) {
    const int row = model->nv + e->first_row + i;
    for (int j = 0; j < e->dofs; ++j) entry_list_add(list, dof[j], row);
  }
  for (int i = 0; i < e->rows; ++i) {
    const int row = model->nv + e->first_row + i;
    list_block(list, &row, 1, dof, e->dofs);
  }
  for (int i = 0; i < e->rows; ++i) {
    const int row = model->nv + e->first_row + i;
    entry_list_add(list, row, row);
  }
  for (int i = 0; stabilised && i < e->rows; ++i) {
    const int row = model->nv + model->nl + e->first_row + i;
    list_block(list, &row, 1, dof, e->dofs);
  }
  for (int i = 0; i < e->dofs; ++i)
    for (int j = 0; j < e->reaction_rows; ++j)
      entry_list_add(list, dof[i], model->nv + model->element[e->reaction_of].first_row + j);
}

static void list_node(entry_list *list, const model_node *node) {
  for (int i = 0; i < node->group->nv; ++i)
    for (int j = 0; j < node->group->nv; ++j)
      entry_list_add(list, node->first_v + i, node->first_v + j);
}

/* Entries of W B0^T: every row of the columns of u that multiplier column s = B0_s^T touches. */
static void list_product(entry_list *list, const torsor_model *model, const pattern *u) {
  for (int k = 0; k < model->element_count; ++k) {
    const model_element *e = &model->element[k];
    int dof[ELEMENT_DOFS];
    element_dofs(dof, model, e);
    for (int i = 0; i < e->rows; ++i) {
      const int column = model->nv + model->nl + e->first_row + i;
      for (int j = 0; j < e->dofs; ++j)
        for (int p = u->Ap[dof[j]]; p < u->Ap[dof[j] + 1]; ++p)
          entry_list_add(list, u->Ai[p], column);
    }
  }
}

static const int *advance(const int **slot, int count) {
  const int *here = *slot;
  *slot += count;
  return here;
}

/* Entries of W B0^T in the columns of an element's rows. */
static int count_product(const pattern *p, const torsor_model *model, const model_element *e) {
  int dof[ELEMENT_DOFS], count = 0;
  element_dofs(dof, model, e);
  for (int j = 0; j < e->dofs; ++j) count += p->Ap[dof[j] + 1] - p->Ap[dof[j]];
  return e->rows * count;
}

static void assign_slots(kkt *k, const torsor_model *model, const int *slot) {
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    element_slots *s = &k->element[i];
    s->S = advance(&slot, e->type->tangents ? e->dofs * e->dofs : 0);
    s->Bt = advance(&slot, e->rows * e->dofs);
    s->B = advance(&slot, e->rows * e->dofs);
    s->E = advance(&slot, e->rows);
    s->V = advance(&slot, k->stabilised ? e->rows * e->dofs : 0);
    s->L = advance(&slot, e->dofs * e->reaction_rows);
  }
  for (int i = 0; i < model->node_count; ++i)
    k->node[i] = advance(&slot, model->node[i].group->nv * model->node[i].group->nv);
  for (int i = 0; k->stabilised && i < model->element_count; ++i)
    k->product[i] = advance(&slot, count_product(&k->p, model, &model->element[i]));
}

/* List everything; the product needs the pattern of the columns of u first. */
static torsor_status list_entries(entry_list *list, const torsor_model *model, const kkt *k,
                                  int n) {
  for (int i = 0; i < model->element_count; ++i)
    list_element(list, model, &model->element[i], k->stabilised);
  for (int i = 0; i < model->node_count; ++i) list_node(list, &model->node[i]);
  if (!k->stabilised) return list->failed ? TORSOR_MEMORY : TORSOR_OK;
  arena scratch = {0};
  pattern u;
  int *slot = arena_take(&scratch, (size_t)list->count, sizeof *slot);
  torsor_status status = TORSOR_MEMORY;
  if (slot && !pattern_build(&u, slot, n, list, &scratch)) {
    list_product(list, model, &u);
    if (!list->failed) status = TORSOR_OK;
  }
  arena_release(&scratch);
  return status;
}

/* out [nl] = places of (row + i, column + i). */
static torsor_status find_diagonal(int **out, const kkt *k, int nl, int row, int column,
                                   arena *memory) {
  int *place = *out = arena_take(memory, (size_t)nl, sizeof *place);
  if (!place) return TORSOR_MEMORY;
  for (int i = 0; i < nl; ++i) {
    int p = k->p.Ap[column + i];
    const int end = k->p.Ap[column + i + 1];
    while (p < end && k->p.Ai[p] < row + i) ++p;
    if (p == end || k->p.Ai[p] != row + i) return TORSOR_SINGULAR;
    place[i] = p;
  }
  return TORSOR_OK;
}

/* The first two belong to the pattern of W B0^T. */
static torsor_status find_diagonals(kkt *k, const torsor_model *model, bool dependent,
                                    arena *memory) {
  const int nl = model->nl, y = model->nv, s = y + nl;
  torsor_status status = find_diagonal(&k->phi_s, k, nl, y, s, memory);
  if (!status) status = find_diagonal(&k->rate_s, k, nl, s, s, memory);
  if (!status && dependent) status = find_diagonal(&k->rate_y, k, nl, s, y, memory);
  return status;
}

torsor_status kkt_create(kkt *out, const torsor_model *model, bool stabilised, bool dependent,
                         const char *solver, arena *memory) {
  const int n = model->nv + model->nl * (stabilised ? 2 : 1);
  *out = (kkt){.stabilised = stabilised};
  entry_list list = {0};
  torsor_status status = list_entries(&list, model, out, n);
  for (int i = 0; dependent && stabilised && i < model->nl; ++i)
    entry_list_add(&list, model->nv + model->nl + i, model->nv + i);
  int *slot = status ? NULL : arena_take(memory, (size_t)list.count, sizeof *slot);
  out->element = arena_take(memory, (size_t)model->element_count, sizeof *out->element);
  out->node = arena_take(memory, (size_t)model->node_count, sizeof *out->node);
  if (stabilised)
    out->product = arena_take(memory, (size_t)model->element_count, sizeof *out->product);
  if (!status && (!slot || !out->element || !out->node || (stabilised && !out->product) ||
                  pattern_build(&out->p, slot, n, &list, memory)))
    status = TORSOR_MEMORY;
  entry_list_release(&list);
  if (status) return status;
  assign_slots(out, model, slot);
  out->wide = stabilised ? out->p.Ap[model->nv] : 0;
  if (stabilised && (status = find_diagonals(out, model, dependent, memory))) return status;
  arena scratch = {0};
  block_plan plan;
  status = block_plan_create(&plan, model, stabilised, &scratch);
  if (!status) status = linear_solver_create(&out->solver, solver, &out->p, &plan);
  arena_release(&scratch);
  if (!status)
    status = turning_list_create(&out->turning, model, stabilised ? 2 : 1, out->solver, memory);
  tape take = {.memory = memory};
  if (!status) kkt_walk(out, &take);
  return status ? status : take.status;
}

void kkt_walk(kkt *k, tape *t) {
  TAPE_WORK(t, k->Ax, k->p.nonzeros);
  TAPE_WORK(t, k->W, k->wide);
  linear_solver_walk(k->solver, t);
}

void kkt_release(kkt *k) {
  linear_solver_destroy(k->solver);
  k->solver = NULL;
}

void kkt_subtract_product(kkt *k, const torsor_model *model, int element, const double *B0) {
  const model_element *e = &model->element[element];
  const int *place = k->product[element];
  int dof[ELEMENT_DOFS];
  element_dofs(dof, model, e);
  for (int row = 0; row < e->rows; ++row)
    for (int j = 0; j < e->dofs; ++j) {
      const double b = *B0++;
      for (int p = k->p.Ap[dof[j]]; p < k->p.Ap[dof[j] + 1]; ++p) k->Ax[*place++] -= k->W[p] * b;
    }
}
