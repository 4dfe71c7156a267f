/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LOAD_PATH_H
#define TORSOR_ANALYSIS_LOAD_PATH_H

#include <torsor/statics.h>

#include "analysis/statics/equilibrium.h"

/** A point with what its tangent tells. */
typedef struct path_point {
  static_point p;
  bool known; /* the rest is: the tangent is not singular */
  double *
      direction; /* [nv + nl] of the path in (u, k lambda); arc length: of length 1 with the load */
  double load;   /* its part in the load; else 1 */
  int sign;      /* of the tangent's determinant, 1 with an even number of unstable directions */
  int unstable;  /* directions; -1: not known */
  double pivot_ratio;
} path_point;

/** The path of equilibria and where it is. */
typedef struct load_path {
  equilibrium e;
  const torsor_statics *settings;
  bool arc;   /* steps are lengths of arc, not of load */
  bool found; /* path->now is in equilibrium: without load there may be none */
  path_point now, next, critical;
  double critical_step; /* from path->now to path->critical */
  double *null;         /* [nv + nl] direction in which a critical point is neutral */
  void (*warn)(void *data, const char *message);
  void *data;
} load_path;

/** Memory, and equilibrium at load 0 near q, if it is `found`.  The assembly knows already whether
 * rows are redundant. */
torsor_status load_path_start(load_path *path, assembly *a, const torsor_model *model,
                              const torsor_statics *settings, const double *q, arena *memory,
                              torsor_counters *counters, torsor_error *error);

/** Try path->next at a step from path->now. */
torsor_status load_path_try(load_path *path, double step);

/** path->next becomes path->now, and joint coordinates follow. */
void load_path_accept(load_path *path);

/** path->next at the load given, near path->now and path->next (arc length). */
torsor_status load_path_meet(load_path *path, double load);

/** Is there a critical point between path->now and path->next?  `limit`: the load turns back
 * there. */
bool load_path_is_critical(const load_path *path, bool *limit);

/** How many directions become unstable between them, negative: stable again; 0 where that is not
 * known. */
int load_path_turned(const load_path *path);

/** path->critical: that point, between 0 and `step`.  NEWTON: there is none, the path jumped to
 * another one, or it cannot be come near to.  path->next is then lost. */
torsor_status load_path_locate(load_path *path, double step, bool limit);

/** Do all directions that become unstable between path->now and the point at `step`, which has
 * `unstable` of them, become so within `near` of path->critical?  NEWTON: no.  path->next is then
 * lost. */
torsor_status load_path_confirm(load_path *path, double step, int unstable, double near);

#endif
