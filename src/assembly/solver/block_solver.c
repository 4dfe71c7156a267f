/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_kernels.h"
#include "assembly/solver/block_order.h"
#include "assembly/solver/inertia.h"
#include "assembly/solver/linear_solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Supernodal LU factorisation by dense blocks (right-looking: each pivot, as soon as it is
 * eliminated, updates the blocks of later pivots).  Order and supernodes come from block_order.h;
 * blocks are stored by columns.  A pivot and its neighbours are
 *
 *        [ D  U ]   D [size x size] with L [width x size] below it, then U [size x width].
 *        [ L    ]
 *
 * The factorisation replaces D by X = D^-1 and U by X U, and subtracts the Schur complement's part
 * L X U from the blocks of later pivots.  Rows are exchanged within a pivot only, and X contains
 * these exchanges, so that a solution consists of products alone.
 *
 * A pivot of a group changes pivots of its own group and of the top.  Threads leave the changes of
 * the top for later, so that each entry is the same sum in the same order whichever thread computes
 * it. */

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

/* Where the data of one pivot begin. */
typedef struct block_place {
  size_t values;                           /* index of its values: D and L, then U */
  int first_update, updates, late_updates; /* those of the top are late, for pivots of groups */
  int early_neighbours;                    /* the neighbours behind these are in the top */
} block_place;

/* Work memory of the thread that eliminates a group, and the statistics of its pivots. */
typedef struct block_work {
  double *product; /* [largest^2] */
  int *exchange;   /* [largest] */
  double smallest_pivot, largest_pivot;
  int sign;
  bool regular;
  char apart[64]; /* keeps what different threads write on different cache lines */
} block_work;

typedef struct block_self {
  arena memory;
  pattern p;
  block_order order;
  block_place *at;                 /* [pivots] */
  block_run *run;                  /* sorted by groups */
  int first_run[BLOCK_GROUPS + 2]; /* first run of each group and of the top, then the end */
  block_update *update;
  int *late, lates; /* pivots of groups that change the top */
  int largest;      /* largest size + width of a pivot */
  size_t count;     /* number of values */
  double *values;
  double *scale; /* [n] row equilibration: 1 over the largest entry of each row */
  block_work work[BLOCK_GROUPS + 1]; /* one for each group and for the top */
  team *team;
  double *z, *x, *left, *terms; /* [n] work */
  double *given;                /* [n] right side, which the solution overwrites */
  const solver_change *change;  /* change of variables around the solution, or NULL */
  const double *Ax;             /* matrix of the last factorisation */
  double smallest_pivot, largest_pivot;
  int sign;
} block_self;

_Static_assert(SOLVER_PARTS == BLOCK_GROUPS + 1, "a part for each group and for the top");

static void block_destroy(void *self) {
  block_self *s = self;
  arena_release(&s->memory);
  free(s);
}

/* ---- symbolic factorisation ----------------------------------------------------------------- */

static int rows_of(const block_pivot *pivot) {
  return pivot->size + pivot->width;
}

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
static size_t locate(int *leading, const block_self *s, int row, int column) {
  const block_order *o = &s->order;
  const int of_row = o->pivot_of[row], of_column = o->pivot_of[column];
  const int k = of_column > of_row ? of_row : of_column;
  const block_pivot *pivot = &o->pivot[k];
  int down = row - pivot->first, across = column - pivot->first;
  size_t first = s->at[k].values;
  *leading = rows_of(pivot);
  if (of_column > k) {
    first += (size_t)*leading * (size_t)pivot->size;
    *leading = pivot->size;
    across = neighbour_offset(o, pivot, column);
  } else if (of_row > k) {
    down = pivot->size + neighbour_offset(o, pivot, row);
  }
  return first + (size_t)down + (size_t)*leading * (size_t)across;
}

/* Returns the pivot after the last one of group g, or of the top. */
static int end_of_group(const block_order *o, int g) {
  return g < o->groups ? o->first_pivot[g + 1] : o->count;
}

/* Returns the first position of group g or of the top in the order, and n for the group behind the
 * top. */
static int first_place(const block_self *s, int g) {
  const block_order *o = &s->order;
  const int k = g <= o->groups ? o->first_pivot[g] : o->count;
  return k < o->count ? o->pivot[k].first : s->p.n;
}

/* Returns the index at which the values of group g begin. */
static size_t first_value(const block_self *s, int g) {
  const block_order *o = &s->order;
  const int k = g <= o->groups ? o->first_pivot[g] : o->count;
  return k < o->count ? s->at[k].values : s->count;
}

/* Lists the rectangles of one pivot's L X U, either those that update the top (late) or the others.
 * Rectangles that continue each other are merged.  Returns their number; update = NULL only counts
 * them. */
static int list_updates(block_update *update, const block_self *s, const block_pivot *pivot,
                        size_t top, bool late) {
  const block_neighbour *list = s->order.neighbour + pivot->first_neighbour;
  int count = 0;
  for (int j = 0; j < pivot->neighbours; ++j) {
    block_update last = {.rows = 0};
    for (int i = 0; i < pivot->neighbours; ++i) {
      block_update next = {.row = list[i].offset,
                           .rows = list[i].size,
                           .column = list[j].offset,
                           .columns = list[j].size};
      next.to = locate(&next.leading, s, list[i].first, list[j].first);
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
static int count_early(const block_self *s, int k) {
  const block_order *o = &s->order;
  const block_pivot *pivot = &o->pivot[k];
  const int top = k < o->first_pivot[o->groups] ? first_place(s, o->groups) : s->p.n;
  int early = 0;
  while (early < pivot->neighbours && o->neighbour[pivot->first_neighbour + early].first < top)
    ++early;
  return early;
}

/* Lists the pivots of groups that update the top.  They are the same that have neighbours there, so
 * that the list serves the solution, too. */
static torsor_status list_late(block_self *s) {
  const block_order *o = &s->order;
  for (int k = 0; k < o->first_pivot[o->groups]; ++k) s->lates += s->at[k].late_updates > 0;
  s->late = arena_take(&s->memory, (size_t)s->lates, sizeof *s->late);
  if (!s->late) return TORSOR_MEMORY;
  for (int k = 0, i = 0; i < s->lates; ++k)
    if (s->at[k].late_updates) s->late[i++] = k;
  return TORSOR_OK;
}

/* Finds where the values of each pivot are stored and which rectangles it updates: this is the
 * symbolic factorisation. */
static torsor_status list_places(block_self *s) {
  const block_order *o = &s->order;
  size_t updates = 0;
  s->at = arena_take(&s->memory, (size_t)o->count, sizeof *s->at);
  if (!s->at) return TORSOR_MEMORY;
  for (int k = 0; k < o->count; ++k) {
    const block_pivot *pivot = &o->pivot[k];
    s->at[k].values = s->count;
    s->count += (size_t)pivot->size * (size_t)(rows_of(pivot) + pivot->width);
    if (rows_of(pivot) > s->largest) s->largest = rows_of(pivot);
  }
  const size_t top = first_value(s, o->groups);
  for (int k = 0; k < o->count; ++k) {
    block_place *at = &s->at[k];
    const size_t late = k < o->first_pivot[o->groups] ? top : s->count;
    at->first_update = (int)updates;
    at->updates = list_updates(NULL, s, &o->pivot[k], late, false);
    at->late_updates = list_updates(NULL, s, &o->pivot[k], late, true);
    updates += (size_t)(at->updates + at->late_updates);
    at->early_neighbours = count_early(s, k);
  }
  s->update = arena_take(&s->memory, updates, sizeof *s->update);
  if (!s->update) return TORSOR_MEMORY;
  for (int k = 0; k < o->count; ++k) {
    block_update *update = s->update + s->at[k].first_update;
    const size_t late = k < o->first_pivot[o->groups] ? top : s->count;
    list_updates(update, s, &o->pivot[k], late, false);
    list_updates(update + s->at[k].updates, s, &o->pivot[k], late, true);
  }
  return list_late(s);
}

/* The list of runs: first they are counted (run = NULL), then stored. */
typedef struct run_list {
  const block_self *s;
  block_run *run;
  int next[BLOCK_GROUPS + 1];   /* next run of each group and of the top */
  size_t end[BLOCK_GROUPS + 1]; /* end of their values */
} run_list;

static void add_run(run_list *list, block_run run) {
  int g = 0;
  if (!run.count) return;
  while (g < list->s->order.groups && run.to >= list->end[g]) ++g;
  if (list->run) list->run[list->next[g]] = run;
  ++list->next[g];
}

/* Counts the entries from k on that follow each other in a column of the matrix and in one
 * pivot. */
static int count_below(const block_self *s, int k, int end) {
  const int *Ai = s->p.Ai, *place = s->order.place, *pivot_of = s->order.pivot_of;
  const int row = Ai[k], first = place[row], pivot = pivot_of[first];
  int count = 1;
  while (k + count < end && Ai[k + count] == row + count && place[row + count] == first + count &&
         pivot_of[first + count] == pivot)
    ++count;
  return count;
}

static void list_runs(run_list *list) {
  const block_self *s = list->s;
  const int *Ai = s->p.Ai, *place = s->order.place;
  for (int j = 0; j < s->p.n; ++j) {
    block_run last = {.count = 0};
    for (int k = s->p.Ap[j], count; k < s->p.Ap[j + 1]; k += count) {
      int leading;
      const size_t to = locate(&leading, s, place[Ai[k]], place[j]);
      count = count_below(s, k, s->p.Ap[j + 1]);
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
static torsor_status list_runs_by_group(block_self *s) {
  run_list list = {.s = s};
  for (int g = 0; g <= s->order.groups; ++g) list.end[g] = first_value(s, g + 1);
  list_runs(&list);
  for (int g = 0; g <= s->order.groups; ++g) {
    s->first_run[g + 1] = s->first_run[g] + list.next[g];
    list.next[g] = s->first_run[g];
  }
  const int runs = s->first_run[s->order.groups + 1];
  s->run = list.run = arena_take(&s->memory, (size_t)runs, sizeof *s->run);
  if (!s->run) return TORSOR_MEMORY;
  list_runs(&list);
  return TORSOR_OK;
}

static torsor_status take_vectors(block_self *s) {
  const size_t n = (size_t)s->p.n, largest = (size_t)s->largest;
  s->values = arena_take(&s->memory, s->count, sizeof *s->values);
  s->scale = arena_take(&s->memory, n, sizeof *s->scale);
  for (int g = 0; g <= s->order.groups; ++g) {
    block_work *w = &s->work[g];
    w->product = arena_take(&s->memory, largest * largest, sizeof *w->product);
    w->exchange = arena_take(&s->memory, largest, sizeof *w->exchange);
    if (!w->product || !w->exchange) return TORSOR_MEMORY;
  }
  double **const work[] = {&s->z, &s->x, &s->left, &s->terms};
  for (int i = 0; i < 4; ++i)
    if (!(*work[i] = arena_take(&s->memory, n, sizeof(double)))) return TORSOR_MEMORY;
  return s->values && s->scale ? TORSOR_OK : TORSOR_MEMORY;
}

static torsor_status block_analyse(void **self, const pattern *p, const block_plan *plan) {
  *self = NULL;
  if (!plan) return TORSOR_SINGULAR;
  block_self *s = calloc(1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  bool found;
  s->p = *p;
  torsor_status status = block_order_find(&s->order, &found, p, plan, &s->memory);
  if (!status && !found) status = TORSOR_SINGULAR;
  if (!status) status = list_places(s);
  if (!status) status = list_runs_by_group(s);
  if (!status) status = take_vectors(s);
  if (status) {
    block_destroy(s);
    return status;
  }
  *self = s;
  return TORSOR_OK;
}

/* ---- factorisation ------------------------------------------------------------------------- */

static inline void exchange_rows(double *A, int a, int n, int i, int j) {
  for (int k = 0; k < n; ++k) {
    const double kept = A[i + k * a];
    A[i + k * a] = A[j + k * a];
    A[j + k * a] = kept;
  }
}

static inline void exchange_columns(double *A, int a, int n, int i, int j) {
  for (int k = 0; k < n; ++k) {
    const double kept = A[k + i * a];
    A[k + i * a] = A[k + j * a];
    A[k + j * a] = kept;
  }
}

/* Exchanges rows so that the largest entry of column k becomes the pivot (partial pivoting).
 * Returns false where that entry is zero or not finite. */
static inline bool choose_pivot(block_work *w, double *A, int a, int n, int k) {
  const double *column = A + k * a;
  int best = k;
  for (int i = k + 1; i < n; ++i)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  w->exchange[k] = best;
  if (best != k) {
    exchange_rows(A, a, n, k, best);
    w->sign = -w->sign;
  }
  const double size = fabs(column[k]);
  if (column[k] < 0) w->sign = -w->sign;
  if (size < w->smallest_pivot) w->smallest_pivot = size;
  if (size > w->largest_pivot) w->largest_pivot = size;
  return size > 0 && size <= DBL_MAX;
}

/* a -= b x, vectors of length n. */
static inline void subtract_scaled(double *restrict a, const double *restrict b, double x, int n) {
  int i = 0;
  for (; i + 2 <= n; i += 2) pair_store(a + i, pair_load(a + i) - pair_load(b + i) * pair_both(x));
  if (i < n) a[i] -= b[i] * x;
}

/* Replaces A [n x n] by its inverse, by Gauss-Jordan elimination with partial pivoting.  Returns
 * false where A is singular. */
BLOCK_SIZED bool invert_sized(block_work *w, double *A, int a, int n) {
  for (int k = 0; k < n; ++k) {
    if (!choose_pivot(w, A, a, n, k)) return false;
    double *column = A + k * a;
    const double inverse = 1 / column[k];
    column[k] = 0;
    for (int j = 0; j < n; ++j) {
      double *other = A + j * a;
      if (j == k) continue;
      const double part = other[k] * inverse;
      subtract_scaled(other, column, part, n);
      other[k] = part;
    }
    for (int i = 0; i < n; ++i) column[i] *= -inverse;
    column[k] = inverse;
  }
  for (int k = n - 1; k >= 0; --k)
    if (w->exchange[k] != k) exchange_columns(A, a, n, k, w->exchange[k]);
  return true;
}

/* Subtracts L X U of pivot k from later pivots: `count` rectangles from `first` on. */
BLOCK_SIZED void subtract_sized(block_self *s, int k, int n, int first, int count) {
  const int rows = n + s->order.pivot[k].width;
  const double *L = s->values + s->at[k].values + n, *U = L + rows * n - n;
  const block_update *update = s->update + s->at[k].first_update + first;
  for (int i = 0; i < count; ++i, ++update)
    block_product(s->values + update->to, update->leading, L + update->row, rows,
                  U + update->column * n, n, update->rows, n, update->columns, true);
}

/* Replaces U by X U. */
BLOCK_SIZED void spread_sized(block_self *s, block_work *work, int k, int n, int w) {
  const int rows = n + w;
  double *X = s->values + s->at[k].values, *U = X + rows * n;
  memcpy(work->product, U, (size_t)(n * w) * sizeof *U);
  block_product(U, n, X, rows, work->product, n, n, n, w, false);
}

/* Eliminates pivot k of size n: inverts D, multiplies U, and updates later pivots of the group. */
BLOCK_SIZED bool eliminate_sized(block_self *s, block_work *work, int k, int n) {
  const int w = s->order.pivot[k].width;
  if (!invert_sized(work, s->values + s->at[k].values, n + w, n)) return false;
  if (w == 6)
    spread_sized(s, work, k, n, 6);
  else if (w > 0)
    spread_sized(s, work, k, n, w);
  subtract_sized(s, k, n, 0, s->at[k].updates);
  return true;
}

/* Applies the late updates of pivot k, those of the top. */
BLOCK_SIZED void catch_up_sized(block_self *s, int k, int n) {
  subtract_sized(s, k, n, s->at[k].updates, s->at[k].late_updates);
}

/* Calls a kernel for pivot k with its size n as a constant where that is common: nodes, and nodes
 * with the joints that are most common, in index-3 and in stabilised form. */
#define FOR_SIZE(call, s, k, ...)                                                                  \
  switch ((s)->order.pivot[k].size) {                                                              \
  case 6:                                                                                          \
    call(s, __VA_ARGS__, 6);                                                                       \
    break;                                                                                         \
  case 9:                                                                                          \
    call(s, __VA_ARGS__, 9);                                                                       \
    break;                                                                                         \
  case 11:                                                                                         \
    call(s, __VA_ARGS__, 11);                                                                      \
    break;                                                                                         \
  case 12:                                                                                         \
    call(s, __VA_ARGS__, 12);                                                                      \
    break;                                                                                         \
  default:                                                                                         \
    call(s, __VA_ARGS__, (s)->order.pivot[k].size);                                                \
  }

static bool eliminate(block_self *s, block_work *work, int k) {
  bool regular;
  FOR_SIZE(regular = eliminate_sized, s, k, work, k)
  return regular;
}

static void catch_up(block_self *s, int k) {
  FOR_SIZE(catch_up_sized, s, k, k)
}

/* Finds the row equilibration of the matrix. */
static void find_scale(block_self *s, const double *Ax) {
  memset(s->scale, 0, (size_t)s->p.n * sizeof *s->scale);
  for (int k = 0; k < s->p.nonzeros; ++k) {
    double *largest = &s->scale[s->p.Ai[k]];
    *largest = fmax(*largest, fabs(Ax[k]));
  }
  for (int i = 0; i < s->p.n; ++i) s->scale[i] = s->scale[i] > 0 ? 1 / s->scale[i] : 1;
}

/* Copies the values of group g from the matrix, with the rows scaled. */
static void copy_scaled(block_self *s, int g) {
  const size_t first = first_value(s, g);
  memset(s->values + first, 0, (first_value(s, g + 1) - first) * sizeof *s->values);
  const block_run *run = s->run + s->first_run[g];
  for (int r = s->first_run[g]; r < s->first_run[g + 1]; ++r, ++run) {
    const double *from = s->Ax + run->from, *scale = s->scale + run->row;
    double *to = s->values + run->to;
    int i = 0;
    for (; i + 2 <= run->count; i += 2)
      pair_store(to + i, pair_load(from + i) * pair_load(scale + i));
    if (i < run->count) to[i] = from[i] * scale[i];
  }
}

static void factor_group(block_self *s, int g) {
  block_work *w = &s->work[g];
  const int end = end_of_group(&s->order, g);
  w->sign = 1;
  w->smallest_pivot = HUGE_VAL;
  w->largest_pivot = 0;
  w->regular = true;
  for (int k = s->order.first_pivot[g]; w->regular && k < end; ++k) w->regular = eliminate(s, w, k);
}

static void begin_group(void *self, int g) {
  copy_scaled(self, g);
  factor_group(self, g);
}

static torsor_status block_refactor(void *self, const double *Ax) {
  block_self *s = self;
  const int groups = s->order.groups;
  s->Ax = Ax;
  s->sign = 1;
  s->smallest_pivot = HUGE_VAL;
  s->largest_pivot = 0;
  team_run(s->team, groups, begin_group, s);
  copy_scaled(s, groups);
  for (int i = 0; i < s->lates; ++i) catch_up(s, s->late[i]);
  factor_group(s, groups);
  for (int g = 0; g <= groups; ++g) {
    const block_work *w = &s->work[g];
    if (!w->regular) return TORSOR_SINGULAR;
    s->sign *= w->sign;
    s->smallest_pivot = fmin(s->smallest_pivot, w->smallest_pivot);
    s->largest_pivot = fmax(s->largest_pivot, w->largest_pivot);
  }
  return TORSOR_OK;
}

static torsor_status block_factor(void *self, const double *Ax) {
  find_scale(self, Ax);
  return block_refactor(self, Ax);
}

static double *block_pivots(void *self) {
  return ((block_self *)self)->scale;
}

static double block_pivot_ratio(const void *self) {
  const block_self *s = self;
  return s->largest_pivot > 0 ? s->smallest_pivot / s->largest_pivot : s->order.count == 0;
}

/* ---- solution ------------------------------------------------------------------------------ */

/* Forward substitution: subtracts L z of pivot k from the entries of its neighbours `first` to
 * `end` - 1. */
BLOCK_SIZED void pass_on_sized(block_self *s, int k, int first, int end, int n) {
  const block_pivot *pivot = &s->order.pivot[k];
  const block_neighbour *list = s->order.neighbour + pivot->first_neighbour + first;
  const int rows = n + pivot->width;
  const double *L = s->values + s->at[k].values + n, *z = s->z + pivot->first;
  for (int i = first; i < end; ++i, ++list) {
    double *to = s->z + list->first;
    if (list->size == 6)
      block_times(to, L + list->offset, rows, z, 6, n, true);
    else if (list->size == 3)
      block_times(to, L + list->offset, rows, z, 3, n, true);
    else
      block_times(to, L + list->offset, rows, z, list->size, n, true);
  }
}

/* Forward substitution of pivot k: z <- X z, then the neighbours of its own group are updated. */
BLOCK_SIZED void forward_sized(block_self *s, double *y, int k, int n) {
  const block_pivot *pivot = &s->order.pivot[k];
  double *z = s->z + pivot->first;
  block_times(y, s->values + s->at[k].values, n + pivot->width, z, n, n, false);
  memcpy(z, y, (size_t)n * sizeof *z);
  pass_on_sized(s, k, 0, s->at[k].early_neighbours, n);
}

/* Backward substitution of pivot k: subtracts X U times the entries of its neighbours. */
BLOCK_SIZED void backward_sized(block_self *s, int k, int n) {
  const block_pivot *pivot = &s->order.pivot[k];
  const block_neighbour *list = s->order.neighbour + pivot->first_neighbour;
  const double *U = s->values + s->at[k].values + rows_of(pivot) * n;
  double *z = s->z + pivot->first;
  for (int i = 0; i < pivot->neighbours; ++i, ++list) {
    const double *from = s->z + list->first;
    if (list->size == 6)
      block_times(z, U + list->offset * n, n, from, n, 6, true);
    else if (list->size == 3)
      block_times(z, U + list->offset * n, n, from, n, 3, true);
    else
      block_times(z, U + list->offset * n, n, from, n, list->size, true);
  }
}

static void forward(block_self *s, double *y, int k) {
  FOR_SIZE(forward_sized, s, k, y, k)
}

static void pass_on_late(block_self *s, int k) {
  const int early = s->at[k].early_neighbours, all = s->order.pivot[k].neighbours;
  FOR_SIZE(pass_on_sized, s, k, k, early, all)
}

static void backward(block_self *s, int k) {
  FOR_SIZE(backward_sized, s, k, k)
}

static void forward_group(block_self *s, int g) {
  const int end = end_of_group(&s->order, g);
  for (int k = s->order.first_pivot[g]; k < end; ++k) forward(s, s->work[g].product, k);
}

static void backward_group(block_self *s, int g) {
  for (int k = end_of_group(&s->order, g) - 1; k >= s->order.first_pivot[g]; --k) backward(s, k);
}

static void load_group(block_self *s, int g) {
  const int *unknown = s->order.unknown, end = first_place(s, g + 1);
  if (s->change) s->change->run(s->change->self, s->given, g, false);
  for (int i = first_place(s, g); i < end; ++i)
    s->z[i] = s->given[unknown[i]] * s->scale[unknown[i]];
}

static void store_group(block_self *s, int g) {
  const int *unknown = s->order.unknown, end = first_place(s, g + 1);
  for (int i = first_place(s, g); i < end; ++i) s->given[unknown[i]] = s->z[i];
  if (s->change) s->change->run(s->change->self, s->given, g, true);
}

static void begin_solution(void *self, int g) {
  load_group(self, g);
  forward_group(self, g);
}

static void end_solution(void *self, int g) {
  backward_group(self, g);
  store_group(self, g);
}

static torsor_status block_solve_changed(void *self, double *x, const solver_change *change) {
  block_self *s = self;
  const int groups = s->order.groups;
  s->given = x;
  s->change = change;
  team_run(s->team, groups, begin_solution, s);
  load_group(s, groups);
  for (int i = 0; i < s->lates; ++i) pass_on_late(s, s->late[i]);
  forward_group(s, groups);
  backward_group(s, groups);
  store_group(s, groups);
  team_run(s->team, groups, end_solution, s);
  return TORSOR_OK;
}

static torsor_status block_solve(void *self, double *x) {
  return block_solve_changed(self, x, NULL);
}

static int block_part_of(const void *self, int unknown) {
  const block_self *s = self;
  int g = 0;
  while (g < s->order.groups && s->order.place[unknown] >= first_place(s, g + 1)) ++g;
  return g;
}

static void block_set_team(void *self, team *t) {
  block_self *s = self;
  s->team = t;
}

static int block_sign(void *self) {
  const block_self *s = self;
  return s->sign;
}

/* Estimates the growth of the pivots as round-off over the componentwise backward error of one
 * solution (Oettli and Prager, Numer. Math. 6 (1964) 405-409), whose right side is built from the
 * row scales. */
static double block_growth(void *self) {
  block_self *s = self;
  double worst = 0;
  for (int i = 0; i < s->p.n; ++i) {
    s->x[i] = (i % 3 ? 1 : -1) / s->scale[i];
    s->left[i] = s->x[i];
    s->terms[i] = fabs(s->x[i]);
  }
  block_solve(s, s->x);
  for (int j = 0; j < s->p.n; ++j)
    for (int k = s->p.Ap[j]; k < s->p.Ap[j + 1]; ++k) {
      s->left[s->p.Ai[k]] -= s->Ax[k] * s->x[j];
      s->terms[s->p.Ai[k]] += fabs(s->Ax[k] * s->x[j]);
    }
  for (int i = 0; i < s->p.n; ++i) {
    const double error = fabs(s->left[i]) / s->terms[i];
    if (!(error <= worst)) worst = error;
  }
  return worst > DBL_EPSILON ? DBL_EPSILON / worst : worst <= DBL_EPSILON;
}

/* Counts the negative eigenvalues of a symmetric matrix.  By Sylvester's law of inertia these are
 * as many as those of all pivots together, and an inverse has as many as its matrix. */
static int block_negative(void *self) {
  const block_self *s = self;
  int negative = 0;
  for (int k = 0; k < s->order.count; ++k) {
    const block_pivot *pivot = &s->order.pivot[k];
    const int n = pivot->size, *unknown = s->order.unknown + pivot->first;
    double *D = s->work[0].product, *X = s->values + s->at[k].values;
    for (int i = 0; i < n * n; ++i)
      D[i] = X[i % n + i / n * rows_of(pivot)] * s->scale[unknown[i / n]];
    negative += inertia_negative(D, n);
  }
  return negative;
}

const linear_solver_type linear_solver_block = {
    .name = "block",
    .analyse = block_analyse,
    .factor = block_factor,
    .refactor = block_refactor,
    .solve = block_solve,
    .solve_changed = block_solve_changed,
    .part_of = block_part_of,
    .pivot_ratio = block_pivot_ratio,
    .sign = block_sign,
    .negative = block_negative,
    .growth = block_growth,
    .pivots = block_pivots,
    .set_team = block_set_team,
    .destroy = block_destroy,
};
