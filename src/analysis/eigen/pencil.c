/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/pencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/start/constraints.h"

/* ---- frames ------------------------------------------------------------------------------ */

/* Y += X A in the columns of one node, whose nv columns have the same rows. */
static void add_columns(double *Y, const double *X, const pattern *p, int first, int nv, int shift,
                        const m6 *A) {
  const int rows = p->Ap[first + 1] - p->Ap[first];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < nv; ++j) {
      double sum = 0;
      for (int k = 0; k < nv; ++k) sum += X[p->Ap[first + k] + i] * A->m[shift + k][shift + j];
      Y[p->Ap[first + j] + i] += sum;
    }
}

void pencil_see(tangents *t, const torsor_model *model, const twist *eta, const twist *sigma) {
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    const int nv = node->group->nv, shift = group_first_component(node->init.group);
    const m6 moves = se3_ad(eta[i]), turns = se3_ad(sigma[i]);
    const m6 inner = m6_scale(m6_mul(turns, moves), -1), rate = m6_sub(moves, turns);
    add_columns(t->K, t->C, t->p, node->first_v, nv, shift, &moves);
    add_columns(t->K, t->M, t->p, node->first_v, nv, shift, &inner);
    add_columns(t->C, t->M, t->p, node->first_v, nv, shift, &rate);
  }
}

/* ---- dependent rows ----------------------------------------------------------------------- */

/* Copies rows of B in the given order, [count] of them. */
static torsor_status pick_rows(gradient_rows *out, const gradient_rows *B, const int *row,
                               int count) {
  const size_t entries = (size_t)B->first[B->rows];
  *out = (gradient_rows){.rows = count,
                         .columns = B->columns,
                         .first = malloc(((size_t)count + 1) * sizeof(int)),
                         .column = malloc((entries + 1) * sizeof(int)),
                         .value = malloc((entries + 1) * sizeof(double))};
  if (!out->first || !out->column || !out->value) {
    gradient_rows_release(out);
    return TORSOR_MEMORY;
  }
  int at = 0;
  for (int i = 0; i < count; ++i) {
    out->first[i] = at;
    for (int k = B->first[row[i]]; k < B->first[row[i] + 1]; ++k, ++at) {
      out->column[at] = B->column[k];
      out->value[at] = B->value[k];
    }
  }
  out->first[count] = at;
  return TORSOR_OK;
}

/* Marks the rows among row [count] that depend on earlier ones. */
static torsor_status mark(unsigned char *dropped, const gradient_rows *B, const int *row,
                          int count) {
  gradient_rows picked = {0};
  row_rank rank = {0};
  torsor_status status = pick_rows(&picked, B, row, count);
  if (!status) status = row_rank_find(&rank, &picked, RANK_THRESHOLD);
  for (int i = 0; !status && i < rank.dependent_count; ++i) dropped[row[rank.dependent[i].row]] = 1;
  row_rank_release(&rank);
  gradient_rows_release(&picked);
  return status;
}

/* Finds the rows to leave out.  Position constraints come first: a row of them is not implied by
 * one that constrains velocities alone. */
static torsor_status find_dropped(pencil *p, assembly *a, const double *q) {
  gradient_rows B = {0};
  int *row = malloc(((size_t)p->nl + 1) * sizeof *row), count = 0;
  torsor_status status = row ? assembly_gradient(&B, a, &(torsor_point){.q = q}) : TORSOR_MEMORY;
  for (int i = 0; i < p->nl && !status; ++i)
    if (!p->nonholonomic || !p->nonholonomic[i]) row[count++] = i;
  if (!status) status = mark(p->dropped, &B, row, count);
  for (int i = 0; i < p->nl && !status; ++i)
    if (p->nonholonomic && p->nonholonomic[i]) row[count++] = i;
  if (!status && p->nonholonomic) status = mark(p->dropped, &B, row, count);
  gradient_rows_release(&B);
  free(row);
  return status;
}

/* ---- the pencil ---------------------------------------------------------------------------- */

/* Returns entry j of A's diagonal. */
static double diagonal_entry(const pencil *p, const double *A, int j) {
  for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k)
    if (p->p->Ai[k] == j) return A[k];
  return 0;
}

torsor_status pencil_create(pencil *out, assembly *a, const torsor_model *model, const tangents *t,
                            const double *q, arena *memory) {
  const torsor_problem *pr = assembly_problem(a);
  *out = (pencil){.nv = pr->nv,
                  .nl = pr->nl,
                  .p = t->p,
                  .A0 = t->K,
                  .A1 = t->C,
                  .A2 = t->M,
                  .nonholonomic = pr->nonholonomic,
                  .dropped = arena_take(memory, (size_t)pr->nl, 1),
                  .rotation = pr->rotation,
                  .length = model_size(model),
                  .reactive = model->reactive};
  if (!out->dropped) return TORSOR_MEMORY;
  for (int i = 0; i < pr->nv; ++i) {
    const double mass = diagonal_entry(out, out->A2, i);
    const double stiffness = fabs(diagonal_entry(out, out->A0, i));
    const double arm = pr->rotation[i] ? 1 : out->length;
    if (mass > 0) out->largest = fmax(out->largest, stiffness / mass);
    out->stiffest = fmax(out->stiffest, stiffness * arm * arm);
  }
  const torsor_status status = block_plan_create(&out->plan, model, false, memory);
  return status ? status : find_dropped(out, a, q);
}

static void multiply(double *y, const pencil *p, const double *A, const double *x, int first,
                     int end) {
  const int *Ap = p->p->Ap, *Ai = p->p->Ai; /* rows ascend within a column */
  memset(y, 0, (size_t)(end - first) * sizeof *y);
  for (int j = 0; j < p->nv; ++j) {
    const double part = x[j];
    int k = Ap[j];
    if (part == 0) continue;
    while (k < Ap[j + 1] && Ai[k] < first) ++k;
    for (; k < Ap[j + 1] && Ai[k] < end; ++k) y[Ai[k] - first] += A[k] * part;
  }
}

void pencil_multiply(double *y, const pencil *p, const double *A, const double *x) {
  multiply(y, p, A, x, 0, p->nv);
}

void pencil_multiply_rows(double *y, const pencil *p, const double *A, const double *x) {
  multiply(y, p, A, x, p->nv, p->nv + p->nl);
}

/* Relative round-off: some hundred roundings of stiffnesses that cancel. */
static const double ROUND_OFF = 1e-13;

double pencil_round_off(const pencil *p, double mu, const double *re, const double *im) {
  double stiffness = 0, mass = 0, square = 0;
  for (int j = 0; j < p->nv; ++j) {
    const double arm = p->rotation[j] ? 1 : p->length;
    square += pow(hypot(re[j], im ? im[j] : 0) / arm, 2);
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k];
      if (i >= p->nv) break;
      const double size = hypot(re[i], im ? im[i] : 0) * hypot(re[j], im ? im[j] : 0);
      stiffness += (fabs(p->A0[k]) + mu * fabs(p->A1[k]) + mu * mu * fabs(p->A2[k])) * size;
      mass += p->A2[k] * (re[i] * re[j] + (im ? im[i] * im[j] : 0));
    }
  }
  stiffness += ROUND_OFF * p->stiffest * square;
  return mass > 0 ? ROUND_OFF * stiffness / mass : 0;
}

void pencil_shift(double *Ax, const pencil *p, double s) {
  const int nv = p->nv;
  for (int j = 0; j < p->p->n; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k];
      Ax[k] = s * s * p->A2[k] + s * p->A1[k] + p->A0[k];
      if ((i >= nv && p->dropped[i - nv]) || (j >= nv && p->dropped[j - nv])) Ax[k] = i == j;
    }
}
