/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_PARTS_H
#define TORSOR_INTEGRATOR_PARTS_H

/** Loops over long vectors in parts, which the problem's threads share.  The cuts depend on the
 * length alone, and so do sums of the parts' sums: results do not depend on the number of
 * threads. */

#include <torsor/integrator.h>

#include "base/vec.h"

/** Number of parts of a long vector: even, and enough for several threads to have nearly equal
 * ones. */
enum { PARTS = 16 };

/** Does part i of a loop. */
typedef void part_work(void *data, int i);

/** Returns the number of parts of a loop over n components: PARTS, or 1 where sharing takes longer
 * than it saves. */
int parts_of(int n);

/** Returns the start of part i of `parts` of n components, at full lanes (base/vec.h). */
static inline int parts_begin(int n, int i, int parts) {
  /* short vectors have one part, and a division of 64 bits would take as long as a loop over ten */
  if (i == 0 || i == parts) return i ? n : 0;
  return (int)((long long)n * i / parts) / VEC_LANES * VEC_LANES;
}

/** Does all parts, and returns when they are done. */
static inline void parts_run(const torsor_problem *problem, int parts, part_work *work,
                             void *data) {
  if (parts > 1 && problem && problem->share) {
    problem->share(problem->self, parts, work, data);
    return;
  }
  for (int i = 0; i < parts; ++i) work(data, i);
}

/** Returns vec_largest of a vector that may be long, of the components whose flag is `wanted`; flag
 * NULL: all are 0. */
double parts_largest_of(const torsor_problem *problem, const double *x, const unsigned char *flag,
                        unsigned char wanted, int n);

#endif
