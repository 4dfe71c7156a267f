/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_force.h"

#include <string.h>

/* ---- forces ---------------------------------------------------------------------------------- */

/* The part of the drilling stresses in the levers: coefficients of the in-plane axes of each node.
 */
static void drill_coefficients(double first[3][SHELL_NODES], double second[3][SHELL_NODES],
                               const shell_constants *c, const double drill[4]) {
  memset(first, 0, 3 * sizeof *first);
  memset(second, 0, 3 * sizeof *second);
  for (int g = 0; g < 4; ++g) {
    const double(*J)[2] = c->slope[g], half = drill[g] / 2;
    const double xi = SHELL_GAUSS * shell_xi[g], eta = SHELL_GAUSS * shell_eta[g];
    const double one[3] = {half * J[0][0], half * J[0][1], half * (eta * J[0][0] + xi * J[0][1])};
    const double two[3] = {half * J[1][0], half * J[1][1], half * (eta * J[1][0] + xi * J[1][1])};
    for (int m = 0; m < 3; ++m)
      for (int i = 0; i < SHELL_NODES; ++i) {
        second[m][i] += shell_at_gauss[g][i] * one[m];
        first[m][i] -= shell_at_gauss[g][i] * two[m];
      }
  }
}

static void find_levers(shell_state *s, const shell_constants *c) {
  const double *k = s->stress + SHELL_BENDING, *q = s->stress + SHELL_SHEAR;
  const double T[3][4] = {
      {q[0] + q[1], k[0], k[2] - q[0] + q[1], k[3]},
      {q[2] + q[3], k[2] - q[2] + q[3], k[1], k[4]},
      {q[1] - q[0] + q[3] - q[2], k[3] + q[2] + q[3], k[4] + q[0] + q[1], k[5]}};
  const shell_directions *d = &s->shape.corner;
  double first[3][SHELL_NODES], second[3][SHELL_NODES];
  drill_coefficients(first, second, c, s->stress + SHELL_DRILL);
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < SHELL_NODES; ++i) {
      const double xi = shell_xi[i], eta = shell_eta[i];
      const double normal = (T[m][0] + xi * T[m][1] + eta * T[m][2] + xi * eta * T[m][3]) / 4;
      s->lever[m][i] = v3_axpy(
          normal, d->t[i], v3_axpy(first[m][i], d->first[i], v3_scale(d->second[i], second[m][i])));
    }
}

/* Membrane stresses as a matrix over a, b, h. */
static void membrane_matrix(double S[3][3], const double n[6]) {
  S[0][0] = n[0], S[1][1] = n[1], S[2][2] = n[5];
  S[0][1] = S[1][0] = n[2];
  S[0][2] = S[2][0] = n[3];
  S[1][2] = S[2][1] = n[4];
}

static void find_forces(shell_state *s) {
  const v3 *x = s->shape.x;
  double S[3][3];
  membrane_matrix(S, s->stress);
  for (int m = 0; m < 3; ++m) {
    v3 f = v3_axpy(S[m][0], x[0], v3_axpy(S[m][1], x[1], v3_scale(x[2], S[m][2])));
    for (int i = 0; i < SHELL_NODES; ++i) f = v3_add(f, s->lever[m][i]);
    s->force[m] = f;
  }
  for (int i = 0; i < SHELL_NODES; ++i) {
    const double xi = shell_xi[i], eta = shell_eta[i];
    const v3 f =
        v3_axpy(xi, s->force[0], v3_axpy(eta, s->force[1], v3_scale(s->force[2], xi * eta)));
    s->on[i] = v3_scale(f, 0.25);
  }
}

void shell_find_state(shell_state *s, const shell_element_data *e, const torsor_element_in *in) {
  shell_move(&s->shape, e->constants, in);
  if (in->stress) {
    memcpy(s->stress, in->stress, sizeof s->stress);
  } else {
    double strain[SHELL_STRAINS];
    memset(s->stress, 0, sizeof s->stress);
    shell_strains(strain, e->constants, &s->shape);
    shell_stresses(s->stress, e->constants, strain);
  }
  find_levers(s, e->constants);
  find_forces(s);
}

v3 shell_moment(const shell_state *s, int i) {
  v3 sum = v3_cross(s->lever[0][i], s->shape.x[0]);
  for (int m = 1; m < 3; ++m) sum = v3_add(sum, v3_cross(s->lever[m][i], s->shape.x[m]));
  return sum;
}

/* ---- stiffness ------------------------------------------------------------------------------- */

/* Columns of the matrices below: a, b, h in inertial axes and three of padding, then the rotations
 * of the nodes in their own axes. */
enum { TURNS = 12, COLUMNS = TURNS + 3 * SHELL_NODES };

typedef struct rows {
  double row[SHELL_STRAINS][COLUMNS];
} rows;

static void put(rows *B, int k, int m, v3 v) {
  v3_store(&B->row[k][3 * m], v);
}

static void membrane_rows(rows *B, const v3 x[3]) {
  static const int first[6] = {0, 1, 0, 0, 1, 2}, second[6] = {0, 1, 1, 2, 2, 2};
  for (int k = 0; k < 6; ++k) {
    put(B, k, first[k], x[second[k]]);
    put(B, k, second[k], x[first[k]]);
  }
}

/* By a, b, h. */
static void bending_columns(rows *B, const v3 t[4]) {
  put(B, 6, 0, t[1]);
  put(B, 7, 1, t[2]);
  put(B, 8, 0, t[2]), put(B, 8, 1, t[1]);
  put(B, 9, 0, t[3]), put(B, 9, 2, t[1]);
  put(B, 10, 1, t[3]), put(B, 10, 2, t[2]);
  put(B, 11, 2, t[3]);
  for (int k = 0; k < 4; ++k) {
    const double sign = k % 2 ? 1 : -1;
    const v3 normal = v3_axpy(sign, t[2 - k / 2], t[0]);
    put(B, SHELL_SHEAR + k, k / 2, normal);
    put(B, SHELL_SHEAR + k, 2, v3_scale(normal, sign));
  }
}

/* By the rotation of node i: n_i x R_i^T q, q the derivative by the normal. */
static void bending_turns(rows *B, const shell_element_data *e, const m3 *R, const v3 x[3], int i) {
  const double xi = shell_xi[i] / 4, eta = shell_eta[i] / 4, both = shell_xi[i] * shell_eta[i] / 4;
  const int turn = TURNS / 3 + i;
  v3 c[3];
  for (int m = 0; m < 3; ++m) c[m] = v3_cross(e->constants->corner[i].normal, m3_tmulv(*R, x[m]));
  put(B, 6, turn, v3_scale(c[0], xi));
  put(B, 7, turn, v3_scale(c[1], eta));
  put(B, 8, turn, v3_axpy(eta, c[0], v3_scale(c[1], xi)));
  put(B, 9, turn, v3_axpy(both, c[0], v3_scale(c[2], xi)));
  put(B, 10, turn, v3_axpy(both, c[1], v3_scale(c[2], eta)));
  put(B, 11, turn, v3_scale(c[2], both));
  for (int side = 0; side < 2; ++side) { /* the edges that the node is on */
    const double sign = side ? shell_xi[i] : shell_eta[i];
    const int k = SHELL_SHEAR + 2 * side + (sign > 0);
    put(B, k, turn, v3_scale(v3_axpy(sign, c[2], c[side]), 0.5));
  }
}

static void drill_rows(rows *B, const shell_state *s, const shell_constants *c,
                       const torsor_element_in *in) {
  const shell_shape *u = &s->shape;
  for (int g = 0; g < 4; ++g) {
    const double(*J)[2] = c->slope[g];
    const double xi = SHELL_GAUSS * shell_xi[g], eta = SHELL_GAUSS * shell_eta[g];
    const int k = SHELL_DRILL + g;
    const v3 half_1 = v3_scale(u->axis_1[g], -0.5), half_2 = v3_scale(u->axis_2[g], 0.5);
    const v3 of_1 = v3_axpy(J[0][0], half_2, v3_scale(half_1, J[1][0]));
    const v3 of_2 = v3_axpy(J[0][1], half_2, v3_scale(half_1, J[1][1]));
    put(B, k, 0, of_1);
    put(B, k, 1, of_2);
    put(B, k, 2, v3_axpy(eta, of_1, v3_scale(of_2, xi)));
    for (int i = 0; i < SHELL_NODES; ++i) {
      const v3 by = v3_sub(v3_cross(u->corner.second[i], u->along_1[g]),
                           v3_cross(u->corner.first[i], u->along_2[g]));
      put(B, k, TURNS / 3 + i, v3_scale(m3_tmulv(in->node[i]->R, by), shell_at_gauss[g][i] / 2));
    }
  }
}

static void add_scaled(double *restrict out, double c, const double *restrict row) {
  for (int j = 0; j < COLUMNS; ++j) out[j] += c * row[j];
}

/* out = constants B. */
static void response(rows *out, const shell_constants *c, const rows *B) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < SHELL_PLANE; ++i)
    for (int j = 0; j < SHELL_PLANE; ++j)
      if (c->plane[i][j] != 0) add_scaled(out->row[i], c->plane[i][j], B->row[j]);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      add_scaled(out->row[SHELL_SHEAR + i], c->shear[i][j], B->row[SHELL_SHEAR + j]);
    add_scaled(out->row[SHELL_DRILL + i], c->drill[i], B->row[SHELL_DRILL + i]);
  }
}

typedef struct reduced {
  double K[COLUMNS][COLUMNS];
} reduced;

/* B^T constants B. */
static void material(reduced *out, const shell_constants *c, const rows *B) {
  rows CB;
  response(&CB, c, B);
  for (int i = 0; i < COLUMNS; ++i) {
    double *sum = out->K[i];
    memset(sum, 0, sizeof out->K[i]);
    if (i >= 9 && i < TURNS) continue;
    for (int k = i < TURNS ? 0 : SHELL_BENDING; k < SHELL_STRAINS; ++k)
      add_scaled(sum, B->row[k][i], CB.row[k]);
  }
}

static void add_3(double *K, int ld, int row, int column, double scale, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[(row + i) * ld + column + j] += scale * block.m[i][j];
}

/* The change of the forces at constant stresses. */
static void geometric(reduced *out, const shell_state *s, const torsor_element_in *in) {
  const v3 *x = s->shape.x;
  double S[3][3], *K = &out->K[0][0];
  membrane_matrix(S, s->stress);
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 3; ++n)
      for (int d = 0; d < 3; ++d) out->K[3 * m + d][3 * n + d] += S[m][n];
  for (int i = 0; i < SHELL_NODES; ++i) {
    const m3 R = in->node[i]->R;
    const int turn = TURNS + 3 * i;
    for (int m = 0; m < 3; ++m) {
      const v3 lever = s->lever[m][i], own = m3_tmulv(R, lever), place = m3_tmulv(R, x[m]);
      const m3 block = m3_skew_mul(lever, R);
      add_3(K, COLUMNS, 3 * m, turn, -1, block);
      add_3(K, COLUMNS, turn, 3 * m, -1, m3_transpose(block));
      add_3(K, COLUMNS, turn, turn, 1, m3_outer(place, own));
      for (int d = 0; d < 3; ++d) out->K[turn + d][turn + d] -= v3_dot(x[m], lever);
    }
  }
}

/* From a, b, h to the positions of the nodes, and to their axes. */
static m3 reduced_block(const reduced *k, int row, int column) {
  m3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.m[i][j] = k->K[row + i][column + j];
  return out;
}

static m3 combine(const m3 block[3], int i) {
  const double xi = shell_xi[i] / 4, eta = shell_eta[i] / 4, both = shell_xi[i] * shell_eta[i] / 4;
  return m3_axpy(xi, block[0], m3_axpy(eta, block[1], m3_scale(block[2], both)));
}

static void scatter_positions(double *K, const reduced *k, const torsor_element_in *in) {
  for (int j = 0; j < SHELL_NODES; ++j) {
    m3 column[3];
    for (int m = 0; m < 3; ++m) {
      m3 row[3];
      for (int n = 0; n < 3; ++n) row[n] = reduced_block(k, 3 * m, 3 * n);
      column[m] = m3_mul(combine(row, j), in->node[j]->R);
    }
    for (int i = 0; i <= j; ++i) {
      const m3 block = m3_tmul(in->node[i]->R, combine(column, i));
      add_3(K, SHELL_DOFS, 6 * i, 6 * j, 1, block);
      if (i < j) add_3(K, SHELL_DOFS, 6 * j, 6 * i, 1, m3_transpose(block));
    }
  }
}

static void scatter_turns(double *K, const reduced *k, const torsor_element_in *in) {
  for (int j = 0; j < SHELL_NODES; ++j) {
    m3 column[3];
    for (int m = 0; m < 3; ++m) column[m] = reduced_block(k, 3 * m, TURNS + 3 * j);
    for (int i = 0; i < SHELL_NODES; ++i) {
      const m3 block = m3_tmul(in->node[i]->R, combine(column, i));
      add_3(K, SHELL_DOFS, 6 * i, 6 * j + 3, 1, block);
      add_3(K, SHELL_DOFS, 6 * j + 3, 6 * i, 1, m3_transpose(block));
      add_3(K, SHELL_DOFS, 6 * i + 3, 6 * j + 3, 1, reduced_block(k, TURNS + 3 * i, TURNS + 3 * j));
    }
  }
}

void shell_add_stiffness(double *K, const shell_state *s, const shell_element_data *e,
                         const torsor_element_in *in) {
  rows B;
  reduced k;
  memset(&B, 0, sizeof B);
  membrane_rows(&B, s->shape.x);
  bending_columns(&B, s->shape.t);
  for (int i = 0; i < SHELL_NODES; ++i) bending_turns(&B, e, &in->node[i]->R, s->shape.x, i);
  drill_rows(&B, s, e->constants, in);
  material(&k, e->constants, &B);
  geometric(&k, s, in);
  scatter_positions(K, &k, in);
  scatter_turns(K, &k, in);
}
