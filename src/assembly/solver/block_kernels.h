/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_KERNELS_H
#define TORSOR_ASSEMBLY_BLOCK_KERNELS_H

/** Products of small dense matrices, stored by columns with leading dimensions.  Each entry is
 * summed in the order of the inner index (the depth), whatever the vector length of the machine, so
 * that all machines give the same bytes. */

#include <stdbool.h>

#include "base/pair.h"

/** Kernels are inlined where their sizes are constant, one copy for each size.  Builds that watch
 * every access (sanitizers) have one copy only, since compilers take a minute to instrument all of
 * them. */
#ifdef TORSOR_WATCHED
#define BLOCK_SIZED static __attribute__((noinline, unused))
#else
#define BLOCK_SIZED static inline __attribute__((always_inline))
#endif

/* Multiplies one tile of 2 `pairs` rows and `columns` columns, held in registers.  Sizes are
 * constants where this is inlined, so that only the loop over the depth remains. */
BLOCK_SIZED void block_tile(double *restrict C, int c, const double *restrict A, int a,
                            const double *restrict B, int b, int depth, int pairs, int columns,
                            bool subtract) {
  pair sum[2][3];
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < pairs; ++i)
      sum[j][i] = subtract ? pair_load(C + 2 * i + j * c) : pair_both(0);
  for (int k = 0; k < depth; ++k) {
    for (int j = 0; j < columns; ++j) {
      const pair factor = pair_both(B[k + j * b]);
      for (int i = 0; i < pairs; ++i) {
        const pair product = pair_load(A + 2 * i + k * a) * factor;
        sum[j][i] = subtract ? sum[j][i] - product : sum[j][i] + product;
      }
    }
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < pairs; ++i) pair_store(C + 2 * i + j * c, sum[j][i]);
}

/* Multiplies the last single row, which no pair covers. */
BLOCK_SIZED void block_row(double *restrict C, int c, const double *restrict A, int a,
                           const double *restrict B, int b, int depth, int columns, bool subtract) {
  for (int j = 0; j < columns; ++j) {
    double sum = subtract ? C[j * c] : 0;
    for (int k = 0; k < depth; ++k) {
      const double product = A[k * a] * B[k + j * b];
      sum = subtract ? sum - product : sum + product;
    }
    C[j * c] = sum;
  }
}

/* Multiplies a strip of 2 `pairs` rows, two columns at a time. */
BLOCK_SIZED void block_strip(double *restrict C, int c, const double *restrict A, int a,
                             const double *restrict B, int b, int depth, int pairs, int columns,
                             bool subtract) {
  int j = 0;
  for (; j + 2 <= columns; j += 2)
    block_tile(C + j * c, c, A, a, B + j * b, b, depth, pairs, 2, subtract);
  if (j < columns) block_tile(C + j * c, c, A, a, B + j * b, b, depth, pairs, 1, subtract);
}

/** C [rows x columns] = A [rows x depth] B [depth x columns], or C -= A B. */
BLOCK_SIZED void block_product(double *restrict C, int c, const double *restrict A, int a,
                               const double *restrict B, int b, int rows, int depth, int columns,
                               bool subtract) {
  int i = 0;
  for (; i + 6 <= rows; i += 6) block_strip(C + i, c, A + i, a, B, b, depth, 3, columns, subtract);
  if (i + 4 <= rows) {
    block_strip(C + i, c, A + i, a, B, b, depth, 2, columns, subtract);
    i += 4;
  }
  if (i + 2 <= rows) {
    block_strip(C + i, c, A + i, a, B, b, depth, 1, columns, subtract);
    i += 2;
  }
  if (i < rows) block_row(C + i, c, A + i, a, B, b, depth, columns, subtract);
}

/* Multiplies up to 12 rows with a vector: all rows of one column, then the next column. */
BLOCK_SIZED void block_times_part(double *restrict y, const double *restrict A, int a,
                                  const double *restrict x, int rows, int depth, bool subtract) {
  pair sum[6];
  double last = rows % 2 && subtract ? y[rows - 1] : 0;
  for (int i = 0; i < rows / 2; ++i) sum[i] = subtract ? pair_load(y + 2 * i) : pair_both(0);
  for (int k = 0; k < depth; ++k, A += a) {
    const pair factor = pair_both(x[k]);
    for (int i = 0; i < rows / 2; ++i) {
      const pair product = pair_load(A + 2 * i) * factor;
      sum[i] = subtract ? sum[i] - product : sum[i] + product;
    }
    if (rows % 2) last = subtract ? last - A[rows - 1] * x[k] : last + A[rows - 1] * x[k];
  }
  for (int i = 0; i < rows / 2; ++i) pair_store(y + 2 * i, sum[i]);
  if (rows % 2) y[rows - 1] = last;
}

/** y [rows] = A x [depth], or y -= A x. */
BLOCK_SIZED void block_times(double *restrict y, const double *restrict A, int a,
                             const double *restrict x, int rows, int depth, bool subtract) {
  int i = 0;
  for (; i + 12 <= rows; i += 12) block_times_part(y + i, A + i, a, x, 12, depth, subtract);
  switch (rows - i) {
#define PART(n)                                                                                    \
  case n:                                                                                          \
    block_times_part(y + i, A + i, a, x, n, depth, subtract);                                      \
    break;
    PART(11) PART(10) PART(9) PART(8) PART(7) PART(6) PART(5) PART(4) PART(3) PART(2) PART(1)
#undef PART
  }
}

#endif
