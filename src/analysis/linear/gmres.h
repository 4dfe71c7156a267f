/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_GMRES_H
#define TORSOR_ANALYSIS_GMRES_H

#include <torsor/base.h>

#include "base/arena.h"

/** The method of generalised minimal residuals (GMRES; Saad and Schultz, SIAM J. Sci. Stat. Comput.
 * 7 (1986) 856-869) for complex systems, without restarts.  Complex numbers are pairs. */
typedef struct gmres {
  int n, most;  /* unknowns; iterations */
  double *V;    /* [most + 1][2 n] orthonormal vectors */
  double *R;    /* [most][2 (most + 1)] columns of the triangular matrix */
  double *turn; /* [most][3] rotations: cosine, sine (a complex number) */
  double *g;    /* [2 (most + 1)] right-hand side of the small system */
} gmres;

/** out [2 n] = A x, where A is near the identity. */
typedef torsor_status (*gmres_operator)(void *data, double *out, const double *x);

torsor_status gmres_create(gmres *out, int n, int most, arena *memory);

/** Solves A x = b: x [2 n] holds b at first.  `left` receives the norm of the residual over that of
 * b, and `iterations` their number.  It stops at `tolerance`, or after all iterations. */
torsor_status gmres_solve(double *x, gmres *g, gmres_operator multiply, void *data,
                          double tolerance, double *left, int *iterations);

#endif
