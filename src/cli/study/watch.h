/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_WATCH_H
#define TORSOR_CLI_STUDY_WATCH_H

#include <torsor/run.h>

#include "cli/study/reduce.h"

/** Leads a run to its end and shows the reductions its rows, the times that they ask for, and the
 *  zeros of what they watch, which are found within steps.  `row` is room for the signals. */
torsor_status watch_run(torsor_run *run, const torsor_signals *signals, reductions *r, double *row,
                        torsor_error *error);

/** Gives the varied inputs of a study the values [variables] with which runs of the model begin. */
void watch_begin_with(torsor_model *model, const study *s, const double *value);

#endif
