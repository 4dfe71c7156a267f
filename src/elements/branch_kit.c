/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/branch_kit.h"

/* Directions that agree have the cosine 1; in other positions where rows vanish it is 0 or -1. */
#define HALFWAY 0.5

static m3 marker_axes(const torsor_marker *marker, const torsor_element_in *in, int side) {
  return side < 0 ? marker->R0 : m3_mul(in->node[side]->R, marker->R);
}

void branch_axes(m3 *Ra, m3 *Rb, const torsor_joint *joint, const torsor_element_in *in) {
  *Ra = marker_axes(&joint->a, in, joint->side_a);
  *Rb = marker_axes(&joint->b, in, joint->side_b);
}

/* A direction of a marker in inertial axes. */
static v3 direction(const torsor_marker *marker, const torsor_element_in *in, int side, v3 d) {
  return side < 0 ? m3_mulv(marker->R0, d) : m3_mulv(in->node[side]->R, m3_mulv(marker->R, d));
}

m3 branch_smallest(v3 from, v3 to) {
  const v3 level = v3_cross(from, to);
  const double s = v3_norm(level), angle = atan2(s, v3_dot(from, to));
  return so3_rodrigues(v3_scale(s > 0 ? v3_scale(level, 1 / s) : v3_across(from), angle));
}

const char *branch_direction(const torsor_joint *joint, const torsor_element_in *in, v3 a, v3 b,
                             m3 *turn) {
  const v3 now_a = direction(&joint->a, in, joint->side_a, a),
           now_b = direction(&joint->b, in, joint->side_b, b);
  if (v3_dot(now_a, now_b) > HALFWAY) return NULL;
  if (turn) {
    m3 Ra, Rb;
    branch_axes(&Ra, &Rb, joint, in);
    *turn = branch_smallest(b, m3_tmulv(Rb, now_a));
  }
  return "its two axes do not point the same way: that of marker b is opposite to that of marker a";
}

const char *branch_frame(const torsor_joint *joint, const torsor_element_in *in, const v3 a[3],
                         const v3 b[3], m3 *turn) {
  m3 Ra, Rb;
  branch_axes(&Ra, &Rb, joint, in);
  const m3 R = m3_tmul(Ra, Rb);
  bool agree = true;
  m3 meant = m3_zero(); /* the R that is meant takes b[i] to a[i] */
  for (int i = 0; i < 3; ++i) {
    agree &= v3_dot(a[i], m3_mulv(R, b[i])) > HALFWAY;
    meant = m3_add(meant, m3_outer(a[i], b[i]));
  }
  if (agree) return NULL;
  if (turn) *turn = m3_tmul(R, meant);
  return "its markers are turned against each other by 180 or 120 degrees from where they agree";
}
