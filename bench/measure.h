/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <torsor/torsor.h>

#include "cases.h"

/** CPU times are the least of the repeats, us; NaN: not known. */
typedef struct figures {
  long steps;
  double step;               /* of the time loop, all in */
  double newton, factorings; /* per step */
  double refactor, solve; /* of KLU on the matrix of the scene; NaN where KLU finds it singular */
  int unknowns, nonzeros; /* of that matrix */
  double setup;           /* from the file to the first step */
  double memory;          /* bytes from malloc while it runs */
  double alone, shared;   /* wall time of a step by one thread and by many, in turns */
} figures;

/** All-in cost of a step over that of one refactorisation and one solve. */
static inline double figures_ratio(const figures *f) {
  return f->step / (f->refactor + f->solve);
}

/** `source`: the folder of the sources.  With more than one thread each repeat is also one by so
 * many. */
torsor_status measure(figures *out, const bench_case *c, const char *source,
                      const torsor_registry *registry, int repeats, int threads,
                      torsor_error *error);

#endif
