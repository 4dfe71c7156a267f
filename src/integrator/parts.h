/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_PARTS_H
#define TORSOR_INTEGRATOR_PARTS_H

/** Loops over long vectors in parts, which the problem's threads share.  Where the cuts are depends
 * on the length alone, and so do sums of the parts' sums. */

#include <torsor/integrator.h>

#include "base/vec.h"

/** Parts of long vectors; even, and enough for some threads to have nearly equal ones. */
enum { PARTS = 16 };

/** Part i of a loop. */
typedef void part_work(void *data, int i);

/** In how many parts a loop over n components is done: PARTS, or 1 where sharing takes longer than
 * it saves. */
int parts_of(int n);

/** Where part i of `parts` of n components begins: at full lanes (base/vec.h). */
static inline int parts_begin(int n, int i, int parts) {
  /* Short vectors have one part, and a division of 64 bits would take as long as a loop over
   * ten. */
  if (i == 0 || i == parts) return i ? n : 0;
  return (int)((long long)n * i / parts) / VEC_LANES * VEC_LANES;
}

/** All parts; returns when they are done. */
static inline void parts_run(const torsor_problem *problem, int parts, part_work *work,
                             void *data) {
  if (parts > 1 && problem && problem->share) {
    problem->share(problem->self, parts, work, data);
    return;
  }
  for (int i = 0; i < parts; ++i) work(data, i);
}

/** vec_largest of a vector that may be long. */
double parts_largest(const torsor_problem *problem, const double *x, int n);

/** The same of the components whose flag is `wanted`; flag NULL: all have 0. */
double parts_largest_of(const torsor_problem *problem, const double *x, const unsigned char *flag,
                        unsigned char wanted, int n);

#endif
