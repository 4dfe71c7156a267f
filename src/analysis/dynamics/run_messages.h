/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_MESSAGES_H
#define TORSOR_ANALYSIS_RUN_MESSAGES_H

/** What a run says of itself: warnings to its hooks, and failures in the words of the scene. */

#include "analysis/dynamics/run.h"

/** A line for the user; `run_warn_of` takes the run as `data`. */
void run_warn(const torsor_run *r, const char *message);
void run_warn_of(void *data, const char *message);
/** A line on the run as a whole, of the run `data`. */
void run_conclude_of(void *data, const char *message);

/** A step failed with `status`: which element or constraint, and what may help. */
torsor_status run_report_failure(const torsor_run *r, torsor_status status, torsor_error *error);
/** The accelerations at t, where the motion begins or begins anew, are not to be had. */
torsor_status run_report_failed_start(const torsor_run *r, double t, torsor_status status,
                                      torsor_error *error);
/** Once a run has begun, nothing that the caller gave is wrong: ARGUMENT becomes STEP. */
torsor_status run_blame_step(const torsor_run *r, torsor_error *error);

/** Constraint rows became dependent before t. */
void run_warn_dependent(torsor_run *r, double t);
/** Steps that were halved since the last call. */
void run_warn_rejected(torsor_run *r);

#endif
