/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_IMPACT_H
#define TORSOR_ANALYSIS_IMPACT_H

/** The impulses by which constraints change velocities at once:
 *
 *      M (v1 - v0) + B^T Lambda = 0,   B v1 + Phi_t = 0
 *
 *  The kinetic energy changes by -Lambda^T B (v0 + v1)/2. */

#include "assembly/assembly.h"

typedef struct impact {
  double *v;    /* [nv] velocities afterwards */
  double *work; /* [elements] work of the impulses of each joint, J */
  /* Forces that the impulses add: all at rest with the change of v as v' and Lambda as
   * multipliers, and the same without them. */
  torsor_point blow, rest;
  double *memory;
} impact;

/** Finds the impulses at p (t, q and v).  INCONSISTENT where no velocities satisfy the constraints.
 * The result must be released whatever the status is. */
torsor_status impact_find(impact *out, assembly *a, const torsor_point *p);
void impact_release(impact *i);

#endif
