/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_layout.h"

#include <stdlib.h>
#include <string.h>

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

/* A list of rectangles that grows. */
typedef struct update_list {
  block_update *item;
  size_t count, room;
} update_list;

static bool reserve(update_list *list, size_t count) {
  if (count <= list->room) return true;
  const size_t room = count + count / 2 + 64;
  block_update *item = realloc(list->item, room * sizeof *item);
  if (!item) return false;
  list->item = item;
  list->room = room;
  return true;
}

/* Appends a rectangle, or makes the last one of the same columns longer if this one continues it:
 * `first` is the first one of these columns. */
static bool add_update(update_list *list, size_t first, const block_update *next) {
  block_update *last = list->count > first ? &list->item[list->count - 1] : NULL;
  if (last && next->leading == last->leading && next->to == last->to + (size_t)last->rows) {
    last->rows += next->rows;
    return true;
  }
  if (!reserve(list, list->count + 1)) return false;
  list->item[list->count++] = *next;
  return true;
}

/* A search that lists the rectangles of one pivot after the other. */
typedef struct update_search {
  const block_layout *l;
  size_t top;              /* the pivot's changes from this value on are late */
  int *cursor;             /* [neighbours] where the last place was found, see find_offset */
  update_list early, late; /* early: of all pivots so far; late: of this one */
} update_search;

/* Returns the offset of the unknown at `place` among the neighbours of a pivot, which are searched
 * from *cursor on: places ascend from call to call. */
static int find_offset(int *cursor, const block_order *o, const block_pivot *pivot, int place) {
  const block_neighbour *list = o->neighbour + pivot->first_neighbour;
  while (list[*cursor].first + list[*cursor].size <= place) ++*cursor;
  return list[*cursor].offset + place - list[*cursor].first;
}

/* Finds where the rectangle of the neighbours i and j goes; i ascends for each j, and j does.
 * `below` is the cursor of column j. */
static void find_target(block_update *out, update_search *s, const block_neighbour *list, int i,
                        int j, int *below) {
  const block_order *o = &s->l->order;
  const int row = list[i].first, column = list[j].first;
  const int of_row = o->pivot_of[row], of_column = o->pivot_of[column];
  const int k = of_column > of_row ? of_row : of_column;
  const block_pivot *pivot = &o->pivot[k];
  int down = row - pivot->first, across = column - pivot->first;
  out->to = s->l->at[k].values;
  out->leading = block_rows(pivot);
  if (of_column > k) {
    out->to += (size_t)out->leading * (size_t)pivot->size;
    out->leading = pivot->size;
    across = find_offset(&s->cursor[i], o, pivot, column);
  } else if (of_row > k) {
    down = pivot->size + find_offset(below, o, pivot, row);
  }
  out->to += (size_t)down + (size_t)out->leading * (size_t)across;
}

/* Lists the rectangles of one pivot's L X U: those that update the top (late) after the others.
 * Rectangles that continue each other are merged. */
static bool list_updates(update_search *s, const block_pivot *pivot) {
  const block_neighbour *list = s->l->order.neighbour + pivot->first_neighbour;
  s->late.count = 0;
  memset(s->cursor, 0, (size_t)pivot->neighbours * sizeof *s->cursor);
  for (int j = 0; j < pivot->neighbours; ++j) {
    const size_t first_early = s->early.count, first_late = s->late.count;
    int below = 0;
    for (int i = 0; i < pivot->neighbours; ++i) {
      block_update next = {.row = list[i].offset,
                           .rows = list[i].size,
                           .column = list[j].offset,
                           .columns = list[j].size};
      find_target(&next, s, list, i, j, &below);
      if (next.to >= s->top ? !add_update(&s->late, first_late, &next)
                            : !add_update(&s->early, first_early, &next))
        return false;
    }
  }
  return true;
}

/* Lists those of pivot k behind those of the pivots before it. */
static bool list_updates_of(update_search *s, block_layout *l, int k) {
  block_place *at = &l->at[k];
  const block_order *o = &l->order;
  const size_t before = s->early.count;
  s->top = k < o->first_pivot[o->groups] ? block_first_value(l, o->groups) : l->count;
  if (!list_updates(s, &o->pivot[k])) return false;
  at->first_update = (int)before;
  at->updates = (int)(s->early.count - before);
  at->late_updates = (int)s->late.count;
  if (!reserve(&s->early, s->early.count + s->late.count)) return false;
  for (size_t i = 0; i < s->late.count; ++i) s->early.item[s->early.count++] = s->late.item[i];
  return true;
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

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Finds where the values of each pivot are stored; returns the most neighbours that one has. */
static int place_values(block_layout *l) {
  const block_order *o = &l->order;
  int most = 0;
  for (int k = 0; k < o->count; ++k) {
    const block_pivot *pivot = &o->pivot[k];
    const size_t size = (size_t)pivot->size, width = (size_t)pivot->width;
    l->at[k].values = l->count;
    l->count += size * (size + 2 * width);
    l->product = larger(l->product, size * larger(size, width));
    if (block_rows(pivot) > l->largest) l->largest = block_rows(pivot);
    if (pivot->neighbours > most) most = pivot->neighbours;
  }
  l->product = larger(l->product, (size_t)l->largest);
  return most;
}

/* Gives back the room that a list has not used. */
static bool shorten(block_update **list, size_t count) {
  if (count == 0) return true;
  block_update *item = realloc(*list, count * sizeof *item);
  if (item) *list = item;
  return item != NULL;
}

/* Finds where the values of each pivot are stored and which rectangles it updates: this is the
 * symbolic factorisation. */
static torsor_status list_places(block_layout *l, arena *scratch) {
  const block_order *o = &l->order;
  l->at = arena_take(&l->memory, (size_t)o->count, sizeof *l->at);
  if (!l->at) return TORSOR_MEMORY;
  const size_t most = (size_t)place_values(l);
  update_search s = {.l = l, .cursor = arena_take(scratch, most, sizeof *s.cursor)};
  bool enough = s.cursor && reserve(&s.early, 1); /* a list, even where it is empty */
  for (int k = 0; k < o->count && enough; ++k) {
    enough = list_updates_of(&s, l, k);
    l->at[k].early_neighbours = count_early(l, k);
  }
  free(s.late.item);
  l->update = s.early.item;
  if (!enough || !shorten(&l->update, s.early.count)) return TORSOR_MEMORY;
  return list_late(l, &l->memory);
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

static torsor_status find_layout(block_layout *l, bool *found, const pattern *p,
                                 const block_plan *plan) {
  torsor_status status = block_order_find(&l->order, found, p, plan, &l->memory);
  if (status || !*found) return status;
  arena scratch = {0};
  status = list_places(l, &scratch);
  arena_release(&scratch);
  return status ? status : list_runs_by_group(l, p, &l->memory);
}

torsor_status block_layout_find(block_layout **out, const pattern *p, const block_plan *plan) {
  bool found;
  *out = NULL;
  block_layout *l = calloc(1, sizeof *l);
  if (!l) return TORSOR_MEMORY;
  l->users = 1;
  l->stabilised = plan->stabilised;
  l->strict = plan->strict;
  l->n = p->n;
  const torsor_status status = find_layout(l, &found, p, plan);
  if (status || !found)
    block_layout_release(l);
  else
    *out = l;
  return status;
}

block_layout *block_layout_share(block_layout *l) {
  ++l->users;
  return l;
}

void block_layout_release(block_layout *l) {
  if (!l || --l->users) return;
  arena_release(&l->memory);
  free(l->update);
  free(l);
}
