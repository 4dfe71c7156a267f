/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_KINKS_H
#define TORSOR_ANALYSIS_KINKS_H

#include "analysis/statics/equilibrium.h"

/** *part of a correction at which a slope, negative at 0 and growing, has fallen to half: less or
 * more than 1, at most `most`. NEWTON where it does not begin negative, or what `slope` answers
 * with a negative status; at a place with a positive one nothing can be evaluated. */
torsor_status slope_search(double *part, torsor_status (*slope)(void *self, double s, double *out),
                           void *self, double most);

/** The same for the correction e->x of a point in the mixed form, whose tangent is that of stresses
 * which the correction foresees: along it elements with stresses are linear, and all other forces
 * are as they are. */
torsor_status kinks_search(double *part, equilibrium *e, const static_point *p, double load,
                           double size);

#endif
