/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

/* Relative step of central differences, the cube root of eps, where truncation h^2 and round-off
 * eps/h balance. */
#define STEP 6.055454452393343e-06

enum { BY_POSITION, BY_VELOCITY, BY_ACCELERATION };

/* Moves component `k` of a node's motion by `step`; positions by H exp(e). */
static void move(torsor_motion *motion, int what, int k, double step) {
  double e[6] = {0};
  e[k] = step;
  if (what == BY_VELOCITY) motion->V = tw_add(motion->V, tw_load(e));
  if (what == BY_ACCELERATION) motion->A = tw_add(motion->A, tw_load(e));
  if (what != BY_POSITION) return;
  motion->x = v3_add(motion->x, m3_mulv(motion->R, v3_load(e)));
  motion->R = m3_mul(motion->R, so3_rodrigues(v3_load(e + 3)));
}

/* Returns the step of a difference: a fraction of 1 rad or of the length, times the rates at which
 * the node moves and rotates in these units.  A node that hardly moves is assumed to change its
 * forces over seconds: steps that are too small would turn the rounding of forces that do not
 * depend on the component into derivatives. */
static double step_size(const torsor_motion *motion, int what, int k, double length) {
  const twist moving = what == BY_VELOCITY ? motion->V : motion->A;
  const double rate = v3_norm(moving.ang) + v3_norm(moving.lin) / length;
  return STEP * (what == BY_POSITION ? 1 : 1 + rate) * (k < 3 ? length : 1);
}

/* Adds to column `column` of a [rows x n] matrix the difference of the two outputs over the
 * width. */
static void add_column(double *matrix, const double *up, const double *down, int rows, int n,
                       int column, double width) {
  for (int i = 0; matrix && i < rows; ++i) matrix[i * n + column] += (up[i] - down[i]) / width;
}

/* Finds L, the derivative by the reaction of another element. */
static torsor_status difference_reaction(const model_element *e, const torsor_element_in *in,
                                         torsor_element_out *out) {
  double reaction[TORSOR_ELEMENT_ROWS], size = 0;
  for (int i = 0; i < e->reaction_rows; ++i) size = fmax(size, fabs(in->reaction[i]));
  memcpy(reaction, in->reaction, (size_t)e->reaction_rows * sizeof *reaction);
  torsor_element_in at = *in;
  at.reaction = reaction;
  const double h = STEP * (size > 0 ? size : 1);
  for (int row = 0; row < e->reaction_rows; ++row) {
    double r[2][6 * e->nodes];
    memset(r, 0, sizeof r);
    for (int side = 0; side < 2; ++side) {
      reaction[row] = in->reaction[row] + (side ? -h : h);
      torsor_element_out result = {.r = r[side]};
      const torsor_status status = e->type->eval(e->instance, &at, &result);
      if (status) return status;
    }
    reaction[row] = in->reaction[row];
    add_column(out->L, r[0], r[1], 6 * e->nodes, e->reaction_rows, row, 2 * h);
  }
  return TORSOR_OK;
}

torsor_status numeric_tangent(const model_element *e, const torsor_element_in *in,
                              torsor_element_out *out, double length) {
  double *const matrix[3] = {out->K, out->C, out->M};
  const int n = 6 * e->nodes;
  torsor_motion moved[e->nodes];
  const torsor_motion *seen[e->nodes];
  for (int i = 0; i < e->nodes; ++i) seen[i] = &moved[i];
  torsor_element_in at = *in;
  at.node = seen;
  for (int column = 0; column < 3 * n; ++column) {
    const int what = column / n, node = column % n / 6, k = column % 6;
    if (!matrix[what] && !(what == BY_POSITION && out->Z)) continue;
    double r[2][n], phi_v[2][TORSOR_ELEMENT_ROWS] = {0};
    memset(r, 0, sizeof r);
    const double h = step_size(in->node[node], what, k, length);
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < e->nodes; ++i) moved[i] = *in->node[i];
      move(&moved[node], what, k, side ? -h : h);
      torsor_element_out result = {.r = r[side], .phi_v = phi_v[side]};
      const torsor_status status = e->type->eval(e->instance, &at, &result);
      if (status) return status;
    }
    add_column(matrix[what], r[0], r[1], n, n, column % n, 2 * h);
    if (what == BY_POSITION) add_column(out->Z, phi_v[0], phi_v[1], e->rows, n, column % n, 2 * h);
  }
  return out->L ? difference_reaction(e, in, out) : TORSOR_OK;
}

torsor_status assembly_eval(const assembly *a, int element, const torsor_element_in *in,
                            torsor_element_out *out) {
  const model_element *e = &a->model->element[element];
  torsor_element_out values = *out;
  if (e->type->tangents.numeric) values.M = values.C = values.K = values.Z = values.L = NULL;
  const double length = a->problem.length > 0 ? a->problem.length : 1; /* nothing has a size */
  torsor_status status = e->type->eval(e->instance, in, &values);
  if (!status && e->type->tangents.numeric) status = numeric_tangent(e, in, out, length);
  if (!status && a->ignores) assembly_clear_ignored(a, e, out);
  return status;
}
