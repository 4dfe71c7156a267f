/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_H
#define TORSOR_ELEMENTS_SHELL_H

/** The four-node element of a shell: docs/theory.md, section "Shells".
 *
 *  Node i = 0..3 is at (xi, eta) = (-1, -1), (1, -1), (1, 1), (-1, 1).  Positions and three
 *  directions that turn with each node are interpolated bilinearly: the normal t and the in-plane
 *  axes a_1, a_2 of the element.  With sums over the nodes
 *    a = sum xi_i x_i/4,  b = sum eta_i x_i/4,  h = sum xi_i eta_i x_i/4,
 *    x,1 = a + eta h,     x,2 = b + xi h,       t = t_0 + xi t_1 + eta t_2 + xi eta t_3
 *  all strains are combinations of 20 products of these vectors. */

#include "elements/shell_section.h"

enum {
  SHELL_NODES = 4,
  SHELL_DOFS = 6 * SHELL_NODES,
  SHELL_MEMBRANE = 0, /* a.a/2, b.b/2, a.b, a.h, b.h, h.h/2 */
  SHELL_BENDING = 6,  /* a.t_1, b.t_2, a.t_2 + b.t_1, a.t_3 + h.t_1, b.t_3 + h.t_2, h.t_3 */
  SHELL_PLANE = 12,   /* both of these */
  SHELL_SHEAR = 12,   /* x,1.t at (0, -1) and (0, 1), x,2.t at (-1, 0) and (1, 0) */
  SHELL_DRILL = 16,   /* (x,1.a_2 - x,2.a_1)/2 at the Gauss points, derivatives along a_1, a_2 */
  SHELL_STRAINS = 20
};

/** Coordinates of the nodes; the Gauss points are at these times SHELL_GAUSS. */
static const double shell_xi[SHELL_NODES] = {-1, 1, 1, -1}, shell_eta[SHELL_NODES] = {-1, -1, 1, 1};
#define SHELL_GAUSS 0.57735026918962576

/** Directions of the element that turn with a node, in the axes of the node. */
typedef struct shell_corner {
  v3 normal, first, second;
} shell_corner;

/** Constants of an element, from its reference shape and its section. */
typedef struct shell_constants {
  double plane[SHELL_PLANE][SHELL_PLANE]; /* stiffness of the membrane and bending products, */
  bool coupled;                           /* membrane and bending are */
  double shear[4][4];                     /* of the transverse shears, */
  double drill[4];                        /* of the drilling strains */
  double reference[SHELL_STRAINS];        /* the products without strain */
  double slope[4][2][2];                  /* at Gauss point g: d/dl_c = sum slope[c][a] d/dxi_a */
  double middle[2][2];                    /* the same at the centre */
  shell_corner corner[SHELL_NODES];
  double mass[SHELL_NODES][SHELL_NODES]; /* of translations, kg */
  double moment[SHELL_NODES];            /* first moment along the normal, kg m */
  double turning[SHELL_NODES];           /* rotary inertia about axes in the plane, kg m^2 */
} shell_constants;

typedef struct shell_element_data {
  int node[SHELL_NODES]; /* in the model */
  double length;         /* longest side, m */
  const shell_section *section;
  const shell_constants *constants; /* both of the model's memory */
} shell_element_data;

extern const torsor_element_type shell_element;

/** Fills the constants for nodes at X with axes R [inertial] and normals in the axes of the nodes.
 *  Returns NULL, or why there is no such element, as the end of a sentence. */
const char *shell_build(shell_constants *c, const shell_section *section, const v3 X[SHELL_NODES],
                        const m3 R[SHELL_NODES], const v3 normal[SHELL_NODES]);

#endif
