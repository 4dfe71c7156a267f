/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_FORCE_H
#define TORSOR_ELEMENTS_SHELL_FORCE_H

/** Internal forces of a shell element and their tangent. */

#include "elements/shell_shape.h"

/** The shape with its stresses.  Every strain product but those of the membrane is a sum of x_m . v
 *  over the three vectors a, b, h and the directions v of the nodes, so that with
 *  lever[m][i] = sum over the directions of node i of (stress times coefficient) v
 *  the force on x_m is the membrane's and sum_i lever[m][i], and the moment on node i is
 *  sum_m lever[m][i] x x_m. */
typedef struct shell_state {
  shell_shape shape;
  double stress[SHELL_STRAINS];
  v3 lever[3][SHELL_NODES];
  v3 force[3];        /* on a, b, h */
  v3 on[SHELL_NODES]; /* on the positions of the nodes, inertial axes */
} shell_state;

/** The forces of the stresses that act, in->stress or those of the strains. */
void shell_find_state(shell_state *s, const shell_element_data *e, const torsor_element_in *in);

/** The moment on node i, inertial axes. */
v3 shell_moment(const shell_state *s, int i);

/** K [24 x 24] += the derivative of forces and moments, but for the turn of forces with node axes.
 */
void shell_add_stiffness(double *K, const shell_state *s, const shell_element_data *e,
                         const torsor_element_in *in);

#endif
