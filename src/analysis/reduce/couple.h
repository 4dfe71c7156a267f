/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REDUCE_COUPLE_H
#define TORSOR_ANALYSIS_REDUCE_COUPLE_H

/** Coupling of nodes to interfaces. */

#include "analysis/reduce/reduce.h"
#include "assembly/solver/symmetric.h"

/** u = G y: what the degrees of freedom are by those of the interfaces, y_0 .., and by inner ones
 *  behind them.  Rows in compressed form. */
typedef struct coupling {
  int n, size, held; /* rows; columns; of which the first ones are interfaces */
  long *first;       /* [n + 1] */
  int *column;
  double *value;
  int *inner; /* [size - held] degree of freedom of an inner coordinate */
} coupling;

/** Row of the node's direction 0 to 5 in the model, -1 = none: [6 nodes].  Fails with SCENE where a
 *  node lacks some of the displacements or rotations. */
torsor_status couple_rows(int **out, const reduce_input *in, torsor_error *error);

/** The motion of all degrees of freedom [6][n] under unit rigid motions about the origin. */
torsor_status couple_rigid(double **out, const reduce_input *in);

torsor_status couple_create(coupling *out, const reduce_input *in, const int *row,
                            torsor_error *error);
void couple_release(coupling *g);

/** G^T A G. */
torsor_status couple_matrix(symmetric *out, const coupling *g, const fe_matrix *A);

/** Fails with SCENE, about interface `i`. */
torsor_status couple_fail(torsor_error *error, int i, const char *hint, const char *format, ...)
    TORSOR_PRINTF(4, 5);

#endif
