/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_MESSAGES_H
#define TORSOR_ANALYSIS_RUN_MESSAGES_H

/** Messages of a run: warnings to its hooks, and failures in the words of the scene. */

#include "analysis/dynamics/run.h"

/** Warns the user; `run_warn_of` takes the run as `data`. */
void run_warn(const torsor_run *r, const char *message);
void run_warn_of(void *data, const char *message);
/** Reports a remark on the run as a whole; `data` is the run. */
void run_conclude_of(void *data, const char *message);

/** Reports that a step failed with `status`, with the element or constraint and the remedy. */
torsor_status run_report_failure(const torsor_run *r, torsor_status status, torsor_error *error);
/** Reports that accelerations at t, where the motion begins or is restarted, cannot be found. */
torsor_status run_report_failed_start(const torsor_run *r, double t, torsor_status status,
                                      torsor_error *error);
/** Replaces ARGUMENT by STEP: once a run has begun, no argument of the caller is wrong. */
torsor_status run_blame_step(const torsor_run *r, torsor_error *error);

/** Refuses a change of a run that is followed, which the follower would not see. */
torsor_status run_refuse_change(const torsor_run *r, torsor_error *error);

/** Warns that constraint rows became dependent before t. */
void run_warn_dependent(torsor_run *r, double t);
/** Warns of steps that were halved since the last call. */
void run_warn_rejected(torsor_run *r);

#endif
