/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SUPER_CONSTANTS_H
#define TORSOR_ELEMENTS_SUPER_CONSTANTS_H

/** Constants of the inertia of a superelement from its matrices. */

#include "elements/superelement.h"

/** Data of a superelement; n = 6 interfaces + modes. */
typedef struct super_given {
  const se3 *place; /* [interfaces] */
  int interfaces, n;
  const double *K, *M;
  const double *C, *D; /* gyroscopic and centrifugal matrices, or NULL */
  int frame;           /* interface that F moves with; -1: mean axes */
} super_given;

/** Fills inertia, axes, size and least of `e`.  *memory, to be freed, holds [*size] bytes that the
 *  pointers of e->inertia and e->axes point into.  Without C and D the displacements of the
 *  interfaces turn with F, modes do not.  Fails with SCENE where the stiffness resists rigid
 *  motions, or masses differ by directions. */
torsor_status super_find_constants(superelement_data *e, double **memory, size_t *size,
                                   const super_given *given, torsor_error *error);

#endif
