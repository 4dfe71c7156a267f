/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNALS_H
#define TORSOR_ANALYSIS_SIGNALS_H

#include <torsor/analysis.h>

#include "analysis/work.h"
#include "assembly/coordinates.h"

/** What signals are made of, at the motion last set in `assembly`. */
typedef struct signal_state {
  const assembly *assembly;
  const torsor_point *point;
  const coordinates *coordinates;
  const work *work;
  const double *phi, *phi_v; /* [nl] */
} signal_state;

/** Evaluate the chosen signals [count]. */
void signals_eval(const torsor_signals *signals, double *values, const signal_state *state);

/** Add the integrals over time that are among them. */
void signals_need(const torsor_signals *signals, bool *energies, bool *impulses);

/** Energies and momenta of the whole model at the motion last set. */
torsor_balance balance_sum(const assembly *a, const torsor_model *model, const torsor_point *p);

#endif
