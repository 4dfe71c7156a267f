/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_PAIR_H
#define TORSOR_BASE_PAIR_H

/** SIMD arithmetic on pairs of numbers, with bit-identical results to scalar arithmetic. */

#include <string.h>

typedef double pair __attribute__((vector_size(16)));

static inline pair pair_load(const double *from) {
  pair out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline void pair_store(double *to, pair value) {
  memcpy(to, &value, sizeof value);
}

static inline pair pair_both(double x) {
  return (pair){x, x};
}

#endif
