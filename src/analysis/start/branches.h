/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_BRANCHES_H
#define TORSOR_ANALYSIS_BRANCHES_H

#include "assembly/assembly.h"

/** Fails with INCONSISTENT where a joint is on its wrong branch at q (`astray` of
 * torsor_element_type): its rows are satisfied, but in a position that it does not mean. */
torsor_status branches_check(assembly *a, const torsor_model *model, const double *q,
                             torsor_error *error);

/** Rotates bodies that are placed by guess, `guess` [nq], so that joints which are on the wrong
 * branch at `q`, where the guess has led, are on the right one.  Returns false where none can be
 * rotated. */
bool branches_turn(double *guess, assembly *a, const torsor_model *model, const double *q);

#endif
