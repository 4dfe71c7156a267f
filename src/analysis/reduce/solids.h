/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REDUCE_SOLIDS_H
#define TORSOR_ANALYSIS_REDUCE_SOLIDS_H

/** Shape functions of solid finite elements: tetrahedra of 4 and 10 nodes, hexahedra of 8 and 20,
 *  with nodes in the order of Abaqus and CalculiX, and points at which stresses are taken: one of a
 *  tetrahedron of 4 nodes, 4 of one of 10 nodes, 2 x 2 x 2 of hexahedra. */

#include <stdbool.h>

#include <torsor/lie.h>

enum { SOLID_NODES = 20, SOLID_POINTS = 8 };

/** Number of points of an element with so many nodes; 0: there is no such element. */
int solid_points(int nodes);

/** Finds the derivatives of the shape functions by x, y, z at a point of the element with its nodes
 *  at x [nodes].  Returns the volume that the point stands for, not above 0 where the element is
 *  inverted. */
double solid_gradients(double g[SOLID_NODES][3], const v3 *x, int nodes, int point);

/** Weights of the points in the value at a node: the function that is linear (tetrahedra) or linear
 *  along each edge (hexahedra) and has the values at the points. */
void solid_weights(double w[SOLID_POINTS], int nodes, int node);

#endif
