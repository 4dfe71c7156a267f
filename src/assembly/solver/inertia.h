/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_INERTIA_H
#define TORSOR_ASSEMBLY_INERTIA_H

/** Counts the negative eigenvalues of the symmetric matrix A [n x n], stored by columns, by an L D
 * L^T factorisation; A is overwritten, and a skew part of it is ignored.  Rows and columns are
 * scaled alike, so that units do not matter and the inertia stays (Sylvester). */
int inertia_negative(double *A, int n);

#endif
