/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNALS_H
#define TORSOR_ANALYSIS_SIGNALS_H

#include <torsor/analysis.h>

#include "analysis/coordinates.h"

/** Evaluate the chosen signals [count] at the motion last set in `a`. */
void signals_eval(const torsor_signals *signals, double *values, const assembly *a,
                  const torsor_point *p, const coordinates *c);

/** Energies and momenta of the whole model at the motion last set. */
torsor_balance balance_sum(const assembly *a, const torsor_model *model, const torsor_point *p);

#endif
