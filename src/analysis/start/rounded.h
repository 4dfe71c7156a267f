/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_ROUNDED_H
#define TORSOR_ANALYSIS_ROUNDED_H

#include "assembly/assembly.h"

/** Rows of joints that would repeat other rows, had their markers all digits: the hinges of a door
 * whose axes are given with six digits lock it, strictly speaking. */
typedef struct rounded_rows {
  int count, first; /* number of such rows, and the first one */
  double off;       /* largest contradiction to the others, in parts of the row's scale */
} rounded_rows;

/** Finds the rows that contradict others by no more than the rounding of decimal input, wherever
 * the bodies go, and has the assembly ignore them.
 *
 * Rows that depend on others at q [nq], nearly or exactly, may do so by position: at a dead centre
 * they constrain motions of second order.  So the bodies are moved away from q, where candidates
 * are rows that depend on those before them still, and once more onto all rows but the candidates
 * and those that are given functions of time, where the candidates are evaluated.  Rows that repeat
 * others to round-off stay; with these the multipliers are those of least norm.  `length`: scale of
 * positions, m.  Fails with MEMORY, or where elements cannot be evaluated at q. */
torsor_status rounded_rows_ignore(rounded_rows *out, assembly *a, const torsor_model *model,
                                  const double *q, double length);

#endif
