/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void entry_list_add(entry_list *list, int row, int column) {
  if (list->failed) return;
  if (list->count == list->size) {
    const int size = list->size <= INT_MAX / 2 - 256 ? 2 * list->size + 256 : 0;
    int *rows = size ? realloc(list->row, (size_t)size * sizeof *rows) : NULL;
    if (!rows) {
      list->failed = 1;
      return;
    }
    list->row = rows;
    int *columns = realloc(list->column, (size_t)size * sizeof *columns);
    if (!columns) {
      list->failed = 1;
      return;
    }
    list->column = columns;
    list->size = size;
  }
  list->row[list->count] = row;
  list->column[list->count++] = column;
}

void entry_list_release(entry_list *list) {
  free(list->row);
  free(list->column);
  *list = (entry_list){0};
}

/* Stable counting sort of order[count] by key[order[k]] in 0..n-1. */
static void sort_by(int *sorted, const int *order, const int *key, int count, int n, int *start) {
  memset(start, 0, (size_t)(n + 1) * sizeof *start);
  for (int k = 0; k < count; ++k) ++start[key[k] + 1];
  for (int i = 0; i < n; ++i) start[i + 1] += start[i];
  for (int k = 0; k < count; ++k) sorted[start[key[order[k]]]++] = order[k];
}

/* Number the distinct entries in sorted order; returns how many there are. */
static int number_entries(int *slot, int *Ai, int *Ap, int n, const int *order,
                          const entry_list *entries) {
  int nonzeros = 0, column = -1, row = -1;
  for (int k = 0; k < entries->count; ++k) {
    const int e = order[k];
    if (entries->column[e] != column || entries->row[e] != row) {
      while (column < entries->column[e]) Ap[++column] = nonzeros;
      row = entries->row[e];
      Ai[nonzeros++] = row;
    }
    slot[e] = nonzeros - 1;
  }
  while (column < n) Ap[++column] = nonzeros;
  return nonzeros;
}

int pattern_build(pattern *out, int *slot, int n, const entry_list *entries, arena *memory) {
  if (entries->failed) return -1;
  const int count = entries->count;
  int *scratch = malloc(((size_t)count * 3 + (size_t)n + 2) * sizeof *scratch);
  out->n = n;
  out->Ap = arena_take(memory, (size_t)n + 1, sizeof(int));
  int status = -1;
  if (scratch && out->Ap) {
    int *by_row = scratch, *order = scratch + count, *Ai = scratch + 2 * (size_t)count;
    int *start = scratch + 3 * (size_t)count;
    for (int k = 0; k < count; ++k) order[k] = k;
    sort_by(by_row, order, entries->row, count, n, start);
    sort_by(order, by_row, entries->column, count, n, start);
    out->nonzeros = number_entries(slot, Ai, out->Ap, n, order, entries);
    out->Ai = arena_take(memory, (size_t)out->nonzeros, sizeof(int));
    if (out->Ai) {
      memcpy(out->Ai, Ai, (size_t)out->nonzeros * sizeof(int));
      status = 0;
    }
  }
  free(scratch);
  return status;
}
