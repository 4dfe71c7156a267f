/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_LAYOUT_H
#define TORSOR_ASSEMBLY_BLOCK_LAYOUT_H

/** Symbolic factorisation by dense blocks: where the values of each pivot are stored, which entries
 * of the sparse matrix go there, and which blocks each pivot updates.  The factors of a pivot are
 *
 *        [ D  U ]   D [size x size] with L [width x size] below it, then U [size x width],
 *        [ L    ]
 *
 * stored by columns. */

#include "assembly/solver/block_order.h"

/* A run of nonzeros that follow each other both in the sparse matrix and in the blocks. */
typedef struct block_run {
  int from, row, count;
  size_t to;
} block_run;

/* A rectangle of L X U and the position in the blocks where it is subtracted. */
typedef struct block_update {
  int row, rows, column, columns; /* the rectangle within L X U */
  int leading;
  size_t to;
} block_update;

/* The start of one pivot's data. */
typedef struct block_place {
  size_t values;                           /* index of its values: D and L, then U */
  int first_update, updates, late_updates; /* those of the top are late, for pivots of groups */
  int early_neighbours;                    /* the neighbours behind these are in the top */
} block_place;

typedef struct block_layout {
  int users;       /* solvers that share it */
  bool stabilised; /* these two are the plan's */
  bool strict;
  int n; /* number of unknowns */
  block_order order;
  block_place *at;                 /* [pivots] */
  block_run *run;                  /* sorted by groups */
  int first_run[BLOCK_GROUPS + 2]; /* first run of each group and of the top, then the end */
  block_update *update;            /* allocated by itself, because its length is not known before */
  int *late, lates;                /* pivots of groups that change the top */
  int largest;                     /* largest size + width of a pivot */
  size_t product; /* largest size x (size or width) of a pivot, and at least `largest` */
  size_t count;   /* number of values */
  arena memory;
} block_layout;

/** Finds the order of elimination and the layout, with one user.  *out = NULL where blocks would
 * cost much more than a factorisation by sparse columns.  Fails with MEMORY. */
torsor_status block_layout_find(block_layout **out, const pattern *p, const block_plan *plan);

/** Counts one more user, and returns the layout. */
block_layout *block_layout_share(block_layout *l);

/** Ends one user's share, and releases the layout of which it was the last; it may be NULL. */
void block_layout_release(block_layout *l);

/** Returns the number of rows of D and L together. */
static inline int block_rows(const block_pivot *pivot) {
  return pivot->size + pivot->width;
}

/** Returns the pivot after the last one of group g, or of the top. */
static inline int block_end_of_group(const block_order *o, int g) {
  return g < o->groups ? o->first_pivot[g + 1] : o->count;
}

/** Returns the first position of group g or of the top in the order, and n for the group behind the
 * top. */
static inline int block_first_place(const block_layout *l, int g) {
  const block_order *o = &l->order;
  const int k = g <= o->groups ? o->first_pivot[g] : o->count;
  return k < o->count ? o->pivot[k].first : l->n;
}

/** Returns the index at which the values of group g begin. */
static inline size_t block_first_value(const block_layout *l, int g) {
  const block_order *o = &l->order;
  const int k = g <= o->groups ? o->first_pivot[g] : o->count;
  return k < o->count ? l->at[k].values : l->count;
}

#endif
