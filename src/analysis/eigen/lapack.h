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

/** Finds A [m x n] = U s V^T, with U [m x m], s [min(m, n)] descending and VT = V^T [n x n]; A is
 * overwritten. */
torsor_status lapack_singular_both(double *U, double *s, double *VT, double *A, int m, int n);

/** A [n x n] <- its real Schur form, A = Z A' Z^T, with the `first` eigenvalues of real parts below
 * `limit` before all others. */
torsor_status lapack_schur(double *A, double *Z, int *first, double limit, int n);

/** X [m x n] <- the solution of A X + sign X B = X, where A [m x m, of lda rows] and B [n x n, of
 * ldb rows] are Schur forms, or the transposes of what is given. */
torsor_status lapack_sylvester(double *X, const double *A, int lda, bool transposed_A,
                               const double *B, int ldb, bool transposed_B, int sign, int m, int n);

/** Completes A [n x m], m <= n, of full rank, to an orthogonal Q [n x n] (for which it has room):
 * the first m columns span those of A, the others their orthogonal complement.  R [m x m], upper
 * triangular, may be NULL. */
torsor_status lapack_complement(double *A, double *R, int n, int m);

/** B [n x m] <- A^-1 B; A [n x n] is overwritten.  Fails with SINGULAR. */
torsor_status lapack_solve(double *B, double *A, int n, int m);

#endif
