/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_SOLID_KIT_H
#define TORSOR_TESTS_SOLID_KIT_H

/** Matrices of solids from hexahedra of 8 or 20 nodes, and files of them as other programs write
 *  them. */

#include <stdbool.h>

#include "scene/fe_matrices.h"

/** Stiffness and consistent mass of all elements of the mesh, by 2 x 2 x 2 or 3 x 3 x 3 points.
 *  Release with fe_release. */
void solid_matrices(fe_model *out, const mesh *m, double E, double nu, double density);

/** A grid of hexahedra. */
typedef struct solid_grid {
  int n[3];                           /* elements along x, y, z */
  const double *place[3];             /* [n + 1] of their corners */
  int nodes;                          /* of an element: 8 or 20 */
  int end;                            /* axis across which the last plane of nodes is the set END */
  bool (*lacks)(int i, int j, int k); /* elements that are not there; NULL: none */
} solid_grid;

/** Writes the mesh; nodes of the first plane across x are the set START. */
void solid_write_grid(const char *file, const solid_grid *g);

/** Writes that of a box from (0, 0, 0) to `size` with n elements along its edges. */
void solid_write_box(const char *file, const int n[3], v3 size, int nodes);

/** Writes that of a bracket of two legs of 100 and 80 mm, 40 mm wide, 8 mm thick, of 24 elements of
 *  20 nodes: start at x = 0, end at z = 80 mm. */
void solid_write_bracket(const char *file);

/** Write the matrices as CalculiX, as Abaqus, as Matrix Market (with "BASE.dof"; `general`: both
 *  triangles) and as Nastran (`wide`: fields of 16) do. */
void solid_write_calculix(const char *base, const fe_model *f, const mesh *m);
void solid_write_abaqus(const char *file, const fe_matrix *A, const fe_model *f, const mesh *m);
void solid_write_market(const char *file, const fe_matrix *A, const fe_model *f, bool general);
void solid_write_dmig(const char *file, const fe_model *f, const mesh *m, bool wide);

#endif
