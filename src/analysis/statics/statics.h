/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STATICS_H
#define TORSOR_ANALYSIS_STATICS_H

#include <torsor/statics.h>

#include "assembly/assembly.h"

/** Finds the equilibrium at load 1, q [nq], along the path that begins at the scene's values; joint
 * coordinates of `a` follow.  Of the hooks, `stop` and `warn` are used. */
torsor_status statics_settle(double *q, assembly *a, const torsor_model *model,
                             const torsor_statics *statics, const char *linear_solver,
                             const torsor_hooks *hooks, torsor_error *error);

#endif
