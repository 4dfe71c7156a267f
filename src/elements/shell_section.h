/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_SECTION_H
#define TORSOR_ELEMENTS_SHELL_SECTION_H

/** Stiffness and inertia of a shell per area, from its layers, and the stresses in them. */

#include <torsor/element.h>

enum { SHELL_LAYER_NAME = 24 };

/** A layer between two heights along the normal. */
typedef struct shell_layer {
  double z[2];        /* m */
  double Q[3][3];     /* stresses (11, 22, 12), axes of the layer, of strains (xx, yy, twice xy) */
  double shear[2][2]; /* stresses (13, 23), axes of the layer, of shears (xz, yz) */
  char name[2][SHELL_LAYER_NAME]; /* of its lower and its upper side */
} shell_layer;

/** Forces and moments per length N = A E + B K, M = B E + D K of the strains E and the changes of
 *  curvature K = (xx, yy, twice xy), shear forces S g; all in the axes of the element. */
typedef struct shell_section {
  double A[3][3], B[3][3], D[3][3]; /* N/m, N, N m */
  double S[2][2];                   /* N/m */
  double drill;                     /* stiffness of the drilling strain, N/m */
  double mass, moment, turning;     /* int density (1, z, z^2) dz: kg/m^2, kg/m, kg */
  v3 gravity;                       /* inertial axes, m/s^2 */
  bool lumped;                      /* inertia stands at the nodes */
  const char *obstacle;             /* see torsor_type_energy */
  const shell_layer *layer;         /* [layers] of the model's memory */
  int layers;
} shell_section;

/** Fills the section, and `out` [count] with its layers.  `offset` is the height of the middle of
 * the thickness over the nodes. */
void shell_section_find(shell_section *s, shell_layer *out, const torsor_layer *layer, int count,
                        double offset);

/** The layer of a homogeneous isotropic plate. */
torsor_layer shell_isotropic(double thickness, double E, double nu, double density);

#endif
