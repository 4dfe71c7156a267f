/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_merge.h"

/* Unknowns of a merged pivot: its inverse takes three times the operations of its factors, which
 * are few beside those of its updates as long as it is small beside its neighbours. */
enum { LARGEST = 48 };

/* Part of a merged pivot's entries that may be zeros. */
static const double MOST_ZEROS = 0.1;

typedef struct merged {
  int size, width;
  double zeros;
  bool rows;
} merged;

/* Has the k-th pivot constraint rows?  They may depend on others, and are then found singular
 * beside the unknowns of their own nodes; among those of others round-off would decide. */
static bool has_rows(const block_search *s, int k) {
  const int leader = s->leader[k], *wait = s->plan->first_wait;
  return s->joined[leader] >= 0 || wait[leader + 1] > wait[leader];
}

/* Merges b, an ancestor, with a, whose neighbours but for b's own unknowns are among those of b,
 * unless that would leave too many zeros. */
static bool merge(merged *b, const merged *a) {
  if (a->rows || b->rows) return false;
  const int size = a->size + b->size;
  const double zeros = a->zeros + b->zeros + 2.0 * a->size * (b->size + b->width - a->width);
  if (size > LARGEST || zeros > MOST_ZEROS * size * (size + 2.0 * b->width)) return false;
  b->size = size;
  b->zeros = zeros;
  return true;
}

torsor_status block_merge_find(int *head, const block_search *s, const block_tree *tree,
                               const int *group, arena *scratch) {
  merged *pivot = arena_take(scratch, (size_t)s->count, sizeof *pivot);
  if (!pivot) return TORSOR_MEMORY;
  for (int k = 0; k < s->count; ++k) {
    int count, width = 0;
    const int *part = block_search_neighbours(&count, s, k);
    for (int i = 0; i < count; ++i) width += s->size[part[i]];
    pivot[k] = (merged){.size = block_search_size(s, k), .width = width, .rows = has_rows(s, k)};
    head[k] = k;
  }
  for (int k = 0; k < s->count; ++k) {
    const int parent = tree->parent[k];
    if (parent == s->count || (group && group[parent] != group[k])) continue;
    if (merge(&pivot[parent], &pivot[k])) head[k] = parent;
  }
  for (int k = s->count - 1; k >= 0; --k) head[k] = head[head[k]];
  return TORSOR_OK;
}
