/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FE_PRIVATE_H
#define TORSOR_SCENE_FE_PRIVATE_H

/** Functions that the readers of matrices share. */

#include <stdbool.h>

#include "scene/fe_matrices.h"
#include "scene/lines.h"

typedef struct fe_reading {
  fe_model *out;
  const mesh *m;
  torsor_error *error;
  int *row; /* [nodes][6] rows of the matrices, -1 = none */
} fe_reading;

/** Begin and end to read; fe_end follows also a failure. */
torsor_status fe_begin(fe_reading *in, fe_model *out, const mesh *m, torsor_error *error);
void fe_end(fe_reading *in);

/** Finds the row of a node's direction, 1 to 6; where there is none it is made with `add`, else -1.
 *  Fails at the current line where the mesh has no such node, or directions are others. */
torsor_status fe_find_row(int *row, fe_reading *in, const line_reader *r, long id, long direction,
                          bool add);

/** Adds an entry of either triangle, as one of the lower. */
torsor_status fe_add(fe_matrix *A, fe_reading *in, int row, int column, double value);

#endif
