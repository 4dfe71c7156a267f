/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_H
#define TORSOR_LIE_H

/** Lie groups R^n, SO(3), R^3 x SO(3) and SE(3).
 *
 *  The same verbs for each: identity, compose, inverse, exp, log, hat, vee (matrix algebra), tan,
 *  taninv (T of exp and its inverse), dtan (D(T(v) w)), dtaninvT (D(T^-T(v) l)), ad, adjoint, plus
 *  (a exp(v)), minus (log(b^-1 a)).  All variations and velocities are left-invariant (body-fixed).
 *  Everything but torsor_group is static inline and passes values. */

#include <torsor/lie/types.h>
#include <torsor/lie/vec.h>
#include <torsor/lie/coefficients.h>
#include <torsor/lie/so3.h>
#include <torsor/lie/se3.h>
#include <torsor/lie/r3so3.h>
#include <torsor/lie/rn.h>

/* X(symbol, name in scenes, stored numbers nq, dimension nv) */
#define TORSOR_GROUP_LIST(X)                                                                       \
  X(R3, "R3", 3, 3)                                                                                \
  X(SO3, "SO3", 4, 3)                                                                              \
  X(R3SO3, "R3xSO3", 7, 6)                                                                         \
  X(SE3, "SE3", 7, 6)

/** Group of a node.  Stored as x (3), then quaternion w, x, y, z (4), whichever exist. */
typedef enum torsor_group {
#define TORSOR_GROUP_ENUM(symbol, name, nq, nv) TORSOR_GROUP_##symbol,
  TORSOR_GROUP_LIST(TORSOR_GROUP_ENUM)
#undef TORSOR_GROUP_ENUM
} torsor_group;

#endif
