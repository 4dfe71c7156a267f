/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REMARKS_H
#define TORSOR_ANALYSIS_REMARKS_H

/** What an integrator has noted of a motion, in words. */

#include <torsor/integrator.h>
#include <torsor/model.h>

/** Once the run has ended: tell of velocities that jumped. */
void remarks_tell_impulse(const torsor_integrator *integrator, const torsor_model *model,
                          void (*tell)(void *data, const char *message), void *data);

#endif
