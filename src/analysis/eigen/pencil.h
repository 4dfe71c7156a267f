/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_PENCIL_H
#define TORSOR_ANALYSIS_PENCIL_H

/** The quadratic pencil of the linearised system: (mu^2 A2 + mu A1 + A0) (e, lambda) = 0 with body
 * variations e (docs/theory.md). */

#include "assembly/solver/linear_solver.h"
#include "assembly/linearise.h"

typedef struct pencil {
  int nv, nl;
  const pattern *p;                  /* pattern of nv + nl unknowns */
  block_plan plan;                   /* how the unknowns fall into dense blocks */
  const double *A0, *A1, *A2;        /* [nonzeros] */
  const unsigned char *nonholonomic; /* [nl]; NULL: none */
  unsigned char *dropped;            /* [nl] 1 = row that depends on others, and is left out */
  bool reactive;                     /* columns of multipliers differ from those of B^T */
  double largest;                /* largest quotient A0/A2 of the diagonals: scale of mu^2, 1/s^2 */
  const unsigned char *rotation; /* [nv] */
  double length;                 /* scale of positions, m */
  double stiffest; /* largest entry of A0's diagonal, with positions in lengths: N m */
} pencil;

/** Transforms the tangents to frames that move with the twists eta [nodes] while the bodies move in
 * them with sigma [nodes]: C += M (ad eta - ad sigma), K += (C - M ad sigma) ad eta. */
void pencil_see(tangents *t, const torsor_model *model, const twist *eta, const twist *sigma);

/** Creates the pencil.  Dependent rows, of position constraints among themselves and of
 * nonholonomic ones among all, are found at q and left out.  `t` is kept.  Memory comes from
 * `memory`. */
torsor_status pencil_create(pencil *out, assembly *a, const torsor_model *model, const tangents *t,
                            const double *q, arena *memory);

/** y [nv] = A x of the velocity rows and columns; A is one of A0, A1, A2. */
void pencil_multiply(double *y, const pencil *p, const double *A, const double *x);

/** y [nl] = rows of constraints of A times x [nv]. */
void pencil_multiply_rows(double *y, const pencil *p, const double *A, const double *x);

/** Estimates the round-off of mu^2 in the mode e = re + i im [nv] (im may be NULL) of an eigenvalue
 * of magnitude mu.  With A = |A0| + mu |A1| + mu^2 |A2| it is a small fraction of sum A_ij |e_i|
 * |e_j| over e^H A2 e, plus the square of that fraction of the stiffest direction: entries that
 * cancel in a free direction couple it to the others by that fraction. */
double pencil_round_off(const pencil *p, double mu, const double *re, const double *im);

/** Ax [nonzeros] = s^2 A2 + s A1 + A0; rows left out have 1 on the diagonal. */
void pencil_shift(double *Ax, const pencil *p, double s);

#endif
