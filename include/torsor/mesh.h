/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_MESH_H
#define TORSOR_MESH_H

/** Meshes of shells, as parameters of element types (TORSOR_PARAM_MESH). */

#include <stdbool.h>

#include <torsor/lie.h>

/** A set of a mesh: indices [count] of its nodes, or of its elements. */
typedef struct torsor_mesh_set {
  const char *name;
  const int *member;
  int count;
  bool elements;
} torsor_mesh_set;

/** An element of a mesh, its nodes in the sense of its normal. */
typedef struct torsor_mesh_quad {
  int node[4];
  int number, line; /* of the element in the file, and where it stands there; 0 = none */
} torsor_mesh_quad;

/** A mesh of elements with four nodes.  Absent: node is NULL.  The arrays live as long as the
 *  scene. */
typedef struct torsor_mesh {
  const char *file; /* its name; "" = none */
  const v3 *node;   /* [nodes] in the unit of the mesh */
  const torsor_mesh_quad *quad;
  const torsor_mesh_set *set;
  int nodes, quads, sets;
} torsor_mesh;

#endif
