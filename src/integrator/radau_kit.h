/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_RADAU_KIT_H
#define TORSOR_INTEGRATOR_RADAU_KIT_H

/** The numbers of Radau IIA with three stages, and the matrix that its stages are solved with. */

enum { RADAU_STAGES = 3 };

/** Nodes c and matrix A of Butcher's tableau; the weights are its last row. */
extern const double radau_node[RADAU_STAGES];
extern const double radau_matrix[RADAU_STAGES][RADAU_STAGES];

/** det(A)^(1/3) = 60^(-1/3), the diagonal of... */
#define RADAU_GAMMA 0.25543647746451775
/** ... a lower triangular L with (I - L^-1 A)^3 = 0.  Those depend on one parameter, the entry 0.3
 * here; of all this is one that contracts best: h z (I - h z L)^-1 (A - L) has a spectral radius of
 * at most 0.33 for z in the left half plane, and |(I - L^-1 A)^2| = 0.08. */
extern const double radau_iteration[RADAU_STAGES][RADAU_STAGES];

#endif
