/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LAYOUT_H
#define TORSOR_ANALYSIS_LAYOUT_H

#include <torsor/frame.h>

#include "base/arena.h"

/** Counts of a model, without names; stresses where `fields` has them. */
torsor_layout layout_count(const torsor_model *model, unsigned fields);
/** Stresses of an element, and of one place of it. */
int layout_stresses(const torsor_element_type *type, const void *instance, int *of_place);

/** Arrays from `memory` for the counts that stand in `out`; false when memory is short. */
bool layout_take(torsor_layout *out, arena *memory);

#endif
