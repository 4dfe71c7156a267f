/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_kernels.h"
#include "assembly/solver/block_layout.h"
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

/* Work memory of the thread that eliminates a group, and the statistics of its pivots. */
typedef struct block_work {
  double *product; /* [layout->product] */
  int *exchange;   /* [largest] */
  double smallest_pivot, largest_pivot;
  int sign;
  bool regular;
  char apart[64]; /* keeps what different threads write on different cache lines */
} block_work;

typedef struct block_self {
  arena memory;
  pattern p;
  block_layout *layout;
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
  block_layout_release(s->layout);
  arena_release(&s->memory);
  free(s);
}

static torsor_status take_vectors(block_self *s) {
  const size_t n = (size_t)s->p.n, largest = (size_t)s->layout->largest;
  s->values = arena_take(&s->memory, s->layout->count, sizeof *s->values);
  s->scale = arena_take(&s->memory, n, sizeof *s->scale);
  for (int g = 0; g <= s->layout->order.groups; ++g) {
    block_work *w = &s->work[g];
    w->product = arena_take(&s->memory, s->layout->product, sizeof *w->product);
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
  torsor_status status = TORSOR_OK;
  s->p = *p;
  if (plan->layout)
    s->layout = block_layout_share(plan->layout);
  else
    status = block_layout_find(&s->layout, p, plan);
  if (!status && !s->layout) status = TORSOR_SINGULAR;
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
  const int rows = n + s->layout->order.pivot[k].width;
  const double *L = s->values + s->layout->at[k].values + n, *U = L + rows * n - n;
  const block_update *update = s->layout->update + s->layout->at[k].first_update + first;
  for (int i = 0; i < count; ++i, ++update)
    block_product(s->values + update->to, update->leading, L + update->row, rows,
                  U + update->column * n, n, update->rows, n, update->columns, true);
}

/* Replaces U by X U. */
BLOCK_SIZED void spread_sized(block_self *s, block_work *work, int k, int n, int w) {
  const int rows = n + w;
  double *X = s->values + s->layout->at[k].values, *U = X + rows * n;
  memcpy(work->product, U, (size_t)(n * w) * sizeof *U);
  block_product(U, n, X, rows, work->product, n, n, n, w, false);
}

/* Eliminates pivot k of size n: inverts D, multiplies U, and updates later pivots of the group. */
BLOCK_SIZED bool eliminate_sized(block_self *s, block_work *work, int k, int n) {
  const int w = s->layout->order.pivot[k].width;
  if (!invert_sized(work, s->values + s->layout->at[k].values, n + w, n)) return false;
  if (w == 6)
    spread_sized(s, work, k, n, 6);
  else if (w > 0)
    spread_sized(s, work, k, n, w);
  subtract_sized(s, k, n, 0, s->layout->at[k].updates);
  return true;
}

/* Applies the late updates of pivot k, those of the top. */
BLOCK_SIZED void catch_up_sized(block_self *s, int k, int n) {
  subtract_sized(s, k, n, s->layout->at[k].updates, s->layout->at[k].late_updates);
}

/* Calls a kernel for pivot k with its size n as a constant where that is common: nodes, and nodes
 * with the joints that are most common, in index-3 and in stabilised form. */
#define FOR_SIZE(call, s, k, ...)                                                                  \
  switch ((s)->layout->order.pivot[k].size) {                                                      \
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
    call(s, __VA_ARGS__, (s)->layout->order.pivot[k].size);                                        \
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
  const size_t first = block_first_value(s->layout, g);
  memset(s->values + first, 0, (block_first_value(s->layout, g + 1) - first) * sizeof *s->values);
  const block_run *run = s->layout->run + s->layout->first_run[g];
  for (int r = s->layout->first_run[g]; r < s->layout->first_run[g + 1]; ++r, ++run) {
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
  const int end = block_end_of_group(&s->layout->order, g);
  w->sign = 1;
  w->smallest_pivot = HUGE_VAL;
  w->largest_pivot = 0;
  w->regular = true;
  for (int k = s->layout->order.first_pivot[g]; w->regular && k < end; ++k)
    w->regular = eliminate(s, w, k);
}

static void begin_group(void *self, int g) {
  copy_scaled(self, g);
  factor_group(self, g);
}

static torsor_status block_refactor(void *self, const double *Ax) {
  block_self *s = self;
  const int groups = s->layout->order.groups;
  s->Ax = Ax;
  s->sign = 1;
  s->smallest_pivot = HUGE_VAL;
  s->largest_pivot = 0;
  team_run(s->team, groups, begin_group, s);
  copy_scaled(s, groups);
  for (int i = 0; i < s->layout->lates; ++i) catch_up(s, s->layout->late[i]);
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
  return s->largest_pivot > 0 ? s->smallest_pivot / s->largest_pivot : s->layout->order.count == 0;
}

/* ---- solution ------------------------------------------------------------------------------ */

/* Forward substitution: subtracts L z of pivot k from the entries of its neighbours `first` to
 * `end` - 1. */
BLOCK_SIZED void pass_on_sized(block_self *s, int k, int first, int end, int n) {
  const block_pivot *pivot = &s->layout->order.pivot[k];
  const block_neighbour *list = s->layout->order.neighbour + pivot->first_neighbour + first;
  const int rows = n + pivot->width;
  const double *L = s->values + s->layout->at[k].values + n, *z = s->z + pivot->first;
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
  const block_pivot *pivot = &s->layout->order.pivot[k];
  double *z = s->z + pivot->first;
  block_times(y, s->values + s->layout->at[k].values, n + pivot->width, z, n, n, false);
  memcpy(z, y, (size_t)n * sizeof *z);
  pass_on_sized(s, k, 0, s->layout->at[k].early_neighbours, n);
}

/* Backward substitution of pivot k: subtracts X U times the entries of its neighbours. */
BLOCK_SIZED void backward_sized(block_self *s, int k, int n) {
  const block_pivot *pivot = &s->layout->order.pivot[k];
  const block_neighbour *list = s->layout->order.neighbour + pivot->first_neighbour;
  const double *U = s->values + s->layout->at[k].values + block_rows(pivot) * n;
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
  const int early = s->layout->at[k].early_neighbours, all = s->layout->order.pivot[k].neighbours;
  FOR_SIZE(pass_on_sized, s, k, k, early, all)
}

static void backward(block_self *s, int k) {
  FOR_SIZE(backward_sized, s, k, k)
}

static void forward_group(block_self *s, int g) {
  const int end = block_end_of_group(&s->layout->order, g);
  for (int k = s->layout->order.first_pivot[g]; k < end; ++k) forward(s, s->work[g].product, k);
}

static void backward_group(block_self *s, int g) {
  for (int k = block_end_of_group(&s->layout->order, g) - 1; k >= s->layout->order.first_pivot[g];
       --k)
    backward(s, k);
}

static void load_group(block_self *s, int g) {
  const int *unknown = s->layout->order.unknown, end = block_first_place(s->layout, g + 1);
  if (s->change) s->change->run(s->change->self, s->given, g, false);
  for (int i = block_first_place(s->layout, g); i < end; ++i)
    s->z[i] = s->given[unknown[i]] * s->scale[unknown[i]];
}

static void store_group(block_self *s, int g) {
  const int *unknown = s->layout->order.unknown, end = block_first_place(s->layout, g + 1);
  for (int i = block_first_place(s->layout, g); i < end; ++i) s->given[unknown[i]] = s->z[i];
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
  const int groups = s->layout->order.groups;
  s->given = x;
  s->change = change;
  team_run(s->team, groups, begin_solution, s);
  load_group(s, groups);
  for (int i = 0; i < s->layout->lates; ++i) pass_on_late(s, s->layout->late[i]);
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
  while (g < s->layout->order.groups &&
         s->layout->order.place[unknown] >= block_first_place(s->layout, g + 1))
    ++g;
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
  for (int k = 0; k < s->layout->order.count; ++k) {
    const block_pivot *pivot = &s->layout->order.pivot[k];
    const int n = pivot->size, *unknown = s->layout->order.unknown + pivot->first;
    double *D = s->work[0].product, *X = s->values + s->layout->at[k].values;
    for (int i = 0; i < n * n; ++i)
      D[i] = X[i % n + i / n * block_rows(pivot)] * s->scale[unknown[i / n]];
    negative += inertia_negative(D, n);
  }
  return negative;
}

static double block_work_of(const void *self) {
  return ((const block_self *)self)->layout->order.flops;
}

static block_layout *block_layout_of(void *self) {
  return ((block_self *)self)->layout;
}

static bool block_apart(const void *self) {
  return ((const block_self *)self)->layout->order.apart;
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
    .work = block_work_of,
    .apart = block_apart,
    .layout = block_layout_of,
    .set_team = block_set_team,
    .destroy = block_destroy,
};
