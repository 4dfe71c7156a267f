/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_VTK_SURFACE_H
#define TORSOR_RESULTS_VTK_SURFACE_H

/** Surfaces of solids as polygons. */

#include <torsor/geometry.h>

#include "results/vtk_file.h"

/** Points in the frames of nodes and polygons between them. */
typedef struct vtk_surface {
  int points, polys;
  text local; /* v3 of each point, in the frame of its node */
  text node;  /* int of each point */
  vtk_cells cells;
} vtk_surface;

/** Points around an axis. */
enum { SURFACE_SIDES = 24 };

/** Add the surface of a solid of the node. */
void surface_add_solid(vtk_surface *surface, int node, const torsor_solid *solid);
void surface_release(vtk_surface *surface);

#endif
