/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_UNCONSTRAINED_H
#define TORSOR_ANALYSIS_UNCONSTRAINED_H

#include "analysis/statics/equilibrium.h"

/** Finds an unconstrained direction at `p`, in which neither constraints nor stiffness resist, and
 * names in `error` the body that moves most in it and the joint coordinate that is free.  Returns
 * false where there is none. */
bool unconstrained_blame(equilibrium *e, const static_point *p, torsor_error *error);

/** Does the model have friction, which could keep in place what nothing else does? */
bool unconstrained_may_stick(const torsor_model *model);

#endif
