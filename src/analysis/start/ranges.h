/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RANGES_H
#define TORSOR_ANALYSIS_RANGES_H

#include "assembly/assembly.h"

/** Refuses an initial state with INCONSISTENT where `status` is TORSOR_DOMAIN: names the element
 * that is outside its range, the range, and the remedy.  Any other status is described by its
 * text. */
torsor_status ranges_refuse(const assembly *a, const torsor_model *model, torsor_status status,
                            torsor_error *error);

/** Adds the hint where an element failed with TORSOR_DOMAIN during a run: its range, and the
 * remedy. */
void ranges_hint(const torsor_model *model, int element, torsor_error *error);

#endif
