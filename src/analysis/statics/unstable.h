/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_UNSTABLE_H
#define TORSOR_ANALYSIS_UNSTABLE_H

#include "analysis/statics/equilibrium.h"

/** How many directions that the constraints leave are unstable: negative eigenvalues of the tangent
 * last factored, on what its rows leave free.  *count = -1 where it cannot be determined, or where
 * the tangent is not symmetric, as under forces that follow: there the number may change although
 * the tangent is regular.  `expected`: the number nearby, -1 = not known.  MEMORY. */
torsor_status unstable_count(int *count, const equilibrium *e, int expected);

/** The same where the tangent need not be symmetric: directions of divergence, its real negative
 * eigenvalues. */
torsor_status unstable_diverging(int *count, const equilibrium *e);

#endif
