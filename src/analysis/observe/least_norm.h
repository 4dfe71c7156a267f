/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LEAST_NORM_H
#define TORSOR_ANALYSIS_LEAST_NORM_H

#include "assembly/assembly.h"

/** Least-norm solution for the multipliers of dependent constraint rows: of all multipliers with
 * the same forces B^T lambda, the shortest.  It has matrices of its own, so that asking for them
 * changes nothing else. */
typedef struct least_norm {
  assembly *assembly; /* NULL: not created yet */
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
/** Walks over everything that changes during a run: the matrices, as everything else is found anew
 * (base/tape.h). */
void least_norm_walk(least_norm *l, tape *t);

/** Finds the multipliers of least norm, l->lambda [nl], with the same B^T lambda as at `p`. */
torsor_status least_norm_find(least_norm *l, const torsor_point *p);

#endif
