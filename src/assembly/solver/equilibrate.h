/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_EQUILIBRATE_H
#define TORSOR_ASSEMBLY_EQUILIBRATE_H

/** Row and column equilibration: scales that take the units of equations and unknowns out of the
 * pivots of a matrix. */

#include "assembly/solver/pattern.h"

/** Finds positive scales row [n] and column [n] with which the largest entry of each row and of
 * each column of the matrix is near 1.  work [2 n]. */
void equilibrate(double *row, double *column, double *work, const pattern *p, const double *Ax);

/** Writes the matrix with its rows and columns scaled to out [nonzeros]. */
void equilibrate_values(double *out, const pattern *p, const double *Ax, const double *row,
                        const double *column);

#endif
