/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STEADY_SETTLE_H
#define TORSOR_ANALYSIS_STEADY_SETTLE_H

/** Search for a steady motion (relative equilibrium): the equilibrium as seen from moving frames
 * (docs/theory.md, "Modes"). */

#include "analysis/modes/steady.h"

/** Moves the state (q, v, accelerations, lambda, with the tangents there) to one that is constant
 * as seen from frames that move with the twist `frame` of space, while the bodies rotate in them as
 * they do now.  This is Newton's method on the group, with the velocities growing from 0
 * (continuation) where it does not converge at once.  A positive status means that none was found,
 * or that it contradicts constraints of velocities; the state is then somewhere on the way. */
torsor_status steady_settle(linear_state *s, twist frame);

#endif
