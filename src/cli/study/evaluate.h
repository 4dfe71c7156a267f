/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_EVALUATE_H
#define TORSOR_CLI_STUDY_EVALUATE_H

/** Runs at points that a search asks for.  Every one is a row: a search that was ended finds the
 *  points that it has asked for before. */

#include "cli/study/engine.h"

typedef struct evaluator {
  sampler *sampler;
  engine *engine;
  rows_found *rows;
  long runs;               /* done in this call of the program */
  long asked;              /* points that were asked for, also known ones */
  long derived;            /* runs in this call that had derivatives */
  char (*why)[STUDY_TEXT]; /* [variables] why derivatives by a value are differences; "": they are
                            * not */
  torsor_error *error;     /* of what is no failure of a sample */
  torsor_status status;
} evaluator;

/** Numbers [points x numbers] at x [points x variables], which the processes share.  NaN stands for
 *  all numbers of a sample that failed.  A status that is not OK ends the search. */
torsor_status evaluate(evaluator *e, const double *x, int points, double *numbers);

/** The derivatives [numbers x variables] of numbers at x.  Those by values that runs can be
 * differentiated by come from one run, whose values processes share; it counts once.  The others
 * are differences, and `why` says so: a value moves by its scale times the cube root of the noise
 * of runs, or by its square root where differences are one-sided; not beyond its bounds.  NaN where
 * a run failed. */
torsor_status evaluate_derivatives(evaluator *e, const double *x, double *derivative);

/** The largest difference between derivatives forwards and backwards of a value, as a part of the
 *  larger one: what has a kink there. */
torsor_status evaluate_kinks(evaluator *e, const double *x, double *part);

#endif
