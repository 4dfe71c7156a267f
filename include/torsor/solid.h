/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SOLID_H
#define TORSOR_SOLID_H

/** Solids by which bodies are drawn and touch, and lists of them as parameters of element types
 *  (TORSOR_PARAM_BODIES). */

#include <stdbool.h>

#include <torsor/lie.h>

/** Shapes of solids.  The bounding box has the extents `size` (m) and its centre at the origin of
 *  the solid's frame. */
typedef enum torsor_solid_kind {
  TORSOR_SOLID_BOX,
  TORSOR_SOLID_SPHERE,   /* three sizes: an ellipsoid */
  TORSOR_SOLID_CYLINDER, /* along z */
  TORSOR_SOLID_CONE,     /* along z, the tip at z = size.z/2 */
  TORSOR_SOLID_CAPSULE,  /* along z, round ends of the diameter size.x = size.y */
  TORSOR_SOLID_TORUS,    /* about z, of a tube of the diameter size.z */
  TORSOR_SOLIDS
} torsor_solid_kind;

typedef struct torsor_solid {
  torsor_solid_kind kind;
  v3 size;      /* extents along x, y, z, m */
  se3 frame;    /* relative to the frame of its body */
  v3 color;     /* red, green, blue, 0 to 1; absent (NaN): none given */
  bool guessed; /* derived from mass and inertia: viewers may change the size */
} torsor_solid;

/** A solid of a body in a list: its place in the body's node. */
typedef struct torsor_member {
  int side, node, links; /* index of the node in the list, -1: the ground; in the model */
  v3 x, x0;              /* m; initial position, inertial axes */
  m3 R;
  const torsor_solid *solid;
  const char *body;
  const int *linked; /* [links] nodes that joints link with it */
} torsor_member;

/** Solids of bodies, in the order of the model, whose arrays it keeps.  Absent: member is NULL. */
typedef struct torsor_bodies {
  const torsor_member *member; /* [count] */
  const int *node;             /* [nodes] in the model */
  int count, nodes;
} torsor_bodies;

#endif
