/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_BRANCHES_H
#define TORSOR_ANALYSIS_BRANCHES_H

#include "assembly/assembly.h"

/** INCONSISTENT where a joint is astray at q (`astray` of torsor_element_type): its rows hold, but
 * in a position that it does not mean. */
torsor_status branches_check(assembly *a, const torsor_model *model, const double *q,
                             torsor_error *error);

/** Turn bodies that are placed by guess, whose frames are `guess` [nq], so that joints which are
 * astray at `q`, where the guess has led, stand as they shall.  False where none can be turned. */
bool branches_turn(double *guess, assembly *a, const torsor_model *model, const double *q);

#endif
