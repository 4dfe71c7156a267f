/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_SMALL_BLOCKS_H
#define TORSOR_ASSEMBLY_SMALL_BLOCKS_H

/** Symmetric positive definite matrices of small dense blocks, factored as L D L^T without
 * exchanges, in the order of least degree: the graph of a tree has no fill then.
 *
 * Blocks are stored by columns.  A block of n rows has the leading dimension small_blocks_pad(n),
 * and vectors have so many numbers for it; what is in the places between counts for nothing, but
 * is to be finite. */

#include <stdbool.h>

#include <torsor/base.h>

#include "base/arena.h"

/** Most rows of one block. */
enum { SMALL_BLOCK = 12 };

static inline int small_blocks_pad(int rows) {
  return (rows + 1) / 2 * 2;
}

/** A block below the diagonal: its column's neighbour. */
typedef struct small_below {
  int column; /* position of the neighbour */
  int at;     /* of its first value */
  int rows;   /* of the column, for blocks in `fill` */
  int update; /* first of the blocks that the elimination changes with it, in `update`: one for each
                 neighbour of the column up to this one */
} small_below;

typedef struct small_column {
  int rows, first; /* rows, and the place in vectors */
  int diagonal;    /* place of the diagonal block among the values */
  int first_below, below;
} small_column;

typedef struct small_blocks {
  int count;
  small_column *column; /* [count] in the order of elimination */
  small_below *below;
  int *update;
  int *position; /* [count] of a block in the order */
  int length;    /* numbers in a vector */
  int values;
  int *fill, fills; /* the elements of `below` whose blocks nothing but the elimination fills */
  double flops;     /* of a factorisation */
} small_blocks;

/** A graph of `count` blocks of rows[i] rows: the neighbours of block i are
 * neighbour[first[i] .. first[i+1]-1]; the lists are symmetric and may name a neighbour more than
 * once. */
typedef struct small_graph {
  int count;
  const int *rows, *first, *neighbour;
} small_graph;

/** Finds the order and the places of all blocks.  *usable = false, without them, where a
 * factorisation would take more than `most` operations.  Fails with MEMORY. */
torsor_status small_blocks_create(small_blocks *out, bool *usable, const small_graph *graph,
                                  double most, arena *memory);

/** Returns the place of the block that couples two blocks of the graph, of which *lower is the one
 * whose rows it has, or of a diagonal block. */
int small_blocks_place(const small_blocks *m, int a, int b, int *lower);

/** Lists the blocks below the diagonal at whose first place `taken` [values] is false. */
void small_blocks_list_fill(small_blocks *m, const bool *taken);

/** Clears these. */
void small_blocks_clear_fill(const small_blocks *m, double *values);

/** Factors the values in place; of the diagonal blocks the lower triangles are read.  SINGULAR
 * where a pivot is not larger than `least` times the diagonal entry `diagonal` [length] that it was
 * at first, or not finite. */
torsor_status small_blocks_factor(const small_blocks *m, double *values, const double *diagonal,
                                  double least);

/** Solves with the factors: x [length] is in the order of elimination. */
void small_blocks_solve(const small_blocks *m, const double *values, double *x);

#endif
