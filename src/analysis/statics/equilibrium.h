/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EQUILIBRIUM_H
#define TORSOR_ANALYSIS_EQUILIBRIUM_H

#include <torsor/analysis.h>

#include "assembly/assembly.h"

/** Equilibria by Newton's method: r(q, lambda, load) = 0, Phi(q, load) = 0 at rest and t = 0, on
 * the group of q (docs/theory.md, "Statics"). */

/** A point of the load path. */
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
  double tolerance;    /* of corrections, relative to `length`, or rad */
  int max_iterations;  /* per point */
  double *rows;        /* [nl] scales of rows that depend on each other */
  double *weight;      /* [nv] of the metric <u, u> = sum weight u^2 */
  double load_weight;  /* weight of load^2 in the metric */
  double *x, *r, *phi; /* [nv + nl], [nv], [nl] */
  double *rate;        /* [nv + nl] d(u, k lambda)/dload with the last factorisation */
  double *aside;       /* [nv + nl] */
  twist *moves;        /* [nodes] work of the line search */
  static_point trial, begin;
  torsor_counters *counters;
  stopwatch *watch; /* measures the time of the line search; NULL: nothing is timed */
  int iterations;   /* number of iterations of the last point */
  bool was_regular; /* a singular tangent belongs to a critical point that was met exactly: a little
                mass regularises it */
  bool sticks; /* friction keeps in place what no force moves, which a little mass represents */
  /** Called with each correction of Newton's method; NULL: not wanted. */
  void (*corrected)(void *data, double load, int iteration, double size);
  void *data;
} equilibrium;

/** Creates an equilibrium search; length, weights and scales are those at q.  Memory comes from
 * `memory`. */
torsor_status equilibrium_create(equilibrium *out, assembly *a, const torsor_model *model,
                                 const double *q, arena *memory);

/** Take memory for a point, and copy one. */
torsor_status static_point_create(static_point *out, const torsor_model *model, arena *memory);
void static_point_copy(static_point *to, const static_point *from, const torsor_model *model);

/** Evaluates r [nv] and phi [nl] of a point.  Fails with NONFINITE, too. */
torsor_status equilibrium_residual(equilibrium *e, const static_point *p);

/** Solves for the correction: x [nv + nl] = minus the solution of the system factored last for the
 * residual (k r, phi); and returns its size, the largest component relative to the model's size, or
 * in rad. */
torsor_status equilibrium_solve(equilibrium *e, double *x);
double equilibrium_size(const equilibrium *e, const double *x);

/** Factors the tangent at a point, plus `mass` times the mass matrix over its scale. */
torsor_status equilibrium_factor(equilibrium *e, const static_point *p, double mass);

/** Finds e->rate at a point whose tangent is factored. */
torsor_status equilibrium_rate(equilibrium *e, const static_point *p);

/** Moves a point by s along a direction d [nv + nl] of (u, k lambda) and of the load. */
static inline void equilibrium_move(const equilibrium *e, static_point *to,
                                    const static_point *from, const double *d, double load,
                                    double s) {
  const torsor_problem *pr = e->problem;
  for (int i = 0; i < pr->nv; ++i) e->aside[i] = s * d[i];
  pr->plus(pr->self, to->q, from->q, e->aside);
  for (int i = 0; i < pr->nl; ++i) to->lambda[i] = from->lambda[i] + s * d[pr->nv + i] / e->k;
  to->load = from->load + s * load;
}

/** Foresees stresses: Newton's iteration of the next point begins with the stresses that a step s
 * along d, from a point in equilibrium, predicts. */
void equilibrium_foresee(equilibrium *e, const static_point *from, const double *d, double s);

/** Returns the scalar product <x, y> of the velocity parts. */
double equilibrium_dot(const equilibrium *e, const double *x, const double *y);

/** Moves `p` into equilibrium at its load or, with `free_load`, across the path to the nearest
 * point on it, whose load may differ.  After NEWTON, SINGULAR, DOMAIN or NONFINITE p is somewhere
 * on the way. */
torsor_status equilibrium_find(equilibrium *e, static_point *p, bool free_load);

/** Finds the multipliers of a point, lambda [nl], that come nearest to balance in the metric of the
 * mass matrix. */
torsor_status equilibrium_guess(equilibrium *e, static_point *p);

#endif
