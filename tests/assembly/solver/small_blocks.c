/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symmetric matrices of small blocks: their order, and their factors against the matrix itself. */
#include "check.h"

#include <stdlib.h>

#include "assembly/solver/small_blocks.h"

enum { MOST_BLOCKS = 40, GRAPHS = 60 };

/* A graph by its edges, in the form that the solver takes. */
typedef struct trial_graph {
  int count, rows[MOST_BLOCKS];
  bool edge[MOST_BLOCKS][MOST_BLOCKS];
  int first[MOST_BLOCKS + 1], neighbour[MOST_BLOCKS * MOST_BLOCKS];
} trial_graph;

static void connect(trial_graph *g, int i, int j) {
  g->edge[i][j] = g->edge[j][i] = true;
}

static small_graph listed(trial_graph *g) {
  int count = 0;
  for (int i = 0; i < g->count; ++i) {
    g->first[i] = count;
    for (int j = 0; j < g->count; ++j)
      if (g->edge[i][j] && j != i) g->neighbour[count++] = j;
  }
  g->first[g->count] = count;
  return (small_graph){g->count, g->rows, g->first, g->neighbour};
}

/* A tree with some loops; blocks of `rows` rows or, 0, of 1 to SMALL_BLOCK. */
static void draw(trial_graph *g, int rows, int loops, check_rng *rng) {
  *g = (trial_graph){.count = 2 + (int)(check_rng_next(rng) % (MOST_BLOCKS - 1))};
  for (int i = 0; i < g->count; ++i) {
    g->rows[i] = rows ? rows : 1 + (int)(check_rng_next(rng) % SMALL_BLOCK);
    if (i > 0) connect(g, i, (int)(check_rng_next(rng) % (uint64_t)i));
  }
  for (int k = 0; k < loops; ++k)
    connect(g, (int)(check_rng_next(rng) % (uint64_t)g->count),
            (int)(check_rng_next(rng) % (uint64_t)g->count));
}

static int fill_of(const small_blocks *m, const trial_graph *g) {
  int below = 0, edges = 0;
  for (int j = 0; j < m->count; ++j) below += m->column[j].below;
  for (int i = 0; i < g->count; ++i)
    for (int j = 0; j < i; ++j) edges += g->edge[i][j];
  return below - edges;
}

/* Random blocks of a matrix with a dominant diagonal, and y = A x. */
static void fill(const small_blocks *m, const trial_graph *g, double *values, bool *taken,
                 double *diagonal, const double *x, double *y, check_rng *rng) {
  for (int i = 0; i < g->count; ++i)
    for (int j = 0; j <= i; ++j) {
      if (i != j && !g->edge[i][j]) continue;
      int lower;
      const int at = small_blocks_place(m, i, j, &lower), upper = lower == i ? j : i;
      const small_column *a = &m->column[m->position[lower]];
      const small_column *b = &m->column[m->position[upper]];
      taken[at] = true;
      for (int c = 0; c < b->rows; ++c)
        for (int r = i == j ? c : 0; r < a->rows; ++r) {
          const bool own = i == j && r == c;
          const double value = check_uniform(rng, -1, 1) + (own ? 2.0 * m->length : 0);
          values[at + c * small_blocks_pad(a->rows) + r] = value;
          y[a->first + r] += value * x[b->first + c];
          if (!own) y[b->first + c] += value * x[a->first + r];
          if (own) diagonal[a->first + r] = value;
        }
    }
}

/* Largest error of the solution; the values of fill are garbage before it is cleared. */
static double solution_error(const trial_graph *g, small_blocks *m, check_rng *rng) {
  double *x = calloc(3 * (size_t)m->length, sizeof *x), *y = x + m->length;
  double *diagonal = y + m->length, *values = calloc((size_t)m->values, sizeof *values);
  bool *taken = calloc((size_t)m->values, sizeof *taken);
  for (int i = 0; i < m->values; ++i) values[i] = 1e3;
  for (int j = 0; j < m->count; ++j)
    for (int k = 0; k < m->column[j].rows; ++k)
      x[m->column[j].first + k] = check_uniform(rng, -1, 1);
  fill(m, g, values, taken, diagonal, x, y, rng);
  small_blocks_list_fill(m, taken);
  CHECK_INT(m->fills, fill_of(m, g));
  small_blocks_clear_fill(m, values);
  CHECK_INT(small_blocks_factor(m, values, diagonal, 1e-8), TORSOR_OK);
  small_blocks_solve(m, values, y);
  double worst = 0;
  for (int j = 0; j < m->count; ++j)
    for (int k = 0; k < m->column[j].rows; ++k)
      worst = check_max(worst, fabs(x[m->column[j].first + k] - y[m->column[j].first + k]));
  free(x);
  free(values);
  free(taken);
  return worst;
}

/* The diagonal is twice the sum of what else a row has, or more: errors stay those of sums. */
static void solutions(void **state) {
  (void)state;
  static const int sizes[] = {0, 3, 5, 1};
  const double bound = 64 * CHECK_EPS;
  check_rng rng = {20};
  for (int k = 0; k < 8; ++k) {
    double worst = 0;
    int most = 0;
    for (int n = 0; n < GRAPHS; ++n) {
      trial_graph g;
      small_blocks m;
      bool usable;
      arena memory = {0};
      draw(&g, sizes[k % 4], k < 4 ? 0 : 1 + n / 4, &rng);
      const small_graph graph = listed(&g);
      CHECK_INT(small_blocks_create(&m, &usable, &graph, HUGE_VAL, &memory), TORSOR_OK);
      CHECK_TRUE(usable);
      const int more = fill_of(&m, &g);
      most = more > most ? more : most;
      worst = check_max(worst, solution_error(&g, &m, &rng));
      arena_release(&memory);
    }
    check_report(k < 4 ? "trees" : "with loops", worst, bound);
    CHECK_LE(worst, bound);
    /* Blocks of one size: leaves go first. */
    if (k < 4 && sizes[k]) CHECK_INT(most, 0);
    if (k >= 4) CHECK_GE(most, 1);
  }
}

/* A hub, whose neighbours all meet: as many operations as a dense matrix, which may be too many. */
static void limits(void **state) {
  (void)state;
  trial_graph g = {.count = MOST_BLOCKS};
  for (int i = 0; i < g.count; ++i) {
    g.rows[i] = 3;
    for (int j = 0; j < i; ++j) connect(&g, i, j);
  }
  const small_graph graph = listed(&g);
  const double n = 3.0 * MOST_BLOCKS, dense = n * n * n / 3;
  small_blocks m;
  bool usable;
  arena memory = {0};
  CHECK_INT(small_blocks_create(&m, &usable, &graph, 2 * dense, &memory), TORSOR_OK);
  CHECK_TRUE(usable);
  CHECK_NEAR(m.flops, dense, 0.1 * dense);
  CHECK_INT(small_blocks_create(&m, &usable, &graph, dense / 2, &memory), TORSOR_OK);
  CHECK_FALSE(usable);
  arena_release(&memory);
}

/* Pivots that vanish against what they were are refused, and so is what is not a number. */
static void singular(void **state) {
  (void)state;
  trial_graph g = {.count = 1, .rows = {3}};
  const small_graph graph = listed(&g);
  small_blocks m;
  bool usable;
  arena memory = {0};
  CHECK_INT(small_blocks_create(&m, &usable, &graph, HUGE_VAL, &memory), TORSOR_OK);
  static const double last[] = {1.0, 1e-6, 1e-9, 0, -1, (double)NAN, HUGE_VAL};
  for (int k = 0; k < 7; ++k) {
    /* [[1, 1, 0], [1, 1 + last, 0], [0, 0, 1]] by columns of four numbers. */
    double A[12] = {1, 1, 0, 0, 0, 1 + last[k], 0, 0, 0, 0, 1, 0};
    const double diagonal[4] = {1, 1 + last[k], 1, 0};
    CHECK_INT(small_blocks_factor(&m, A, diagonal, 1e-8), k < 2 ? TORSOR_OK : TORSOR_SINGULAR);
  }
  arena_release(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions),
      cmocka_unit_test(limits),
      cmocka_unit_test(singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
