/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_SHAPE_H
#define TORSOR_ELEMENTS_SHELL_SHAPE_H

/** The vectors of which the strains of a shell element are made, see shell.h. */

#include "elements/shell.h"

/** N_i at Gauss point g: (1 + 1/sqrt 3)^2/4, 1/6 and (1 - 1/sqrt 3)^2/4. */
#define SHELL_NEAR 0.62200846792814621
#define SHELL_FAR  0.044658198738520442
static const double shell_at_gauss[4][SHELL_NODES] = {{SHELL_NEAR, 1.0 / 6, SHELL_FAR, 1.0 / 6},
                                                      {1.0 / 6, SHELL_NEAR, 1.0 / 6, SHELL_FAR},
                                                      {SHELL_FAR, 1.0 / 6, SHELL_NEAR, 1.0 / 6},
                                                      {1.0 / 6, SHELL_FAR, 1.0 / 6, SHELL_NEAR}};

/** Directions of the corners, inertial axes. */
typedef struct shell_directions {
  v3 t[SHELL_NODES], first[SHELL_NODES], second[SHELL_NODES];
} shell_directions;

/** Either the shape or its rate: all members are linear in the motions of the nodes. */
typedef struct shell_shape {
  shell_directions corner;
  v3 x[3];                   /* a, b, h */
  v3 t[4];                   /* t_0 to t_3 */
  v3 along_1[4], along_2[4]; /* derivatives of x along a_1 and a_2 at the Gauss points */
  v3 axis_1[4], axis_2[4];   /* a_1, a_2 there */
} shell_shape;

/** The sums over nodes of v_i, xi_i v_i, eta_i v_i and xi_i eta_i v_i, over 4. */
static inline void shell_modes(v3 out[4], const v3 v[SHELL_NODES]) {
  const v3 p = v3_add(v[0], v[2]), q = v3_add(v[1], v[3]);
  const v3 r = v3_sub(v[2], v[0]), s = v3_sub(v[1], v[3]);
  out[0] = v3_scale(v3_add(p, q), 0.25);
  out[1] = v3_scale(v3_add(r, s), 0.25);
  out[2] = v3_scale(v3_sub(r, s), 0.25);
  out[3] = v3_scale(v3_sub(p, q), 0.25);
}

/** The bilinear field of these sums at Gauss point g. */
static inline v3 shell_at(const v3 mode[4], int g) {
  const double xi = SHELL_GAUSS * shell_xi[g], eta = SHELL_GAUSS * shell_eta[g];
  return v3_axpy(xi, v3_axpy(eta, mode[3], mode[1]), v3_axpy(eta, mode[2], mode[0]));
}

/** Everything else of positions x and of the directions, which are there. */
static inline void shell_complete(shell_shape *s, const shell_constants *c,
                                  const v3 x[SHELL_NODES]) {
  v3 mode[4], first[4], second[4];
  shell_modes(mode, x);
  for (int m = 0; m < 3; ++m) s->x[m] = mode[m + 1];
  shell_modes(s->t, s->corner.t);
  shell_modes(first, s->corner.first);
  shell_modes(second, s->corner.second);
  for (int g = 0; g < 4; ++g) {
    const v3 d1 = v3_axpy(SHELL_GAUSS * shell_eta[g], s->x[2], s->x[0]);
    const v3 d2 = v3_axpy(SHELL_GAUSS * shell_xi[g], s->x[2], s->x[1]);
    s->along_1[g] = v3_axpy(c->slope[g][0][0], d1, v3_scale(d2, c->slope[g][0][1]));
    s->along_2[g] = v3_axpy(c->slope[g][1][0], d1, v3_scale(d2, c->slope[g][1][1]));
    s->axis_1[g] = shell_at(first, g);
    s->axis_2[g] = shell_at(second, g);
  }
}

/** The shape of nodes at x with the axes R. */
static inline void shell_find_shape(shell_shape *s, const shell_constants *c,
                                    const v3 x[SHELL_NODES], const m3 *const R[SHELL_NODES]) {
  for (int i = 0; i < SHELL_NODES; ++i) {
    s->corner.t[i] = m3_mulv(*R[i], c->corner[i].normal);
    s->corner.first[i] = m3_mulv(*R[i], c->corner[i].first);
    s->corner.second[i] = m3_mulv(*R[i], c->corner[i].second);
  }
  shell_complete(s, c, x);
}

/** The shape that moves as the nodes do. */
static inline void shell_move(shell_shape *s, const shell_constants *c,
                              const torsor_element_in *in) {
  v3 x[SHELL_NODES];
  const m3 *R[SHELL_NODES];
  for (int i = 0; i < SHELL_NODES; ++i) {
    x[i] = v3_sub(in->node[i]->x, in->node[0]->x);
    R[i] = &in->node[i]->R;
  }
  shell_find_shape(s, c, x, R);
}

/** Its rate, from the shape. */
static inline void shell_find_rate(shell_shape *rate, const shell_shape *s,
                                   const shell_constants *c, const torsor_element_in *in) {
  v3 x[SHELL_NODES];
  for (int i = 0; i < SHELL_NODES; ++i) {
    const torsor_motion *node = in->node[i];
    const v3 spin = m3_mulv(node->R, node->V.ang);
    x[i] = m3_mulv(node->R, node->V.lin);
    rate->corner.t[i] = v3_cross(spin, s->corner.t[i]);
    rate->corner.first[i] = v3_cross(spin, s->corner.first[i]);
    rate->corner.second[i] = v3_cross(spin, s->corner.second[i]);
  }
  shell_complete(rate, c, x);
}

/** The symmetric bilinear form of the strains: their products are half of it with u = v, their rate
 *  is it with the shape u and its rate v. */
static inline void shell_form(double out[SHELL_STRAINS], const shell_shape *u,
                              const shell_shape *v) {
  const v3 a = u->x[0], b = u->x[1], h = u->x[2], A = v->x[0], B = v->x[1], H = v->x[2];
  const v3 *const t = u->t, *const T = v->t;
  out[0] = v3_dot(a, A);
  out[1] = v3_dot(b, B);
  out[2] = v3_dot(a, B) + v3_dot(A, b);
  out[3] = v3_dot(a, H) + v3_dot(A, h);
  out[4] = v3_dot(b, H) + v3_dot(B, h);
  out[5] = v3_dot(h, H);
  out[6] = v3_dot(a, T[1]) + v3_dot(A, t[1]);
  out[7] = v3_dot(b, T[2]) + v3_dot(B, t[2]);
  out[8] = v3_dot(a, T[2]) + v3_dot(A, t[2]) + v3_dot(b, T[1]) + v3_dot(B, t[1]);
  out[9] = v3_dot(a, T[3]) + v3_dot(A, t[3]) + v3_dot(h, T[1]) + v3_dot(H, t[1]);
  out[10] = v3_dot(b, T[3]) + v3_dot(B, t[3]) + v3_dot(h, T[2]) + v3_dot(H, t[2]);
  out[11] = v3_dot(h, T[3]) + v3_dot(H, t[3]);
  for (int k = 0; k < 4; ++k) {
    const double sign = k % 2 ? 1 : -1;
    const int side = k / 2, mode = 2 - side;
    const v3 d = v3_axpy(sign, h, u->x[side]), D = v3_axpy(sign, H, v->x[side]);
    out[SHELL_SHEAR + k] =
        v3_dot(d, v3_axpy(sign, T[mode], T[0])) + v3_dot(D, v3_axpy(sign, t[mode], t[0]));
  }
  for (int g = 0; g < 4; ++g)
    out[SHELL_DRILL + g] =
        (v3_dot(u->along_1[g], v->axis_2[g]) + v3_dot(v->along_1[g], u->axis_2[g]) -
         v3_dot(u->along_2[g], v->axis_1[g]) - v3_dot(v->along_2[g], u->axis_1[g])) /
        2;
}

/** Strains of a shape. */
static inline void shell_strains(double out[SHELL_STRAINS], const shell_constants *c,
                                 const shell_shape *s) {
  shell_form(out, s, s);
  for (int k = 0; k < SHELL_STRAINS; ++k) out[k] = out[k] / 2 - c->reference[k];
}

/** stress += constants strain. */
static inline void shell_stresses(double stress[SHELL_STRAINS], const shell_constants *c,
                                  const double strain[SHELL_STRAINS]) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      stress[i] += c->plane[i][j] * strain[j];
      stress[6 + i] += c->plane[6 + i][6 + j] * strain[6 + j];
    }
  for (int i = 0; i < 6 && c->coupled; ++i)
    for (int j = 0; j < 6; ++j) {
      stress[i] += c->plane[i][6 + j] * strain[6 + j];
      stress[6 + i] += c->plane[6 + i][j] * strain[j];
    }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) stress[SHELL_SHEAR + i] += c->shear[i][j] * strain[SHELL_SHEAR + j];
    stress[SHELL_DRILL + i] += c->drill[i] * strain[SHELL_DRILL + i];
  }
}

#endif
