/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REDUCE_STRESSES_H
#define TORSOR_ANALYSIS_REDUCE_STRESSES_H

/** Stresses of a reduced body at nodes, and its stiffness by the stresses of a rotation. */

#include "analysis/reduce/basis.h"

/** A reduction with its shapes. */
typedef struct reduced_model {
  const reduce_input *in;
  reduce_result *out;
  const coupling *g;
  const basis *b;
  const symmetric *M; /* of the whole model */
  int *const *row;    /* [6 nodes] */
} reduced_model;

/** Fills out->S and out->F as far as they are wanted.  Fails with SCENE where a point is of no
 *  solid element, with MEMORY. */
torsor_status stresses_fill(const reduced_model *r, torsor_error *error);

#endif
