/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_TURN_KIT_H
#define TORSOR_ELEMENTS_TURN_KIT_H

/** Three numbers y that measure how far marker b is turned against marker a, for bushings, and
 *  their rates y' = S Omega with the relative angular velocity Omega in the axes of b. */

#include <torsor/joint.h>

typedef enum turn_measure {
  TURN_VECTOR, /* rotation vector log R: any stiffness, up to TURN_LARGEST */
  /** No stiffness about one axis of a: the smallest rotation that moves this axis to its position,
   *  up to TURN_LARGEST; the rotation about the axis has the value 0 but a rate. */
  TURN_AXLE,
  TURN_FREE /* no stiffness at all: rates about the axes of a, values 0 */
} turn_measure;

/** Rotation vectors jump at pi.  The gap, 0.68 rad wide, is one that no sensible step skips. */
#define TURN_LARGEST 2.8

typedef struct turn_state {
  v3 y;
  m3 S;
  m3 G[3]; /* row i of S changes by (G[i] theta)^T along a turn theta of b */
} turn_state;

/** False beyond the range.  `axis`: 0, 1 or 2, the free one of TURN_AXLE.  `second`: is G
 *  wanted? */
bool turn_find(turn_state *out, turn_measure measure, int axis, const m3 *R, bool second);

/** Angle of b against a about the axis n, swing and twist: 2 atan2(n.v, w) with the quaternion (w,
 *  v) of R, which a turn theta of b changes by -v.theta/2 and (w theta + v x theta)/2. */
void turn_spin(torsor_coordinate_out *out, v3 n, const m3 *R);

#endif
