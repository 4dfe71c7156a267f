/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_MOBILITY_H
#define TORSOR_ANALYSIS_MOBILITY_H

#include "assembly/assembly.h"

/** Warns where the joints leave no velocity free at q [nq] and nothing drives them: the scene
 * cannot move.  Where a row that is barely independent of others is the reason, the warning names
 * it. */
torsor_status mobility_tell(assembly *a, const torsor_model *model, const double *q,
                            void (*tell)(void *data, const char *message), void *data);

#endif
