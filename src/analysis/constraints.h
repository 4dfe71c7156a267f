/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONSTRAINTS_H
#define TORSOR_ANALYSIS_CONSTRAINTS_H

#include <torsor/base.h>

#include "assembly/assembly.h"
#include "assembly/rank.h"

/** Rank of the constraint gradient in the initial configuration. */
torsor_status constraints_rank(row_rank *out, assembly *a, const torsor_model *model);

/** Where rows are dependent in the initial configuration: make the assembly fit for them and say so in
 *  `message` [size]; "" where all are independent. */
torsor_status constraints_allow_redundant(char *message, size_t size, assembly *a,
                                          const torsor_model *model, const char *solver,
                                          torsor_error *error);

#endif
