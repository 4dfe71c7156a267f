/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_MATRICES_H
#define TORSOR_ANALYSIS_MATRICES_H

#include <torsor/modes.h>

#include "analysis/eigen/pencil.h"

/** Copies the matrices of the linearised system and the names of its unknowns into `out`. */
torsor_status matrices_copy(torsor_modes *out, const pencil *p, const torsor_model *model);
void matrices_release(torsor_modes *modes);

#endif
