/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RANGES_H
#define TORSOR_ANALYSIS_RANGES_H

#include "assembly/assembly.h"

/** INCONSISTENT, where `status` is TORSOR_DOMAIN at the initial state: names the element that is
 * outside its range, the range and what to do.  Any other status is described by its text. */
torsor_status ranges_refuse(const assembly *a, const torsor_model *model, torsor_status status,
                            torsor_error *error);

/** The hint where the element failed with TORSOR_DOMAIN on the way: what it takes, and what to
 * do. */
void ranges_hint(const torsor_model *model, int element, torsor_error *error);

#endif
