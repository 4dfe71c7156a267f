/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_WARNINGS_H
#define TORSOR_ANALYSIS_WARNINGS_H

#include "assembly/assembly.h"

/** Warns, in lines of text, of probable oversights in a model: bodies without constraints and
 * forces, numbers that look like those of other units, directions with next to no inertia.  `a`
 * gives the mass matrices; q [nq] is the initial state. */
torsor_status warnings_tell(assembly *a, const torsor_model *model, const double *q,
                            void (*tell)(void *data, const char *message), void *data);

#endif
