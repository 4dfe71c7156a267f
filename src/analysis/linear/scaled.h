/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SCALED_H
#define TORSOR_ANALYSIS_SCALED_H

#include <torsor/linear.h>

#include "base/arena.h"

/** A state space with states in units of their own, so that rows and columns of A are of one size
 * whatever the units of the model are.  Matrices are stored by columns. */
typedef struct scaled {
  int n, m, p; /* states, inputs, outputs */
  double *A, *B, *C, *D;
} scaled;

/** Copies the matrices with each state divided by a power of two, factor [n] (NULL: not wanted). */
torsor_status scaled_create(scaled *out, const torsor_state_space *space, double *factor,
                            arena *memory);

/** Scales inputs and outputs, which leaves zeros where they are: the largest entries of the columns
 * of (B, D) and of the rows of (C, D) become `size`. */
void scaled_channels(scaled *s, double size);

#endif
