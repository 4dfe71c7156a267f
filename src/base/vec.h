/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_VEC_H
#define TORSOR_BASE_VEC_H

/** Operations on long vectors.  They use several independent accumulators, since with a single one
 *  each addition would wait for the one before. */

#include <math.h>
#include <stdbool.h>

enum { VEC_LANES = 8 };

/** fmax for loops, without a call: `most` where x is not a number. */
static inline double vec_larger(double x, double most) {
  return x > most ? x : most;
}

static inline double vec_smaller(double x, double least) {
  return x < least ? x : least;
}

/** Largest magnitude of a vector by a scalar loop: for short vectors and for remainders that do not
 *  fill SIMD lanes. */
static inline double vec_largest_short(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

/** Largest |x[i]| of n, 0 where there are none; what is not a number is passed over. */
static inline double vec_largest(const double *x, int n) {
  if (n < VEC_LANES) return vec_largest_short(x, n);
  double most[VEC_LANES] = {0};
  int i = 0;
  for (; i + VEC_LANES <= n; i += VEC_LANES)
    for (int k = 0; k < VEC_LANES; ++k) {
      const double size = fabs(x[i + k]);
      most[k] = size > most[k] ? size : most[k];
    }
  const double rest = vec_largest_short(x + i, n - i);
  for (int k = 1; k < VEC_LANES; ++k) most[0] = most[k] > most[0] ? most[k] : most[0];
  return rest > most[0] ? rest : most[0];
}

/** Are all finite?  Sums of zeros, unless one is not. */
static inline bool vec_is_finite(const double *x, int n) {
  double sum[VEC_LANES] = {0}, rest = 0;
  int i = 0;
  for (; i + VEC_LANES <= n; i += VEC_LANES)
    for (int k = 0; k < VEC_LANES; ++k) sum[k] += 0 * x[i + k];
  for (; i < n; ++i) rest += 0 * x[i];
  if (n >= VEC_LANES)
    for (int k = 0; k < VEC_LANES; ++k) rest += sum[k];
  return rest == 0;
}

/** vec_largest, or infinite where one is not finite: in one pass. */
static inline double vec_largest_finite(const double *x, int n) {
  double most[VEC_LANES] = {0}, sum[VEC_LANES] = {0}, largest = 0, rest = 0;
  int i = 0;
  for (; i + VEC_LANES <= n; i += VEC_LANES)
    for (int k = 0; k < VEC_LANES; ++k) {
      const double size = fabs(x[i + k]);
      most[k] = size > most[k] ? size : most[k];
      sum[k] += 0 * x[i + k];
    }
  for (; i < n; ++i) {
    largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    rest += 0 * x[i];
  }
  for (int k = 0; n >= VEC_LANES && k < VEC_LANES; ++k) {
    largest = most[k] > largest ? most[k] : largest;
    rest += sum[k];
  }
  return rest == 0 ? largest : HUGE_VAL;
}

/** y += factor x, [n]; they do not overlap. */
static inline void vec_add_scaled(double *restrict y, double factor, const double *restrict x,
                                  int n) {
  int i = 0;
  for (; i + VEC_LANES <= n; i += VEC_LANES)
    for (int k = 0; k < VEC_LANES; ++k) y[i + k] += factor * x[i + k];
  for (; i < n; ++i) y[i] += factor * x[i];
}

#endif
