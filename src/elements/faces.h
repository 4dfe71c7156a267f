/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_FACES_H
#define TORSOR_ELEMENTS_FACES_H

/** Contact of two polyhedra by an elastic foundation on a face of one of them.
 *
 *  The face is the one that separates the polyhedra best.  Seen along its normal, the other body
 *  enters it by the depth d(x) >= 0 over its points x; the foundation has the energy
 *  k/2 times the integral of d^2 over the face, and the force is the gradient of that: a pressure k
 * d on the faces that enter, and k d^2/2 for each length of the outline of what enters.  It acts
 * alike on faces, edges and corners, at any angle, and it changes continuously as they come and go.
 */

#include "elements/touch.h"

typedef struct face_law {
  double stiffness;   /* k, N/m^3 */
  double dissipation; /* b in k d (1 + b d'), s/m */
} face_law;

/** Have both shapes faces? */
bool faces_are_known(touch_kind a, touch_kind b);

/** All in the axes of a and about its origin.  The members `by` are changes. */
typedef struct faces_contact {
  double depth;       /* the greatest, m; 0: nothing enters */
  double energy;      /* J */
  v3 n, n_by;         /* normal of the face, from a to b */
  v3 force, force_by; /* on b, N */
  v3 moment, moment_by;
  double push, push_by;   /* of the pressures along n, N */
  v3 centre, centre_by;   /* of the pressures */
  double reach, reach_by; /* root of their mean squared distance from it, m */
} faces_contact;

/** Contact of a and b, boxes without rounding, at H = (p, R) and the twist `motion` of b against a
 *  (about the origin of a, in its axes), and its changes as b moves by `e`, in the same sense, and
 * the twist changes by `faster`. */
void faces_eval(faces_contact *out, const face_law *law, const touch_shape *a, const touch_shape *b,
                const m3 *R, v3 p, twist motion, twist e, twist faster);

#endif
