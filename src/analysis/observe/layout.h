/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LAYOUT_H
#define TORSOR_ANALYSIS_LAYOUT_H

#include <torsor/frame.h>

#include "base/arena.h"

/** Counts the quantities of a model, without names; stresses where `fields` has them. */
torsor_layout layout_count(const torsor_model *model, unsigned fields);
/** Returns the number of stresses of an element; of_place receives that of one section point. */
int layout_stresses(const torsor_element_type *type, const void *instance, int *of_place);

/** Takes arrays from `memory` for the counts in `out`; returns false without memory. */
bool layout_take(torsor_layout *out, arena *memory);

#endif
