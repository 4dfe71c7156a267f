/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_TOUCH_H
#define TORSOR_ELEMENTS_TOUCH_H

/** Distances between convex shapes, for contact.
 *
 *  A shape is the set of points within `radius` of a core.  The pair functions see shape b from the
 *  frame of shape a, H = (p, R), and answer with points of contact: gap, unit normal from a to b
 * and the points of both surfaces, all in the axes of a and from its origin.  They depend on H
 * alone, so that they are the same for all motions that both shapes share. */

#include <stdbool.h>

#include <torsor/base.h>
#include <torsor/lie.h>

/** Flat shapes come first: of a pair, a has the lower kind. */
typedef enum touch_kind {
  TOUCH_PLANE,    /* the half space z < 0 of its frame */
  TOUCH_BOX,      /* core: half extents `half` */
  TOUCH_HULL,     /* core: convex hull of `vertex` */
  TOUCH_CYLINDER, /* core: radius half.x, from -half.z to half.z along z */
  TOUCH_CAPSULE,  /* core: segment from -half.z to half.z along z */
  TOUCH_SPHERE,   /* core: the origin */
  TOUCH_KINDS
} touch_kind;

typedef struct touch_shape {
  touch_kind kind;
  v3 half;       /* m */
  double radius; /* m */
  const v3 *vertex;
  int vertices;
} touch_shape;

enum { TOUCH_POINTS = 8, TOUCH_SLIDES = 2 };

/** A point of contact, and how it moves with b. */
typedef struct touch_point {
  double gap;  /* m, negative: depth */
  v3 n;        /* normal */
  v3 a, b;     /* points of the surfaces */
  int id;      /* the same for the same feature of the pair, < TOUCH_POINTS */
  double part; /* of the force that the pair would have at this gap alone */
  double spin; /* m, lever at which friction resists turning about the normal; 0: it does not */
  /** The normal is that of a flat face of a, and stays; else it is along the line between the
   * points `core_a` and `core_b` of the cores, at the distance `apart`. */
  bool flat;
  double apart;
  v3 core_a, core_b;
  /** Directions along which the points of the cores may slide, and the inverse of the second
   *  derivatives of half the squared distance by them. */
  int slides;
  v3 along_a[TOUCH_SLIDES], along_b[TOUCH_SLIDES];
  double hold[TOUCH_SLIDES][TOUCH_SLIDES];
  /** gap' = n . (velocity of b's material there) + glide . (angular velocity): of points that glide
   *  on b.  The sum of N glide over the points of a pair is 0. */
  v3 glide;
  /** Parallel axes share a force: D part = share slope D c and D slope = share curve D c, where c =
   *  1 - (axis_a . axis_b)^2. */
  double share, slope, curve;
  v3 axis_a, axis_b;
} touch_point;

/** Does the pair have a function? */
bool touch_is_known(touch_kind a, touch_kind b);

/** Are all changes of the points' geometry known (touch_move)? */
bool touch_is_smooth(touch_kind a, touch_kind b);

/** Points of contact of a and b at H = (p, R), kind of a <= kind of b; returns how many, at most
 *  TOUCH_POINTS.  0 where the cores overlap of shapes whose depth is not known beyond their radii:
 *  never with a plane, a sphere beside a box or a cylinder, or the axis of a cylinder apart from a
 *  sphere's centre. */
int touch_find(touch_point out[TOUCH_POINTS], const touch_shape *a, const touch_shape *b,
               const m3 *R, v3 p);

/** Change of a point as b moves by the twist `motion` (velocity of its material at the origin of a,
 *  and rotation, axes of a) while a rests. */
typedef struct touch_change {
  double gap, part;
  v3 n, a, b;
  v3 turn; /* of touch_turn */
} touch_change;

touch_change touch_move(const touch_point *at, twist motion);

/** D part along the rotation of b. */
v3 touch_turn(const touch_point *at);

/** Rate of the gap at the motion of b. */
static inline double touch_rate(const touch_point *at, twist motion) {
  const v3 moving = v3_add(motion.lin, v3_cross(motion.ang, at->b));
  return v3_dot(at->n, moving) + v3_dot(at->glide, motion.ang);
}

/** Vertices of the core; planes and cylinders have none. */
int touch_vertices(const touch_shape *shape);
v3 touch_vertex(const touch_shape *shape, int i);

/** The nearest points of two cores that have vertices, by the algorithm of Gilbert, Johnson and
 *  Keerthi 1988: a combination of differences of vertices b - a. */
typedef struct touch_simplex {
  int count; /* 1 to 3; 0: the cores overlap */
  v3 a[4], b[4];
  double weight[4];
  int id_a[4], id_b[4];
} touch_simplex;

void touch_nearest(touch_simplex *out, const touch_shape *a, const touch_shape *b, const m3 *R,
                   v3 p);

#endif
