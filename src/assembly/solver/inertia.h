/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_INERTIA_H
#define TORSOR_ASSEMBLY_INERTIA_H

/** Number of negative eigenvalues of a symmetric A [n x n], by columns, whose skew part is left out
 * and which is lost.  Units do not matter: rows and columns are scaled alike. */
int inertia_negative(double *A, int n);

#endif
