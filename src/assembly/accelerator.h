/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_ACCELERATOR_H
#define TORSOR_ASSEMBLY_ACCELERATOR_H

/** Accelerations and multipliers of rigid bodies by the matrix of the multipliers.
 *
 * In body axes M of a rigid body is constant.  With M^-1 = H^T H and G = B H^T the system
 * [[M, B^T], [B, 0]] (V', lambda) = (-r, -phi_a) is
 *
 *      S lambda = phi_a - G y,   S = G G^T,   V' = -H^T (y + G^T lambda),   y = H r
 *
 * with r and phi_a at V' = 0.  S is symmetric and positive definite, with one
 * block for each element with constraint rows and one for each two of them at one node. */

#include "assembly/model/model.h"
#include "assembly/solver/small_blocks.h"

#include <torsor/integrator.h>

/** Block of G of an element with rows at one of its nodes. */
typedef struct accelerator_side {
  int node;
  int at; /* of its first value, row by row */
} accelerator_side;

/** An element with constraint rows. */
typedef struct accelerator_rows {
  int element, rows;
  int first_side, sides; /* its nodes, each once */
  int *side;             /* of each of the element's nodes: which of these */
  int first;             /* place in vectors */
} accelerator_rows;

/** One product of two sides at one node, which is added to a block of S. */
typedef struct accelerator_product {
  int to, left, right, rows, columns;
  bool lower; /* of a diagonal block */
  bool first; /* it replaces what is there */
} accelerator_product;

/** H of a node: six rows of the lower triangle, or, `diagonal`, h[7 i] only.  Components that the
 * node's group does not have are zeros. */
typedef struct accelerator_mass {
  double h[36];
  bool diagonal;
} accelerator_mass;

typedef struct accelerator {
  bool usable;
  bool weighed; /* `mass` is known */
  bool ready;   /* S is factored */
  double m;     /* factor on M in `accelerator_solve` */
  double most;  /* operations that a factorisation may take */
  int blocks, products;
  accelerator_rows *rows; /* [blocks] */
  accelerator_side *side;
  accelerator_product *product; /* [products] */
  double (*M)[36];              /* [nodes] in body axes; NULL for corrections */
  accelerator_mass *mass;       /* [nodes] */
  small_blocks S;
  double *value, *diagonal; /* values of S, and its diagonal [S.length] */
  double *G;
  int length;     /* numbers of G */
  double *x;      /* [S.length] right-hand side, multipliers */
  double (*y)[6]; /* [nodes] */
} accelerator;

/** Takes the memory and finds the order of elimination.  `usable` is false where the model has
 * masses that are not constant in the axes of one body, forces that depend on multipliers, or where
 * a factorisation would take more than `most` operations, as where many joints meet at one body.
 * Fails with MEMORY. */
torsor_status accelerator_create(accelerator *out, const torsor_model *model, double most,
                                 arena *memory);

/** H of all nodes from M.  Returns false where one has a component without inertia. */
bool accelerator_weigh(accelerator *s, const torsor_model *model);

/** Puts the gradient B [rows x 6 nodes] of a block into G. */
void accelerator_put(accelerator *s, const accelerator_rows *rows, const double *B, int nodes);

/** Makes S of G and factors it.  SINGULAR where the rows depend on each other, or nearly so. */
torsor_status accelerator_factor(accelerator *s);

/** Solves (M, B^T; B, 0) (u, l) = (-w, -c) in body axes with the last factors: wrenches w [nodes]
 * are replaced by u, and c = s->x by l. */
void accelerator_solve(accelerator *s, const torsor_model *model, double (*w)[6]);

/** Takes the memory of a solver for corrections, whose masses are weights of the nodes' velocities,
 * for a model of any masses; `usable` as above.  It shares the order with `like`, an accelerator of
 * the same model, if that is usable, and is not if that took too many operations. */
torsor_status corrector_create(accelerator *out, const torsor_model *model, double most,
                               const accelerator *like, arena *memory);

/** Sets the weights of one node, in body axes. */
void corrector_weigh(accelerator *s, const model_node *node, int number, const double weight[6]);

/** Finds s with B (u - W^-1 B^T s) = phi, with the last factors and the weights W; s->y [nodes]
 * contains u in body axes times the roots of the weights, or nothing where u counts as 0, and is
 * replaced by those of u - W^-1 B^T s where that is wanted; phi = s->x is replaced by -s. */
void corrector_solve(accelerator *s, int nodes, torsor_correction wanted);

#endif
