/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_EQUILIBRATE_H
#define TORSOR_ASSEMBLY_EQUILIBRATE_H

/** Scales of a matrix's rows and columns, which take the units of equations and unknowns out of its
 * pivots. */

#include "assembly/solver/pattern.h"

/** row [n], column [n] > 0: the largest entry of each row and column of the matrix with these
 * factors is near 1.  work [2 n]. */
void equilibrate(double *row, double *column, double *work, const pattern *p, const double *Ax);

/** out [nonzeros] = the matrix with its rows and columns scaled. */
void equilibrate_values(double *out, const pattern *p, const double *Ax, const double *row,
                        const double *column);

#endif
