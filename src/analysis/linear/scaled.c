/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/scaled.h"

#include <math.h>

enum { SWEEPS = 10 };

static double *by_columns(const double *X, int rows, int columns, arena *memory) {
  double *out = arena_take(memory, (size_t)rows * (size_t)columns, sizeof *out);
  for (int j = 0; j < columns && out; ++j)
    for (int i = 0; i < rows; ++i) out[j * rows + i] = X[i * columns + j];
  return out;
}

/* The power of two by which state i is to be divided: its row and its column, but for the diagonal,
 * are of one size then. */
static double find_factor(const scaled *s, int i) {
  double row = 0, column = 0;
  for (int j = 0; j < s->n; ++j) {
    if (j == i) continue;
    row += fabs(s->A[j * s->n + i]);
    column += fabs(s->A[i * s->n + j]);
  }
  for (int j = 0; j < s->m; ++j) row += fabs(s->B[j * s->n + i]);
  for (int j = 0; j < s->p; ++j) column += fabs(s->C[i * s->p + j]);
  if (!(row > 0) || !(column > 0)) return 1;
  return exp2(round(0.5 * log2(row / column)));
}

static void divide_state(scaled *s, int i, double factor) {
  for (int j = 0; j < s->n; ++j) {
    s->A[j * s->n + i] /= factor;
    s->A[i * s->n + j] *= factor;
  }
  for (int j = 0; j < s->m; ++j) s->B[j * s->n + i] /= factor;
  for (int j = 0; j < s->p; ++j) s->C[i * s->p + j] *= factor;
}

torsor_status scaled_create(scaled *out, const torsor_state_space *space, double *factor,
                            arena *memory) {
  const int n = space->states, m = space->inputs, p = space->outputs;
  *out = (scaled){.n = n,
                  .m = m,
                  .p = p,
                  .A = by_columns(space->A, n, n, memory),
                  .B = by_columns(space->B, n, m, memory),
                  .C = by_columns(space->C, p, n, memory),
                  .D = by_columns(space->D, p, m, memory)};
  if (!out->A || !out->B || !out->C || !out->D) return TORSOR_MEMORY;
  for (int i = 0; i < n && factor; ++i) factor[i] = 1;
  for (int sweep = 0; sweep < SWEEPS; ++sweep)
    for (int i = 0; i < n; ++i) {
      const double by = find_factor(out, i);
      divide_state(out, i, by);
      if (factor) factor[i] *= by;
    }
  return TORSOR_OK;
}

void scaled_channels(scaled *s, double size) {
  for (int j = 0; j < s->m; ++j) {
    double most = 0;
    for (int i = 0; i < s->n; ++i) most = fmax(most, fabs(s->B[j * s->n + i]));
    for (int i = 0; i < s->p; ++i) most = fmax(most, fabs(s->D[j * s->p + i]));
    for (int i = 0; i < s->n && most > 0; ++i) s->B[j * s->n + i] *= size / most;
    for (int i = 0; i < s->p && most > 0; ++i) s->D[j * s->p + i] *= size / most;
  }
  for (int i = 0; i < s->p; ++i) {
    double most = 0;
    for (int j = 0; j < s->n; ++j) most = fmax(most, fabs(s->C[j * s->p + i]));
    for (int j = 0; j < s->m; ++j) most = fmax(most, fabs(s->D[j * s->p + i]));
    for (int j = 0; j < s->n && most > 0; ++j) s->C[j * s->p + i] *= size / most;
    for (int j = 0; j < s->m && most > 0; ++j) s->D[j * s->p + i] *= size / most;
  }
}
