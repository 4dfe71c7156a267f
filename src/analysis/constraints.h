/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONSTRAINTS_H
#define TORSOR_ANALYSIS_CONSTRAINTS_H

#include <torsor/base.h>

#include "assembly/assembly.h"
#include "assembly/rank.h"

/** Rank of the constraint gradient in the initial configuration. */
torsor_status constraints_rank(row_rank *out, assembly *a, const torsor_model *model);

/** REDUNDANT, naming the first dependent row and what it repeats, unless all rows are independent.
 */
torsor_status constraints_refuse_redundant(assembly *a, const torsor_model *model,
                                           torsor_error *error);

#endif
