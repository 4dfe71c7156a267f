/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_VARY_H
#define TORSOR_ANALYSIS_RUN_VARY_H

/** Derivatives of a run by parameters: for each of them, runs of neighbouring models whose steps
 * are linearised about those of the run (integrator/variations.h).  Starts, events, output and
 * everything else that they do is what runs do. */

#include "analysis/dynamics/run.h"

/** Returns what differentiates these signals, for a run that has not begun; NULL: they have no
 * derivatives. */
const run_follower *run_vary_follower(const torsor_signals *signals);

/** Are there forces that stick and slip?  Derivatives hold between such changes only. */
bool run_sticks(const torsor_run *r);

/** Fills the derivatives in a row of the signals at t, in the last step; NaN where they cannot be
 * found, as right after an event that the parameter moves. */
torsor_status run_vary_fill(torsor_run *r, double *row, const torsor_signals *signals, double t,
                            torsor_error *error);

#endif
