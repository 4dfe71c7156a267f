/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/modes/matrices.h"

#include <stdlib.h>

/* The rectangle of the tangents in which a matrix of the linearised system is found. */
typedef struct part {
  int first_row, rows, first_column, columns;
} part;

static part part_of(int which, const pencil *p) {
  const int nv = p->nv, nl = p->nl;
  switch (which) {
  case TORSOR_MATRIX_B:
  case TORSOR_MATRIX_Z:
    return (part){nv, nl, 0, nv};
  case TORSOR_MATRIX_G:
    return (part){0, nv, nv, nl};
  default:
    return (part){0, nv, 0, nv};
  }
}

/* Returns the value of entry k, in row i of the tangents. */
static double value_of(int which, const pencil *p, int i, int k) {
  const bool nonholonomic = i >= p->nv && p->nonholonomic && p->nonholonomic[i - p->nv];
  switch (which) {
  case TORSOR_MATRIX_M:
    return p->A2[k];
  case TORSOR_MATRIX_C:
    return p->A1[k];
  case TORSOR_MATRIX_B:
    return nonholonomic ? p->A1[k] : p->A0[k];
  case TORSOR_MATRIX_Z:
    return nonholonomic ? p->A0[k] : 0;
  default:
    return p->A0[k];
  }
}

static bool is_there(int which, const pencil *p) {
  if (which == TORSOR_MATRIX_G) return p->reactive;
  if (which == TORSOR_MATRIX_B) return p->nl > 0;
  bool any = which != TORSOR_MATRIX_Z;
  for (int i = 0; i < p->nl && !any; ++i) any = p->nonholonomic && p->nonholonomic[i];
  return any;
}

/* Counts the entries of a matrix and, where there is memory, writes them. */
static void walk(torsor_linear_matrix *out, int which, const pencil *p) {
  const part at = part_of(which, p);
  out->rows = at.rows;
  out->columns = at.columns;
  out->count = 0;
  for (int j = 0; j < at.columns; ++j)
    for (int k = p->p->Ap[at.first_column + j]; k < p->p->Ap[at.first_column + j + 1]; ++k) {
      const int i = p->p->Ai[k];
      if (i < at.first_row || i >= at.first_row + at.rows) continue;
      const double value = value_of(which, p, i, k);
      if (value == 0) continue;
      if (out->value) {
        out->row[out->count] = i - at.first_row;
        out->column[out->count] = j;
        out->value[out->count] = value;
      }
      ++out->count;
    }
}

static torsor_status copy(torsor_linear_matrix *out, int which, const pencil *p) {
  if (!is_there(which, p)) return TORSOR_OK;
  walk(out, which, p);
  const size_t room = (size_t)out->count + 1;
  out->row = calloc(room, sizeof *out->row);
  out->column = calloc(room, sizeof *out->column);
  out->value = calloc(room, sizeof *out->value);
  if (!out->row || !out->column || !out->value) return TORSOR_MEMORY;
  walk(out, which, p);
  return TORSOR_OK;
}

static torsor_status name_unknowns(torsor_modes *out, const pencil *p, const torsor_model *model) {
  out->rows = model->nl;
  out->column = calloc((size_t)model->nv + 1, sizeof *out->column);
  out->row = calloc((size_t)model->nl + 1, sizeof *out->row);
  if (!out->column || !out->row) return TORSOR_MEMORY;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    const int first = group_first_component(node->init.group);
    for (int k = 0; k < node->group->nv; ++k)
      out->column[node->first_v + k] =
          (torsor_unknown){.element = model->element[node->element].name, .place = first + k};
  }
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; k < e->rows; ++k)
      out->row[e->first_row + k] = (torsor_unknown){.element = e->name,
                                                    .place = k,
                                                    .nonholonomic = k >= e->rows - e->nonholonomic,
                                                    .dependent = p->dropped[e->first_row + k]};
  }
  return TORSOR_OK;
}

torsor_status matrices_copy(torsor_modes *out, const pencil *p, const torsor_model *model) {
  torsor_status status = name_unknowns(out, p, model);
  for (int i = 0; i < TORSOR_MATRICES && !status; ++i) status = copy(&out->matrix[i], i, p);
  return status;
}

void matrices_release(torsor_modes *modes) {
  for (int i = 0; i < TORSOR_MATRICES; ++i) {
    free(modes->matrix[i].row);
    free(modes->matrix[i].column);
    free(modes->matrix[i].value);
  }
  free(modes->column);
  free(modes->row);
}
