/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_RADAU_KIT_H
#define TORSOR_INTEGRATOR_RADAU_KIT_H

#include <stdbool.h>

/** Coefficients of the Radau IIA method with three stages (order 5), and of the matrix that splits
 * its stages in Newton's iteration. */

enum { RADAU_STAGES = 3 };

/** Nodes c and matrix A of the Butcher tableau; the weights are its last row. */
extern const double radau_node[RADAU_STAGES];
extern const double radau_matrix[RADAU_STAGES][RADAU_STAGES];

/** det(A)^(1/3) = 60^(-1/3), the diagonal of radau_iteration. */
#define RADAU_GAMMA 0.25543647746451775
/** A lower triangular L with (I - L^-1 A)^3 = 0, which replaces A in the iteration matrix, so that
 * the stages are solved one after the other.  Such matrices depend on one parameter, the entry 0.3
 * here, which gives one of the best contraction rates: h z (I - h z L)^-1 (A - L) has a spectral
 * radius of at most 0.33 for z in the left half plane, and |(I - L^-1 A)^2| = 0.08. */
extern const double radau_iteration[RADAU_STAGES][RADAU_STAGES];

/** How many matrices that serve all stages may be made within one step, before each stage has one
 * of its own: stages that share a matrix take more sweeps, and far fewer factorisations.  Where
 * they were not enough, the steps that follow make one only, twice as many after each failure. */
typedef struct radau_sharing {
  int made, most;     /* in this step */
  int doubt, doubted; /* steps with one only after the last failure, and how many are left */
} radau_sharing;

void radau_sharing_begin(radau_sharing *s);
/** Ends the step; `enough`: it converged without matrices of the stages' own. */
void radau_sharing_end(radau_sharing *s, bool enough);

#endif
