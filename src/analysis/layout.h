/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LAYOUT_H
#define TORSOR_ANALYSIS_LAYOUT_H

#include <torsor/frame.h>

#include "base/arena.h"

/** Counts of a model, without names. */
torsor_layout layout_count(const torsor_model *model);

/** Arrays from `memory` for the counts that stand in `out`; false when memory is short. */
bool layout_take(torsor_layout *out, arena *memory);

#endif
