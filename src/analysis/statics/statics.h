/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STATICS_H
#define TORSOR_ANALYSIS_STATICS_H

#include <torsor/statics.h>

#include "assembly/assembly.h"

/** q [nq] = equilibrium at load 1, found from the scene's values along the path; joint coordinates
 * of `a` have followed.  Of the hooks `stop` and `warn` are used. */
torsor_status statics_settle(double *q, assembly *a, const torsor_model *model,
                             const torsor_statics *statics, const char *linear_solver,
                             const torsor_hooks *hooks, torsor_error *error);

#endif
