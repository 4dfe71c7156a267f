/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/linearise.h"

#include <string.h>

#include "assembly/assembly_private.h"

torsor_status tangents_create(tangents *out, assembly *a, arena *memory) {
  const torsor_status status = assembly_make_whole(a);
  if (status) return status;
  const pattern *p = &assembly_whole(a)->p;
  *out = (tangents){.p = p,
                    .M = arena_take(memory, (size_t)p->nonzeros, sizeof *out->M),
                    .C = arena_take(memory, (size_t)p->nonzeros, sizeof *out->C),
                    .K = arena_take(memory, (size_t)p->nonzeros, sizeof *out->K)};
  return out->M && out->C && out->K ? TORSOR_OK : TORSOR_MEMORY;
}

/* Clears the parts of the blocks that this element uses. */
static void clear_blocks(element_blocks *b, const model_element *e) {
  const size_t n = 6 * (size_t)e->nodes, square = n * n * sizeof(double);
  const size_t line = n * sizeof(double), rows = (size_t)e->rows * line;
  memset(b->r, 0, line);
  memset(b->B, 0, rows);
  memset(b->Z, 0, rows);
  memset(b->L, 0, (size_t)e->reaction_rows * line);
  memset(b->M, 0, square);
  memset(b->C, 0, square);
  memset(b->K, 0, square);
}

torsor_status element_tangents(const element_blocks **out, assembly *a, int i,
                               const torsor_point *p) {
  const model_element *e = &a->model->element[i];
  element_blocks *b = &a->work[0].blocks;
  const unsigned has = e->type->tangents.has;
  const torsor_element_in in = assembly_tangent_in(a, i, p);
  torsor_element_out wanted = {.r = b->r,
                               .M = has & TORSOR_HAS_M ? b->M : NULL,
                               .C = has & TORSOR_HAS_C ? b->C : NULL,
                               .K = has & TORSOR_HAS_K ? b->K : NULL,
                               .B = e->rows ? b->B : NULL,
                               .Z = e->rows ? b->Z : NULL,
                               .L = e->reaction_rows ? b->L : NULL};
  clear_blocks(b, e);
  *out = b;
  const torsor_status status = assembly_eval(a, i, &in, &wanted);
  return status ? assembly_fail(a, i, status) : TORSOR_OK;
}

/* Lists, for each velocity of an element, its index among the 6 * nodes body components; component
 * [dofs]. */
static void list_components(int *component, const torsor_model *model, const model_element *e) {
  for (int k = 0; k < e->nodes; ++k) {
    const model_node *node = &model->node[e->node[k]];
    const int first = group_first_component(node->init.group);
    for (int i = 0; i < node->group->nv; ++i) *component++ = 6 * k + first + i;
  }
}

/* Returns the number of velocities of an element's nodes before node k. */
static int dofs_before(const torsor_model *model, const model_element *e, int k) {
  int dofs = 0;
  for (int i = 0; i < k; ++i) dofs += model->node[e->node[i]].group->nv;
  return dofs;
}

/* Returns the index of entry (row, column) of a block. */
static int entry_of(const pattern_place *place, int row, int column) {
  return place->corner + row + column * place->stride;
}

static void add_square(double *x, const torsor_model *model, const model_element *e,
                       const element_places *places, const double *block, const int *component) {
  const int n = 6 * e->nodes;
  for (int k = 0; k < e->nodes; ++k)
    for (int l = 0; l < e->nodes; ++l) {
      const int *row = component + dofs_before(model, e, k);
      const int *column = component + dofs_before(model, e, l);
      for (int i = 0; i < model->node[e->node[k]].group->nv; ++i)
        for (int j = 0; j < model->node[e->node[l]].group->nv; ++j)
          x[entry_of(&places->S[k * e->nodes + l], i, j)] += block[row[i] * n + column[j]];
    }
}

static void add_rows(tangents *out, const torsor_model *model, const model_element *e,
                     const element_places *places, const element_blocks *b, const int *component) {
  const int n = 6 * e->nodes;
  for (int row = 0; row < e->rows; ++row) {
    const bool nonholonomic = row >= e->rows - e->nonholonomic;
    const int *of = component;
    for (int k = 0; k < e->nodes; of += model->node[e->node[k++]].group->nv)
      for (int j = 0; j < model->node[e->node[k]].group->nv; ++j) {
        const int at = entry_of(&places->B[k], row, j);
        const double B = b->B[row * n + of[j]];
        out->K[entry_of(&places->Bt[k], j, row)] += B;
        if (nonholonomic) out->C[at] += B;
        out->K[at] += nonholonomic ? b->Z[row * n + of[j]] : B;
      }
  }
}

static void add_reactions(tangents *out, const torsor_model *model, const model_element *e,
                          const element_places *places, const element_blocks *b,
                          const int *component) {
  for (int k = 0; k < e->nodes; component += model->node[e->node[k++]].group->nv)
    for (int j = 0; j < model->node[e->node[k]].group->nv; ++j)
      for (int row = 0; row < e->reaction_rows; ++row)
        out->K[entry_of(&places->L[k], j, row)] += b->L[component[j] * e->reaction_rows + row];
}

torsor_status tangents_fill(tangents *out, assembly *a, const torsor_point *p) {
  const torsor_model *model = a->model;
  const size_t size = (size_t)out->p->nonzeros * sizeof(double);
  memset(out->M, 0, size);
  memset(out->C, 0, size);
  memset(out->K, 0, size);
  assembly_set_motion(a, p);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    const element_places places = kkt_element(assembly_whole(a), e, i);
    if (!a->active[i]) continue;
    const element_blocks *b;
    int component[e->dofs + 1];
    const torsor_status status = element_tangents(&b, a, i, p);
    if (status) return status;
    list_components(component, model, e);
    if (e->type->tangents.has) {
      add_square(out->M, model, e, &places, b->M, component);
      add_square(out->C, model, e, &places, b->C, component);
      add_square(out->K, model, e, &places, b->K, component);
    }
    add_rows(out, model, e, &places, b, component);
    add_reactions(out, model, e, &places, b, component);
  }
  return TORSOR_OK;
}
