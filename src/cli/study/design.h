/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_DESIGN_H
#define TORSOR_CLI_STUDY_DESIGN_H

/** The points of a study: sample k is a function of the study and k alone. */

#include "cli/study/study.h"

typedef struct design {
  const study *study;
  long samples;
  arena memory;
  uint32_t *permutation; /* latin hypercube: [variables x samples] */
  uint64_t *direction;   /* Sobol' sequence: [dimensions x bits] */
  double *shift;         /* of Sobol' points: [replicates x dimensions] */
  int dimensions, bits;
  uint64_t mask; /* `shuffle`: the next power of two - 1 */
} design;

/** The points of the study, or of its first `samples` where that is not 0. */
torsor_status design_open(design *out, const study *s, long samples, torsor_error *error);
void design_close(design *d);

/** Values [variables] of sample k. */
void design_point(const design *d, long k, double *value);

/** The sample that is done at place i of the order. */
long design_order(const design *d, long i);

/** The unit of a random number: u in (0, 1) -> a value with this distribution. */
double law_quantile(const study_distribution *d, double u);
#endif
