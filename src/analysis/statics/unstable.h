/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_UNSTABLE_H
#define TORSOR_ANALYSIS_UNSTABLE_H

#include "analysis/statics/equilibrium.h"

/** Counts the unstable directions among those that the constraints leave free: the negative
 * eigenvalues of the tangent factored last, restricted to the null space of its constraint rows.
 * *count = -1 where the number cannot be determined, or where the tangent is not symmetric, as
 * under follower forces: there the number may change although the tangent stays regular.
 * `expected`: the number nearby, -1 = not known.  Fails with MEMORY. */
torsor_status unstable_count(int *count, const equilibrium *e, int expected);

/** Counts the directions of divergence where the tangent need not be symmetric: its real negative
 * eigenvalues. */
torsor_status unstable_diverging(int *count, const equilibrium *e);

#endif
