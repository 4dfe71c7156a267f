/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LOAD_PATH_H
#define TORSOR_ANALYSIS_LOAD_PATH_H

#include <torsor/statics.h>

#include "analysis/statics/equilibrium.h"

/** A point of the load path, with properties of its tangent. */
typedef struct path_point {
  static_point p;
  bool known;        /* the other members are known: the tangent is not singular */
  double *direction; /* [nv + nl] of the path in (u, k lambda), see `orient` */
  double load;       /* its component in the load; 1 without arc length */
  int sign;     /* sign of the tangent's determinant: 1 for an even number of unstable directions */
  int unstable; /* number of unstable directions; -1: not known */
  double pivot_ratio;
} path_point;

/** The path of equilibria under a growing load (arc-length continuation), and the present point on
 * it. */
typedef struct load_path {
  equilibrium e;
  const torsor_statics *settings;
  bool arc;   /* steps are arc lengths, not increments of the load */
  bool found; /* path->now is in equilibrium; there may be none without load */
  path_point now, next, critical;
  double critical_step; /* step from path->now to path->critical */
  double *null;         /* [nv + nl] null vector of the tangent at a critical point */
  void (*warn)(void *data, const char *message);
  void *data;
} load_path;

/** Takes the memory and finds the equilibrium at load 0 near q, if there is one (`found`).  Whether
 * rows are redundant must have been set in the assembly. */
torsor_status load_path_start(load_path *path, assembly *a, const torsor_model *model,
                              const torsor_statics *settings, const double *q, arena *memory,
                              torsor_counters *counters, torsor_error *error);

/** Tries a step from path->now to path->next. */
torsor_status load_path_try(load_path *path, double step);

/** Accepts path->next as path->now; joint coordinates follow. */
void load_path_accept(load_path *path);

/** Finds path->next at the given load, near path->now and path->next (arc length). */
torsor_status load_path_meet(load_path *path, double load);

/** Is there a critical point between path->now and path->next?  `limit`: it is a limit point, where
 * the load turns back. */
bool load_path_is_critical(const load_path *path, bool *limit);

/** Returns how many directions become unstable between them; negative: stable again; 0 where that
 * is not known. */
int load_path_turned(const load_path *path);

/** Locates that point, path->critical, between 0 and `step`.  NEWTON: there is none, the path
 * jumped to another branch, or the point cannot be approached.  path->next is then lost. */
torsor_status load_path_locate(load_path *path, double step, bool limit);

/** Checks that all directions which become unstable between path->now and the point at `step`,
 * which has `unstable` of them, do so within `near` of path->critical.  NEWTON: they do not.
 * path->next is then lost. */
torsor_status load_path_confirm(load_path *path, double step, int unstable, double near);

#endif
