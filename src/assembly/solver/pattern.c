/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/pattern.h"

#include <limits.h>
#include <stdlib.h>

static void add(block_list *list, block_entry entry) {
  if (list->failed) return;
  if (list->count == list->size) {
    const int size = list->size <= INT_MAX / 2 - 256 ? 2 * list->size + 256 : 0;
    block_entry *moved = size ? realloc(list->entry, (size_t)size * sizeof *moved) : NULL;
    if (!moved) {
      list->failed = true;
      return;
    }
    list->entry = moved;
    list->size = size;
  }
  list->entry[list->count++] = entry;
}

void block_list_add(block_list *list, int row, int column) {
  add(list, (block_entry){row, column, false});
}

void block_list_add_diagonal(block_list *list, int row, int column) {
  add(list, (block_entry){row, column, true});
}

void block_list_release(block_list *list) {
  free(list->entry);
  *list = (block_list){0};
}

/* The blocks sorted by columns, and the layout that is found for them. */
typedef struct building {
  const block_list *list;
  const int *first; /* [parts + 1] */
  int parts;
  int *order, *by_row; /* [count] */
  int *begin;          /* [parts + 1] first block of each column of parts */
  int *height;         /* [parts] number of nonzeros in each column of a part */
} building;

static int size_of(const building *b, int part) {
  return b->first[part + 1] - b->first[part];
}

static int key_of(const block_entry *entry, bool by_column) {
  return by_column ? entry->column : entry->row;
}

/* Sorts the blocks by row or by column, by a stable counting sort, from the order `order` (NULL:
 * that of the list).  begin [parts + 1] receives where each key begins. */
static void sort(int *sorted, const int *order, const building *b, bool by_column) {
  const block_entry *entry = b->list->entry;
  int *begin = b->begin, sum = 0;
  for (int i = 0; i <= b->parts; ++i) begin[i] = 0;
  for (int k = 0; k < b->list->count; ++k) ++begin[key_of(&entry[k], by_column)];
  for (int i = 0; i <= b->parts; ++i) {
    const int here = begin[i];
    begin[i] = sum;
    sum += here;
  }
  for (int k = 0; k < b->list->count; ++k) {
    const int e = order ? order[k] : k;
    sorted[begin[key_of(&entry[e], by_column)]++] = e;
  }
  for (int i = b->parts; i > 0; --i) begin[i] = begin[i - 1];
  begin[0] = 0;
}

/* Returns the end of the blocks that repeat the block at k, and whether any of them is dense. */
static int end_of_same(const building *b, int k, int end, bool *dense) {
  const block_entry *entry = b->list->entry;
  const int row = entry[b->order[k]].row;
  *dense = false;
  for (; k < end && entry[b->order[k]].row == row; ++k) *dense |= !entry[b->order[k]].diagonal;
  return k;
}

/* Stacks the blocks of each column: finds their corners relative to the top of the column, and the
 * height of the column.  Returns the number of nonzeros, or -1 where an int cannot count them. */
static int stack_blocks(pattern_place *place, const building *b) {
  long long nonzeros = 0;
  for (int c = 0; c < b->parts; ++c) {
    int height = 0;
    for (int k = b->begin[c], next; k < b->begin[c + 1]; k = next) {
      bool dense;
      next = end_of_same(b, k, b->begin[c + 1], &dense);
      const int row = b->list->entry[b->order[k]].row;
      for (int i = k; i < next; ++i) {
        const int e = b->order[i];
        place[e] = (pattern_place){height, b->list->entry[e].diagonal && dense};
      }
      height += dense ? size_of(b, row) : size_of(b, row) > 0;
    }
    b->height[c] = height;
    nonzeros += (long long)height * size_of(b, c);
  }
  return nonzeros <= INT_MAX ? (int)nonzeros : -1;
}

/* Writes the row indices of the columns of part c, whose first nonzero is `corner`. */
static void fill_columns(pattern *out, const pattern_place *place, const building *b, int c,
                         int corner) {
  const int size = size_of(b, c), height = b->height[c];
  for (int j = 0; j < size; ++j) out->Ap[b->first[c] + j] = corner + j * height;
  for (int k = b->begin[c], next; k < b->begin[c + 1]; k = next) {
    bool dense;
    next = end_of_same(b, k, b->begin[c + 1], &dense);
    const int row = b->list->entry[b->order[k]].row, rows = size_of(b, row);
    int *to = out->Ai + corner + place[b->order[k]].corner;
    for (int j = 0; j < size; ++j, to += height) {
      for (int i = 0; i < rows && dense; ++i) to[i] = b->first[row] + i;
      if (!dense) *to = b->first[row] + j;
    }
  }
}

static void fill(pattern *out, pattern_place *place, const building *b) {
  int corner = 0;
  for (int c = 0; c < b->parts; ++c) {
    fill_columns(out, place, b, c, corner);
    for (int k = b->begin[c]; k < b->begin[c + 1]; ++k) {
      place[b->order[k]].corner += corner;
      place[b->order[k]].stride += b->height[c];
    }
    corner += b->height[c] * size_of(b, c);
  }
  out->Ap[out->n] = corner;
}

int pattern_build(pattern *out, pattern_place *place, const int *first, int parts,
                  const block_list *list, arena *memory) {
  if (list->failed) return -1;
  const size_t count = (size_t)list->count;
  int *scratch = malloc((2 * count + 2 * (size_t)parts + 1) * sizeof *scratch);
  *out = (pattern){.n = first[parts]};
  out->Ap = arena_take(memory, (size_t)out->n + 1, sizeof *out->Ap);
  if (scratch && out->Ap) {
    building b = {.list = list, .first = first, .parts = parts};
    b.order = scratch;
    b.by_row = b.order + count;
    b.begin = b.by_row + count;
    b.height = b.begin + parts + 1;
    sort(b.by_row, NULL, &b, false);
    sort(b.order, b.by_row, &b, true);
    out->nonzeros = stack_blocks(place, &b);
    if (out->nonzeros >= 0) out->Ai = arena_take(memory, (size_t)out->nonzeros, sizeof *out->Ai);
    if (out->Ai) fill(out, place, &b);
  }
  free(scratch);
  return out->Ai ? 0 : -1;
}
