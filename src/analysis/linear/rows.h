/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LINEAR_ROWS_H
#define TORSOR_ANALYSIS_LINEAR_ROWS_H

/** Derivatives of forces and constraints by the inputs, and of the outputs by everything, at the
 * state about which a model is linearised. */

#include "analysis/linear/channels.h"
#include "analysis/modes/linear_state.h"

/** With the derivatives of the inputs u, in the frames of the state:
 *
 *    y = H[0] e + H[1] e' + H[2] e'' + L lambda + D[0] u + D[1] u' + D[2] u''
 *    the sum of forces, and the rows of constraints, that the inputs add: R[0] u + R[1] u' + R[2]
 * u''
 *
 * Row k of an output is at H[.] + k nv; columns of inputs are at R[.] + i (nv + nl), D[.] + i
 * outputs. */
typedef struct linear_rows {
  int outputs, inputs, nv, nl;
  double *H[3], *L; /* [outputs x nv], [outputs x nl] */
  double *R[3];     /* [inputs x (nv + nl)] forces in body axes, then rows of constraints */
  double *D[3];     /* [inputs x outputs] */
} linear_rows;

/** Finds the derivatives.  `u` may have no inputs, `signals` no columns.  Memory comes from
 * `memory`.  About a steady motion, ARGUMENT names the first output or input whose derivatives are
 * not constant as seen from the frames; where `changes` [outputs] is given, such outputs are marked
 * in it with 1 in place of that. */
torsor_status linear_rows_find(linear_rows *out, linear_state *s, channels *u,
                               const torsor_signals *signals, double length, unsigned char *changes,
                               arena *memory, torsor_error *error);

#endif
