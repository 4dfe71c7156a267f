/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_SYMMETRIC_H
#define TORSOR_ASSEMBLY_SYMMETRIC_H

#include <torsor/base.h>

/** Sparse symmetric matrix: the lower triangle in compressed columns with ascending rows. */
typedef struct symmetric {
  int n;
  long *first;   /* [n + 1] */
  int *row;      /* [first[n]] */
  double *value; /* [first[n]] */
} symmetric;

/** Builds the matrix from `count` entries of its lower triangle (row >= column), in any order;
 *  repeated ones add up.  MEMORY; symmetric_release follows also a failure. */
torsor_status symmetric_build(symmetric *out, int n, long count, const int *row, const int *column,
                              const double *value);
void symmetric_release(symmetric *A);

/** The block of rows and columns from `from` on. */
torsor_status symmetric_rest(symmetric *out, const symmetric *A, int from);

/** A + s B; both of the same size. */
torsor_status symmetric_sum(symmetric *out, const symmetric *A, double s, const symmetric *B);

/** y [n] = A x; `absolute`: y = |A| |x|. */
void symmetric_multiply(double *y, const symmetric *A, const double *x);
void symmetric_multiply_absolute(double *y, const symmetric *A, const double *x);

/** Cholesky factorisation L L^T of a positive definite matrix (CHOLMOD, supernodal; fill-reducing
 *  orders of AMD or METIS, whichever leaves less). */
typedef struct cholesky cholesky;

/** Factors A.  Fails with SINGULAR where it is not positive definite, with *bad as the row where
 *  that shows; with MEMORY. */
torsor_status cholesky_factor(cholesky **out, const symmetric *A, int *bad);
void cholesky_release(cholesky *f);

/** X [columns][n] <- A^-1 X. */
torsor_status cholesky_solve(cholesky *f, double *X, int columns);

/** Number of entries of L. */
double cholesky_entries(const cholesky *f);

/** Number of negative eigenvalues of A, by the signs of D in L D L^T.  Fails with SINGULAR. */
torsor_status symmetric_count_negative(int *count, const symmetric *A);

#endif
