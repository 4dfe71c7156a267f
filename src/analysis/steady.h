/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STEADY_H
#define TORSOR_ANALYSIS_STEADY_H

/** Steady motions: frames in which nothing changes (docs/theory.md, "Modes"). */

#include "analysis/linear_state.h"

/** eta and sigma of frames that move with the twist `frame` of space (inertial axes, at the origin). */
void steady_see(linear_state *s, twist frame);

/** *same: later on in the motion that frame, eta and sigma of the state describe, accelerations and the matrices of all
 *  elements are the same, seen from the frames. */
torsor_status steady_lasts(bool *same, linear_state *s);

#endif
