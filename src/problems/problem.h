/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_PROBLEM_H
#define TORSOR_PROBLEMS_PROBLEM_H

/** Test problems of the literature with reference solutions, for measuring orders of
 *  convergence. */

#include <stdbool.h>

#include <torsor/integrator.h>

/** Most coordinates, velocities or multipliers that one of them has. */
enum { PROBLEM_SIZE = 8 };

/** A state of the solution.  `a` is v'. */
typedef struct problem_state {
  double q[PROBLEM_SIZE], v[PROBLEM_SIZE], a[PROBLEM_SIZE], lambda[PROBLEM_SIZE];
} problem_state;

/** A signal of a problem: `count` numbers from `first` on of q, v, v' or lambda. */
typedef struct problem_signal {
  const char *name; /* NULL ends a list */
  enum { PROBLEM_Q, PROBLEM_V, PROBLEM_A, PROBLEM_LAMBDA } of;
  int first, count;
  bool quaternion; /* q and -q are the same */
} problem_signal;

typedef struct problem {
  const char *name, *title, *source;
  double end;     /* s */
  double rho_inf; /* as in the paper */
  torsor_dense (*dense)(void);
  /** Solution at the times n spacing, n = 0 .. count - 1; the first is the start.  MEMORY. */
  torsor_status (*solve)(problem_state *out, int count, double spacing);
  const problem_signal *signals;
} problem;

/** The problems; NULL past the end. */
const problem *problem_at(int i);

#endif
