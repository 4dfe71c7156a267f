/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_FEATURES_H
#define TORSOR_ANALYSIS_FEATURES_H

#include <torsor/analysis.h>

/** *parts = the least power of two, FEATURES_MOST at most, such that functions of time in the model
 * have no peak, up or down, between neighbours of `intervals` times *parts equal parts of the
 * duration, whatever they are at these: a pulse, or an oscillation, that steps of that size would
 * not see.  Peaks of less than a tenth of what the function covers do not count. */
enum { FEATURES_MOST = 32 };
torsor_status features_find(int *parts, const torsor_model *model, double duration, int intervals);

#endif
