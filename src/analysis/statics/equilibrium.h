/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EQUILIBRIUM_H
#define TORSOR_ANALYSIS_EQUILIBRIUM_H

#include <torsor/analysis.h>

#include "assembly/assembly.h"

/** Newton's method for r(q, lambda, load) = 0, Phi(q, load) = 0 at rest and t = 0, on the group of
 * q. */

/** A point of the path. */
typedef struct static_point {
  double load;
  double *q, *lambda; /* [nq], [nl] */
} static_point;

typedef struct equilibrium {
  assembly *a;
  const torsor_problem *problem;
  const torsor_model *model;
  bool all;            /* gravity and given forces are multiplied by the load */
  double length;       /* scale of positions, m */
  double k;            /* factor of forces: 1 over the scale of stiffnesses */
  double tolerance;    /* of corrections: parts of `length`, rad */
  int max_iterations;  /* per point */
  double *rows;        /* [nl] scales of rows that depend on each other */
  double *weight;      /* [nv] of the metric <u, u> = sum weight u^2 */
  double load_weight;  /* of load^2 in it */
  double *x, *r, *phi; /* [nv + nl], [nv], [nl] */
  double *rate;        /* [nv + nl] d(u, k lambda)/dload with the last factorisation */
  double *aside;       /* [nv + nl] */
  twist *moves;        /* [nodes] work of the line search */
  static_point trial, begin;
  torsor_counters *counters;
  stopwatch *watch; /* of the line search; NULL: nothing is timed */
  int iterations;   /* of the last point */
  bool held;        /* a singular tangent is that of a critical point, met exactly: a little mass
                     * regularises        it */
  bool sticks;      /* friction holds what no force moves: a little mass does */
  /** Newton's corrections, as they come; NULL: not wanted. */
  void (*corrected)(void *data, double load, int iteration, double size);
  void *data;
} equilibrium;

/** Memory comes from `memory`; length, weights and scales are those at q. */
torsor_status equilibrium_create(equilibrium *out, assembly *a, const torsor_model *model,
                                 const double *q, arena *memory);

/** Memory for a point, and the copy of one. */
torsor_status static_point_create(static_point *out, const torsor_model *model, arena *memory);
void static_point_copy(static_point *to, const static_point *from, const torsor_model *model);

/** r [nv] and phi [nl] of a point; NONFINITE as well. */
torsor_status equilibrium_residual(equilibrium *e, const static_point *p);

/** x [nv + nl] = minus the solution of the system last factored for the residual (k r, phi), and
 * its size: the largest part of the model's size, or rad. */
torsor_status equilibrium_solve(equilibrium *e, double *x);
double equilibrium_size(const equilibrium *e, const double *x);

/** Factor the tangent at a point, with `mass` times the mass matrix over its scale. */
torsor_status equilibrium_factor(equilibrium *e, const static_point *p, double mass);

/** e->rate at a point whose tangent is factored. */
torsor_status equilibrium_rate(equilibrium *e, const static_point *p);

/** p moved along a direction d [nv + nl] of (u, k lambda) and of the load. */
void equilibrium_move(const equilibrium *e, static_point *to, const static_point *from,
                      const double *d, double load, double s);

/** Newton's iteration of the next point begins with the stresses that a step s along d, from a
 * point in equilibrium, lets expect. */
void equilibrium_foresee(equilibrium *e, const static_point *from, const double *d, double s);

/** <x, y> of the velocity parts. */
double equilibrium_dot(const equilibrium *e, const double *x, const double *y);

/** Move `p` into equilibrium at its load or, with `free_load`, across the path to its nearest
 * point, whose load may be another.  After NEWTON, SINGULAR, DOMAIN or NONFINITE p is somewhere on
 * the way. */
torsor_status equilibrium_find(equilibrium *e, static_point *p, bool free_load);

/** lambda of a point [nl] that comes nearest to balance in the metric of the mass matrix. */
torsor_status equilibrium_guess(equilibrium *e, static_point *p);

#endif
