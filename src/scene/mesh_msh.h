/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_MESH_MSH_H
#define TORSOR_SCENE_MESH_MSH_H

/** Finite-element meshes of Gmsh (.msh). */

#include "scene/mesh_inp.h"

/** Reads nodes, elements and physical groups of a text file of version 2 or 4.1; all other sections
 *  are passed over.  Elements of four nodes are of the type "QUAD4", others "LINE2", "TRI3" and so
 *  on.  Groups of points and lines are sets of nodes, those of surfaces sets of nodes and of
 *  elements; groups without a name are "physicalN".  mesh_release follows also a failure. */
torsor_status mesh_read_msh(mesh *out, const char *file, torsor_error *error);

#endif
