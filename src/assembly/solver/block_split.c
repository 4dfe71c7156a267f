/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_split.h"

#include <stdlib.h>
#include <string.h>

/* The largest fraction of all work that the top may have, since one thread does it alone. */
static const double MOST_TOP = 0.1;

/* A subtree of the elimination tree, named by its root. */
typedef struct subtree {
  double work;
  int root, group;
} subtree;

/* The subtrees whose roots are not in the top, sorted by work, the largest first. */
typedef struct forest {
  const block_tree *tree;
  double *below;                 /* [count] work of each pivot together with all pivots below it */
  int *first_child, *next_child; /* [count + 1] linked lists of children; list `count` has the
                                    pivots without parent; -1 ends a list */
  subtree *item;                 /* [count] */
  int items;
  double top;
} forest;

static torsor_status forest_create(forest *f, const block_tree *tree, arena *scratch) {
  const size_t count = (size_t)tree->count;
  *f = (forest){.tree = tree};
  f->below = arena_take(scratch, count + 1, sizeof *f->below);
  f->first_child = arena_take(scratch, count + 1, sizeof *f->first_child);
  f->next_child = arena_take(scratch, count + 1, sizeof *f->next_child);
  f->item = arena_take(scratch, count, sizeof *f->item);
  if (!f->below || !f->first_child || !f->next_child || !f->item) return TORSOR_MEMORY;
  for (int k = 0; k <= tree->count; ++k) f->first_child[k] = f->next_child[k] = -1;
  for (int k = 0; k < tree->count; ++k) {
    f->below[k] += tree->work[k];
    f->below[tree->parent[k]] += f->below[k];
    f->next_child[k] = f->first_child[tree->parent[k]];
    f->first_child[tree->parent[k]] = k;
  }
  return TORSOR_OK;
}

/* Orders subtrees by work, the larger first; equal ones come in the order of their roots. */
static int compare_subtrees(const void *a, const void *b) {
  const subtree *x = a, *y = b;
  if (x->work > y->work || x->work < y->work) return x->work > y->work ? -1 : 1;
  return x->root - y->root;
}

/* Adds the subtrees below `root` to the forest; root = count stands for the pivots without
 * parent. */
static void add_children(forest *f, int root) {
  for (int k = f->first_child[root]; k >= 0; k = f->next_child[k])
    f->item[f->items++] = (subtree){.work = f->below[k], .root = k};
  qsort(f->item, (size_t)f->items, sizeof *f->item, compare_subtrees);
}

/* Assigns subtrees to groups by the greedy rule "longest processing time first" (Graham, SIAM J.
 * Appl. Math. 17 (1969) 416-429): each goes to the group with least work so far.  Returns the work
 * of the busiest group. */
static double share_out(forest *f) {
  double work[BLOCK_GROUPS] = {0}, most = 0;
  for (int i = 0; i < f->items; ++i) {
    int least = 0;
    for (int g = 1; g < BLOCK_GROUPS; ++g)
      if (work[g] < work[least]) least = g;
    f->item[i].group = least;
    work[least] += f->item[i].work;
    if (work[least] > most) most = work[least];
  }
  return most;
}

/* Gives each pivot the group of the subtree that it is in.  Pivots are visited from the last to the
 * first, as children come before their parents. */
static void mark_groups(block_split *out, const forest *f) {
  const int count = f->tree->count;
  for (int k = 0; k < count; ++k) out->group[k] = -1;
  out->groups = f->items < BLOCK_GROUPS ? f->items : BLOCK_GROUPS;
  for (int i = 0; i < f->items; ++i) out->group[f->item[i].root] = f->item[i].group;
  for (int k = count - 1; k >= 0; --k) {
    if (out->group[k] >= 0) continue;
    const int parent = f->tree->parent[k];
    out->group[k] =
        parent == count || out->group[parent] == out->groups ? out->groups : out->group[parent];
  }
}

/* Moves the root of the largest subtree into the top, again and again, and keeps the split whose
 * critical path was shortest. */
torsor_status block_split_find(block_split *out, const block_tree *tree, arena *memory) {
  arena scratch = {0};
  forest f;
  *out = (block_split){.longest = 1,
                       .group = arena_take(memory, (size_t)tree->count, sizeof *out->group)};
  torsor_status status = out->group ? forest_create(&f, tree, &scratch) : TORSOR_MEMORY;
  if (!status) {
    const double all = f.below[tree->count];
    int root = tree->count;
    double soonest = all;
    while (f.top <= MOST_TOP * all) {
      add_children(&f, root);
      const double longest = f.top + share_out(&f);
      if (longest < soonest) {
        soonest = longest;
        mark_groups(out, &f);
      }
      if (!f.items || soonest <= all / BLOCK_GROUPS) break;
      root = f.item[0].root;
      f.top += tree->work[root];
      f.item[0] = f.item[--f.items];
    }
    out->longest = all > 0 ? soonest / all : 1;
  }
  arena_release(&scratch);
  return status;
}

int block_split_place(const block_tree *tree, double part, arena *scratch) {
  forest f;
  if (forest_create(&f, tree, scratch)) return -1;
  const double most = part * f.below[tree->count];
  int at = tree->count;
  while (f.first_child[at] >= 0 && (at == tree->count || f.below[at] > most)) {
    int largest = f.first_child[at];
    for (int k = largest; k >= 0; k = f.next_child[k])
      if (f.below[k] > f.below[largest]) largest = k;
    at = largest;
  }
  return at < tree->count ? at : -1;
}
