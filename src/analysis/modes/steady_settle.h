/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STEADY_SETTLE_H
#define TORSOR_ANALYSIS_STEADY_SETTLE_H

/** Steady motions found: the equilibrium seen from frames that move (docs/theory.md, "Modes"). */

#include "analysis/modes/steady.h"

/** Move the state from where it is (q, v, accelerations, lambda, tangents there) to one where
 * nothing changes, seen from frames that move with the twist `frame` of space while the bodies turn
 * in them as they do now. Newton's method on the group, with the velocities growing from 0 where it
 * does not converge at once.  A positive status: none was found, or it is against constraints of
 * velocities; the state is then somewhere on the way. */
torsor_status steady_settle(linear_state *s, twist frame);

#endif
