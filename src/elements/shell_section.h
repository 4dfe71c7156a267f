/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_SECTION_H
#define TORSOR_ELEMENTS_SHELL_SECTION_H

/** Stiffness and inertia of a shell per area, from a homogeneous plate or from layers. */

#include <torsor/element.h>

/** Forces and moments per length N = A E + B K, M = B E + D K of the strains E and the changes of
 *  curvature K = (11, 22, twice 12), shear forces S g; all in the axes of the element. */
typedef struct shell_section {
  double A[3][3], B[3][3], D[3][3]; /* N/m, N, N m */
  double S[2][2];                   /* N/m */
  double drill;                     /* stiffness of the drilling strain, N/m */
  double mass, moment, turning;     /* int density (1, z, z^2) dz: kg/m^2, kg/m, kg */
  double thickness;                 /* m */
  v3 gravity;                       /* inertial axes, m/s^2 */
  bool lumped;                      /* inertia stands at the nodes */
  const char *obstacle;             /* see torsor_type_energy */
} shell_section;

/** A homogeneous isotropic plate. */
void shell_section_isotropic(shell_section *s, double thickness, double E, double nu,
                             double density);

#endif
