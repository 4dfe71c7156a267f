/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extrapolation.h"

#include "base/pair.h"
#include "base/vec.h"
#include "parts.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ORDER = EXTRAPOLATION_ORDER, VECTORS = ORDER + 1 };

/* Number of components that are processed at a time, so that they stay in the first-level cache. */
enum { CHUNK = 64 };

/* Coefficients hardly change from step to step.  They are fitted in every step while the start is
 * still in the differences (seven steps) or has more than a millionth of the weight (six more), and
 * in every second step after that, which halves the work. */
enum { EVERY = 2, SETTLED = 2 * ORDER + 1 };

/* Forgetting factor of the least squares: the weight that earlier steps keep in each step.  Earlier
 * steps determine the coefficients where there are hardly more components than coefficients. */
static const double KEPT = 0.1;

static const double polynomial[ORDER] = {1, 1, 1, 1, 1, 1};

/* A backward difference is linearly dependent on the lower ones where what is independent has less
 * than this part of its square. */
static const double DEPENDENT = 1e-12;

/* Pivots below this part of the largest product count as zero: such differences are remains of
 * earlier steps below rounding errors, which in the end are too small to divide by. */
static const double FADED = DBL_EPSILON * DBL_EPSILON;

/* Only every second order and the highest one are candidates, which halves the time.  Polynomial
 * extrapolation is used until the first order has been fitted. */
enum { STRIDE = 2 };

void extrapolation_walk(extrapolation *e, tape *t) {
  TAPE_VALUE(t, e->history);
  TAPE_VALUE(t, e->fits);
  TAPE_VALUE(t, e->since);
  TAPE_VALUE(t, e->order);
  TAPE_VALUE(t, e->plain);
  TAPE_VALUE(t, e->product);
  TAPE_VALUE(t, e->fit);
  for (int k = 0; k <= ORDER; ++k) TAPE_ARRAY(t, e->value[k], e->length);
}

void extrapolation_clear(extrapolation *e) {
  extrapolation_forget(e);
  memset(e->value[0], 0, (size_t)e->length * sizeof(double));
}

void extrapolation_forget(extrapolation *e) {
  e->history = e->fits = e->since = e->order = 0;
  e->plain = true;
  memset(e->product, 0, sizeof e->product);
}

/* Functions marked so are written once and compiled for each order that calls them, with all loops
 * unrolled. */
#define SIZED static inline __attribute__((always_inline))

/* Loads a number, or a pair of neighbours for two SIMD lanes, from x. */
SIZED pair load(const double *x, bool both) {
  return both ? pair_load(x) : (pair){*x, 0};
}

/* Replaces x[first] .. x[order] by the differences of neighbours. */
SIZED void difference_once(pair *x, int first, int order) {
  if (order >= 6 && first <= 6) x[6] = x[5] - x[6];
  if (order >= 5 && first <= 5) x[5] = x[4] - x[5];
  if (order >= 4 && first <= 4) x[4] = x[3] - x[4];
  if (order >= 3 && first <= 3) x[3] = x[2] - x[3];
  if (order >= 2 && first <= 2) x[2] = x[1] - x[2];
  if (order >= 1 && first <= 1) x[1] = x[0] - x[1];
}

/* Sets x to the last value of component i and its backward differences, or to those of i and i + 1
 * in two lanes. */
SIZED void take(pair *x, const extrapolation *e, int i, bool both, int order) {
  _Static_assert(ORDER == 6, "a line each");
  x[0] = load(e->value[0] + i, both);
  if (order >= 1) x[1] = load(e->value[1] + i, both);
  if (order >= 2) x[2] = load(e->value[2] + i, both);
  if (order >= 3) x[3] = load(e->value[3] + i, both);
  if (order >= 4) x[4] = load(e->value[4] + i, both);
  if (order >= 5) x[5] = load(e->value[5] + i, both);
  if (order >= 6) x[6] = load(e->value[6] + i, both);
  difference_once(x, 1, order);
  difference_once(x, 2, order);
  difference_once(x, 3, order);
  difference_once(x, 4, order);
  difference_once(x, 5, order);
  difference_once(x, 6, order);
}

SIZED pair predict_one(const extrapolation *e, const double *c, int i, bool both, int order) {
  pair x[VECTORS];
  take(x, e, i, both, order);
  pair sum = x[0];
  if (order >= 1) sum += pair_both(c[0]) * x[1];
  if (order >= 2) sum += pair_both(c[1]) * x[2];
  if (order >= 3) sum += pair_both(c[2]) * x[3];
  if (order >= 4) sum += pair_both(c[3]) * x[4];
  if (order >= 5) sum += pair_both(c[4]) * x[5];
  if (order >= 6) sum += pair_both(c[5]) * x[6];
  return sum;
}

SIZED void predict_order(const extrapolation *e, double *out, int from, int to, int order) {
  double c[ORDER];
  memcpy(c, e->plain ? polynomial : e->fit[order], sizeof c);
  int i = from;
  for (; i + 2 <= to; i += 2) pair_store(out + i, predict_one(e, c, i, true, order));
  if (i < to) out[i] = predict_one(e, c, i, false, order)[0];
}

void extrapolation_predict_range(const extrapolation *e, double *out, int from, int to) {
  switch (e->order) {
  case 0:
    memcpy(out + from, e->value[0] + from, (size_t)(to - from) * sizeof *out);
    break;
  case 1:
    predict_order(e, out, from, to, 1);
    break;
  case 2:
    predict_order(e, out, from, to, 2);
    break;
  case 3:
    predict_order(e, out, from, to, 3);
    break;
  case 4:
    predict_order(e, out, from, to, 4);
    break;
  case 5:
    predict_order(e, out, from, to, 5);
    break;
  default:
    predict_order(e, out, from, to, 6);
  }
}

typedef struct prediction {
  const extrapolation *e;
  double *out;
  int parts;
} prediction;

static void predict_part(void *data, int i) {
  const prediction *p = data;
  const int n = p->e->length;
  extrapolation_predict_range(p->e, p->out, parts_begin(n, i, p->parts),
                              parts_begin(n, i + 1, p->parts));
}

void extrapolation_predict(const extrapolation *e, double *out) {
  prediction p = {e, out, parts_of(e->length)};
  parts_run(e->problem, p.parts, predict_part, &p);
}

/* Adds v[row] . v[k] to g[row][k] for k <= row, and the products of row + 1, in one pass; `row` is
 * a constant where this is inlined. */
SIZED void add_rows(double g[VECTORS][VECTORS], double v[VECTORS][CHUNK], int row, int n) {
  pair sum[VECTORS], next[VECTORS];
  for (int k = 0; k <= row; ++k) sum[k] = next[k] = pair_both(0);
  next[row + 1] = pair_both(0);
  for (int i = 0; i < n; i += 2) {
    const pair x = pair_load(v[row] + i), y = pair_load(v[row + 1] + i);
    for (int k = 0; k <= row; ++k) {
      const pair z = pair_load(v[k] + i);
      sum[k] += x * z;
      next[k] += y * z;
    }
    next[row + 1] += y * y;
  }
  for (int k = 0; k <= row; ++k) g[row][k] += sum[k][0] + sum[k][1];
  for (int k = 0; k <= row + 1; ++k) g[row + 1][k] += next[k][0] + next[k][1];
}

static void add_products(double g[VECTORS][VECTORS], double v[VECTORS][CHUNK], int n) {
  _Static_assert(VECTORS == 7, "a row each");
  pair first = pair_both(0);
  for (int i = 0; i < n; i += 2) first += pair_load(v[0] + i) * pair_load(v[0] + i);
  g[0][0] += first[0] + first[1];
  add_rows(g, v, 1, n);
  add_rows(g, v, 3, n);
  add_rows(g, v, 5, n);
}

/* Stores next - last and all backward differences of component i, or of i and i + 1, at position
 * `at` of v. */
SIZED void take_pair(double v[VECTORS][CHUNK], const extrapolation *e, const double *next, int at,
                     int i, bool both) {
  pair x[VECTORS];
  take(x, e, i, both, ORDER);
  pair_store(v[0] + at, load(next + i, both) - x[0]);
  for (int j = 1; j < VECTORS; ++j) pair_store(v[j] + at, x[j]);
}

/* Stores those of the components [from, to), and fills the last pair with zeros. */
static void take_components(double v[VECTORS][CHUNK], const extrapolation *e, const double *next,
                            int from, int to) {
  int i = from;
  for (; i + 2 <= to; i += 2) take_pair(v, e, next, i - from, i, true);
  if (i < to) take_pair(v, e, next, i - from, i, false);
}

/* Sums over the components of one kind in one part: the largest of them, and the Gram matrix of
 * next - last and the differences. */
typedef struct products {
  double largest, g[VECTORS][VECTORS]; /* lower triangle */
} products;

typedef struct lesson {
  const extrapolation *e;
  const double *next;
  int parts;
  products of[PARTS][2];
} lesson;

static void add_components(products *p, const extrapolation *e, const double *next, int from,
                           int to) {
  double v[VECTORS][CHUNK];
  memset(p, 0, sizeof *p);
  for (int at = from; at < to; at += CHUNK) {
    const int end = to - at < CHUNK ? to : at + CHUNK;
    take_components(v, e, next, at, end);
    add_products(p->g, v, end - at + (end - at) % 2);
    p->largest = fmax(p->largest, vec_largest(next + at, end - at));
  }
}

static void learn_part(void *data, int i) {
  lesson *l = data;
  const extrapolation *e = l->e;
  const int first = e->first, rest = e->counted - first;
  add_components(&l->of[i][0], e, l->next, parts_begin(first, i, l->parts),
                 parts_begin(first, i + 1, l->parts));
  add_components(&l->of[i][1], e, l->next, first + parts_begin(rest, i, l->parts),
                 first + parts_begin(rest, i + 1, l->parts));
}

/* Adds the Gram matrix of one kind to g, divided by the square of its largest component. */
static void add_kind(double g[VECTORS][VECTORS], lesson *l, int kind) {
  products *sum = &l->of[0][kind];
  for (int i = 1; i < l->parts; ++i) {
    const products *p = &l->of[i][kind];
    sum->largest = fmax(sum->largest, p->largest);
    for (int j = 0; j < VECTORS; ++j)
      for (int k = 0; k <= j; ++k) sum->g[j][k] += p->g[j][k];
  }
  const double weight = sum->largest > 0 ? 1 / sum->largest : 0;
  for (int j = 0; j < VECTORS; ++j)
    for (int k = 0; k <= j; ++k) g[j][k] += weight * (weight * sum->g[j][k]);
}

/* Fills the lower triangle of g, the Gram matrix of next - last and the differences, with each kind
 * of components scaled by its largest. */
static void find_products(double g[VECTORS][VECTORS], const extrapolation *e, const double *next) {
  lesson l;
  l.e = e;
  l.next = next;
  l.parts = parts_of(e->counted);
  parts_run(e->problem, l.parts, learn_part, &l);
  memset(g, 0, VECTORS * sizeof *g);
  for (int kind = 0; kind < 2; ++kind) add_kind(g, &l, kind);
}

typedef struct factors {
  double L[ORDER][ORDER], d[ORDER]; /* d = 1/D */
  double z[ORDER];
} factors;

/* Returns the squared residual |y1 - y0 - sum_j c_j D^j y0|^2 of the coefficients c. */
static double squared_error(double g[VECTORS][VECTORS], const double *c, int order) {
  double sum = g[0][0];
  for (int j = 0; j < order; ++j) {
    double row = -g[j + 1][0] + 0.5 * c[j] * g[j + 1][j + 1];
    for (int k = 0; k < j; ++k) row += c[k] * g[j + 1][k + 1];
    sum += 2 * c[j] * row;
  }
  return sum;
}

/* Returns the candidate order after k. */
static int next_order(const extrapolation *e, int k) {
  return k + STRIDE < e->fits || k == e->fits ? k + STRIDE : e->fits;
}

/* Chooses the order with the least residual; of those whose residual is below rounding errors the
 * highest, and any order where nothing was fitted before. */
static int best_order(double *error_of_best, const extrapolation *e, double g[VECTORS][VECTORS]) {
  int best = e->fits ? 0 : ORDER;
  const double noise = DBL_EPSILON * g[0][0];
  double least = g[0][0];
  for (int k = next_order(e, 0); k <= e->fits; k = next_order(e, k)) {
    const double error = squared_error(g, e->fit[k], k);
    if (error > least) continue;
    least = error > noise ? error : noise;
    best = k;
  }
  *error_of_best = least;
  return best;
}

/* Computes one row of the factorisation G = L D L^T of the normal equations and of its forward
 * substitution; false where the row is linearly dependent on those before it, or zero. */
static bool eliminate(factors *f, const double *row, int k) {
  double pivot = row[k + 1], z = row[0];
  double *l = f->L[k];
  for (int j = 0; j < k; ++j) {
    double s = row[j + 1];
    for (int i = 0; i < j; ++i) s -= f->L[j][i] * l[i];
    l[j] = s; /* times d_j, until it has been used */
  }
  for (int j = 0; j < k; ++j) {
    const double s = l[j];
    l[j] = s * f->d[j];
    pivot -= s * l[j];
    z -= s * f->z[j];
  }
  if (!(pivot > DEPENDENT * row[k + 1] && pivot > FADED)) return false;
  f->d[k] = 1 / pivot;
  f->z[k] = z * f->d[k];
  return true;
}

/* Solves the least squares of all orders: each uses the leading block of the same factors. */
static void fit_orders(extrapolation *e, int known) {
  factors f;
  e->fits = 0;
  while (e->fits < known && eliminate(&f, e->product[e->fits + 1], e->fits)) ++e->fits;
  for (int k = next_order(e, 0); k <= e->fits; k = next_order(e, k)) {
    double *c = e->fit[k];
    for (int j = k - 1; j >= 0; --j) {
      c[j] = f.z[j];
      for (int i = j + 1; i < k; ++i) c[j] -= f.L[i][j] * c[i];
    }
  }
}

static double largest_diagonal(double g[VECTORS][VECTORS], int known) {
  double size = g[0][0];
  for (int j = 1; j <= known; ++j) size = g[j][j] > size ? g[j][j] : size;
  return size;
}

static int known_differences(const extrapolation *e) {
  return e->history < ORDER ? e->history : ORDER;
}

/* Updates the coefficients and the order by `next`, before it becomes the newest value. */
static void learn(extrapolation *e, const double *next) {
  const int known = known_differences(e);
  double g[VECTORS][VECTORS];
  find_products(g, e, next);
  if (!(g[0][0] > 0) || !isfinite(g[0][0])) return;
  double least;
  const int best = best_order(&least, e, g), even = best + best % STRIDE;
  /* Each step is normalised, so that one with a jump in its differences has no more weight. */
  const double weight = 1 / largest_diagonal(g, known),
               kept = e->since == EVERY ? KEPT * KEPT : KEPT;
  for (int j = 0; j <= known; ++j)
    for (int k = 0; k <= j; ++k) e->product[j][k] = kept * e->product[j][k] + weight * g[j][k];
  fit_orders(e, known);
  e->plain = squared_error(g, polynomial, STRIDE) < least;
  e->order = e->plain ? STRIDE : even < e->fits ? even : e->fits;
}

/* Learns from `next`, in the steps in which coefficients are fitted. */
static void note(extrapolation *e, const double *next) {
  ++e->since;
  if (e->history >= STRIDE && (e->history < SETTLED || e->since == EVERY)) {
    learn(e, next);
    e->since = 0;
  }
  if (e->history < SETTLED) ++e->history;
  if (e->history <= STRIDE) e->order = e->history;
}

/* Rotates the arrays of values: the oldest one becomes that of the newest value and is returned. */
static double *turn(extrapolation *e) {
  double *oldest = e->value[ORDER];
  for (int k = ORDER; k > 0; --k) e->value[k] = e->value[k - 1];
  return e->value[0] = oldest;
}

double *extrapolation_take(extrapolation *e, double *next) {
  note(e, next);
  double *oldest = turn(e);
  e->value[0] = next;
  return oldest;
}

void extrapolation_push(extrapolation *e, const double *next) {
  note(e, next);
  memcpy(turn(e), next, (size_t)e->length * sizeof *next);
}
