/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/small_blocks.h"

#include <string.h>

#include "assembly/solver/block_kernels.h"

/* ---- order and places --------------------------------------------------------------------- */

typedef struct list {
  int *item, count, size;
} list;

typedef struct search {
  const small_graph *graph;
  list *next; /* [count] neighbours that are not eliminated yet, ascending */
  bool *gone;
  int *order;   /* [count] */
  list *at_end; /* [count] neighbours when it was eliminated */
  int *heap, *where, held;
  int *width; /* [count] rows of the neighbours together */
  arena *memory;
} search;

static bool list_reserve(list *l, int size, arena *memory) {
  if (size <= l->size) return true;
  const int more = 2 * size + 4;
  int *item = arena_take(memory, (size_t)more, sizeof *item);
  if (!item) return false;
  if (l->count) memcpy(item, l->item, (size_t)l->count * sizeof *item);
  l->item = item;
  l->size = more;
  return true;
}

/* Adds a value to an ascending list, once. */
static bool list_insert(list *l, int value, arena *memory) {
  int at = l->count;
  while (at > 0 && l->item[at - 1] > value) --at;
  if (at > 0 && l->item[at - 1] == value) return true;
  if (!list_reserve(l, l->count + 1, memory)) return false;
  memmove(l->item + at + 1, l->item + at, (size_t)(l->count - at) * sizeof *l->item);
  l->item[at] = value;
  ++l->count;
  return true;
}

/* Counts the values of an ascending list that are not in another one. */
static int count_others(const list *l, const list *without) {
  int others = 0, at = 0;
  for (int i = 0; i < l->count; ++i) {
    while (at < without->count && without->item[at] < l->item[i]) ++at;
    others += at == without->count || without->item[at] != l->item[i];
  }
  return others;
}

/* Adds the values of an ascending list to another one, each once: from the end on, so that none is
 * overwritten before it has been read. */
static bool list_merge(list *to, const list *from, arena *memory) {
  const int more = count_others(from, to);
  if (!list_reserve(to, to->count + more, memory)) return false;
  int i = to->count - 1, k = from->count - 1;
  for (int at = to->count + more - 1; at > i; --at) {
    if (i >= 0 && to->item[i] >= from->item[k]) {
      k -= to->item[i] == from->item[k];
      to->item[at] = to->item[i--];
    } else {
      to->item[at] = from->item[k--];
    }
  }
  to->count += more;
  return true;
}

static void list_remove(list *l, int value) {
  int to = 0;
  for (int i = 0; i < l->count; ++i)
    if (l->item[i] != value) l->item[to++] = l->item[i];
  l->count = to;
}

/* A heap of blocks by the width of their fronts, ties by number. */
static bool goes_before(const search *s, int a, int b) {
  return s->width[a] != s->width[b] ? s->width[a] < s->width[b] : a < b;
}

static void put(search *s, int at, int block) {
  s->heap[at] = block;
  s->where[block] = at;
}

static void sift(search *s, int at) {
  const int block = s->heap[at];
  while (at > 0 && goes_before(s, block, s->heap[(at - 1) / 2])) {
    put(s, at, s->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  for (int child; (child = 2 * at + 1) < s->held; at = child) {
    if (child + 1 < s->held && goes_before(s, s->heap[child + 1], s->heap[child])) ++child;
    if (!goes_before(s, s->heap[child], block)) break;
    put(s, at, s->heap[child]);
  }
  put(s, at, block);
}

static int take_least(search *s) {
  const int least = s->heap[0], last = s->heap[--s->held];
  if (s->held > 0) {
    put(s, 0, last);
    sift(s, 0);
  }
  return least;
}

static int width_of(const search *s, const list *l) {
  int sum = 0;
  for (int i = 0; i < l->count; ++i) sum += s->graph->rows[l->item[i]];
  return sum;
}

static torsor_status begin_search(search *s) {
  const small_graph *g = s->graph;
  const size_t count = (size_t)g->count;
  s->next = arena_take(s->memory, count, sizeof *s->next);
  s->gone = arena_take(s->memory, count, sizeof *s->gone);
  s->order = arena_take(s->memory, count, sizeof *s->order);
  s->at_end = arena_take(s->memory, count, sizeof *s->at_end);
  s->heap = arena_take(s->memory, count, sizeof *s->heap);
  s->where = arena_take(s->memory, count, sizeof *s->where);
  s->width = arena_take(s->memory, count, sizeof *s->width);
  if (!s->next || !s->gone || !s->order || !s->at_end || !s->heap || !s->where || !s->width)
    return TORSOR_MEMORY;
  for (int i = 0; i < g->count; ++i) {
    for (int k = g->first[i]; k < g->first[i + 1]; ++k)
      if (g->neighbour[k] != i && !list_insert(&s->next[i], g->neighbour[k], s->memory))
        return TORSOR_MEMORY;
    s->width[i] = width_of(s, &s->next[i]);
    put(s, i, i);
    s->held = i + 1;
    sift(s, i);
  }
  return TORSOR_OK;
}

/* Its neighbours become neighbours of each other. */
static torsor_status eliminate(search *s, int block) {
  const list *l = &s->next[block];
  for (int i = 0; i < l->count; ++i) {
    list *other = &s->next[l->item[i]];
    if (!list_merge(other, l, s->memory)) return TORSOR_MEMORY;
    list_remove(other, block);
    list_remove(other, l->item[i]);
    s->width[l->item[i]] = width_of(s, other);
    sift(s, s->where[l->item[i]]);
  }
  s->at_end[block] = *l;
  return TORSOR_OK;
}

/* Operations that the elimination of n rows with a front of this width takes. */
static double flops_of(double n, double width) {
  return n * n * n / 3 + n * n * width + n * width * width;
}

static torsor_status find_order(search *s, double *flops, double most) {
  torsor_status status = begin_search(s);
  *flops = 0;
  for (int i = 0; i < s->graph->count && !status; ++i) {
    const int block = take_least(s);
    s->order[i] = block;
    *flops += flops_of(s->graph->rows[block], s->width[block]);
    if (*flops > most) return TORSOR_OK;
    status = eliminate(s, block);
  }
  return status;
}

/* Neighbours in the order of elimination. */
static void place_neighbours(small_blocks *m, int j, const list *l) {
  small_column *column = &m->column[j];
  small_below *below = m->below + column->first_below;
  for (int k = 0; k < l->count; ++k) {
    const int position = m->position[l->item[k]];
    int at = k;
    for (; at > 0 && below[at - 1].column > position; --at) below[at] = below[at - 1];
    below[at] = (small_below){.column = position};
  }
}

static int find_below(const small_blocks *m, int column, int row) {
  const small_column *c = &m->column[column];
  if (row == column) return c->diagonal;
  int low = c->first_below, high = low + c->below;
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    if (m->below[middle].column <= row)
      low = middle;
    else
      high = middle;
  }
  return m->below[low].at;
}

static void place_values(small_blocks *m) {
  for (int j = 0; j < m->count; ++j) {
    small_column *c = &m->column[j];
    c->diagonal = m->values;
    m->values += small_blocks_pad(c->rows) * c->rows;
    for (int k = 0; k < c->below; ++k) {
      small_below *b = &m->below[c->first_below + k];
      b->at = m->values;
      m->values += small_blocks_pad(m->column[b->column].rows) * c->rows;
    }
  }
  int *update = m->update;
  for (int j = 0; j < m->count; ++j) {
    small_below *b = m->below + m->column[j].first_below;
    for (int k = 0; k < m->column[j].below; ++k) {
      b[k].update = (int)(update - m->update);
      for (int i = 0; i <= k; ++i) *update++ = find_below(m, b[i].column, b[k].column);
    }
  }
}

static torsor_status place_all(small_blocks *m, const search *s, arena *memory) {
  const int count = s->graph->count;
  size_t below = 0, updates = 0;
  for (int i = 0; i < count; ++i) {
    const size_t n = (size_t)s->at_end[i].count;
    below += n;
    updates += n * (n + 1) / 2;
  }
  m->count = count;
  m->column = arena_take(memory, (size_t)count, sizeof *m->column);
  m->position = arena_take(memory, (size_t)count, sizeof *m->position);
  m->below = arena_take(memory, below, sizeof *m->below);
  m->update = arena_take(memory, updates, sizeof *m->update);
  m->fill = arena_take(memory, below, sizeof *m->fill);
  if (!m->column || !m->position || !m->below || !m->update || !m->fill) return TORSOR_MEMORY;
  for (int j = 0; j < count; ++j) m->position[s->order[j]] = j;
  int first = 0;
  for (int j = 0; j < count; ++j) {
    const int block = s->order[j];
    m->column[j] = (small_column){.rows = s->graph->rows[block],
                                  .first = m->length,
                                  .first_below = first,
                                  .below = s->at_end[block].count};
    m->length += small_blocks_pad(m->column[j].rows);
    place_neighbours(m, j, &s->at_end[block]);
    first += m->column[j].below;
  }
  place_values(m);
  return TORSOR_OK;
}

torsor_status small_blocks_create(small_blocks *out, bool *usable, const small_graph *graph,
                                  double most, arena *memory) {
  arena scratch = {0};
  search s = {.graph = graph, .memory = &scratch};
  *out = (small_blocks){0};
  torsor_status status = find_order(&s, &out->flops, most);
  *usable = !status && out->flops <= most;
  if (*usable) status = place_all(out, &s, memory);
  arena_release(&scratch);
  return status;
}

int small_blocks_place(const small_blocks *m, int a, int b, int *lower) {
  const int i = m->position[a], j = m->position[b];
  *lower = i >= j ? a : b;
  return i >= j ? find_below(m, j, i) : find_below(m, i, j);
}

void small_blocks_list_fill(small_blocks *m, const bool *taken) {
  m->fills = 0;
  for (int j = 0; j < m->count; ++j)
    for (int k = 0; k < m->column[j].below; ++k) {
      const int below = m->column[j].first_below + k;
      if (taken[m->below[below].at]) continue;
      m->below[below].rows = m->column[j].rows;
      m->fill[m->fills++] = below;
    }
}

void small_blocks_clear_fill(const small_blocks *m, double *values) {
  for (int k = 0; k < m->fills; ++k) {
    const small_below *b = &m->below[m->fill[k]];
    const int pad = small_blocks_pad(m->column[b->column].rows);
    memset(values + b->at, 0, (size_t)(pad * b->rows) * sizeof *values);
  }
}

/* Loops whose ends are constants where this is inlined leave no loop behind; clang sees that by
 * itself. */
#if defined TORSOR_WATCHED || defined __clang__
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 12")
#endif

/* ---- products ----------------------------------------------------------------------------- */

/* C [2 `pairs` x columns] -= A B^T, `columns` <= 2 of them. */
BLOCK_SIZED void outer_tile(double *restrict C, int c, const double *restrict A, int a,
                            const double *restrict B, int b, int pairs, int depth, int columns) {
  pair sum[2][3];
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < pairs; ++i) sum[j][i] = pair_load(C + 2 * i + j * c);
  UNROLLED for (int k = 0; k < depth; ++k) for (int j = 0; j < columns; ++j) {
    const pair factor = pair_both(B[j + k * b]);
    for (int i = 0; i < pairs; ++i) sum[j][i] -= pair_load(A + 2 * i + k * a) * factor;
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < pairs; ++i) pair_store(C + 2 * i + j * c, sum[j][i]);
}

/* The same for any number of columns; `lower`: from the diagonal down. */
BLOCK_SIZED void outer_strip(double *restrict C, const double *restrict A, int rows,
                             const double *restrict B, int columns, int depth, bool lower) {
  const int a = small_blocks_pad(rows), b = small_blocks_pad(columns);
  UNROLLED for (int j = 0; j < columns; j += 2) {
    const int wide = j + 2 <= columns ? 2 : 1;
    int i = lower ? j : 0;
    double *restrict Cj = C + j * a;
    const double *restrict Bj = B + j;
#define TILE(pairs)                                                                                \
  if (wide == 2)                                                                                   \
    outer_tile(Cj + i, a, A + i, a, Bj, b, pairs, depth, 2);                                       \
  else                                                                                             \
    outer_tile(Cj + i, a, A + i, a, Bj, b, pairs, depth, 1)
    for (; i + 6 <= a; i += 6) {
      TILE(3);
    }
    if (i + 4 <= a) {
      TILE(2);
      i += 4;
    }
    if (i + 2 <= a) {
      TILE(1);
    }
#undef TILE
  }
}

static void subtract_any(double *restrict C, const double *restrict A, int rows,
                         const double *restrict B, int columns, int depth, bool lower) {
  outer_strip(C, A, rows, B, columns, depth, lower);
}

BLOCK_SIZED void subtract_sized(double *restrict C, const double *restrict A, int rows,
                                const double *restrict B, int columns, int depth, bool lower) {
  outer_strip(C, A, rows, B, columns, depth, lower);
}

/* ---- factorisation ------------------------------------------------------------------------ */

/* L D L^T of a diagonal block: L below the diagonal, 1/D on it. */
/* L D L^T of a diagonal block: L below the diagonal, 1/D on it. */
BLOCK_SIZED bool factor_diagonal(double *restrict A, const double *restrict diagonal, double least,
                                 int n) {
  const int pad = small_blocks_pad(n);
  bool good = true;
  UNROLLED for (int k = 0; k < n; ++k) {
    const double d = A[k + k * pad], inverse = 1 / d;
    good = good && d > least * diagonal[k] && inverse > 0;
    UNROLLED for (int j = k + 1; j < n; ++j) {
      const double factor = A[j + k * pad] * inverse;
      UNROLLED for (int i = j; i < n; ++i) A[i + j * pad] -= A[i + k * pad] * factor;
    }
    UNROLLED for (int i = k + 1; i < n; ++i) A[i + k * pad] *= inverse;
    A[k + k * pad] = inverse;
  }
  return good;
}

/* Y = A L^-T of a block below it, in place, and X = Y D^-1: two of its rows at a time. */
BLOCK_SIZED void divide_pair(double *restrict X, double *restrict Y, int pad,
                             const double *restrict L, int n) {
  const int l = small_blocks_pad(n);
  pair y[SMALL_BLOCK];
  UNROLLED for (int j = 0; j < n; ++j) {
    y[j] = pair_load(Y + j * pad);
    UNROLLED for (int k = 0; k < j; ++k) y[j] -= y[k] * pair_both(L[j + k * l]);
    pair_store(Y + j * pad, y[j]);
    pair_store(X + j * pad, y[j] * pair_both(L[j + j * l]));
  }
}

BLOCK_SIZED void divide_below(double *restrict X, double *restrict Y, int rows,
                              const double *restrict L, int n) {
  const int pad = small_blocks_pad(rows);
  UNROLLED for (int i = 0; i < pad; i += 2) divide_pair(X + i, Y + i, pad, L, n);
}

/* The blocks of one neighbour with those up to it: A -= X Y^T. */
BLOCK_SIZED void update_blocks(const small_blocks *m, const small_column *c, int i, double *values,
                               const double *X, int n) {
  const small_below *below = m->below + c->first_below;
  const int rows = n ? n : m->column[below[i].column].rows;
  for (int k = 0; k <= i; ++k) {
    double *to = values + m->update[below[i].update + k];
    const double *other = values + below[k].at;
    if (n)
      subtract_sized(to, X, n, other, n, n, i == k);
    else
      subtract_any(to, X, rows, other, m->column[below[k].column].rows, c->rows, i == k);
  }
}

/* X = Y D^-1. */
BLOCK_SIZED void scale_below(double *restrict X, const double *restrict Y, int rows,
                             const double *restrict L, int n) {
  const int pad = small_blocks_pad(rows), l = small_blocks_pad(n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < pad; ++i) X[i + j * pad] = Y[i + j * pad] * L[j + j * l];
}

/* One column with all neighbours, whose blocks and its own have n rows or, n = 0, any number.  Y of
 * the last neighbour is replaced by X first, as those before it need theirs. */
BLOCK_SIZED bool eliminate_column(const small_blocks *m, const small_column *c, double *values,
                                  const double *diagonal, double least, int n) {
  const int own = n ? n : c->rows;
  double *L = values + c->diagonal, X[SMALL_BLOCK * SMALL_BLOCK];
  const small_below *below = m->below + c->first_below;
  if (!factor_diagonal(L, diagonal + c->first, least, own)) return false;
  for (int i = 0; i < c->below; ++i) {
    const int rows = n ? n : m->column[below[i].column].rows;
    divide_below(X, values + below[i].at, rows, L, own);
  }
  for (int i = c->below - 1; i >= 0; --i) {
    const int rows = n ? n : m->column[below[i].column].rows;
    double *Y = values + below[i].at;
    if (i < c->below - 1) scale_below(X, Y, rows, L, own);
    update_blocks(m, c, i, values, X, n);
    memcpy(Y, X, (size_t)(small_blocks_pad(rows) * own) * sizeof *Y);
  }
  return true;
}

/* Do the column's block and all of its neighbours have n rows? */
static bool has_only(const small_blocks *m, const small_column *c, int n) {
  if (c->rows != n) return false;
  for (int i = 0; i < c->below; ++i)
    if (m->column[m->below[c->first_below + i].column].rows != n) return false;
  return true;
}

torsor_status small_blocks_factor(const small_blocks *m, double *values, const double *diagonal,
                                  double least) {
  for (int j = 0; j < m->count; ++j) {
    const small_column *c = &m->column[j];
    const bool good = has_only(m, c, 3)   ? eliminate_column(m, c, values, diagonal, least, 3)
                      : has_only(m, c, 5) ? eliminate_column(m, c, values, diagonal, least, 5)
                                          : eliminate_column(m, c, values, diagonal, least, 0);
    if (!good) return TORSOR_SINGULAR;
  }
  return TORSOR_OK;
}

/* ---- solution ----------------------------------------------------------------------------- */

BLOCK_SIZED void solve_forward(double *restrict x, const double *restrict L, int n) {
  const int l = small_blocks_pad(n);
  UNROLLED for (int k = 0; k < n; ++k) UNROLLED for (int i = k + 1; i < n; ++i) x[i] -=
      L[i + k * l] * x[k];
}

BLOCK_SIZED void solve_back(double *restrict x, const double *restrict L, int n) {
  const int l = small_blocks_pad(n);
  UNROLLED for (int k = n - 1; k >= 0; --k) UNROLLED for (int i = k + 1; i < n; ++i) x[k] -=
      L[i + k * l] * x[i];
}

/* y -= X x. */
BLOCK_SIZED void pass_down(double *restrict y, const double *restrict X, int rows,
                           const double *restrict x, int n) {
  const int pad = small_blocks_pad(rows);
  UNROLLED for (int i = 0; i < pad; i += 2) {
    pair sum = pair_load(y + i);
    UNROLLED for (int k = 0; k < n; ++k) sum -= pair_load(X + i + k * pad) * pair_both(x[k]);
    pair_store(y + i, sum);
  }
}

/* x -= X^T y. */
BLOCK_SIZED void pass_up(double *restrict x, const double *restrict X, int rows,
                         const double *restrict y, int n) {
  const int pad = small_blocks_pad(rows);
  UNROLLED for (int k = 0; k < n; ++k) {
    double sum = x[k];
    UNROLLED for (int i = 0; i < rows; ++i) sum -= X[i + k * pad] * y[i];
    x[k] = sum;
  }
}

BLOCK_SIZED void solve_column(const small_blocks *m, const small_column *c, const double *values,
                              double *x, bool back, int n) {
  const int own = n ? n : c->rows;
  const double *L = values + c->diagonal;
  double *xj = x + c->first;
  if (!back) solve_forward(xj, L, own);
  for (int i = 0; i < c->below; ++i) {
    const small_below *b = &m->below[c->first_below + i];
    const int rows = n ? n : m->column[b->column].rows;
    double *y = x + m->column[b->column].first;
    if (back)
      pass_up(xj, values + b->at, rows, y, own);
    else
      pass_down(y, values + b->at, rows, xj, own);
  }
  if (back)
    solve_back(xj, L, own);
  else
    for (int k = 0; k < own; ++k) xj[k] *= L[k + k * small_blocks_pad(own)];
}

static void solve_any(const small_blocks *m, const small_column *c, const double *values, double *x,
                      bool back) {
  if (has_only(m, c, 3))
    solve_column(m, c, values, x, back, 3);
  else if (has_only(m, c, 5))
    solve_column(m, c, values, x, back, 5);
  else
    solve_column(m, c, values, x, back, 0);
}

void small_blocks_solve(const small_blocks *m, const double *values, double *x) {
  for (int j = 0; j < m->count; ++j) solve_any(m, &m->column[j], values, x, false);
  for (int j = m->count - 1; j >= 0; --j) solve_any(m, &m->column[j], values, x, true);
}
