/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIEGROUP_MOMENTS_H
#define TORSOR_LIEGROUP_MOMENTS_H

#include <stdbool.h>

#include <torsor/lie.h>

/** Moments of inertia of bodies. */

/** Largest magnitude of an entry. */
double m3_largest(m3 J);

/** Eigenvalues of a symmetric matrix, largest first, to a few eps of the largest entry. */
v3 moments_principal(m3 J);

/** Do the principal moments obey the triangle inequality, as those of a body do, within what
 *  numbers written with six digits leave? */
bool moments_of_body(v3 moment);

#endif
