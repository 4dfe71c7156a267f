/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_KKT_H
#define TORSOR_ASSEMBLY_KKT_H

/** The sparse matrices of a model: where each element's entries go. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "assembly/narrowing.h"
#include "assembly/solver/pattern.h"
#include "assembly/turning.h"

/** Places of one element's blocks among the nonzeros, of its nodes one by one. */
typedef struct element_places {
  const pattern_place
      *S; /* [nodes x nodes]  (velocity, velocity); [nodes], of each its own, where narrowed */
  const pattern_place *L;  /* [nodes]  (velocity, multiplier of the element reaction_of) */
  const pattern_place *Bt; /* [nodes]  (velocity, multiplier): B transposed */
  const pattern_place *B;  /* [nodes]  (constraint, velocity) */
  const pattern_place *E;  /* (constraint, multiplier), diagonal */
  /* Stabilised only: */
  const pattern_place *V;              /* [nodes]  (velocity constraint, velocity) */
  const pattern_place *phi_s, *rate_s; /* (constraint, s) and (velocity constraint, s), diagonals */
  const pattern_place *rate_y;         /* for dependent rows: (velocity constraint, y), diagonal */
} element_places;

/** Rows of a column of W that belong to rows of a column of s which follow each other. */
typedef struct product_run {
  int to, count; /* place in the first column of the element's s */
} product_run;

/** One matrix: unknowns (u, y) or, stabilised, (u, y, s). */
typedef struct kkt {
  pattern p;
  bool stabilised;
  bool dependent; /* stabilised: there is room for rows that depend on each other */
  bool narrow;    /* joints couple no velocities of two nodes */
  bool bare;      /* nothing but constraints does */
  double *Ax;     /* [nonzeros] */
  double *W;      /* [wide] stabilised: K T, B T and Z T alone, in the columns of u */
  int wide;
  const pattern_place **element; /* [elements] see kkt_element */
  const pattern_place *node;     /* [nodes] the node's own [nv x nv] block */
  product_run *run;              /* stabilised: of W B0^T, ... */
  const int **
      first_run; /* ... [elements][nodes + 1] where those of a node of an element with rows begin */
  linear_solver *solver;
  turning_list turning; /* what turns with the bodies */
  narrowing narrowing;  /* no joints unless it is narrow */
} kkt;

/** What a matrix has: unknowns s, room for constraint rows that depend on each other, narrow
 * pivots, constraints alone. */
enum { KKT_STABILISED = 1, KKT_DEPENDENT = 2, KKT_NARROW = 4, KKT_BARE = 8 };

/** Pattern, places and symbolic analysis; arrays come from `memory`.  `has`: KKT_STABILISED and
 * others together. */
torsor_status kkt_create(kkt *out, const torsor_model *model, unsigned has, const char *solver,
                         arena *memory);
void kkt_release(kkt *k);
/** Where blocks of the element with that number are. */
element_places kkt_element(const kkt *k, const model_element *e, int element);
/** All that moves: what the solver has. */
void kkt_walk(kkt *k, tape *t);

/** Columns of s of one element's rows: minus W B0^T, with its block of B0, [rows x dofs]. */
void kkt_subtract_product(kkt *k, const torsor_model *model, int element, const double *B0);

/** Velocity index of every local dof of an element, [dofs]. */
void element_dofs(int *dof, const torsor_model *model, const model_element *element);

/** Most velocities that an element can have. */
enum { ELEMENT_DOFS = 6 * TORSOR_ELEMENT_NODES };

#endif
