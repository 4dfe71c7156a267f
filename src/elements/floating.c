/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/floating.h"

#include <string.h>

/* With r = R_F^T (x - x_F), E = R_F^T R R_0^T, theta = log E, and a frame F of velocity U and
 * angular velocity Omega, a = U' + Omega x U:
 *   r' = v - U - Omega x r                       v = Q U_i, c = Q (A_i + Omega_i x U_i)
 *   r'' = c - a - Omega' x r - 2 Omega x r' - Omega x (Omega x r)
 *   theta' = T^-1 w,  w = R_0 Omega_i - s,  s = E^T Omega
 *   theta'' = T^-1 w' + D(T^-1 w)[theta'],  w' = R_0 Omega_i' - E^T Omega' + w x s */

floating_frame floating_frame_of(const torsor_motion *m, se3 offset) {
  const m3 own = so3_matrix(offset.R);
  const v3 spin = m3_mulv(own, m->V.ang), faster = m3_mulv(own, m->A.ang);
  floating_frame F = {.R = m3_mul(m->R, m3_transpose(own))};
  F.x = v3_sub(m->x, m3_mulv(F.R, offset.x));
  F.V = (twist){v3_add(m3_mulv(own, m->V.lin), v3_cross(offset.x, spin)), spin};
  F.A = (twist){v3_add(m3_mulv(own, m->A.lin), v3_cross(offset.x, faster)), faster};
  return F;
}

torsor_status floating_find(floating_place *out, const floating_frame *F, const torsor_motion *m,
                            se3 undeformed, double largest) {
  floating_place *p = out;
  const twist V = F->V, A = F->A;
  p->own = so3_matrix(undeformed.R);
  p->Q = m3_tmul(F->R, m->R);
  p->E = m3_mul(p->Q, m3_transpose(p->own));
  p->turn = so3_log_matrix(p->E);
  if (!(v3_norm(p->turn) <= largest)) return TORSOR_DOMAIN;
  p->map = lie_map_taninv(v3_norm2(p->turn));
  p->T = so3_map(p->turn, p->map);
  p->r = m3_tmulv(F->R, v3_sub(m->x, F->x));
  p->u = v3_sub(p->r, undeformed.x);
  p->U = m->V;
  p->v = m3_mulv(p->Q, m->V.lin);
  p->c = m3_mulv(p->Q, v3_add(m->A.lin, v3_cross(m->V.ang, m->V.lin)));
  p->moving = v3_sub(v3_sub(p->v, V.lin), v3_cross(V.ang, p->r));
  v3 faster = v3_sub(p->c, v3_add(A.lin, v3_cross(V.ang, V.lin)));
  faster = v3_sub(faster, v3_cross(A.ang, p->r));
  faster = v3_sub(faster, v3_cross(V.ang, v3_axpy(2, p->moving, v3_cross(V.ang, p->r))));
  p->accelerating = faster;
  p->s = m3_tmulv(p->E, V.ang);
  p->ds = m3_tmulv(p->E, A.ang);
  p->w = v3_sub(m3_mulv(p->own, m->V.ang), p->s);
  p->dw = v3_add(v3_sub(m3_mulv(p->own, m->A.ang), p->ds), v3_cross(p->w, p->s));
  p->turning = m3_mulv(p->T, p->w);
  p->turning_faster =
      v3_add(m3_mulv(p->T, p->dw), m3_mulv(so3_map_gradient(p->turn, p->w, p->map), p->turning));
  return TORSOR_OK;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Matrices that all directions share. */
typedef struct gradients_of {
  const floating_place *p;
  const floating_frame *F;
  m3 along;  /* of D(T^-1 w)[theta'] by w */
  m3 of_w;   /* of T^-1 w by theta */
  m3 of_dw;  /* of T^-1 w' by theta */
  m3 second; /* of D(T^-1 w)[theta'] by theta */
} gradients_of;

static void put(double *matrix, int column, v3 lin, v3 ang) {
  const double value[6] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
  for (int i = 0; i < 6; ++i) matrix[12 * i + column] = value[i];
}

/* A displacement: F by (a, phi), the frame by `own`; dr and eta are what they change of r and of
 * the turn in its axes. */
static void by_displacement(floating_gradient *out, const gradients_of *g, int column, v3 dr,
                            v3 eta) {
  const floating_place *p = g->p;
  const v3 spin = g->F->V.ang, faster = g->F->A.ang;
  const v3 t = m3_mulv(p->E, eta), angle = m3_mulv(p->T, eta);
  put(out->u, column, dr, angle);
  const v3 moving = v3_sub(v3_cross(t, p->v), v3_cross(spin, dr));
  const v3 dw = v3_cross(eta, p->s);
  const v3 turning = v3_add(m3_mulv(g->of_w, angle), m3_mulv(p->T, dw));
  put(out->rate, column, moving, turning);
  v3 second = v3_sub(v3_cross(t, p->c), v3_cross(faster, dr));
  second = v3_sub(second, v3_cross(spin, v3_axpy(2, moving, v3_cross(spin, dr))));
  v3 ddw = v3_add(v3_cross(eta, p->ds), v3_cross(dw, p->s));
  ddw = v3_sub(ddw, v3_cross(p->w, v3_cross(eta, p->s)));
  v3 turn = v3_add(m3_mulv(g->of_dw, angle), m3_mulv(p->T, ddw));
  turn = v3_add(turn, v3_add(m3_mulv(g->second, angle), m3_mulv(g->along, dw)));
  put(out->second, column, second, v3_add(turn, m3_mulv(g->of_w, turning)));
}

/* A change of velocities: of F by V, of the frame by `own`. */
static void by_velocity(floating_gradient *out, const gradients_of *g, int column, twist V,
                        twist own) {
  const floating_place *p = g->p;
  const twist F = g->F->V;
  const v3 moving = v3_sub(v3_sub(m3_mulv(p->Q, own.lin), V.lin), v3_cross(V.ang, p->r));
  const v3 dc = m3_mulv(p->Q, v3_add(v3_cross(own.ang, p->U.lin), v3_cross(p->U.ang, own.lin)));
  const v3 da = v3_add(v3_cross(V.ang, F.lin), v3_cross(F.ang, V.lin));
  v3 second = v3_sub(v3_sub(dc, da), v3_scale(v3_cross(V.ang, p->moving), 2));
  second = v3_sub(second, v3_scale(v3_cross(F.ang, moving), 2));
  second = v3_sub(second, v3_cross(V.ang, v3_cross(F.ang, p->r)));
  second = v3_sub(second, v3_cross(F.ang, v3_cross(V.ang, p->r)));
  const v3 ds = m3_tmulv(p->E, V.ang), dw = v3_sub(m3_mulv(p->own, own.ang), ds);
  const v3 ddw = v3_add(v3_cross(dw, p->s), v3_cross(p->w, ds));
  const v3 turning = m3_mulv(p->T, dw);
  v3 turn = v3_add(m3_mulv(p->T, ddw), m3_mulv(g->along, dw));
  put(out->mixed, column, second, v3_add(turn, m3_mulv(g->of_w, turning)));
}

void floating_gradients(floating_gradient *out, const floating_place *p, const floating_frame *F) {
  const gradients_of g = {.p = p,
                          .F = F,
                          .along = so3_map_along(p->turn, p->turning, p->map),
                          .of_w = so3_map_gradient(p->turn, p->w, p->map),
                          .of_dw = so3_map_gradient(p->turn, p->dw, p->map),
                          .second = so3_map_gradient2(p->turn, p->turning, p->w, p->map)};
  for (int k = 0; k < 12; ++k) {
    const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    const bool lin = k % 6 < 3, of_F = k < 6;
    const twist x = lin ? (twist){axis, v3_zero()} : (twist){v3_zero(), axis};
    const twist V = of_F ? x : tw_zero(), own = of_F ? tw_zero() : x;
    const v3 dr = v3_sub(v3_sub(m3_mulv(p->Q, own.lin), V.lin), v3_cross(V.ang, p->r));
    const v3 eta = v3_sub(m3_mulv(p->own, own.ang), m3_tmulv(p->E, V.ang));
    by_displacement(out, &g, k, dr, eta);
    by_velocity(out, &g, k, V, own);
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

static void add_at(double *r, v3 f) {
  v3_store(r, v3_add(v3_load(r), f));
}

void floating_add_force(double *on_F, double *on_node, const floating_place *p, v3 f, v3 h) {
  const v3 own = m3_tmulv(p->T, h);
  add_at(on_node, m3_tmulv(p->Q, f));
  add_at(on_node + 3, m3_tmulv(p->own, own));
  add_at(on_F, v3_neg(f));
  add_at(on_F + 3, v3_neg(v3_add(v3_cross(p->r, f), m3_mulv(p->E, own))));
}

void floating_geometric(double out[144], const floating_place *p, v3 f, v3 h) {
  const m3 G = so3_map_gradient(p->turn, h, lie_map_transpose(p->map));
  const v3 l = m3_tmulv(p->T, h);
  for (int k = 0; k < 12; ++k) {
    const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    const bool lin = k % 6 < 3, of_F = k < 6;
    const v3 a = lin ? axis : v3_zero(), turned = lin ? v3_zero() : axis;
    const v3 dr = of_F ? v3_neg(v3_add(a, v3_cross(turned, p->r))) : m3_mulv(p->Q, a);
    const v3 eta = of_F ? v3_neg(m3_tmulv(p->E, turned)) : m3_mulv(p->own, turned);
    const v3 t = m3_mulv(p->E, eta), dl = m3_mulv(G, m3_mulv(p->T, eta));
    const v3 own = m3_mulv(p->E, v3_add(dl, v3_cross(eta, l)));
    double column[12] = {0};
    v3_store(column + 3, v3_neg(v3_add(v3_cross(dr, f), own)));
    v3_store(column + 6, v3_neg(m3_tmulv(p->Q, v3_cross(t, f))));
    v3_store(column + 9, m3_tmulv(p->own, dl));
    for (int i = 0; i < 12; ++i) out[12 * i + k] += column[i];
  }
}
