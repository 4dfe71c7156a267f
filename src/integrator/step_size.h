/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_STEP_SIZE_H
#define TORSOR_INTEGRATOR_STEP_SIZE_H

/** Step-size control: what size is wanted after a step with the errors in integrator->control. */

#include "method.h"

/** Errors below this part of what is allowed count as this. */
double step_size_least_error(const torsor_integrator *integrator);

/** After a step that was taken. */
double step_size_after(const torsor_integrator *integrator);

/** After one that was refused. */
double step_size_refused(const torsor_integrator *integrator);

#endif
