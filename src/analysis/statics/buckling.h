/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_BUCKLING_H
#define TORSOR_ANALYSIS_BUCKLING_H

#include "analysis/statics/load_path.h"

/** Loads f at which the tangent A + f dA/dload of path->now is singular, the nearest to 0 first: at
 * most `wanted`, `count` of them.  DOMAIN, SINGULAR etc. */
torsor_status buckling_find(double *factor, int *count, int wanted, load_path *path, arena *memory);

#endif
