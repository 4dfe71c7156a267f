/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_MOBILITY_H
#define TORSOR_ANALYSIS_MOBILITY_H

#include "assembly/assembly.h"

/** Tell where the joints leave no velocity free at q [nq] and nothing leads them: the scene cannot
 * move.  Where a row that is just independent of others is what keeps it, that row is named. */
torsor_status mobility_tell(assembly *a, const torsor_model *model, const double *q,
                            void (*tell)(void *data, const char *message), void *data);

#endif
