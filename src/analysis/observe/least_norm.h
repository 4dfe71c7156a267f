/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LEAST_NORM_H
#define TORSOR_ANALYSIS_LEAST_NORM_H

#include "assembly/assembly.h"

/** Multipliers of dependent constraint rows: of all that make the same forces the shortest.  Has
 *  matrices of its own, so that asking for them changes nothing else. */
typedef struct least_norm {
  assembly *assembly; /* NULL: not made */
  double *lambda;     /* [nl] result */
  double *w, *n;      /* [nv], [nl] */
  double *x;          /* [nv + nl] */
  double *force, *at_rest;
  double *rate, *rate_at_rest;
} least_norm;

/** Memory comes from `memory`; the assembly is released by least_norm_release. */
torsor_status least_norm_create(least_norm *out, const torsor_model *model, const char *solver,
                                arena *memory, torsor_error *error);
void least_norm_release(least_norm *l);
/** All that moves: the matrices, as all else is found anew. */
void least_norm_walk(least_norm *l, tape *t);

/** lambda [nl] = multipliers of least norm with B^T lambda as at `p`. */
torsor_status least_norm_find(least_norm *l, const torsor_point *p);

#endif
