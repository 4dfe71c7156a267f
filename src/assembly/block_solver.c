/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/block_kernels.h"
#include "assembly/block_order.h"
#include "assembly/linear_solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LU by dense blocks, all by columns.  A pivot with its neighbours is
 *
 *      [ D  U ]   D [size x size] with L [width x size] below it, then U [size x width].
 *      [ L    ]
 *
 * A factorisation puts X = D^-1 into D's place, X U into U's, and subtracts L X U from the blocks of later
 * pivots.  Exchanges of rows stay within a pivot, and X has them: a solution is products alone. */

/* Nonzeros that follow each other here and there. */
typedef struct block_run {
  int from, row, count;
  size_t to;
} block_run;

/* Where a part of L X U is subtracted. */
typedef struct block_update {
  int row, rows, column, columns; /* of L X U */
  int leading;
  size_t to;
} block_update;

typedef struct block_place {
  size_t values; /* of the pivot: D and L, then U */
  int first_update, updates;
} block_place;

typedef struct block_self {
  arena memory;
  pattern p;
  block_order order;
  block_place *at; /* [pivots] */
  block_run *run;
  block_update *update;
  int runs, largest; /* of the pivots: size and width together */
  size_t count;      /* of values */
  double *values;
  double *scale;                /* [n] 1 over the largest entry of each row */
  double *work;                 /* [largest^2] */
  int *exchange;                /* [largest] */
  double *z, *x, *left, *terms; /* [n] work */
  const double *Ax;             /* of the last factorisation */
  double smallest_pivot, largest_pivot;
  int sign;
} block_self;

static void block_destroy(void *self) {
  block_self *s = self;
  arena_release(&s->memory);
  free(s);
}

/* ---- where everything goes ----------------------------------------------------------------- */

static int rows_of(const block_pivot *pivot) {
  return pivot->size + pivot->width;
}

/* Offset among the neighbours of pivot k of a place that is one of them. */
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

/* Where entry (row, column), both places in the order, is kept. */
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

/* Runs of the columns of the matrix; with run = NULL they are only counted. */
static int list_runs(block_run *run, const block_self *s) {
  const int *place = s->order.place;
  int count = 0, leading;
  for (int j = 0; j < s->p.n; ++j) {
    block_run last = {.count = 0};
    for (int k = s->p.Ap[j]; k < s->p.Ap[j + 1]; ++k) {
      const int row = s->p.Ai[k];
      const size_t to = locate(&leading, s, place[row], place[j]);
      if (last.count && row == last.row + last.count && to == last.to + (size_t)last.count) {
        ++last.count;
      } else {
        last = (block_run){.from = k, .row = row, .count = 1, .to = to};
        ++count;
      }
      if (run) run[count - 1] = last;
    }
  }
  return count;
}

/* Parts of L X U of one pivot; with update = NULL they are only counted. */
static int list_updates(block_update *update, const block_self *s, const block_pivot *pivot) {
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
  for (int k = 0; k < o->count; ++k) {
    s->at[k].first_update = (int)updates;
    s->at[k].updates = list_updates(NULL, s, &o->pivot[k]);
    updates += (size_t)s->at[k].updates;
  }
  s->runs = list_runs(NULL, s);
  s->run = arena_take(&s->memory, (size_t)s->runs, sizeof *s->run);
  s->update = arena_take(&s->memory, updates, sizeof *s->update);
  if (!s->run || !s->update) return TORSOR_MEMORY;
  list_runs(s->run, s);
  for (int k = 0; k < o->count; ++k)
    list_updates(s->update + s->at[k].first_update, s, &o->pivot[k]);
  return TORSOR_OK;
}

static torsor_status take_vectors(block_self *s) {
  const size_t n = (size_t)s->p.n, largest = (size_t)s->largest;
  s->values = arena_take(&s->memory, s->count, sizeof *s->values);
  s->scale = arena_take(&s->memory, n, sizeof *s->scale);
  s->work = arena_take(&s->memory, largest * largest, sizeof *s->work);
  s->exchange = arena_take(&s->memory, largest, sizeof *s->exchange);
  double **const work[] = {&s->z, &s->x, &s->left, &s->terms};
  for (int i = 0; i < 4; ++i)
    if (!(*work[i] = arena_take(&s->memory, n, sizeof(double)))) return TORSOR_MEMORY;
  return s->values && s->scale && s->work && s->exchange ? TORSOR_OK : TORSOR_MEMORY;
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

/* The pivot of column k into row k.  False where it is zero or not finite. */
static inline bool choose_pivot(block_self *s, double *A, int a, int n, int k) {
  const double *column = A + k * a;
  int best = k;
  for (int i = k + 1; i < n; ++i)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  s->exchange[k] = best;
  if (best != k) {
    exchange_rows(A, a, n, k, best);
    s->sign = -s->sign;
  }
  const double size = fabs(column[k]);
  if (column[k] < 0) s->sign = -s->sign;
  if (size < s->smallest_pivot) s->smallest_pivot = size;
  if (size > s->largest_pivot) s->largest_pivot = size;
  return size > 0 && size <= DBL_MAX;
}

/* a -= b x, [n]. */
static inline void subtract_scaled(double *restrict a, const double *restrict b, double x, int n) {
  int i = 0;
  for (; i + 2 <= n; i += 2) pair_store(a + i, pair_load(a + i) - pair_load(b + i) * pair_both(x));
  if (i < n) a[i] -= b[i] * x;
}

/* A <- A^-1 [n x n] by Gauss and Jordan. */
static inline __attribute__((always_inline)) bool invert_sized(block_self *s, double *A, int a,
                                                               int n) {
  for (int k = 0; k < n; ++k) {
    if (!choose_pivot(s, A, a, n, k)) return false;
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
    if (s->exchange[k] != k) exchange_columns(A, a, n, k, s->exchange[k]);
  return true;
}

/* U <- X U, and what later pivots lose. */
static inline __attribute__((always_inline)) void spread_sized(block_self *s, int k, int n, int w) {
  const int rows = n + w;
  double *X = s->values + s->at[k].values, *L = X + n, *U = X + rows * n;
  memcpy(s->work, U, (size_t)(n * w) * sizeof *U);
  block_product(U, n, X, rows, s->work, n, n, n, w, false);
  const block_update *update = s->update + s->at[k].first_update;
  for (int i = 0; i < s->at[k].updates; ++i, ++update)
    block_product(s->values + update->to, update->leading, L + update->row, rows,
                  U + update->column * n, n, update->rows, n, update->columns, true);
}

static inline __attribute__((always_inline)) bool eliminate_sized(block_self *s, int k, int n) {
  const int w = s->order.pivot[k].width;
  if (!invert_sized(s, s->values + s->at[k].values, n + w, n)) return false;
  if (w == 6)
    spread_sized(s, k, n, 6);
  else if (w > 0)
    spread_sized(s, k, n, w);
  return true;
}

/* What is done with pivot k, by its size n: a constant for nodes, and for nodes with the joints that are most
 * common, in index 3 and stabilised. */
#define FOR_SIZE(call, s, k)                                                                       \
  switch ((s)->order.pivot[k].size) {                                                              \
  case 6:                                                                                          \
    call(s, k, 6);                                                                                 \
    break;                                                                                         \
  case 9:                                                                                          \
    call(s, k, 9);                                                                                 \
    break;                                                                                         \
  case 11:                                                                                         \
    call(s, k, 11);                                                                                \
    break;                                                                                         \
  case 12:                                                                                         \
    call(s, k, 12);                                                                                \
    break;                                                                                         \
  default:                                                                                         \
    call(s, k, (s)->order.pivot[k].size);                                                          \
  }

static bool eliminate(block_self *s, int k) {
  bool regular;
  FOR_SIZE(regular = eliminate_sized, s, k)
  return regular;
}

static void find_scale(block_self *s, const double *Ax) {
  memset(s->scale, 0, (size_t)s->p.n * sizeof *s->scale);
  for (int k = 0; k < s->p.nonzeros; ++k) {
    double *largest = &s->scale[s->p.Ai[k]];
    *largest = fmax(*largest, fabs(Ax[k]));
  }
  for (int i = 0; i < s->p.n; ++i) s->scale[i] = s->scale[i] > 0 ? 1 / s->scale[i] : 1;
}

/* The matrix with its rows scaled. */
static void copy_scaled(block_self *s, const double *Ax) {
  memset(s->values, 0, s->count * sizeof *s->values);
  const block_run *run = s->run;
  for (int r = 0; r < s->runs; ++r, ++run) {
    const double *from = Ax + run->from, *scale = s->scale + run->row;
    double *to = s->values + run->to;
    int i = 0;
    for (; i + 2 <= run->count; i += 2)
      pair_store(to + i, pair_load(from + i) * pair_load(scale + i));
    if (i < run->count) to[i] = from[i] * scale[i];
  }
}

static torsor_status block_refactor(void *self, const double *Ax) {
  block_self *s = self;
  copy_scaled(s, Ax);
  s->Ax = Ax;
  s->sign = 1;
  s->smallest_pivot = HUGE_VAL;
  s->largest_pivot = 0;
  for (int k = 0; k < s->order.count; ++k)
    if (!eliminate(s, k)) return TORSOR_SINGULAR;
  return TORSOR_OK;
}

static torsor_status block_factor(void *self, const double *Ax) {
  find_scale(self, Ax);
  return block_refactor(self, Ax);
}

static double block_pivot_ratio(const void *self) {
  const block_self *s = self;
  return s->largest_pivot > 0 ? s->smallest_pivot / s->largest_pivot : s->order.count == 0;
}

/* ---- solution ------------------------------------------------------------------------------ */

/* z <- X z, and what later pivots lose. */
static inline __attribute__((always_inline)) void forward_sized(block_self *s, int k, int n) {
  const block_pivot *pivot = &s->order.pivot[k];
  const block_neighbour *list = s->order.neighbour + pivot->first_neighbour;
  const int rows = n + pivot->width;
  const double *X = s->values + s->at[k].values, *L = X + n;
  double *z = s->z + pivot->first, *y = s->work;
  block_times(y, X, rows, z, n, n, false);
  memcpy(z, y, (size_t)n * sizeof *z);
  for (int i = 0; i < pivot->neighbours; ++i, ++list) {
    double *to = s->z + list->first;
    if (list->size == 6)
      block_times(to, L + list->offset, rows, y, 6, n, true);
    else
      block_times(to, L + list->offset, rows, y, list->size, n, true);
  }
}

static inline __attribute__((always_inline)) void backward_sized(block_self *s, int k, int n) {
  const block_pivot *pivot = &s->order.pivot[k];
  const block_neighbour *list = s->order.neighbour + pivot->first_neighbour;
  const double *U = s->values + s->at[k].values + rows_of(pivot) * n;
  double *z = s->z + pivot->first;
  for (int i = 0; i < pivot->neighbours; ++i, ++list) {
    const double *from = s->z + list->first;
    if (list->size == 6)
      block_times(z, U + list->offset * n, n, from, n, 6, true);
    else
      block_times(z, U + list->offset * n, n, from, n, list->size, true);
  }
}

static void forward(block_self *s, int k) {
  FOR_SIZE(forward_sized, s, k)
}

static void backward(block_self *s, int k) {
  FOR_SIZE(backward_sized, s, k)
}

static torsor_status block_solve(void *self, double *x) {
  block_self *s = self;
  const int *unknown = s->order.unknown;
  for (int i = 0; i < s->p.n; ++i) s->z[i] = x[unknown[i]] * s->scale[unknown[i]];
  for (int k = 0; k < s->order.count; ++k) forward(s, k);
  for (int k = s->order.count - 1; k >= 0; --k) backward(s, k);
  for (int i = 0; i < s->p.n; ++i) x[unknown[i]] = s->z[i];
  return TORSOR_OK;
}

static int block_sign(void *self) {
  const block_self *s = self;
  return s->sign;
}

/* Round-off over the backward error of a solution, row by row (Oettli and Prager 1964). */
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

const linear_solver_type linear_solver_block = {
    .name = "block",
    .analyse = block_analyse,
    .factor = block_factor,
    .refactor = block_refactor,
    .solve = block_solve,
    .pivot_ratio = block_pivot_ratio,
    .sign = block_sign,
    .growth = block_growth,
    .destroy = block_destroy,
};
