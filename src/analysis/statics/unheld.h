/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_UNHELD_H
#define TORSOR_ANALYSIS_UNHELD_H

#include "analysis/statics/equilibrium.h"

/** Name in `error` the body that moves most where nothing resists at `p`, and the joint coordinate
 * that is free; false when all is held. */
bool unheld_blame(equilibrium *e, const static_point *p, torsor_error *error);

/** Does the model have friction, which could hold what nothing else does? */
bool unheld_may_stick(const torsor_model *model);

#endif
