/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_ARNOLDI_H
#define TORSOR_ANALYSIS_ARNOLDI_H

/** Eigenvalues of largest magnitude of a linear operator that can only be applied to vectors: by
 * the implicitly restarted Arnoldi method (ARPACK) or, where the operator is small, all of them
 * from its dense matrix. */

#include <torsor/base.h>

typedef struct arnoldi_operator {
  int n;
  /** y [n] = A x. */
  torsor_status (*apply)(void *self, double *y, const double *x);
  void *self;
  double tolerance; /**< of Ritz values, a part of them; 0: round-off */
  int start;        /**< which one of several vectors the iteration begins with */
} arnoldi_operator;

/** Eigenvalues re + i im, the largest magnitude first, complex ones with their conjugates behind
 * them (im > 0 first).  vector [count][n]: of a pair the first holds the real part, the second the
 * imaginary part of the eigenvector of im > 0; of length 1. */
typedef struct arnoldi_spectrum {
  int count, n;
  double *re, *im, *vector;
} arnoldi_spectrum;

/** Finds at least `wanted` eigenvalues, as far as there are so many, to round-off.  Fails with
 * NEWTON where the iteration does not converge, with MEMORY, or with the status of `apply`. */
torsor_status arnoldi_largest(arnoldi_spectrum *out, const arnoldi_operator *op, int wanted);
void arnoldi_release(arnoldi_spectrum *spectrum);

#endif
