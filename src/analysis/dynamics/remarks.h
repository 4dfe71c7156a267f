/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REMARKS_H
#define TORSOR_ANALYSIS_REMARKS_H

#include <torsor/analysis.h>

#include "analysis/observe/signal_errors.h"

/** Reports a run that has ended to `tell`, a line for each finding: steps that are too
 * coarse, velocities that jumped or do not meet the constraints, change points. */
void remarks_tell(const torsor_integrator *integrator, const torsor_model *model,
                  const torsor_simulation *simulation, const signal_errors *errors,
                  void (*tell)(void *data, const char *message), void *data);

#endif
