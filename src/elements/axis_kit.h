/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_AXIS_KIT_H
#define TORSOR_ELEMENTS_AXIS_KIT_H

/** Joints with an axis: directions along and across it on both markers. */

#include <torsor/joint.h>

#define TWO_PI 6.283185307179586

typedef struct axis_pair {
  v3 axis, axis_b; /* the axis in the axes of marker a and of marker b */
  v3 e1, e2;       /* across it in a: (e1, e2, axis) right-handed */
  v3 f1, f2;       /* in b: where e1, e2 are when the markers agree up to the smallest rotation */
} axis_pair;

#define AXIS_PARAMS(type)                                                                          \
  {"axis",                                                                                         \
   TORSOR_PARAM_DIRECTION,                                                                         \
   offsetof(type, pair.axis),                                                                      \
   NULL,                                                                                           \
   "[0, 0, 1]",                                                                                    \
   "axis in the frame of marker a",                                                                \
   NULL,                                                                                           \
   0},                                                                                             \
  {                                                                                                \
    "axis_b", TORSOR_PARAM_DIRECTION, offsetof(type, pair.axis_b), NULL, TORSOR_OPTIONAL,          \
        "axis in the frame of marker b; default: where the axis of a is at the start", NULL, 0     \
  }

/** Axes of marker b in those of marker a at the start. */
static inline m3 axis_start(const torsor_joint *joint) {
  return m3_tmul(joint->a.R0, joint->b.R0);
}

/** The smallest rotation that takes `from` to `to` (unit vectors), applied to v across `from`. */
static inline v3 axis_carry(v3 from, v3 to, v3 v) {
  const double c = 1 + v3_dot(from, to);
  if (c < 1e-8) return v; /* opposite: half a turn about v itself */
  return v3_sub(v, v3_scale(v3_add(from, to), v3_dot(to, v) / c));
}

/** Fill what `axis` and `axis_b` (which may be absent, and is called `key`) leave open. */
static inline void axis_find(axis_pair *pair, torsor_joint *joint, const char *key) {
  if (torsor_absent_vector(pair->axis_b)) {
    pair->axis_b = m3_tmulv(axis_start(joint), pair->axis);
    joint->taken = key;
    joint->taken_angle =
        atan2(v3_norm(v3_cross(pair->axis, pair->axis_b)), v3_dot(pair->axis, pair->axis_b));
  }
  pair->e1 = v3_across(pair->axis);
  pair->e2 = v3_cross(pair->axis, pair->e1);
  pair->f1 = axis_carry(pair->axis, pair->axis_b, pair->e1);
  pair->f2 = v3_cross(pair->axis_b, pair->f1);
}

/** Records that the joint keeps the whole initial orientation of b. */
static inline void axis_hold(torsor_joint *joint) {
  joint->taken = "";
  joint->taken_angle = v3_norm(so3_log_matrix(axis_start(joint)));
}

/** Finds the axes of the pair so that the initial orientation of b relative to a satisfies the
 *  joint. */
static inline void axis_find_held(axis_pair *pair, const torsor_joint *joint) {
  const m3 R = axis_start(joint);
  pair->axis_b = m3_tmulv(R, pair->axis);
  pair->e1 = v3_across(pair->axis);
  pair->e2 = v3_cross(pair->axis, pair->e1);
  pair->f1 = m3_tmulv(R, pair->e1);
  pair->f2 = m3_tmulv(R, pair->e2);
}

/** Two rows from `row`: p stays on the axis. */
static inline void axis_keep_point(torsor_relative_out *out, int row, const axis_pair *pair,
                                   const torsor_relative_in *in) {
  torsor_block_along(out, row, pair->e1, 0, in);
  torsor_block_along(out, row + 1, pair->e2, 0, in);
}

/** Two rows from `row`: the axes are parallel. */
static inline void axis_keep_parallel(torsor_relative_out *out, int row, const axis_pair *pair,
                                      const torsor_relative_in *in) {
  torsor_block_cosine(out, row, pair->e1, pair->axis_b, in);
  torsor_block_cosine(out, row + 1, pair->e2, pair->axis_b, in);
}

#endif
