/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_NEWTON_H
#define TORSOR_INTEGRATOR_NEWTON_H

/** Modified Newton iteration with a chord matrix, shared by the methods.
 *
 *  The factors of the iteration matrix are kept over iterations and over steps as long as that is
 *  cheaper than renewing them, which contraction rates decide (as in Hairer and Wanner, Solving
 *  Ordinary Differential Equations II, section IV.8).  Decisions depend on numbers of the iteration
 *  alone, never on clocks, so that equal input gives equal output. */

#include <stdbool.h>

#include <torsor/integrator.h>

#include "base/tape.h"

enum { NEWTON_BLOCKS = 4 };

/** A part of the correction, such as increments or multipliers, with a tolerance for its largest
 *  entry. */
typedef struct newton_block {
  const double *data;
  int length;
  double tolerance; /* requested: set by the method for every step */
  double floor;     /* estimated size of corrections that are rounding errors */
  double peak;      /* largest entry of the last correction */
} newton_block;

/** The nonlinear system of one step. */
typedef struct newton_system {
  void *self;
  /** Set the iterate to its predictor, and the tolerances of the blocks. */
  void (*predict)(void *self);
  /** x = minus the scaled residual at the iterate. */
  torsor_status (*residual)(void *self, double *x);
  /** Factor the iteration matrix at the iterate. */
  torsor_status (*factor)(void *self);
  torsor_status (*solve)(void *self, double *x);
  /** Fill the data of blocks that are no part of x. */
  void (*measure)(void *self, const double *x);
  /** Add the measured correction x to the iterate. */
  void (*correct)(void *self, const double *x);
  /** x = estimate of the rounding errors of a residual at the iterate. */
  torsor_status (*roundoff)(void *self, double *x);
} newton_system;

typedef struct newton {
  newton_block blocks[NEWTON_BLOCKS];
  int block_count;
  double *x; /* correction: all unknowns */
  const torsor_problem *problem;
  int max_iterations;
  double factor_cost; /* of a factorisation with its matrix, in iterations */

  bool factored;   /* factors exist */
  bool halved;     /* a solution leaves its effect on the equations solved before to the next one */
  bool made_here;  /* they were made in this step */
  bool floored;    /* the floors of the blocks were estimated with them ... */
  bool has_floors; /* ... or at least with earlier ones */
  long age;        /* number of steps that the factors have served */
  double spent;    /* iterations of these steps, with fractions */
  double cost;     /* iterations of the last step, 0 where the factors were made in it */
  int doubt;      /* number of steps that renew the factors at once, as some did not last two ... */
  int doubted;    /* ... and how many of them are left */
  double fresh;   /* contraction rate of factors in the step that made them */
  double seen;    /* largest contraction rate of the present ones in later steps, ... */
  long seen_age;  /* ... their age in the last step that showed one, 0 = none, ... */
  double hidden;  /* ... and the rate below which that step could not show any */
  double first;   /* norm of the first correction of the last step */
  bool jumped;    /* in the last step forces jumped: its values are no history to predict from */
  bool met;       /* the first correction was within the tolerances or the floors */
  int iterations; /* of the last call */
} newton;

/** Walks over the state of the iteration: everything but the data of the blocks and x, which belong
 *  to the method. */
void newton_walk(newton *n, tape *t);

/** Sets what does not change from step to step. */
void newton_limit(newton *n, int max_iterations, const torsor_problem *problem);

/** Sets the start values of the fields that the method leaves alone. */
void newton_init(newton *n);

/** Discards the factors: the step size has changed or another matrix was factored. */
void newton_forget(newton *n);

/** Discards the factors and the floors, as the step was rejected: diverged iterates may lie where
 *  rounding errors are much larger. */
void newton_reject(newton *n);

/** Records that the matrix was factored anew at the end of the last step. */
void newton_renewed(newton *n);

/** Uses the factors of `from`, whose matrix is close. */
void newton_share(newton *n, const newton *from);

/** Did the last newton_solve use the factors that existed before? */
bool newton_is_shared(const newton *n);

/** Solves the system from its predictor.  The iteration ends where the estimated error
 *  theta/(1 - theta) |correction|, with the contraction rate theta, is within the tolerance, or
 * where only rounding errors are left.  NEWTON, NONFINITE, SINGULAR or what the system's functions
 * return. */
torsor_status newton_solve(newton *n, const newton_system *s, torsor_counters *counters);

#endif
