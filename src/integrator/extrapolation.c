/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extrapolation.h"

#include "base/pair.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ORDER = EXTRAPOLATION_ORDER, VECTORS = ORDER + 1 };

/* Components that are worked on at a time, so that they stay in the nearest memory. */
enum { CHUNK = 64 };

/* Coefficients hardly change in a step.  Once a start is out of the differences, after seven, and has a millionth of its
 * weight left, after six more, they are fitted to every second step, for half the work. */
enum { EVERY = 2, SETTLED = 2 * ORDER + 1 };

/* Part that each step keeps of what coefficients are fitted to: settles what the last one leaves open
 * when there are hardly more components than coefficients. */
static const double KEPT = 0.1;

static const double polynomial[ORDER] = {1, 1, 1, 1, 1, 1};

/* A difference that is one of lower ones but for this part of its square is nothing new. */
static const double DEPENDENT = 1e-12;

/* Every second order is looked at, which takes half the time, and the highest; polynomials predict until the
 * first has been fitted. */
enum { STRIDE = 2 };

void extrapolation_walk(extrapolation *e, tape *t) {
  TAPE_VALUE(t, e->history);
  TAPE_VALUE(t, e->fits);
  TAPE_VALUE(t, e->since);
  TAPE_VALUE(t, e->order);
  TAPE_VALUE(t, e->plain);
  TAPE_VALUE(t, e->product);
  TAPE_VALUE(t, e->fit);
  TAPE_ARRAY(t, e->last, e->length);
  for (int j = 0; j < ORDER; ++j) TAPE_ARRAY(t, e->difference[j], e->length);
}

void extrapolation_clear(extrapolation *e) {
  extrapolation_forget(e);
  memset(e->last, 0, (size_t)e->length * sizeof *e->last);
}

void extrapolation_forget(extrapolation *e) {
  e->history = e->fits = e->since = e->order = 0;
  e->plain = true;
  memset(e->product, 0, sizeof e->product);
}

void extrapolation_predict(const extrapolation *e, double *out) {
  memcpy(out, e->last, (size_t)e->length * sizeof *out);
  const double *coefficients = e->plain ? polynomial : e->fit[e->order];
  for (int j = 0; j < e->order; ++j) {
    const double c = coefficients[j];
    const double *difference = e->difference[j];
    for (int i = 0; i < e->length; ++i) out[i] += c * difference[i];
  }
}

/* g[k] += v[row] . v[k] for k <= row, all at once; `row` is known where this is inlined. */
static inline void add_row(double *g, double v[VECTORS][CHUNK], int row, int n) {
  pair sum[VECTORS];
  for (int k = 0; k <= row; ++k) sum[k] = pair_both(0);
  for (int i = 0; i < n; i += 2) {
    const pair x = pair_load(v[row] + i);
    for (int k = 0; k <= row; ++k) sum[k] += x * pair_load(v[k] + i);
  }
  for (int k = 0; k <= row; ++k) g[k] += sum[k][0] + sum[k][1];
}

static void add_rows(double g[VECTORS][VECTORS], double v[VECTORS][CHUNK], int n) {
  _Static_assert(VECTORS == 7, "a row each");
  add_row(g[0], v, 0, n);
  add_row(g[1], v, 1, n);
  add_row(g[2], v, 2, n);
  add_row(g[3], v, 3, n);
  add_row(g[4], v, 4, n);
  add_row(g[5], v, 5, n);
  add_row(g[6], v, 6, n);
}

/* v = next - last and all differences of components [from, to), times `weight`. */
static void take_components(double v[VECTORS][CHUNK], const extrapolation *e, const double *next,
                            int at, int from, int to, double weight) {
  for (int i = from; i < to; ++i, ++at) {
    v[0][at] = weight * (next[i] - e->last[i]);
    for (int j = 0; j < ORDER; ++j) v[j + 1][at] = weight * e->difference[j][i];
  }
}

/* Lower triangle of g = products of next - last and the differences, each kind of components in parts of its
 * largest. */
static void find_products(double g[VECTORS][VECTORS], const extrapolation *e, const double *next) {
  const int first = e->first, counted = e->counted;
  const double of_first = vec_largest(next, first),
               of_rest = vec_largest(next + first, counted - first);
  const double weight[2] = {of_first > 0 ? 1 / of_first : 0, of_rest > 0 ? 1 / of_rest : 0};
  double v[VECTORS][CHUNK];
  memset(g, 0, VECTORS * sizeof *g);
  for (int from = 0; from < counted; from += CHUNK) {
    const int to = counted - from < CHUNK ? counted : from + CHUNK;
    const int middle = first < from ? from : first < to ? first : to;
    const int n = to - from, padded = n + n % 2;
    take_components(v, e, next, 0, from, middle, weight[0]);
    take_components(v, e, next, middle - from, middle, to, weight[1]);
    for (int j = 0; j < VECTORS && n < padded; ++j) v[j][n] = 0;
    add_rows(g, v, padded);
  }
}

typedef struct factors {
  double L[ORDER][ORDER], d[ORDER]; /* d = 1/D */
  double z[ORDER];
} factors;

/* |y1 - y0 - sum_j c_j D^j y0|^2. */
static double squared_error(double g[VECTORS][VECTORS], const double *c, int order) {
  double sum = g[0][0];
  for (int j = 0; j < order; ++j) {
    double row = -g[j + 1][0] + 0.5 * c[j] * g[j + 1][j + 1];
    for (int k = 0; k < j; ++k) row += c[k] * g[j + 1][k + 1];
    sum += 2 * c[j] * row;
  }
  return sum;
}

/* The order after k, of those that are looked at. */
static int next_order(const extrapolation *e, int k) {
  return k + STRIDE < e->fits || k == e->fits ? k + STRIDE : e->fits;
}

/* Among those below what rounding errors leave of the sum the highest; any where nothing was fitted before. */
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

/* One row of G = L D L^T, with D L^T z = (y1 - y0) . D^j y0; false where it depends on those before it. */
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
  if (!(pivot > DEPENDENT * row[k + 1])) return false;
  f->d[k] = 1 / pivot;
  f->z[k] = z * f->d[k];
  return true;
}

/* Least squares: each order takes its corner of the same factors. */
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

/* What `next` tells of predictions, before it is one of the past. */
static void learn(extrapolation *e, const double *next) {
  const int known = known_differences(e);
  double g[VECTORS][VECTORS];
  find_products(g, e, next);
  if (!(g[0][0] > 0) || !isfinite(g[0][0])) return;
  double least;
  const int best = best_order(&least, e, g), even = best + best % STRIDE;
  /* A step with a jump in its differences weighs no more than others. */
  const double weight = 1 / largest_diagonal(g, known),
               kept = e->since == EVERY ? KEPT * KEPT : KEPT;
  for (int j = 0; j <= known; ++j)
    for (int k = 0; k <= j; ++k) e->product[j][k] = kept * e->product[j][k] + weight * g[j][k];
  fit_orders(e, known);
  e->plain = squared_error(g, polynomial, STRIDE) < least;
  e->order = e->plain ? STRIDE : even < e->fits ? even : e->fits;
}

void extrapolation_push(extrapolation *e, const double *next) {
  ++e->since;
  if (e->history >= STRIDE && (e->history < SETTLED || e->since == EVERY)) {
    learn(e, next);
    e->since = 0;
  }
  for (int i = 0; i < e->length; ++i) {
    double d = next[i] - e->last[i];
    for (int j = 0; j < ORDER; ++j) {
      const double higher = d - e->difference[j][i];
      e->difference[j][i] = d;
      d = higher;
    }
  }
  memcpy(e->last, next, (size_t)e->length * sizeof *next);
  if (e->history < SETTLED) ++e->history;
  if (e->history <= STRIDE) e->order = e->history;
}
