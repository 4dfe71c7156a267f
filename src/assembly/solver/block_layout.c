/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_layout.h"

/* Returns the offset of the unknown at `place` among the neighbours of a pivot, by bisection; the
 * unknown must be one of them. */
static int neighbour_offset(const block_order *o, const block_pivot *pivot, int place) {
  const block_neighbour *list = o->neighbour + pivot->first_neighbour;
  int low = 0, high = pivot->neighbours - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (list[middle].first <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return list[low].offset + place - list[low].first;
}

/* Returns the index in `values` of entry (row, column) of the reordered matrix, and the leading
 * dimension of its block. */
static size_t locate(int *leading, const block_layout *l, int row, int column) {
  const block_order *o = &l->order;
  const int of_row = o->pivot_of[row], of_column = o->pivot_of[column];
  const int k = of_column > of_row ? of_row : of_column;
  const block_pivot *pivot = &o->pivot[k];
  int down = row - pivot->first, across = column - pivot->first;
  size_t first = l->at[k].values;
  *leading = block_rows(pivot);
  if (of_column > k) {
    first += (size_t)*leading * (size_t)pivot->size;
    *leading = pivot->size;
    across = neighbour_offset(o, pivot, column);
  } else if (of_row > k) {
    down = pivot->size + neighbour_offset(o, pivot, row);
  }
  return first + (size_t)down + (size_t)*leading * (size_t)across;
}

/* Lists the rectangles of one pivot's L X U, either those that update the top (late) or the others.
 * Rectangles that continue each other are merged.  Returns their number; update = NULL only counts
 * them. */
static int list_updates(block_update *update, const block_layout *l, const block_pivot *pivot,
                        size_t top, bool late) {
  const block_neighbour *list = l->order.neighbour + pivot->first_neighbour;
  int count = 0;
  for (int j = 0; j < pivot->neighbours; ++j) {
    block_update last = {.rows = 0};
    for (int i = 0; i < pivot->neighbours; ++i) {
      block_update next = {.row = list[i].offset,
                           .rows = list[i].size,
                           .column = list[j].offset,
                           .columns = list[j].size};
      next.to = locate(&next.leading, l, list[i].first, list[j].first);
      if ((next.to >= top) != late) continue;
      if (last.rows && next.leading == last.leading && next.to == last.to + (size_t)last.rows) {
        last.rows += next.rows;
      } else {
        last = next;
        ++count;
      }
      if (update) update[count - 1] = last;
    }
  }
  return count;
}

/* Counts the neighbours of pivot k that are in its own group. */
static int count_early(const block_layout *l, int k) {
  const block_order *o = &l->order;
  const block_pivot *pivot = &o->pivot[k];
  const int top = k < o->first_pivot[o->groups] ? block_first_place(l, o->groups) : l->n;
  int early = 0;
  while (early < pivot->neighbours && o->neighbour[pivot->first_neighbour + early].first < top)
    ++early;
  return early;
}

/* Lists the pivots of groups that update the top.  They are the same that have neighbours there, so
 * that the list serves the solution, too. */
static torsor_status list_late(block_layout *l, arena *memory) {
  const block_order *o = &l->order;
  for (int k = 0; k < o->first_pivot[o->groups]; ++k) l->lates += l->at[k].late_updates > 0;
  l->late = arena_take(memory, (size_t)l->lates, sizeof *l->late);
  if (!l->late) return TORSOR_MEMORY;
  for (int k = 0, i = 0; i < l->lates; ++k)
    if (l->at[k].late_updates) l->late[i++] = k;
  return TORSOR_OK;
}

/* Finds where the values of each pivot are stored and which rectangles it updates: this is the
 * symbolic factorisation. */
static torsor_status list_places(block_layout *l, arena *memory) {
  const block_order *o = &l->order;
  size_t updates = 0;
  l->at = arena_take(memory, (size_t)o->count, sizeof *l->at);
  if (!l->at) return TORSOR_MEMORY;
  for (int k = 0; k < o->count; ++k) {
    const block_pivot *pivot = &o->pivot[k];
    l->at[k].values = l->count;
    l->count += (size_t)pivot->size * (size_t)(block_rows(pivot) + pivot->width);
    if (block_rows(pivot) > l->largest) l->largest = block_rows(pivot);
  }
  const size_t top = block_first_value(l, o->groups);
  for (int k = 0; k < o->count; ++k) {
    block_place *at = &l->at[k];
    const size_t late = k < o->first_pivot[o->groups] ? top : l->count;
    at->first_update = (int)updates;
    at->updates = list_updates(NULL, l, &o->pivot[k], late, false);
    at->late_updates = list_updates(NULL, l, &o->pivot[k], late, true);
    updates += (size_t)(at->updates + at->late_updates);
    at->early_neighbours = count_early(l, k);
  }
  l->update = arena_take(memory, updates, sizeof *l->update);
  if (!l->update) return TORSOR_MEMORY;
  for (int k = 0; k < o->count; ++k) {
    block_update *update = l->update + l->at[k].first_update;
    const size_t late = k < o->first_pivot[o->groups] ? top : l->count;
    list_updates(update, l, &o->pivot[k], late, false);
    list_updates(update + l->at[k].updates, l, &o->pivot[k], late, true);
  }
  return list_late(l, memory);
}

/* The list of runs: first they are counted (run = NULL), then stored. */
typedef struct run_list {
  const block_layout *l;
  const pattern *p;
  block_run *run;
  int next[BLOCK_GROUPS + 1];   /* next run of each group and of the top */
  size_t end[BLOCK_GROUPS + 1]; /* end of their values */
} run_list;

static void add_run(run_list *list, block_run run) {
  int g = 0;
  if (!run.count) return;
  while (g < list->l->order.groups && run.to >= list->end[g]) ++g;
  if (list->run) list->run[list->next[g]] = run;
  ++list->next[g];
}

/* Counts the entries from k on that follow each other in a column of the matrix and in one
 * pivot. */
static int count_below(const block_layout *l, const int *Ai, int k, int end) {
  const int *place = l->order.place, *pivot_of = l->order.pivot_of;
  const int row = Ai[k], first = place[row], pivot = pivot_of[first];
  int count = 1;
  while (k + count < end && Ai[k + count] == row + count && place[row + count] == first + count &&
         pivot_of[first + count] == pivot)
    ++count;
  return count;
}

static void list_runs(run_list *list) {
  const block_layout *l = list->l;
  const int *Ap = list->p->Ap, *Ai = list->p->Ai, *place = l->order.place;
  for (int j = 0; j < l->n; ++j) {
    block_run last = {.count = 0};
    for (int k = Ap[j], count; k < Ap[j + 1]; k += count) {
      int leading;
      const size_t to = locate(&leading, l, place[Ai[k]], place[j]);
      count = count_below(l, Ai, k, Ap[j + 1]);
      if (last.count && Ai[k] == last.row + last.count && to == last.to + (size_t)last.count) {
        last.count += count;
      } else {
        add_run(list, last);
        last = (block_run){.from = k, .row = Ai[k], .count = count, .to = to};
      }
    }
    add_run(list, last);
  }
}

/* Lists the runs by groups, and within each group in the order of the columns. */
static torsor_status list_runs_by_group(block_layout *l, const pattern *p, arena *memory) {
  run_list list = {.l = l, .p = p};
  for (int g = 0; g <= l->order.groups; ++g) list.end[g] = block_first_value(l, g + 1);
  list_runs(&list);
  for (int g = 0; g <= l->order.groups; ++g) {
    l->first_run[g + 1] = l->first_run[g] + list.next[g];
    list.next[g] = l->first_run[g];
  }
  const int runs = l->first_run[l->order.groups + 1];
  l->run = list.run = arena_take(memory, (size_t)runs, sizeof *l->run);
  if (!l->run) return TORSOR_MEMORY;
  list_runs(&list);
  return TORSOR_OK;
}

torsor_status block_layout_find(block_layout *out, bool *found, const pattern *p,
                                const block_plan *plan, arena *memory) {
  *out = (block_layout){.n = p->n};
  torsor_status status = block_order_find(&out->order, found, p, plan, memory);
  if (status || !*found) return status;
  status = list_places(out, memory);
  return status ? status : list_runs_by_group(out, p, memory);
}
