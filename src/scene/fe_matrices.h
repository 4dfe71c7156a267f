/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FE_MATRICES_H
#define TORSOR_SCENE_FE_MATRICES_H

/** Stiffness and mass matrices of finite-element programs. */

#include "analysis/reduce/reduce.h"
#include "scene/mesh_inp.h"

/** Reads BASE.dof (lines "node.direction"), BASE.sti and BASE.mas (lines "row column value") of
 *  CalculiX.  The directions 1, 2, 3 are displacements, 4, 5, 6 rotations; rows become those of
 *  `out`, their nodes indices of the mesh.  fe_release follows also a failure. */
torsor_status fe_read_calculix(fe_model *out, const mesh *m, const char *base, torsor_error *error);

/** Reads the matrices that Abaqus writes with FORMAT=MATRIX INPUT (lines "node, direction, node,
 *  direction, value"), or Matrix Market files, whose rows a table `dofs` of lines "node.direction"
 *  names; it may be NULL for the former. */
torsor_status fe_read_market(fe_model *out, const mesh *m, const char *stiffness, const char *mass,
                             const char *dofs, torsor_error *error);

/** Reads two symmetric matrices (form 6, or square and symmetric) of DMIG cards of Nastran, in the
 *  small, large or free field format. */
torsor_status fe_read_dmig(fe_model *out, const mesh *m, const char *file, const char *stiffness,
                           const char *mass, torsor_error *error);

void fe_release(fe_model *f);

#endif
