/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_PENCIL_H
#define TORSOR_ANALYSIS_PENCIL_H

/** The linearised system: (mu^2 A2 + mu A1 + A0) (e, lambda) = 0 with body variations e, see
 *  docs/theory.md. */

#include "assembly/solver/linear_solver.h"
#include "assembly/linearise.h"

typedef struct pencil {
  int nv, nl;
  const pattern *p;                  /* of nv + nl */
  const double *A0, *A1, *A2;        /* [nonzeros] */
  const unsigned char *nonholonomic; /* [nl]; NULL: none */
  unsigned char *dropped;            /* [nl] rows that repeat others */
  bool reactive;                     /* columns of multipliers are not those of B^T */
  double largest;                    /* of the diagonals' quotients A0/A2: scale of mu^2, 1/s^2 */
  const unsigned char *rotation;     /* [nv] */
  double length;                     /* scale of positions, m */
  double stiffest;                   /* of A0's diagonal, positions in lengths: N m */
} pencil;

/** The tangents' matrices, seen in frames that move with the twists eta [nodes] while the bodies
 * turn in them with sigma [nodes]: C += M (ad eta - ad sigma), K += (C - M ad sigma) ad eta. */
void pencil_see(tangents *t, const torsor_model *model, const twist *eta, const twist *sigma);

/** Rows that repeat others, of position constraints among themselves, of nonholonomic ones among
 * all, are found at q and left out.  `t` is kept.  Memory from `memory`. */
torsor_status pencil_create(pencil *out, assembly *a, const torsor_model *model, const tangents *t,
                            const double *q, arena *memory);

/** Entry j of A's diagonal. */
double pencil_diagonal(const pencil *p, const double *A, int j);

/** y [nv] = A x of the velocity rows and columns; A is one of A0, A1, A2. */
void pencil_multiply(double *y, const pencil *p, const double *A, const double *x);

/** y [nl] = rows of constraints of A times x [nv]. */
void pencil_multiply_rows(double *y, const pencil *p, const double *A, const double *x);

/** What round-off leaves of mu^2 in the mode e = re + i im [nv] (im may be NULL) of an eigenvalue
 * of magnitude mu: with A = |A0| + mu |A1| + mu^2 |A2| a part of sum A_ij |e_i| |e_j| over e^H A2
 * e, and of the stiffest direction the square of that part: entries that cancel to nothing in a
 * free direction couple it to the others by that part. */
double pencil_round_off(const pencil *p, double mu, const double *re, const double *im);

/** Ax [nonzeros] = s^2 A2 + s A1 + A0; rows left out have 1 on the diagonal. */
void pencil_shift(double *Ax, const pencil *p, double s);

#endif
