/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_KKT_H
#define TORSOR_ASSEMBLY_KKT_H

/** The sparse saddle-point (KKT) matrices of a model: their patterns, and where the entries of each
 * element go. */

#include "assembly/solver/linear_solver.h"
#include "assembly/model/model.h"
#include "assembly/decoupling.h"
#include "assembly/solver/pattern.h"
#include "assembly/corotation.h"

/** The places of one element's blocks among the nonzeros, for each of its nodes. */
typedef struct element_places {
  const pattern_place *S;  /* (velocity, velocity) [nodes x nodes]; where decoupled [nodes] */
  const pattern_place *L;  /* (velocity, multiplier of the element reaction_of) [nodes] */
  const pattern_place *Bt; /* (velocity, multiplier) [nodes]: B transposed */
  const pattern_place *B;  /* (constraint, velocity) [nodes]: B */
  const pattern_place *E;  /* (constraint, multiplier): diagonal */
  /* The stabilised matrix alone has these: */
  const pattern_place *V;              /* (velocity constraint, velocity) [nodes] */
  const pattern_place *phi_s, *rate_s; /* (constraint, s) and (velocity constraint, s): diagonals */
  const pattern_place *rate_y;         /* (velocity constraint, y): diagonal, for dependent rows */
} element_places;

/** A run of consecutive rows of a column of W that go to consecutive rows of a column of s. */
typedef struct product_run {
  int to, count; /* index of the first row in the first column of the element's s */
} product_run;

/** One matrix, with the unknowns (u, y) or, stabilised, (u, y, s). */
typedef struct kkt {
  pattern p;
  bool stabilised;
  bool dependent; /* the stabilised pattern has room for rows that depend on each other */
  bool decoupled; /* the decoupled form: joints couple no velocities of two nodes (decoupling.h) */
  bool bare;      /* only constraints couple velocities */
  double *Ax;     /* [nonzeros] */
  double *W;      /* [wide] stabilised: K T, B T and Z T in the columns of u */
  int wide;
  const pattern_place **element; /* [elements] see kkt_element */
  const pattern_place *node;     /* [nodes] the node's own [nv x nv] block */
  product_run *run;              /* stabilised: runs of the product W B0^T */
  const int **first_run;         /* [elements][nodes + 1] first run of each node */
  linear_solver *solver;
  corotation_list corotation; /* vectors that rotate with the bodies (corotated factors) */
  decoupling decoupling;      /* has joints in the decoupled form only */
} kkt;

/** Kinds of matrices, which can be combined: with unknowns s; with room for constraint rows that
 * depend on each other; in the decoupled form; with constraints alone. */
enum { KKT_STABILISED = 1, KKT_DEPENDENT = 2, KKT_DECOUPLED = 4, KKT_BARE = 8 };

/** Makes the pattern, finds where the blocks of each element are, and analyses the pattern
 * symbolically.  Arrays come from `memory`.  `has` combines KKT_STABILISED and the others.  `like`
 * is another matrix of the model or NULL: where the patterns turn out to be the same, so is what
 * the analysis would find. */
torsor_status kkt_create(kkt *out, const torsor_model *model, unsigned has, const char *solver,
                         const kkt *like, arena *memory);
void kkt_release(kkt *k);
/** Returns where the blocks of the element with this index are. */
element_places kkt_element(const kkt *k, const model_element *e, int element);
/** Walks over everything that changes during a run: the solver's values (base/tape.h). */
void kkt_walk(kkt *k, tape *t);

/** Subtracts W B0^T from the columns of s of one element's rows; B0 [rows x dofs] is its block. */
void kkt_subtract_product(kkt *k, const torsor_model *model, int element, const double *B0);

/** Lists the velocity index of every local degree of freedom of an element, [dofs]. */
void element_dofs(int *dof, const torsor_model *model, const model_element *element);

#endif
