/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_FIT_H
#define TORSOR_CLI_STUDY_FIT_H

#include "cli/study/evaluate.h"

/** The best values that a search has found. */
typedef struct search_result {
  double x[STUDY_COLUMNS];
  double objective; /* half the sum of squares of residuals, or what is minimised */
  bool converged;
  char reason[160];              /* why it ended */
  long runs, asked;              /* runs that were done, and points that were asked for */
  double *numbers;               /* [numbers] at x */
  double *covariance;            /* [variables x variables] of a fit; NULL: there is none */
  double condition;              /* of the derivatives, each divided by its length */
  double weakest[STUDY_COLUMNS]; /* the combination of values that data say least of */
  double kink[STUDY_COLUMNS];    /* see evaluate_kinks */
} search_result;

void search_release(search_result *r);

/** Fits the data by least squares: GSL's multifit_nlinear, Levenberg and Marquardt's method with
 *  geodesic acceleration. */
torsor_status search_fit(search_result *out, evaluator *e, torsor_error *error);

/** Minimises the objective by a method of NLopt. */
torsor_status search_minimise(search_result *out, evaluator *e, torsor_error *error);

/** The values at which search `k` of several begins: first those of the study, then a Latin
 *  hypercube's. */
void search_start(double *x, const study *s, int k);

#endif
