/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_KINKS_H
#define TORSOR_ANALYSIS_KINKS_H

#include "analysis/statics/equilibrium.h"

/** Line search: finds the fraction *part of a correction at which a slope, negative at 0 and
 * growing, has fallen to half; it may exceed 1, up to `most`.  Fails with NEWTON where the slope is
 * not negative at 0, and with a negative status that `slope` returns; a positive status of it means
 * that nothing can be evaluated at that point. */
torsor_status slope_search(double *part, torsor_status (*slope)(void *self, double s, double *out),
                           void *self, double most);

/** Does the same for the correction e->x of a point in the mixed form, whose tangent has the
 * stresses that the correction foresees: along it, elements with stresses are linear, and all other
 * forces are nonlinear. */
torsor_status kinks_search(double *part, equilibrium *e, const static_point *p, double load,
                           double size);

#endif
