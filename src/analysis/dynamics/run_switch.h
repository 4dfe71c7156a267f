/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_SWITCH_H
#define TORSOR_ANALYSIS_RUN_SWITCH_H

/** The switching of events: of forces, and of joints, whose impulses change the velocities. */

#include "analysis/dynamics/run.h"

/** Would the event change anything? */
bool run_would_switch(const torsor_run *r, const torsor_event *e);

/** Switches what the events at t say, in the order of the scene, at the state p of that time, to
 * which the motion is set.  Where joints begin or cease to act, the constraints are examined anew,
 * and r->jump is the state from which the motion goes on. */
torsor_status run_switch(torsor_run *r, double t, const torsor_point *p, torsor_error *error);

/** Restarts the integrator at r->last.t, after run_cut. */
torsor_status run_restart(torsor_run *r);

/** Finds what joints take from the energy as the events at the end of the last step switch them on,
 *  where the run stands: it does so once and goes back to its state.  MEMORY where there is none.
 */
torsor_status run_rehearse(torsor_run *r);

#endif
