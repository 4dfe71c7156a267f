/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STEADY_H
#define TORSOR_ANALYSIS_STEADY_H

/** Steady motions: frames in which nothing changes (docs/theory.md, "Modes"). */

#include "analysis/modes/linear_state.h"

/** eta and sigma of frames that move with the twist `frame` of space (inertial axes, at the
 * origin). */
void steady_see(linear_state *s, twist frame);

/** s->work = M x, where x [nv] becomes the components of a twist of each node. */
void steady_multiply_mass(linear_state *s, double *x, twist (*of)(const linear_state *, int));

/** Magnitudes of forces and of moments, N and N m, of all elements on a node, summed: sum [2
 * nodes]; without those of accelerations, which come in one with a body's weight, but with those
 * that its momentum needs as it turns. */
torsor_status steady_forces(double *sum, linear_state *s);

/** Parts of a node's velocities as a body twist. */
twist steady_node_twist(const model_node *node, const double *x);

/** *same: later on in the motion that frame, eta and sigma of the state describe, accelerations,
 * times the masses, and the matrices of all elements are the same, seen from the frames.  The first
 * element that is otherwise is left in the state. */
torsor_status steady_lasts(bool *same, linear_state *s);

/** *may: the masses of all elements are the same later on, whatever holds the motion; cheap beside
 * a search. */
torsor_status steady_may_last(bool *may, linear_state *s);

#endif
