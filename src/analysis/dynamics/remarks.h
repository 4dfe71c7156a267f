/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REMARKS_H
#define TORSOR_ANALYSIS_REMARKS_H

#include <torsor/analysis.h>

#include "analysis/observe/signal_errors.h"

/** Hand to `tell`, a line each, what is to be told of a run that has ended: steps that are too
 * coarse, velocities that jumped or do not meet the constraints, change points. */
void remarks_tell(const torsor_integrator *integrator, const torsor_model *model,
                  const torsor_simulation *simulation, const signal_errors *errors,
                  void (*tell)(void *data, const char *message), void *data);

#endif
