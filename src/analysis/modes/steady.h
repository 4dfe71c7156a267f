/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STEADY_H
#define TORSOR_ANALYSIS_STEADY_H

/** Steady motions (relative equilibria): motions that are constant as seen from suitable moving
 * frames (docs/theory.md, "Modes"). */

#include "analysis/modes/linear_state.h"

/** Returns the twist eta of the frame of a node at H that moves with `frame`; modal coordinates are
 *  nowhere in space, and do not move with it. */
twist steady_node_eta(const model_node *node, se3 H, twist frame);

/** Finds the twists eta of the frames and sigma of the bodies in them, for frames that move with
 * the twist `frame` of space (inertial axes, at the origin). */
void steady_see(linear_state *s, twist frame);

/** s->work = M x, where x [nv] receives the components of a twist `of` each node. */
void steady_multiply_mass(linear_state *s, double *x, twist (*of)(const linear_state *, int));

/** Sums up the magnitudes of forces and of moments, N and N m, of all elements on each node, sum [2
 * nodes].  Forces of accelerations are left out, which cannot be separated from a body's weight;
 * those that a node's momentum needs as it rotates are included. */
torsor_status steady_forces(double *sum, linear_state *s);

/** Returns the components of a node's velocities as a body twist. */
twist steady_node_twist(const model_node *node, const double *x);

/** Checks whether the motion is steady: *same is true where, later on in the motion that frame, eta
 * and sigma of the state describe, the accelerations (times the masses) and the matrices of all
 * elements are the same as seen from the frames.  The first element for which they differ is stored
 * in the state. */
torsor_status steady_lasts(bool *same, linear_state *s);

/** The state of a steady motion at a later time. */
typedef struct steady_later {
  torsor_point point; /* with memory of its own */
  m6 *seen;           /* [nodes] Ad(exp(-sigma t)): a body variation as seen from the frames, times
                         this, is that in the axes of the body at the later time */
} steady_later;

/** Finds it, with the accelerations and multipliers there.  Memory comes from `memory`. */
torsor_status steady_later_find(steady_later *out, linear_state *s, arena *memory);

/** Checks a necessary condition, which is cheap compared with a search: *may is true where the
 * masses of all elements are the same later on, whatever forces the motion needs. */
torsor_status steady_may_last(bool *may, linear_state *s);

#endif
