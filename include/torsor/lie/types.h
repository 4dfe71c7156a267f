/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_TYPES_H
#define TORSOR_LIE_TYPES_H

/** Value types of the Lie groups.  Everything is passed and returned by value. */

typedef struct v3 {
  double x, y, z;
} v3;

/** 3x3 matrix, row-major: m[row][column]. */
typedef struct m3 {
  double m[3][3];
} m3;

/** Rotation: unit quaternion w + xi + yj + zk that takes body axes to inertial axes. */
typedef struct so3 {
  double w, x, y, z;
} so3;

/** Frame of SE(3) or R3xSO(3): rotation and position (m). */
typedef struct se3 {
  so3 R;
  v3 x;
} se3;
typedef se3 r3so3;

/** Element of se(3) as (translation, rotation), or a wrench as (force, moment). */
typedef struct twist {
  v3 lin, ang;
} twist;

/** 6x6 matrix acting on twists (translation first), row-major. */
typedef struct m6 {
  double m[6][6];
} m6;

#endif
