/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_NEWTON_H
#define TORSOR_INTEGRATOR_NEWTON_H

/** Simplified Newton iteration shared by the methods.  The factorisation is kept over iterations
 *  and over steps while that is cheaper; all decisions rest on numbers of the iteration, never on
 *  clocks, so that equal input gives equal output. */

#include <stdbool.h>

#include <torsor/integrator.h>

#include "base/tape.h"

enum { NEWTON_BLOCKS = 4 };

/** A part of the correction that is measured by its largest entry. */
typedef struct newton_block {
  const double *data;
  int length;
  double tolerance; /* requested: set by the method for every step */
  double floor;     /* what rounding errors alone move it by */
  double peak;      /* largest entry of the last correction */
} newton_block;

/** The nonlinear system of one step. */
typedef struct newton_system {
  void *self;
  /** Put the iterate to its prediction and set the blocks' tolerances. */
  void (*predict)(void *self);
  /** x = minus the scaled residual at the iterate. */
  torsor_status (*residual)(void *self, double *x);
  /** Factor the iteration matrix at the iterate. */
  torsor_status (*factor)(void *self);
  torsor_status (*solve)(void *self, double *x);
  /** Fill the blocks' data that are not part of x. */
  void (*measure)(void *self, const double *x);
  /** Add the measured correction x to the iterate. */
  void (*correct)(void *self, const double *x);
  /** x = rounding errors that a residual at the iterate has. */
  torsor_status (*roundoff)(void *self, double *x);
} newton_system;

typedef struct newton {
  newton_block blocks[NEWTON_BLOCKS];
  int block_count;
  double *x; /* correction: all unknowns */
  const torsor_problem *problem;
  int max_iterations;
  double factor_cost; /* of a factorisation with its matrix, in iterations */

  bool factored;   /* a factorisation is there */
  bool made_here;  /* it was made in this step */
  bool floored;    /* the blocks' floors were found with it... */
  bool has_floors; /* ... or at least with an earlier one */
  long age;        /* steps that it has served */
  double spent;    /* and the iterations that they took, with fractions */
  double cost;     /* those of the last step, unless it was made in that */
  int doubt;       /* so many steps renew it at once, as it did not last two steps ... */
  int doubted;     /* ... and so many are left of them */
  double fresh;    /* contraction that a factorisation gives in its own step */
  double seen;     /* the largest that it gave in later ones, ... */
  long seen_age;   /* ... its age in the last that tells, 0 = none, ... */
  double hidden;   /* ... and what rate that one could not have told */
  double first;    /* norm of the first correction of the last step */
  bool met;        /* that was within the tolerances, or what rounding errors do */
  int iterations;  /* of the last call */
} newton;

/** All that moves and is not the method's: everything but the data of the blocks and x. */
void newton_walk(newton *n, tape *t);

/** What does not move. */
void newton_limit(newton *n, int max_iterations, const torsor_problem *problem);

/** Start values of the fields that the method does not set. */
void newton_init(newton *n);

/** Forget the factorisation: the step size changed or something else was factored. */
void newton_forget(newton *n);

/** The step was refused: what its iterates told of rounding errors is forgotten, too.  Iterates
 * that went astray may lie where these are much larger. */
void newton_reject(newton *n);

/** Use the factorisation that `from` has, of a matrix that is near. */
void newton_share(newton *n, const newton *from);

/** Whether the last newton_solve made do with the factorisation that it found. */
bool newton_is_shared(const newton *n);

/** Solve from the prediction.  Stops when the estimated error theta/(1-theta) |correction| is
 * within the tolerance, or when rounding errors are all that is left.  NEWTON, NONFINITE, SINGULAR
 * or what the system's functions return. */
torsor_status newton_solve(newton *n, const newton_system *s, torsor_counters *counters);

#endif
