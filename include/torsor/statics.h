/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_STATICS_H
#define TORSOR_STATICS_H

/** Equilibria at rest: the path that they follow while the load grows. */

#include <torsor/analysis.h>

TORSOR_BEGIN_DECLS

typedef enum torsor_statics_method {
  TORSOR_STATICS_NEWTON,    /* load control: the load grows in given steps */
  TORSOR_STATICS_ARC_LENGTH /* the load is an unknown: the path continues past limit points */
} torsor_statics_method;

/** The forces that the load factor multiplies, in addition to functions that use the load. */
typedef enum torsor_loading {
  TORSOR_LOADING_AUTO,     /* all, unless a function of the scene uses the load */
  TORSOR_LOADING_ALL,      /* gravity and given forces */
  TORSOR_LOADING_FUNCTIONS /* nothing */
} torsor_loading;

/** Begin with torsor_statics_default, or with a copy of those of a scene; see torsor_settings. */
typedef struct torsor_statics {
  size_t size; /* of this struct */
  torsor_statics_method method;
  torsor_loading loading;
  double until;       /* load at the end; the path begins at 0 */
  int steps;          /* rows of output up to there; arc length: the first step is one of them */
  double arc;         /* arc length: longest step */
  int points;         /* arc length: end after so many points; 0 = go on to `until` */
  bool only_critical; /* rows of output at critical points alone */
  int buckling;       /* linearised buckling factors that are wanted */
  double tolerance;   /* bound on Newton's corrections: relative to the model's size, rad */
  int max_iterations; /* Newton iterations per point before the step is halved */
  int max_halvings;
} torsor_statics;

/** Writes into the `size` bytes of `out`: the settings `from`; NULL: the defaults. */
TORSOR_API void torsor_statics_fit(torsor_statics *out, size_t size, const torsor_statics *from);

static inline torsor_statics torsor_statics_copy(const torsor_statics *from) {
  torsor_statics s;
  torsor_statics_fit(&s, sizeof s, from);
  return s;
}
static inline torsor_statics torsor_statics_default(void) {
  return torsor_statics_copy(NULL);
}

enum { TORSOR_CRITICAL_POINTS = 32, TORSOR_BUCKLING_FACTORS = 16 };

/** A point of the path where the tangent is singular. */
typedef struct torsor_critical_point {
  bool limit; /* the load turns back; else other paths cross */
  double load;
  int directions; /* that become unstable there, negative: stable again; 0: not known */
  long row;       /* its number along the path */
} torsor_critical_point;

typedef struct torsor_statics_summary {
  torsor_status status;
  double load;              /* reached */
  long rows;                /* rows of output */
  torsor_counters counters; /* sizes of steps: load or arc */
  double cpu_seconds, wall_seconds, setup_seconds;
  double max_phi;                      /* over the points */
  double energy_initial, energy_final; /* potential and elastic, J */
  double pivot_ratio;                  /* smallest over largest pivot at the end */
  int unstable; /* unstable directions of the final equilibrium; 0: stable; -1: not known */
  /** Parity of the number of unstable directions at the end: +1 even, -1 odd, 0 not known. */
  int tangent_sign;
  double moved_position; /* by the assembly of the initial state */
  int critical_count;    /* may exceed what is kept */
  torsor_critical_point critical[TORSOR_CRITICAL_POINTS];
  int buckling_count;
  double buckling[TORSOR_BUCKLING_FACTORS]; /* loads, the smallest first */
} torsor_statics_summary;

/** Finds the equilibrium at load 0, starting from the scene's initial values, which must satisfy
 *  the constraints, and follows the equilibrium path.  The hook `record` receives the load instead
 *  of the time or, when only critical points are recorded, their number.  On failure the error
 *  names load and element, and `summary` shows how far the path got. */
TORSOR_API torsor_status torsor_statics_run(torsor_statics_summary *summary,
                                            const torsor_model *model,
                                            const torsor_statics *statics,
                                            const char *linear_solver,
                                            const torsor_signals *signals,
                                            const torsor_hooks *hooks, torsor_error *error);

TORSOR_END_DECLS

#endif
