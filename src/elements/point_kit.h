/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_POINT_KIT_H
#define TORSOR_ELEMENTS_POINT_KIT_H

/** Joints at whose markers two points coincide, evaluated directly from the motions of their
 *  bodies for speed.  The ground counts as a body at rest. */

#include <torsor/joint.h>

/** Places and axes from which rows and wrenches follow. */
typedef struct point_state {
  const torsor_motion *a, *b; /* NULL = ground */
  const m3 *axes;             /* of marker a, in body a; NULL: the same */
  m3 G;                       /* axes of body a in body b */
  v3 xb;                      /* marker b in body b */
  v3 s;                       /* marker b in body a */
  v3 p;                       /* the same from marker a and in its axes */
} point_state;

static inline v3 point_to_marker(const point_state *o, v3 x) {
  return o->axes ? m3_tmulv(*o->axes, x) : x;
}

static inline v3 point_from_marker(const point_state *o, v3 x) {
  return o->axes ? m3_mulv(*o->axes, x) : x;
}

/** Are the axes of marker a others than those of its body? */
static inline bool point_is_turned(const torsor_joint *joint) {
  const m3 R = joint->a.node == TORSOR_GROUND ? joint->a.R0 : joint->a.R, I = m3_identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (R.m[i][j] < I.m[i][j] || R.m[i][j] > I.m[i][j]) return true;
  return false;
}

/** All but G. */
static inline void point_find(point_state *o, const torsor_joint *joint, bool turned,
                              const torsor_element_in *in) {
  o->a = joint->side_a < 0 ? NULL : in->node[joint->side_a];
  o->b = joint->side_b < 0 ? NULL : in->node[joint->side_b];
  o->axes = !turned ? NULL : o->a ? &joint->a.R : &joint->a.R0;
  o->xb = o->b ? joint->b.x : joint->b.x0;
  const v3 point = o->b ? v3_add(o->b->x, m3_mulv(o->b->R, o->xb)) : o->xb;
  o->s = o->a ? m3_tmulv(o->a->R, v3_sub(point, o->a->x)) : point;
  o->p = point_to_marker(o, v3_sub(o->s, o->a ? joint->a.x : joint->a.x0));
}

static inline void point_find_turn(point_state *o) {
  const m3 Ra = o->a ? o->a->R : m3_identity();
  o->G = o->b ? m3_tmul(o->b->R, Ra) : Ra;
}

static inline void point_add_block(double *out, int n, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i * n + j] += block.m[i][j];
}

/** Rows of s' in marker a's axes. */
static inline void point_add_gradient(double *B, int n, const torsor_joint *joint,
                                      const point_state *o) {
  if (o->b) {
    const m3 back = m3_transpose(o->G), turn = o->axes ? m3_tmul(*o->axes, back) : back;
    point_add_block(B + 6 * joint->side_b, n, turn);
    point_add_block(B + 6 * joint->side_b + 3, n, m3_scale(m3_mul_skew(turn, o->xb), -1));
  }
  if (o->a) {
    const m3 turn = o->axes ? m3_transpose(*o->axes) : m3_identity();
    point_add_block(B + 6 * joint->side_a, n, m3_scale(turn, -1));
    point_add_block(B + 6 * joint->side_a + 3, n, m3_mul_skew(turn, o->s));
  }
}

/** The force J^T lambda of rows 0..2, g in the axes of body a and f in those of body b. */
static inline void point_find_force(v3 *g, v3 *f, const point_state *o, const double *lambda) {
  *g = point_from_marker(o, v3_load(lambda));
  const v3 force = o->a ? m3_mulv(o->a->R, *g) : *g;
  *f = o->b ? m3_tmulv(o->b->R, force) : force;
}

static inline void point_add_wrench(double *r, v3 force, v3 at, double sign) {
  const v3 moment = v3_cross(at, force);
  r[0] += sign * force.x, r[1] += sign * force.y, r[2] += sign * force.z;
  r[3] += sign * moment.x, r[4] += sign * moment.y, r[5] += sign * moment.z;
}

/** Adds it to the residual. */
static inline void point_add_force(double *r, const torsor_joint *joint, const point_state *o, v3 g,
                                   v3 f) {
  if (o->b) point_add_wrench(r + 6 * joint->side_b, f, o->xb, 1);
  if (o->a) point_add_wrench(r + 6 * joint->side_a, g, o->s, -1);
}

/** s' = s x Omega_a - U_a + G^T (U_b + Omega_b x xb), in marker a's axes. */
static inline v3 point_rate(const point_state *o) {
  v3 sum = v3_zero();
  if (o->b) {
    const twist V = o->b->V;
    const v3 velocity = m3_mulv(o->b->R, v3_add(V.lin, v3_cross(V.ang, o->xb)));
    sum = o->a ? m3_tmulv(o->a->R, velocity) : velocity;
  }
  if (o->a) sum = v3_add(sum, v3_sub(v3_cross(o->s, o->a->V.ang), o->a->V.lin));
  return point_to_marker(o, sum);
}

/** s'' without what is linear in V', in marker a's axes: with u = U_b + Omega_b x xb and s' = s x
 *  Omega_a - U_a + G^T u it is s' x Omega_a - Omega_a x G^T u + G^T (Omega_b x u). */
static inline v3 point_rate_rest(const point_state *o) {
  v3 sum = v3_zero(), moved = v3_zero();
  if (o->b) {
    const twist V = o->b->V;
    const v3 u = v3_add(V.lin, v3_cross(V.ang, o->xb));
    moved = m3_tmulv(o->G, u);
    sum = m3_tmulv(o->G, v3_cross(V.ang, u));
  }
  if (o->a) {
    const v3 W = o->a->V.ang, rate = v3_add(moved, v3_sub(v3_cross(o->s, W), o->a->V.lin));
    sum = v3_add(sum, v3_cross(v3_add(rate, moved), W));
  }
  return point_to_marker(o, sum);
}

/** Do evaluations ask for accelerations only: B, phi_a, and no force of a multiplier? */
static inline bool point_wants_accelerations(const torsor_element_in *in,
                                             const torsor_element_out *out, int rows) {
  if (!out->phi_a || out->phi || out->phi_v || out->K || out->Z) return false;
  for (int i = 0; out->r && in->lambda && i < rows; ++i)
    if (fabs(in->lambda[i]) > 0) return false;
  return true;
}

/** Adds rows 0..2 of B and phi_a; `o` then has G as well. */
static inline void point_accelerate(point_state *o, torsor_element_out *out,
                                    const torsor_joint *joint, int n) {
  point_find_turn(o);
  v3_store(out->phi_a, v3_add(v3_load(out->phi_a), point_rate_rest(o)));
  if (out->B) point_add_gradient(out->B, n, joint, o);
}

#endif
