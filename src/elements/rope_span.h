/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_ROPE_SPAN_H
#define TORSOR_ELEMENTS_ROPE_SPAN_H

/** The free part of a rope between two sheaves, or between points: where it leaves one and arrives
 *  at the other. */

#include <stdbool.h>

#include <torsor/base.h>
#include <torsor/lie.h>

/** A sheave in its frame: centre at the origin, axis along z; a point has the radius 0. */
typedef struct rope_wheel {
  double radius; /* m */
  int sense;     /* 1: the rope runs counterclockwise about z, -1: clockwise */
} rope_wheel;

/** Numbers of a span: its length, and the angles from x of the frames at which the rope leaves the
 *  first sheave and arrives at the second. */
enum { ROPE_LENGTH, ROPE_LEAVES, ROPE_ARRIVES, ROPE_NUMBERS };

typedef struct rope_span {
  double value[ROPE_NUMBERS]; /* m, rad, in (-2 pi, 2 pi) */
  v3 from, to;                /* tangent points, each in the frame of its own sheave */
  double fleet;               /* sine of the largest angle between the span and a sheave's plane */
  double J[ROPE_NUMBERS][6];  /* D value[e] = J e for H exp(e), H the frame of the second in that of
                               * the first */
  double K[ROPE_NUMBERS][6][6]; /* column k: D(J^T)[e_k], where `second` was wanted */
} rope_span;

/** The span from a to b at H = (R, p).  The rope leaves and arrives where its projection to a
 *  sheave's plane is tangent.  False where there is no such point, as one end is inside of the
 *  other's sheave. */
bool rope_span_find(rope_span *out, const rope_wheel *a, const rope_wheel *b, const m3 *R, v3 p,
                    bool second);

#endif
