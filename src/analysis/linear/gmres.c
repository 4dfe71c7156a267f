/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/gmres.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Complex numbers and pairs of real ones have the same representation (C17, 6.2.5). */
typedef double complex number;

torsor_status gmres_create(gmres *out, int n, int most, arena *memory) {
  const size_t m = (size_t)most, length = 2 * (size_t)n;
  *out = (gmres){.n = n,
                 .most = most,
                 .V = arena_take(memory, (m + 1) * length, sizeof(double)),
                 .R = arena_take(memory, 2 * m * (m + 1), sizeof(double)),
                 .turn = arena_take(memory, 3 * m, sizeof(double)),
                 .g = arena_take(memory, 2 * (m + 1), sizeof(double))};
  return out->V && out->R && out->turn && out->g ? TORSOR_OK : TORSOR_MEMORY;
}

static number *vector(const gmres *g, int i) {
  return (number *)(void *)(g->V + 2 * (size_t)i * (size_t)g->n);
}

static number *column(const gmres *g, int j) {
  return (number *)(void *)(g->R + 2 * (size_t)j * (size_t)(g->most + 1));
}

static double norm(const number *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
  return sqrt(sum);
}

/* Orthogonalises w, the next vector, against those before, twice, as round-off of the first time
 * may be as large as what is left; the coefficients go to column j. */
static void orthogonalise(gmres *g, number *w, int j) {
  number *r = column(g, j);
  memset(r, 0, (size_t)(g->most + 1) * sizeof *r);
  for (int twice = 0; twice < 2; ++twice)
    for (int i = 0; i <= j; ++i) {
      const number *v = vector(g, i);
      number part = 0;
      for (int k = 0; k < g->n; ++k) part += conj(v[k]) * w[k];
      for (int k = 0; k < g->n; ++k) w[k] -= part * v[k];
      r[i] += part;
    }
  const double size = norm(w, g->n);
  r[j + 1] = size;
  for (int k = 0; k < g->n && size > 0; ++k) w[k] /= size;
}

static number number_of(double re, double im) {
  const double parts[] = {re, im};
  number z;
  memcpy(&z, parts, sizeof z);
  return z;
}

static number sine_of(const gmres *g, int i) {
  return number_of(g->turn[3 * i + 1], g->turn[3 * i + 2]);
}

/* Makes column j triangular by rotations, and turns the right-hand side. */
static void rotate(gmres *g, int j) {
  number *r = column(g, j), *b = (number *)(void *)g->g;
  for (int i = 0; i < j; ++i) {
    const double c = g->turn[3 * i];
    const number s = sine_of(g, i), above = r[i];
    r[i] = c * above + conj(s) * r[i + 1];
    r[i + 1] = -s * above + c * r[i + 1];
  }
  const double size = hypot(cabs(r[j]), cabs(r[j + 1]));
  const double c = size > 0 ? cabs(r[j]) / size : 1;
  const number phase = cabs(r[j]) > 0 ? r[j] / cabs(r[j]) : 1;
  const number s = size > 0 ? conj(phase) * r[j + 1] / size : 0;
  g->turn[3 * j] = c;
  g->turn[3 * j + 1] = creal(s);
  g->turn[3 * j + 2] = cimag(s);
  r[j] = c * r[j] + conj(s) * r[j + 1];
  b[j + 1] = -s * b[j];
  b[j] = c * b[j];
}

/* x = the combination of the vectors that solves the small system of size m. */
static void combine(number *x, gmres *g, int m) {
  number *b = (number *)(void *)g->g;
  memset(x, 0, (size_t)g->n * sizeof *x);
  for (int j = m - 1; j >= 0; --j) {
    const number *r = column(g, j), *v = vector(g, j);
    b[j] /= r[j];
    for (int i = 0; i < j; ++i) b[i] -= b[j] * r[i];
    for (int k = 0; k < g->n; ++k) x[k] += b[j] * v[k];
  }
}

torsor_status gmres_solve(double *solution, gmres *g, gmres_operator multiply, void *data,
                          double tolerance, double *left, int *iterations) {
  number *x = (number *)(void *)solution, *b = (number *)(void *)g->g;
  const double size = norm(x, g->n);
  *left = 0;
  *iterations = 0;
  if (!(size > 0)) return isfinite(size) ? TORSOR_OK : TORSOR_NONFINITE;
  memset(b, 0, (size_t)(g->most + 1) * sizeof *b);
  b[0] = size;
  for (int k = 0; k < g->n; ++k) vector(g, 0)[k] = x[k] / size;
  int j = 0;
  for (*left = 1; j<g->most && * left> tolerance; ++j) {
    const torsor_status status =
        multiply(data, (double *)(void *)vector(g, j + 1), (const double *)(void *)vector(g, j));
    if (status) return status;
    orthogonalise(g, vector(g, j + 1), j);
    rotate(g, j);
    *left = cabs(b[j + 1]) / size;
    if (!isfinite(*left) || !(cabs(column(g, j)[j]) > 0)) return TORSOR_NONFINITE;
  }
  *iterations = j;
  combine(x, g, j);
  return TORSOR_OK;
}
