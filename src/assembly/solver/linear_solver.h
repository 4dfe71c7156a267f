/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_LINEAR_SOLVER_H
#define TORSOR_ASSEMBLY_LINEAR_SOLVER_H

#include <stdbool.h>

#include <torsor/base.h>

#include "assembly/solver/block_plan.h"
#include "assembly/solver/pattern.h"
#include "base/tape.h"
#include "base/team.h"

/** Greatest number of parts into which a solver splits the unknowns; it reads each part first, and
 * writes each in the end. */
enum { SOLVER_PARTS = 9 };

/** A transformation that is applied to the unknowns of one part before the solver reads them or,
 * with `back`, after it has written them; SOLVER_PARTS means all unknowns. */
typedef struct solver_change {
  void (*run)(void *self, double *x, int part, bool back);
  void *self;
} solver_change;

/** A sparse direct solver as a table of functions; `self` is the object that analyse creates. */
typedef struct linear_solver_type {
  const char *name;
  /** Analyses the pattern symbolically, which must outlive the object; `plan` may be NULL. Fails
   * with MEMORY, or with SINGULAR where no values could make the matrix regular (it is structurally
   * singular) or where this solver does not apply. */
  torsor_status (*analyse)(void **self, const pattern *p, const block_plan *plan);
  /** Factors the matrix numerically, with pivoting. Fails with SINGULAR, MEMORY or NONFINITE. */
  torsor_status (*factor)(void *self, const double *Ax);
  /** Factors the matrix with the pivot sequence of the last call of factor; NULL = not offered. */
  torsor_status (*refactor)(void *self, const double *Ax);
  /** Solves: x <- A^-1 x. */
  torsor_status (*solve)(void *self, double *x);
  /** Optional, both or none: solve_changed solves with the unknowns transformed before and after,
   * part by part, each by the thread that reads or writes the part; part_of returns the part of an
   * unknown. */
  torsor_status (*solve_changed)(void *self, double *x, const solver_change *change);
  int (*part_of)(const void *self, int unknown);
  /** Returns the smallest over the largest pivot of the scaled matrix, a cheap indication of its
   * condition. */
  double (*pivot_ratio)(const void *self);
  /** Returns the sign of the determinant of the last factorisation, 0 where it is unknown. */
  int (*sign)(void *self);
  /** Optional: returns the number of negative eigenvalues of the last factorisation's matrix, which
   * is symmetric (its inertia, by Sylvester's law). */
  int (*negative)(void *self);
  /** Returns the reciprocal pivot growth of the last factorisation (1 = no growth): with 1e-k, k
   * digits are lost. */
  double (*growth)(void *self);
  /** Optional: returns the pivot data [n] that the last call of factor leaves for refactor to
   * reuse. */
  double *(*pivots)(void *self);
  /** Optional: returns the operations that a factorisation is predicted to take; KLU's prediction
   * leaves out what exchanges of rows add. */
  double (*work)(const void *self);
  /** Optional: returns whether the order asks that the blocks of nodes are regular by themselves.
   */
  bool (*apart)(const void *self);
  /** Optional: returns the layout of the blocks, for other matrices with the same pattern. */
  struct block_layout *(*layout)(void *self);
  /** Optional: returns the entries of the last factors over those that were predicted. */
  double (*fill)(const void *self);
  /** Optional: sets the threads that share the work from now on; NULL: none do. */
  void (*set_team)(void *self, team *t);
  void (*destroy)(void *self);
} linear_solver_type;

extern const linear_solver_type linear_solver_block, linear_solver_klu, linear_solver_umfpack;

/** A matrix pattern with the solver chosen for it and with fallbacks for bad pivots: KLU for the
 * block solver, and UMFPACK for both. */
typedef struct linear_solver linear_solver;

/** Returns the solver's name as a constant, or NULL where no solver is called `name`. */
const char *linear_solver_known(const char *name);

/** Creates the solver called `name`: "block" (NULL too), "klu" or "umfpack". Without a plan, or
 * where the block solver would not pay, "block" means "klu". */
torsor_status linear_solver_create(linear_solver **out, const char *name, const pattern *p,
                                   const block_plan *plan);
void linear_solver_destroy(linear_solver *solver);

/** Returns the layout of the solver's blocks if these serve a matrix with this pattern and plan,
 * too, so that it need not be found again; NULL if not, or without a solver. */
struct block_layout *linear_solver_layout(const linear_solver *solver, const pattern *p,
                                          const block_plan *plan);

/** Sets the threads that share the work from now on, with results that are the same to the bit;
 * NULL: none do. */
void linear_solver_set_team(linear_solver *solver, team *t);

/** Walks over everything that changes during a run (base/tape.h), with the values Ax [nonzeros] of
 * the factored matrix, which it returns. Factorisations cannot be written to a file, but are
 * reproduced from the last values and from the pivots, or from the values for which these were
 * chosen, which the solver remembers once memory is taken for the walk. */
double *linear_solver_walk(linear_solver *solver, double *Ax, tape *t);

/** Declares the last factorisation invalid, because its values are about to change. */
void linear_solver_forget(linear_solver *solver);

/** Factors the matrix: with the old pivots while they are good, with new ones when they degrade, by
 * KLU from then on when the block solver's pivots are bad, and by UMFPACK when KLU's new pivots are
 * bad; but where that would take minutes, as of a frame in space, bad pivots of blocks are an
 * answer. Fails with SINGULAR, or with NONFINITE where an entry is not finite; a solve is then
 * SINGULAR. */
torsor_status linear_solver_factor(linear_solver *solver, const double *Ax);
/** Sets whether the caller refines solutions iteratively until the residual vanishes; larger pivot
 * growth is then acceptable. */
void linear_solver_allow_growth(linear_solver *solver, bool repeated);
/** Tells the solver that the caller checks solutions and refines them: where nothing but blocks can
 * be afforded, their factors are then taken however small their pivots are. */
void linear_solver_trust(linear_solver *solver);
/** Are factors taken however small their pivots are? */
bool linear_solver_takes_any(const linear_solver *solver);
/** Lets the solver from now on pivot within the whole matrix and not within blocks only, because
 * rows nearly depend on each other; but blocks that take much work come back if that leads to far
 * more entries than were predicted, and are then judged by their pivots alone. */
torsor_status linear_solver_exchange(linear_solver *solver);
/* Solves with the last factorisation: x <- A^-1 x. */
torsor_status linear_solver_solve(linear_solver *solver, double *x);
/** Solves with transformed unknowns: x <- C A^-1 B x, where `change` applies B before and C after.
 * Its parts must be independent of each other. */
torsor_status linear_solver_solve_changed(linear_solver *solver, double *x,
                                          const solver_change *change);
/** Returns the part that an unknown belongs to, below SOLVER_PARTS. */
int linear_solver_part_of(const linear_solver *solver, int unknown);
/** Return, for the last factorisation, the sign of the determinant (0: unknown), and
 * (linear_solver_pivot_ratio) the smallest over the largest pivot. */
int linear_solver_sign(const linear_solver *solver);
/** Returns, for the last factorisation of a symmetric matrix, the number of negative eigenvalues;
 * -1: the solver does not provide it. */
int linear_solver_negative(const linear_solver *solver);
double linear_solver_pivot_ratio(const linear_solver *solver);
/** Returns the operations that a factorisation is predicted to take; HUGE_VAL where the solver
 * cannot tell. */
double linear_solver_work(const linear_solver *solver);
/** Returns the name of the solver that made the last factorisation. */
const char *linear_solver_name(const linear_solver *solver);

#endif
