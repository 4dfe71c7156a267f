/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_BUCKLING_H
#define TORSOR_ANALYSIS_BUCKLING_H

#include "analysis/statics/load_path.h"

/** Linear buckling analysis: finds the loads f at which the tangent A + f dA/dload of path->now is
 * singular, `count` of them, at most `wanted`, the nearest to 0 first.  Fails with DOMAIN, SINGULAR
 * etc. */
torsor_status buckling_find(double *factor, int *count, int wanted, load_path *path, arena *memory);

#endif
