/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_FEATURES_H
#define TORSOR_ANALYSIS_FEATURES_H

#include <torsor/analysis.h>

/** Finds how finely a time grid must resolve the functions of a model: *parts is the least power of
 * two, at most FEATURES_MOST, such that functions of time have no peak, up or down, between
 * neighbouring points of `intervals` times *parts equal parts of the duration.  A step of that size
 * would miss such a pulse or oscillation.  Peaks of less than a tenth of the function's range do
 * not count. */
enum { FEATURES_MOST = 32 };
torsor_status features_find(int *parts, const torsor_model *model, double duration, int intervals);

#endif
