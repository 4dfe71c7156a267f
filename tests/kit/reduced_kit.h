/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_REDUCED_KIT_H
#define TORSOR_TESTS_REDUCED_KIT_H

/** Reduced bodies of point masses, whose inertia is known as a sum over the points. */

#include <torsor/lie.h>

typedef struct reduced_body {
  int interfaces, modes, n, points;
  se3 *place;    /* [interfaces] */
  v3 *x;         /* [points] */
  double *mass;  /* [points] */
  double *N;     /* [3 points x n] shapes, rigid motions of the interfaces among them */
  double *K, *M; /* [n x n] */
  double *C, *D; /* [3][n x n], [6][n x n] */
  double *F;     /* [9][n x n] stiffening; NULL: none */
} reduced_body;

/** Makes some body: points that follow the interfaces by weights of their own, and modes; with a
 *  stiffness of this size. */
void reduced_make(reduced_body *out, int interfaces, int modes, int points, double stiffness,
                  unsigned seed);
/** Adds a stiffening of this size, symmetric and otherwise any. */
void reduced_stiffen(reduced_body *b, double size, unsigned seed);
void reduced_release(reduced_body *b);

/** The keys "interfaces", "stiffness", "mass", "gyroscopic", "centrifugal" and, where there is one,
 *  "stiffening" of a superelement, with the interfaces in this order (NULL: as they are); to be
 * freed. */
char *reduced_keys(const reduced_body *b, const int *order);

#endif
