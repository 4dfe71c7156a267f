/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_LINEAR_SOLVER_H
#define TORSOR_ASSEMBLY_LINEAR_SOLVER_H

#include <stdbool.h>

#include <torsor/base.h>

#include "assembly/solver/block_plan.h"
#include "assembly/solver/pattern.h"
#include "base/tape.h"
#include "base/team.h"

/** Most parts of the unknowns that a solver reads, and writes in the end, one by one. */
enum { SOLVER_PARTS = 9 };

/** What is done to the unknowns of a part before they are read, or with `back` after they are
 * written; SOLVER_PARTS: to all of them. */
typedef struct solver_change {
  void (*run)(void *self, double *x, int part, bool back);
  void *self;
} solver_change;

/** One sparse direct solver: a table.  `self` is what analyse made. */
typedef struct linear_solver_type {
  const char *name;
  /** Symbolic analysis of the pattern, which must outlive it; `plan` may be NULL.  MEMORY, or
   * SINGULAR when no values could make the matrix regular, or this solver does not serve. */
  torsor_status (*analyse)(void **self, const pattern *p, const block_plan *plan);
  /** Numeric factorisation with pivoting.  SINGULAR, MEMORY or NONFINITE. */
  torsor_status (*factor)(void *self, const double *Ax);
  /** The same with the pivots of the last factor; NULL = not offered. */
  torsor_status (*refactor)(void *self, const double *Ax);
  /** x <- A^-1 x. */
  torsor_status (*solve)(void *self, double *x);
  /** Optional, and then both: the same around which the unknowns are changed by parts, each by the
   * thread that has it in hand, and the part of an unknown. */
  torsor_status (*solve_changed)(void *self, double *x, const solver_change *change);
  int (*part_of)(const void *self, int unknown);
  /** Smallest over largest pivot of the scaled matrix: a cheap sign of trouble. */
  double (*pivot_ratio)(const void *self);
  /** Sign of the determinant of the last factorisation, 0 where it is not known. */
  int (*sign)(void *self);
  /** Optional: number of negative eigenvalues of the last factorisation's matrix, which is
   * symmetric. */
  int (*negative)(void *self);
  /** Reciprocal pivot growth of the last factorisation (1 = none): 1e-k loses k digits. */
  double (*growth)(void *self);
  /** Optional: what the last factor leaves for refactor to keep, [n]. */
  double *(*pivots)(void *self);
  /** Optional: threads that share the work from now on; NULL: none do. */
  void (*set_team)(void *self, team *t);
  void (*destroy)(void *self);
} linear_solver_type;

extern const linear_solver_type linear_solver_block, linear_solver_klu, linear_solver_umfpack;

/** A matrix pattern with the solver chosen for it and, for bad pivots, KLU behind blocks and
 * UMFPACK behind all. */
typedef struct linear_solver linear_solver;

/** The solver's name as a constant, NULL where there is none called `name`. */
const char *linear_solver_known(const char *name);

/** `name`: "block" (NULL too), "klu" or "umfpack".  Without a plan, or where blocks do not pay,
 * "block" is "klu". */
torsor_status linear_solver_create(linear_solver **out, const char *name, const pattern *p,
                                   const block_plan *plan);
void linear_solver_destroy(linear_solver *solver);

/** Threads that share the work from now on, with the same results to the bit; NULL: none do. */
void linear_solver_set_team(linear_solver *solver, team *t);

/** All that moves, with the values Ax [nonzeros] that are factored, which is returned.
 * Factorisations cannot be written, but come out the same again from the last values and from the
 * pivots, or the values that these were chosen for, which the solver remembers once memory is
 * taken. */
double *linear_solver_walk(linear_solver *solver, double *Ax, tape *t);

/** The values of the last factorisation are about to change: from now on it does not serve. */
void linear_solver_forget(linear_solver *solver);

/** Factor: with the old pivots while they are good, anew when they degrade, by KLU from then on
 * when those of blocks are bad, by UMFPACK when KLU's own are bad.  SINGULAR, or NONFINITE when an
 * entry is not finite: a solve is then SINGULAR. */
torsor_status linear_solver_factor(linear_solver *solver, const double *Ax);
/** Are solutions repeated until what is left of them vanishes?  Then pivots may grow by more. */
void linear_solver_allow_growth(linear_solver *solver, bool repeated);
/** From now on exchange rows of the whole matrix and not of blocks, as rows nearly depend on each
 * other. */
torsor_status linear_solver_exchange(linear_solver *solver);
torsor_status linear_solver_solve(linear_solver *solver, double *x);
/** x <- C A^-1 B x with what `change` does before and after.  Parts do not depend on each other. */
torsor_status linear_solver_solve_changed(linear_solver *solver, double *x,
                                          const solver_change *change);
/** The part that an unknown is of, below SOLVER_PARTS. */
int linear_solver_part_of(const linear_solver *solver, int unknown);
/** Of the last factorisation: sign of the determinant (0: not known), and smallest over largest
 * pivot. */
int linear_solver_sign(const linear_solver *solver);
/** Of the last factorisation, of a symmetric matrix: number of negative eigenvalues; -1: the solver
 * cannot tell. */
int linear_solver_negative(const linear_solver *solver);
double linear_solver_pivot_ratio(const linear_solver *solver);
/** Name of the solver that made the last factorisation. */
const char *linear_solver_name(const linear_solver *solver);

#endif
