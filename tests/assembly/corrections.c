/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Corrections of positions by the matrix of the multipliers: against what defines them, and against
 * the matrix of all unknowns. */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly.h"
#include "assembly/assembly_private.h"
#include "mechanisms/mechanism.h"
#include "support.h"

enum { MECHANISMS = 200 };

/* Places whose pivots are smaller are not compared with the other matrix: the rounding of some
 * hundred terms over this pivot is below DIFFERENCE. */
static const double LEAST_PIVOT = 1e-4, DIFFERENCE = 1e-10;

typedef struct tally {
  int models, others; /* places that the matrix of all unknowns serves */
  int solved, compared;
  double off;   /* largest residual over its bound */
  double apart; /* largest difference of the two */
} tally;

typedef struct place {
  assembly *a;
  const torsor_problem *problem;
  torsor_point p;
  int nv, nl;
} place;

static double *numbers(int n) {
  return calloc((size_t)n + 1, sizeof(double));
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = check_max(most, fabs(x[i]));
  return most;
}

/* Smallest pivot of S in parts of the diagonal entry that it comes from. */
static double least_pivot(const accelerator *s) {
  double least = 1;
  for (int j = 0; j < s->S.count; ++j) {
    const small_column *c = &s->S.column[j];
    for (int k = 0; k < c->rows; ++k) {
      const double inverse = s->value[c->diagonal + k * (small_blocks_pad(c->rows) + 1)];
      least = fmin(least, 1 / (inverse * s->diagonal[c->first + k]));
    }
  }
  return least;
}

static torsor_status factor(const place *at) {
  const torsor_weights w = {.system = TORSOR_SYSTEM_STABILISED,
                            .split = true,
                            .follow = true,
                            .m = 1,
                            .c = 1e-3,
                            .k = 1e-6,
                            .z = 5e-4};
  CHECK_INT(at->problem->freeze_gradient(at->problem->self, at->p.t, at->p.q), TORSOR_OK);
  return at->problem->factor(at->problem->self, &at->p, &w);
}

static void solve(const place *at, double *x, torsor_correction wanted) {
  CHECK_INT(at->problem->solve_correction(at->problem->self, x, wanted), TORSOR_OK);
}

/* Largest of the components that a change to the axes of the node's body mixes with component j. */
static double vector_size(const torsor_model *model, const double *size, int j) {
  int node = 0;
  while (node + 1 < model->node_count && model->node[node + 1].first_v <= j) ++node;
  const int first = model->node[node].first_v + (j - model->node[node].first_v) / 3 * 3;
  return largest(size + first, 3);
}

/* The largest |B (u - W^-1 B^T s) - phi| of x = (u - W^-1 B^T s, s), and of what is left of the
 * first part, over their bounds.  The factors of a positive definite matrix of n rows leave, with G
 * = B W^-1/2,
 *
 *      (3 n + 1) eps g_i sum_j g_j |s_j|,   g_i = |row i of G| = sqrt(S_ii)
 *
 * (N. J. Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.4).  An entry of S or
 * of B u has as many terms as a row of B, each of which the change to body axes and the weights
 * have rounded some ten times. */
static double residual(const place *at, const double *given, const double *x) {
  const int nv = at->nv, nl = at->nl;
  const double *metric = at->problem->metric;
  gradient_rows B;
  CHECK_INT(assembly_gradient(&B, at->a, &at->p), TORSOR_OK);
  double *left = numbers(nv), *size = numbers(nv), *g = numbers(nl), sum = 0, worst = 0;
  for (int j = 0; j < nv; ++j) {
    left[j] = x[j] - given[j];
    size[j] = fabs(x[j]) + fabs(given[j]);
  }
  for (int i = 0; i < nl; ++i) {
    for (int k = B.first[i]; k < B.first[i + 1]; ++k) {
      const int j = B.column[k];
      const double moved = B.value[k] * x[nv + i] / (metric[j] * metric[j]);
      left[j] += moved;
      size[j] += fabs(moved);
      g[i] += pow(B.value[k] / metric[j], 2);
    }
    g[i] = sqrt(g[i]);
    sum += g[i] * fabs(x[nv + i]);
  }
  for (int j = 0; j < nv; ++j) {
    const double vector = vector_size(at->a->model, size, j);
    if (vector > 0) worst = check_max(worst, fabs(left[j]) / (40 * CHECK_EPS * vector));
  }
  for (int i = 0; i < nl; ++i) {
    double off = -given[nv + i], rounding = fabs(off);
    for (int k = B.first[i]; k < B.first[i + 1]; ++k) {
      off += B.value[k] * x[B.column[k]];
      rounding += fabs(B.value[k]) * (fabs(given[B.column[k]]) + size[B.column[k]]);
    }
    const int terms = 10 * (B.first[i + 1] - B.first[i]);
    const double bound = CHECK_EPS * ((3 * nl + 1 + terms) * g[i] * sum + terms * rounding);
    if (bound > 0) worst = check_max(worst, fabs(off) / bound);
  }
  double *arrays[] = {left, size, g, B.value};
  for (int i = 0; i < 4; ++i) free(arrays[i]);
  free(B.first), free(B.column);
  return worst;
}

/* Parts that are asked for alone are the same to the bit. */
static void compare_parts(const place *at, const double *given, const double *whole) {
  const int nv = at->nv, n = nv + at->nl;
  double *x = numbers(n), *y = numbers(n);
  memcpy(x, given, (size_t)n * sizeof *x);
  solve(at, x, TORSOR_CORRECTION_FIT);
  for (int i = nv; i < n; ++i) CHECK_TRUE(!(fabs(x[i] - whole[i]) > 0));
  for (int i = 0; i < n; ++i) y[i] = i < nv ? 0 : given[i];
  memcpy(x, given, (size_t)n * sizeof *x);
  solve(at, x, TORSOR_CORRECTION_STILL);
  solve(at, y, TORSOR_CORRECTION_WHOLE);
  for (int i = 0; i < n; ++i) CHECK_TRUE(!(fabs(x[i] - y[i]) > 0));
  free(x), free(y);
}

/* Rotates the bodies, as a step does while the factors are kept. */
static void move_on(const place *at, double *q, const double *u) {
  double *zero = numbers(at->nv + at->nl), *r = numbers(at->nv);
  at->problem->plus(at->problem->self, q, at->p.q, u);
  const torsor_point p = {.q = q, .v = at->p.v, .a = zero, .lambda = zero + at->nv};
  CHECK_INT(at->problem->residual(at->problem->self, &p, r, NULL, NULL), TORSOR_OK);
  free(zero), free(r);
}

/* The same by the matrix of all unknowns, after a motion of the bodies. */
static double difference(const place *at, const double *given, const double *u) {
  const int n = at->nv + at->nl;
  double *x = numbers(n), *y = numbers(n), *q = numbers(at->problem->nq), most = 0;
  memcpy(x, given, (size_t)n * sizeof *x);
  memcpy(y, given, (size_t)n * sizeof *y);
  move_on(at, q, u);
  solve(at, x, TORSOR_CORRECTION_WHOLE);
  at->a->corrector.usable = false;
  CHECK_INT(factor(at), TORSOR_OK);
  CHECK_TRUE(!at->a->by_multipliers);
  move_on(at, q, u);
  solve(at, y, TORSOR_CORRECTION_WHOLE);
  at->a->corrector.usable = true;
  for (int i = 0; i < n; ++i) most = check_max(most, fabs(x[i] - y[i]));
  const double apart = most / fmax(largest(y, n), largest(given, n));
  free(x), free(y), free(q);
  return apart;
}

static void compare_at(tally *t, const place *at, check_rng *random) {
  const int n = at->nv + at->nl;
  if (factor(at)) return;
  if (!at->a->by_multipliers) {
    ++t->others;
    return;
  }
  const double pivot = least_pivot(&at->a->corrector);
  double *given = numbers(n), *x = numbers(n), *u = numbers(at->nv);
  for (int i = 0; i < n; ++i) x[i] = given[i] = check_uniform(random, -1, 1);
  solve(at, x, TORSOR_CORRECTION_WHOLE);
  compare_parts(at, given, x);
  t->off = check_max(t->off, residual(at, given, x));
  ++t->solved;
  for (int i = 0; i < at->nv; ++i)
    u[i] = check_uniform(random, -0.5, 0.5) * (at->problem->rotation[i] ? 1 : at->problem->length);
  if (pivot > LEAST_PIVOT) {
    t->apart = check_max(t->apart, difference(at, given, u));
    ++t->compared;
  }
  free(given), free(x), free(u);
}

static void compare(tally *t, const torsor_model *model, check_rng *random) {
  assembly *a;
  torsor_error error;
  if (assembly_create(&a, model, NULL, true, &error)) return;
  const torsor_problem *problem = assembly_problem(a);
  double *q = numbers(problem->nq), *v = numbers(problem->nv);
  double *zero = numbers(problem->nv + problem->nl);
  unsigned char *given = calloc((size_t)problem->nv + 1, 1);
  assembly_initial(a, q, v, given);
  const place at = {.a = a,
                    .problem = problem,
                    .p = {.q = q, .v = v, .a = zero, .lambda = zero + problem->nv},
                    .nv = problem->nv,
                    .nl = problem->nl};
  assembly_start_coordinates(a, &at.p);
  if (problem->nl) compare_at(t, &at, random);
  ++t->models;
  free(q), free(v), free(zero), free(given);
  assembly_destroy(a);
}

static void report(const char *name, const tally *t) {
  print_message("  %s: %d models, %d by multipliers, %d compared, %d by all unknowns\n", name,
                t->models, t->solved, t->compared, t->others);
  check_report("residual over its bound", t->off, 1);
  check_report("difference of both ways", t->apart, DIFFERENCE);
  CHECK_LE(t->off, 1);
  CHECK_LE(t->apart, DIFFERENCE);
}

static void shipped_scenes(void **state) {
  (void)state;
  static const char *const groups[] = {"group=SE3", "group=R3xSO3"};
  char folder[1000];
  support_path(folder, sizeof folder, "scenes");
  struct dirent **files;
  const int count = scandir(folder, &files, NULL, alphasort);
  CHECK_GE(count, 1);
  tally t = {0};
  check_rng random = {20};
  for (int i = 0; i < count; ++i) {
    char name[300];
    snprintf(name, sizeof name, "%s", files[i]->d_name);
    char *end = strstr(name, ".json");
    free(files[i]);
    if (end) *end = '\0';
    for (int g = 0; g < 2 && end; ++g) {
      support_world world;
      support_load(&world, name, (const char *const[]){groups[g], NULL});
      compare(&t, world.model, &random);
      support_close(&world);
    }
  }
  free(files);
  report("shipped scenes", &t);
  CHECK_GE(t.compared, 60);
}

static void random_mechanisms(void **state) {
  (void)state;
  tally t = {0};
  check_rng random = {7};
  for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
    mechanism m;
    mechanism_draw(&m, seed);
    const double scale = seed % 100 == 1 ? 1e-4 : seed % 100 == 2 ? 1e3 : 1;
    const change c = {.move = {{1, 0, 0, 0}, {0, 0, 0}}, .s = scale, .step = MECHANISM_STEP};
    char *text = mechanism_scene(&m, &c);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    free(text);
    if (status) continue;
    compare(&t, world.model, &random);
    support_close(&world);
  }
  report("random mechanisms", &t);
  CHECK_GE(t.compared, MECHANISMS / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_scenes),
      cmocka_unit_test(random_mechanisms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
