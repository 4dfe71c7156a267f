/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LAPACK_H
#define TORSOR_ANALYSIS_LAPACK_H

/** Dense linear algebra by LAPACK, with column-major matrices.  Work space comes from malloc:
 * MEMORY.  NEWTON means that an iteration does not converge. */

#include <stdbool.h>

#include <torsor/base.h>

/** C [m x n] = A [m x k] B [k x n]; `transposed`: A is stored as [k x m]. */
void lapack_multiply(double *C, const double *A, bool transposed, const double *B, int m, int k,
                     int n);

/** Finds the eigenvalues re + i im [n] of A [n x n], which is overwritten, and vectors [n x n]: of
 * a pair the first column is the real part, the second the imaginary part of the vector of im > 0,
 * which comes first. */
torsor_status lapack_eigen(double *re, double *im, double *vectors, double *A, int n);

/** Finds the eigenvalues w [n], ascending, of a symmetric A [n x n], which is overwritten by their
 * orthonormal vectors. */
torsor_status lapack_eigen_symmetric(double *w, double *A, int n);

/** Finds the singular values s [n], descending, of A [n x n], which is overwritten, and V [n x n]
 * by columns: A = U s V^T. */
torsor_status lapack_singular(double *s, double *V, double *A, int n);

/** Completes A [n x m], m <= n, of full rank, to an orthogonal Q [n x n] (for which it has room):
 * the first m columns span those of A, the others their orthogonal complement.  R [m x m], upper
 * triangular, may be NULL. */
torsor_status lapack_complement(double *A, double *R, int n, int m);

/** B [n x m] <- A^-1 B; A [n x n] is overwritten.  Fails with SINGULAR. */
torsor_status lapack_solve(double *B, double *A, int n, int m);

#endif
