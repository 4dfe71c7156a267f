/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_COMPLEX_SOLVER_H
#define TORSOR_ASSEMBLY_COMPLEX_SOLVER_H

#include <torsor/base.h>

#include "assembly/solver/pattern.h"

/** A sparse direct solver for complex matrices, by KLU.  Complex numbers are stored as pairs (real
 * part, imaginary part). */
typedef struct complex_solver complex_solver;

/** Analyses the pattern, which must outlive the solver.  Fails with MEMORY, or with SINGULAR where
 * no values could make the matrix regular. */
torsor_status complex_solver_create(complex_solver **out, const pattern *p);
void complex_solver_destroy(complex_solver *solver);

/** Returns the operations that a factorisation is predicted to take; exchanges of rows add more. */
double complex_solver_work(const complex_solver *solver);

/** Factors the matrix Ax [nonzeros pairs], which must outlive the factors: with the old pivots
 * while they are good, else with new ones.  Fails with SINGULAR, MEMORY or NONFINITE. */
torsor_status complex_solver_factor(complex_solver *solver, const double *Ax);

/** Solves x <- A^-1 x [n pairs], with one step of iterative refinement. */
torsor_status complex_solver_solve(complex_solver *solver, double *x);

#endif
