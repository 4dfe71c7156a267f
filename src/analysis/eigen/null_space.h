/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_NULL_SPACE_H
#define TORSOR_ANALYSIS_NULL_SPACE_H

/** The variations and velocities that the constraints of a pencil leave free, by dense matrices,
 * which are stored by columns. */

#include "analysis/eigen/pencil.h"

/** The system on the null space of the constraints: e = N x, x' = G x + U y, with N^T A2 N = I. */
typedef struct null_space {
  const pencil *p;
  arena *memory;
  int nv, n, f; /* sizes of e, x, y */
  double *N;    /* [nv x n] */
  double *U;    /* [n x f]; orthonormal */
  double *G;    /* [n x n]; NULL: 0, and U is I */
} null_space;

/** Finds N, U and G.  Memory comes from `memory`, which must outlive it.  Fails with SINGULAR where
 * a free motion moves no mass. */
torsor_status null_space_find(null_space *out, const pencil *p, arena *memory);

/** Takes memory for a matrix; NULL where it is short. */
double *null_space_take(const null_space *r, int rows, int columns);

/** out [rows x columns] = A X for one of the pencil's matrices, its velocity rows or its constraint
 * rows, and X [nv x columns]. */
void null_space_apply(double *out, const pencil *p, const double *A, bool of_constraints,
                      const double *X, int columns);

/** Is it a row of this kind that is not left out?  The number of all of them. */
bool null_space_counts(const pencil *p, int row, bool nonholonomic);
int null_space_count_rows(const pencil *p, bool nonholonomic);

#endif
