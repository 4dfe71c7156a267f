/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EIGEN_H
#define TORSOR_ANALYSIS_EIGEN_H

/** Eigenvalues and vectors of a pencil. */

#include "analysis/eigen/pencil.h"

/** A list of modes: one for each conjugate pair (im > 0) and one for each real eigenvalue,
 * ascending in magnitude.  The eigenvalue 0 has as many modes as there are eigenvectors. */
typedef struct eigen_list {
  int count, room, nv;
  double *re, *im; /* [count] 1/s */
  double *noise;   /* [count] round-off of mu^2, 1/s^2: see pencil_round_off */
  double *shape;   /* [count][2][nv] real and imaginary parts of body variations */
  int zeros; /* number of eigenvalues 0, Jordan chains counted in full; of the sparse solution those
                found */
  bool real; /* the shapes are real, orthonormal in A2, and came from a symmetric problem */
} eigen_list;

/** Finds all modes by dense matrices on the null space of the constraints.  Fails with SINGULAR
 * where the mass matrix is singular there.  Memory for the list comes from `memory`. */
torsor_status eigen_dense(eigen_list *out, const pencil *p, arena *memory);

/** Finds about `wanted` modes of least magnitude by the shift-and-invert Arnoldi method, with a
 * sparse factorisation of the whole by `solver`. */
torsor_status eigen_sparse(eigen_list *out, const pencil *p, int wanted, const char *solver,
                           arena *memory);

/** Creates a list with room for `room` modes. */
torsor_status eigen_list_create(eigen_list *out, int nv, int room, arena *memory);

/** Adds the mode of the eigenvalue re + i im, or of 0 where that is all round-off; its shape is
 * real and imaginary [nv], where NULL means zero. */
void eigen_list_add(eigen_list *list, const pencil *p, double re, double im, const double *real,
                    const double *imaginary);

/** Removes the mode added last, of the eigenvalue 0, where it repeats modes of 0 before it, all of
 * which were added in this way: they are orthonormalised in A2.  work [nv]. */
void eigen_list_drop_repeated(eigen_list *list, const pencil *p, double *work);

/** Adds the mode of a real mu^2.  Where that is positive, there are two real eigenvalues, and the
 * decaying one is added: see eigen_list_mirror. */
void eigen_list_add_square(eigen_list *list, const pencil *p, double square, const double *shape);

/** Adds, for each real eigenvalue, which decays, the one that grows, and sorts again. */
torsor_status eigen_list_mirror(eigen_list *list, const pencil *p);

/** Sorts the list ascending in magnitude; zeros come first. */
torsor_status eigen_list_sort(eigen_list *list);

/** Orthonormalises real shapes in A2 one after the other (Gram-Schmidt), which matters where
 * frequencies coincide. */
torsor_status eigen_list_orthonormalise(eigen_list *list, const pencil *p);

/** Does the skew part of A0 leave the modes unchanged?  It changes their mu^2 by its square over
 * their distance; so the answer is no where it couples two of the shapes by more than a millionth
 * of the larger mu^2. */
torsor_status eigen_list_is_symmetric(bool *out, const eigen_list *list, const pencil *p);

/** Are the first `count` modes really those of the pencil?  Matrices [n x n] of the largest mu
 * leave a round-off of n eps mu^2 in the squares of all modes, in which small ones are lost.  x^H
 * (mu^2 A2 + mu A1 + A0) x over x^H A2 x must be below a millionth of mu^2 (of the least one, where
 * mu = 0) or below the round-off of A0.  Where nonholonomic or reactive constraints contribute
 * forces of their own to this form, it has no meaning and is not tested.  work [nv]. */
bool eigen_list_holds(const eigen_list *list, const pencil *p, int count, double *work);

#endif
