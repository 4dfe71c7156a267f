/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PERIODIC_H
#define TORSOR_PERIODIC_H

/** Periodic motions and their stability (docs/theory.md, "Periodic motions"). */

#include <torsor/run.h>

TORSOR_BEGIN_DECLS

/** Begin with TORSOR_PERIODIC_SETTINGS_INIT; see torsor_settings. */
typedef struct torsor_periodic_settings {
  size_t size;        /* of this struct, set by TORSOR_PERIODIC_SETTINGS_INIT */
  double period;      /* s; a first guess where it is an unknown */
  bool unknown;       /* the period is one: nothing in the model depends on time */
  int steps;          /* steps of the method `radau` in a period; 0 = 200 */
  int settle;         /* periods that the motion is followed for before the search begins */
  double tolerance;   /* largest gap after a period: parts of the model's length and speed, rad;
                         0 = 1e-9 */
  int max_iterations; /* of Newton's method; 0 = 30 */
} torsor_periodic_settings;
#define TORSOR_PERIODIC_SETTINGS_INIT                                                              \
  { .size = sizeof(torsor_periodic_settings) }

/** How a periodic motion loses its stability, as its largest multiplier says. */
typedef enum torsor_orbit_kind {
  TORSOR_ORBIT_STABLE, /* all multipliers are within the unit circle, but those that must be 1 */
  TORSOR_ORBIT_FOLD,   /* the largest is real and above 1: fold or breaking of a symmetry */
  TORSOR_ORBIT_FLIP,   /* it is real and below -1: the period doubles */
  TORSOR_ORBIT_QUASI,  /* a pair of them is outside the circle: a second frequency appears */
  TORSOR_ORBIT_NEUTRAL /* the largest is on the circle to round-off: it is not decided */
} torsor_orbit_kind;

typedef struct torsor_periodic {
  double period; /* s */
  double gap;    /* largest difference after a period that is left, see `tolerance` */
  int iterations;
  int count; /* states: multipliers */
  /** [count] Floquet multipliers by magnitude, largest first; both of a pair. */
  const double *multiplier_re, *multiplier_im;
  int trivial; /* index of the multiplier 1 of a motion whose period is unknown; -1: none */
  torsor_orbit_kind kind;
  int nq, nv;
  const double *q, *v; /* [nq], [nv] state at t = 0 */
} torsor_periodic;

/** Find a periodic motion near that of the scene by Newton's method on the state after a period
 *  (shooting), and its multipliers.  NEWTON where the search does not converge; ARGUMENT where
 *  nothing can be periodic with this period.  Of the hooks, which may be NULL, `threads` counts.
 * Free with torsor_periodic_destroy. */
TORSOR_API torsor_status torsor_periodic_find(torsor_periodic **out, const torsor_model *model,
                                              const torsor_simulation *simulation,
                                              const torsor_periodic_settings *settings,
                                              const torsor_hooks *hooks, torsor_error *error);
TORSOR_API void torsor_periodic_destroy(torsor_periodic *periodic);

/** A run of the model as a periodic search makes it, at the motion that was found: constant steps
 * of `radau`, a whole number in a period. */
TORSOR_API torsor_status torsor_periodic_run(torsor_run **out, const torsor_periodic *periodic,
                                             const torsor_model *model,
                                             const torsor_simulation *simulation,
                                             const torsor_periodic_settings *settings,
                                             torsor_error *error);

/** A periodic motion on a branch. */
typedef struct torsor_branch_point {
  double parameter, period;
  double along; /* length of the branch up to it: see torsor_branch_settings */
  bool fold;    /* the parameter turns here; the point lies between those before and after it */
  int count;    /* Floquet multipliers, by magnitude, largest first */
  const double *multiplier_re, *multiplier_im;
  torsor_orbit_kind kind;
} torsor_branch_point;

/** Begin with TORSOR_BRANCH_SETTINGS_INIT; see torsor_settings. */
typedef struct torsor_branch_settings {
  size_t size;     /* of this struct, set by TORSOR_BRANCH_SETTINGS_INIT */
  double from, to; /* of the parameter: the branch begins at one end and is followed until it leaves
                      the range */
  double step;     /* largest step along the branch, 0 = 0.1: changes of positions in parts of the
                      model's length, rad, velocities alike per radian of the period, and of the
                      parameter in parts of its range are the sides of a right angle */
  int points;      /* most points, 0 = 500 */
  void *data;
  /** The model with this value of the parameter, and the period of what drives it (s).  It has the
   * unknowns of all others. */
  torsor_status (*build)(void *data, double parameter, const torsor_model **model, double *period,
                         torsor_error *error);
  void (*drop)(void *data, const torsor_model *model);
  /** A point was found: `run` of `model` stands at its beginning, and may be run on.  A status that
   * is not OK ends the branch. */
  torsor_status (*found)(void *data, const torsor_branch_point *point, const torsor_model *model,
                         torsor_run *run, torsor_error *error);
} torsor_branch_settings;
#define TORSOR_BRANCH_SETTINGS_INIT                                                                \
  { .size = sizeof(torsor_branch_settings) }

/** Follow periodic motions over a parameter by pseudo-arc length, through folds, from that near the
 * initial state of the model at `from`.  The period must be given.  Fails as torsor_periodic_find
 * does; STEP where the branch cannot be followed on. */
TORSOR_API torsor_status torsor_periodic_follow(const torsor_branch_settings *branch,
                                                const torsor_simulation *simulation,
                                                const torsor_periodic_settings *settings,
                                                const torsor_hooks *hooks, torsor_error *error);

TORSOR_END_DECLS

#endif
