/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_ROWS_H
#define TORSOR_ANALYSIS_ROWS_H

/** Rows of output, and largest steps, of a simulation whose settings leave them open. */

#include <torsor/analysis.h>

/** Number of rows, and least number of steps, of a duration. */
enum { ROWS_USUAL = 500 };

/** Number of halvings of the largest step: a velocity that jumps is passed by a step of the
 * smallest size. */
enum { ROWS_HALVINGS = 26 };

/** Returns the largest step, and the time between two rows, s. */
double rows_largest_step(const torsor_simulation *simulation);

/** Returns the simulation with the largest step and the time between two rows, where it names no
 * step: everything but the accuracy, which trial runs find. */
torsor_simulation rows_shape(const torsor_simulation *simulation);

/** Times of the rows of output; the last one is at the end. */
typedef struct rows {
  long next, last;
  double spacing;    /* s; 0: a row every `steps` steps */
  long steps;        /* number of constant steps between two rows; 0: steps do not end at rows */
  bool interpolated; /* rows are interpolated, whatever the steps are */
  double end;
} rows;

/** Returns the rows of a simulation; `next` is 0. */
rows rows_plan(const torsor_simulation *simulation);

#endif
