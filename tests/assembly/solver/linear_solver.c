/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse patterns and the linear solvers behind them: against dense LU with partial pivoting of
 * GSL, and where pivots go bad. */
#include "check.h"

#include <stdlib.h>

#include <gsl/gsl_linalg.h>

#include "assembly/solver/linear_solver.h"

enum { MOST = 80 };

/* A matrix by its pattern and values beside the dense one. */
typedef struct sparse {
  arena memory;
  pattern p;
  double *Ax;
  pattern_place *place;
  int count;
  double dense[MOST][MOST];
} sparse;

/* Make the pattern of the entries; values start at zero. */
static void build(sparse *out, int n, block_list *entries) {
  memset(out, 0, sizeof *out);
  out->count = entries->count;
  out->place = arena_take(&out->memory, (size_t)entries->count, sizeof *out->place);
  int first[MOST + 1];
  for (int i = 0; i <= n; ++i) first[i] = i;
  CHECK_INT(pattern_build(&out->p, out->place, first, n, entries, &out->memory), 0);
  out->Ax = arena_take(&out->memory, (size_t)out->p.nonzeros, sizeof *out->Ax);
  CHECK_TRUE(out->place && out->Ax);
  block_list_release(entries);
}

static void release(sparse *s) {
  arena_release(&s->memory);
}

/* Values from the dense matrix at the places of the pattern. */
static void take_dense(sparse *s) {
  for (int j = 0; j < s->p.n; ++j)
    for (int k = s->p.Ap[j]; k < s->p.Ap[j + 1]; ++k) s->Ax[k] = s->dense[s->p.Ai[k]][j];
}

/* The whole dense pattern of order n. */
static void build_full(sparse *out, int n) {
  block_list entries = {0};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) block_list_add(&entries, i, j);
  build(out, n, &entries);
}

static double norm_inf(const sparse *s) {
  double norm = 0;
  for (int i = 0; i < s->p.n; ++i) {
    double sum = 0;
    for (int j = 0; j < s->p.n; ++j) sum += fabs(s->dense[i][j]);
    norm = check_max(norm, sum);
  }
  return norm;
}

/* |A x - b| over |A| |x| + |b|, largest entries and row sums: the backward error. */
static double backward_error(const sparse *s, const double *x, const double *b) {
  double worst = 0, size = 0, right = 0;
  for (int i = 0; i < s->p.n; ++i) {
    double sum = -b[i];
    for (int j = 0; j < s->p.n; ++j) sum += s->dense[i][j] * x[j];
    worst = check_max(worst, fabs(sum));
    size = check_max(size, fabs(x[i]));
    right = check_max(right, fabs(b[i]));
  }
  return worst / (norm_inf(s) * size + right);
}

/* Largest difference from GSL's solution over the condition number times the solution's size. */
static double forward_error(const sparse *s, const double *x, const double *b) {
  const size_t n = (size_t)s->p.n;
  gsl_matrix *A = gsl_matrix_alloc(n, n), *inverse = gsl_matrix_alloc(n, n);
  gsl_permutation *p = gsl_permutation_alloc(n);
  gsl_vector *y = gsl_vector_alloc(n);
  int sign;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) gsl_matrix_set(A, i, j, s->dense[i][j]);
  gsl_linalg_LU_decomp(A, p, &sign);
  gsl_vector_const_view right = gsl_vector_const_view_array(b, n);
  gsl_linalg_LU_solve(A, p, &right.vector, y);
  gsl_linalg_LU_invert(A, p, inverse);
  double worst = 0, size = 0, inverse_norm = 0;
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += fabs(gsl_matrix_get(inverse, i, j));
    inverse_norm = check_max(inverse_norm, sum);
    worst = check_max(worst, fabs(x[i] - gsl_vector_get(y, i)));
    size = check_max(size, fabs(gsl_vector_get(y, i)));
  }
  gsl_matrix_free(A);
  gsl_matrix_free(inverse);
  gsl_permutation_free(p);
  gsl_vector_free(y);
  return worst / (norm_inf(s) * inverse_norm * size);
}

/* Factor, solve a random right-hand side; `forward` (may be NULL) keeps the largest error. */
static double solve_once(linear_solver *solver, sparse *s, check_rng *rng, double *forward) {
  double b[MOST], x[MOST];
  take_dense(s);
  CHECK_INT(linear_solver_factor(solver, s->Ax), TORSOR_OK);
  for (int i = 0; i < s->p.n; ++i) x[i] = b[i] = check_uniform(rng, -1, 1);
  CHECK_INT(linear_solver_solve(solver, x), TORSOR_OK);
  if (forward) *forward = check_max(*forward, forward_error(s, x, b));
  return backward_error(s, x, b);
}

/* Entries of a random matrix that has a solution: a permutation beside random places. */
static void random_matrix(sparse *out, int n, check_rng *rng) {
  block_list entries = {0};
  double value[MOST][MOST] = {{0}};
  for (int i = 0; i < n; ++i) {
    const int shifted = (7 * i + 3) % n;
    value[i][i] = check_uniform(rng, -1, 1);
    value[i][shifted] += 2;
    for (int k = 0; k < 3; ++k)
      value[i][check_rng_next(rng) % (uint64_t)n] += check_uniform(rng, -1, 1);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (value[i][j] != 0) block_list_add(&entries, i, j);
  build(out, n, &entries);
  memcpy(out->dense, value, sizeof value);
}

/* [[M, B^T], [B, 0]] of a chain: blocks of three with their neighbours. */
static void kkt_matrix(sparse *out, int links, check_rng *rng) {
  const int nv = 6 * links, n = 9 * links;
  double value[MOST][MOST] = {{0}};
  for (int link = 0; link < links; ++link) {
    for (int i = 0; i < 6; ++i) {
      value[6 * link + i][6 * link + i] = check_uniform(rng, 1, 3);
      for (int row = 0; row < 3; ++row)
        for (int other = link - (link > 0); other <= link; ++other)
          value[nv + 3 * link + row][6 * other + i] = check_uniform(rng, -1, 1);
    }
  }
  for (int i = nv; i < n; ++i)
    for (int j = 0; j < nv; ++j) value[j][i] = value[i][j];
  block_list entries = {0};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (value[i][j] != 0) block_list_add(&entries, i, j);
  build(out, n, &entries);
  memcpy(out->dense, value, sizeof value);
}

/* Backward error of Gaussian elimination: n eps times a growth factor, in practice of order 1; 100
 * is far above.  The forward error is that times the condition number. */
static double bound_of(int n) {
  return 100 * n * CHECK_EPS;
}

static void solvers_agree_with_dense(void **state) {
  (void)state;
  static const char *const names[] = {"klu", "umfpack"};
  for (int which = 0; which < 2; ++which) {
    check_rng rng = {.state = 7};
    double backward = 0, forward = 0;
    for (int trial = 0; trial < 60; ++trial) {
      sparse s;
      if (trial % 2)
        random_matrix(&s, 1 + trial, &rng);
      else
        kkt_matrix(&s, 1 + trial % 8, &rng);
      linear_solver *solver;
      CHECK_INT(linear_solver_create(&solver, names[which], &s.p, NULL), TORSOR_OK);
      const double error = solve_once(solver, &s, &rng, &forward);
      backward = check_max(backward, error / s.p.n);
      CHECK_STR(linear_solver_name(solver), names[which]);
      linear_solver_destroy(solver);
      release(&s);
    }
    print_message(" %s\n", names[which]);
    check_report("backward error per unknown", backward, bound_of(1));
    check_report("difference from GSL per condition", forward, bound_of(MOST));
    CHECK_LE(backward, bound_of(1));
    CHECK_LE(forward, bound_of(MOST));
  }
}

/* New values, slowly and then suddenly, with the same analysis. */
static void refactoring_follows_the_values(void **state) {
  (void)state;
  static const char *const names[] = {"klu", "umfpack"};
  for (int which = 0; which < 2; ++which) {
    check_rng rng = {.state = 11};
    sparse s;
    kkt_matrix(&s, 8, &rng);
    linear_solver *solver;
    CHECK_INT(linear_solver_create(&solver, names[which], &s.p, NULL), TORSOR_OK);
    double worst = 0;
    for (int step = 0; step < 200; ++step) {
      const double size = step % 20 ? 0.02 : 5;
      for (int i = 0; i < s.p.n; ++i)
        for (int j = 0; j <= i; ++j) {
          if (s.dense[i][j] == 0) continue;
          s.dense[i][j] += check_uniform(&rng, -size, size);
          s.dense[j][i] = s.dense[i][j];
        }
      worst = check_max(worst, solve_once(solver, &s, &rng, NULL));
    }
    print_message(" %s\n", names[which]);
    check_report("backward error over 200 changes", worst, bound_of(s.p.n));
    CHECK_LE(worst, bound_of(s.p.n));
    linear_solver_destroy(solver);
    release(&s);
  }
}

/* A pivot that was good and becomes 1e-12: kept, it would leave four digits. */
static void degraded_pivots_are_replaced(void **state) {
  (void)state;
  check_rng rng = {.state = 13};
  sparse s;
  build_full(&s, 12);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) s.dense[i][j] = (i == j) * 10 + check_uniform(&rng, -1, 1);
  linear_solver *solver;
  CHECK_INT(linear_solver_create(&solver, "klu", &s.p, NULL), TORSOR_OK);
  double worst = solve_once(solver, &s, &rng, NULL);
  for (int i = 0; i < 12; ++i) {
    const double kept = s.dense[i][i];
    s.dense[i][i] = 1e-12;
    worst = check_max(worst, solve_once(solver, &s, &rng, NULL));
    CHECK_STR(linear_solver_name(solver), "klu");
    s.dense[i][i] = kept;
    worst = check_max(worst, solve_once(solver, &s, &rng, NULL));
  }
  for (int i = 0; i < 12; ++i) s.dense[i][i] = 0;
  worst = check_max(worst, solve_once(solver, &s, &rng, NULL));
  check_report("backward error with pivots gone", worst, bound_of(12));
  CHECK_LE(worst, bound_of(12));
  linear_solver_destroy(solver);
  release(&s);
}

/* Growth of 2^(n-1) under partial pivoting: Wilkinson's matrix, columns as KLU orders them. */
static void growth_calls_umfpack(void **state) {
  (void)state;
  enum { N = 48 };
  check_rng rng = {.state = 17};
  sparse s;
  build_full(&s, N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) s.dense[i][j] = i == j || j == N - 1 ? 1 : i > j ? -1 : 0;
  linear_solver *solver;
  CHECK_INT(linear_solver_create(&solver, "klu", &s.p, NULL), TORSOR_OK);
  const double error = solve_once(solver, &s, &rng, NULL);
  check_report("Wilkinson's matrix: backward error", error, bound_of(N));
  print_message("  solved by %s\n", linear_solver_name(solver));
  CHECK_STR(linear_solver_name(solver), "umfpack");
  CHECK_LE(error, bound_of(N));
  /* And back to KLU when the values are harmless again. */
  for (int i = 0; i < N; ++i) s.dense[i][i] += 10 * N;
  CHECK_LE(solve_once(solver, &s, &rng, NULL), bound_of(N));
  CHECK_STR(linear_solver_name(solver), "klu");
  linear_solver_destroy(solver);
  release(&s);
}

/* x <- x + A^-1 (b - A x). */
static void solve_again(linear_solver *solver, const sparse *s, const double *b, double *x) {
  double left[MOST];
  for (int i = 0; i < s->p.n; ++i) {
    left[i] = b[i];
    for (int j = 0; j < s->p.n; ++j) left[i] -= s->dense[i][j] * x[j];
  }
  CHECK_INT(linear_solver_solve(solver, left), TORSOR_OK);
  for (int i = 0; i < s->p.n; ++i) x[i] += left[i];
}

/* Growth of 2^35 = 3.4e10 leaves a backward error of 36 * 3.4e10 * eps = 3e-4 at most, which three
 * more solutions bring below rounding. */
static void repeated_solutions_bear_growth(void **state) {
  (void)state;
  enum { N = 36 };
  check_rng rng = {.state = 19};
  sparse s;
  build_full(&s, N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) s.dense[i][j] = i == j || j == N - 1 ? 1 : i > j ? -1 : 0;
  linear_solver *solver;
  CHECK_INT(linear_solver_create(&solver, "klu", &s.p, NULL), TORSOR_OK);
  linear_solver_allow_growth(solver, true);
  take_dense(&s);
  CHECK_INT(linear_solver_factor(solver, s.Ax), TORSOR_OK);
  CHECK_STR(linear_solver_name(solver), "klu");
  double b[N], x[N];
  for (int i = 0; i < N; ++i) x[i] = b[i] = check_uniform(&rng, -1, 1);
  CHECK_INT(linear_solver_solve(solver, x), TORSOR_OK);
  check_report("growth of 3.4e10: backward error", backward_error(&s, x, b), 3e-4);
  CHECK_LE(backward_error(&s, x, b), 3e-4);
  for (int k = 0; k < 3; ++k) solve_again(solver, &s, b, x);
  check_report("the same, with three solutions more", backward_error(&s, x, b), bound_of(N));
  CHECK_LE(backward_error(&s, x, b), bound_of(N));
  linear_solver_destroy(solver);
  CHECK_INT(linear_solver_create(&solver, "klu", &s.p, NULL), TORSOR_OK);
  CHECK_INT(linear_solver_factor(solver, s.Ax), TORSOR_OK);
  CHECK_STR(linear_solver_name(solver), "umfpack"); /* of others nothing is asked again */
  linear_solver_destroy(solver);
  release(&s);
}

/* ---- factorisations that come back
 * ---------------------------------------------------------------- */

/* A solver that remembers, and another one of the same pattern that reads what the first one
 * wrote. */
typedef struct pair {
  arena memory;
  linear_solver *solver[2];
  double *Ax[2]; /* what each of them has factored */
} pair;

static void make_pair(pair *out, const char *name, const pattern *p) {
  *out = (pair){0};
  for (int i = 0; i < 2; ++i) {
    tape take = {.memory = &out->memory};
    CHECK_INT(linear_solver_create(&out->solver[i], name, p, NULL), TORSOR_OK);
    out->Ax[i] = linear_solver_walk(out->solver[i], NULL, &take);
    CHECK_INT(take.status, TORSOR_OK);
  }
}

static void release_pair(pair *p) {
  linear_solver_destroy(p->solver[0]);
  linear_solver_destroy(p->solver[1]);
  arena_release(&p->memory);
}

/* The second one does from now on what the first one does, to the bit: same status, solver and
 * solution. */
static void check_pair(pair *p, const sparse *s, check_rng *rng) {
  double x[2][MOST];
  torsor_status status[2];
  for (int i = 0; i < s->p.n; ++i) x[0][i] = x[1][i] = check_uniform(rng, -1, 1);
  for (int i = 0; i < 2; ++i) status[i] = linear_solver_solve(p->solver[i], x[i]);
  CHECK_INT(status[1], status[0]);
  CHECK_STR(linear_solver_name(p->solver[1]), linear_solver_name(p->solver[0]));
  CHECK_TRUE(memcmp(x[0], x[1], (size_t)s->p.n * sizeof x[0][0]) == 0);
  CHECK_INT(linear_solver_sign(p->solver[1]), linear_solver_sign(p->solver[0]));
}

static void write_and_read(pair *p) {
  tape t = {.mode = TAPE_WRITE};
  linear_solver_walk(p->solver[0], p->Ax[0], &t);
  CHECK_INT(t.status, TORSOR_OK);
  t.mode = TAPE_READ;
  linear_solver_walk(p->solver[1], p->Ax[1], &t);
  tape_end(&t);
  CHECK_INT(t.status, TORSOR_OK);
  tape_release(&t);
}

static torsor_status factor_values(pair *p, int i, sparse *s) {
  take_dense(s);
  memcpy(p->Ax[i], s->Ax, (size_t)s->p.nonzeros * sizeof *s->Ax);
  return linear_solver_factor(p->solver[i], p->Ax[i]);
}

static void factor_both(pair *p, sparse *s) {
  const torsor_status status = factor_values(p, 0, s);
  CHECK_INT(factor_values(p, 1, s), status);
}

/* Written at every place of a path on which values change slowly, and suddenly. */
static void factorisations_come_back(void **state) {
  (void)state;
  static const char *const names[] = {"klu", "umfpack"};
  for (int which = 0; which < 2; ++which) {
    check_rng rng = {.state = 23};
    sparse s;
    pair p;
    kkt_matrix(&s, 8, &rng);
    make_pair(&p, names[which], &s.p);
    write_and_read(&p); /* nothing is factored yet */
    check_pair(&p, &s, &rng);
    for (int step = 0; step < 60; ++step) {
      const double size = step % 9 ? 0.02 : 5;
      for (int i = 0; i < s.p.n; ++i)
        for (int j = 0; j < s.p.n; ++j)
          if (s.dense[i][j] != 0) s.dense[i][j] += check_uniform(&rng, -size, size);
      factor_values(&p, 0, &s);
      write_and_read(&p);
      check_pair(&p, &s, &rng);
      /* and from there */
      s.dense[0][0] += 0.01;
      factor_both(&p, &s);
      check_pair(&p, &s, &rng);
    }
    release_pair(&p);
    release(&s);
  }
}

/* After UMFPACK stepped in, after a matrix that is not finite, and after a singular one. */
static void failures_come_back(void **state) {
  (void)state;
  enum { N = 48 };
  check_rng rng = {.state = 29};
  sparse s;
  pair p;
  build_full(&s, N);
  make_pair(&p, "klu", &s.p);
  for (int kind = 0; kind < 3; ++kind) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) s.dense[i][j] = i == j || j == N - 1 ? 1 : i > j ? -1 : 0;
    if (kind == 1) s.dense[3][3] = nan("");
    if (kind == 2) memset(s.dense, 0, sizeof s.dense);
    factor_values(&p, 0, &s);
    write_and_read(&p);
    check_pair(&p, &s, &rng);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) s.dense[i][j] = (i == j) * 10 * N + check_uniform(&rng, -1, 1);
    factor_both(&p, &s);
    check_pair(&p, &s, &rng);
  }
  release_pair(&p);
  release(&s);
}

/* A solver that makes something else of the values, such as another version of it, is noticed by
 * its pivots. */
static void other_factorisations_are_refused(void **state) {
  (void)state;
  sparse s;
  pair p;
  build_full(&s, 2);
  s.dense[0][0] = s.dense[1][1] = 1;
  make_pair(&p, "klu", &s.p);
  CHECK_INT(factor_values(&p, 0, &s), TORSOR_OK);
  tape t = {.mode = TAPE_WRITE};
  linear_solver_walk(p.solver[0], p.Ax[0], &t);
  t.mode = TAPE_READ;
  /* (1, 0; 0, 1) becomes (1, 0.5; 0.5, 1) */
  const double values[] = {1, 0.5, 0.5, 1};
  memcpy(t.data + t.length - sizeof values, values, sizeof values);
  linear_solver_walk(p.solver[1], p.Ax[1], &t);
  CHECK_INT(t.status, TORSOR_FILE);
  CHECK_STR(t.failed, "a factorisation");
  tape_release(&t);
  release_pair(&p);
  release(&s);
}

/* The status of factoring, and that a solve after it neither works nor gives NaN. */
static void expect_refused(sparse *s, torsor_status expected) {
  static const char *const names[] = {"klu", "umfpack"};
  for (int which = 0; which < 2; ++which) {
    linear_solver *solver;
    take_dense(s);
    const torsor_status made = linear_solver_create(&solver, names[which], &s->p, NULL);
    if (made) { /* no values can help: the analysis already says so */
      CHECK_INT(made, TORSOR_SINGULAR);
      CHECK_INT(expected, TORSOR_SINGULAR);
      continue;
    }
    for (int again = 0; again < 2; ++again) {
      double x[MOST];
      for (int i = 0; i < s->p.n; ++i) x[i] = 1;
      CHECK_INT(linear_solver_factor(solver, s->Ax), expected);
      CHECK_INT(linear_solver_solve(solver, x), TORSOR_SINGULAR);
      for (int i = 0; i < s->p.n; ++i) CHECK_TRUE(x[i] == 1);
    }
    linear_solver_destroy(solver);
  }
}

static void singular_matrices(void **state) {
  (void)state;
  check_rng rng = {.state = 19};
  sparse s;
  build_full(&s, 1);
  expect_refused(&s, TORSOR_SINGULAR); /* [0] */
  release(&s);
  build_full(&s, 6);
  expect_refused(&s, TORSOR_SINGULAR); /* zero */
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) s.dense[i][j] = check_uniform(&rng, -1, 1);
  for (int j = 0; j < 6; ++j) s.dense[4][j] = s.dense[1][j] - 2 * s.dense[3][j];
  expect_refused(&s, TORSOR_SINGULAR); /* dependent rows */
  for (int i = 0; i < 6; ++i) s.dense[i][2] = 0;
  expect_refused(&s, TORSOR_SINGULAR); /* zero column */
  release(&s);
  kkt_matrix(&s, 4, &rng); /* a repeated constraint row */
  for (int j = 0; j < 24; ++j) {
    s.dense[25][j] = s.dense[24][j];
    s.dense[j][25] = s.dense[j][24];
  }
  expect_refused(&s, TORSOR_SINGULAR);
  release(&s);
}

static void structurally_singular_matrices(void **state) {
  (void)state;
  block_list entries = {0};
  sparse s;
  for (int i = 0; i < 5; ++i) block_list_add(&entries, i, i < 4 ? i : 0); /* column 4 is empty */
  build(&s, 5, &entries);
  for (int i = 0; i < 5; ++i) s.dense[i][i < 4 ? i : 0] = 1 + i;
  expect_refused(&s, TORSOR_SINGULAR);
  release(&s);
  block_list block = {0}; /* three rows share two columns */
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) block_list_add(&block, i, j);
  for (int j = 0; j < 5; ++j) block_list_add(&block, 3, j), block_list_add(&block, 4, j);
  build(&s, 5, &block);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) s.dense[i][j] = 1 + (i * 7 + j * 3) % 11;
  expect_refused(&s, TORSOR_SINGULAR);
  release(&s);
}

static void values_that_are_not_finite(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  check_rng rng = {.state = 23};
  sparse s;
  kkt_matrix(&s, 3, &rng);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
    for (int i = 0; i < s.p.n; ++i)
      for (int j = 0; j < s.p.n; ++j) {
        const double kept = s.dense[i][j];
        if (kept == 0) continue;
        s.dense[i][j] = bad[k];
        expect_refused(&s, TORSOR_NONFINITE);
        s.dense[i][j] = kept;
      }
  linear_solver *solver; /* and the solver still works after such an answer */
  CHECK_INT(linear_solver_create(&solver, NULL, &s.p, NULL), TORSOR_OK);
  take_dense(&s);
  s.Ax[0] = (double)NAN;
  CHECK_INT(linear_solver_factor(solver, s.Ax), TORSOR_NONFINITE);
  CHECK_LE(solve_once(solver, &s, &rng, NULL), bound_of(s.p.n));
  linear_solver_destroy(solver);
  release(&s);
}

/* Heavy and light bodies: a matrix that is well-conditioned but for the units of its rows and
 * columns is not singular. */
static void units_do_not_matter(void **state) {
  (void)state;
  static const char *const names[] = {"klu", "umfpack"};
  for (int power = -12; power <= 12; power += 4)
    for (int which = 0; which < 2; ++which) {
      check_rng rng = {.state = 29};
      sparse s;
      kkt_matrix(&s, 6, &rng);
      for (int i = 0; i < 36; ++i) s.dense[i][i] *= pow(10, power);
      linear_solver *solver;
      CHECK_INT(linear_solver_create(&solver, names[which], &s.p, NULL), TORSOR_OK);
      CHECK_LE(solve_once(solver, &s, &rng, NULL), bound_of(s.p.n));
      linear_solver_destroy(solver);
      release(&s);
    }
}

static void names_of_solvers(void **state) {
  (void)state;
  sparse s;
  linear_solver *solver;
  build_full(&s, 2);
  CHECK_INT(linear_solver_create(&solver, "KLU", &s.p, NULL), TORSOR_ARGUMENT);
  CHECK_TRUE(solver == NULL);
  CHECK_TRUE(linear_solver_known("block") && linear_solver_known("klu") &&
             linear_solver_known("umfpack"));
  CHECK_FALSE(linear_solver_known(""));
  CHECK_INT(linear_solver_create(&solver, NULL, &s.p, NULL), TORSOR_OK);
  CHECK_STR(linear_solver_name(solver), "klu");
  double x[2] = {1, 1};
  CHECK_INT(linear_solver_solve(solver, x), TORSOR_SINGULAR); /* nothing factored yet */
  linear_solver_destroy(solver);
  linear_solver_destroy(NULL);
  release(&s);
}

/* Entries in any order and repeated add up in their places; columns may be empty. */
static void patterns(void **state) {
  (void)state;
  check_rng rng = {.state = 31};
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 1 + trial, count = trial * trial;
    block_list entries = {0};
    int row[MOST * MOST], column[MOST * MOST];
    for (int k = 0; k < count; ++k) {
      row[k] = (int)(check_rng_next(&rng) % (uint64_t)n);
      column[k] = (int)(check_rng_next(&rng) % (uint64_t)n);
      block_list_add(&entries, row[k], column[k]);
    }
    sparse s;
    build(&s, n, &entries);
    for (int k = 0; k < count; ++k) {
      s.dense[row[k]][column[k]] += 1 + k;
      s.Ax[s.place[k].corner] += 1 + k;
    }
    CHECK_INT(s.p.Ap[0], 0);
    CHECK_INT(s.p.Ap[n], s.p.nonzeros);
    int distinct = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) distinct += s.dense[i][j] != 0;
    CHECK_INT(s.p.nonzeros, distinct);
    for (int j = 0; j < n; ++j)
      for (int k = s.p.Ap[j]; k < s.p.Ap[j + 1]; ++k) {
        CHECK_TRUE(k == s.p.Ap[j] || s.p.Ai[k] > s.p.Ai[k - 1]);
        CHECK_TRUE(s.Ax[k] == s.dense[s.p.Ai[k]][j]);
      }
    release(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns),
      cmocka_unit_test(solvers_agree_with_dense),
      cmocka_unit_test(refactoring_follows_the_values),
      cmocka_unit_test(degraded_pivots_are_replaced),
      cmocka_unit_test(growth_calls_umfpack),
      cmocka_unit_test(repeated_solutions_bear_growth),
      cmocka_unit_test(factorisations_come_back),
      cmocka_unit_test(failures_come_back),
      cmocka_unit_test(other_factorisations_are_refused),
      cmocka_unit_test(singular_matrices),
      cmocka_unit_test(structurally_singular_matrices),
      cmocka_unit_test(values_that_are_not_finite),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(names_of_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
