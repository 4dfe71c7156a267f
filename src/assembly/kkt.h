/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_KKT_H
#define TORSOR_ASSEMBLY_KKT_H

/** The sparse matrices of a model: where each element's entries go. */

#include "assembly/linear_solver.h"
#include "assembly/model.h"
#include "assembly/pattern.h"
#include "assembly/turning.h"

/** Places of one element's dense blocks among the nonzeros. */
typedef struct element_slots {
  const int *S;  /* [dofs x dofs]  (velocity, velocity) */
  const int *Bt; /* [rows x dofs]  (velocity, multiplier): B transposed */
  const int *B;  /* [rows x dofs]  (constraint, velocity) */
  const int *E;  /* [rows]         (constraint, multiplier), diagonal */
  const int *V;  /* [rows x dofs]  (velocity constraint, velocity), stabilised only */
  const int *L;  /* [dofs x reaction_rows]  (velocity, multiplier of the element reaction_of) */
} element_slots;

/** One matrix: unknowns (u, y) or, stabilised, (u, y, s). */
typedef struct kkt {
  pattern p;
  bool stabilised;
  double *Ax; /* [nonzeros] */
  double *W;  /* [wide] stabilised: K T, B T and Z T alone, in the columns of u */
  int wide;
  element_slots *element;
  const int **node; /* [nodes] places of the node's own [nv x nv] block */
  const int *
      *product; /* stabilised, [elements]: places of W B0^T in the columns of an element's rows */
  /* Stabilised, [nl]: diagonals of (constraint, s), (velocity constraint, s) and, for dependent rows
   * only, (velocity constraint, y). */
  int *phi_s, *rate_s, *rate_y;
  linear_solver *solver;
  turning_list turning; /* what turns with the bodies */
} kkt;

/** Pattern, slots and symbolic analysis; arrays come from `memory`.  `dependent`: constraint rows may
 *  depend on each other, which the stabilised matrix needs room for. */
torsor_status kkt_create(kkt *out, const torsor_model *model, bool stabilised, bool dependent,
                         const char *solver, arena *memory);
void kkt_release(kkt *k);
/** All that moves: what the solver has. */
void kkt_walk(kkt *k, tape *t);

/** Columns of s of one element's rows: minus W B0^T, with its block of B0, [rows x dofs]. */
void kkt_subtract_product(kkt *k, const torsor_model *model, int element, const double *B0);

/** Velocity index of every local dof of an element, [dofs]. */
void element_dofs(int *dof, const torsor_model *model, const model_element *element);

/** Most velocities that an element can have. */
enum { ELEMENT_DOFS = 6 * TORSOR_ELEMENT_NODES };

#endif
