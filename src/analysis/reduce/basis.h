/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REDUCE_BASIS_H
#define TORSOR_ANALYSIS_REDUCE_BASIS_H

/** Shapes of the reduction: static ones of the interfaces, and modes. */

#include "analysis/reduce/couple.h"

/** The coordinates are those of a coupling, b of interfaces and i inner ones. */
typedef struct basis {
  int held, inner;
  symmetric K, M;     /* of all coordinates */
  symmetric Kii, Mii; /* of the inner ones */
  cholesky *factor;   /* of Kii */
  double *Psi;        /* [held][inner] static shapes -K_ii^-1 K_ib */
  int modes;
  double *Phi;    /* [modes][inner] inner shapes, orthonormal in M_ii, with K_ii diagonal */
  double *square; /* [modes] squares of their frequencies, 1/s^2 */
} basis;

/** Finds the static shapes.  Fails with SINGULAR where K_ii is not positive definite, with *bad the
 *  inner coordinate where that shows. */
torsor_status basis_create(basis *out, const coupling *g, const fe_model *f, int *bad);
void basis_release(basis *b);

/** Finds the modes: the first `count`, or those below the square `below` > 0 of a frequency, with
 *  the interfaces held or, with `free_modes`, of the free body, whose parts relative to the static
 *  shapes are taken (Herting); and the static deflections of `loads` [load_count][inner] as further
 *  ones, as far as they are independent. */
torsor_status basis_modes(basis *b, int count, double below, bool free_modes, const double *loads,
                          int load_count);

/** The largest |K_ii x - w^2 M_ii x| of the modes as a part of |K_ii x|. */
torsor_status basis_residual(double *out, const basis *b);

#endif
