/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EIGEN_H
#define TORSOR_ANALYSIS_EIGEN_H

/** Eigenvalues and vectors of a pencil. */

#include "analysis/eigen/pencil.h"

/** Modes: one for a pair of conjugates (im > 0) and one for each real eigenvalue; ascending in
 * magnitude. Of the eigenvalue 0 as many as there are vectors. */
typedef struct eigen_list {
  int count, room, nv;
  double *re, *im; /* [count] 1/s */
  double *noise;   /* [count] what round-off leaves of mu^2, 1/s^2: see pencil_round_off */
  double *shape;   /* [count][2][nv] real and imaginary parts of body variations */
  int zeros; /* eigenvalues 0 that there are, chains counted in full; of the sparse solution those
                found */
  bool real; /* the shapes are real, orthonormal in A2, and came from a symmetric problem */
} eigen_list;

/** All modes by dense matrices on what the constraints leave free.  SINGULAR: the mass matrix is,
 * there. Memory for the list from `memory`. */
torsor_status eigen_dense(eigen_list *out, const pencil *p, arena *memory);

/** The `wanted` modes of least magnitude, about, by shift and invert with a sparse factorisation of
 * the whole by `solver`. */
torsor_status eigen_sparse(eigen_list *out, const pencil *p, int wanted, const char *solver,
                           arena *memory);

/** Room for `room` modes. */
torsor_status eigen_list_create(eigen_list *out, int nv, int room, arena *memory);

/** Add the mode of the eigenvalue re + i im, or of 0 where that is all round-off; real and
 * imaginary [nv], which may be NULL: zero, are its shape. */
void eigen_list_add(eigen_list *list, const pencil *p, double re, double im, const double *real,
                    const double *imaginary);

/** The mode added last, of the eigenvalue 0, is taken away where it is one of those of 0 before it,
 * all of which came here: they are made orthonormal in A2.  work [nv]. */
void eigen_list_drop_repeated(eigen_list *list, const pencil *p, double *work);

/** Add the mode of a real mu^2.  Where it is positive, of the two real eigenvalues the one that
 * decays: see eigen_list_mirror. */
void eigen_list_add_square(eigen_list *list, const pencil *p, double square, const double *shape);

/** Add for each real eigenvalue, which decays, the one that grows, and sort again. */
torsor_status eigen_list_mirror(eigen_list *list, const pencil *p);

/** Ascending in magnitude; what is zero comes first. */
torsor_status eigen_list_sort(eigen_list *list);

/** Real shapes made orthonormal in A2 one after the other, which matters where frequencies
 * coincide. */
torsor_status eigen_list_orthonormalise(eigen_list *list, const pencil *p);

/** Does the skew part of A0 leave the modes alone?  It moves their mu^2 by its square over their
 * distance: no, where it couples two of the shapes by more than a millionth of the larger mu^2. */
torsor_status eigen_list_is_symmetric(bool *out, const eigen_list *list, const pencil *p);

/** Are the first `count` modes those of the pencil?  Matrices [n x n] of the largest mu leave
 * round-off of n eps mu^2 in the squares of all, which small ones drown in.  x^H (mu^2 A2 + mu A1 +
 * A0) x over x^H A2 x must be a millionth of mu^2 (of the least one, where mu = 0) or the round-off
 * of A0.  Where constraints put forces of their own into that, nonholonomic or reactive, it tells
 * nothing, and is not asked.  work [nv]. */
bool eigen_list_holds(const eigen_list *list, const pencil *p, int count, double *work);

#endif
